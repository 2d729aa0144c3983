// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Test benches only: cells of every width of the memory bus from NarrowestData to
// WidestData, and of the streams, side by side. All follow the same steps.
module dma_rates #(
  parameter int unsigned Architecture    = 0,
  parameter int unsigned Directions      = aes_pkg::DirectionsBoth,
  parameter int unsigned KeySizes        = aes_pkg::KeySizesAll,
  parameter int unsigned NarrowestData   = 128,
  parameter int unsigned WidestData      = 128,
  parameter int unsigned NarrowestStream = 128,
  parameter int unsigned WidestStream    = 128,
  localparam int unsigned Widths  = $clog2(WidestData / NarrowestData) + 1,
  localparam int unsigned Streams = $clog2(WidestStream / NarrowestStream) + 1
) (
  input  logic clk_i,
  input  logic rst_ni,
  output logic ended_o
);

  logic [Widths*Streams-1:0] ended;

  assign ended_o = ended == '1;

  for (genvar data = 0; data < Widths; data++) begin : gen_data
    for (genvar stream = 0; stream < Streams; stream++) begin : gen_stream
      dma_rates_cell #(
        .Architecture (Architecture),
        .Directions   (Directions),
        .KeySizes     (KeySizes),
        .DataWidth    (NarrowestData << data),
        .StreamWidth  (NarrowestStream << stream)
      ) u_cell (
        .clk_i   (clk_i),
        .rst_ni  (rst_ni),
        .ended_o (ended[Streams*data + stream])
      );
    end
  end

endmodule

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Leads the items of a message from its sources to its sinks in order. Item n comes from
// source n modulo Sources and goes to sink n modulo Sinks. Each source knows to which sink its
// next item goes, each sink knows from which source its next item comes, and an item passes when
// both agree: no item carries a number. start_i begins a message; nothing may be on its way then.
module board_turns #(
  parameter int unsigned Sources = 4,
  parameter int unsigned Sinks = 4,
  parameter int unsigned Width = 128
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  input  logic                          start_i,

  input  logic [Sources-1:0]            source_valid_i,
  output logic [Sources-1:0]            source_ready_o,
  input  logic [Sources-1:0][Width-1:0] source_data_i,

  output logic [Sinks-1:0]              sink_valid_o,
  input  logic [Sinks-1:0]              sink_ready_i,
  output logic [Sinks-1:0][Width-1:0]   sink_data_o
);

  // The sink of each source's next item, and the source of each sink's.
  logic [Sources-1:0][2:0] to;
  logic [Sinks-1:0][2:0]   from;

  for (genvar n = 0; n < Sources; n++) begin : gen_source
    board_turn #(
      .Modulus (Sinks),
      .First   (n),
      .Stride  (Sources)
    ) u_to (
      .clk_i     (clk_i),
      .rst_ni    (rst_ni),
      .start_i   (start_i),
      .advance_i (source_valid_i[n] && source_ready_o[n]),
      .turn_o    (to[n])
    );
  end

  for (genvar n = 0; n < Sinks; n++) begin : gen_sink
    board_turn #(
      .Modulus (Sources),
      .First   (n),
      .Stride  (Sinks)
    ) u_from (
      .clk_i     (clk_i),
      .rst_ni    (rst_ni),
      .start_i   (start_i),
      .advance_i (sink_valid_o[n] && sink_ready_i[n]),
      .turn_o    (from[n])
    );
  end

  always_comb begin
    source_ready_o = '0;
    sink_valid_o = '0;
    sink_data_o = '0;
    for (int unsigned s = 0; s < Sources; s++) begin
      for (int unsigned k = 0; k < Sinks; k++) begin
        if (to[s] == 3'(k) && from[k] == 3'(s)) begin
          source_ready_o[s] = sink_ready_i[k];
          sink_valid_o[k] = source_valid_i[s];
          sink_data_o[k] = source_data_i[s];
        end
      end
    end
  end

endmodule

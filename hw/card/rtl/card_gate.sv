// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Stands between the data mover of a ring and the streams of its channel. It lets the packets
// of one message in, from open_i on, and the bytes of its output out, so that the data of the
// next message, which are read ahead, wait until that begins. Output that has another length
// than the message's is not let out: mismatch_o is high then until close_i.
module card_gate #(
  parameter int unsigned StreamWidth = 128,
  localparam int unsigned Lanes = StreamWidth / 8
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   open_i,       // a message begins
  input  logic                   close_i,      // drop it
  input  logic [1:0]             packets_i,    // of its input
  input  logic [31:0]            bytes_i,      // of its output
  output logic                   input_done_o, // all its packets are in
  output logic                   output_done_o,
  output logic                   mismatch_o,

  // From the mover to the channel.
  input  logic                   in_last_i,
  input  logic                   in_valid_i,
  output logic                   in_ready_o,
  output logic                   in_valid_o,
  input  logic                   in_ready_i,

  // From the channel to the mover.
  input  logic [Lanes-1:0]       out_keep_i,
  input  logic                   out_last_i,
  input  logic                   out_valid_i,
  output logic                   out_ready_o,
  output logic                   out_valid_o,
  input  logic                   out_ready_i
);

  localparam int unsigned LaneBits = $clog2(Lanes);

  logic [1:0]       packets_q;
  logic [31:0]      bytes_q;
  logic             live_q;
  logic             ends, fits, in_open, out_open;
  logic [Lanes-1:0] keep;

  assign in_open      = packets_q != '0 && !close_i;
  assign in_valid_o   = in_valid_i && in_open;
  assign in_ready_o   = in_ready_i && in_open;
  assign input_done_o = packets_q == '0;

  // The beat that must come next.
  assign ends = bytes_q <= 32'(Lanes);
  assign keep = ends ? {Lanes{1'b1}} >> (LaneBits'(0) - bytes_q[LaneBits-1:0]) : '1;
  assign fits = bytes_q != '0 && out_last_i == ends && out_keep_i == keep;

  assign out_open      = live_q && fits && !close_i;
  assign out_valid_o   = out_valid_i && out_open;
  assign out_ready_o   = out_ready_i && out_open;
  assign output_done_o = bytes_q == '0;
  assign mismatch_o    = live_q && out_valid_i && !fits;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      packets_q <= '0;
      bytes_q   <= '0;
      live_q    <= 1'b0;
    end else if (close_i) begin
      packets_q <= '0;
      bytes_q   <= '0;
      live_q    <= 1'b0;
    end else if (open_i) begin
      packets_q <= packets_i;
      bytes_q   <= bytes_i;
      live_q    <= 1'b1;
    end else begin
      if (in_valid_o && in_ready_i && in_last_i) begin
        packets_q <= packets_q - 2'd1;
      end
      if (out_valid_o && out_ready_i) begin
        bytes_q <= ends ? '0 : bytes_q - 32'(Lanes);
      end
    end
  end

endmodule

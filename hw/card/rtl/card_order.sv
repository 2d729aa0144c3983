// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Remembers which message each piece that the mover has taken belongs to. The mover ends them
// in order: number_o is the message of the oldest one, and done_o is high for a cycle when the
// last piece of a message has ended.
module card_order
  import card_pkg::*;
#(
  localparam int unsigned Pieces = 16
) (
  input  logic    clk_i,
  input  logic    rst_ni,
  input  logic    clear_i,
  output logic    busy_o,   // clearing
  output logic    ready_o,  // room for a piece
  input  logic    taken_i,  // a piece goes to the mover; only with ready_o
  input  number_t number_i,
  input  logic    ends_i,   // the last piece of its message
  input  logic    ended_i,  // the mover has ended its oldest piece
  output logic    valid_o,
  output number_t number_o,
  output logic    done_o
);

  logic ends;

  prim_fifo #(
    .Width ($bits(number_t) + 1),
    .Depth (Pieces)
  ) u_pieces (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (clear_i),
    .busy_o  (busy_o),
    .valid_i (taken_i),
    .ready_o (ready_o),
    .data_i  ({ends_i, number_i}),
    .valid_o (valid_o),
    .ready_i (ended_i),
    .data_o  ({ends, number_o})
  );

  assign done_o = valid_o && ended_i && ends;

endmodule

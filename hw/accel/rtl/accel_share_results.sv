// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The results of one channel of a shared core. A result is offered to the channel in the
// cycle in which it leaves the core. If it is not taken then, it is stored here, so that
// it never blocks results of other channels. room_o limits the blocks in the core to the
// places that are free.
//
// While clear_i is high, and until busy_o is low, results are dropped and all places
// are overwritten with zero.
module accel_share_results #(
  parameter int unsigned Places = 16
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         clear_i,
  output logic         busy_o,

  input  logic         issue_i,   // a block of this channel enters the core
  output logic         room_o,    // another block may enter
  output logic         inside_o,  // a block of this channel is in the core
  output logic         idle_o,    // no block is in the core and no result waits

  input  logic         result_valid_i, // the core shows a result of this channel
  input  logic [127:0] result_i,

  output logic         valid_o,
  input  logic         ready_i,
  output logic [127:0] block_o
);

  localparam int unsigned CountWidth = $clog2(Places + 1);

  logic [CountWidth-1:0] inside_q, waiting_q;
  logic                  dropping, direct, keep, give;
  logic                  fifo_valid, fifo_ready;
  logic [127:0]          fifo_block;

  assign dropping = clear_i || busy_o;
  assign direct   = result_valid_i && !fifo_valid && !dropping;
  assign keep     = result_valid_i && !dropping && !(direct && ready_i);
  assign give     = fifo_valid && ready_i;

  prim_fifo #(
    .Width (128),
    .Depth (Places)
  ) u_waiting (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (clear_i),
    .busy_o  (busy_o),
    .valid_i (keep),
    .ready_o (fifo_ready),
    .data_i  (result_i),
    .valid_o (fifo_valid),
    .ready_i (ready_i),
    .data_o  (fifo_block)
  );

  assign valid_o = fifo_valid || direct;
  assign block_o = fifo_block | (direct ? result_i : '0); // with direct, fifo_block is zero

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      inside_q  <= '0;
      waiting_q <= '0;
    end else begin
      inside_q  <= inside_q + CountWidth'(issue_i) - CountWidth'(result_valid_i);
      waiting_q <= dropping ? '0 : waiting_q + CountWidth'(keep) - CountWidth'(give);
    end
  end

  assign room_o   = !dropping && ((CountWidth + 1)'(inside_q) + (CountWidth + 1)'(waiting_q)
                                  < (CountWidth + 1)'(Places));
  assign inside_o = inside_q != '0;
  assign idle_o   = (inside_q == '0) && (waiting_q == '0);

  logic unused_ready;
  assign unused_ready = fifo_ready; // always high, since room_o keeps a place free

endmodule

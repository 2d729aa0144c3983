// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Results of a cipher that wait to be read: a queue of Depth blocks, which adds a cycle,
// or only wires with Depth = 0. results_o is the number of results that are ready; it
// includes the one at the input if others precede it.
module coprocessor_results #(
  parameter int unsigned Width = 128,
  parameter int unsigned Depth = 1,
  parameter int unsigned CountWidth = 2
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  zeroise_i,

  input  logic                  valid_i,
  output logic                  ready_o,
  input  logic [Width-1:0]      block_i,

  output logic                  valid_o,
  input  logic                  ready_i,
  output logic [Width-1:0]      block_o,
  output logic [CountWidth-1:0] results_o,
  output logic                  sweep_o
);

  if (Depth == 0) begin : gen_wires
    logic unused_clock;
    assign unused_clock = clk_i ^ rst_ni ^ zeroise_i;

    assign valid_o = valid_i;
    assign ready_o = ready_i;
    assign block_o = block_i;
    assign results_o = CountWidth'(valid_i);
    assign sweep_o = 1'b0;
  end else if (Depth == 1) begin : gen_register
    logic             valid_q;
    logic [Width-1:0] block_q;

    assign valid_o = valid_q;
    assign ready_o = !valid_q || ready_i;
    assign block_o = block_q;
    assign results_o = CountWidth'(valid_q) + CountWidth'(valid_q && valid_i);
    assign sweep_o = 1'b0;

    // block_i is zero while valid_i is low, so the register is then zero too.
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        valid_q <= 1'b0;
        block_q <= '0;
      end else if (zeroise_i) begin
        valid_q <= 1'b0;
        block_q <= '0;
      end else if (ready_o) begin
        valid_q <= valid_i;
        block_q <= block_i;
      end
    end
  end else begin : gen_queue
    logic [CountWidth-1:0] queued_q;
    logic                  push, pop;

    prim_fifo #(
      .Width(Width),
      .Depth(Depth)
    ) u_fifo (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .clear_i(zeroise_i),
      .busy_o (sweep_o),
      .valid_i(valid_i),
      .ready_o(ready_o),
      .data_i (block_i),
      .valid_o(valid_o),
      .ready_i(ready_i),
      .data_o (block_o)
    );

    assign push = valid_i && ready_o;
    assign pop = valid_o && ready_i;
    assign results_o = queued_q + CountWidth'(valid_o && valid_i);

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        queued_q <= '0;
      end else if (zeroise_i) begin
        queued_q <= '0;
      end else begin
        if (push && !pop) queued_q <= queued_q + 1'b1;
        if (pop && !push) queued_q <= queued_q - 1'b1;
      end
    end
  end

endmodule

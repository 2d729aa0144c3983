// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Shifts a run of beats by whole words of 32 bits: each output beat consists of the
// input beat and the remaining words of the input beat before it. With shift 0 a beat is
// not changed; with shift n an output beat begins with word n of the previous input
// beat. With prime_i the first input beat gives no output beat (its words below the shift
// are dropped); with flush_i the last output beat takes no input beat. A run has
// beats_i + 1 output beats; the job must hold until done_o.
module dma_funnel #(
  parameter int unsigned DataWidth = 32,
  localparam int unsigned Words     = DataWidth / 32,
  localparam int unsigned ShiftBits = (Words > 1) ? $clog2(Words) : 1
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 clear_i,
  input  logic                 job_valid_i,
  input  logic [ShiftBits-1:0] shift_i,
  input  logic                 prime_i,
  input  logic                 flush_i,
  input  logic [29:0]          beats_i, // minus one
  output logic                 done_o,  // the last beat leaves in this cycle
  input  logic                 valid_i,
  output logic                 ready_o,
  input  logic [DataWidth-1:0] data_i,
  output logic                 valid_o,
  input  logic                 ready_i,
  output logic [DataWidth-1:0] data_o,
  output logic                 first_o,
  output logic                 last_o
);

  logic [29:0] count_q;
  logic        leaves;

  assign first_o = count_q == '0;
  assign last_o  = count_q == beats_i;
  assign leaves  = valid_o && ready_i;
  assign done_o  = leaves && last_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
    end else if (clear_i || done_o) begin
      count_q <= '0;
    end else if (leaves) begin
      count_q <= count_q + 1'b1;
    end
  end

  if (Words == 1) begin : gen_through
    assign valid_o = job_valid_i && valid_i;
    assign ready_o = job_valid_i && ready_i;
    assign data_o  = data_i;

    logic unused_shift;
    assign unused_shift = ^{shift_i, prime_i, flush_i};
  end else begin : gen_shift
    logic                   primed_q;
    logic [DataWidth-1:0]   before_q;
    logic                   prime, flush;
    logic [2*DataWidth-1:0] window;

    assign prime   = prime_i && !primed_q;
    assign flush   = flush_i && last_o && !prime;
    assign valid_o = job_valid_i && !prime && (valid_i || flush);
    assign ready_o = job_valid_i && (prime || (ready_i && !flush));
    assign window  = {flush ? DataWidth'(0) : data_i, before_q};

    always_comb begin
      data_o = window[2*DataWidth-1:DataWidth];
      for (int unsigned n = 1; n < Words; n++) begin
        if (shift_i == ShiftBits'(n)) begin
          data_o = window[32*n +: DataWidth];
        end
      end
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        primed_q <= 1'b0;
        before_q <= '0;
      end else if (clear_i || done_o) begin
        primed_q <= 1'b0;
        before_q <= '0;
      end else if (valid_i && ready_o) begin
        primed_q <= 1'b1;
        before_q <= data_i;
      end
    end
  end

endmodule

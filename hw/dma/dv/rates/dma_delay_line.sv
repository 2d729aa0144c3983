// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Test benches only: gives each word latency_i cycles after it was taken, in
// order and up to Depth at once, as a memory far away does with requests and
// responses. With latency_i = 0 words go straight through.
module dma_delay_line #(
  parameter int unsigned Width = 32,
  parameter int unsigned Depth = 16,
  localparam int unsigned IndexBits = $clog2(Depth)
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [7:0]       latency_i, // may change while nothing is inside
  input  logic             valid_i,
  output logic             ready_o,
  input  logic [Width-1:0] data_i,
  output logic             valid_o,
  input  logic             ready_i,
  output logic [Width-1:0] data_o
);

  logic [Width-1:0]     data [Depth];
  logic [15:0]          taken [Depth]; // the cycle in which a word came
  logic [15:0]          now_q;
  logic [IndexBits-1:0] write_q, read_q;
  logic [IndexBits:0]   count_q;
  logic                 through, push, pop;

  assign through = latency_i == '0;
  assign ready_o = through ? ready_i : count_q != (IndexBits + 1)'(Depth);
  assign valid_o = through ? valid_i
                           : count_q != '0 && now_q - taken[read_q] >= 16'(latency_i);
  assign data_o  = through ? data_i : data[read_q];
  assign push    = !through && valid_i && ready_o;
  assign pop     = !through && valid_o && ready_i;

  always_ff @(posedge clk_i) begin
    if (push) begin
      data[write_q]  <= data_i;
      taken[write_q] <= now_q;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      now_q   <= '0;
      write_q <= '0;
      read_q  <= '0;
      count_q <= '0;
    end else begin
      now_q   <= now_q + 1'b1;
      write_q <= write_q + IndexBits'(push);
      read_q  <= read_q + IndexBits'(pop);
      count_q <= count_q + (IndexBits + 1)'(push) - (IndexBits + 1)'(pop);
    end
  end

endmodule

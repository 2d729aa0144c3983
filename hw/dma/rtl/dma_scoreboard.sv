// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Records the transfers in progress until both directions have finished them. Each
// direction works in order, so a count is enough: a direction with n transfers left is
// at the n-th newest transfer, to which its faults belong.
module dma_scoreboard
  import dma_pkg::*;
(
  input  logic    clk_i,
  input  logic    rst_ni,
  input  logic    clear_i,
  input  logic    valid_i,
  output logic    ready_o,
  input  origin_t origin_i,
  input  logic    interrupt_i,
  input  logic    read_done_i,
  input  logic    write_done_i,
  output origin_t read_origin_o,  // of the current transfer of the read direction
  output origin_t write_origin_o, // of the current transfer of the write direction
  output logic    completed_o,    // a transfer is complete; high for a cycle
  output logic    interrupt_o,    // and it requests an interrupt
  output logic    empty_o
);

  localparam int unsigned IndexBits = $clog2(Descriptors);
  localparam int unsigned CountBits = $clog2(Descriptors + 1);

  origin_t              origin [Descriptors];
  logic                 interrupt_q [Descriptors];
  logic [IndexBits-1:0] newest_q, read_q, write_q, oldest_q;
  logic [CountBits-1:0] count_q;
  logic                 accept, read_ahead, write_ahead;
  logic [CountBits-1:0] read_ahead_q, write_ahead_q; // done in one direction, not complete

  assign ready_o        = count_q != CountBits'(Descriptors);
  assign accept         = valid_i && ready_o;
  assign empty_o        = count_q == '0;
  assign read_ahead     = (read_ahead_q != '0) || read_done_i;
  assign write_ahead    = (write_ahead_q != '0) || write_done_i;
  assign completed_o    = read_ahead && write_ahead;
  assign interrupt_o    = completed_o && interrupt_q[oldest_q];
  assign read_origin_o  = origin[read_q];
  assign write_origin_o = origin[write_q];

  always_ff @(posedge clk_i) begin
    if (accept) begin
      origin[newest_q]      <= origin_i;
      interrupt_q[newest_q] <= interrupt_i;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      newest_q      <= '0;
      read_q        <= '0;
      write_q       <= '0;
      oldest_q      <= '0;
      count_q       <= '0;
      read_ahead_q  <= '0;
      write_ahead_q <= '0;
    end else if (clear_i) begin
      newest_q      <= '0;
      read_q        <= '0;
      write_q       <= '0;
      oldest_q      <= '0;
      count_q       <= '0;
      read_ahead_q  <= '0;
      write_ahead_q <= '0;
    end else begin
      newest_q      <= newest_q + IndexBits'(accept);
      read_q        <= read_q + IndexBits'(read_done_i);
      write_q       <= write_q + IndexBits'(write_done_i);
      oldest_q      <= oldest_q + IndexBits'(completed_o);
      count_q       <= count_q + CountBits'(accept) - CountBits'(completed_o);
      read_ahead_q  <= read_ahead_q + CountBits'(read_done_i) - CountBits'(completed_o);
      write_ahead_q <= write_ahead_q + CountBits'(write_done_i) - CountBits'(completed_o);
    end
  end

endmodule

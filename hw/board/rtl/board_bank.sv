// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Reads the blocks of one memory bank in order, and writes each result to the place of its
// block. The bank has one port of 32 bits: an access passes in each cycle in which valid
// and ready are high, and a word that was read is on memory_data_i in the cycle after. A
// block is four words in a row, the first in its low bits.
//
// The bank holds blocks Number, Number + Banks, Number + 2 * Banks, ... of the message, one
// behind the other from address 0. A burst moves one block; reads and writes take turns if
// both have work. Bytes after the end of the message are not written.
module board_bank #(
  parameter int unsigned AddressWidth = 19,
  parameter int unsigned IndexWidth = 20,
  parameter int unsigned Banks = 4,
  parameter int unsigned Number = 0
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  // start_i begins a message. From the next cycle until done_o is high, blocks_i is its number
  // of blocks; otherwise it is zero. The last block has last_bytes_i bytes; 0 means 16.
  input  logic                    start_i,
  input  logic [IndexWidth-1:0]   blocks_i,
  input  logic [3:0]              last_bytes_i,
  output logic                    done_o,

  output logic                    memory_valid_o,
  input  logic                    memory_ready_i,
  output logic                    memory_write_o,
  output logic [AddressWidth-1:0] memory_address_o,
  output logic [3:0]              memory_strobe_o,
  output logic [31:0]             memory_data_o,
  input  logic [31:0]             memory_data_i,

  output logic                    block_valid_o,
  input  logic                    block_ready_i,
  output logic [127:0]            block_o,

  input  logic                    result_valid_i,
  output logic                    result_ready_o,
  input  logic [127:0]            result_i
);

  localparam int unsigned RowWidth = AddressWidth - 2;
  // One bit more than an index, for the sum of the last index and Banks.
  typedef logic [IndexWidth:0] index_t;

  // The burst at the memory port.
  logic       active_q, write_q;
  logic [1:0] word_q;
  logic       access, ends, read_ends, write_ends;

  assign memory_valid_o = active_q;
  assign memory_write_o = write_q;
  assign access = active_q && memory_ready_i;
  assign ends = access && word_q == 2'd3;
  assign read_ends = ends && !write_q;
  assign write_ends = ends && write_q;

  // The next block to read and the next result to write: index in the message, row in the
  // bank.
  index_t              read_index_q, write_index_q;
  logic [RowWidth-1:0] read_row_q, write_row_q;
  logic                read_left, write_left;

  assign read_left = read_index_q < {1'b0, blocks_i};
  assign write_left = write_index_q < {1'b0, blocks_i};
  assign done_o = !write_left;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      read_index_q  <= '0;
      write_index_q <= '0;
      read_row_q    <= '0;
      write_row_q   <= '0;
    end else if (start_i) begin
      read_index_q  <= index_t'(Number);
      write_index_q <= index_t'(Number);
      read_row_q    <= '0;
      write_row_q   <= '0;
    end else begin
      if (read_ends) begin
        read_index_q <= read_index_q + index_t'(Banks);
        read_row_q   <= read_row_q + 1'b1;
      end
      if (write_ends) begin
        write_index_q <= write_index_q + index_t'(Banks);
        write_row_q   <= write_row_q + 1'b1;
      end
    end
  end

  // Which burst comes next. One that follows another at once is of the other kind: whether
  // the same kind has work left is known a cycle later.
  logic captured_q, captured_last_q, may_read, may_write, begin_read, begin_write;

  assign may_read = read_left && !captured_q && (!block_valid_o || block_ready_i);
  assign may_write = write_left && result_valid_i;
  assign begin_write = may_write && (!active_q || read_ends);
  assign begin_read = may_read && !begin_write && (!active_q || write_ends);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      write_q  <= 1'b0;
      word_q   <= '0;
    end else begin
      if (begin_read || begin_write) begin
        active_q <= 1'b1;
        write_q  <= begin_write;
      end else if (ends) begin
        active_q <= 1'b0;
      end
      if (access) word_q <= word_q + 1'b1;
    end
  end

  assign memory_address_o = {write_q ? write_row_q : read_row_q, word_q};
  assign memory_data_o = write_q ? result_i[32*word_q+:32] : '0;
  assign result_ready_o = write_ends;

  logic partial;
  assign partial = write_index_q + 1'b1 == {1'b0, blocks_i} && last_bytes_i != '0;

  always_comb begin
    for (int unsigned n = 0; n < 4; n++) begin
      memory_strobe_o[n] = write_q && (!partial || {word_q, 2'(n)} < last_bytes_i);
    end
  end

  // The block that was read.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      captured_q      <= 1'b0;
      captured_last_q <= 1'b0;
      block_valid_o   <= 1'b0;
      block_o         <= '0;
    end else begin
      captured_q      <= access && !write_q;
      captured_last_q <= read_ends;
      if (captured_q) block_o <= {memory_data_i, block_o[127:32]};
      if (captured_last_q) block_valid_o <= 1'b1;
      else if (block_ready_i) block_valid_o <= 1'b0;
    end
  end

endmodule

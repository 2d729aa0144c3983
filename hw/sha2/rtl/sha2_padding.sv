// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Cuts the 16-byte blocks of a message into the words of hash blocks, and pads the message
// (section 5.1 of the standard): a byte 80, zeros, and the length in bits.
//
// round_i says which words are asked for; they are there with valid_o, and advance_i takes
// them. A block of the message is taken with its last word, or with the word that the byte
// 80 stands in. ends_o says from the length on that the hash block is the message's last.
// padding_o is up from the cycle after the message's last block was taken.
//
// start_i begins a message of which blocks_i blocks were taken earlier. blocks_o counts
// them on. A message of 2^61 bytes or more gets a wrong length.
module sha2_padding
  import sha2_pkg::*;
#(
  parameter int unsigned WordSizes      = WordSizesAll,
  parameter int unsigned RoundsPerCycle = 1, // 1 or 2
  parameter int unsigned CarrySave      = 0,
  localparam int unsigned Width = ((WordSizes & WordSizes64) != 0) ? 64 : 32
) (
  input  logic                                 clk_i,
  input  logic                                 rst_ni,
  input  logic                                 clear_i,
  input  logic                                 wide_i,
  input  logic                                 start_i,
  input  logic [56:0]                          blocks_i,
  output logic [56:0]                          blocks_o,

  input  logic                                 block_valid_i,
  output logic                                 block_ready_o,
  input  logic [127:0]                         block_i,
  input  logic [4:0]                           block_bytes_i,
  input  logic                                 block_last_i,

  input  logic [3:0]                           round_i,
  input  logic                                 advance_i,
  output logic                                 valid_o,
  output logic [RoundsPerCycle-1:0][Width-1:0] word_o,
  output logic                                 padding_o,
  output logic                                 ends_o
);

  localparam bit Wide = (WordSizes & WordSizes64) != 0;
  localparam bit Narrow = (WordSizes & WordSizes32) != 0;

  logic        wide;
  logic        padding_q; // the last block has been taken
  logic        marked_q;  // the byte 80 has been
  logic        ends_q;
  logic [56:0] blocks_q;
  logic [3:0]  bytes_q;   // of the last block, if it was not full
  logic        length;    // the words are the length

  assign wide      = Wide && (!Narrow || wide_i);
  assign blocks_o  = blocks_q;
  assign padding_o = padding_q;
  assign ends_o    = ends_q;
  assign valid_o   = padding_q || block_valid_i;
  assign length    = padding_q && marked_q && (round_i[3:1] == 3'd7) && (!round_i[0] || ends_q);

  logic [63:0] bits;
  assign bits = {blocks_q, bytes_q, 3'b0};

  // ------------------------------------------------------------ words

  localparam int unsigned Bytes = Width / 8;

  logic [RoundsPerCycle-1:0] short; // the message ends in front of the word's end

  for (genvar n = 0; n < RoundsPerCycle; n++) begin : gen_word
    logic [1:0]       at;    // of the word among those of a block
    logic [3:0]       start; // its first byte in the block
    logic [Width-1:0] raw, data, padding;

    assign at    = round_i[1:0] + 2'(n);
    assign start = wide ? {at[0], 3'b0} : {at, 2'b0};

    always_comb begin
      if (wide) raw = Width'(block_i >> (7'd64 - {start, 3'b0}));
      else raw = Width'(block_i[7'd96 - {start, 3'b0} +: 32]);
    end

    // Byte i of a word is below byte i - 1. Words of 32 bits have only the low four.
    for (genvar i = 0; i < Bytes; i++) begin : gen_byte
      logic [4:0] index; // in the block
      logic [7:0] mark;

      assign index = 5'(start) + 5'(i) - ((Bytes == 8 && !wide) ? 5'd4 : 5'd0);
      assign mark  = (index == block_bytes_i) ? 8'h80 : 8'h00;
      assign data[Width-8*i-8 +: 8] = (index < block_bytes_i) ? raw[Width-8*i-8 +: 8] : mark;
    end

    assign short[n] = block_bytes_i < 5'(start) + (wide ? 5'd8 : 5'd4);

    always_comb begin
      padding = '0;
      if (length) begin
        if (wide) padding = at[0] ? Width'(bits) : '0;
        else padding = Width'(at[0] ? bits[31:0] : bits[63:32]);
      end else if (n == 0 && !marked_q) begin
        padding[wide ? Width-1 : 31] = 1'b1;
      end
    end

    assign word_o[n] = padding_q ? padding : data;
  end

  // ------------------------------------------------------------ state

  logic [56:0] blocks_next;

  prim_sum #(
    .Width     (57),
    .CarrySave (CarrySave)
  ) u_blocks_next (
    .operand_i ({57'b0, blocks_q}),
    .carry_i   (block_bytes_i[4]),
    .sum_o     (blocks_next)
  );

  logic block_end, taken;

  // The words of this cycle are the last ones that the block gives.
  always_comb begin
    block_end = short[RoundsPerCycle-1];
    if (RoundsPerCycle == 2) block_end |= wide || round_i[1];
    else block_end |= wide ? round_i[0] : &round_i[1:0];
  end

  assign block_ready_o = advance_i && !padding_q && block_end;
  assign taken         = block_valid_i && block_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      padding_q <= 1'b0;
      marked_q  <= 1'b0;
      ends_q    <= 1'b0;
      blocks_q  <= '0;
      bytes_q   <= '0;
    end else if (clear_i || start_i) begin
      padding_q <= 1'b0;
      marked_q  <= 1'b0;
      ends_q    <= 1'b0;
      blocks_q  <= clear_i ? '0 : blocks_i;
      bytes_q   <= '0;
    end else begin
      if (taken) begin
        padding_q <= block_last_i;
        marked_q  <= !block_bytes_i[4];
        blocks_q  <= blocks_next;
        bytes_q   <= block_bytes_i[3:0];
      end
      if (advance_i && padding_q) begin
        marked_q <= 1'b1;
        ends_q   <= ends_q || length;
      end
    end
  end

endmodule

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: an Ascon core in an arbitrary state is told to zeroise in the first cycle
// (formal_zeroise).
module ascon_core_zeroise
  import ascon_pkg::*;
#(
  parameter int unsigned RoundsPerCycle = 1
) (
  input  logic         clk_i,
  input  logic         key_valid_i,
  input  logic [127:0] key_i,
  input  logic         start_valid_i,
  input  operation_e   operation_i,
  input  logic [127:0] nonce_i,
  input  logic         block_valid_i,
  input  logic [127:0] block_i,
  input  logic [4:0]   block_bytes_i,
  input  logic         block_last_i,
  input  logic         block_ready_i,
  input  logic         tag_valid_i,
  input  logic [127:0] tag_i,
  input  logic         tag_ready_i,
  input  logic         drop_i,
  output logic         swept_o
);

  logic         zeroise, key_ready, start_ready, block_ready, text, block_valid, last;
  logic         tag_ready, tag_valid, authentic, busy, idle;
  logic [127:0] block, tag;
  logic [4:0]   bytes;

  ascon_core #(
    .RoundsPerCycle (RoundsPerCycle)
  ) u_core (
    .clk_i         (clk_i),
    .rst_ni        (1'b1),
    .key_valid_i   (key_valid_i),
    .key_ready_o   (key_ready),
    .key_i         (key_i),
    .start_valid_i (start_valid_i),
    .start_ready_o (start_ready),
    .operation_i   (operation_i),
    .nonce_i       (nonce_i),
    .block_valid_i (block_valid_i),
    .block_ready_o (block_ready),
    .block_i       (block_i),
    .block_bytes_i (block_bytes_i),
    .block_last_i  (block_last_i),
    .text_o        (text),
    .block_valid_o (block_valid),
    .block_ready_i (block_ready_i),
    .block_o       (block),
    .block_bytes_o (bytes),
    .block_last_o  (last),
    .tag_valid_i   (tag_valid_i),
    .tag_ready_o   (tag_ready),
    .tag_i         (tag_i),
    .tag_valid_o   (tag_valid),
    .tag_ready_i   (tag_ready_i),
    .tag_o         (tag),
    .authentic_o   (authentic),
    .drop_i        (drop_i),
    .zeroise_i     (zeroise),
    .busy_o        (busy),
    .idle_o        (idle)
  );

  formal_zeroise #(
    .Width   (256),
    .Longest (4)
  ) u_zeroise (
    .clk_i         (clk_i),
    .zeroise_o     (zeroise),
    .swept_o       (swept_o),
    .busy_i        (busy),
    .idle_i        (idle),
    .key_ready_i   (key_ready || start_ready),
    .block_ready_i (block_ready || tag_ready),
    .block_valid_i (block_valid || tag_valid),
    .block_i       ({block, tag})
  );

  logic unused;
  assign unused = ^{text, last, bytes, authentic};

endmodule

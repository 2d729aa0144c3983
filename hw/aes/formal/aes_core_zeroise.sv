// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: an AES core in an arbitrary state is told to zeroise in the first cycle
// (formal_zeroise).
module aes_core_zeroise
  import aes_pkg::*;
#(
  parameter int unsigned Architecture = ArchitectureIterative,
  parameter int unsigned Directions = DirectionsBoth,
  parameter int unsigned KeySizes = KeySizesAll,
  parameter int unsigned KeyStorage = 1,
  // Cycles after which busy_o must have fallen.
  parameter int unsigned Longest = 36
) (
  input  logic         clk_i,
  input  logic         key_valid_i,
  input  key_size_e    key_size_i,
  input  logic [255:0] key_i,
  input  logic         block_valid_i,
  input  direction_e   block_direction_i,
  input  logic [127:0] block_i,
  input  logic [1:0]   block_tag_i,
  input  logic         block_ready_i,
  output logic         swept_o
);

  logic         zeroise, key_ready, block_ready, block_valid, busy, idle;
  logic [127:0] block;
  logic [1:0]   tag;

  aes_core #(
    .Architecture   (Architecture),
    .Directions     (Directions),
    .KeySizes       (KeySizes),
    .TagWidth       (2),
    .KeyStorage     (KeyStorage)
  ) u_core (
    .clk_i             (clk_i),
    .rst_ni            (1'b1),
    .key_valid_i       (key_valid_i),
    .key_ready_o       (key_ready),
    .key_size_i        (key_size_i),
    .key_i             (key_i),
    .block_valid_i     (block_valid_i),
    .block_ready_o     (block_ready),
    .block_direction_i (block_direction_i),
    .block_i           (block_i),
    .block_tag_i       (block_tag_i),
    .block_valid_o     (block_valid),
    .block_ready_i     (block_ready_i),
    .block_o           (block),
    .block_tag_o       (tag),
    .zeroise_i         (zeroise),
    .busy_o            (busy),
    .idle_o            (idle)
  );

  formal_zeroise #(
    .Width   (128),
    .Longest (Longest)
  ) u_zeroise (
    .clk_i         (clk_i),
    .zeroise_o     (zeroise),
    .swept_o       (swept_o),
    .busy_i        (busy),
    .idle_i        (idle),
    .key_ready_i   (key_ready),
    .block_ready_i (block_ready),
    .block_valid_i (block_valid),
    .block_i       (block)
  );

  logic unused;
  assign unused = ^tag;

endmodule

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: a GHASH unit in an arbitrary state is told to zeroise in the first cycle
// (formal_zeroise).
module ghash_zeroise #(
  parameter int unsigned Digit = 128,
  parameter int unsigned Stages = 1
) (
  input  logic         clk_i,
  input  logic         key_valid_i,
  input  logic [127:0] key_i,
  input  logic         block_valid_i,
  input  logic [127:0] block_i,
  input  logic         block_last_i,
  input  logic         hash_ready_i,
  input  logic         drop_i,
  output logic         swept_o
);

  logic         key_ready, block_ready, hash_valid, busy, idle, zeroise;
  logic [127:0] hash;

  ghash #(
    .Digit  (Digit),
    .Stages (Stages)
  ) u_ghash (
    .clk_i         (clk_i),
    .rst_ni        (1'b1),
    .key_valid_i   (key_valid_i),
    .key_ready_o   (key_ready),
    .key_i         (key_i),
    .block_valid_i (block_valid_i),
    .block_ready_o (block_ready),
    .block_i       (block_i),
    .block_last_i  (block_last_i),
    .hash_valid_o  (hash_valid),
    .hash_ready_i  (hash_ready_i),
    .hash_o        (hash),
    .drop_i        (drop_i),
    .zeroise_i     (zeroise),
    .busy_o        (busy),
    .idle_o        (idle)
  );

  formal_zeroise #(
    .Width   (128),
    .Longest (2)
  ) u_zeroise (
    .clk_i         (clk_i),
    .zeroise_o     (zeroise),
    .swept_o       (swept_o),
    .busy_i        (busy),
    .idle_i        (idle),
    .key_ready_i   (key_ready),
    .block_ready_i (block_ready),
    .block_valid_i (hash_valid),
    .block_i       (hash)
  );

  always_comb begin
    if (zeroise) begin
      nothing_taken_meanwhile: assert (!key_ready && !block_ready);
    end
    if (swept_o) begin
      no_block_without_a_key: assert (!block_ready);
    end
  end

endmodule

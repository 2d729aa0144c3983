// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: gcm_tag in an arbitrary state is told to zeroise in the first cycle
// (formal_zeroise).
module gcm_tag_zeroise #(
  parameter int unsigned Digit = 128,
  parameter int unsigned Stages = 1
) (
  input  logic         clk_i,
  input  logic         key_valid_i,
  input  logic [127:0] key_i,
  input  logic         start_valid_i,
  input  logic [127:0] mask_i,
  input  logic [60:0]  aad_bytes_i,
  input  logic [60:0]  text_bytes_i,
  input  logic         block_valid_i,
  input  logic [127:0] block_i,
  input  logic         tag_ready_i,
  input  logic         drop_i,
  output logic         swept_o
);

  logic         key_ready, start_ready, block_ready, text, tag_valid, busy, idle, zeroise;
  logic [127:0] tag;

  gcm_tag #(
    .Digit  (Digit),
    .Stages (Stages)
  ) u_tag (
    .clk_i         (clk_i),
    .rst_ni        (1'b1),
    .key_valid_i   (key_valid_i),
    .key_ready_o   (key_ready),
    .key_i         (key_i),
    .start_valid_i (start_valid_i),
    .start_ready_o (start_ready),
    .mask_i        (mask_i),
    .aad_bytes_i   (aad_bytes_i),
    .text_bytes_i  (text_bytes_i),
    .block_valid_i (block_valid_i),
    .block_ready_o (block_ready),
    .block_i       (block_i),
    .text_o        (text),
    .tag_valid_o   (tag_valid),
    .tag_ready_i   (tag_ready_i),
    .tag_o         (tag),
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
    .block_ready_i (block_ready || start_ready),
    .block_valid_i (tag_valid),
    .block_i       (tag)
  );

  always_comb begin
    if (zeroise) begin
      nothing_taken_meanwhile: assert (!key_ready && !start_ready && !block_ready);
    end else if (busy) begin
      no_text: assert (!text);
    end
    if (swept_o) begin
      no_message_without_a_key: assert (!start_ready);
    end
  end

endmodule

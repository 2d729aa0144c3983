// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: a GHASH unit in any state at all, told to zeroise in the first clock.
// swept_o is high for the one clock in which busy_o has just fallen: nothing can
// have been taken since, and every register must be zero, which the proof asserts
// of each one by name.
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

  logic         key_ready, block_ready, hash_valid, busy, idle, busy_q;
  logic [127:0] hash;
  logic [2:0]   clock_q;

  initial clock_q = '0;

  always_ff @(posedge clk_i) begin
    clock_q <= clock_q + 3'd1;
    busy_q  <= busy;
  end

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
    .zeroise_i     (clock_q == '0),
    .busy_o        (busy),
    .idle_o        (idle)
  );

  assign swept_o = (clock_q == 3'd2) && busy_q && !busy;

  always_comb begin
    if (clock_q == '0) begin
      nothing_taken_meanwhile: assert (!key_ready && !block_ready);
    end
    if (clock_q == 3'd1) begin
      begins: assert (busy);
      nothing_taken: assert (!key_ready && !block_ready);
      nothing_given: assert (!hash_valid && hash == '0);
    end
    if (clock_q == 3'd2) begin
      ends: assert (!busy && idle);
      no_block_without_a_key: assert (!block_ready);
    end
    was_swept: cover (swept_o);
  end

endmodule

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// GHASH (NIST SP 800-38D, section 6.4): the hash of a message of whole blocks, at least
// one, under a key H.
//
// block_last_i marks the last block of a message; its hash leaves through hash_o,
// and the next block begins a new message. A message is hashed under the key of the
// last key handshake before its first block. A key is taken between messages only; a
// waiting key is taken before the next message.
//
// Valid never depends on ready, and a payload holds until it is taken.
// block_ready_o may depend on block_last_i, hash_ready_i and key_valid_i, never on
// block_valid_i; key_ready_o depends on no other input than drop_i and zeroise_i.
// hash_o is zero while hash_valid_o is low, so that no intermediate value leaks.
//
// drop_i drops the current message and a waiting hash; the key stays. zeroise_i clears
// every register with key or data in one cycle. busy_o is high in the cycle after it
// and after reset; nothing is accepted then. A handshake in the cycle of drop_i or
// zeroise_i has no effect.
module ghash #(
  // Bits of a block that are multiplied a cycle: a power of two up to 128.
  parameter int unsigned Digit = 128,
  // With Digit = 128: stages of the multiplier's pipeline, 1 to 4.
  parameter int unsigned Stages = 1
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic         key_valid_i,
  output logic         key_ready_o,
  input  logic [127:0] key_i,

  input  logic         block_valid_i,
  output logic         block_ready_o,
  input  logic [127:0] block_i,
  input  logic         block_last_i,

  output logic         hash_valid_o,
  input  logic         hash_ready_i,
  output logic [127:0] hash_o,

  input  logic         drop_i,
  input  logic         zeroise_i,
  output logic         busy_o,
  output logic         idle_o
);

  if (Digit < 1 || Digit > 128 || $countones(Digit) != 1) begin : gen_bad_digit
    $error("ghash: Digit must be a power of two, 1 to 128");
  end
  if (Stages < 1 || Stages > 4 || (Digit != 128 && Stages != 1)) begin : gen_bad_stages
    $error("ghash: Stages must be 1, or up to 4 with Digit = 128");
  end

  if (Digit == 128 && Stages >= 1 && Stages <= 4) begin : gen_parallel
    ghash_parallel #(
      .Stages (Stages)
    ) u_ghash (
      .clk_i,
      .rst_ni,
      .key_valid_i,
      .key_ready_o,
      .key_i,
      .block_valid_i,
      .block_ready_o,
      .block_i,
      .block_last_i,
      .hash_valid_o,
      .hash_ready_i,
      .hash_o,
      .drop_i,
      .zeroise_i,
      .busy_o,
      .idle_o
    );
  end else if (Digit < 128 && $countones(Digit) == 1 && Stages == 1) begin : gen_serial
    ghash_serial #(
      .Digit (Digit)
    ) u_ghash (
      .clk_i,
      .rst_ni,
      .key_valid_i,
      .key_ready_o,
      .key_i,
      .block_valid_i,
      .block_ready_o,
      .block_i,
      .block_last_i,
      .hash_valid_o,
      .hash_ready_i,
      .hash_o,
      .drop_i,
      .zeroise_i,
      .busy_o,
      .idle_o
    );
  end

`ifndef SYNTHESIS
  // Offered keys and blocks must hold until they are taken or dropped.
  logic         key_waits_q, block_waits_q, dropping;
  logic [127:0] key_q;
  logic [128:0] block_q;
  logic         armed_q; // since the first reset

  initial armed_q = 1'b0;

  assign dropping = drop_i || zeroise_i || busy_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      armed_q       <= 1'b1;
      key_waits_q   <= 1'b0;
      block_waits_q <= 1'b0;
    end else begin
      key_waits_q   <= key_valid_i && !key_ready_o && !dropping;
      block_waits_q <= block_valid_i && !block_ready_o && !dropping;
      assert (!armed_q || !key_waits_q || dropping || (key_valid_i && key_i == key_q))
        else $error("ghash: a key was not held until it was taken");
      assert (!armed_q || !block_waits_q || dropping ||
              (block_valid_i && {block_i, block_last_i} == block_q))
        else $error("ghash: a block was not held until it was taken");
    end
  end

  always_ff @(posedge clk_i) begin
    key_q   <= dropping ? '0 : key_i;
    block_q <= dropping ? '0 : {block_i, block_last_i};
  end
`endif

endmodule

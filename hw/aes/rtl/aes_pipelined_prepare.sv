// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Expands a key to its last two round keys, with which decryption starts, one round a
// cycle: 10, 12 or 13 cycles for 128, 192 or 256 bits, in which ready_o is low. A new
// key may come at any time; it replaces the old one. It also runs while the pipeline is
// stalled.
module aes_pipelined_prepare
  import aes_pkg::*;
  import aes_functions_pkg::*;
  import aes_pipelined_pkg::*;
#(
  parameter int unsigned SBox     = SBoxTable,
  parameter int unsigned KeySizes = KeySizesAll
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       clear_i,

  // A new key: the key state before the first round.
  input  logic       start_i,
  input  logic [1:0] start_key_size_i,
  input  key_state_t start_key_i,

  // The key size that was given with the key, held until the next start.
  input  logic [1:0] key_size_i,

  output logic       ready_o,
  // The key state with which decryption starts: the last round key in `previous`, the
  // one before it in `current`.
  output key_state_t key_o
);

  logic [3:0] remaining_d, remaining_q;
  logic [7:0] rcon_d, rcon_q;
  // Encryption with 192-bit keys repeats every three rounds, with 256-bit keys every two.
  logic [1:0] phase_d, phase_q;
  key_state_t key_d, key_q, stepped;
  key_step_t  step;
  logic       active;
  logic       is_192, is_256;

  assign active = remaining_q != '0;
  assign ready_o = !active;
  assign is_192 = is_key_size(KeySizes, KeySize192, key_size_i);
  assign is_256 = is_key_size(KeySizes, KeySize256, key_size_i);

  always_comb begin
    step = '0;
    step.active = 1'b1;
    step.rotate = !is_256 || phase_q == 2'd0;
    step.substitute = !is_192 || phase_q != 2'd1;
    step.third = is_192 && phase_q == 2'd0;
    step.rcon = (is_256 && phase_q != 2'd0) ? 8'h00 : rcon_q;
  end

  always_comb begin
    remaining_d = remaining_q;
    rcon_d = rcon_q;
    phase_d = phase_q;
    key_d = key_q;
    if (start_i) begin
      rcon_d = 8'h01;
      phase_d = '0;
      key_d = start_key_i;
      if (is_key_size(KeySizes, KeySize256, start_key_size_i)) begin
        remaining_d = 4'd13;
      end else if (is_key_size(KeySizes, KeySize192, start_key_size_i)) begin
        remaining_d = 4'd12;
      end else begin
        remaining_d = 4'd10;
      end
    end else if (active) begin
      remaining_d = remaining_q - 4'd1;
      key_d = stepped;
      if (step.substitute && step.rotate) rcon_d = next_round_constant(rcon_q);
      if (is_256) begin
        phase_d = phase_q ^ 2'd1;
      end else if (is_192) begin
        phase_d = phase_q == 2'd2 ? 2'd0 : phase_q + 2'd1;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      remaining_q <= '0;
      rcon_q <= '0;
      phase_q <= '0;
    end else if (clear_i) begin
      remaining_q <= '0;
      rcon_q <= '0;
      phase_q <= '0;
    end else begin
      remaining_q <= remaining_d;
      rcon_q <= rcon_d;
      phase_q <= phase_d;
    end
  end

  aes_pipelined_register #(
    .Width($bits(key_state_t))
  ) u_key (
    .clk_i,
    .clear_i,
    .load_i(start_i | active),
    .data_i(key_d),
    .data_o(key_q)
  );

  logic [31:0] word, substituted;

  aes_pipelined_key_word #(
    .KeySizes(KeySizes)
  ) u_word (
    .key_size_i,
    .decrypt_i(1'b0),
    .step_i   (step),
    .key_i    (key_q),
    .word_o   (word)
  );

  aes_pipelined_substitute #(
    .SBox      (SBox),
    .Directions(DirectionsEncrypt),
    .Bytes     (4)
  ) u_substitute (
    .clk_i,
    .clear_i,
    .load_i   (1'b0),
    .decrypt_i(1'b0),
    .data_i   (word),
    .data_o   (substituted)
  );

  aes_pipelined_key_next #(
    .KeySizes(KeySizes)
  ) u_next (
    .key_size_i,
    .decrypt_i    (1'b0),
    .step_i       (step),
    .substituted_i(substituted),
    .key_i        (key_q),
    .key_o        (stepped)
  );

  assign key_o.previous = key_q.current;
  assign key_o.current = key_q.previous;

endmodule

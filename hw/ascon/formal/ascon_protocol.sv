// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: the handshakes of an Ascon core, for any results of the rounds. An offered
// output holds, unchanged, until it is taken, and is zero before. Nothing is taken
// while registers are cleared or the message is dropped. With AEAD alone, a block of
// text gives one block; a message has a key and gives one tag, after its text; no key is
// taken during a message. With the hash alone, every second block ends a digest.
module ascon_protocol
  import ascon_pkg::*;
#(
  parameter int unsigned Operations = OperationsEncrypt + OperationsDecrypt,
  parameter int unsigned RoundsPerCycle = 4 // divides 12
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic         key_valid_i,
  input logic [127:0] key_i,
  input logic         start_valid_i,
  input operation_e   operation_i,
  input logic [127:0] nonce_i,
  input logic         block_valid_i,
  input logic [127:0] block_i,
  input logic [4:0]   block_bytes_i,
  input logic         block_last_i,
  input logic         block_ready_i,
  input logic         tag_valid_i,
  input logic [127:0] tag_i,
  input logic         tag_ready_i,
  input logic         drop_i,
  input logic         zeroise_i,
  // The results of rounds (ascon_round_any).
  input state_t       any_i
);

  logic         key_ready, start_ready, block_ready, text, block_valid, last;
  logic         tag_ready, tag_valid, authentic, busy, idle;
  logic [127:0] block, tag;
  logic [4:0]   bytes;

  ascon_core #(
    .Operations     (Operations),
    .RoundsPerCycle (RoundsPerCycle)
  ) u_core (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
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
    .zeroise_i     (zeroise_i),
    .busy_o        (busy),
    .idle_o        (idle)
  );

  formal_reset u_reset (
    .clk_i  (clk_i),
    .rst_ni (rst_ni)
  );

  logic dropped;
  assign dropped = drop_i || zeroise_i;

  formal_stream_rules #(
    .Width (134)
  ) u_block_rules (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (dropped),
    .valid_i   (block_valid),
    .ready_i   (block_ready_i),
    .payload_i ({block, bytes, last})
  );

  always_comb begin
    if (busy || dropped) begin
      closed: assert (!key_ready && !start_ready && !block_ready && !tag_ready);
    end
    if (!block_valid) begin
      quiet_block: assert (busy || block == '0);
    end
    if (!tag_valid) begin
      quiet_tag: assert (tag == '0);
    end
  end

  logic [3:0] phase;
  assign phase = u_core.u_control.phase_q;

  if (Operations == OperationsHash) begin : gen_hash
    logic second_q; // the first half of a digest has left

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        second_q <= 1'b0;
      end else begin
        if (dropped) second_q <= 1'b0;
        else if (block_valid && block_ready_i) second_q <= !second_q;
      end
    end

    always_comb begin
      if (block_valid) begin
        every_second_ends: assert (last == second_q);
      end
      no_tag: assert (!tag_valid && !tag_ready);
      digest: cover (block_valid && last);
      // Invariants for the induction.
      why_phase: assert (phase inside {4'd0, 4'd7, 4'd8, 4'd9});
      why_words: assert (second_q == (u_core.u_control.word_q[1] ^ block_valid));
      why_room: assert (!u_core.u_control.word_q[0] || !block_valid);
      why_last: assert (!block_valid || last == (u_core.u_control.word_q == '0));
      why_between: assert (phase == 4'd9 || u_core.u_control.word_q == '0);
      why_nothing_inside: assert (!busy || (!block_valid && phase == 4'd0));
    end
  end else if (Operations == OperationsEncrypt + OperationsDecrypt) begin : gen_aead
    formal_stream_rules #(
      .Width (129)
    ) u_tag_rules (
      .clk_i     (clk_i),
      .rst_ni    (rst_ni),
      .clear_i   (dropped),
      .valid_i   (tag_valid),
      .ready_i   (tag_ready_i),
      .payload_i ({tag, authentic})
    );

    // A model of the transfers at the ports.
    logic open_q, keyed_q, ended_q; // a message is open, a key was taken, its text has ended
    logic owed_q;                   // a block of text has entered and not left
    logic text_in;

    assign text_in = block_valid_i && block_ready && text;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        open_q  <= 1'b0;
        keyed_q <= 1'b0;
        ended_q <= 1'b0;
        owed_q  <= 1'b0;
      end else begin
        if (zeroise_i) keyed_q <= 1'b0;
        else if (key_valid_i && key_ready) keyed_q <= 1'b1;
        if (dropped) begin
          open_q  <= 1'b0;
          ended_q <= 1'b0;
          owed_q  <= 1'b0;
        end else begin
          if (start_valid_i && start_ready) open_q <= 1'b1;
          else if (tag_valid && tag_ready_i) open_q <= 1'b0;
          if (text_in && block_last_i) ended_q <= 1'b1;
          else if (tag_valid && tag_ready_i) ended_q <= 1'b0;
          if (text_in) owed_q <= 1'b1;
          else if (block_ready_i) owed_q <= 1'b0;
        end
      end
    end

    always_comb begin
      no_block_is_lost_or_made_up: assert (block_valid == owed_q);
      if (start_ready) begin
        message_has_a_key: assert (keyed_q && !open_q);
        key_goes_first: assert (!key_valid_i);
      end
      if (key_ready) begin
        key_between_messages: assert (!open_q);
      end
      if (block_ready) begin
        block_of_a_message: assert (open_q && !ended_q);
      end
      if (tag_ready) begin
        compared_behind_the_text: assert (open_q && ended_q);
      end
      if (tag_valid) begin
        tag_behind_the_text: assert (open_q && ended_q);
      end
      if (idle) begin
        idle_is_empty: assert (!open_q && !owed_q);
      end
      if (!open_q && !owed_q) begin
        empty_is_idle: assert (idle);
      end
      verdict: cover (tag_valid && authentic);
      several: cover (text_in && owed_q);
      // Invariants for the induction.
      why_phase: assert (phase <= 4'd6);
      why_open: assert (open_q == (phase != 4'd0));
      why_ended: assert (ended_q == (phase >= 4'd4));
      why_keyed: assert (keyed_q == u_core.gen_key.keyed_q);
      why_nothing_inside: assert (!busy || (!open_q && !owed_q && !keyed_q));
      why_verdict: assert (phase != 4'd6 || u_core.u_control.decrypt_q);
      why_rounds: assert (32'(u_core.u_permutation.round_q) % RoundsPerCycle == 0 &&
                          u_core.u_permutation.round_q <= 4'd12);
    end
  end

  // Not used with the real rounds.
  logic unused;
  assign unused = ^{text, phase, idle, authentic, any_i};

endmodule

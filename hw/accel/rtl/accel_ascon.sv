// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The engine of Ascon (NIST SP 800-232): Ascon-AEAD128 in both directions (ModeAead) and
// Ascon-Hash256 (ModeDigest), with a core of its own. The rules of its ports are those of
// every engine (accel_channel).
//
// AEAD takes associated data and text as one packet each, or none if it is empty. In
// decryption the tag follows as a packet of 16 bytes; it is compared, and forged_o rises
// with ended_o if it is wrong. The plaintext has left before that. The tag that decryption
// computes never leaves. A digest leaves as a packet of 32 bytes.
module accel_ascon
  import accel_pkg::*;
#(
  parameter int unsigned Directions     = DirectionsBoth, // of AEAD
  parameter int unsigned RoundsPerCycle = 1                        // 1, 2, 3, 4, 6, 8 or 12
) (
  input  logic           clk_i,
  input  logic           rst_ni,

  input  configuration_t configuration_i,
  input  logic [63:0]    length_i,     // of the text or of the message to hash, in bytes
  input  logic [60:0]    aad_length_i,
  input  logic           started_i,
  input  logic           begin_i,
  input  logic           run_i,
  input  logic           clear_i,
  input  logic           zeroise_i,
  output logic           busy_o,
  output logic           framing_error_o,
  output stall_t         stall_o,
  input  logic           last_beat_i,
  output logic           ended_o,
  output logic [127:0]   tag_o,        // of encryption; zero until it is valid
  output logic           forged_o,

  input  logic [127:0]   iv_i,
  input  logic           key_valid_i,
  output logic           key_ready_o,
  input  logic [127:0]   key_i,

  input  logic           in_valid_i,
  output logic           in_ready_o,
  input  input_block_t   in_i,
  output logic           out_valid_o,
  input  logic           out_ready_i,
  output block_t         out_o
);

  typedef enum logic [2:0] {
    Idle,
    Start,   // operation and nonce enter the core
    Aad,
    Text,    // or the message to hash
    Tag,     // the tag leaves the core; in decryption, the tag to compare with enters it
    Verdict,
    Drain    // waits until the last beat has left
  } phase_e;

  phase_e       phase_d, phase_q;
  logic [60:0]  left_d, left_q;             // blocks of the packet yet to come
  logic [3:0]   last_bytes_d, last_bytes_q; // bytes of the last one, minus one
  logic         text_ended_d, text_ended_q; // the last beat has left
  logic         forged_d, forged_q;
  logic [127:0] tag_d, tag_q;

  logic is_digest, decrypts;

  assign is_digest = configuration_i.mode == ModeDigest;
  assign decrypts  = configuration_i.direction == DirectionDecrypt;

  function automatic logic [60:0] blocks_of(input logic [63:0] bytes);
    return 61'(bytes[63:4]) + 61'(bytes[3:0] != 4'd0);
  endfunction

  // ------------------------------------------------------------ framing

  // The core gets a block of no bytes for an empty packet; the stream has no beat for it.
  logic takes_packet, is_empty, is_last, in_wanted, in_agrees, in_usable, in_take;

  assign takes_packet    = run_i && (phase_q inside {Aad, Text} || (phase_q == Tag && decrypts));
  assign is_empty        = left_q == '0;
  assign is_last         = left_q <= 61'd1;
  assign in_wanted       = takes_packet && !is_empty;
  assign in_agrees       = !in_i.malformed && (in_i.block.last == is_last) &&
                           (in_i.block.bytes == (is_last ? last_bytes_q : 4'd15));
  assign in_usable       = in_wanted && in_valid_i && in_agrees;
  assign framing_error_o = in_wanted && in_valid_i && !in_agrees;

  // ------------------------------------------------------------ the core

  logic                  start_valid, start_ready;
  ascon_pkg::operation_e operation;
  logic                  block_valid, block_ready, block_last, packet_ended;
  logic [4:0]            block_bytes;
  logic [127:0]          block;
  logic                  result_valid, result_ready, result_last;
  logic [127:0]          result;
  logic [4:0]            result_bytes;
  logic                  check_valid, check_ready; // the tag to compare with
  logic                  tag_valid, tag_ready, authentic;
  logic [127:0]          tag;
  logic                  core_busy, core_idle, unused_text;

  always_comb begin
    operation = ascon_pkg::OperationEncrypt;
    if (is_digest) begin
      operation = ascon_pkg::OperationHash;
    end else if (decrypts) begin
      operation = ascon_pkg::OperationDecrypt;
    end
  end

  assign start_valid  = run_i && (phase_q == Start);
  assign block_valid  = takes_packet && (phase_q != Tag) && (is_empty || in_usable);
  // Without input the core is shown the length of an empty block, so that its ready says
  // that it waits for a block: such a cycle counts as a stall.
  assign block_bytes  = !in_usable ? 5'd0 : (is_last ? 5'(last_bytes_q) + 5'd1 : 5'd16);
  assign block_last   = !in_usable || is_last;
  // Data of the next packet may already be at the input while an empty packet waits.
  assign block        = is_empty ? '0 : in_i.block.data;
  assign packet_ended = block_valid && block_ready && is_last;
  assign check_valid  = in_usable && (phase_q == Tag);
  assign tag_ready    = run_i && ((phase_q == Tag && !decrypts) || phase_q == Verdict);
  assign in_take      = in_usable && ((phase_q == Tag) ? check_ready : block_ready);
  assign in_ready_o   = in_take;

  ascon_core #(
    .Operations     (Directions | ascon_pkg::OperationsHash),
    .RoundsPerCycle (RoundsPerCycle)
  ) u_core (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .key_valid_i   (key_valid_i),
    .key_ready_o   (key_ready_o),
    .key_i         (key_i),
    .start_valid_i (start_valid),
    .start_ready_o (start_ready),
    .operation_i   (operation),
    .nonce_i       (iv_i),
    .block_valid_i (block_valid),
    .block_ready_o (block_ready),
    .block_i       (block),
    .block_bytes_i (block_bytes),
    .block_last_i  (block_last),
    .text_o        (unused_text),
    .block_valid_o (result_valid),
    .block_ready_i (result_ready),
    .block_o       (result),
    .block_bytes_o (result_bytes),
    .block_last_o  (result_last),
    .tag_valid_i   (check_valid),
    .tag_ready_o   (check_ready),
    .tag_i         (in_i.block.data),
    .tag_valid_o   (tag_valid),
    .tag_ready_i   (tag_ready),
    .tag_o         (tag),
    .authentic_o   (authentic),
    .drop_i        (clear_i),
    .zeroise_i     (zeroise_i),
    .busy_o        (core_busy),
    .idle_o        (core_idle)
  );

  assign busy_o = core_busy || !core_idle;

  // The core gives an empty block for an empty text, which is not sent.
  assign out_valid_o  = run_i && result_valid && (result_bytes != '0);
  assign result_ready = run_i && (out_ready_i || result_bytes == '0);
  assign out_o.last   = result_last;
  assign out_o.bytes  = 4'(result_bytes - 5'd1);
  assign out_o.data   = result;

  // ------------------------------------------------------------ the message

  always_comb begin
    phase_d      = phase_q;
    left_d       = left_q;
    last_bytes_d = last_bytes_q;
    text_ended_d = text_ended_q || (run_i && last_beat_i);
    forged_d     = forged_q;
    tag_d        = tag_q;

    if (in_take) begin
      left_d = left_q - 61'd1;
    end

    unique case (phase_q)
      Idle: begin
        if (begin_i) begin
          phase_d      = Start;
          left_d       = is_digest ? blocks_of(length_i) : blocks_of(64'(aad_length_i));
          last_bytes_d = (is_digest ? length_i[3:0] : aad_length_i[3:0]) - 4'd1;
          text_ended_d = !is_digest && (length_i == '0);
        end
      end

      Start: begin
        if (start_valid && start_ready) begin
          phase_d = is_digest ? Text : Aad;
        end
      end

      Aad: begin
        if (packet_ended) begin
          phase_d      = Text;
          left_d       = blocks_of(length_i);
          last_bytes_d = length_i[3:0] - 4'd1;
        end
      end

      Text: begin
        if (packet_ended) begin
          phase_d      = is_digest ? Drain : Tag;
          left_d       = 61'd1;
          last_bytes_d = 4'd15;
        end
      end

      Tag: begin
        if (decrypts && check_valid && check_ready) begin
          phase_d = Verdict;
        end else if (!decrypts && tag_valid && tag_ready) begin
          phase_d = Drain;
          tag_d   = tag;
        end
      end

      Verdict: begin
        if (tag_valid && tag_ready) begin
          phase_d  = Drain;
          forged_d = !authentic;
        end
      end

      Drain: begin
        if (ended_o) begin
          phase_d = Idle;
        end
      end

      default: phase_d = Idle;
    endcase

    if (clear_i) begin
      phase_d      = Idle;
      left_d       = '0;
      last_bytes_d = '0;
      text_ended_d = 1'b0;
    end
    if (clear_i || started_i) begin
      forged_d = 1'b0;
      tag_d    = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      phase_q      <= Idle;
      left_q       <= '0;
      last_bytes_q <= '0;
      text_ended_q <= 1'b0;
      forged_q     <= 1'b0;
      tag_q        <= '0;
    end else begin
      phase_q      <= phase_d;
      left_q       <= left_d;
      last_bytes_q <= last_bytes_d;
      text_ended_q <= text_ended_d;
      forged_q     <= forged_d;
      tag_q        <= tag_d;
    end
  end

  assign ended_o  = run_i && (phase_q == Drain) && (text_ended_q || last_beat_i);
  assign tag_o    = tag_q;
  assign forged_o = forged_q;

  // ------------------------------------------------------------ stalls

  assign stall_o.waits_for_output = out_valid_o && !out_ready_i;
  assign stall_o.waits_for_input  = in_wanted && !in_valid_i &&
                                    ((phase_q == Tag) ? check_ready : block_ready);

  logic unused;
  assign unused = ^{configuration_i.sink, configuration_i.bypass, configuration_i.counter_width,
                    configuration_i.key_size, configuration_i.hash,
                    configuration_i.authenticate};

endmodule

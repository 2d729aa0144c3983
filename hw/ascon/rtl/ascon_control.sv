// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Sequences a message: it accepts blocks, commands the state for each, and signals
// tag and digest. Interface as in ascon_core, which holds key, state and output
// register.
//
// flush_i drops the message. output_free_i says that the output register can be
// written in this cycle.
module ascon_control
  import ascon_pkg::*;
#(
  parameter int unsigned Operations = OperationsAll
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       flush_i,
  input  logic       running_i,
  output command_t   command_o,
  output logic       finish_o,    // the state is no longer needed

  input  logic       start_i,
  input  operation_e operation_i,
  output logic       idle_o,

  input  logic       block_valid_i,
  output logic       block_ready_o,
  input  logic [4:0] block_bytes_i,
  input  logic       block_last_i,
  output logic       text_o,      // the next block is text, not associated data

  input  logic       output_free_i,
  output logic       text_taken_o, // a block of text enters the output register
  output logic       word_taken_o, // a word of the digest enters the output register
  output logic       upper_word_o, // that word is the upper one of a block
  output logic       last_word_o,  // that word is the last one

  input  logic       tag_valid_i,
  output logic       tag_ready_o,
  output logic       tag_valid_o,
  input  logic       tag_ready_i,
  output logic       decrypt_o
);

  localparam bit Encrypt = (Operations & OperationsEncrypt) != 0;
  localparam bit Decrypt = (Operations & OperationsDecrypt) != 0;
  localparam bit Hash = (Operations & OperationsHash) != 0;
  localparam bit Aead = Encrypt || Decrypt;

  typedef enum logic [3:0] {
    Idle,
    Aad,     // blocks of associated data
    AadPad,  // padding after a full last block of associated data
    Text,    // blocks of text
    TextPad, // padding after a full last block of text
    Tag,     // the tag leaves; in decryption, the tag to compare with enters
    Verdict, // the result of the comparison leaves
    Message, // blocks to hash, each in two halves
    MessagePad,
    Digest   // the words of the digest leave
  } phase_e;

  phase_e     phase_d, phase_q;
  logic       decrypt_q;
  logic       fresh_d, fresh_q;       // no block has been absorbed
  logic       separate_d, separate_q; // no block of text has been absorbed
  logic       upper_d, upper_q;       // the lower half of the block to hash has been absorbed
  logic [1:0] word_d, word_q;         // number of the digest's word

  assign decrypt_o = Decrypt && (!Encrypt || decrypt_q);

  // Whether the offered block has all 16 bytes and, for the hash, whether it has all eight
  // bytes of the next half and further bytes after that half.
  logic whole, half_whole, half_more;

  assign whole      = block_bytes_i[4] || !block_last_i;
  assign half_whole = whole || (!upper_q && block_bytes_i[3]);
  assign half_more  = !upper_q && (whole || (block_bytes_i[3] && block_bytes_i[2:0] != '0));

  always_comb begin
    phase_d       = phase_q;
    fresh_d       = fresh_q;
    separate_d    = separate_q;
    upper_d       = upper_q;
    word_d        = word_q;
    command_o     = '0;
    finish_o      = 1'b0;
    block_ready_o = 1'b0;
    text_taken_o  = 1'b0;
    word_taken_o  = 1'b0;
    tag_ready_o   = 1'b0;
    tag_valid_o   = 1'b0;

    unique case (phase_q)
      Idle:
      if (start_i) begin
        command_o.start      = 1'b1;
        command_o.long_run   = 1'b1;
        command_o.initialise = 1'b1;
        if (Hash && (!Aead || operation_i == OperationHash)) begin
          phase_d = Message;
        end else begin
          phase_d    = Aad;
          fresh_d    = 1'b1;
          separate_d = 1'b1;
        end
      end

      Aad: begin
        block_ready_o = !running_i;
        if (block_valid_i && !running_i) begin
          if (fresh_q && block_last_i && block_bytes_i == '0) begin
            phase_d = Text; // without associated data nothing is absorbed
          end else begin
            command_o.start     = 1'b1;
            command_o.bytes     = whole ? 5'd16 : block_bytes_i;
            command_o.pad       = 1'b1;
            command_o.first_key = fresh_q;
            fresh_d             = 1'b0;
            if (block_last_i) phase_d = whole ? AadPad : Text;
          end
        end
      end

      AadPad:
      if (!running_i) begin
        command_o.start = 1'b1;
        command_o.pad   = 1'b1;
        phase_d         = Text;
      end

      Text: begin
        block_ready_o = !running_i && output_free_i;
        if (block_valid_i && block_ready_o) begin
          text_taken_o        = 1'b1;
          command_o.start     = 1'b1;
          command_o.bytes     = whole ? 5'd16 : block_bytes_i;
          command_o.pad       = 1'b1;
          command_o.replace   = decrypt_o;
          command_o.first_key = fresh_q;
          command_o.separate  = separate_q;
          fresh_d             = 1'b0;
          separate_d          = 1'b0;
          if (block_last_i) begin
            command_o.long_run  = !whole;
            command_o.final_key = !whole;
            phase_d             = whole ? TextPad : Tag;
          end
        end
      end

      TextPad:
      if (!running_i) begin
        command_o.start     = 1'b1;
        command_o.pad       = 1'b1;
        command_o.long_run  = 1'b1;
        command_o.final_key = 1'b1;
        phase_d             = Tag;
      end

      Tag:
      if (!running_i) begin
        tag_valid_o = !decrypt_o;
        tag_ready_o = decrypt_o;
        if (decrypt_o ? tag_valid_i : tag_ready_i) begin
          finish_o = 1'b1;
          phase_d  = decrypt_o ? Verdict : Idle;
        end
      end

      Verdict: begin
        tag_valid_o = 1'b1;
        if (tag_ready_i) phase_d = Idle;
      end

      Message: begin
        block_ready_o = !running_i && !half_more;
        if (block_valid_i && !running_i) begin
          command_o.start    = 1'b1;
          command_o.long_run = 1'b1;
          command_o.bytes    = half_whole ? 5'd8 : {2'b0, block_bytes_i[2:0]};
          command_o.pad      = !half_whole;
          command_o.upper    = upper_q;
          upper_d            = half_more;
          if (!half_more && block_last_i) phase_d = half_whole ? MessagePad : Digest;
        end
      end

      MessagePad:
      if (!running_i) begin
        command_o.start    = 1'b1;
        command_o.long_run = 1'b1;
        command_o.pad      = 1'b1;
        phase_d            = Digest;
      end

      Digest:
      if (!running_i && (word_q[0] || output_free_i)) begin
        word_taken_o = 1'b1;
        word_d       = word_q + 2'd1;
        if (word_q == 2'd3) begin
          finish_o = 1'b1;
          phase_d  = Idle;
        end else begin
          command_o.start    = 1'b1;
          command_o.long_run = 1'b1;
        end
      end

      default: phase_d = Idle;
    endcase

    if (flush_i) begin
      phase_d       = Idle;
      upper_d       = 1'b0;
      word_d        = '0;
      fresh_d       = 1'b0;
      separate_d    = 1'b0;
      block_ready_o = 1'b0;
      tag_ready_o   = 1'b0;
    end
  end

  assign idle_o       = phase_q == Idle;
  assign text_o       = phase_q inside {Text, TextPad};
  assign upper_word_o = word_q[0];
  assign last_word_o  = word_q == 2'd3;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      phase_q    <= Idle;
      decrypt_q  <= 1'b0;
      fresh_q    <= 1'b0;
      separate_q <= 1'b0;
      upper_q    <= 1'b0;
      word_q     <= '0;
    end else begin
      phase_q    <= phase_d;
      fresh_q    <= fresh_d;
      separate_q <= separate_d;
      upper_q    <= upper_d;
      word_q     <= word_d;
      if (flush_i) decrypt_q <= 1'b0;
      else if (start_i) decrypt_q <= operation_i == OperationDecrypt;
    end
  end

endmodule

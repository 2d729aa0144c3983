// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Ascon-AEAD128 and Ascon-Hash256 (NIST SP 800-232).
//
// A message begins with a start handshake, which takes the operation and, for AEAD, the
// nonce. A message to encrypt or decrypt is two packets of blocks, associated data and
// then text; a message to hash is one packet. All blocks of a packet but the last have
// 16 bytes; the last one has block_last_i and 0 to 16 bytes. An empty packet is one
// block of no bytes. text_o says that the next block is text. Each block of text gives
// one output block of as many bytes; a message to hash gives two blocks of 16 bytes.
//
// After encryption the tag leaves with tag_valid_o. Decryption takes the tag to compare
// with by tag_valid_i, and gives authentic_o with tag_valid_o. The plaintext has left
// before that: THE RECEIVER MUST DISCARD THE PLAINTEXT if authentic_o is low.
//
// A key is taken between messages only; a waiting key is taken before the next message.
// Valid never depends on ready, and a payload holds until it is taken; the same is
// required of the inputs. block_ready_o may depend on block_bytes_i, block_last_i and
// block_ready_i; start_ready_o on operation_i and key_valid_i. An operation that the
// parameters leave out is never accepted. block_o and tag_o are zero while their valid
// is low. The state is cleared when a message ends.
//
// drop_i drops the message and keeps the key. zeroise_i drops both and clears every
// register that holds key or data, in one cycle. busy_o is high in the cycle after
// zeroise_i and after reset; nothing is accepted then. A handshake in the cycle of
// drop_i or zeroise_i is dropped too.
module ascon_core
  import ascon_pkg::*;
#(
  parameter int unsigned Operations = OperationsAll, // bit set: 1 encrypt, 2 decrypt, 4 hash
  parameter int unsigned RoundsPerCycle = 1          // 1, 2, 3, 4, 6, 8 or 12
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic         key_valid_i,
  output logic         key_ready_o,
  input  logic [127:0] key_i,

  input  logic         start_valid_i,
  output logic         start_ready_o,
  input  operation_e   operation_i,
  input  logic [127:0] nonce_i,

  input  logic         block_valid_i,
  output logic         block_ready_o,
  input  logic [127:0] block_i,
  input  logic [4:0]   block_bytes_i,
  input  logic         block_last_i,
  output logic         text_o,

  output logic         block_valid_o,
  input  logic         block_ready_i,
  output logic [127:0] block_o,
  output logic [4:0]   block_bytes_o,
  output logic         block_last_o,

  input  logic         tag_valid_i,
  output logic         tag_ready_o,
  input  logic [127:0] tag_i,

  output logic         tag_valid_o,
  input  logic         tag_ready_i,
  output logic [127:0] tag_o,
  output logic         authentic_o,

  input  logic         drop_i,
  input  logic         zeroise_i,
  output logic         busy_o,
  output logic         idle_o
);

  localparam bit Encrypt = (Operations & OperationsEncrypt) != 0;
  localparam bit Decrypt = (Operations & OperationsDecrypt) != 0;
  localparam bit Hash = (Operations & OperationsHash) != 0;
  localparam bit Aead = Encrypt || Decrypt;

  if (Operations < 1 || Operations > OperationsAll) begin : gen_bad_operations
    $error("ascon_core: Operations must be 1 to 7: a sum of 1 (encrypt), 2 (decrypt), 4 (hash)");
  end
  if (!(RoundsPerCycle inside {1, 2, 3, 4, 6, 8, 12})) begin : gen_bad_rounds
    $error("ascon_core: RoundsPerCycle must be 1, 2, 3, 4, 6, 8 or 12");
  end

  logic clear, flush;
  assign clear = zeroise_i || busy_o;
  assign flush = clear || drop_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) busy_o <= 1'b1;
    else busy_o <= zeroise_i;
  end

  // ------------------------------------------------------------ key and start

  logic         between, keyed, start;
  logic [127:0] key;

  if (Aead) begin : gen_key
    logic         keyed_q;
    logic [127:0] key_q;

    assign key_ready_o = between && !flush;
    assign keyed       = keyed_q;
    assign key         = key_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        keyed_q <= 1'b0;
      end else begin
        if (clear) keyed_q <= 1'b0;
        else if (key_valid_i && key_ready_o) keyed_q <= 1'b1;
      end
    end

    always_ff @(posedge clk_i) begin
      if (clear) key_q <= '0;
      else if (key_valid_i && key_ready_o) key_q <= key_i;
    end
  end else begin : gen_no_key
    assign key_ready_o = 1'b0;
    assign keyed       = 1'b0;
    assign key         = '0;
  end

  always_comb begin
    start_ready_o = 1'b0;
    if (between && !flush && !(Aead && key_valid_i)) begin
      unique case (operation_i)
        OperationEncrypt: start_ready_o = Encrypt && keyed;
        OperationDecrypt: start_ready_o = Decrypt && keyed;
        OperationHash:    start_ready_o = Hash;
        default:          start_ready_o = 1'b0;
      endcase
    end
  end

  assign start = start_valid_i && start_ready_o;

  // ------------------------------------------------------------ the message

  command_t command;
  logic     running, finish, output_free, decrypt;
  logic     text_taken, word_taken, upper_word, last_word;

  ascon_control #(
    .Operations (Operations)
  ) u_control (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .flush_i       (flush),
    .running_i     (running),
    .command_o     (command),
    .finish_o      (finish),
    .start_i       (start),
    .operation_i   (operation_i),
    .idle_o        (between),
    .block_valid_i (block_valid_i),
    .block_ready_o (block_ready_o),
    .block_bytes_i (block_bytes_i),
    .block_last_i  (block_last_i),
    .text_o        (text_o),
    .output_free_i (output_free),
    .text_taken_o  (text_taken),
    .word_taken_o  (word_taken),
    .upper_word_o  (upper_word),
    .last_word_o   (last_word),
    .tag_valid_i   (tag_valid_i),
    .tag_ready_o   (tag_ready_o),
    .tag_valid_o   (tag_valid_o),
    .tag_ready_i   (tag_ready_i),
    .decrypt_o     (decrypt)
  );

  // ------------------------------------------------------------ the state

  state_t       state, next_state;
  logic [127:0] absorbed, rate, text;

  assign absorbed = {block_i[127:64],
                     (Hash && command.upper) ? block_i[127:64] : block_i[63:0]};

  ascon_absorb u_absorb (
    .rate_i    (state[1:0]),
    .block_i   (absorbed),
    .bytes_i   (command.bytes),
    .pad_i     (command.pad),
    .replace_i (command.replace),
    .rate_o    (rate),
    .text_o    (text)
  );

  // The state is zero between messages, so its initial value is added like other operands.
  always_comb begin
    next_state = {state[4:2], rate};
    if (command.initialise) begin
      if (Aead && (!Hash || operation_i != OperationHash)) begin
        next_state = state ^ {nonce_i, key, AeadInitialValue};
      end else begin
        next_state = state ^ {256'b0, HashInitialValue};
      end
    end
    if (Aead && command.first_key) next_state[4:3] = next_state[4:3] ^ key;
    if (Aead && command.final_key) next_state[3:2] = next_state[3:2] ^ key;
    if (Aead && command.separate) next_state[4][63] = !next_state[4][63];
  end

  ascon_permutation #(
    .RoundsPerCycle (RoundsPerCycle)
  ) u_permutation (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (flush || finish),
    .start_i   (command.start),
    .long_i    (command.long_run),
    .state_i   (next_state),
    .running_o (running),
    .state_o   (state)
  );

  // ------------------------------------------------------------ output

  logic         valid_q, last_q;
  logic [4:0]   bytes_q;
  logic [127:0] block_q;

  assign output_free   = !valid_q || block_ready_i;
  assign block_valid_o = valid_q;
  assign block_bytes_o = bytes_q;
  assign block_last_o  = last_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
    end else begin
      if (flush) valid_q <= 1'b0;
      else if (text_taken || (word_taken && upper_word)) valid_q <= 1'b1;
      else if (block_ready_i) valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (flush) begin
      bytes_q <= '0;
      last_q  <= 1'b0;
      block_q <= '0;
    end else if (Aead && text_taken) begin
      bytes_q <= command.bytes;
      last_q  <= block_last_i;
      block_q <= text;
    end else if (Hash && word_taken) begin
      bytes_q <= 5'd16;
      last_q  <= last_word;
      if (upper_word) block_q[127:64] <= state[0];
      else block_q <= {64'b0, state[0]};
    end else if (valid_q && block_ready_i) begin
      bytes_q <= '0;
      last_q  <= 1'b0;
      block_q <= '0;
    end
  end

  // The lower word of a digest's block waits here for the upper one.
  assign block_o = {block_q[127:64], (!Hash || valid_q) ? block_q[63:0] : 64'b0};

  logic [127:0] tag;
  assign tag = state[4:3] ^ key;

  if (Decrypt) begin : gen_verdict
    logic authentic_q;

    // All bits are compared in one cycle, so that the timing does not depend on the tag.
    always_ff @(posedge clk_i) begin
      if (flush || (tag_valid_o && tag_ready_i)) authentic_q <= 1'b0;
      else if (tag_valid_i && tag_ready_o) authentic_q <= tag == tag_i;
    end

    assign authentic_o = authentic_q;
  end else begin : gen_no_verdict
    assign authentic_o = 1'b0;
  end

  assign tag_o  = (Encrypt && tag_valid_o && !decrypt) ? tag : '0;
  assign idle_o = between && !valid_q;

  // Inputs of operations that the parameters leave out.
  logic unused;
  assign unused = ^{key_valid_i, key_i, nonce_i, tag_valid_i, tag_i, text, text_taken, keyed, tag,
                    word_taken, last_word, decrypt};

`ifndef SYNTHESIS
  // Rules for the surrounding logic.
  logic armed_q; // since the first reset

  initial armed_q = 1'b0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      armed_q <= 1'b1;
    end else if (armed_q && block_valid_i && !flush) begin
      whole_blocks: assert (block_bytes_i == 5'd16 || (block_last_i && block_bytes_i < 5'd16))
        else $error("%m: a block before the last one must have 16 bytes, the last one 0 to 16");
    end
  end

  prim_stream_rules #(
    .Width (128)
  ) u_key_rules (
    .clk_i,
    .rst_ni,
    .clear_i   (flush),
    .valid_i   (key_valid_i),
    .ready_i   (key_ready_o),
    .payload_i (key_i)
  );

  prim_stream_rules #(
    .Width (130)
  ) u_start_rules (
    .clk_i,
    .rst_ni,
    .clear_i   (flush),
    .valid_i   (start_valid_i),
    .ready_i   (start_ready_o),
    .payload_i ({operation_i, nonce_i})
  );

  prim_stream_rules #(
    .Width (134)
  ) u_block_rules (
    .clk_i,
    .rst_ni,
    .clear_i   (flush),
    .valid_i   (block_valid_i),
    .ready_i   (block_ready_o),
    .payload_i ({block_i, block_bytes_i, block_last_i})
  );

  prim_stream_rules #(
    .Width (128)
  ) u_tag_rules (
    .clk_i,
    .rst_ni,
    .clear_i   (flush),
    .valid_i   (tag_valid_i),
    .ready_i   (tag_ready_o),
    .payload_i (tag_i)
  );
`endif

endmodule

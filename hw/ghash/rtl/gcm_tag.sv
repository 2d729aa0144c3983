// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The tag of GCM (NIST SP 800-38D, section 7.1, steps 4 to 6). It takes the hash key
// H = E(0), and for each message the lengths, the mask E(J0), and the blocks of
// associated data, then of ciphertext. It pads, hashes, appends the lengths and adds
// the mask. The instantiating module encrypts and counts.
//
// A message starts with start_valid_i, which comes with the mask and with the lengths
// in bytes. The blocks that the lengths announce must follow; bytes of a last block
// beyond the length are ignored. text_o says whether the next block is text or
// associated data. Then the tag leaves, and the next message may start. A key is taken
// between messages only; a waiting key is taken before the next message.
//
// Lengths are not checked: section 5.2.1.1 limits a text to 2^36 - 32 bytes.
// Handshakes, drop_i, zeroise_i and busy_o are as in ghash, and so are the parameters;
// start_ready_o may depend on key_valid_i. tag_o is zero while tag_valid_o is low.
module gcm_tag #(
  parameter int unsigned Digit = 128,
  parameter int unsigned Stages = 1
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic         key_valid_i,
  output logic         key_ready_o,
  input  logic [127:0] key_i,

  input  logic         start_valid_i,
  output logic         start_ready_o,
  input  logic [127:0] mask_i,
  input  logic [60:0]  aad_bytes_i,
  input  logic [60:0]  text_bytes_i,

  input  logic         block_valid_i,
  output logic         block_ready_o,
  input  logic [127:0] block_i,
  output logic         text_o,

  output logic         tag_valid_o,
  input  logic         tag_ready_i,
  output logic [127:0] tag_o,

  input  logic         drop_i,
  input  logic         zeroise_i,
  output logic         busy_o,
  output logic         idle_o
);

  typedef enum logic [1:0] {
    StateIdle,
    StateData,    // blocks of associated data and text
    StateLengths, // the block with the lengths
    StateTag
  } state_e;

  state_e       state_d, state_q;
  logic         keyed_q, text_d, text_q;
  logic [57:0]  left_d, left_q;         // blocks of text (text_q) or associated data
  logic [60:0]  aad_bytes_q, text_bytes_q;
  logic [127:0] mask_q;

  logic flush, key_taken, start;

  assign flush         = zeroise_i || busy_o || drop_i;
  assign start_ready_o = !flush && (state_q == StateIdle) && keyed_q && !key_valid_i;
  assign start         = start_valid_i && start_ready_o;

  // ------------------------------------------------------------ the hash

  logic         hash_key_ready, hash_block_valid, hash_block_ready, hash_valid, hash_idle;
  logic [127:0] hash_block, hash;

  assign key_ready_o = (state_q == StateIdle) && hash_key_ready;
  assign key_taken   = key_valid_i && key_ready_o;

  ghash #(
    .Digit  (Digit),
    .Stages (Stages)
  ) u_ghash (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .key_valid_i   (key_valid_i && (state_q == StateIdle)),
    .key_ready_o   (hash_key_ready),
    .key_i         (key_i),
    .block_valid_i (hash_block_valid),
    .block_ready_o (hash_block_ready),
    .block_i       (hash_block),
    .block_last_i  (state_q == StateLengths),
    .hash_valid_o  (hash_valid),
    .hash_ready_i  (tag_ready_i),
    .hash_o        (hash),
    .drop_i        (drop_i),
    .zeroise_i     (zeroise_i),
    .busy_o        (busy_o),
    .idle_o        (hash_idle)
  );

  // ------------------------------------------------------------ the message

  function automatic logic [57:0] blocks_of(input logic [60:0] bytes);
    return 58'(bytes[60:4]) + 58'(bytes[3:0] != '0);
  endfunction

  // Bytes in the last block, zero for 16.
  logic [3:0] last_bytes;
  logic       is_last, give;

  assign is_last    = (left_q == 58'd1);
  assign last_bytes = text_q ? text_bytes_q[3:0] : aad_bytes_q[3:0];
  assign give       = hash_block_valid && hash_block_ready;

  assign hash_block_valid = (state_q == StateLengths) || ((state_q == StateData) && block_valid_i);
  assign block_ready_o    = (state_q == StateData) && hash_block_ready;
  assign text_o           = text_q;

  // The block with the lengths gives them in bits, highest byte first.
  logic [63:0] aad_bits, text_bits;

  assign aad_bits  = {<<8{aad_bytes_q, 3'b0}};
  assign text_bits = {<<8{text_bytes_q, 3'b0}};

  always_comb begin
    hash_block = block_i;
    for (int unsigned n = 1; n < 16; n++) begin
      if (is_last && last_bytes != '0 && 4'(n) >= last_bytes) begin
        hash_block[8*n +: 8] = '0;
      end
    end
    if (state_q == StateLengths) begin
      hash_block = {text_bits, aad_bits};
    end
  end

  always_comb begin
    state_d = state_q;
    text_d  = text_q;
    left_d  = left_q;
    unique case (state_q)
      StateIdle: begin
        if (start) begin
          text_d  = (aad_bytes_i == '0);
          left_d  = blocks_of(text_d ? text_bytes_i : aad_bytes_i);
          state_d = (left_d == '0) ? StateLengths : StateData;
        end
      end

      StateData: begin
        if (give) begin
          left_d = left_q - 58'd1;
          if (is_last) begin
            text_d  = 1'b1;
            left_d  = text_q ? '0 : blocks_of(text_bytes_q);
            state_d = (left_d == '0) ? StateLengths : StateData;
          end
        end
      end

      StateLengths: begin
        if (give) begin
          state_d = StateTag;
        end
      end

      default: begin
        if (tag_valid_o && tag_ready_i) begin
          state_d = StateIdle;
        end
      end
    endcase
    if (flush) begin
      state_d = StateIdle;
      text_d  = 1'b0;
      left_d  = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StateIdle;
      text_q  <= 1'b0;
      left_q  <= '0;
      keyed_q <= 1'b0;
    end else begin
      state_q <= state_d;
      text_q  <= text_d;
      left_q  <= left_d;
      if (zeroise_i) keyed_q <= 1'b0;
      else if (key_taken) keyed_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (flush) begin
      mask_q       <= '0;
      aad_bytes_q  <= '0;
      text_bytes_q <= '0;
    end else if (start) begin
      mask_q       <= mask_i;
      aad_bytes_q  <= aad_bytes_i;
      text_bytes_q <= text_bytes_i;
    end
  end

  // A hash is valid in StateTag only.
  assign tag_valid_o = hash_valid;
  assign tag_o       = hash_valid ? (hash ^ mask_q) : '0;
  assign idle_o      = (state_q == StateIdle) && hash_idle;

`ifndef SYNTHESIS
  // An offered message must hold until it starts or is dropped. ghash checks blocks and
  // keys.
  logic         start_waits_q;
  logic [249:0] start_q;
  logic         armed_q; // since the first reset

  initial armed_q = 1'b0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      armed_q       <= 1'b1;
      start_waits_q <= 1'b0;
      start_q       <= '0;
    end else begin
      start_waits_q <= start_valid_i && !start_ready_o && !flush;
      start_q       <= flush ? '0 : {mask_i, aad_bytes_i, text_bytes_i};
      assert (!armed_q || !start_waits_q || flush ||
              (start_valid_i && {mask_i, aad_bytes_i, text_bytes_i} == start_q))
        else $error("gcm_tag: a message was not held until it started");
    end
  end
`endif

endmodule

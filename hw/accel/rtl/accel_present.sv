// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The engine of PRESENT (ISO/IEC 29192-2): ECB, CBC and CTR (SP 800-38A) with blocks of 64
// bits, and a bypass, with a core of its own. The rules of its ports are those of every
// engine (accel_channel). It updates the IV registers, so that a message can continue the
// one before; words 0 and 1 of the IV are used.
//
// The streams carry 16 bytes at a time, which are two blocks of PRESENT, one after the other.
module accel_present
  import accel_pkg::*;
#(
  parameter int unsigned Directions = DirectionsBoth
) (
  input  logic           clk_i,
  input  logic           rst_ni,

  input  configuration_t configuration_i,
  input  logic [63:0]    length_i,
  input  logic           begin_i,
  input  logic           run_i,
  input  logic           clear_i,
  input  logic           zeroise_i,
  output logic           busy_o,
  output logic           framing_error_o,
  output stall_t         stall_o,

  input  logic [127:0]   iv_i,
  output logic           iv_update_o,
  output logic [127:0]   iv_o,
  output logic           counted_o,   // a counter block enters the core

  input  logic           key_valid_i,
  output logic           key_ready_o,
  input  key_size_e      key_size_i,
  input  logic [127:0]   key_i,

  input  logic           in_valid_i,
  output logic           in_ready_o,
  input  input_block_t   in_i,
  output logic           out_valid_o,
  input  logic           out_ready_i,
  output block_t         out_o
);

  // ------------------------------------------------------------ the message

  logic is_bypass, is_ctr, is_cbc, encrypts;

  assign is_bypass = configuration_i.bypass;
  assign is_ctr    = configuration_i.mode == ModeCtr;
  assign is_cbc    = configuration_i.mode == ModeCbc;
  assign encrypts  = is_ctr || configuration_i.direction == DirectionEncrypt;

  logic [60:0] left_d, left_q; // words of 16 bytes yet to come
  logic        in_wanted, is_last, in_agrees, in_usable;
  logic [3:0]  last_bytes;     // bytes of the last one, minus one

  assign last_bytes      = length_i[3:0] - 4'd1;
  assign in_wanted       = run_i && (left_q != '0);
  assign is_last         = left_q == 61'd1;
  assign in_agrees       = !in_i.malformed && (in_i.block.last == is_last) &&
                           (in_i.block.bytes == (is_last ? last_bytes : 4'd15));
  assign framing_error_o = in_wanted && in_valid_i && !in_agrees;
  assign in_usable       = in_wanted && in_valid_i && in_agrees;

  // ------------------------------------------------------------ the core

  logic        second_d, second_q; // the second block of the word
  logic        sent_d, sent_q;     // the block is in the core
  logic [63:0] first_d, first_q;   // result of the first block
  logic        core_valid, core_ready, result_valid, result_ready;
  logic [63:0] text, core_in, core_out, result;
  logic        issue, ends_word, give;

  // Byte 0 is the most significant one of the core's blocks and keys.
  function automatic logic [63:0] reverse_block(input logic [63:0] block);
    return {reverse_word(block[31:0]), reverse_word(block[63:32])};
  endfunction

  assign text       = second_q ? in_i.block.data[127:64] : in_i.block.data[63:0];
  assign ends_word  = second_q || !in_i.block.bytes[3];
  assign core_valid = in_usable && !is_bypass && !sent_q;
  assign issue      = core_valid && core_ready;

  always_comb begin
    core_in = text;
    if (is_ctr) begin
      core_in = iv_i[63:0];
    end else if (is_cbc && encrypts) begin
      core_in = text ^ iv_i[63:0];
    end
  end

  always_comb begin
    result = reverse_block(core_out);
    if (is_bypass) begin
      result = text;
    end else if (is_ctr) begin
      result = reverse_block(core_out) ^ text;
    end else if (is_cbc && !encrypts) begin
      result = reverse_block(core_out) ^ iv_i[63:0];
    end
  end

  logic [127:0] key, key_reversed;
  logic         core_busy, core_idle, unused_tag;

  assign key_reversed = reverse_bytes(key_i);
  assign key          = (key_size_i == KeySize80) ? {48'd0, key_reversed[127:48]} : key_reversed;

  present_core #(
    .Directions (Directions),
    .TagWidth   (1)
  ) u_core (
    .clk_i             (clk_i),
    .rst_ni            (rst_ni),
    .key_valid_i       (key_valid_i),
    .key_ready_o       (key_ready_o),
    .key_size_i        ((key_size_i == KeySize80) ? present_pkg::KeySize80
                                                  : present_pkg::KeySize128),
    .key_i             (key),
    .block_valid_i     (core_valid),
    .block_ready_o     (core_ready),
    .block_direction_i (encrypts ? present_pkg::DirectionEncrypt : present_pkg::DirectionDecrypt),
    .block_i           (reverse_block(core_in)),
    .block_tag_i       (1'b0),
    .block_valid_o     (result_valid),
    .block_ready_i     (result_ready),
    .block_o           (core_out),
    .block_tag_o       (unused_tag),
    .zeroise_i         (zeroise_i),
    .busy_o            (core_busy),
    .idle_o            (core_idle)
  );

  assign busy_o       = core_busy || !core_idle;
  assign result_ready = clear_i || (run_i && (out_ready_i || !ends_word));
  assign give         = run_i && sent_q && result_valid && result_ready;

  // ------------------------------------------------------------ out of the engine

  // A word of the bypass does not pass through the core.
  assign out_valid_o = is_bypass ? in_usable : (run_i && sent_q && result_valid && ends_word);
  assign in_ready_o  = out_valid_o && out_ready_i;

  logic [127:0] word;

  always_comb begin
    word = second_q ? {result, first_q} : {64'd0, result};
    if (is_bypass) begin
      word = in_i.block.data;
    end
    // No keystream leaves in the lanes beyond the last byte.
    out_o.last  = is_last;
    out_o.bytes = in_i.block.bytes;
    out_o.data  = '0;
    for (int unsigned n = 0; n < 16; n++) begin
      if (4'(n) <= in_i.block.bytes) begin
        out_o.data[8*n +: 8] = word[8*n +: 8];
      end
    end
  end

  always_comb begin
    left_d   = left_q;
    second_d = second_q;
    sent_d   = (sent_q || issue) && !give;
    first_d  = first_q;
    if (give) begin
      second_d = !ends_word;
      first_d  = ends_word ? '0 : result;
    end
    if (in_ready_o) begin
      left_d = left_q - 61'd1;
    end
    if (begin_i) begin
      left_d = 61'(length_i[63:4]) + 61'(length_i[3:0] != 4'd0);
    end
    if (clear_i) begin
      left_d   = '0;
      second_d = 1'b0;
      sent_d   = 1'b0;
      first_d  = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_q   <= '0;
      second_q <= 1'b0;
      sent_q   <= 1'b0;
      first_q  <= '0;
    end else begin
      left_q   <= left_d;
      second_q <= second_d;
      sent_q   <= sent_d;
      first_q  <= first_d;
    end
  end

  // ------------------------------------------------------------ chaining

  logic [127:0] counter;

  // The counter is at the end of a block of 128 bits.
  assign counter   = next_counter({iv_i[63:0], 64'd0}, configuration_i.counter_width);
  assign counted_o = is_ctr && issue;

  always_comb begin
    iv_update_o = is_cbc && give;
    iv_o        = {iv_i[127:64], encrypts ? result : text};
    if (is_ctr) begin
      iv_update_o = issue;
      iv_o        = {iv_i[127:64], counter[127:64]};
    end
  end

  // ------------------------------------------------------------ stalls

  assign stall_o.waits_for_output = out_valid_o && !out_ready_i;
  assign stall_o.waits_for_input  = in_wanted && !in_valid_i &&
                                    (is_bypass ? out_ready_i : core_ready);

  logic unused;
  assign unused = ^{configuration_i.sink, configuration_i.key_size, configuration_i.hash,
                    configuration_i.authenticate, counter[63:0]};

endmodule

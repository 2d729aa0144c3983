// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The engine of SHA-2 (FIPS 180-4) and HMAC (FIPS 198-1), with a core of its own. It takes
// the messages for which is_sha2 is true. The rules of its ports are those of every engine
// (accel_channel).
//
// The message is one packet, or none if it is empty; the digest leaves as a packet. For
// HMAC the key comes first, as a packet of aad_length_i bytes, or none if it is empty. The
// core forgets the key when its message has ended or is dropped.
//
// While no message of SHA-2 is under way, the core works for accel_nonce by hmac_i and
// hmac_o, with the function of the configuration, and forgets its key when clear_i rises.
module accel_sha2
  import accel_pkg::*;
#(
  parameter int unsigned WordSizes = WordSizesAll
) (
  input  logic           clk_i,
  input  logic           rst_ni,

  input  configuration_t configuration_i,
  input  logic [63:0]    length_i,     // of the message, in bytes
  input  logic [60:0]    aad_length_i, // of the key, in bytes
  input  logic           begin_i,
  input  logic           run_i,
  input  logic           clear_i,
  input  logic           zeroise_i,
  output logic           busy_o,
  output logic           framing_error_o,
  output stall_t         stall_o,
  input  logic           last_beat_i,
  output logic           ended_o,

  input  logic           in_valid_i,
  output logic           in_ready_o,
  input  input_block_t   in_i,
  output logic           out_valid_o,
  input  logic           out_ready_i,
  output block_t         out_o,

  input  hmac_request_t  hmac_i,
  output hmac_answer_t   hmac_o
);

  typedef enum logic [2:0] {
    Idle,
    Key,
    Start, // the function enters the core
    Text,
    Drain  // waits until the last beat of the digest has left
  } phase_e;

  phase_e      phase_d, phase_q;
  logic [60:0] left_d, left_q;             // blocks of the packet yet to come
  logic [3:0]  last_bytes_d, last_bytes_q; // bytes of the last one, minus one

  function automatic logic [60:0] blocks_of(input logic [63:0] bytes);
    return 61'(bytes[63:4]) + 61'(bytes[3:0] != 4'd0);
  endfunction

  // ------------------------------------------------------------ framing

  // The core gets a block of no bytes for an empty packet; the stream has no beat for it.
  logic takes_packet, is_empty, is_last, in_wanted, in_agrees, in_usable;

  assign takes_packet    = run_i && phase_q inside {Key, Text};
  assign is_empty        = left_q == '0;
  assign is_last         = left_q <= 61'd1;
  assign in_wanted       = takes_packet && !is_empty;
  assign in_agrees       = !in_i.malformed && (in_i.block.last == is_last) &&
                           (in_i.block.bytes == (is_last ? last_bytes_q : 4'd15));
  assign in_usable       = in_wanted && in_valid_i && in_agrees;
  assign framing_error_o = in_wanted && in_valid_i && !in_agrees;

  // ------------------------------------------------------------ the core

  sha2_pkg::function_e hash;
  logic                clear_q, forget;
  logic                start_valid, start_ready;
  logic                valid, key_ready, block_ready, taken;
  logic [127:0]        block, result;
  logic [4:0]          block_bytes, result_bytes;
  logic                result_valid, result_last;
  logic                core_busy, core_idle;

  logic for_nonce; // accel_nonce offers a block, which is one of the key or of the message

  assign for_nonce = hmac_i.key_valid || hmac_i.block_valid;

  // The functions are numbered alike, from 1 in the register.
  assign hash        = sha2_pkg::function_e'(configuration_i.hash - HashSha224);
  assign start_valid = run_i && (phase_q == Start);
  assign valid       = takes_packet && (is_empty || in_usable);
  // Data of the next packet may already be at the input while an empty packet waits.
  assign block       = is_empty ? '0 : reverse_bytes(in_i.block.data);
  assign block_bytes = is_empty ? 5'd0 : 5'(in_i.block.bytes) + 5'd1;
  assign taken       = valid && ((phase_q == Key) ? key_ready : block_ready);
  assign in_ready_o  = taken && !is_empty;

  // No key stays for a later message.
  assign forget = zeroise_i || (clear_i && !clear_q) || ended_o;

  sha2_hmac #(
    .WordSizes (WordSizes)
  ) u_core (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .key_valid_i    ((valid && (phase_q == Key)) || hmac_i.key_valid),
    .key_ready_o    (key_ready),
    .key_function_i (hash),
    .key_i          (for_nonce ? hmac_i.block : block),
    .key_bytes_i    (for_nonce ? hmac_i.block_bytes : block_bytes),
    .key_last_i     (for_nonce ? hmac_i.block_last : is_last),
    .start_valid_i  (start_valid || hmac_i.start_valid),
    .start_ready_o  (start_ready),
    .function_i     (hash),
    .authenticate_i (configuration_i.authenticate || hmac_i.start_valid),
    .block_valid_i  ((valid && (phase_q == Text)) || hmac_i.block_valid),
    .block_ready_o  (block_ready),
    .block_i        (for_nonce ? hmac_i.block : block),
    .block_bytes_i  (for_nonce ? hmac_i.block_bytes : block_bytes),
    .block_last_i   (for_nonce ? hmac_i.block_last : is_last),
    .block_valid_o  (result_valid),
    .block_ready_i  ((run_i && out_ready_i) || hmac_i.result_ready),
    .block_o        (result),
    .block_bytes_o  (result_bytes),
    .block_last_o   (result_last),
    .drop_i         (1'b0),
    .zeroise_i      (forget),
    .busy_o         (core_busy),
    .idle_o         (core_idle)
  );

  assign hmac_o = '{
    key_ready:    key_ready,
    start_ready:  start_ready,
    block_ready:  block_ready,
    result_valid: result_valid,
    result:       result
  };

  assign busy_o      = core_busy || !core_idle;
  assign out_valid_o = run_i && result_valid;
  assign out_o.last  = result_last;
  assign out_o.bytes = 4'(result_bytes - 5'd1);
  assign out_o.data  = reverse_bytes(result);

  // ------------------------------------------------------------ the message

  always_comb begin
    phase_d      = phase_q;
    left_d       = left_q;
    last_bytes_d = last_bytes_q;

    if (in_ready_o) begin
      left_d = left_q - 61'd1;
    end

    unique case (phase_q)
      Idle: begin
        if (begin_i) begin
          phase_d      = configuration_i.authenticate ? Key : Start;
          left_d       = blocks_of(64'(aad_length_i));
          last_bytes_d = aad_length_i[3:0] - 4'd1;
        end
      end

      Key: begin
        if (taken && is_last) begin
          phase_d = Start;
        end
      end

      Start: begin
        if (start_valid && start_ready) begin
          phase_d      = Text;
          left_d       = blocks_of(length_i);
          last_bytes_d = length_i[3:0] - 4'd1;
        end
      end

      Text: begin
        if (taken && is_last) begin
          phase_d = Drain;
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
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      phase_q      <= Idle;
      left_q       <= '0;
      last_bytes_q <= '0;
      clear_q      <= 1'b0;
    end else begin
      phase_q      <= phase_d;
      left_q       <= left_d;
      last_bytes_q <= last_bytes_d;
      clear_q      <= clear_i;
    end
  end

  assign ended_o = run_i && (phase_q == Drain) && last_beat_i;

  // ------------------------------------------------------------ stalls

  // The core does not say whether it waits for a block, so every cycle without one counts.
  assign stall_o.waits_for_output = out_valid_o && !out_ready_i;
  assign stall_o.waits_for_input  = in_wanted && !in_valid_i;

  logic unused;
  assign unused = ^{configuration_i.mode, configuration_i.direction, configuration_i.sink,
                    configuration_i.bypass, configuration_i.counter_width,
                    configuration_i.key_size};

endmodule

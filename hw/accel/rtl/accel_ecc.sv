// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The engine of elliptic curves: key generation, ECDSA and ECDH (FIPS 186-5, SP 800-56A),
// with a core of its own. The rules of its ports are those of every engine (accel_channel).
//
// A message is one operation: its operands are one packet, its results are one packet, or
// none where the operation is refused or has no results (ecc_core names both). ended_o comes
// with the outcome.
//
// With KeySlots, accel_ecc_keys stands between streams and core: operations may use a private
// key that stays in the device.
module accel_ecc
  import accel_pkg::*;
#(
  // Iterative; serial: multiplier of 68 bits; unrolled: two multipliers.
  parameter int unsigned Architecture = ArchitectureIterative,
  parameter int unsigned Curves       = ecc_pkg::CurvesAll,
  parameter int unsigned KeySlots     = 0
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  input  curve_function_t function_i,
  input  logic [2:0]   hash_i,       // of the nonce of a signature with a key slot
  input  logic         started_i,
  input  logic         begin_i,
  input  logic         run_i,
  input  logic         clear_i,
  input  logic         zeroise_i,
  output logic         busy_o,
  output logic         framing_error_o,
  output stall_t       stall_o,
  input  logic         last_beat_i,
  output logic         ended_o,
  output logic [3:0]   outcome_o,
  output logic         slot_held_o,  // the key slot of function_i has a key
  output logic [1:0]   slot_curve_o, // the curve of that key

  input  logic         in_valid_i,
  output logic         in_ready_o,
  input  input_block_t in_i,
  output logic         out_valid_o,
  input  logic         out_ready_i,
  output block_t       out_o,

  output hmac_request_t hmac_o,
  input  hmac_answer_t  hmac_i
);

  typedef enum logic [1:0] {
    Idle,
    Start, // operation and curve enter the core
    Run,   // operands enter, results leave, then the status comes
    Drain  // waits until the last beat has left
  } phase_e;

  phase_e           phase_d, phase_q;
  logic [8:0]       left_d, left_q;       // bytes from this block of the operands on
  logic [3:0]       byte_d, byte_q;       // of the block, that the core takes next
  logic [1:0]       results_d, results_q; // that have not left the core
  block_t           block_d, block_q;     // of the results
  logic             full_d, full_q;       // it is whole
  logic             text_ended_d, text_ended_q; // no beat is to leave any more
  ecc_pkg::status_e outcome_d, outcome_q;

  // ------------------------------------------------------------ the core

  logic             start_valid, start_ready;
  logic             operand_valid, operand_ready;
  logic [7:0]       operand;
  logic             result_valid, result_ready, result_last;
  logic [7:0]       result;
  logic             status_valid, status_ready;
  ecc_pkg::status_e status;
  logic             core_zeroise, core_busy, core_idle;
  ecc_pkg::operation_e operation;

  // Of accel_ecc_keys.
  logic keys_busy, prepared, takes, again;
  logic has_slot, is_erase;

  assign has_slot = (KeySlots != 0) && (function_i.key_slot != '0);
  assign is_erase = has_slot && (function_i.operation == CurveErase);

  assign start_valid = run_i && (phase_q == Start) && prepared;

  // The core has swept its memory when an operation has ended; one that is dropped must be
  // zeroised.
  assign core_zeroise = zeroise_i || (clear_i && !core_idle);
  assign busy_o       = core_busy || !core_idle || keys_busy;

  ecc_core #(
    .Curves      (Curves),
    .WordBits    ((Architecture == ArchitectureSerial) ? 68 : 136),
    .Multipliers ((Architecture == ArchitectureUnrolled) ? 2 : 1)
  ) u_core (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .start_valid_i   (start_valid),
    .start_ready_o   (start_ready),
    .operation_i     (operation),
    .curve_i         (ecc_pkg::curve_e'(function_i.curve)),
    .operand_valid_i (operand_valid),
    .operand_ready_o (operand_ready),
    .operand_i       (operand),
    .result_valid_o  (result_valid),
    .result_ready_i  (result_ready),
    .result_o        (result),
    .result_last_o   (result_last),
    .status_valid_o  (status_valid),
    .status_ready_i  (status_ready),
    .status_o        (status),
    .zeroise_i       (core_zeroise),
    .busy_o          (core_busy),
    .idle_o          (core_idle)
  );

  // ------------------------------------------------------------ operands

  logic       in_wanted, in_last, in_agrees;
  logic       byte_valid, byte_ready; // of a byte of the host's packet
  logic [7:0] in_byte;

  assign in_wanted       = run_i && (phase_q == Run || takes) && (left_q != '0);
  assign in_last         = left_q <= 9'd16;
  assign in_agrees       = !in_i.malformed && (in_i.block.last == in_last) &&
                           (in_i.block.bytes == (in_last ? 4'(left_q - 9'd1) : 4'd15));
  assign in_byte         = in_i.block.data[8*byte_q +: 8];
  assign byte_valid      = in_wanted && in_valid_i && in_agrees;
  assign in_ready_o      = byte_valid && byte_ready && (byte_q == in_i.block.bytes);
  assign framing_error_o = in_wanted && in_valid_i && !in_agrees;

  always_comb begin
    left_d = left_q;
    byte_d = byte_q;
    if (begin_i) begin
      left_d = operand_bytes(function_i);
    end else if (in_ready_o) begin
      left_d = in_last ? '0 : left_q - 9'd16;
      byte_d = '0;
    end else if (byte_valid && byte_ready) begin
      byte_d = byte_q + 4'd1;
    end
    if (clear_i) begin
      left_d = '0;
      byte_d = '0;
    end
  end

  // ------------------------------------------------------------ results

  logic given_valid, given_ready; // of a result that leaves the device

  assign given_ready  = run_i && !full_q;
  assign out_valid_o  = run_i && full_q;
  assign out_o        = block_q;

  always_comb begin
    results_d = results_q;
    block_d   = block_q;
    full_d    = full_q;
    if (begin_i) begin
      results_d = result_count(function_i.operation, has_slot);
    end
    if (out_valid_o && out_ready_i) begin
      block_d = '0;
      full_d  = 1'b0;
    end
    if (given_valid && given_ready) begin
      block_d.data[8*block_q.bytes +: 8] = result;
      block_d.last = result_last && (results_q == 2'd1);
      full_d       = block_d.last || (block_q.bytes == 4'd15);
      results_d    = results_q - 2'(result_last);
      if (!full_d) begin
        block_d.bytes = block_q.bytes + 4'd1;
      end
    end
    if (clear_i) begin
      results_d = '0;
      block_d   = '0;
      full_d    = 1'b0;
    end
  end

  // ------------------------------------------------------------ the operation

  assign status_ready = run_i && (phase_q == Run);

  always_comb begin
    phase_d      = phase_q;
    text_ended_d = text_ended_q || (run_i && last_beat_i);
    outcome_d    = outcome_q;

    unique case (phase_q)
      Idle: begin
        if (begin_i) begin
          phase_d      = is_erase ? Drain : Start;
          text_ended_d = result_count(function_i.operation, has_slot) == '0;
        end
      end

      Start: begin
        if (start_valid && start_ready) begin
          phase_d = Run;
        end
      end

      Run: begin
        if (status_valid && status_ready && again) begin
          phase_d = Start;
        end else if (status_valid && status_ready) begin
          phase_d   = Drain;
          outcome_d = status;
          if (status != ecc_pkg::StatusGood) begin
            text_ended_d = 1'b1;
          end
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
      text_ended_d = 1'b0;
    end
    if (started_i || zeroise_i) begin
      outcome_d = ecc_pkg::StatusGood;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      phase_q      <= Idle;
      left_q       <= '0;
      byte_q       <= '0;
      results_q    <= '0;
      block_q      <= '0;
      full_q       <= 1'b0;
      text_ended_q <= 1'b0;
      outcome_q    <= ecc_pkg::StatusGood;
    end else begin
      phase_q      <= phase_d;
      left_q       <= left_d;
      byte_q       <= byte_d;
      results_q    <= results_d;
      block_q      <= block_d;
      full_q       <= full_d;
      text_ended_q <= text_ended_d;
      outcome_q    <= outcome_d;
    end
  end

  assign ended_o   = run_i && (phase_q == Drain) && (text_ended_q || last_beat_i);
  assign outcome_o = outcome_q;

  // ------------------------------------------------------------ keys

  if (KeySlots == 0) begin : gen_no_keys
    assign operation     = ecc_pkg::operation_e'(function_i.operation);
    assign operand_valid = byte_valid;
    assign byte_ready    = operand_ready;
    assign operand       = in_byte;
    assign given_valid   = result_valid;
    assign result_ready  = given_ready;

    assign keys_busy     = 1'b0;
    assign prepared      = 1'b1;
    assign takes         = 1'b0;
    assign again         = 1'b0;
    assign slot_held_o   = 1'b0;
    assign slot_curve_o  = '0;
    assign hmac_o        = '0;

    logic unused_keys;
    assign unused_keys = ^{hash_i, hmac_i};
  end else begin : gen_keys
    // The core computes the public key of one that is imported.
    assign operation = (function_i.operation == CurveImport)
        ? ecc_pkg::OperationPublic : ecc_pkg::operation_e'(function_i.operation);

    accel_ecc_keys #(
      .KeySlots (KeySlots)
    ) u_keys (
      .clk_i           (clk_i),
      .rst_ni          (rst_ni),
      .function_i      (function_i),
      .hash_i          (hash_i),
      .begin_i         (begin_i),
      .run_i           (run_i),
      .feeds_i         (run_i && (phase_q == Run)),
      .ended_good_i    (ended_o && (outcome_q == ecc_pkg::StatusGood)),
      .clear_i         (clear_i),
      .zeroise_i       (zeroise_i),
      .busy_o          (keys_busy),
      .prepared_o      (prepared),
      .takes_o         (takes),
      .held_o          (slot_held_o),
      .curve_o         (slot_curve_o),
      .byte_valid_i    (byte_valid),
      .byte_ready_o    (byte_ready),
      .byte_i          (in_byte),
      .operand_valid_o (operand_valid),
      .operand_ready_i (operand_ready),
      .operand_o       (operand),
      .result_valid_i  (result_valid),
      .result_ready_o  (result_ready),
      .result_i        (result),
      .result_last_i   (result_last),
      .result_valid_o  (given_valid),
      .result_ready_i  (given_ready),
      .status_taken_i  (status_valid && status_ready),
      .status_i        (status),
      .again_o         (again),
      .hmac_o          (hmac_o),
      .hmac_i          (hmac_i)
    );
  end

  // ------------------------------------------------------------ stalls

  assign stall_o.waits_for_output = out_valid_o && !out_ready_i;
  assign stall_o.waits_for_input  = in_wanted && !in_valid_i && byte_ready;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni && status_valid && status_ready) begin
      assert (left_q == '0) else $error("accel_ecc: an operand is left");
      assert (status != ecc_pkg::StatusGood || results_q == '0)
        else $error("accel_ecc: a result is missing");
    end
  end
`endif

endmodule

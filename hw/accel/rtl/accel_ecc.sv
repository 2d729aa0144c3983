// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The engine of elliptic curves: key generation, ECDSA and ECDH (FIPS 186-5, SP 800-56A),
// with a core of its own. The rules of its ports are those of every engine (accel_channel).
//
// A message is one operation: its operands are one packet, its results are one packet, or
// none where the operation is refused or has no results (ecc_core names both). ended_o comes
// with the outcome.
module accel_ecc
  import accel_pkg::*;
#(
  // Iterative; serial: multiplier of 68 bits; unrolled: two multipliers.
  parameter int unsigned Architecture = ArchitectureIterative,
  parameter int unsigned Curves       = ecc_pkg::CurvesAll
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  input  curve_function_t function_i,
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

  input  logic         in_valid_i,
  output logic         in_ready_o,
  input  input_block_t in_i,
  output logic         out_valid_o,
  input  logic         out_ready_i,
  output block_t       out_o
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
  logic             result_valid, result_ready, result_last;
  logic [7:0]       result;
  logic             status_valid, status_ready;
  ecc_pkg::status_e status;
  logic             core_zeroise, core_busy, core_idle;

  assign start_valid = run_i && (phase_q == Start);

  // The core has swept its memory when an operation has ended; one that is dropped must be
  // zeroised.
  assign core_zeroise = zeroise_i || (clear_i && !core_idle);
  assign busy_o       = core_busy || !core_idle;

  ecc_core #(
    .Curves      (Curves),
    .WordBits    ((Architecture == ArchitectureSerial) ? 68 : 136),
    .Multipliers ((Architecture == ArchitectureUnrolled) ? 2 : 1)
  ) u_core (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .start_valid_i   (start_valid),
    .start_ready_o   (start_ready),
    .operation_i     (ecc_pkg::operation_e'(function_i.operation)),
    .curve_i         (ecc_pkg::curve_e'(function_i.curve)),
    .operand_valid_i (operand_valid),
    .operand_ready_o (operand_ready),
    .operand_i       (in_i.block.data[8*byte_q +: 8]),
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

  logic in_wanted, in_last, in_agrees;

  assign in_wanted       = run_i && (phase_q == Run) && (left_q != '0);
  assign in_last         = left_q <= 9'd16;
  assign in_agrees       = !in_i.malformed && (in_i.block.last == in_last) &&
                           (in_i.block.bytes == (in_last ? 4'(left_q - 9'd1) : 4'd15));
  assign operand_valid   = in_wanted && in_valid_i && in_agrees;
  assign in_ready_o      = operand_valid && operand_ready && (byte_q == in_i.block.bytes);
  assign framing_error_o = in_wanted && in_valid_i && !in_agrees;

  always_comb begin
    left_d = left_q;
    byte_d = byte_q;
    if (begin_i) begin
      left_d = operand_bytes(function_i);
    end else if (in_ready_o) begin
      left_d = in_last ? '0 : left_q - 9'd16;
      byte_d = '0;
    end else if (operand_valid && operand_ready) begin
      byte_d = byte_q + 4'd1;
    end
    if (clear_i) begin
      left_d = '0;
      byte_d = '0;
    end
  end

  // ------------------------------------------------------------ results

  assign result_ready = run_i && !full_q;
  assign out_valid_o  = run_i && full_q;
  assign out_o        = block_q;

  always_comb begin
    results_d = results_q;
    block_d   = block_q;
    full_d    = full_q;
    if (begin_i) begin
      results_d = result_count(function_i.operation);
    end
    if (out_valid_o && out_ready_i) begin
      block_d = '0;
      full_d  = 1'b0;
    end
    if (result_valid && result_ready) begin
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
          phase_d      = Start;
          text_ended_d = result_count(function_i.operation) == '0;
        end
      end

      Start: begin
        if (start_valid && start_ready) begin
          phase_d = Run;
        end
      end

      Run: begin
        if (status_valid && status_ready) begin
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

  // ------------------------------------------------------------ stalls

  assign stall_o.waits_for_output = out_valid_o && !out_ready_i;
  assign stall_o.waits_for_input  = in_wanted && !in_valid_i && operand_ready;

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

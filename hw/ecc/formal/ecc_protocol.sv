// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: the handshakes of ecc_core, for any results of its arithmetic and anything in
// its memory. An offered byte or status holds, unchanged, until it is taken, and is zero
// before. A result has as many bytes as an integer of its curve. A status leaves only when
// the memory was cleared. Operations do not overlap, and one that the engine does not have is
// never accepted.
module ecc_protocol
  import ecc_pkg::*;
#(
  parameter int unsigned Curves = CurvesAll
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       start_valid_i,
  input operation_e operation_i,
  input curve_e     curve_i,
  input logic       operand_valid_i,
  input logic [7:0] operand_i,
  input logic       result_ready_i,
  input logic       status_ready_i,
  input logic       zeroise_i,
  // What ecc_arithmetic_any gives.
  input logic [3+$bits(flags_t):0] any_stream_i,
  input logic [5:0]   any_multiplier_i,
  input logic [135:0] any_word_i
);

  logic       start_ready, operand_ready, result_valid, last, status_valid, busy, idle;
  logic [7:0] result;
  status_e    status;

  ecc_core #(
    .Curves (Curves)
  ) u_core (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .start_valid_i   (start_valid_i),
    .start_ready_o   (start_ready),
    .operation_i     (operation_i),
    .curve_i         (curve_i),
    .operand_valid_i (operand_valid_i),
    .operand_ready_o (operand_ready),
    .operand_i       (operand_i),
    .result_valid_o  (result_valid),
    .result_ready_i  (result_ready_i),
    .result_o        (result),
    .result_last_o   (last),
    .status_valid_o  (status_valid),
    .status_ready_i  (status_ready_i),
    .status_o        (status),
    .zeroise_i       (zeroise_i),
    .busy_o          (busy),
    .idle_o          (idle)
  );

  formal_reset u_reset (
    .clk_i  (clk_i),
    .rst_ni (rst_ni)
  );

  formal_stream_rules #(
    .Width (9)
  ) u_result_rules (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (zeroise_i),
    .valid_i   (result_valid),
    .ready_i   (result_ready_i),
    .payload_i ({result, last})
  );

  formal_stream_rules #(
    .Width (4)
  ) u_status_rules (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (zeroise_i),
    .valid_i   (status_valid),
    .ready_i   (status_ready_i),
    .payload_i (status)
  );

  // A model of the transfers at the ports.
  logic       open_q;  // an operation is under way
  curve_e     curve_q;
  logic       swept_q; // every word of the memory was overwritten since its start
  logic [6:0] given_q; // bytes of a result that have left
  logic       started, given;
  logic [6:0] bytes;

  assign started = start_valid_i && start_ready;
  assign given   = result_valid && result_ready_i;

  always_comb begin
    unique case (curve_q)
      CurveP256: bytes = 7'd32;
      CurveP384: bytes = 7'd48;
      default:   bytes = 7'd66;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q  <= 1'b0;
      curve_q <= CurveP256;
      swept_q <= 1'b0;
      given_q <= '0;
    end else if (zeroise_i) begin
      open_q  <= 1'b0;
      curve_q <= CurveP256;
      swept_q <= 1'b0;
      given_q <= '0;
    end else begin
      if (started) begin
        open_q  <= 1'b1;
        curve_q <= curve_i;
        swept_q <= 1'b0;
      end else if (u_core.sweep && 32'(u_core.sweep_address) == u_core.Depth - 1) begin
        swept_q <= 1'b1;
      end
      if (status_valid && status_ready_i) open_q <= 1'b0;
      if (given) given_q <= last ? '0 : given_q + 7'd1;
    end
  end

  always_comb begin
    if (busy || zeroise_i) begin
      closed: assert (!start_ready && !operand_ready);
    end
    if (busy) begin
      nothing_given: assert (!result_valid && !status_valid && idle);
    end
    if (!result_valid) begin
      quiet_result: assert (result == '0 && !last);
    end
    if (!status_valid) begin
      quiet_status: assert (status == StatusGood);
    end
    if (start_ready) begin
      one_operation: assert (!open_q);
      operation_exists: assert (operation_i <= OperationAgree);
      curve_exists: assert (((Curves >> curve_i) & 1) != 0);
    end
    if (operand_ready || result_valid) begin
      of_an_operation: assert (open_q && !status_valid);
      one_direction: assert (!(operand_ready && result_valid));
    end
    if (result_valid) begin
      whole_result: assert (last == (given_q == bytes - 7'd1));
    end
    if (status_valid) begin
      status_of_an_operation: assert (open_q && given_q == '0);
      memory_was_cleared: assert (swept_q);
    end
    idle_is_empty: assert (idle == !open_q);
    operation_begins: cover (started);
    operand_enters: cover (operand_ready && operand_valid_i);
  end

  // ------------------------------------------------------------ invariants for the induction

  // Values of the modules' types.
  localparam logic [1:0] Idle = 2'd0, Run = 2'd1, Clear = 2'd2, Status = 2'd3;
  localparam logic [1:0] ControlIdle = 2'd0, ControlTransfer = 2'd2;
  localparam logic [2:0] BytesIdle = 3'd0, Take = 3'd1, Fetch = 3'd3, Give = 3'd4;

  logic [1:0] state, control;
  logic [2:0] transfer, row, rows;
  logic [4:0] at, skipped;
  logic [6:0] passed; // bytes of the result that are in front of the next one

  assign state    = u_core.state_q;
  assign control  = u_core.u_control.state_q;
  assign transfer = u_core.u_bytes.state_q;
  assign row      = u_core.u_bytes.row_q;
  assign at       = u_core.u_bytes.byte_q;
  assign rows     = (curve_q == CurveP256) ? 3'd2 : (curve_q == CurveP384) ? 3'd3 : 3'd4;
  assign skipped  = 5'(7'(rows) * 7'd17 - bytes);
  assign passed   = (7'(rows) - 7'd1 - 7'(row)) * 7'd17 + 7'(at);

  always_comb begin
    why_open: assert (open_q == (state != Idle));
    why_curve: assert (state == Idle || state == Status || u_core.curve_q == curve_q);
    why_known: assert (curve_q <= CurveP521);
    why_control: assert ((control != ControlIdle) == (state == Run) && control <= ControlTransfer);
    why_transfer: assert ((control == ControlTransfer) == (transfer != BytesIdle));
    why_bytes: assert (transfer <= Give);
    why_row: assert (transfer == BytesIdle || row < rows);
    why_at: assert (!(transfer inside {Take, Give}) || at < 5'd17);
    why_run: assert (state != Run || (!u_core.u_sweep.run_q && !u_core.u_sweep.start_q));
    why_status: assert (state != Status || !u_core.u_sweep.run_q);
    why_clear: assert (state != Clear || !u_core.u_sweep.start_q || u_core.u_sweep.run_q || swept_q);
    why_swept: assert (state != Status || swept_q);
    why_dropped: assert (!u_core.sweeping || u_core.dropped_q || state == Clear || zeroise_i);
    why_idle: assert (!u_core.dropped_q || state == Idle);
    why_result: assert (u_core.status_q == StatusGood || state inside {Clear, Status});
    why_given: assert (given_q == ((transfer inside {Fetch, Give} && passed > 7'(skipped))
                                   ? passed - 7'(skipped) : 7'd0));
    why_fetch: assert (transfer != Fetch || at == '0);
  end

endmodule

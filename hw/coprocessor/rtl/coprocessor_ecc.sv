// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Partition "iterative" of elliptic curves: ecc_core behind registers, memory-mapped. The
// map is coprocessor_ecc.rdl.
//
// The core takes operands and gives results a byte at a time, the bus in blocks of 16 bytes.
// A push waits until the core has taken the bytes of its block, which it does before it
// computes. A read never waits: STATUS tells whether there is a block. What comes out of
// turn is dropped and sets ERROR.order.
module coprocessor_ecc
  import coprocessor_ecc_registers_pkg::*;
  import ecc_pkg::*;
#(
  parameter int unsigned DataWidth = 32,
  parameter int unsigned Curves = CurvesAll, // ecc_core
  parameter int unsigned WordBits = 136,     // ecc_core
  parameter int unsigned Multipliers = 1     // ecc_core
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   bus_valid_i,
  input  logic                   bus_write_i,
  input  logic [11:0]            bus_address_i,
  input  logic [DataWidth-1:0]   bus_wdata_i,
  input  logic [DataWidth/8-1:0] bus_wstrb_i,
  output logic                   bus_ready_o,
  output logic [DataWidth-1:0]   bus_rdata_o,
  output logic                   busy_o,
  output logic                   irq_o
);

  // An access to a line of 16 bytes, for every width of the bus.
  logic             line_valid, line_write, line_ready;
  logic [11:0]      line_address;
  logic [3:0]       words;
  logic [3:0][31:0] wdata;
  logic [127:0]     rdata;

  coprocessor_lanes #(
    .DataWidth(DataWidth),
    .LineWidth(128)
  ) u_lanes (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .bus_valid_i   (bus_valid_i),
    .bus_write_i   (bus_write_i),
    .bus_address_i (bus_address_i),
    .bus_wdata_i   (bus_wdata_i),
    .bus_wstrb_i   (bus_wstrb_i),
    .bus_ready_o   (bus_ready_o),
    .bus_rdata_o   (bus_rdata_o),
    .line_valid_o  (line_valid),
    .line_write_o  (line_write),
    .line_address_o(line_address),
    .line_words_o  (words),
    .line_wdata_o  (wdata),
    .line_ready_i  (line_ready),
    .line_rdata_i  (rdata)
  );

  logic [7:0] line;
  logic       write, read, at_control, at_data_in, at_data_out;

  assign line = line_address[11:4];
  assign write = line_valid && line_write;
  assign read = line_valid && !line_write;
  assign at_control = line == ControlOffset[11:4];
  assign at_data_in = line[7:4] == DataInOffset[11:8];
  assign at_data_out = line[7:4] == DataOutOffset[11:8];

  // ------------------------------------------------------------ the operation

  // Bytes of an integer, and integers in and out of an operation (ecc_core).
  function automatic logic [6:0] integer_bytes(input curve_e curve);
    unique case (curve)
      CurveP256: return 7'd32;
      CurveP384: return 7'd48;
      default:   return 7'd66;
    endcase
  endfunction

  function automatic logic [2:0] operand_count(input operation_e operation);
    unique case (operation)
      OperationGenerate, OperationPublic: return 3'd1;
      OperationVerify:                    return 3'd5;
      default:                            return 3'd3;
    endcase
  endfunction

  function automatic logic [1:0] result_count(input operation_e operation);
    unique case (operation)
      OperationGenerate:              return 2'd3;
      OperationPublic, OperationSign: return 2'd2;
      OperationAgree:                 return 2'd1;
      default:                        return 2'd0;
    endcase
  endfunction

  operation_e operation_q, operation;
  curve_e     curve_q, curve;
  logic       running_q, ended_q;
  status_e    outcome_q;
  logic [8:0] left_q;    // bytes of operands that have not been pushed
  logic [1:0] results_q; // that have not left the core

  // The core's streams.
  logic       start_valid, start_ready, operand_valid, operand_ready;
  logic       result_valid, result_ready, result_last, status_valid;
  logic [7:0] operand, result;
  status_e    status;

  // CONTROL and OPERATION; one access may write both.
  logic control, zeroise, start, start_allowed, started;
  logic full_q; // the block of results is whole

  assign control = write && at_control && words[ControlOffset[3:2]];
  assign zeroise = control && wdata[ControlOffset[3:2]][ControlZeroiseLsb];
  assign start = control && wdata[ControlOffset[3:2]][ControlStartLsb] && !zeroise;

  always_comb begin
    operation = operation_q;
    curve     = curve_q;
    if (write && at_control && words[OperationOffset[3:2]]) begin
      operation = operation_e'(
          wdata[OperationOffset[3:2]][OperationOperationLsb+:OperationOperationWidth]);
      curve = curve_e'(wdata[OperationOffset[3:2]][OperationCurveLsb+:OperationCurveWidth]);
    end
  end

  assign start_allowed = !running_q && !full_q && operation <= OperationAgree &&
      (4'(Curves) >> curve & 4'd1) != '0;
  assign start_valid   = start && start_allowed;
  assign started       = start_valid && start_ready;

  // ------------------------------------------------------------ operands

  logic             push, push_to_core, pushed;
  logic [2:0][31:0] block_q, block_d;
  logic [127:0]     block;
  logic [3:0]       byte_q, last_byte; // of the block

  assign push          = write && at_data_in && words[3];
  assign push_to_core  = push && running_q && left_q != '0;
  assign block         = {wdata[3], block_d};
  assign last_byte     = (left_q >= 9'd16) ? 4'd15 : 4'(left_q - 9'd1);
  assign operand_valid = push_to_core;
  assign operand       = push_to_core ? block[8*byte_q+:8] : '0;
  assign pushed        = push_to_core && operand_ready && byte_q == last_byte;

  for (genvar n = 0; n < 3; n++) begin : gen_block_word
    assign block_d[n] = (write && at_data_in && words[n]) ? wdata[n] : block_q[n];
  end

  // ------------------------------------------------------------ results

  logic [15:0][7:0] out_q;
  logic [3:0]       out_byte_q; // the next one of the block
  logic             out, pop;

  assign result_ready = !full_q;
  assign out          = read && at_data_out;
  assign pop          = out && words[3] && full_q;

  // ------------------------------------------------------------ registers

  logic order_error, order_q;

  assign order_error = (start && !start_allowed) || (push && !push_to_core) || (out && !full_q);

  always_comb begin
    line_ready = 1'b1;
    if (start_valid) line_ready = start_ready;
    if (push_to_core) line_ready = pushed;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      operation_q <= OperationGenerate;
      curve_q     <= CurveP256;
      running_q   <= 1'b0;
      ended_q     <= 1'b0;
      outcome_q   <= StatusGood;
      left_q      <= '0;
      results_q   <= '0;
      block_q     <= '0;
      byte_q      <= '0;
      out_q       <= '0;
      out_byte_q  <= '0;
      full_q      <= 1'b0;
      order_q     <= 1'b0;
    end else begin
      operation_q <= operation;
      curve_q     <= curve;
      if (started) begin
        running_q <= 1'b1;
        ended_q   <= 1'b0;
        outcome_q <= StatusGood;
        left_q    <= 9'(operand_count(operation)) * 9'(integer_bytes(curve));
        results_q <= result_count(operation);
      end
      if (status_valid) begin
        running_q <= 1'b0;
        ended_q   <= 1'b1;
        outcome_q <= status;
      end

      block_q <= (push && line_ready) ? '0 : block_d;
      if (operand_valid && operand_ready) byte_q <= pushed ? '0 : byte_q + 4'd1;
      if (pushed) left_q <= left_q - 9'(last_byte) - 9'd1;

      if (pop) begin
        out_q  <= '0;
        full_q <= 1'b0;
      end
      if (result_valid && result_ready) begin
        out_q[out_byte_q] <= result;
        out_byte_q        <= out_byte_q + 4'd1;
        if (result_last) results_q <= results_q - 2'd1;
        if (out_byte_q == 4'd15 || (result_last && results_q == 2'd1)) begin
          full_q     <= 1'b1;
          out_byte_q <= '0;
        end
      end

      if (write && at_control && words[ErrorOffset[3:2]] &&
          wdata[ErrorOffset[3:2]][ErrorOrderLsb]) begin
        order_q <= 1'b0;
      end
      if (order_error) order_q <= 1'b1;
      if (zeroise) begin
        running_q  <= 1'b0;
        ended_q    <= 1'b0;
        outcome_q  <= StatusGood;
        left_q     <= '0;
        results_q  <= '0;
        block_q    <= '0;
        out_q      <= '0;
        out_byte_q <= '0;
        full_q     <= 1'b0;
        order_q    <= 1'b0;
      end
    end
  end

  // ------------------------------------------------------------ the core

  logic core_busy, unused_idle;

  ecc_core #(
    .Curves      (Curves),
    .WordBits    (WordBits),
    .Multipliers (Multipliers)
  ) u_core (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .start_valid_i   (start_valid),
    .start_ready_o   (start_ready),
    .operation_i     (operation),
    .curve_i         (curve),
    .operand_valid_i (operand_valid),
    .operand_ready_o (operand_ready),
    .operand_i       (operand),
    .result_valid_o  (result_valid),
    .result_ready_i  (result_ready),
    .result_o        (result),
    .result_last_o   (result_last),
    .status_valid_o  (status_valid),
    .status_ready_i  (1'b1),
    .status_o        (status),
    .zeroise_i       (zeroise),
    .busy_o          (core_busy),
    .idle_o          (unused_idle)
  );

  logic working;

  assign working = running_q && left_q == '0 && !full_q;
  assign busy_o  = working || core_busy || (line_valid && !line_ready);
  assign irq_o   = full_q || ended_q;

  // ------------------------------------------------------------ reads

  logic [3:0][31:0] first, second;

  always_comb begin
    first = '0;
    first[IdentificationOffset[3:2]] = IdentificationMagicValue;
    first[VersionOffset[3:2]][VersionPatchLsb+:VersionPatchWidth] = VersionPatchValue;
    first[VersionOffset[3:2]][VersionMinorLsb+:VersionMinorWidth] = VersionMinorValue;
    first[VersionOffset[3:2]][VersionMajorLsb+:VersionMajorWidth] = VersionMajorValue;
    first[CapabilityOffset[3:2]][CapabilityCurvesLsb+:CapabilityCurvesWidth] =
        CapabilityCurvesWidth'(Curves);
    first[CapabilityOffset[3:2]][CapabilityMultipliersLsb+:CapabilityMultipliersWidth] =
        CapabilityMultipliersWidth'(Multipliers);
    second = '0;
    second[OperationOffset[3:2]][OperationOperationLsb+:OperationOperationWidth] = operation_q;
    second[OperationOffset[3:2]][OperationCurveLsb+:OperationCurveWidth] = curve_q;
    second[StatusOffset[3:2]][StatusBusyLsb] = working;
    second[StatusOffset[3:2]][StatusAvailableLsb] = full_q;
    second[StatusOffset[3:2]][StatusEndedLsb] = ended_q;
    second[StatusOffset[3:2]][StatusOutcomeLsb+:StatusOutcomeWidth] = outcome_q;
    second[ErrorOffset[3:2]][ErrorOrderLsb] = order_q;
    unique case (line)
      IdentificationOffset[11:4]: rdata = first;
      ControlOffset[11:4]:        rdata = second;
      default:                    rdata = '0;
    endcase
    if (at_data_out && full_q) rdata = out_q;
  end

  logic unused;
  assign unused = ^{line_address[3:0], unused_idle};

`ifndef SYNTHESIS
  // Rules for the surrounding logic. On wide buses the strobes of a read are used.
  prim_stream_rules #(
    .Width (13 + DataWidth + DataWidth / 8)
  ) u_rules (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (1'b0),
    .valid_i   (bus_valid_i),
    .ready_i   (bus_ready_o),
    .payload_i ({bus_write_i, bus_address_i, bus_write_i ? bus_wdata_i : '0,
                  (bus_write_i || DataWidth > 32) ? bus_wstrb_i : '0})
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni && status_valid) begin
      assert (left_q == '0) else $error("coprocessor_ecc: an operand is left");
      assert (status != StatusGood || results_q == '0)
        else $error("coprocessor_ecc: a result is missing");
    end
  end
`endif

endmodule

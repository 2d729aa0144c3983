// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Partition "iterative" of SHA-2: sha2_core behind registers, memory-mapped. The map is
// coprocessor_sha2.rdl.
//
// The length of a message is known when it starts, so that it tells which block is the last
// one, and an empty message needs no block. A block goes to the core in the cycle in which
// the bus offers its last word, and the bus waits for the core's ready. A push or a read that
// would wait for ever is dropped and sets ERROR.order.
module coprocessor_sha2
  import coprocessor_sha2_registers_pkg::*;
  import sha2_pkg::*;
#(
  parameter int unsigned DataWidth = 32,
  parameter int unsigned WordSizes = WordSizesAll, // sha2_core
  parameter int unsigned RoundsPerCycle = 1        // sha2_core
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
  logic       write, read, at_control, at_length, at_data_in, at_data_out;

  assign line = line_address[11:4];
  assign write = line_valid && line_write;
  assign read = line_valid && !line_write;
  assign at_control = line == ControlOffset[11:4];
  assign at_length = line == MessageBytesOffset[11:4];
  assign at_data_in = line[7:4] == DataInOffset[11:8];
  assign at_data_out = line[7:4] == DataOutOffset[11:8];

  // Byte 0 of a block is the lowest one on the bus, and the highest one at the core.
  function automatic logic [127:0] reversed(input logic [127:0] block);
    for (int unsigned n = 0; n < 16; n++) reversed[127-8*n-:8] = block[8*n+:8];
  endfunction

  // ------------------------------------------------------------ the message

  typedef enum logic [1:0] {
    Idle,
    Text,  // takes the blocks of the message
    Digest // gives those of the digest
  } phase_e;

  phase_e      phase_d, phase_q;
  function_e   chosen, function_q;
  logic [31:0] bytes_q, left_q;

  // The core's streams.
  logic         start_valid, start_ready, block_valid, block_ready, block_last;
  logic         result_valid, result_last, core_busy;
  logic [127:0] block, result;
  logic [4:0]   block_bytes;

  // CONTROL and MESSAGE; one access may write both.
  logic control, zeroise, drop, start, start_allowed;

  assign control = write && at_control && words[ControlOffset[3:2]];
  assign zeroise = control && wdata[ControlOffset[3:2]][ControlZeroiseLsb];
  assign drop = control && wdata[ControlOffset[3:2]][ControlDropLsb] && !zeroise;
  assign start = control && wdata[ControlOffset[3:2]][ControlStartLsb] && !zeroise && !drop;
  assign chosen = (write && at_control && words[MessageOffset[3:2]])
      ? function_e'(wdata[MessageOffset[3:2]][MessageFunctionLsb+:MessageFunctionWidth])
      : function_q;
  assign start_allowed = phase_q == Idle && has_function(WordSizes, chosen);
  assign start_valid = start && start_allowed;

  // Blocks in. An empty message is an empty block, which needs no push.
  logic             empty, push, push_to_core;
  logic [2:0][31:0] block_q, block_d;

  assign empty = phase_q == Text && left_q == '0;
  assign push = write && at_data_in && words[3];
  assign push_to_core = push && phase_q == Text && !empty;
  assign block_valid = empty || push_to_core;
  assign block_bytes = !push_to_core ? '0 : left_q >= 32'd16 ? 5'd16 : left_q[4:0];
  assign block_last = !push_to_core || left_q <= 32'd16;
  assign block = push_to_core ? reversed({wdata[3], block_d}) : '0;

  for (genvar n = 0; n < 3; n++) begin : gen_block_word
    assign block_d[n] = (write && at_data_in && words[n]) ? wdata[n] : block_q[n];
  end

  // Blocks out.
  logic to_come, out, pop;

  assign to_come = empty || phase_q == Digest;
  assign out = read && at_data_out;
  assign pop = out && words[3] && result_valid;

  always_comb begin
    phase_d = phase_q;
    unique case (phase_q)
      Idle:    if (start_valid && start_ready) phase_d = Text;
      Text:    if (block_valid && block_ready && block_last) phase_d = Digest;
      Digest:  if (pop && result_last) phase_d = Idle;
      default: phase_d = Idle;
    endcase
    if (zeroise || drop) phase_d = Idle;
  end

  // ------------------------------------------------------------ registers

  logic order_error, order_q;

  assign order_error = (start && !start_allowed) || (push && !push_to_core) ||
      (out && !result_valid && !to_come);

  always_comb begin
    line_ready = 1'b1;
    if (start_valid) line_ready = start_ready;
    if (push_to_core) line_ready = block_ready;
    if (out) line_ready = result_valid || !to_come;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      phase_q    <= Idle;
      function_q <= FunctionSha224;
      block_q    <= '0;
      bytes_q    <= '0;
      left_q     <= '0;
      order_q    <= 1'b0;
    end else begin
      phase_q    <= phase_d;
      function_q <= chosen;
      if (write && at_length && words[MessageBytesOffset[3:2]]) begin
        bytes_q <= wdata[MessageBytesOffset[3:2]];
      end
      if (start_valid && start_ready) left_q <= bytes_q;
      else if (block_valid && block_ready) left_q <= left_q - 32'(block_bytes);
      block_q <= (zeroise || drop || (push && line_ready)) ? '0 : block_d;
      if (write && at_control && words[ErrorOffset[3:2]] &&
          wdata[ErrorOffset[3:2]][ErrorOrderLsb]) begin
        order_q <= 1'b0;
      end
      if (order_error) order_q <= 1'b1;
      if (zeroise) order_q <= 1'b0;
    end
  end

  // ------------------------------------------------------------ the core

  logic       unused_idle, unused_message;
  logic [4:0] unused_bytes;

  sha2_core #(
    .WordSizes     (WordSizes),
    .RoundsPerCycle(RoundsPerCycle)
  ) u_core (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .start_valid_i  (start_valid),
    .start_ready_o  (start_ready),
    .function_i     (chosen),
    .start_message_i(1'b0),
    .block_valid_i  (block_valid),
    .block_ready_o  (block_ready),
    .block_i        (block),
    .block_bytes_i  (block_bytes),
    .block_last_i   (block_last),
    .block_message_i(1'b0),
    .block_valid_o  (result_valid),
    .block_ready_i  (pop),
    .block_o        (result),
    .block_bytes_o  (unused_bytes),
    .block_last_o   (result_last),
    .block_message_o(unused_message),
    .drop_i         (drop),
    .zeroise_i      (zeroise),
    .busy_o         (core_busy),
    .idle_o         (unused_idle)
  );

  // Rounds after the sixteenth need no more of the message: the core computes alone.
  localparam logic [6:0] Alone32 = 7'((Rounds32 - 16) / RoundsPerCycle);
  localparam logic [6:0] Alone64 = 7'((Rounds64 - 16) / RoundsPerCycle);

  logic [2:0] index_q; // of the block in its hash block
  logic [6:0] alone_q; // cycles of such rounds that are left
  logic       wide, filled, working;

  assign wide = is_wide(function_q);
  assign filled = wide ? (&index_q) : (&index_q[1:0]);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      index_q <= '0;
      alone_q <= '0;
    end else begin
      if (alone_q != '0) alone_q <= alone_q - 7'd1;
      if (block_valid && block_ready) begin
        index_q <= index_q + 3'd1;
        if (filled) alone_q <= wide ? Alone64 : Alone32;
      end
      if (phase_d == Idle) begin
        index_q <= '0;
        alone_q <= '0;
      end
    end
  end

  assign working = core_busy || alone_q != '0 || (to_come && !result_valid);
  assign busy_o = working || (line_valid && !line_ready);
  assign irq_o = result_valid;

  // ------------------------------------------------------------ reads

  logic [3:0][31:0] first, second, length;

  always_comb begin
    first = '0;
    first[IdentificationOffset[3:2]] = IdentificationMagicValue;
    first[VersionOffset[3:2]][VersionPatchLsb+:VersionPatchWidth] = VersionPatchValue;
    first[VersionOffset[3:2]][VersionMinorLsb+:VersionMinorWidth] = VersionMinorValue;
    first[VersionOffset[3:2]][VersionMajorLsb+:VersionMajorWidth] = VersionMajorValue;
    for (int unsigned n = 0; n < CapabilityFunctionsWidth; n++) begin
      first[CapabilityOffset[3:2]][CapabilityFunctionsLsb+n] =
          has_function(WordSizes, function_e'(3'(n)));
    end
    first[CapabilityOffset[3:2]][CapabilityRoundsPerCycleLsb+:CapabilityRoundsPerCycleWidth] =
        CapabilityRoundsPerCycleWidth'(RoundsPerCycle);
    second = '0;
    second[MessageOffset[3:2]][MessageFunctionLsb+:MessageFunctionWidth] = function_q;
    second[StatusOffset[3:2]][StatusBusyLsb] = working;
    second[StatusOffset[3:2]][StatusAvailableLsb] = result_valid;
    second[StatusOffset[3:2]][StatusMessageLsb] = phase_q != Idle;
    second[ErrorOffset[3:2]][ErrorOrderLsb] = order_q;
    length = '0;
    length[MessageBytesOffset[3:2]] = bytes_q;
    unique case (line)
      IdentificationOffset[11:4]: rdata = first;
      ControlOffset[11:4]:        rdata = second;
      MessageBytesOffset[11:4]:   rdata = length;
      default:                    rdata = '0;
    endcase
    if (at_data_out) rdata = reversed(result);
  end

  logic unused;
  assign unused = ^{line_address[3:0], unused_idle, unused_message, unused_bytes};

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
`endif

endmodule

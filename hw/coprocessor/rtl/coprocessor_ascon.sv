// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Partition "iterative" of Ascon: ascon_core behind registers, memory-mapped. The map is
// coprocessor_ascon.rdl.
//
// The lengths of a message are known when it starts, so that they tell which block is the
// last one of its packet, and an empty packet needs no access. A block goes to the core in
// the cycle in which the bus offers its last word, and the bus waits for the core's ready.
// A push or a read that would wait for ever is dropped and sets ERROR.order.
module coprocessor_ascon
  import ascon_pkg::*;
  import coprocessor_ascon_registers_pkg::*;
#(
  parameter int unsigned DataWidth = 32,
  parameter int unsigned RoundsPerCycle = 1 // ascon_core
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
  logic       write, read, at_control, at_key, at_nonce, at_lengths, at_data_in, at_data_out;

  assign line = line_address[11:4];
  assign write = line_valid && line_write;
  assign read = line_valid && !line_write;
  assign at_control = line == ControlOffset[11:4];
  assign at_key = line == KeyOffset[11:4];
  assign at_nonce = line == NonceOffset[11:4];
  assign at_lengths = line == TextBytesOffset[11:4];
  assign at_data_in = line[7:4] == DataInOffset[11:8];
  assign at_data_out = line[7:4] == DataOutOffset[11:8];

  // ------------------------------------------------------------ the message

  typedef enum logic [2:0] {
    Idle,
    Associated, // takes blocks of associated data
    Text,       // takes blocks of text or of a message to hash
    TagIn,      // takes the tag to compare with
    Verdict,    // compares it
    TagOut,     // gives the rest of the text and the tag
    Digest      // gives the digest
  } phase_e;

  phase_e           phase_d, phase_q;
  logic [1:0]       operation, operation_q;
  logic [3:0][31:0] nonce_q;
  logic [31:0]      associated_bytes_q, text_bytes_q, left_q, text_left_q, taken;
  logic             keyed_q;

  // The core's streams.
  logic         key_valid, key_ready, start_valid, start_ready, block_valid, block_ready;
  logic         result_valid, result_ready, result_last, tag_in_valid, tag_in_ready;
  logic         tag_valid, tag_ready, authentic, core_busy;
  logic [127:0] block, result, tag;
  logic [4:0]   block_bytes, result_bytes;
  logic         block_last;

  // CONTROL and MESSAGE; one access may write both.
  logic control, zeroise, drop, start, start_allowed;

  assign control = write && at_control && words[ControlOffset[3:2]];
  assign zeroise = control && wdata[ControlOffset[3:2]][ControlZeroiseLsb];
  assign drop = control && wdata[ControlOffset[3:2]][ControlDropLsb] && !zeroise;
  assign start = control && wdata[ControlOffset[3:2]][ControlStartLsb] && !zeroise && !drop;
  assign operation = (write && at_control && words[MessageOffset[3:2]])
      ? wdata[MessageOffset[3:2]][MessageOperationLsb+:MessageOperationWidth] : operation_q;
  assign start_allowed = phase_q == Idle && (operation == MessageOperationDigest ||
      (operation inside {MessageOperationEncrypt, MessageOperationDecrypt} && keyed_q));
  assign start_valid = start && start_allowed;

  // Blocks in. An empty block needs no push; a push waits until it has passed.
  logic             packet, empty, push, push_to_core, push_to_tag, waits;
  logic [2:0][31:0] block_q, block_d;

  assign packet = phase_q inside {Associated, Text};
  assign empty = packet && left_q == '0;
  assign push = write && at_data_in && words[3];
  assign push_to_core = push && packet && !empty && !waits;
  assign push_to_tag = push && phase_q == TagIn && !waits;
  assign block_valid = empty || push_to_core;
  assign block_bytes = !push_to_core ? '0 : left_q >= 32'd16 ? 5'd16 : left_q[4:0];
  assign block_last = !push_to_core || left_q <= 32'd16;
  assign block = empty ? '0 : {wdata[3], block_d};
  assign tag_in_valid = push_to_tag;
  assign taken = 32'(block_bytes);

  for (genvar n = 0; n < 3; n++) begin : gen_block_word
    assign block_d[n] = (write && at_data_in && words[n]) ? wdata[n] : block_q[n];
  end

  // Blocks out. The empty block of an empty text is dropped.
  logic skip, tag_waits, available, to_come, out, pop;

  assign skip = result_valid && result_bytes == '0;
  assign waits = result_valid && !skip;
  assign tag_waits = phase_q == TagOut && tag_valid && !result_valid;
  assign available = waits || tag_waits;
  assign to_come = result_valid || phase_q inside {TagOut, Digest} ||
      (empty && operation_q != MessageOperationDecrypt);
  assign out = read && at_data_out;
  assign pop = out && words[3] && available;
  assign result_ready = skip || (pop && waits);
  assign tag_ready = (pop && tag_waits) || phase_q == Verdict;

  always_comb begin
    phase_d = phase_q;
    unique case (phase_q)
      Idle:
      if (start_valid && start_ready) begin
        phase_d = (operation == MessageOperationDigest) ? Text : Associated;
      end
      Associated:
      if (block_valid && block_ready && block_last) phase_d = Text;
      Text:
      if (block_valid && block_ready && block_last) begin
        unique case (operation_q)
          MessageOperationEncrypt: phase_d = TagOut;
          MessageOperationDecrypt: phase_d = TagIn;
          default:                 phase_d = Digest;
        endcase
      end
      TagIn:
      if (tag_in_valid && tag_in_ready) phase_d = Verdict;
      Verdict:
      if (tag_valid) phase_d = Idle;
      TagOut:
      if (pop && tag_waits) phase_d = Idle;
      Digest:
      if (pop && result_last) phase_d = Idle;
      default: phase_d = Idle;
    endcase
    if (zeroise || drop) phase_d = Idle;
  end

  // ------------------------------------------------------------ key and registers

  logic [2:0][31:0] key_q, key_d;
  logic             key_last, order_error, order_q, tag_q;

  for (genvar n = 0; n < 3; n++) begin : gen_key_word
    assign key_d[n] = (write && at_key && words[n]) ? wdata[n] : key_q[n];
  end

  assign key_last = write && at_key && words[3];
  assign key_valid = key_last && phase_q == Idle;

  assign order_error = (start && !start_allowed) || (key_last && phase_q != Idle) ||
      (push && !empty && !push_to_core && !push_to_tag) || (out && !available && !to_come);

  always_comb begin
    line_ready = 1'b1;
    if (start_valid) line_ready = start_ready;
    if (key_valid) line_ready = key_ready;
    if (push_to_core) line_ready = block_ready;
    if (push_to_tag) line_ready = tag_in_ready;
    if (push && empty) line_ready = 1'b0;
    if (out) line_ready = available || !to_come;
    if (read && at_control && phase_q == Verdict) line_ready = 1'b0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      phase_q            <= Idle;
      operation_q        <= '0;
      keyed_q            <= 1'b0;
      key_q              <= '0;
      nonce_q            <= '0;
      block_q            <= '0;
      associated_bytes_q <= '0;
      text_bytes_q       <= '0;
      left_q             <= '0;
      text_left_q        <= '0;
      order_q            <= 1'b0;
      tag_q              <= 1'b0;
    end else begin
      phase_q     <= phase_d;
      operation_q <= operation;
      if (write && at_lengths) begin
        if (words[AssociatedBytesOffset[3:2]]) begin
          associated_bytes_q <= wdata[AssociatedBytesOffset[3:2]];
        end
        if (words[TextBytesOffset[3:2]]) text_bytes_q <= wdata[TextBytesOffset[3:2]];
      end
      if (start_valid && start_ready) begin
        left_q      <= (operation == MessageOperationDigest) ? text_bytes_q : associated_bytes_q;
        text_left_q <= text_bytes_q;
      end else if (block_valid && block_ready) begin
        left_q <= (phase_d == phase_q) ? left_q - taken : text_left_q;
      end
      for (int unsigned n = 0; n < 4; n++) begin
        if (write && at_nonce && words[n]) nonce_q[n] <= wdata[n];
      end
      if (key_valid && key_ready) keyed_q <= 1'b1;
      key_q   <= (key_last && line_ready) ? '0 : key_d;
      block_q <= (drop || (push && line_ready)) ? '0 : block_d;
      if (write && at_control && words[ErrorOffset[3:2]]) begin
        if (wdata[ErrorOffset[3:2]][ErrorOrderLsb]) order_q <= 1'b0;
        if (wdata[ErrorOffset[3:2]][ErrorTagLsb]) tag_q <= 1'b0;
      end
      if (order_error) order_q <= 1'b1;
      if (phase_q == Verdict && tag_valid && !authentic) tag_q <= 1'b1;
      if (zeroise) begin
        keyed_q <= 1'b0;
        key_q   <= '0;
        nonce_q <= '0;
        block_q <= '0;
        order_q <= 1'b0;
        tag_q   <= 1'b0;
      end
    end
  end

  // ------------------------------------------------------------ the core

  logic unused_text, unused_idle;

  ascon_core #(
    .RoundsPerCycle(RoundsPerCycle)
  ) u_core (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .key_valid_i  (key_valid),
    .key_ready_o  (key_ready),
    .key_i        ({wdata[3], key_d}),
    .start_valid_i(start_valid),
    .start_ready_o(start_ready),
    .operation_i  (operation_e'(operation)),
    .nonce_i      (nonce_q),
    .block_valid_i(block_valid),
    .block_ready_o(block_ready),
    .block_i      (block),
    .block_bytes_i(block_bytes),
    .block_last_i (block_last),
    .text_o       (unused_text),
    .block_valid_o(result_valid),
    .block_ready_i(result_ready),
    .block_o      (result),
    .block_bytes_o(result_bytes),
    .block_last_o (result_last),
    .tag_valid_i  (tag_in_valid),
    .tag_ready_o  (tag_in_ready),
    .tag_i        ({wdata[3], block_d}),
    .tag_valid_o  (tag_valid),
    .tag_ready_i  (tag_ready),
    .tag_o        (tag),
    .authentic_o  (authentic),
    .drop_i       (drop),
    .zeroise_i    (zeroise),
    .busy_o       (core_busy),
    .idle_o       (unused_idle)
  );

  // While no block is offered, the core's ready says that its permutation does not run.
  logic working;

  assign working = core_busy || (phase_q != Idle && !available &&
      !(packet && !empty && block_ready) && !(phase_q == TagIn && tag_in_ready));
  assign busy_o = working || (line_valid && !line_ready);
  assign irq_o = available;

  // ------------------------------------------------------------ reads

  logic [3:0][31:0] first, second, lengths;

  always_comb begin
    first = '0;
    first[IdentificationOffset[3:2]] = IdentificationMagicValue;
    first[VersionOffset[3:2]][VersionPatchLsb+:VersionPatchWidth] = VersionPatchValue;
    first[VersionOffset[3:2]][VersionMinorLsb+:VersionMinorWidth] = VersionMinorValue;
    first[VersionOffset[3:2]][VersionMajorLsb+:VersionMajorWidth] = VersionMajorValue;
    first[CapabilityOffset[3:2]][CapabilityOperationsLsb+:CapabilityOperationsWidth] =
        CapabilityOperationsValue;
    first[CapabilityOffset[3:2]][CapabilityRoundsPerCycleLsb+:CapabilityRoundsPerCycleWidth] =
        CapabilityRoundsPerCycleWidth'(RoundsPerCycle);
    second = '0;
    second[MessageOffset[3:2]][MessageOperationLsb+:MessageOperationWidth] = operation_q;
    second[StatusOffset[3:2]][StatusBusyLsb] = working;
    second[StatusOffset[3:2]][StatusAvailableLsb] = available;
    second[StatusOffset[3:2]][StatusMessageLsb] = phase_q != Idle;
    second[ErrorOffset[3:2]][ErrorOrderLsb] = order_q;
    second[ErrorOffset[3:2]][ErrorTagLsb] = tag_q;
    lengths = '0;
    lengths[AssociatedBytesOffset[3:2]] = associated_bytes_q;
    lengths[TextBytesOffset[3:2]] = text_bytes_q;
    unique case (line)
      IdentificationOffset[11:4]: rdata = first;
      ControlOffset[11:4]:        rdata = second;
      TextBytesOffset[11:4]:      rdata = lengths;
      default:                    rdata = '0;
    endcase
    if (at_data_out && waits) rdata = result;
    if (at_data_out && tag_waits) rdata = tag;
  end

  logic unused_address;
  assign unused_address = ^line_address[3:0];

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

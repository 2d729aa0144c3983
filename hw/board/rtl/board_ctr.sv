// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The FPGA of a board with memory banks: AES-128 in counter mode by several cores at once
// (V. Conti, S. Vitabile, "Design Exploration of AES Accelerators on FPGAs and GPUs",
// sections 4.1 to 4.3). The host writes a message to the banks, starts it here, waits, and
// reads the result from the same place.
//
// Block n of the message is in bank n modulo Banks and goes through core n modulo Cores.
// The banks are on memory_clk_i, the cores on core_clk_i; a FIFO leads to each core and one
// back. The two clocks need not be related. Encryption and decryption are the same.
//
// rst_ni clears every register and memory with key or data; there is no other zeroise. The
// last key stays in the cores until the next start or a reset.
module board_ctr #(
  parameter int unsigned Cores = 4,
  parameter int unsigned Banks = 4,
  // Cores of one operation of a round a cycle (1, aes_stepped) or of one round a cycle (0).
  parameter int unsigned Stepped = 0,
  // Width of the address of a bank's words of 32 bits.
  parameter int unsigned AddressWidth = 19,
  // Depth of each FIFO in blocks: a power of two from 4 to 128. A reset clears a block a cycle.
  parameter int unsigned FifoBlocks = 8,
  localparam int unsigned LengthWidth = AddressWidth + 3 + $clog2(Banks)
) (
  input  logic                              memory_clk_i,
  input  logic                              core_clk_i,
  input  logic                              rst_ni,

  // A message, on memory_clk_i: key, counter of the first block (byte 0 in the low bits, as
  // everywhere), and length, at most that of the banks together.
  input  logic                              start_valid_i,
  output logic                              start_ready_o,
  input  logic [127:0]                      key_i,
  input  logic [127:0]                      counter_i,
  input  logic [LengthWidth-1:0]            bytes_i,
  output logic                              busy_o,
  // Cycles of memory_clk_i for which the last message was busy: the timer of the board.
  output logic [31:0]                       cycles_o,

  // The port of each bank, on memory_clk_i (board_bank).
  output logic [Banks-1:0]                  memory_valid_o,
  input  logic [Banks-1:0]                  memory_ready_i,
  output logic [Banks-1:0]                  memory_write_o,
  output logic [Banks-1:0][AddressWidth-1:0] memory_address_o,
  output logic [Banks-1:0][3:0]             memory_strobe_o,
  output logic [Banks-1:0][31:0]            memory_data_o,
  input  logic [Banks-1:0][31:0]            memory_data_i
);

  if (Cores < 1 || Cores > 8) begin : gen_bad_cores
    $error("board_ctr: Cores must be 1 to 8");
  end
  if (Banks < 1 || Banks > 4) begin : gen_bad_banks
    $error("board_ctr: Banks must be 1 to 4");
  end
  if (Stepped > 1) begin : gen_bad_stepped
    $error("board_ctr: Stepped must be 0 or 1");
  end
  if (AddressWidth < 4 || AddressWidth > 24) begin : gen_bad_address_width
    $error("board_ctr: AddressWidth must be 4 to 24");
  end
  if (FifoBlocks < 4 || FifoBlocks > 128 || (FifoBlocks & (FifoBlocks - 1)) != 0)
  begin : gen_bad_fifo_blocks
    $error("board_ctr: FifoBlocks must be a power of two from 4 to 128");
  end

  localparam int unsigned IndexWidth = LengthWidth - 4;

  // Resets, one for each clock.
  logic memory_rst_n, core_rst_n;

  prim_reset_synchroniser u_memory_reset (
    .clk_i  (memory_clk_i),
    .rst_ni (rst_ni),
    .rst_no (memory_rst_n)
  );

  prim_reset_synchroniser u_core_reset (
    .clk_i  (core_clk_i),
    .rst_ni (rst_ni),
    .rst_no (core_rst_n)
  );

  // Control. Key and counter go to the cores first; no block moves before they have them.
  typedef enum logic [1:0] {
    StateIdle,
    StateKey,
    StateRun
  } state_e;

  state_e                state_q;
  logic [IndexWidth-1:0] blocks_q, blocks;
  logic [3:0]            last_bytes_q;
  logic                  start, begin_run, crossing_ready;
  logic [Banks-1:0]      done;

  assign start_ready_o = state_q == StateIdle && crossing_ready;
  assign start = start_valid_i && start_ready_o;
  assign begin_run = state_q == StateKey && crossing_ready;
  assign busy_o = state_q != StateIdle;
  // The banks have nothing to do before the cores have the key.
  assign blocks = state_q == StateRun ? blocks_q : '0;

  always_ff @(posedge memory_clk_i or negedge memory_rst_n) begin
    if (!memory_rst_n) begin
      state_q      <= StateIdle;
      blocks_q     <= '0;
      last_bytes_q <= '0;
      cycles_o     <= '0;
    end else begin
      unique case (state_q)
        StateIdle: if (start) state_q <= StateKey;
        StateKey: if (begin_run) state_q <= StateRun;
        StateRun: if (&done) state_q <= StateIdle;
        default: state_q <= StateIdle;
      endcase
      if (start) begin
        blocks_q     <= IndexWidth'(bytes_i[LengthWidth-1:4]) + IndexWidth'(|bytes_i[3:0]);
        last_bytes_q <= bytes_i[3:0];
        cycles_o     <= '0;
      end else if (busy_o) begin
        cycles_o <= cycles_o + 1'b1;
      end
    end
  end

  logic             lanes_valid, lanes_ready;
  logic [127:0]     lanes_key, lanes_counter;
  logic [Cores-1:0] lane_taken;

  prim_handshake_crossing #(
    .Width (256)
  ) u_start (
    .src_clk_i   (memory_clk_i),
    .src_rst_ni  (memory_rst_n),
    .src_valid_i (start),
    .src_ready_o (crossing_ready),
    .src_data_i  ({counter_i, key_i}),
    .dst_clk_i   (core_clk_i),
    .dst_rst_ni  (core_rst_n),
    .dst_valid_o (lanes_valid),
    .dst_ready_i (lanes_ready),
    .dst_data_o  ({lanes_counter, lanes_key})
  );

  assign lanes_ready = &lane_taken;

  // Banks.
  logic [Banks-1:0]        block_valid, block_ready, result_valid, result_ready;
  logic [Banks-1:0][127:0] block, result;

  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    board_bank #(
      .AddressWidth (AddressWidth),
      .IndexWidth   (IndexWidth),
      .Banks        (Banks),
      .Number       (b)
    ) u_bank (
      .clk_i            (memory_clk_i),
      .rst_ni           (memory_rst_n),
      .start_i          (begin_run),
      .blocks_i         (blocks),
      .last_bytes_i     (last_bytes_q),
      .done_o           (done[b]),
      .memory_valid_o   (memory_valid_o[b]),
      .memory_ready_i   (memory_ready_i[b]),
      .memory_write_o   (memory_write_o[b]),
      .memory_address_o (memory_address_o[b]),
      .memory_strobe_o  (memory_strobe_o[b]),
      .memory_data_o    (memory_data_o[b]),
      .memory_data_i    (memory_data_i[b]),
      .block_valid_o    (block_valid[b]),
      .block_ready_i    (block_ready[b]),
      .block_o          (block[b]),
      .result_valid_i   (result_valid[b]),
      .result_ready_o   (result_ready[b]),
      .result_i         (result[b])
    );
  end

  // Cores. Blocks go to them from the banks, and results back, in order.
  logic [Cores-1:0]        in_valid, in_ready, out_valid, out_ready;
  logic [Cores-1:0][127:0] in_data, out_data;

  board_turns #(
    .Sources (Banks),
    .Sinks   (Cores)
  ) u_turns_to (
    .clk_i          (memory_clk_i),
    .rst_ni         (memory_rst_n),
    .start_i        (begin_run),
    .source_valid_i (block_valid),
    .source_ready_o (block_ready),
    .source_data_i  (block),
    .sink_valid_o   (in_valid),
    .sink_ready_i   (in_ready),
    .sink_data_o    (in_data)
  );

  board_turns #(
    .Sources (Cores),
    .Sinks   (Banks)
  ) u_turns_from (
    .clk_i          (memory_clk_i),
    .rst_ni         (memory_rst_n),
    .start_i        (begin_run),
    .source_valid_i (out_valid),
    .source_ready_o (out_ready),
    .source_data_i  (out_data),
    .sink_valid_o   (result_valid),
    .sink_ready_i   (result_ready),
    .sink_data_o    (result)
  );

  for (genvar c = 0; c < Cores; c++) begin : gen_core
    logic         to_valid, to_ready, from_valid, from_ready;
    logic [127:0] to_data, from_data;
    logic         unused_busy_to, unused_busy_from;

    prim_fifo_async #(
      .Width (128),
      .Depth (FifoBlocks)
    ) u_fifo_to (
      .write_clk_i   (memory_clk_i),
      .write_rst_ni  (memory_rst_n),
      .write_clear_i (1'b0),
      .write_busy_o  (unused_busy_to),
      .write_valid_i (in_valid[c]),
      .write_ready_o (in_ready[c]),
      .write_data_i  (in_data[c]),
      .read_clk_i    (core_clk_i),
      .read_rst_ni   (core_rst_n),
      .read_clear_i  (1'b0),
      .read_valid_o  (to_valid),
      .read_ready_i  (to_ready),
      .read_data_o   (to_data)
    );

    board_lane #(
      .Stepped (Stepped),
      .Cores   (Cores),
      .Number  (c)
    ) u_lane (
      .clk_i          (core_clk_i),
      .rst_ni         (core_rst_n),
      .start_valid_i  (lanes_valid),
      .start_taken_o  (lane_taken[c]),
      .start_done_i   (lanes_valid && lanes_ready),
      .key_i          (lanes_key),
      .counter_i      (lanes_counter),
      .block_valid_i  (to_valid),
      .block_ready_o  (to_ready),
      .block_i        (to_data),
      .result_valid_o (from_valid),
      .result_ready_i (from_ready),
      .result_o       (from_data)
    );

    prim_fifo_async #(
      .Width (128),
      .Depth (FifoBlocks)
    ) u_fifo_from (
      .write_clk_i   (core_clk_i),
      .write_rst_ni  (core_rst_n),
      .write_clear_i (1'b0),
      .write_busy_o  (unused_busy_from),
      .write_valid_i (from_valid),
      .write_ready_o (from_ready),
      .write_data_i  (from_data),
      .read_clk_i    (memory_clk_i),
      .read_rst_ni   (memory_rst_n),
      .read_clear_i  (1'b0),
      .read_valid_o  (out_valid[c]),
      .read_ready_i  (out_ready[c]),
      .read_data_o   (out_data[c])
    );
  end

`ifndef SYNTHESIS
  // A rule for the surrounding logic: the message fits into the banks.
  always_ff @(posedge memory_clk_i or negedge memory_rst_n) begin
    if (memory_rst_n && start) begin
      message_fits: assert (64'(bytes_i) <= 64'(Banks) << (AddressWidth + 2))
        else $error("%m: the message is longer than the memory");
    end
  end
`endif

endmodule

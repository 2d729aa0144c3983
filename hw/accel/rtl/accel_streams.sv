// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The streams of the accelerator: width converters on the clock of the bus, and
// the FIFOs between them and the mode engine, which cross to the clock of the
// core when Asynchronous is 1.
//
// clear_i drops all data and overwrites every word that held data. It must be held until
// cleared_o is high; the streams must not be used, nor clear_i raised again, until
// released_o is high. TVALID may fall during a clear without a handshake, as in a reset.
module accel_streams
  import accel_pkg::*;
#(
  parameter int unsigned StreamWidth      = 128,
  parameter int unsigned InputFifoBlocks  = 8,
  parameter int unsigned OutputFifoBlocks = 8,
  parameter int unsigned Asynchronous     = 0,
  parameter int unsigned SyncStages       = 2,
  parameter int unsigned BlockRamFifos    = 0,
  localparam int unsigned Lanes = StreamWidth / 8
) (
  // Bus side.
  input  logic                   bus_clk_i,
  input  logic                   bus_rst_ni,
  input  logic [StreamWidth-1:0] s_axis_tdata_i,
  input  logic [Lanes-1:0]       s_axis_tkeep_i,
  input  logic                   s_axis_tlast_i,
  input  logic                   s_axis_tvalid_i,
  output logic                   s_axis_tready_o,
  output logic [StreamWidth-1:0] m_axis_tdata_o,
  output logic [Lanes-1:0]       m_axis_tkeep_o,
  output logic                   m_axis_tlast_o,
  output logic                   m_axis_tvalid_o,
  input  logic                   m_axis_tready_i,

  // Engine side.
  input  logic                   core_clk_i,
  input  logic                   core_rst_ni,
  output logic                   in_valid_o,
  input  logic                   in_ready_i,
  output input_block_t           in_o,
  input  logic                   out_valid_i,
  output logic                   out_ready_o,
  input  block_t                 out_i,
  output logic                   last_beat_o, // the last beat of a message left, for a cycle
  input  logic                   clear_i,
  output logic                   cleared_o,
  output logic                   released_o
);

  logic         bus_isolate; // the bus is isolated from the FIFOs, the converters are cleared
  input_block_t gathered;
  logic         gathered_valid, gathered_ready;
  block_t       spread;
  logic         spread_valid, spread_ready;
  logic         bus_last_beat;

  prim_stream_to_blocks #(
    .StreamWidth (StreamWidth)
  ) u_gather (
    .clk_i       (bus_clk_i),
    .rst_ni      (bus_rst_ni),
    .clear_i     (bus_isolate),
    .tdata_i     (s_axis_tdata_i),
    .tkeep_i     (s_axis_tkeep_i),
    .tlast_i     (s_axis_tlast_i),
    .tvalid_i    (s_axis_tvalid_i),
    .tready_o    (s_axis_tready_o),
    .block_o     (gathered.block.data),
    .bytes_o     (gathered.block.bytes),
    .last_o      (gathered.block.last),
    .malformed_o (gathered.malformed),
    .valid_o     (gathered_valid),
    .ready_i     (gathered_ready)
  );

  prim_blocks_to_stream #(
    .StreamWidth (StreamWidth)
  ) u_spread (
    .clk_i    (bus_clk_i),
    .rst_ni   (bus_rst_ni),
    .clear_i  (bus_isolate),
    .block_i  (spread.data),
    .bytes_i  (spread.bytes),
    .last_i   (spread.last),
    .valid_i  (spread_valid),
    .ready_o  (spread_ready),
    .tdata_o  (m_axis_tdata_o),
    .tkeep_o  (m_axis_tkeep_o),
    .tlast_o  (m_axis_tlast_o),
    .tvalid_o (m_axis_tvalid_o),
    .tready_i (m_axis_tready_i)
  );

  assign bus_last_beat = m_axis_tvalid_o && m_axis_tready_i && m_axis_tlast_o;

  if (Asynchronous == 0) begin : gen_one_clock
    logic in_busy, out_busy;

    prim_fifo #(
      .Width    ($bits(input_block_t)),
      .Depth    (InputFifoBlocks),
      .BlockRam (BlockRamFifos)
    ) u_in (
      .clk_i   (bus_clk_i),
      .rst_ni  (bus_rst_ni),
      .clear_i (clear_i),
      .busy_o  (in_busy),
      .valid_i (gathered_valid),
      .ready_o (gathered_ready),
      .data_i  (gathered),
      .valid_o (in_valid_o),
      .ready_i (in_ready_i),
      .data_o  (in_o)
    );

    prim_fifo #(
      .Width    ($bits(block_t)),
      .Depth    (OutputFifoBlocks),
      .BlockRam (BlockRamFifos)
    ) u_out (
      .clk_i   (bus_clk_i),
      .rst_ni  (bus_rst_ni),
      .clear_i (clear_i),
      .busy_o  (out_busy),
      .valid_i (out_valid_i),
      .ready_o (out_ready_o),
      .data_i  (out_i),
      .valid_o (spread_valid),
      .ready_i (spread_ready),
      .data_o  (spread)
    );

    assign bus_isolate = clear_i;
    assign last_beat_o = bus_last_beat;
    assign cleared_o   = clear_i && !in_busy && !out_busy;
    assign released_o  = 1'b1;

    logic unused_core;
    assign unused_core = ^{core_clk_i, core_rst_ni};
  end else begin : gen_two_clocks
    // A clear has three steps. Each begins when both clocks have seen the one before,
    // as in the clear sequence of PULP's cc_cdc_4phase:
    //   1. Isolate: no word enters or leaves a FIFO on either side. Pointers do not change.
    //   2. Clear: both sides zero their pointers, and each write side its memory.
    //   3. Release: both sides end the clear, then both end the isolation.
    // So neither side ever sees a pointer while the other side zeroes it. Every level that
    // crosses comes from a flip-flop, so that a glitch of clear_i, which is decoded from a
    // state, reaches no synchroniser.
    logic in_busy, out_busy, in_fifo_valid, out_fifo_ready;
    logic isolate, isolate_q, clear_q;             // on the core's clock
    logic bus_clear, bus_cleared_q;                // on the bus's clock
    logic bus_isolated_seen, bus_cleared_seen;     // on the core's clock

    assign isolate     = clear_i || isolate_q;
    assign in_valid_o  = in_fifo_valid && !isolate;
    assign out_ready_o = out_fifo_ready && !isolate;

    prim_fifo_async #(
      .Width      ($bits(input_block_t)),
      .Depth      (InputFifoBlocks),
      .SyncStages (SyncStages),
      .BlockRam   (BlockRamFifos)
    ) u_in (
      .write_clk_i   (bus_clk_i),
      .write_rst_ni  (bus_rst_ni),
      .write_clear_i (bus_clear),
      .write_busy_o  (in_busy),
      .write_valid_i (gathered_valid),
      .write_ready_o (gathered_ready),
      .write_data_i  (gathered),
      .read_clk_i    (core_clk_i),
      .read_rst_ni   (core_rst_ni),
      .read_clear_i  (clear_q),
      .read_valid_o  (in_fifo_valid),
      .read_ready_i  (in_ready_i && !isolate),
      .read_data_o   (in_o)
    );

    prim_fifo_async #(
      .Width      ($bits(block_t)),
      .Depth      (OutputFifoBlocks),
      .SyncStages (SyncStages),
      .BlockRam   (BlockRamFifos)
    ) u_out (
      .write_clk_i   (core_clk_i),
      .write_rst_ni  (core_rst_ni),
      .write_clear_i (clear_q),
      .write_busy_o  (out_busy),
      .write_valid_i (out_valid_i && !isolate),
      .write_ready_o (out_fifo_ready),
      .write_data_i  (out_i),
      .read_clk_i    (bus_clk_i),
      .read_rst_ni   (bus_rst_ni),
      .read_clear_i  (bus_clear),
      .read_valid_o  (spread_valid),
      .read_ready_i  (spread_ready),
      .read_data_o   (spread)
    );

    prim_pulse_crossing #(
      .SyncStages (SyncStages)
    ) u_last_beat (
      .src_clk_i   (bus_clk_i),
      .src_rst_ni  (bus_rst_ni),
      .src_pulse_i (bus_last_beat),
      .dst_clk_i   (core_clk_i),
      .dst_rst_ni  (core_rst_ni),
      .dst_pulse_o (last_beat_o)
    );

    // Both sides are isolated after reset, until the first clear ends.
    always_ff @(posedge core_clk_i or negedge core_rst_ni) begin
      if (!core_rst_ni) begin
        isolate_q <= 1'b1;
        clear_q   <= 1'b0;
      end else begin
        isolate_q <= clear_i || bus_cleared_seen;
        clear_q   <= clear_i && bus_isolated_seen;
      end
    end

    prim_synchroniser #(
      .ResetValue (1'b1),
      .Stages     (SyncStages)
    ) u_bus_isolate (
      .clk_i  (bus_clk_i),
      .rst_ni (bus_rst_ni),
      .data_i (isolate_q),
      .data_o (bus_isolate)
    );

    prim_synchroniser #(
      .Stages (SyncStages)
    ) u_bus_isolated (
      .clk_i  (core_clk_i),
      .rst_ni (core_rst_ni),
      .data_i (bus_isolate),
      .data_o (bus_isolated_seen)
    );

    prim_synchroniser #(
      .Stages (SyncStages)
    ) u_bus_clear (
      .clk_i  (bus_clk_i),
      .rst_ni (bus_rst_ni),
      .data_i (clear_q),
      .data_o (bus_clear)
    );

    always_ff @(posedge bus_clk_i or negedge bus_rst_ni) begin
      if (!bus_rst_ni) begin
        bus_cleared_q <= 1'b0;
      end else begin
        bus_cleared_q <= bus_clear && !in_busy;
      end
    end

    prim_synchroniser #(
      .Stages (SyncStages)
    ) u_bus_cleared (
      .clk_i  (core_clk_i),
      .rst_ni (core_rst_ni),
      .data_i (bus_cleared_q),
      .data_o (bus_cleared_seen)
    );

    assign cleared_o  = clear_q && !out_busy && bus_cleared_seen;
    assign released_o = !isolate_q && !bus_isolated_seen;

`ifndef SYNTHESIS
    // The steps come in order on both sides, from the first reset of each on.
    logic core_armed_q, bus_armed_q;

    initial core_armed_q = 1'b0;
    initial bus_armed_q = 1'b0;

    always_ff @(posedge core_clk_i or negedge core_rst_ni) begin
      if (!core_rst_ni) begin
        core_armed_q <= 1'b1;
      end else if (core_armed_q) begin
        assert (!clear_q || bus_isolate)
          else $error("accel_streams: the core's side clears before the bus is isolated");
        assert (!cleared_o || (bus_clear && !in_busy && !out_busy))
          else $error("accel_streams: cleared_o before both sides are cleared");
        assert (isolate_q || !bus_clear)
          else $error("accel_streams: the isolation ends before the bus has ended its clear");
        assert (!released_o || (!bus_isolate && !bus_clear))
          else $error("accel_streams: released_o before the bus is released");
      end
    end

    always_ff @(posedge bus_clk_i or negedge bus_rst_ni) begin
      if (!bus_rst_ni) begin
        bus_armed_q <= 1'b1;
      end else if (bus_armed_q) begin
        assert (!bus_clear || bus_isolate)
          else $error("accel_streams: the bus clears but is not isolated");
      end
    end
`endif
  end

`ifndef SYNTHESIS
  // The sender must hold a beat until it is taken. It may be reset together with an abort or
  // a zeroise: it may withdraw a beat if a clear comes before its next beat is taken, and
  // after a clear until its next beat is taken.
  logic                       beat_waits_q, excused_q, withdrawn_q;
  logic                       taken, changed;
  logic [StreamWidth+Lanes:0] beat_q;
  logic                       armed_q; // since the first reset

  initial armed_q = 1'b0;

  assign taken   = s_axis_tvalid_i && s_axis_tready_o;
  assign changed = beat_waits_q && s_axis_tvalid_i &&
                   beat_q != {s_axis_tdata_i, s_axis_tkeep_i, s_axis_tlast_i};

  always_ff @(posedge bus_clk_i or negedge bus_rst_ni) begin
    if (!bus_rst_ni) begin
      armed_q      <= 1'b1;
      beat_waits_q <= 1'b0;
      excused_q    <= 1'b1;
      withdrawn_q  <= 1'b0;
      beat_q       <= '0;
    end else begin
      beat_waits_q <= s_axis_tvalid_i && !s_axis_tready_o;
      beat_q       <= {s_axis_tdata_i, s_axis_tkeep_i, s_axis_tlast_i};
      if (bus_isolate) begin
        excused_q   <= 1'b1;
        withdrawn_q <= 1'b0;
      end else if (taken) begin
        excused_q   <= 1'b0;
        withdrawn_q <= 1'b0;
      end else if (beat_waits_q && !s_axis_tvalid_i && !excused_q) begin
        withdrawn_q <= 1'b1;
      end
      assert (!armed_q || excused_q || bus_isolate || (!changed && !(taken && withdrawn_q)))
        else $error("accel_streams: a beat was not held until TREADY");
    end
  end

  // Rules for clear_i.
  logic clear_past_q, cleared_past_q, released_past_q, owner_armed_q;

  initial owner_armed_q = 1'b0;

  always_ff @(posedge core_clk_i or negedge core_rst_ni) begin
    if (!core_rst_ni) begin
      owner_armed_q   <= 1'b1;
      clear_past_q    <= 1'b0;
      cleared_past_q  <= 1'b0;
      released_past_q <= 1'b1;
    end else begin
      clear_past_q    <= clear_i;
      cleared_past_q  <= cleared_o;
      released_past_q <= released_o;
      assert (!owner_armed_q || clear_i || !clear_past_q || cleared_past_q)
        else $error("accel_streams: clear_i fell before cleared_o was high");
      assert (!owner_armed_q || !clear_i || clear_past_q || released_past_q)
        else $error("accel_streams: clear_i rose before released_o was high");
    end
  end
`endif

endmodule

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The streams of the accelerator: width converters on the clock of the bus, and
// the FIFOs between them and the mode engine, which cross to the clock of the
// core when Asynchronous is 1.
//
// clear_i drops all data and overwrites every word that held some; the owner
// holds it until cleared_o is high and may use the streams again when released_o
// is. TVALID may fall during a clear without a handshake, as in a reset.
module accel_streams
  import accel_pkg::*;
#(
  parameter int unsigned StreamWidth      = 128,
  parameter int unsigned InputFifoBlocks  = 8,
  parameter int unsigned OutputFifoBlocks = 8,
  parameter int unsigned Asynchronous     = 0,
  localparam int unsigned Lanes = StreamWidth / 8
) (
  // The bus.
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

  // The mode engine.
  input  logic                   core_clk_i,
  input  logic                   core_rst_ni,
  output logic                   in_valid_o,
  input  logic                   in_ready_i,
  output input_block_t           in_o,
  input  logic                   out_valid_i,
  output logic                   out_ready_o,
  input  block_t                 out_i,
  output logic                   last_beat_o, // a message's last beat has left, high for a clock
  input  logic                   clear_i,
  output logic                   cleared_o,
  output logic                   released_o
);

  logic         bus_clear;
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
    .clear_i     (bus_clear),
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
    .clear_i  (bus_clear),
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
      .Width ($bits(input_block_t)),
      .Depth (InputFifoBlocks)
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
      .Width ($bits(block_t)),
      .Depth (OutputFifoBlocks)
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

    assign bus_clear   = clear_i;
    assign last_beat_o = bus_last_beat;
    assign cleared_o   = clear_i && !in_busy && !out_busy;
    assign released_o  = 1'b1;

    logic unused_core;
    assign unused_core = ^{core_clk_i, core_rst_ni};
  end else begin : gen_two_clocks
    logic in_busy, out_busy;
    logic bus_cleared_q, bus_cleared_seen;

    prim_fifo_async #(
      .Width ($bits(input_block_t)),
      .Depth (InputFifoBlocks)
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
      .read_clear_i  (clear_i),
      .read_valid_o  (in_valid_o),
      .read_ready_i  (in_ready_i),
      .read_data_o   (in_o)
    );

    prim_fifo_async #(
      .Width ($bits(block_t)),
      .Depth (OutputFifoBlocks)
    ) u_out (
      .write_clk_i   (core_clk_i),
      .write_rst_ni  (core_rst_ni),
      .write_clear_i (clear_i),
      .write_busy_o  (out_busy),
      .write_valid_i (out_valid_i),
      .write_ready_o (out_ready_o),
      .write_data_i  (out_i),
      .read_clk_i    (bus_clk_i),
      .read_rst_ni   (bus_rst_ni),
      .read_clear_i  (bus_clear),
      .read_valid_o  (spread_valid),
      .read_ready_i  (spread_ready),
      .read_data_o   (spread)
    );

    prim_pulse_crossing u_last_beat (
      .src_clk_i   (bus_clk_i),
      .src_rst_ni  (bus_rst_ni),
      .src_pulse_i (bus_last_beat),
      .dst_clk_i   (core_clk_i),
      .dst_rst_ni  (core_rst_ni),
      .dst_pulse_o (last_beat_o)
    );

    // A four-phase handshake joins both sides of a clear: each keeps its
    // pointers at zero until the other has seen them so.
    prim_synchroniser u_bus_clear (
      .clk_i  (bus_clk_i),
      .rst_ni (bus_rst_ni),
      .data_i (clear_i),
      .data_o (bus_clear)
    );

    always_ff @(posedge bus_clk_i or negedge bus_rst_ni) begin
      if (!bus_rst_ni) begin
        bus_cleared_q <= 1'b0;
      end else begin
        bus_cleared_q <= bus_clear && !in_busy;
      end
    end

    prim_synchroniser u_bus_cleared (
      .clk_i  (core_clk_i),
      .rst_ni (core_rst_ni),
      .data_i (bus_cleared_q),
      .data_o (bus_cleared_seen)
    );

    assign cleared_o  = clear_i && !out_busy && bus_cleared_seen;
    assign released_o = !bus_cleared_seen;
  end

endmodule

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The cores of the accelerator (accel_core) and their connection to its channels: channel
// n uses core n % Cores. A channel with a core of its own is connected to it directly;
// channels that share a core are connected by accel_share. The ports are those of
// aes_core, one set for each channel.
module accel_cores #(
  parameter int unsigned Core           = accel_pkg::CoreAes,
  parameter int unsigned Architecture   = accel_pkg::ArchitectureIterative,
  parameter int unsigned SBox           = accel_pkg::SBoxTable,
  parameter int unsigned Directions     = accel_pkg::DirectionsBoth,
  parameter int unsigned KeySizes       = accel_pkg::KeySizesAll,
  parameter int unsigned StagesPerRound = 1,
  parameter int unsigned BlockRam       = 0,
  parameter int unsigned KeyStorage     = 1,
  parameter int unsigned Channels       = 1,
  parameter int unsigned Cores          = 1
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,

  input  logic [Channels-1:0]        key_valid_i,
  output logic [Channels-1:0]        key_ready_o,
  input  logic [Channels-1:0][1:0]   key_size_i,
  input  logic [Channels-1:0][255:0] key_i,
  input  logic [Channels-1:0]        block_valid_i,
  output logic [Channels-1:0]        block_ready_o,
  input  logic [Channels-1:0]        block_direction_i,
  input  logic [Channels-1:0][127:0] block_i,
  output logic [Channels-1:0]        block_valid_o,
  input  logic [Channels-1:0]        block_ready_i,
  output logic [Channels-1:0][127:0] block_o,
  input  logic [Channels-1:0]        zeroise_i,
  output logic [Channels-1:0]        busy_o,
  output logic [Channels-1:0]        idle_o
);

  for (genvar g = 0; g < Cores; g++) begin : gen_core
    // The number of channels of core g: channels g, g + Cores, g + 2 Cores and so on.
    localparam int unsigned Members = (Channels - g + Cores - 1) / Cores;
    localparam int unsigned TagWidth = (Members > 1) ? $clog2(Members) : 1;

    logic                core_key_valid, core_key_ready;
    logic [1:0]          core_key_size;
    logic [255:0]        core_key;
    logic                core_in_valid, core_in_ready, core_out_valid, core_out_ready;
    logic                core_direction;
    logic [127:0]        core_in, core_out;
    logic [TagWidth-1:0] core_in_tag, core_out_tag;
    logic                core_zeroise, core_busy, core_idle;

    if (Members == 1) begin : gen_own
      assign core_key_valid       = key_valid_i[g];
      assign key_ready_o[g]       = core_key_ready;
      assign core_key_size        = key_size_i[g];
      assign core_key             = key_i[g];
      assign core_in_valid        = block_valid_i[g];
      assign block_ready_o[g]     = core_in_ready;
      assign core_direction       = block_direction_i[g];
      assign core_in              = block_i[g];
      assign block_valid_o[g]     = core_out_valid;
      assign core_out_ready       = block_ready_i[g];
      assign block_o[g]           = core_out;
      assign core_zeroise         = zeroise_i[g];
      assign busy_o[g]            = core_busy;
      assign idle_o[g]            = core_idle;

      // Results come in the order of their blocks, so no tag is needed.
      logic unused_tag;
      assign core_in_tag          = '0;
      assign unused_tag           = ^core_out_tag;
    end else begin : gen_shared
      logic [Members-1:0]        m_key_valid, m_key_ready, m_block_valid, m_block_ready;
      logic [Members-1:0]        m_direction, m_result_valid, m_result_ready;
      logic [Members-1:0]        m_zeroise, m_busy, m_idle;
      logic [Members-1:0][1:0]   m_key_size;
      logic [Members-1:0][255:0] m_key;
      logic [Members-1:0][127:0] m_block, m_result;

      for (genvar m = 0; m < Members; m++) begin : gen_member
        localparam int unsigned C = g + m * Cores;

        assign m_key_valid[m]       = key_valid_i[C];
        assign key_ready_o[C]       = m_key_ready[m];
        assign m_key_size[m]        = key_size_i[C];
        assign m_key[m]             = key_i[C];
        assign m_block_valid[m]     = block_valid_i[C];
        assign block_ready_o[C]     = m_block_ready[m];
        assign m_direction[m]       = block_direction_i[C];
        assign m_block[m]           = block_i[C];
        assign block_valid_o[C]     = m_result_valid[m];
        assign m_result_ready[m]    = block_ready_i[C];
        assign block_o[C]           = m_result[m];
        assign m_zeroise[m]         = zeroise_i[C];
        assign busy_o[C]            = m_busy[m];
        assign idle_o[C]            = m_idle[m];
      end

      accel_share #(
        .Architecture   (Architecture),
        .KeySizes       (KeySizes),
        .StagesPerRound (StagesPerRound),
        .Channels       (Members)
      ) u_share (
        .clk_i             (clk_i),
        .rst_ni            (rst_ni),
        .key_valid_i       (m_key_valid),
        .key_ready_o       (m_key_ready),
        .key_size_i        (m_key_size),
        .key_i             (m_key),
        .block_valid_i     (m_block_valid),
        .block_ready_o     (m_block_ready),
        .block_direction_i (m_direction),
        .block_i           (m_block),
        .block_valid_o     (m_result_valid),
        .block_ready_i     (m_result_ready),
        .block_o           (m_result),
        .zeroise_i         (m_zeroise),
        .busy_o            (m_busy),
        .idle_o            (m_idle),
        .core_key_valid_o  (core_key_valid),
        .core_key_ready_i  (core_key_ready),
        .core_key_size_o   (core_key_size),
        .core_key_o        (core_key),
        .core_valid_o      (core_in_valid),
        .core_ready_i      (core_in_ready),
        .core_direction_o  (core_direction),
        .core_block_o      (core_in),
        .core_tag_o        (core_in_tag),
        .core_valid_i      (core_out_valid),
        .core_ready_o      (core_out_ready),
        .core_block_i      (core_out),
        .core_tag_i        (core_out_tag),
        .core_zeroise_o    (core_zeroise),
        .core_busy_i       (core_busy),
        .core_idle_i       (core_idle)
      );
    end

    accel_core #(
      .Core           (Core),
      .Architecture   (Architecture),
      .SBox           (SBox),
      .Directions     (Directions),
      .KeySizes       (KeySizes),
      .TagWidth       (TagWidth),
      .StagesPerRound (StagesPerRound),
      .BlockRam       (BlockRam),
      .KeyStorage     (KeyStorage)
    ) u_core (
      .clk_i             (clk_i),
      .rst_ni            (rst_ni),
      .key_valid_i       (core_key_valid),
      .key_ready_o       (core_key_ready),
      .key_size_i        (core_key_size),
      .key_i             (core_key),
      .block_valid_i     (core_in_valid),
      .block_ready_o     (core_in_ready),
      .block_direction_i (core_direction),
      .block_i           (core_in),
      .block_tag_i       (core_in_tag),
      .block_valid_o     (core_out_valid),
      .block_ready_i     (core_out_ready),
      .block_o           (core_out),
      .block_tag_o       (core_out_tag),
      .zeroise_i         (core_zeroise),
      .busy_o            (core_busy),
      .idle_o            (core_idle)
    );
  end

endmodule

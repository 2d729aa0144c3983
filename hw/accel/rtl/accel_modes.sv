// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The engine of a block cipher: the modes of operation around a core. The core is outside
// and may be shared. mode_engine has the modes of SP 800-38A; accel_gcm and accel_xts are
// added with Gcm and Xts.
//
// Its ports to the channel are those of every engine (see accel_channel). In addition it
// updates the IV registers, so that a message can continue the one before, and takes a
// tweak key.
module accel_modes
  import accel_pkg::*;
#(
  parameter int unsigned Architecture   = ArchitectureIterative,
  parameter int unsigned SBox           = SBoxTable,
  parameter int unsigned KeySizes       = KeySizesAll,
  parameter int unsigned StagesPerRound = 1,
  parameter int unsigned Gcm            = 0,
  parameter int unsigned GhashDigit     = 16,
  parameter int unsigned GhashStages    = 1,
  parameter int unsigned Xts            = 0
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  configuration_t      configuration_i,
  input  logic [63:0]         length_i,
  input  logic [60:0]         aad_length_i,
  input  logic [31:0]         unit_length_i,
  input  logic                started_i,
  input  logic                begin_i,
  input  logic                run_i,
  input  logic                clear_i,
  input  logic                zeroise_i,
  output logic                busy_o,
  output logic                framing_error_o,
  output stall_t              stall_o,
  input  logic                last_beat_i,
  output logic                ended_o,
  output logic [127:0]        tag_o,

  input  logic [127:0]        iv_i,
  output logic                iv_update_o,
  output logic [127:0]        iv_o,
  output logic                counted_o,

  // The tweak key. The key of the core does not pass through this module.
  input  logic                tweak_key_valid_i,
  output logic                tweak_key_ready_o,
  input  key_size_e           key_size_i,
  input  logic [255:0]        key_i,
  input  logic                key_change_i,

  input  logic                in_valid_i,
  output logic                in_ready_o,
  input  input_block_t        in_i,
  output logic                out_valid_o,
  input  logic                out_ready_i,
  output block_t              out_o,

  output logic                core_valid_o,
  input  logic                core_ready_i,
  output direction_e          core_direction_o,
  output logic [127:0]        core_block_o,
  input  logic                core_valid_i,
  output logic                core_ready_o,
  input  logic [127:0]        core_block_i,
  input  logic                core_idle_i
);

  // Blocks that the core can hold, for which the mode engine must store data.
  localparam int unsigned AuxiliaryBlocks =
      (Architecture == ArchitecturePipelined) ? 14 * StagesPerRound + 6 : 4;

  // Between the mode engine and the core, where accel_gcm inserts blocks.
  logic         issue_valid, issue_ready, result_valid, result_ready;
  logic [127:0] issue_block, hash_block, tweak;
  logic         hash_valid, hash_ready, tweak_valid, tweak_ready;
  logic         engine_iv_update, gcm_iv_update, xts_iv_update;
  logic [127:0] engine_iv, gcm_iv, xts_iv;
  logic         engine_busy, xts_busy;

  assign busy_o = engine_busy || xts_busy;

  mode_engine #(
    .AuxiliaryBlocks (AuxiliaryBlocks),
    .Gcm             (Gcm),
    .Xts             (Xts)
  ) u_modes (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .configuration_i  (configuration_i),
    .length_i         (length_i),
    .aad_length_i     (aad_length_i),
    .begin_i          (begin_i),
    .run_i            (run_i),
    .clear_i          (clear_i),
    .busy_o           (engine_busy),
    .framing_error_o  (framing_error_o),
    .stall_o          (stall_o),
    .iv_i             (iv_i),
    .iv_update_o      (engine_iv_update),
    .iv_o             (engine_iv),
    .counted_o        (counted_o),
    .in_valid_i       (in_valid_i),
    .in_ready_o       (in_ready_o),
    .in_i             (in_i),
    .out_valid_o      (out_valid_o),
    .out_ready_i      (out_ready_i),
    .out_o            (out_o),
    .hash_valid_o     (hash_valid),
    .hash_ready_i     (hash_ready),
    .hash_block_o     (hash_block),
    .tweak_valid_i    (tweak_valid),
    .tweak_ready_o    (tweak_ready),
    .tweak_i          (tweak),
    .core_valid_o     (issue_valid),
    .core_ready_i     (issue_ready),
    .core_direction_o (core_direction_o),
    .core_block_o     (issue_block),
    .core_valid_i     (result_valid),
    .core_ready_o     (result_ready),
    .core_block_i     (core_block_i),
    .core_idle_i      (core_idle_i)
  );

  // ------------------------------------------------------------ XTS

  if (Xts == 0) begin : gen_no_xts
    assign tweak_key_ready_o = 1'b0;
    assign xts_busy          = 1'b0;
    assign xts_iv_update     = 1'b0;
    assign xts_iv            = '0;
    assign tweak_valid       = 1'b0;
    assign tweak             = '0;

    logic unused_xts;
    assign unused_xts = ^{tweak_key_valid_i, tweak_ready, zeroise_i, key_i, key_size_i,
                         unit_length_i};
  end else begin : gen_xts
    accel_xts #(
      .SBox     (SBox),
      .KeySizes (KeySizes)
    ) u_xts (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni),
      .key_valid_i   (tweak_key_valid_i),
      .key_ready_o   (tweak_key_ready_o),
      .key_size_i    (key_size_i),
      .key_i         (key_i),
      .active_i      (!configuration_i.bypass && (configuration_i.mode == ModeXts)),
      .begin_i       (begin_i),
      .run_i         (run_i),
      .clear_i       (clear_i),
      .zeroise_i     (zeroise_i),
      .busy_o        (xts_busy),
      .length_i      (length_i),
      .unit_length_i (unit_length_i),
      .iv_i          (iv_i),
      .iv_update_o   (xts_iv_update),
      .iv_o          (xts_iv),
      .tweak_valid_o (tweak_valid),
      .tweak_ready_i (tweak_ready),
      .tweak_o       (tweak)
    );
  end

  // ------------------------------------------------------------ GCM

  assign iv_update_o = gcm_iv_update || xts_iv_update || engine_iv_update;

  always_comb begin
    iv_o = engine_iv;
    if (gcm_iv_update) begin
      iv_o = gcm_iv;
    end else if (xts_iv_update) begin
      iv_o = xts_iv;
    end
  end

  if (Gcm == 0) begin : gen_no_gcm
    assign ended_o       = last_beat_i;
    assign tag_o         = '0;
    assign gcm_iv_update = 1'b0;
    assign gcm_iv        = '0;
    assign hash_ready    = 1'b1;
    assign core_valid_o  = issue_valid;
    assign issue_ready   = core_ready_i;
    assign core_block_o  = issue_block;
    assign result_valid  = core_valid_i;
    assign core_ready_o  = result_ready;

    logic unused_gcm;
    assign unused_gcm = ^{hash_valid, hash_block, started_i, key_change_i};
  end else begin : gen_gcm
    logic is_gcm, gcm_ended;

    assign is_gcm  = !configuration_i.bypass && (configuration_i.mode == ModeGcm);
    assign ended_o = is_gcm ? gcm_ended : last_beat_i;

    accel_gcm #(
      .Digit  (GhashDigit),
      .Stages (GhashStages)
    ) u_gcm (
      .clk_i          (clk_i),
      .rst_ni         (rst_ni),
      .active_i       (is_gcm),
      .started_i      (started_i),
      .begin_i        (begin_i),
      .run_i          (run_i),
      .clear_i        (clear_i),
      .key_change_i   (key_change_i),
      .length_i       (length_i),
      .aad_length_i   (aad_length_i),
      .last_beat_i    (last_beat_i),
      .ended_o        (gcm_ended),
      .tag_o          (tag_o),
      .iv_i           (iv_i),
      .iv_update_o    (gcm_iv_update),
      .iv_o           (gcm_iv),
      .hash_valid_i   (hash_valid),
      .hash_ready_o   (hash_ready),
      .hash_block_i   (hash_block),
      .engine_valid_i (issue_valid),
      .engine_ready_o (issue_ready),
      .engine_block_i (issue_block),
      .engine_valid_o (result_valid),
      .engine_ready_i (result_ready),
      .core_valid_o   (core_valid_o),
      .core_ready_i   (core_ready_i),
      .core_block_o   (core_block_o),
      .core_valid_i   (core_valid_i),
      .core_ready_o   (core_ready_o),
      .core_block_i   (core_block_i)
    );
  end

endmodule

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// One channel of the accelerator: registers, control, streams, and the engine, which
// processes one message at a time. Core selects the engine: accel_modes around the core of
// a block cipher, which channels may share, or accel_present, accel_ascon or accel_ecc, which
// contain their cores. With Sha2WordSizes, accel_sha2 is beside it, or alone, and takes the messages of SHA-2.
//
// Every engine follows these rules:
// - begin_i is high for a cycle. Configuration, lengths and IV hold from then until the
//   message has ended. run_i is high while the message may proceed.
// - It takes blocks by in_* and checks them against the lengths. It raises framing_error_o
//   instead of taking a wrong block. It gives blocks by out_*.
// - ended_o is high when the last beat has left (last_beat_i) and tag and verdict are valid.
//   They hold until started_i, which comes with the start of the next message.
// - While clear_i is high it drops the message and overwrites all registers with data;
//   busy_o is high until that is done. zeroise_i, high in the cycle before, clears the key too.
// - A key is taken by valid and ready, never during a message.
// To add an engine, add a branch here and a number in accel.rdl.
//
// The ports to the core are the counterparts of those of aes_core. Results come in the
// order of blocks. zeroise_o is high for a cycle when a zeroise begins; busy_i is high
// until the core has finished its part of it.
//
// The registers run on clk_i; with Asynchronous = 1 the streams run on bus_clk_i,
// otherwise bus_clk_i is clk_i.
module accel_channel
  import accel_pkg::*;
#(
  parameter int unsigned Core             = CoreAes,
  parameter int unsigned Architecture     = ArchitectureIterative,
  parameter int unsigned SBox             = SBoxTable,
  parameter int unsigned Directions       = DirectionsBoth,
  parameter int unsigned KeySizes         = KeySizesAll,
  parameter int unsigned StagesPerRound   = 1,
  parameter int unsigned StreamWidth      = 128,
  parameter int unsigned InputFifoBlocks  = 8,
  parameter int unsigned OutputFifoBlocks = 8,
  parameter int unsigned Asynchronous     = 0,
  parameter int unsigned SyncStages       = 2,
  parameter int unsigned BlockRamFifos    = 0,
  parameter int unsigned Gcm              = 0,
  parameter int unsigned GhashDigit       = 16,
  parameter int unsigned GhashStages      = 1,
  parameter int unsigned Xts              = 0,
  parameter int unsigned RoundsPerCycle   = 1,
  parameter int unsigned Sha2WordSizes    = 0,
  parameter int unsigned KeySlots         = 0,
  parameter int unsigned Channels         = 1,
  parameter int unsigned Cores            = 1,
  localparam int unsigned Lanes = StreamWidth / 8
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   bus_clk_i,
  input  logic                   bus_rst_ni,
  input  logic [7:0]             channel_i, // its number

  input  logic [7:0]             s_axil_awaddr_i,
  input  logic [2:0]             s_axil_awprot_i,
  input  logic                   s_axil_awvalid_i,
  output logic                   s_axil_awready_o,
  input  logic [31:0]            s_axil_wdata_i,
  input  logic [3:0]             s_axil_wstrb_i,
  input  logic                   s_axil_wvalid_i,
  output logic                   s_axil_wready_o,
  output logic [1:0]             s_axil_bresp_o,
  output logic                   s_axil_bvalid_o,
  input  logic                   s_axil_bready_i,
  input  logic [7:0]             s_axil_araddr_i,
  input  logic [2:0]             s_axil_arprot_i,
  input  logic                   s_axil_arvalid_i,
  output logic                   s_axil_arready_o,
  output logic [31:0]            s_axil_rdata_o,
  output logic [1:0]             s_axil_rresp_o,
  output logic                   s_axil_rvalid_o,
  input  logic                   s_axil_rready_i,
  output logic                   interrupt_o,

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

  output logic                   key_valid_o,
  input  logic                   key_ready_i,
  output key_size_e              key_size_o,
  output logic [255:0]           key_o,
  output logic                   block_valid_o,
  input  logic                   block_ready_i,
  output direction_e             block_direction_o,
  output logic [127:0]           block_o,
  input  logic                   block_valid_i,
  output logic                   block_ready_o,
  input  logic [127:0]           block_i,
  output logic                   zeroise_o,
  input  logic                   busy_i,
  input  logic                   idle_i
);

  if (InputFifoBlocks > 255 || OutputFifoBlocks > 255) begin : gen_bad_depth
    $fatal(1, "accel: a FIFO holds 255 blocks at most");
  end

  // SHA-2 alone takes no keys by register.
  localparam int unsigned OwnKeySizes = (Core == CoreSha2) ? 0 : KeySizes;

  // ------------------------------------------------------------ registers

  logic           start, load_key, zeroise, abort;
  configuration_t configuration;
  curve_function_t selected; // operation and elliptic curve
  logic [3:0]     outcome;
  logic           slot_held;  // the selected key slot has a key, of this curve
  logic [1:0]     slot_curve;
  logic [63:0]    length, iv_blocks, cycles, sink_bytes;
  logic [31:0]    stall_input, stall_output;
  logic           locked, key_locked, busy, zeroising, done, forged, ended, started;
  error_t         error;
  logic [7:0]     key_written;
  logic           key_clear, key_loaded, key_pending;
  logic [127:0]   iv, iv_next;
  logic           iv_written, iv_clear, iv_update, counted;
  logic [60:0]    aad_length;
  logic [31:0]    unit_length;
  logic           load_tweak_key, tweak_key_loaded, tweak_key_valid, tweak_key_ready;
  logic [127:0]   tag;

  accel_csr #(
    .Core             (Core),
    .Architecture     (Architecture),
    .SBox             (SBox),
    .Directions       (Directions),
    .KeySizes         (OwnKeySizes),
    .StagesPerRound   (StagesPerRound),
    .StreamWidth      (StreamWidth),
    .InputFifoBlocks  (InputFifoBlocks),
    .OutputFifoBlocks (OutputFifoBlocks),
    .Asynchronous     (Asynchronous),
    .Gcm              (Gcm),
    .Xts              (Xts),
    .RoundsPerCycle   (RoundsPerCycle),
    .Sha2WordSizes    (Sha2WordSizes),
    .KeySlots         (KeySlots),
    .Channels         (Channels),
    .Cores            (Cores)
  ) u_csr (
    .clk_i              (clk_i),
    .rst_ni             (rst_ni),
    .channel_i          (channel_i),
    .s_axil_awaddr_i    (s_axil_awaddr_i),
    .s_axil_awprot_i    (s_axil_awprot_i),
    .s_axil_awvalid_i   (s_axil_awvalid_i),
    .s_axil_awready_o   (s_axil_awready_o),
    .s_axil_wdata_i     (s_axil_wdata_i),
    .s_axil_wstrb_i     (s_axil_wstrb_i),
    .s_axil_wvalid_i    (s_axil_wvalid_i),
    .s_axil_wready_o    (s_axil_wready_o),
    .s_axil_bresp_o     (s_axil_bresp_o),
    .s_axil_bvalid_o    (s_axil_bvalid_o),
    .s_axil_bready_i    (s_axil_bready_i),
    .s_axil_araddr_i    (s_axil_araddr_i),
    .s_axil_arprot_i    (s_axil_arprot_i),
    .s_axil_arvalid_i   (s_axil_arvalid_i),
    .s_axil_arready_o   (s_axil_arready_o),
    .s_axil_rdata_o     (s_axil_rdata_o),
    .s_axil_rresp_o     (s_axil_rresp_o),
    .s_axil_rvalid_o    (s_axil_rvalid_o),
    .s_axil_rready_i    (s_axil_rready_i),
    .interrupt_o        (interrupt_o),
    .start_o            (start),
    .load_key_o         (load_key),
    .zeroise_o          (zeroise),
    .abort_o            (abort),
    .load_tweak_key_o   (load_tweak_key),
    .configuration_o    (configuration),
    .function_o         (selected),
    .length_o           (length),
    .aad_length_o       (aad_length),
    .unit_length_o      (unit_length),
    .locked_i           (locked),
    .busy_i             (busy),
    .zeroising_i        (zeroising),
    .done_i             (done),
    .forged_i           (forged),
    .outcome_i          (outcome),
    .error_i            (error),
    .ended_i            (ended),
    .key_o              (key_o),
    .key_written_o      (key_written),
    .key_clear_i        (key_clear),
    .key_locked_i       (key_locked),
    .key_loaded_i       (key_loaded),
    .tweak_key_loaded_i (tweak_key_loaded),
    .key_pending_i      (key_pending),
    .iv_o               (iv),
    .iv_written_o       (iv_written),
    .iv_clear_i         (iv_clear),
    .iv_update_i        (iv_update),
    .iv_i               (iv_next),
    .iv_blocks_o        (iv_blocks),
    .counted_i          (counted),
    .cycles_i           (cycles),
    .stall_input_i      (stall_input),
    .stall_output_i     (stall_output),
    .sink_bytes_i       (sink_bytes),
    .tag_i              (tag)
  );

  // ------------------------------------------------------------ control

  logic   begin_message, run, discard, framing_error, last_beat, message_ended;
  logic   clear, cleared, released;
  logic   streams_cleared, streams_last_beat;
  logic   engine_busy, key_valid, key_ready;
  logic   engine_out_valid, engine_out_ready;
  block_t engine_out;
  logic   sink_takes;
  stall_t stall;

  assign cleared   = streams_cleared && !engine_busy && !busy_i;
  assign last_beat = configuration.sink ? (sink_takes && engine_out.last) : streams_last_beat;

  accel_control #(
    .Core          (Core),
    .Directions    (Directions),
    .KeySizes      (OwnKeySizes),
    .Gcm           (Gcm),
    .Xts           (Xts),
    .Sha2WordSizes (Sha2WordSizes),
    .KeySlots      (KeySlots)
  ) u_control (
    .clk_i              (clk_i),
    .rst_ni             (rst_ni),
    .start_i            (start),
    .load_key_i         (load_key),
    .load_tweak_key_i   (load_tweak_key),
    .zeroise_i          (zeroise),
    .abort_i            (abort),
    .configuration_i    (configuration),
    .function_i         (selected),
    .slot_held_i        (slot_held),
    .slot_curve_i       (slot_curve),
    .length_i           (length),
    .unit_length_i      (unit_length),
    .iv_blocks_i        (iv_blocks),
    .iv_written_i       (iv_written),
    .key_written_i      (key_written),
    .locked_o           (locked),
    .key_locked_o       (key_locked),
    .busy_o             (busy),
    .zeroising_o        (zeroising),
    .key_loaded_o       (key_loaded),
    .tweak_key_loaded_o (tweak_key_loaded),
    .key_pending_o      (key_pending),
    .done_o             (done),
    .error_o            (error),
    .ended_o            (ended),
    .started_o          (started),
    .key_valid_o        (key_valid),
    .key_ready_i        (key_ready),
    .tweak_key_valid_o  (tweak_key_valid),
    .tweak_key_ready_i  (tweak_key_ready),
    .key_size_o         (key_size_o),
    .key_clear_o        (key_clear),
    .iv_clear_o         (iv_clear),
    .begin_o            (begin_message),
    .run_o              (run),
    .discard_o          (discard),
    .framing_error_i    (framing_error),
    .message_ended_i    (message_ended),
    .failed_i           (forged || outcome != '0),
    .clear_o            (clear),
    .cleared_i          (cleared),
    .released_i         (released),
    .core_zeroise_o     (zeroise_o)
  );

  accel_counters u_counters (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .started_i      (started),
    .busy_i         (busy),
    .stall_i        (stall),
    .sink_valid_i   (sink_takes),
    .sink_bytes_i   (engine_out.bytes),
    .cycles_o       (cycles),
    .stall_input_o  (stall_input),
    .stall_output_o (stall_output),
    .sink_bytes_o   (sink_bytes)
  );

  // ------------------------------------------------------------ streams and sink

  logic         in_valid, in_ready, engine_in_ready;
  input_block_t in_block;
  logic         fifo_ready;

  assign in_ready         = engine_in_ready || discard;
  assign engine_out_ready = configuration.sink || fifo_ready;
  assign sink_takes       = engine_out_valid && configuration.sink;

  accel_streams #(
    .StreamWidth      (StreamWidth),
    .InputFifoBlocks  (InputFifoBlocks),
    .OutputFifoBlocks (OutputFifoBlocks),
    .Asynchronous     (Asynchronous),
    .SyncStages       (SyncStages),
    .BlockRamFifos    (BlockRamFifos)
  ) u_streams (
    .bus_clk_i       (bus_clk_i),
    .bus_rst_ni      (bus_rst_ni),
    .s_axis_tdata_i  (s_axis_tdata_i),
    .s_axis_tkeep_i  (s_axis_tkeep_i),
    .s_axis_tlast_i  (s_axis_tlast_i),
    .s_axis_tvalid_i (s_axis_tvalid_i),
    .s_axis_tready_o (s_axis_tready_o),
    .m_axis_tdata_o  (m_axis_tdata_o),
    .m_axis_tkeep_o  (m_axis_tkeep_o),
    .m_axis_tlast_o  (m_axis_tlast_o),
    .m_axis_tvalid_o (m_axis_tvalid_o),
    .m_axis_tready_i (m_axis_tready_i),
    .core_clk_i      (clk_i),
    .core_rst_ni     (rst_ni),
    .in_valid_o      (in_valid),
    .in_ready_i      (in_ready),
    .in_o            (in_block),
    .out_valid_i     (engine_out_valid && !configuration.sink),
    .out_ready_o     (fifo_ready),
    .out_i           (engine_out),
    .last_beat_o     (streams_last_beat),
    .clear_i         (clear),
    .cleared_o       (streams_cleared),
    .released_o      (released)
  );

  // ------------------------------------------------------------ SHA-2

  // What the engine of Core gives.
  logic   cipher_busy, cipher_framing_error, cipher_ended, cipher_in_ready, cipher_out_valid;
  block_t cipher_out;
  stall_t cipher_stall;
  logic   for_sha2;
  hmac_request_t nonce_request; // of ECC
  hmac_answer_t  nonce_answer;

  if (Sha2WordSizes == 0) begin : gen_no_sha2
    assign for_sha2         = 1'b0;
    assign engine_busy      = cipher_busy;
    assign framing_error    = cipher_framing_error;
    assign stall            = cipher_stall;
    assign message_ended    = cipher_ended;
    assign engine_in_ready  = cipher_in_ready;
    assign engine_out_valid = cipher_out_valid;
    assign engine_out       = cipher_out;
    assign nonce_answer     = '0;
    logic unused_nonce;
    assign unused_nonce     = ^nonce_request;
  end else begin : gen_sha2
    logic   sha2_busy, sha2_framing_error, sha2_ended, sha2_in_ready, sha2_out_valid;
    block_t sha2_out;
    stall_t sha2_stall;

    accel_sha2 #(
      .WordSizes (Sha2WordSizes)
    ) u_engine (
      .clk_i           (clk_i),
      .rst_ni          (rst_ni),
      .configuration_i (configuration),
      .length_i        (length),
      .aad_length_i    (aad_length),
      .begin_i         (begin_message && for_sha2),
      .run_i           (run && for_sha2),
      .clear_i         (clear),
      .zeroise_i       (zeroise_o),
      .busy_o          (sha2_busy),
      .framing_error_o (sha2_framing_error),
      .stall_o         (sha2_stall),
      .last_beat_i     (last_beat),
      .ended_o         (sha2_ended),
      .in_valid_i      (in_valid),
      .in_ready_o      (sha2_in_ready),
      .in_i            (in_block),
      .out_valid_o     (sha2_out_valid),
      .out_ready_i     (engine_out_ready),
      .out_o           (sha2_out),
      .hmac_i          (nonce_request),
      .hmac_o          (nonce_answer)
    );

    assign for_sha2         = !configuration.bypass &&
                              is_sha2(configuration.mode, configuration.hash);
    assign engine_busy      = cipher_busy || sha2_busy;
    assign framing_error    = for_sha2 ? sha2_framing_error : cipher_framing_error;
    assign stall            = for_sha2 ? sha2_stall : cipher_stall;
    assign message_ended    = for_sha2 ? sha2_ended : cipher_ended;
    assign engine_in_ready  = for_sha2 ? sha2_in_ready : cipher_in_ready;
    assign engine_out_valid = for_sha2 ? sha2_out_valid : cipher_out_valid;
    assign engine_out       = for_sha2 ? sha2_out : cipher_out;
  end

  // ------------------------------------------------------------ the engine of Core

  if (Core != CoreEcc) begin : gen_no_slots
    assign slot_held     = 1'b0;
    assign slot_curve    = '0;
    assign nonce_request = '0;
    logic unused_answer;
    assign unused_answer = ^nonce_answer;
  end

  if (!is_outside(Core)) begin : gen_core_inside
    assign tweak_key_ready   = 1'b0;
    assign key_valid_o       = 1'b0;
    assign block_valid_o     = 1'b0;
    assign block_direction_o = DirectionEncrypt;
    assign block_o           = '0;
    assign block_ready_o     = 1'b0;

    logic unused_core;
    assign unused_core = ^{key_ready_i, block_ready_i, block_valid_i, block_i, idle_i,
                           tweak_key_valid};
  end

  if (Core == CoreSha2) begin : gen_no_cipher
    assign cipher_busy          = 1'b0;
    assign cipher_framing_error = 1'b0;
    assign cipher_stall         = '0;
    assign cipher_ended         = 1'b0;
    assign cipher_in_ready      = 1'b0;
    assign cipher_out_valid     = 1'b0;
    assign cipher_out           = '0;

    assign tag               = '0;
    assign forged            = 1'b0;
    assign outcome           = '0;
    assign key_ready         = 1'b0;
    assign iv_update         = 1'b0;
    assign iv_next           = '0;
    assign counted           = 1'b0;

    logic unused;
    assign unused = ^{started, key_valid, key_clear, unit_length, iv};
  end else if (Core == CoreEcc) begin : gen_ecc
    accel_ecc #(
      .Architecture (Architecture),
      .Curves       (KeySizes),
      .KeySlots     (KeySlots)
    ) u_engine (
      .clk_i           (clk_i),
      .rst_ni          (rst_ni),
      .function_i      (selected),
      .hash_i          (configuration.hash),
      .started_i       (started),
      .begin_i         (begin_message && !for_sha2),
      .run_i           (run && !for_sha2),
      .clear_i         (clear),
      .zeroise_i       (zeroise_o),
      .busy_o          (cipher_busy),
      .framing_error_o (cipher_framing_error),
      .stall_o         (cipher_stall),
      .last_beat_i     (last_beat),
      .ended_o         (cipher_ended),
      .outcome_o       (outcome),
      .slot_held_o     (slot_held),
      .slot_curve_o    (slot_curve),
      .in_valid_i      (in_valid),
      .in_ready_o      (cipher_in_ready),
      .in_i            (in_block),
      .out_valid_o     (cipher_out_valid),
      .out_ready_i     (engine_out_ready),
      .out_o           (cipher_out),
      .hmac_o          (nonce_request),
      .hmac_i          (nonce_answer)
    );

    assign tag               = '0;
    assign forged            = 1'b0;
    assign iv_update         = 1'b0;
    assign iv_next           = '0;
    assign counted           = 1'b0;
    assign key_ready         = 1'b0;

    logic unused;
    assign unused = ^{key_valid, key_clear, unit_length, aad_length, iv};
  end else if (Core == CoreAscon) begin : gen_ascon
    accel_ascon #(
      .Directions     (Directions),
      .RoundsPerCycle (RoundsPerCycle)
    ) u_engine (
      .clk_i           (clk_i),
      .rst_ni          (rst_ni),
      .configuration_i (configuration),
      .length_i        (length),
      .aad_length_i    (aad_length),
      .started_i       (started),
      .begin_i         (begin_message && !for_sha2),
      .run_i           (run && !for_sha2),
      .clear_i         (clear),
      .zeroise_i       (zeroise_o),
      .busy_o          (cipher_busy),
      .framing_error_o (cipher_framing_error),
      .stall_o         (cipher_stall),
      .last_beat_i     (last_beat),
      .ended_o         (cipher_ended),
      .tag_o           (tag),
      .forged_o        (forged),
      .iv_i            (iv),
      .key_valid_i     (key_valid),
      .key_ready_o     (key_ready),
      .key_i           (key_o[127:0]),
      .in_valid_i      (in_valid),
      .in_ready_o      (cipher_in_ready),
      .in_i            (in_block),
      .out_valid_o     (cipher_out_valid),
      .out_ready_i     (engine_out_ready),
      .out_o           (cipher_out)
    );

    assign outcome           = '0;
    assign iv_update         = 1'b0;
    assign iv_next           = '0;
    assign counted           = 1'b0;

    logic unused;
    assign unused = ^{key_clear, unit_length};
  end else if (Core == CorePresent) begin : gen_present
    accel_present #(
      .Directions (Directions)
    ) u_engine (
      .clk_i           (clk_i),
      .rst_ni          (rst_ni),
      .configuration_i (configuration),
      .length_i        (length),
      .begin_i         (begin_message && !for_sha2),
      .run_i           (run && !for_sha2),
      .clear_i         (clear),
      .zeroise_i       (zeroise_o),
      .busy_o          (cipher_busy),
      .framing_error_o (cipher_framing_error),
      .stall_o         (cipher_stall),
      .iv_i            (iv),
      .iv_update_o     (iv_update),
      .iv_o            (iv_next),
      .counted_o       (counted),
      .key_valid_i     (key_valid),
      .key_ready_o     (key_ready),
      .key_size_i      (key_size_o),
      .key_i           (key_o[127:0]),
      .in_valid_i      (in_valid),
      .in_ready_o      (cipher_in_ready),
      .in_i            (in_block),
      .out_valid_o     (cipher_out_valid),
      .out_ready_i     (engine_out_ready),
      .out_o           (cipher_out)
    );

    assign cipher_ended      = last_beat;
    assign tag               = '0;
    assign forged            = 1'b0;
    assign outcome           = '0;

    logic unused;
    assign unused = ^{started, key_clear, unit_length, aad_length};
  end else begin : gen_modes
    accel_modes #(
      .Architecture   (Architecture),
      .SBox           (SBox),
      .KeySizes       (KeySizes),
      .StagesPerRound (StagesPerRound),
      .Gcm            (Gcm),
      .GhashDigit     (GhashDigit),
      .GhashStages    (GhashStages),
      .Xts            (Xts)
    ) u_engine (
      .clk_i             (clk_i),
      .rst_ni            (rst_ni),
      .configuration_i   (configuration),
      .length_i          (length),
      .aad_length_i      (aad_length),
      .unit_length_i     (unit_length),
      .started_i         (started),
      .begin_i           (begin_message && !for_sha2),
      .run_i             (run && !for_sha2),
      .clear_i           (clear),
      .zeroise_i         (zeroise_o),
      .busy_o            (cipher_busy),
      .framing_error_o   (cipher_framing_error),
      .stall_o           (cipher_stall),
      .last_beat_i       (last_beat),
      .ended_o           (cipher_ended),
      .tag_o             (tag),
      .iv_i              (iv),
      .iv_update_o       (iv_update),
      .iv_o              (iv_next),
      .counted_o         (counted),
      .tweak_key_valid_i (tweak_key_valid),
      .tweak_key_ready_o (tweak_key_ready),
      .key_size_i        (key_size_o),
      .key_i             (key_o),
      .key_change_i      (key_clear),
      .in_valid_i        (in_valid),
      .in_ready_o        (cipher_in_ready),
      .in_i              (in_block),
      .out_valid_o       (cipher_out_valid),
      .out_ready_i       (engine_out_ready),
      .out_o             (cipher_out),
      .core_valid_o      (block_valid_o),
      .core_ready_i      (block_ready_i),
      .core_direction_o  (block_direction_o),
      .core_block_o      (block_o),
      .core_valid_i      (block_valid_i),
      .core_ready_o      (block_ready_o),
      .core_block_i      (block_i),
      .core_idle_i       (idle_i)
    );

    assign key_valid_o = key_valid;
    assign key_ready   = key_ready_i;
    assign forged      = 1'b0;
    assign outcome     = '0;
  end

endmodule

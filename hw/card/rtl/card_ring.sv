// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// One ring with its data mover, between its page of registers, its channel of the accelerator
// and host memory. It has four readers of memory (descriptors, two lists, data) and two
// writers (data, completions).
module card_ring
  import card_pkg::*;
#(
  parameter int unsigned Core        = accel_pkg::CoreAes, // of the channel
  parameter int unsigned KeySlots    = 8,
  parameter int unsigned Log2Entries = 10,
  parameter int unsigned DataWidth   = 128,
  parameter int unsigned StreamWidth = 128,
  parameter int unsigned BurstBeats  = 16,
  parameter int unsigned FifoBeats   = 128,
  parameter int unsigned HangCycles  = 1 << 24,
  localparam int unsigned Strobes = DataWidth / 8,
  localparam int unsigned Lanes   = StreamWidth / 8
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic [7:0]                ring_i, // its number; a port, so that rings share one module

  input  logic [11:0]               s_axil_awaddr_i,
  input  logic [2:0]                s_axil_awprot_i,
  input  logic                      s_axil_awvalid_i,
  output logic                      s_axil_awready_o,
  input  logic [31:0]               s_axil_wdata_i,
  input  logic [3:0]                s_axil_wstrb_i,
  input  logic                      s_axil_wvalid_i,
  output logic                      s_axil_wready_o,
  output logic [1:0]                s_axil_bresp_o,
  output logic                      s_axil_bvalid_o,
  input  logic                      s_axil_bready_i,
  input  logic [11:0]               s_axil_araddr_i,
  input  logic [2:0]                s_axil_arprot_i,
  input  logic                      s_axil_arvalid_i,
  output logic                      s_axil_arready_o,
  output logic [31:0]               s_axil_rdata_o,
  output logic [1:0]                s_axil_rresp_o,
  output logic                      s_axil_rvalid_o,
  input  logic                      s_axil_rready_i,
  output logic                      interrupt_o,
  output logic                      active_o,   // running or stopping
  output logic                      error_o,    // RING_ERROR is not zero
  output logic                      clearing_o, // after a reset: memories are being cleared

  // Registers of the channel.
  output logic                      write_valid_o,
  input  logic                      write_ready_i,
  output logic [7:0]                write_address_o,
  output logic [31:0]               write_data_o,
  output logic                      read_valid_o,
  input  logic                      read_ready_i,
  output logic [7:0]                read_address_o,
  input  logic [31:0]               read_data_i,
  input  logic                      channel_interrupt_i,

  // Streams of the channel.
  output logic [StreamWidth-1:0]    m_axis_tdata_o,
  output logic [Lanes-1:0]          m_axis_tkeep_o,
  output logic                      m_axis_tlast_o,
  output logic                      m_axis_tvalid_o,
  input  logic                      m_axis_tready_i,
  input  logic [StreamWidth-1:0]    s_axis_tdata_i,
  input  logic [Lanes-1:0]          s_axis_tkeep_i,
  input  logic                      s_axis_tlast_i,
  input  logic                      s_axis_tvalid_i,
  output logic                      s_axis_tready_o,

  // Memory: card_memory has the rules.
  output logic [3:0]                ar_valid_o,
  input  logic [3:0]                ar_ready_i,
  output logic [3:0][63:0]          ar_address_o,
  output logic [3:0][7:0]           ar_beats_o,
  input  logic [3:0]                r_valid_i,
  input  logic [DataWidth-1:0]      r_data_i,
  input  logic                      r_error_i,
  input  logic                      r_last_i,
  output logic [1:0]                aw_valid_o,
  input  logic [1:0]                aw_ready_i,
  output logic [1:0][63:0]          aw_address_o,
  output logic [1:0][7:0]           aw_beats_o,
  output logic [1:0]                w_valid_o,
  input  logic [1:0]                w_ready_i,
  output logic [1:0][DataWidth-1:0] w_data_o,
  output logic [1:0][Strobes-1:0]   w_strobes_o,
  output logic [1:0]                w_last_o,
  input  logic [1:0]                b_valid_i,
  input  logic                      b_error_i
);

  // Who is which reader and writer of memory.
  localparam int unsigned Descriptors = 0;
  localparam int unsigned SourceList  = 1;
  localparam int unsigned DestinationList = 2;
  localparam int unsigned Source      = 3;
  localparam int unsigned Completions = 0;
  localparam int unsigned Destination = 1;

  // ------------------------------------------------------------ registers

  logic             begins, run, stop, stopped;
  logic [63:0]      ring_base, completions_base;
  logic [4:0]       log2;
  logic [31:0]      doorbell, issued, completed;
  logic             fetch_error, completion_error, hang;
  logic             interrupt_enable, acknowledge;
  logic [15:0]      interrupt_messages;
  logic [31:0]      interrupt_cycles, acknowledged;
  logic             store_key, store_tweak_key, erase_key, key_clear, key_busy;
  logic [7:0]       key_slot;
  logic [1:0]       key_size;
  logic [7:0][31:0] key;

  card_ring_csr #(
    .KeySlots    (KeySlots),
    .Log2Entries (Log2Entries)
  ) u_csr (
    .clk_i                (clk_i),
    .rst_ni               (rst_ni),
    .ring_i               (ring_i),
    .s_axil_awaddr_i      (s_axil_awaddr_i),
    .s_axil_awprot_i      (s_axil_awprot_i),
    .s_axil_awvalid_i     (s_axil_awvalid_i),
    .s_axil_awready_o     (s_axil_awready_o),
    .s_axil_wdata_i       (s_axil_wdata_i),
    .s_axil_wstrb_i       (s_axil_wstrb_i),
    .s_axil_wvalid_i      (s_axil_wvalid_i),
    .s_axil_wready_o      (s_axil_wready_o),
    .s_axil_bresp_o       (s_axil_bresp_o),
    .s_axil_bvalid_o      (s_axil_bvalid_o),
    .s_axil_bready_i      (s_axil_bready_i),
    .s_axil_araddr_i      (s_axil_araddr_i),
    .s_axil_arprot_i      (s_axil_arprot_i),
    .s_axil_arvalid_i     (s_axil_arvalid_i),
    .s_axil_arready_o     (s_axil_arready_o),
    .s_axil_rdata_o       (s_axil_rdata_o),
    .s_axil_rresp_o       (s_axil_rresp_o),
    .s_axil_rvalid_o      (s_axil_rvalid_o),
    .s_axil_rready_i      (s_axil_rready_i),
    .begin_o              (begins),
    .run_o                (run),
    .stop_o               (stop),
    .stopped_i            (stopped),
    .ring_o               (ring_base),
    .completions_o        (completions_base),
    .log2_o               (log2),
    .doorbell_o           (doorbell),
    .issued_i             (issued),
    .completed_i          (completed),
    .fetch_error_i        (fetch_error),
    .completion_error_i   (completion_error),
    .hang_i               (hang),
    .error_set_o          (error_o),
    .active_o             (active_o),
    .interrupt_enable_o   (interrupt_enable),
    .interrupt_messages_o (interrupt_messages),
    .interrupt_cycles_o   (interrupt_cycles),
    .acknowledge_o        (acknowledge),
    .acknowledged_o       (acknowledged),
    .store_key_o          (store_key),
    .store_tweak_key_o    (store_tweak_key),
    .erase_key_o          (erase_key),
    .slot_o               (key_slot),
    .key_size_o           (key_size),
    .key_o                (key),
    .key_clear_i          (key_clear),
    .key_busy_i           (key_busy)
  );

  // ------------------------------------------------------------ keys

  logic        lock, lock_ready, use_tweak, held, tweak_held, changed, forget, forgotten;
  logic [7:0]  use_slot, changed_slot;
  logic [2:0]  use_word;
  logic [31:0] use_data;
  logic [1:0]  use_size;

  card_keys #(
    .KeySlots (KeySlots)
  ) u_keys (
    .clk_i             (clk_i),
    .rst_ni            (rst_ni),
    .busy_o            (key_busy),
    .store_i           (store_key),
    .store_tweak_i     (store_tweak_key),
    .erase_i           (erase_key),
    .slot_i            (key_slot),
    .key_size_i        (key_size),
    .key_i             (key),
    .clear_o           (key_clear),
    .lock_i            (lock),
    .lock_ready_o      (lock_ready),
    .read_slot_i       (use_slot),
    .read_tweak_i      (use_tweak),
    .read_word_i       (use_word),
    .read_data_o       (use_data),
    .read_held_o       (held),
    .read_tweak_held_o (tweak_held),
    .read_size_o       (use_size),
    .changed_o         (changed),
    .changed_slot_o    (changed_slot),
    .forget_o          (forget),
    .forgotten_i       (forgotten)
  );

  // ------------------------------------------------------------ descriptors

  number_t          arrived, complete, source_number, destination_number, number;
  logic [3:0]       source_word, destination_word, word;
  logic [2:0][31:0] words;
  logic             fetch_failed, fetch_quiet;

  card_fetch #(
    .DataWidth   (DataWidth),
    .Log2Entries (Log2Entries)
  ) u_fetch (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .run_i        (run),
    .clear_i      (begins),
    .quiet_o      (fetch_quiet),
    .base_i       (ring_base),
    .log2_i       (log2),
    .doorbell_i   (doorbell),
    .complete_i   (complete),
    .arrived_o    (arrived),
    .failed_o     (fetch_failed),
    .number_i     ({destination_number, source_number, number}),
    .word_i       ({destination_word, source_word, word}),
    .word_o       (words),
    .ar_valid_o   (ar_valid_o[Descriptors]),
    .ar_ready_i   (ar_ready_i[Descriptors]),
    .ar_address_o (ar_address_o[Descriptors]),
    .ar_beats_o   (ar_beats_o[Descriptors]),
    .r_valid_i    (r_valid_i[Descriptors]),
    .r_data_i     (r_data_i),
    .r_error_i    (r_error_i),
    .r_last_i     (r_last_i)
  );

  // ------------------------------------------------------------ pieces

  logic    flush, flush_begins, pieces_clear;
  number_t restart;
  logic    source_quiet, source_list_error, source_read_error;
  logic    source_valid, source_ready, source_taken, source_room, source_busy, source_known;
  logic    destination_quiet, destination_list_error, destination_read_error;
  logic    destination_valid, destination_ready, destination_taken, destination_room;
  logic    destination_busy, destination_known, written, unused_source_done;
  number_t reading_number, writing_number;
  piece_t  source_piece, destination_piece;
  logic    mover_read_ready, mover_write_ready, mover_read_done, mover_write_done;
  logic    mover_read_error, mover_write_failed, mover_stopping;

  assign pieces_clear = flush || begins;

  card_pieces #(
    .DataWidth   (DataWidth),
    .Destination (1'b0)
  ) u_source (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .clear_i       (pieces_clear),
    .restart_i     (begins ? '0 : restart),
    .quiet_o       (source_quiet),
    .arrived_i     (run ? arrived : source_number),
    .number_o      (source_number),
    .word_o        (source_word),
    .word_i        (words[1]),
    .list_error_o  (source_list_error),
    .read_error_o  (source_read_error),
    .piece_valid_o (source_valid),
    .piece_ready_i (source_ready),
    .piece_o       (source_piece),
    .ar_valid_o    (ar_valid_o[SourceList]),
    .ar_ready_i    (ar_ready_i[SourceList]),
    .ar_address_o  (ar_address_o[SourceList]),
    .ar_beats_o    (ar_beats_o[SourceList]),
    .r_valid_i     (r_valid_i[SourceList]),
    .r_data_i      (r_data_i),
    .r_error_i     (r_error_i),
    .r_last_i      (r_last_i)
  );

  card_pieces #(
    .DataWidth   (DataWidth),
    .Destination (1'b1)
  ) u_destination (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .clear_i       (pieces_clear),
    .restart_i     (begins ? '0 : restart),
    .quiet_o       (destination_quiet),
    .arrived_i     (run ? arrived : destination_number),
    .number_o      (destination_number),
    .word_o        (destination_word),
    .word_i        (words[2]),
    .list_error_o  (destination_list_error),
    .read_error_o  (destination_read_error),
    .piece_valid_o (destination_valid),
    .piece_ready_i (destination_ready),
    .piece_o       (destination_piece),
    .ar_valid_o    (ar_valid_o[DestinationList]),
    .ar_ready_i    (ar_ready_i[DestinationList]),
    .ar_address_o  (ar_address_o[DestinationList]),
    .ar_beats_o    (ar_beats_o[DestinationList]),
    .r_valid_i     (r_valid_i[DestinationList]),
    .r_data_i      (r_data_i),
    .r_error_i     (r_error_i),
    .r_last_i      (r_last_i)
  );

  assign source_ready      = mover_read_ready && source_room;
  assign source_taken      = source_valid && source_ready;
  assign destination_ready = mover_write_ready && destination_room;
  assign destination_taken = destination_valid && destination_ready;

  card_order u_reading (
    .clk_i    (clk_i),
    .rst_ni   (rst_ni),
    .clear_i  (flush),
    .busy_o   (source_busy),
    .ready_o  (source_room),
    .taken_i  (source_taken),
    .number_i (source_number),
    .ends_i   (source_piece.ends),
    .ended_i  (mover_read_done),
    .valid_o  (source_known),
    .number_o (reading_number),
    .done_o   (unused_source_done)
  );

  card_order u_writing (
    .clk_i    (clk_i),
    .rst_ni   (rst_ni),
    .clear_i  (flush),
    .busy_o   (destination_busy),
    .ready_o  (destination_room),
    .taken_i  (destination_taken),
    .number_i (destination_number),
    .ends_i   (destination_piece.ends),
    .ended_i  (mover_write_done),
    .valid_o  (destination_known),
    .number_o (writing_number),
    .done_o   (written)
  );

  // ------------------------------------------------------------ the mover

  logic                   in_valid, in_ready, out_valid, out_ready;

  // Fetches are not used, and card_memory gives the constant signals of the memory bus.
  /* verilator lint_off PINCONNECTEMPTY */
  dma_mover #(
    .DataWidth     (DataWidth),
    .StreamWidth   (StreamWidth),
    .BurstBeats    (BurstBeats),
    .FifoBeats     (FifoBeats),
    .AddressWidth  (64),
    .ByteAlignment (1),
    .Protection    (0)
  ) u_mover (
    .clk_i               (clk_i),
    .rst_ni              (rst_ni),
    .abort_i             (flush_begins),
    .stopping_o          (mover_stopping),
    .dropped_o           (),
    .busy_o              (),
    .read_valid_i        (source_valid && source_room),
    .read_ready_o        (mover_read_ready),
    .read_skip_i         (1'b0),
    .read_address_i      (source_piece.address),
    .read_length_i       (source_piece.length),
    .read_message_end_i  (source_piece.last),
    .read_done_o         (mover_read_done),
    .read_error_o        (mover_read_error),
    .write_valid_i       (destination_valid && destination_room),
    .write_ready_o       (mover_write_ready),
    .write_skip_i        (1'b0),
    .write_address_i     (destination_piece.address),
    .write_length_i      (destination_piece.length),
    .write_message_end_i (destination_piece.last),
    .write_done_o        (mover_write_done),
    .write_error_o       (),
    .write_failed_o      (mover_write_failed),
    .framing_error_o     (),
    .fetch_valid_i       (1'b0),
    .fetch_ready_o       (),
    .fetch_address_i     ('0),
    .fetch_beats_i       ('0),
    .fetched_valid_o     (),
    .fetched_data_o      (),
    .fetched_error_o     (),
    .fetched_last_o      (),
    .m_axi_awid_o        (),
    .m_axi_awaddr_o      (aw_address_o[Destination]),
    .m_axi_awlen_o       (aw_beats_o[Destination]),
    .m_axi_awsize_o      (),
    .m_axi_awburst_o     (),
    .m_axi_awcache_o     (),
    .m_axi_awprot_o      (),
    .m_axi_awvalid_o     (aw_valid_o[Destination]),
    .m_axi_awready_i     (aw_ready_i[Destination]),
    .m_axi_wdata_o       (w_data_o[Destination]),
    .m_axi_wstrb_o       (w_strobes_o[Destination]),
    .m_axi_wlast_o       (w_last_o[Destination]),
    .m_axi_wvalid_o      (w_valid_o[Destination]),
    .m_axi_wready_i      (w_ready_i[Destination]),
    .m_axi_bid_i         (1'b0),
    .m_axi_bresp_i       ({b_error_i, 1'b0}),
    .m_axi_bvalid_i      (b_valid_i[Destination]),
    .m_axi_bready_o      (),
    .m_axi_arid_o        (),
    .m_axi_araddr_o      (ar_address_o[Source]),
    .m_axi_arlen_o       (ar_beats_o[Source]),
    .m_axi_arsize_o      (),
    .m_axi_arburst_o     (),
    .m_axi_arcache_o     (),
    .m_axi_arprot_o      (),
    .m_axi_arvalid_o     (ar_valid_o[Source]),
    .m_axi_arready_i     (ar_ready_i[Source]),
    .m_axi_rid_i         (1'b0),
    .m_axi_rdata_i       (r_data_i),
    .m_axi_rresp_i       ({r_error_i, 1'b0}),
    .m_axi_rlast_i       (r_last_i),
    .m_axi_rvalid_i      (r_valid_i[Source]),
    .m_axi_rready_o      (),
    .m_axis_tdata_o      (m_axis_tdata_o),
    .m_axis_tkeep_o      (m_axis_tkeep_o),
    .m_axis_tlast_o      (m_axis_tlast_o),
    .m_axis_tvalid_o     (in_valid),
    .m_axis_tready_i     (in_ready),
    .s_axis_tdata_i      (s_axis_tdata_i),
    .s_axis_tkeep_i      (s_axis_tkeep_i),
    .s_axis_tlast_i      (s_axis_tlast_i),
    .s_axis_tvalid_i     (out_valid),
    .s_axis_tready_o     (out_ready)
  );
  /* verilator lint_on PINCONNECTEMPTY */

  // ------------------------------------------------------------ the gate

  logic        opens, input_done, output_done, mismatch;
  logic [1:0]  packets;
  logic [31:0] bytes;

  card_gate #(
    .StreamWidth (StreamWidth)
  ) u_gate (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .open_i        (opens),
    .close_i       (flush),
    .packets_i     (packets),
    .bytes_i       (bytes),
    .input_done_o  (input_done),
    .output_done_o (output_done),
    .mismatch_o    (mismatch),
    .in_last_i     (m_axis_tlast_o),
    .in_valid_i    (in_valid),
    .in_ready_o    (in_ready),
    .in_valid_o    (m_axis_tvalid_o),
    .in_ready_i    (m_axis_tready_i),
    .out_keep_i    (s_axis_tkeep_i),
    .out_last_i    (s_axis_tlast_i),
    .out_valid_i   (s_axis_tvalid_i),
    .out_ready_o   (s_axis_tready_o),
    .out_valid_o   (out_valid),
    .out_ready_i   (out_ready)
  );

  // ------------------------------------------------------------ the sequence

  logic    result_valid, result_ready, drained, written_quiet, failed, waking, quiet;
  number_t failed_number;
  result_t result;

  assign quiet      = source_quiet && destination_quiet && !mover_stopping && !source_busy &&
                      !destination_busy;
  assign clearing_o = waking || mover_stopping || key_busy || !drained;

  card_sequencer #(
    .Core       (Core),
    .HangCycles (HangCycles)
  ) u_sequencer (
    .clk_i                (clk_i),
    .rst_ni               (rst_ni),
    .begin_i              (begins),
    .run_i                (run),
    .stop_i               (stop),
    .stopped_o            (stopped),
    .waking_o             (waking),
    .fetch_error_o        (fetch_error),
    .hang_o               (hang),
    .arrived_i            (arrived),
    .fetch_failed_i       (fetch_failed),
    .fetch_quiet_i        (fetch_quiet),
    .number_o             (number),
    .word_o               (word),
    .word_i               (words[0]),
    .lock_o               (lock),
    .lock_ready_i         (lock_ready),
    .slot_o               (use_slot),
    .slot_tweak_o         (use_tweak),
    .slot_word_o          (use_word),
    .slot_data_i          (use_data),
    .slot_held_i          (held),
    .slot_tweak_held_i    (tweak_held),
    .slot_size_i          (use_size),
    .changed_i            (changed),
    .changed_slot_i       (changed_slot),
    .forget_i             (forget),
    .forgotten_o          (forgotten),
    .write_valid_o        (write_valid_o),
    .write_ready_i        (write_ready_i),
    .write_address_o      (write_address_o),
    .write_data_o         (write_data_o),
    .read_valid_o         (read_valid_o),
    .read_ready_i         (read_ready_i),
    .read_address_o       (read_address_o),
    .read_data_i          (read_data_i),
    .interrupt_i          (channel_interrupt_i),
    .flush_o              (flush),
    .flush_begins_o       (flush_begins),
    .restart_o            (restart),
    .quiet_i              (quiet),
    .pieces_error_i       (source_list_error || source_read_error),
    .pieces_list_i        (source_list_error),
    .pieces_number_i      (source_number),
    .destination_error_i  (destination_list_error || destination_read_error),
    .destination_list_i   (destination_list_error),
    .destination_number_i (destination_number),
    .read_error_i         (mover_read_error && source_known),
    .read_number_i        (reading_number),
    .write_error_i        (mover_write_failed && destination_known),
    .write_number_i       (writing_number),
    .open_o               (opens),
    .packets_o            (packets),
    .bytes_o              (bytes),
    .input_done_i         (input_done),
    .output_done_i        (output_done),
    .mismatch_i           (mismatch),
    .result_valid_o       (result_valid),
    .result_ready_i       (result_ready),
    .result_o             (result),
    .drained_i            (drained),
    .written_quiet_i      (written_quiet),
    .failed_i             (failed),
    .failed_number_i      (failed_number)
  );

  // ------------------------------------------------------------ completions

  logic completed_pulse, notify;

  card_completion #(
    .DataWidth   (DataWidth),
    .Log2Entries (Log2Entries)
  ) u_completion (
    .clk_i             (clk_i),
    .rst_ni            (rst_ni),
    .clear_i           (begins),
    .quiet_o           (written_quiet),
    .base_i            (completions_base),
    .log2_i            (log2),
    .valid_i           (result_valid),
    .ready_o           (result_ready),
    .result_i          (result),
    .drained_o         (drained),
    .drop_i            (flush),
    .written_i         (written),
    .write_failed_i    (mover_write_failed),
    .failed_o          (failed),
    .failed_number_o   (failed_number),
    .complete_o        (complete),
    .issued_o          (issued),
    .completed_o       (completed),
    .completed_pulse_o (completed_pulse),
    .notify_o          (notify),
    .error_o           (completion_error),
    .aw_valid_o        (aw_valid_o[Completions]),
    .aw_ready_i        (aw_ready_i[Completions]),
    .aw_address_o      (aw_address_o[Completions]),
    .aw_beats_o        (aw_beats_o[Completions]),
    .w_valid_o         (w_valid_o[Completions]),
    .w_ready_i         (w_ready_i[Completions]),
    .w_data_o          (w_data_o[Completions]),
    .w_strobes_o       (w_strobes_o[Completions]),
    .w_last_o          (w_last_o[Completions]),
    .b_valid_i         (b_valid_i[Completions]),
    .b_error_i         (b_error_i)
  );

  card_interrupt u_interrupt (
    .clk_i             (clk_i),
    .rst_ni            (rst_ni),
    .clear_i           (begins),
    .enable_i          (interrupt_enable),
    .messages_i        (interrupt_messages),
    .cycles_i          (interrupt_cycles),
    .acknowledge_i     (acknowledge),
    .acknowledged_i    (acknowledged),
    .completed_i       (completed),
    .completed_pulse_i (completed_pulse),
    .notify_i          (notify),
    .error_set_i       (error_o),
    .interrupt_o       (interrupt_o)
  );

  logic unused;
  assign unused = unused_source_done;

endmodule

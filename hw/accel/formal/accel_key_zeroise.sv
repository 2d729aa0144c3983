// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: the registers and the control of the accelerator; all other signals are
// free. The properties hold from reset on, for every behaviour of the host. A key word
// that was not written since the key registers were last cleared is zero. The key
// registers are cleared when a core takes the key, when a key is refused, and by a
// zeroise, which also clears the IV. During a zeroise, writes to them have no effect.
module accel_key_zeroise (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [7:0]   awaddr_i,
  input logic         awvalid_i,
  input logic [31:0]  wdata_i,
  input logic [3:0]   wstrb_i,
  input logic         wvalid_i,
  input logic         bready_i,
  input logic [7:0]   araddr_i,
  input logic         arvalid_i,
  input logic         rready_i,
  input logic         key_ready_i,
  input logic         tweak_key_ready_i,
  input logic         framing_error_i,
  input logic         message_ended_i,
  input logic         forged_i,
  input logic         cleared_i,
  input logic         released_i,
  input logic         iv_update_i,
  input logic [127:0] iv_i,
  input logic         counted_i
);

  logic                      start, load_key, zeroise, abort;
  accel_pkg::configuration_t configuration;
  accel_pkg::error_t         error;
  logic [63:0]               length, iv_blocks;
  logic [60:0]               aad_length;
  logic [31:0]               unit_length;
  logic                      load_tweak_key, tweak_key_loaded, tweak_key_valid;
  logic                      locked, busy, zeroising, done, ended, started;
  logic [255:0]              key;
  logic [7:0]                key_written;
  logic                      key_clear, key_locked, key_loaded, key_pending, key_valid;
  accel_pkg::key_size_e      key_size;
  logic [127:0]              iv;
  logic                      iv_written, iv_clear;
  logic                      core_zeroise;

  // Responses to the host and controls of the streams are not checked here.
  /* verilator lint_off PINCONNECTEMPTY */

  accel_csr #(
    .Gcm (1),
    .Xts (1)
  ) u_csr (
    .clk_i              (clk_i),
    .rst_ni             (rst_ni),
    .channel_i          (8'd0),
    .s_axil_awaddr_i    (awaddr_i),
    .s_axil_awprot_i    (3'b0),
    .s_axil_awvalid_i   (awvalid_i),
    .s_axil_awready_o   (),
    .s_axil_wdata_i     (wdata_i),
    .s_axil_wstrb_i     (wstrb_i),
    .s_axil_wvalid_i    (wvalid_i),
    .s_axil_wready_o    (),
    .s_axil_bresp_o     (),
    .s_axil_bvalid_o    (),
    .s_axil_bready_i    (bready_i),
    .s_axil_araddr_i    (araddr_i),
    .s_axil_arprot_i    (3'b0),
    .s_axil_arvalid_i   (arvalid_i),
    .s_axil_arready_o   (),
    .s_axil_rdata_o     (),
    .s_axil_rresp_o     (),
    .s_axil_rvalid_o    (),
    .s_axil_rready_i    (rready_i),
    .interrupt_o        (),
    .start_o            (start),
    .load_key_o         (load_key),
    .zeroise_o          (zeroise),
    .abort_o            (abort),
    .load_tweak_key_o   (load_tweak_key),
    .configuration_o    (configuration),
    .function_o         (),
    .length_o           (length),
    .aad_length_o       (aad_length),
    .unit_length_o      (unit_length),
    .locked_i           (locked),
    .busy_i             (busy),
    .zeroising_i        (zeroising),
    .done_i             (done),
    .forged_i           (forged_i),
    .outcome_i          ('0),
    .error_i            (error),
    .ended_i            (ended),
    .key_o              (key),
    .key_written_o      (key_written),
    .key_clear_i        (key_clear),
    .key_locked_i       (key_locked),
    .key_loaded_i       (key_loaded),
    .tweak_key_loaded_i (tweak_key_loaded),
    .key_pending_i      (key_pending),
    .iv_o               (iv),
    .iv_written_o       (iv_written),
    .iv_clear_i         (iv_clear),
    .iv_update_i        (iv_update_i),
    .iv_i               (iv_i),
    .iv_blocks_o        (iv_blocks),
    .counted_i          (counted_i),
    .cycles_i           ('0),
    .stall_input_i      ('0),
    .stall_output_i     ('0),
    .sink_bytes_i       ('0),
    .tag_i              ('0)
  );

  accel_control #(
    .Gcm (1),
    .Xts (1)
  ) u_control (
    .clk_i              (clk_i),
    .rst_ni             (rst_ni),
    .start_i            (start),
    .load_key_i         (load_key),
    .load_tweak_key_i   (load_tweak_key),
    .zeroise_i          (zeroise),
    .abort_i            (abort),
    .configuration_i    (configuration),
    .function_i         ('0),
    .slot_held_i        (1'b0),
    .slot_curve_i       ('0),
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
    .key_ready_i        (key_ready_i),
    .tweak_key_valid_o  (tweak_key_valid),
    .tweak_key_ready_i  (tweak_key_ready_i),
    .key_size_o         (key_size),
    .key_clear_o        (key_clear),
    .iv_clear_o         (iv_clear),
    .begin_o            (),
    .run_o              (),
    .discard_o          (),
    .framing_error_i    (framing_error_i),
    .message_ended_i    (message_ended_i),
    .failed_i           (forged_i),
    .clear_o            (),
    .cleared_i          (cleared_i),
    .released_i         (released_i),
    .core_zeroise_o     (core_zeroise)
  );

  /* verilator lint_on PINCONNECTEMPTY */

  formal_reset u_reset (
    .clk_i  (clk_i),
    .rst_ni (rst_ni)
  );

  // ------------------------------------------------------------ properties

  // A key is refused when its size is not supported or a word is missing. A command at a
  // wrong time does not refuse a key.
  logic refused, taken;

  assign refused = u_control.load_dropped;
  assign taken   = (key_valid && key_ready_i) || (tweak_key_valid && tweak_key_ready_i);

  logic       taken_q;      // a core took the key in the cycle before
  logic       refused_q;    // the key was refused in the cycle before
  logic       for_tweak_q;  // and it was a tweak key
  logic       zeroising_q;
  logic       commanded_q;  // the host commanded a zeroise, which has not ended
  logic       swept_q;      // the core has been told to zeroise since
  logic [7:0] written_q;    // words written since the key was last cleared

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      taken_q     <= 1'b0;
      refused_q   <= 1'b0;
      for_tweak_q <= 1'b0;
      zeroising_q <= 1'b1;
      commanded_q <= 1'b0;
      swept_q     <= 1'b0;
      written_q   <= '0;
    end else begin
      taken_q     <= taken;
      refused_q   <= refused;
      for_tweak_q <= !load_key;
      zeroising_q <= zeroising;
      commanded_q <= zeroise || (commanded_q && zeroising);
      swept_q     <= core_zeroise || (swept_q && !zeroise);
      written_q   <= (taken || refused || zeroising) ? '0 : written_q | key_written;
    end
  end

  logic [7:0] words; // those that are not zero

  for (genvar n = 0; n < 8; n++) begin : gen_word
    assign words[n] = key[32*n +: 32] != '0;
  end

  always_comb begin
    if (taken_q) begin
      gone_when_taken: assert (key == '0);
    end
    if (refused_q) begin
      gone_when_refused: assert (key == '0 && !(for_tweak_q ? tweak_key_loaded : key_loaded));
      was_refused:       cover (1'b1);
    end
    if (rst_ni && zeroising_q && !zeroising) begin
      key_zero_after:  assert (key == '0);
      iv_zero_after:   assert (iv == '0);
      not_loaded:      assert (!key_loaded && !tweak_key_loaded && !key_pending);
      if (commanded_q) begin
        core_was_told: assert (swept_q);
        zeroised:      cover (1'b1);
      end
    end
    if (zeroising) begin
      no_write_meanwhile: assert (key_written == '0);
    end
    zero_unless_written: assert (zeroising || (words & ~written_q) == '0);
    key_was_there: cover (words[0] && written_q[0]);

    // Invariants for the induction.
    why_each_word: assert ((words & ~u_control.key_words_q) == '0);
    why_written: assert (zeroising || (u_control.key_words_q & ~written_q) == '0);
    if (u_control.state_q == 3'd0 || u_control.state_q == 3'd1) begin
      why_sweeping: assert (!u_control.sweep_all_q || zeroising);
    end else begin
      why_not_sweeping: assert (!u_control.sweep_all_q);
    end
    if (commanded_q && !u_control.zeroise_pending_q) begin
      why_told: assert (swept_q);
    end
  end

  logic unused;
  assign unused = ^{started, key_size, aad_length};

endmodule

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: no register that the host can read depends on the key registers.
// Two copies of the registers get the same accesses and the same inputs from the
// hardware, except that the data of writes to the key registers may differ, so that the
// keys may differ in any way. All outputs except the keys are always equal. They would
// differ if any other register stored that data.
module accel_key_secret (
  input logic                       clk_i,
  input logic                       rst_ni,
  input logic [7:0]                 awaddr_i,
  input logic                       awvalid_i,
  input logic [1:0][31:0]           wdata_i,
  input logic [3:0]                 wstrb_i,
  input logic                       wvalid_i,
  input logic                       bready_i,
  input logic [7:0]                 araddr_i,
  input logic                       arvalid_i,
  input logic                       rready_i,
  input logic                       locked_i,
  input logic [3:0]                 status_i,
  input accel_pkg::error_t          error_i,
  input logic                       ended_i,
  input logic                       forged_i,
  input logic                       tweak_key_loaded_i,
  input logic                       key_clear_i,
  input logic                       key_locked_i,
  input logic                       key_pending_i,
  input logic                       iv_clear_i,
  input logic                       iv_update_i,
  input logic [127:0]               iv_i,
  input logic                       counted_i,
  input logic [63:0]                cycles_i,
  input logic [31:0]                stall_input_i,
  input logic [31:0]                stall_output_i,
  input logic [63:0]                sink_bytes_i,
  input logic [127:0]               tag_i
);

  // The outputs of a copy, without its key.
  typedef struct packed {
    logic                      awready;
    logic                      wready;
    logic [1:0]                bresp;
    logic                      bvalid;
    logic                      arready;
    logic [31:0]               rdata;
    logic [1:0]                rresp;
    logic                      rvalid;
    logic                      interrupt_line;
    logic [4:0]                commands;
    accel_pkg::configuration_t configuration;
    accel_pkg::curve_function_t selected;
    logic [63:0]               length;
    logic [60:0]               aad_length;
    logic [31:0]               unit_length;
    logic [7:0]                key_written;
    logic [127:0]              iv;
    logic                      iv_written;
    logic [63:0]               iv_blocks;
  } outputs_t;

  outputs_t [1:0]        out;
  logic     [1:0][255:0] key;

  // The rest of a copy's state, without its key and the data of a write.
  typedef struct packed {
    logic              prev_was_rd;
    logic              arvalid;
    logic [7:0]        araddr;
    logic              awvalid;
    logic [7:0]        awaddr;
    logic              wvalid;
    logic [3:0]        wstrb;
    logic              word_whole;
    logic [1:0]        in_flight;
    logic [1:0]        is_wr;
    logic [1:0]        err;
    logic [1:0][31:0]  rdata;
    logic [1:0]        wptr;
    logic [1:0]        rptr;
    logic [3:0]        key_slot;
    logic [6:0]        error;
    logic [3:0]        interrupts;
  } rest_t;

  rest_t [1:0]       rest;
  logic  [1:0]       write;  // a write is carried out
  logic  [1:0][31:0] wdata;  // with this data

  formal_reset u_reset (
    .clk_i  (clk_i),
    .rst_ni (rst_ni)
  );

  for (genvar n = 0; n < 2; n++) begin : gen_copy
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
      .s_axil_awready_o   (out[n].awready),
      .s_axil_wdata_i     (wdata_i[n]),
      .s_axil_wstrb_i     (wstrb_i),
      .s_axil_wvalid_i    (wvalid_i),
      .s_axil_wready_o    (out[n].wready),
      .s_axil_bresp_o     (out[n].bresp),
      .s_axil_bvalid_o    (out[n].bvalid),
      .s_axil_bready_i    (bready_i),
      .s_axil_araddr_i    (araddr_i),
      .s_axil_arprot_i    (3'b0),
      .s_axil_arvalid_i   (arvalid_i),
      .s_axil_arready_o   (out[n].arready),
      .s_axil_rdata_o     (out[n].rdata),
      .s_axil_rresp_o     (out[n].rresp),
      .s_axil_rvalid_o    (out[n].rvalid),
      .s_axil_rready_i    (rready_i),
      .interrupt_o        (out[n].interrupt_line),
      .start_o            (out[n].commands[0]),
      .load_key_o         (out[n].commands[1]),
      .zeroise_o          (out[n].commands[2]),
      .abort_o            (out[n].commands[3]),
      .load_tweak_key_o   (out[n].commands[4]),
      .configuration_o    (out[n].configuration),
      .function_o         (out[n].selected),
      .length_o           (out[n].length),
      .aad_length_o       (out[n].aad_length),
      .unit_length_o      (out[n].unit_length),
      .locked_i           (locked_i),
      .busy_i             (status_i[0]),
      .zeroising_i        (status_i[1]),
      .done_i             (status_i[2]),
      .forged_i           (forged_i),
      .outcome_i          ('0),
      .error_i            (error_i),
      .ended_i            (ended_i),
      .key_o              (key[n]),
      .key_written_o      (out[n].key_written),
      .key_clear_i        (key_clear_i),
      .key_locked_i       (key_locked_i),
      .key_loaded_i       (status_i[3]),
      .tweak_key_loaded_i (tweak_key_loaded_i),
      .key_pending_i      (key_pending_i),
      .iv_o               (out[n].iv),
      .iv_written_o       (out[n].iv_written),
      .iv_clear_i         (iv_clear_i),
      .iv_update_i        (iv_update_i),
      .iv_i               (iv_i),
      .iv_blocks_o        (out[n].iv_blocks),
      .counted_i          (counted_i),
      .cycles_i           (cycles_i),
      .stall_input_i      (stall_input_i),
      .stall_output_i     (stall_output_i),
      .sink_bytes_i       (sink_bytes_i),
      .tag_i              (tag_i)
    );

    assign rest[n] = '{
      prev_was_rd: u_csr.u_registers.axil_prev_was_rd,
      arvalid:     u_csr.u_registers.axil_arvalid,
      araddr:      u_csr.u_registers.axil_araddr,
      awvalid:     u_csr.u_registers.axil_awvalid,
      awaddr:      u_csr.u_registers.axil_awaddr,
      wvalid:      u_csr.u_registers.axil_wvalid,
      wstrb:       u_csr.u_registers.axil_wstrb,
      word_whole:  u_csr.word_whole_q,
      in_flight:   u_csr.u_registers.axil_n_in_flight,
      is_wr:       {u_csr.u_registers.axil_resp_buffer_is_wr[1],
                    u_csr.u_registers.axil_resp_buffer_is_wr[0]},
      err:         {u_csr.u_registers.axil_resp_buffer_err[1],
                    u_csr.u_registers.axil_resp_buffer_err[0]},
      rdata:       {u_csr.u_registers.axil_resp_buffer_rdata[1],
                    u_csr.u_registers.axil_resp_buffer_rdata[0]},
      wptr:        u_csr.u_registers.axil_resp_wptr,
      rptr:        u_csr.u_registers.axil_resp_rptr,
      key_slot:    u_csr.u_registers.field_storage.CONFIGURATION.key_slot.value,
      error:       {u_csr.u_registers.field_storage.ERROR.length.value,
                    u_csr.u_registers.field_storage.ERROR.counter.value,
                    u_csr.u_registers.field_storage.ERROR.no_key.value,
                    u_csr.u_registers.field_storage.ERROR.unsupported.value,
                    u_csr.u_registers.field_storage.ERROR.busy.value,
                    u_csr.u_registers.field_storage.ERROR.framing.value,
                    u_csr.u_registers.field_storage.ERROR.slot.value},
      interrupts:  {u_csr.u_registers.field_storage.INTERRUPT_ENABLE.done.value,
                    u_csr.u_registers.field_storage.INTERRUPT_ENABLE.error.value,
                    u_csr.u_registers.field_storage.INTERRUPT_STATE.done.value,
                    u_csr.u_registers.field_storage.INTERRUPT_STATE.error.value}
    };
    assign write[n] = u_csr.u_registers.axil_aw_accept;
    assign wdata[n] = u_csr.u_registers.axil_wdata;
  end

  // The data of the two copies may differ in writes to KEY (0x40 to 0x5f) alone.
  always_comb begin
    if (write[0] && rest[0].awaddr[7:5] != 3'b010) begin
      assume_one_data: assume (wdata[0] == wdata[1]);
    end
  end

  always_comb begin
    nothing_tells: assert (out[0] == out[1]);
    keys_differ_when_read: cover (out[0].rvalid && key[0] != key[1]);
    why_rest_is_equal: assert (rest[0] == rest[1]);
  end

  logic unused;
  assign unused = write[1];

endmodule

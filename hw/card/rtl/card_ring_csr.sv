// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The registers of a ring behind AXI4-Lite: connects the register block that is generated from
// card_ring.rdl to the signals of the other modules, checks geometry and doorbell, and starts
// and stops the ring. The block answers the first 256 bytes of the page, and SLVERR beyond. A
// write with a low strobe is answered with OKAY and changes nothing.
module card_ring_csr #(
  parameter int unsigned KeySlots    = 8,
  parameter int unsigned Log2Entries = 10
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [7:0]       ring_i,         // its number

  input  logic [11:0]      s_axil_awaddr_i,
  input  logic [2:0]       s_axil_awprot_i,
  input  logic             s_axil_awvalid_i,
  output logic             s_axil_awready_o,
  input  logic [31:0]      s_axil_wdata_i,
  input  logic [3:0]       s_axil_wstrb_i,
  input  logic             s_axil_wvalid_i,
  output logic             s_axil_wready_o,
  output logic [1:0]       s_axil_bresp_o,
  output logic             s_axil_bvalid_o,
  input  logic             s_axil_bready_i,
  input  logic [11:0]      s_axil_araddr_i,
  input  logic [2:0]       s_axil_arprot_i,
  input  logic             s_axil_arvalid_i,
  output logic             s_axil_arready_o,
  output logic [31:0]      s_axil_rdata_o,
  output logic [1:0]       s_axil_rresp_o,
  output logic             s_axil_rvalid_o,
  input  logic             s_axil_rready_i,

  output logic             begin_o,        // high for a cycle: run from entry 0
  output logic             run_o,
  output logic             stop_o,         // until stopped_i
  input  logic             stopped_i,
  output logic [63:0]      ring_o,
  output logic [63:0]      completions_o,
  output logic [4:0]       log2_o,
  output logic [31:0]      doorbell_o,
  input  logic [31:0]      issued_i,       // completions that the host may have seen
  input  logic [31:0]      completed_i,

  // Each high for a cycle.
  input  logic             fetch_error_i,
  input  logic             completion_error_i,
  input  logic             hang_i,
  output logic             error_set_o,    // RING_ERROR is not zero
  output logic             active_o,       // running or stopping

  output logic             interrupt_enable_o,
  output logic [15:0]      interrupt_messages_o,
  output logic [31:0]      interrupt_cycles_o,
  output logic             acknowledge_o,
  output logic [31:0]      acknowledged_o,

  output logic             store_key_o,
  output logic             store_tweak_key_o,
  output logic             erase_key_o,
  output logic [7:0]       slot_o,
  output logic [1:0]       key_size_o,
  output logic [7:0][31:0] key_o,
  input  logic             key_clear_i,
  input  logic             key_busy_i
);

  card_ring_registers_pkg::card_ring__in_t  to_registers;
  card_ring_registers_pkg::card_ring__out_t from_registers;

  localparam logic [7:0] Nowhere = 8'hFC; // no register is there

  card_ring_registers u_registers (
    .clk            (clk_i),
    .arst_n         (rst_ni),
    .s_axil_awready (s_axil_awready_o),
    .s_axil_awvalid (s_axil_awvalid_i),
    .s_axil_awaddr  ((s_axil_awaddr_i[11:8] == '0) ? s_axil_awaddr_i[7:0] : Nowhere),
    .s_axil_awprot  (s_axil_awprot_i),
    .s_axil_wready  (s_axil_wready_o),
    .s_axil_wvalid  (s_axil_wvalid_i),
    .s_axil_wdata   (s_axil_wdata_i),
    .s_axil_wstrb   ({4{&s_axil_wstrb_i}}),
    .s_axil_bready  (s_axil_bready_i),
    .s_axil_bvalid  (s_axil_bvalid_o),
    .s_axil_bresp   (s_axil_bresp_o),
    .s_axil_arready (s_axil_arready_o),
    .s_axil_arvalid (s_axil_arvalid_i),
    .s_axil_araddr  ((s_axil_araddr_i[11:8] == '0) ? s_axil_araddr_i[7:0] : Nowhere),
    .s_axil_arprot  (s_axil_arprot_i),
    .s_axil_rready  (s_axil_rready_i),
    .s_axil_rvalid  (s_axil_rvalid_o),
    .s_axil_rdata   (s_axil_rdata_o),
    .s_axil_rresp   (s_axil_rresp_o),
    .hwif_in        (to_registers),
    .hwif_out       (from_registers)
  );

  // ------------------------------------------------------------ start and stop

  logic active_q, stop_q;
  logic enable, bad_geometry, starts, ends;

  assign ring_o        = {from_registers.RING_HIGH.value.value, from_registers.RING_LOW.value.value};
  assign completions_o = {from_registers.COMPLETIONS_HIGH.value.value,
                          from_registers.COMPLETIONS_LOW.value.value};
  assign log2_o        = from_registers.ENTRIES.log2.value;
  assign enable        = from_registers.ENABLE.enable.value;
  assign bad_geometry  = ring_o[5:0] != '0 || completions_o[5:0] != '0 ||
                         32'(log2_o) > Log2Entries;
  assign starts        = enable && !active_q && !stop_q;
  assign ends          = from_registers.CONTROL.abort.value || (active_q && (!enable || error_set_o));
  assign begin_o       = starts && !bad_geometry && !ends;
  assign run_o         = active_q && !stop_q;
  assign stop_o        = stop_q;
  assign active_o      = active_q || stop_q;

  assign to_registers.locked              = enable || active_q || stop_q;
  assign to_registers.ENABLE.enable.hwclr = (starts && bad_geometry) || ends || stop_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      stop_q   <= 1'b0;
    end else begin
      active_q <= (active_q || begin_o) && !ends;
      stop_q   <= (stop_q && !stopped_i) || ends;
    end
  end

  // ------------------------------------------------------------ doorbell

  logic        rung_q;     // DOORBELL has a new value
  logic [31:0] doorbell_q; // the last good one
  logic [31:0] rung, ahead, ahead_before;
  logic        bad_doorbell;

  assign rung         = from_registers.DOORBELL.value.value;
  assign ahead        = rung - issued_i;
  assign ahead_before = doorbell_q - issued_i;
  assign bad_doorbell = rung_q && run_o &&
                        (ahead > (32'd1 << log2_o) || ahead < ahead_before);
  assign doorbell_o   = doorbell_q;

  assign to_registers.DOORBELL.value.hwclr     = begin_o;
  assign to_registers.ACKNOWLEDGED.value.hwclr = begin_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rung_q     <= 1'b0;
      doorbell_q <= '0;
    end else begin
      rung_q <= from_registers.DOORBELL.value.swmod;
      if (begin_o) begin
        doorbell_q <= '0;
      end else if (rung_q && run_o && !bad_doorbell) begin
        doorbell_q <= rung;
      end
    end
  end

  // ------------------------------------------------------------ errors

  assign error_set_o = from_registers.ERROR.fetch.value || from_registers.ERROR.completion.value ||
                       from_registers.ERROR.geometry.value || from_registers.ERROR.doorbell.value ||
                       from_registers.ERROR.hang.value;

  assign to_registers.ERROR.fetch.hwset      = fetch_error_i;
  assign to_registers.ERROR.completion.hwset = completion_error_i;
  assign to_registers.ERROR.geometry.hwset   = starts && bad_geometry;
  assign to_registers.ERROR.doorbell.hwset   = bad_doorbell;
  assign to_registers.ERROR.hang.hwset       = hang_i;

  // ------------------------------------------------------------ what is told

  assign to_registers.STATUS.busy.next     = stop_q ||
                                             (active_q && completed_i != rung);
  assign to_registers.STATUS.stopping.next = stop_q;
  assign to_registers.STATUS.key_busy.next = key_busy_i;
  assign to_registers.COMPLETED.value.next = completed_i;

  assign to_registers.CAPABILITY.index.next        = ring_i;
  assign to_registers.CAPABILITY.key_slots.next    = 8'(KeySlots);
  assign to_registers.CAPABILITY.log2_entries.next = 5'(Log2Entries);

  // ------------------------------------------------------------ interrupts

  logic acknowledge_q;

  assign interrupt_enable_o   = from_registers.INTERRUPT_ENABLE.enable.value;
  assign interrupt_messages_o = from_registers.INTERRUPT_MESSAGES.messages.value;
  assign interrupt_cycles_o   = from_registers.INTERRUPT_CYCLES.cycles.value;
  assign acknowledge_o        = acknowledge_q;
  assign acknowledged_o       = from_registers.ACKNOWLEDGED.value.value;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      acknowledge_q <= 1'b0;
    end else begin
      acknowledge_q <= from_registers.ACKNOWLEDGED.value.swmod;
    end
  end

  // ------------------------------------------------------------ keys

  assign store_key_o       = from_registers.CONTROL.store_key.value;
  assign store_tweak_key_o = from_registers.CONTROL.store_tweak_key.value;
  assign erase_key_o       = from_registers.CONTROL.erase_key.value;
  assign slot_o            = from_registers.KEY_SLOT.slot.value;
  assign key_size_o        = from_registers.KEY_SLOT.key_size.value;

  for (genvar n = 0; n < 8; n++) begin : gen_key
    assign key_o[n]                        = from_registers.KEY[n].value.value;
    assign to_registers.KEY[n].value.hwclr = key_clear_i;
  end

endmodule

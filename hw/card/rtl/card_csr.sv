// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The registers of the card as a whole behind AXI4-Lite: connects the register block that is
// generated from card.rdl to the signals of the other modules, and counts cycles. The block
// answers the first 64 bytes of the page, and SLVERR beyond.
module card_csr #(
  parameter int unsigned Rings         = 1,
  parameter int unsigned KeySlots      = 8,
  parameter int unsigned Log2Entries   = 10,
  parameter int unsigned DataWidth     = 128,
  parameter int unsigned ClockKhz      = 100_000,
  parameter int unsigned ChannelOffset = 0
) (
  input  logic             clk_i,
  input  logic             rst_ni,

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

  output logic             reset_o,       // high for a cycle
  input  logic             resetting_i,
  input  logic [Rings-1:0] active_i,
  input  logic [Rings-1:0] error_i
);

  card_registers_pkg::card__in_t  to_registers;
  card_registers_pkg::card__out_t from_registers;

  localparam logic [5:0] Nowhere = 6'h3C; // no register is there

  card_registers u_registers (
    .clk            (clk_i),
    .arst_n         (rst_ni),
    .s_axil_awready (s_axil_awready_o),
    .s_axil_awvalid (s_axil_awvalid_i),
    .s_axil_awaddr  ((s_axil_awaddr_i[11:6] == '0) ? s_axil_awaddr_i[5:0] : Nowhere),
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
    .s_axil_araddr  ((s_axil_araddr_i[11:6] == '0) ? s_axil_araddr_i[5:0] : Nowhere),
    .s_axil_arprot  (s_axil_arprot_i),
    .s_axil_rready  (s_axil_rready_i),
    .s_axil_rvalid  (s_axil_rvalid_o),
    .s_axil_rdata   (s_axil_rdata_o),
    .s_axil_rresp   (s_axil_rresp_o),
    .hwif_in        (to_registers),
    .hwif_out       (from_registers)
  );

  logic [63:0] cycles_q;
  logic [31:0] high_q; // when the low word was read

  assign reset_o = from_registers.CONTROL.reset.value;

  assign to_registers.CAPABILITY.rings.next        = 8'(Rings);
  assign to_registers.CAPABILITY.key_slots.next    = 8'(KeySlots);
  assign to_registers.CAPABILITY.log2_entries.next = 5'(Log2Entries);
  assign to_registers.CAPABILITY.data_bytes.next   = 6'(DataWidth / 8);
  assign to_registers.CLOCK.khz.next               = ClockKhz;
  assign to_registers.STATUS.busy.next             = active_i != '0 || resetting_i;
  assign to_registers.STATUS.resetting.next        = resetting_i;
  assign to_registers.ERROR.rings.next             = 32'(error_i);
  assign to_registers.CHANNEL_OFFSET.bytes.next    = ChannelOffset;
  assign to_registers.CYCLES_LOW.value.next        = cycles_q[31:0];
  assign to_registers.CYCLES_HIGH.value.next       = high_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cycles_q <= '0;
      high_q   <= '0;
    end else begin
      cycles_q <= reset_o ? '0 : cycles_q + 64'd1;
      if (from_registers.CYCLES_LOW.value.swacc) begin
        high_q <= cycles_q[63:32];
      end
    end
  end

endmodule

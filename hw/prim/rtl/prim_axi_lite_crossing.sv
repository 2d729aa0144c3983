// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Carries AXI4-Lite from the clock of a bus to another clock, one word at a time in
// each channel. With SyncStages = 2 it adds about four cycles of each clock to an access.
// Address and data of a write may come in either order. Both resets must be asserted
// together.
module prim_axi_lite_crossing #(
  parameter int unsigned AddressWidth = 8,
  parameter int unsigned SyncStages   = 2
) (
  // From the bus: this module is the subordinate.
  input  logic                    s_clk_i,
  input  logic                    s_rst_ni,
  input  logic [AddressWidth-1:0] s_axil_awaddr_i,
  input  logic [2:0]              s_axil_awprot_i,
  input  logic                    s_axil_awvalid_i,
  output logic                    s_axil_awready_o,
  input  logic [31:0]             s_axil_wdata_i,
  input  logic [3:0]              s_axil_wstrb_i,
  input  logic                    s_axil_wvalid_i,
  output logic                    s_axil_wready_o,
  output logic [1:0]              s_axil_bresp_o,
  output logic                    s_axil_bvalid_o,
  input  logic                    s_axil_bready_i,
  input  logic [AddressWidth-1:0] s_axil_araddr_i,
  input  logic [2:0]              s_axil_arprot_i,
  input  logic                    s_axil_arvalid_i,
  output logic                    s_axil_arready_o,
  output logic [31:0]             s_axil_rdata_o,
  output logic [1:0]              s_axil_rresp_o,
  output logic                    s_axil_rvalid_o,
  input  logic                    s_axil_rready_i,

  // To the registers: this module is the manager.
  input  logic                    m_clk_i,
  input  logic                    m_rst_ni,
  output logic [AddressWidth-1:0] m_axil_awaddr_o,
  output logic [2:0]              m_axil_awprot_o,
  output logic                    m_axil_awvalid_o,
  input  logic                    m_axil_awready_i,
  output logic [31:0]             m_axil_wdata_o,
  output logic [3:0]              m_axil_wstrb_o,
  output logic                    m_axil_wvalid_o,
  input  logic                    m_axil_wready_i,
  input  logic [1:0]              m_axil_bresp_i,
  input  logic                    m_axil_bvalid_i,
  output logic                    m_axil_bready_o,
  output logic [AddressWidth-1:0] m_axil_araddr_o,
  output logic [2:0]              m_axil_arprot_o,
  output logic                    m_axil_arvalid_o,
  input  logic                    m_axil_arready_i,
  input  logic [31:0]             m_axil_rdata_i,
  input  logic [1:0]              m_axil_rresp_i,
  input  logic                    m_axil_rvalid_i,
  output logic                    m_axil_rready_o
);

  // The channels cross independently: AXI requires no order between the address and the
  // data of a write, and responses come only after both.
  prim_handshake_crossing #(
    .Width      (AddressWidth + 3),
    .SyncStages (SyncStages)
  ) u_aw (
    .src_clk_i   (s_clk_i),
    .src_rst_ni  (s_rst_ni),
    .src_valid_i (s_axil_awvalid_i),
    .src_ready_o (s_axil_awready_o),
    .src_data_i  ({s_axil_awaddr_i, s_axil_awprot_i}),
    .dst_clk_i   (m_clk_i),
    .dst_rst_ni  (m_rst_ni),
    .dst_valid_o (m_axil_awvalid_o),
    .dst_ready_i (m_axil_awready_i),
    .dst_data_o  ({m_axil_awaddr_o, m_axil_awprot_o})
  );

  prim_handshake_crossing #(
    .Width      (36),
    .SyncStages (SyncStages)
  ) u_w (
    .src_clk_i   (s_clk_i),
    .src_rst_ni  (s_rst_ni),
    .src_valid_i (s_axil_wvalid_i),
    .src_ready_o (s_axil_wready_o),
    .src_data_i  ({s_axil_wdata_i, s_axil_wstrb_i}),
    .dst_clk_i   (m_clk_i),
    .dst_rst_ni  (m_rst_ni),
    .dst_valid_o (m_axil_wvalid_o),
    .dst_ready_i (m_axil_wready_i),
    .dst_data_o  ({m_axil_wdata_o, m_axil_wstrb_o})
  );

  prim_handshake_crossing #(
    .Width      (2),
    .SyncStages (SyncStages)
  ) u_b (
    .src_clk_i   (m_clk_i),
    .src_rst_ni  (m_rst_ni),
    .src_valid_i (m_axil_bvalid_i),
    .src_ready_o (m_axil_bready_o),
    .src_data_i  (m_axil_bresp_i),
    .dst_clk_i   (s_clk_i),
    .dst_rst_ni  (s_rst_ni),
    .dst_valid_o (s_axil_bvalid_o),
    .dst_ready_i (s_axil_bready_i),
    .dst_data_o  (s_axil_bresp_o)
  );

  prim_handshake_crossing #(
    .Width      (AddressWidth + 3),
    .SyncStages (SyncStages)
  ) u_ar (
    .src_clk_i   (s_clk_i),
    .src_rst_ni  (s_rst_ni),
    .src_valid_i (s_axil_arvalid_i),
    .src_ready_o (s_axil_arready_o),
    .src_data_i  ({s_axil_araddr_i, s_axil_arprot_i}),
    .dst_clk_i   (m_clk_i),
    .dst_rst_ni  (m_rst_ni),
    .dst_valid_o (m_axil_arvalid_o),
    .dst_ready_i (m_axil_arready_i),
    .dst_data_o  ({m_axil_araddr_o, m_axil_arprot_o})
  );

  prim_handshake_crossing #(
    .Width      (34),
    .SyncStages (SyncStages)
  ) u_r (
    .src_clk_i   (m_clk_i),
    .src_rst_ni  (m_rst_ni),
    .src_valid_i (m_axil_rvalid_i),
    .src_ready_o (m_axil_rready_o),
    .src_data_i  ({m_axil_rdata_i, m_axil_rresp_i}),
    .dst_clk_i   (s_clk_i),
    .dst_rst_ni  (s_rst_ni),
    .dst_valid_o (s_axil_rvalid_o),
    .dst_ready_i (s_axil_rready_i),
    .dst_data_o  ({s_axil_rdata_o, s_axil_rresp_o})
  );

endmodule

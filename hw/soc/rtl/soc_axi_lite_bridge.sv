// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Bridge from the local bus to AXI4-Lite, 32 bits.
//
// A write takes one cycle of the processor: it is stored here and offered from the next
// cycle on. Up to seven writes may wait for their response. A read is offered in its own
// cycle, when every earlier write has its response, so order is kept. A response other
// than OKAY raises error_o for a cycle; that of a write may come after later accesses.
module soc_axi_lite_bridge
  import soc_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  request_t    request_i,
  output response_t   response_o,
  output logic        error_o,

  output logic [15:0] m_axil_awaddr_o,
  output logic [2:0]  m_axil_awprot_o,
  output logic        m_axil_awvalid_o,
  input  logic        m_axil_awready_i,
  output logic [31:0] m_axil_wdata_o,
  output logic [3:0]  m_axil_wstrb_o,
  output logic        m_axil_wvalid_o,
  input  logic        m_axil_wready_i,
  input  logic [1:0]  m_axil_bresp_i,
  input  logic        m_axil_bvalid_i,
  output logic        m_axil_bready_o,
  output logic [15:0] m_axil_araddr_o,
  output logic [2:0]  m_axil_arprot_o,
  output logic        m_axil_arvalid_o,
  input  logic        m_axil_arready_i,
  input  logic [31:0] m_axil_rdata_i,
  input  logic [1:0]  m_axil_rresp_i,
  input  logic        m_axil_rvalid_i,
  output logic        m_axil_rready_o
);

  localparam logic [2:0] MostUnanswered = 3'd7;

  logic        write, read, take, answered;
  logic        aw_free, w_free;
  logic [2:0]  unanswered_d, unanswered_q;
  logic        asked_q;

  assign write = request_i.valid && request_i.write;
  assign read  = request_i.valid && !request_i.write;

  // ------------------------------------------------------------ writes

  assign aw_free  = !m_axil_awvalid_o || m_axil_awready_i;
  assign w_free   = !m_axil_wvalid_o || m_axil_wready_i;
  assign answered = m_axil_bvalid_i;
  assign take     = write && aw_free && w_free && (unanswered_q != MostUnanswered);

  assign unanswered_d = unanswered_q + 3'(take) - 3'(answered);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      m_axil_awvalid_o <= 1'b0;
      m_axil_awaddr_o  <= '0;
      m_axil_wvalid_o  <= 1'b0;
      m_axil_wdata_o   <= '0;
      m_axil_wstrb_o   <= '0;
      unanswered_q     <= '0;
    end else begin
      unanswered_q <= unanswered_d;
      if (take) begin
        m_axil_awvalid_o <= 1'b1;
        m_axil_awaddr_o  <= request_i.address[15:0];
        m_axil_wvalid_o  <= 1'b1;
        m_axil_wdata_o   <= request_i.wdata;
        m_axil_wstrb_o   <= request_i.wstrb;
      end else begin
        if (m_axil_awready_i) m_axil_awvalid_o <= 1'b0;
        if (m_axil_wready_i) begin
          m_axil_wvalid_o <= 1'b0;
          m_axil_wdata_o  <= '0; // may have been a word of a key
        end
      end
    end
  end

  assign m_axil_awprot_o = '0;
  assign m_axil_bready_o = 1'b1;

  // ------------------------------------------------------------ reads

  // asked_q: the address of the current read was taken.
  assign m_axil_arvalid_o = read && !asked_q && (unanswered_q == 3'(answered));
  assign m_axil_araddr_o  = request_i.address[15:0];
  assign m_axil_arprot_o  = '0;
  assign m_axil_rready_o  = 1'b1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) asked_q <= 1'b0;
    else if (m_axil_rvalid_i) asked_q <= 1'b0;
    else if (m_axil_arvalid_o && m_axil_arready_i) asked_q <= 1'b1;
  end

  assign response_o.ready = take || (read && m_axil_rvalid_i);
  assign response_o.rdata = m_axil_rdata_i;
  assign error_o = (m_axil_bvalid_i && (m_axil_bresp_i != '0)) ||
                   (m_axil_rvalid_i && (m_axil_rresp_i != '0));

  logic unused_request;
  assign unused_request = ^{request_i.following, request_i.address[31:16]};

endmodule

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// One AXI4-Lite port to several subordinates that stand one behind another in the
// address space, 2^LocalWidth bytes each. The highest address bits choose; an address
// behind the last subordinate is answered with DECERR.
//
// One write and one read at a time, each independent of the other; no clock is added.
// A subordinate sees the data of its own writes only, zeros otherwise, so that what is
// written to one (a key, say) does not pass by the others.
module prim_axi_lite_split #(
  parameter int unsigned Ports      = 2,
  parameter int unsigned LocalWidth = 8,
  localparam int unsigned SelectWidth  = $clog2(Ports),
  localparam int unsigned AddressWidth = LocalWidth + SelectWidth
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,

  input  logic [AddressWidth-1:0]          s_axil_awaddr_i,
  input  logic [2:0]                       s_axil_awprot_i,
  input  logic                             s_axil_awvalid_i,
  output logic                             s_axil_awready_o,
  input  logic [31:0]                      s_axil_wdata_i,
  input  logic [3:0]                       s_axil_wstrb_i,
  input  logic                             s_axil_wvalid_i,
  output logic                             s_axil_wready_o,
  output logic [1:0]                       s_axil_bresp_o,
  output logic                             s_axil_bvalid_o,
  input  logic                             s_axil_bready_i,
  input  logic [AddressWidth-1:0]          s_axil_araddr_i,
  input  logic [2:0]                       s_axil_arprot_i,
  input  logic                             s_axil_arvalid_i,
  output logic                             s_axil_arready_o,
  output logic [31:0]                      s_axil_rdata_o,
  output logic [1:0]                       s_axil_rresp_o,
  output logic                             s_axil_rvalid_o,
  input  logic                             s_axil_rready_i,

  output logic [LocalWidth-1:0]            m_axil_awaddr_o,
  output logic [2:0]                       m_axil_awprot_o,
  output logic [Ports-1:0]                 m_axil_awvalid_o,
  input  logic [Ports-1:0]                 m_axil_awready_i,
  output logic [Ports-1:0][31:0]           m_axil_wdata_o,
  output logic [3:0]                       m_axil_wstrb_o,
  output logic [Ports-1:0]                 m_axil_wvalid_o,
  input  logic [Ports-1:0]                 m_axil_wready_i,
  input  logic [Ports-1:0][1:0]            m_axil_bresp_i,
  input  logic [Ports-1:0]                 m_axil_bvalid_i,
  output logic [Ports-1:0]                 m_axil_bready_o,
  output logic [LocalWidth-1:0]            m_axil_araddr_o,
  output logic [2:0]                       m_axil_arprot_o,
  output logic [Ports-1:0]                 m_axil_arvalid_o,
  input  logic [Ports-1:0]                 m_axil_arready_i,
  input  logic [Ports-1:0][31:0]           m_axil_rdata_i,
  input  logic [Ports-1:0][1:0]            m_axil_rresp_i,
  input  logic [Ports-1:0]                 m_axil_rvalid_i,
  output logic [Ports-1:0]                 m_axil_rready_o
);

  if (Ports < 2) begin : gen_bad_ports
    $fatal(1, "prim_axi_lite_split: Ports must be 2 or more");
  end

  localparam logic [1:0] ResponseDecodeError = 2'b11;

  // One bit for each subordinate; none for an address behind the last one.
  function automatic logic [Ports-1:0] selected(input logic [SelectWidth-1:0] index);
    logic [Ports-1:0] result;
    for (int unsigned n = 0; n < Ports; n++) begin
      result[n] = index == SelectWidth'(n);
    end
    return result;
  endfunction

  assign m_axil_awaddr_o = s_axil_awaddr_i[LocalWidth-1:0];
  assign m_axil_awprot_o = s_axil_awprot_i;
  assign m_axil_wstrb_o  = s_axil_wstrb_i;
  assign m_axil_araddr_o = s_axil_araddr_i[LocalWidth-1:0];
  assign m_axil_arprot_o = s_axil_arprot_i;

  // ------------------------------------------------------------ writes

  // Address and data may be taken in either order, so a subordinate that wants both
  // gets both; which one it is stands in the address, and then in a register.
  logic             addressed_q, given_q; // this write's address, and data, were taken
  logic [Ports-1:0] write_target_q, write_target;
  logic             write_known, write_ends;

  assign write_known  = addressed_q || s_axil_awvalid_i;
  assign write_target = addressed_q ? write_target_q : selected(s_axil_awaddr_i[AddressWidth-1:LocalWidth]);
  assign write_ends   = s_axil_bvalid_o && s_axil_bready_i;

  always_comb begin
    m_axil_awvalid_o = '0;
    m_axil_wvalid_o  = '0;
    m_axil_wdata_o   = '0;
    s_axil_awready_o = s_axil_awvalid_i && !addressed_q;
    s_axil_wready_o  = write_known && !given_q;
    for (int unsigned n = 0; n < Ports; n++) begin
      if (write_target[n]) begin
        m_axil_awvalid_o[n] = s_axil_awvalid_i && !addressed_q;
        m_axil_wvalid_o[n]  = s_axil_wvalid_i && write_known && !given_q;
        m_axil_wdata_o[n]   = m_axil_wvalid_o[n] ? s_axil_wdata_i : '0;
        s_axil_awready_o    = s_axil_awvalid_i && !addressed_q && m_axil_awready_i[n];
        s_axil_wready_o     = write_known && !given_q && m_axil_wready_i[n];
      end
    end
  end

  always_comb begin
    s_axil_bvalid_o = addressed_q && given_q && (write_target_q == '0);
    s_axil_bresp_o  = ResponseDecodeError;
    m_axil_bready_o = '0;
    for (int unsigned n = 0; n < Ports; n++) begin
      if (write_target_q[n]) begin
        s_axil_bvalid_o    = addressed_q && given_q && m_axil_bvalid_i[n];
        s_axil_bresp_o     = m_axil_bresp_i[n];
        m_axil_bready_o[n] = addressed_q && given_q && s_axil_bready_i;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      addressed_q    <= 1'b0;
      given_q        <= 1'b0;
      write_target_q <= '0;
    end else begin
      if (s_axil_awvalid_i && s_axil_awready_o) begin
        addressed_q    <= 1'b1;
        write_target_q <= write_target;
      end
      if (s_axil_wvalid_i && s_axil_wready_o) begin
        given_q <= 1'b1;
      end
      if (write_ends) begin
        addressed_q <= 1'b0;
        given_q     <= 1'b0;
      end
    end
  end

  // ------------------------------------------------------------ reads

  logic             asked_q;
  logic [Ports-1:0] read_target_q, read_target;

  assign read_target = selected(s_axil_araddr_i[AddressWidth-1:LocalWidth]);

  always_comb begin
    m_axil_arvalid_o = '0;
    s_axil_arready_o = !asked_q;
    for (int unsigned n = 0; n < Ports; n++) begin
      if (read_target[n]) begin
        m_axil_arvalid_o[n] = s_axil_arvalid_i && !asked_q;
        s_axil_arready_o    = !asked_q && m_axil_arready_i[n];
      end
    end
  end

  always_comb begin
    s_axil_rvalid_o = asked_q && (read_target_q == '0);
    s_axil_rresp_o  = ResponseDecodeError;
    s_axil_rdata_o  = '0;
    m_axil_rready_o = '0;
    for (int unsigned n = 0; n < Ports; n++) begin
      if (read_target_q[n]) begin
        s_axil_rvalid_o    = asked_q && m_axil_rvalid_i[n];
        s_axil_rresp_o     = m_axil_rresp_i[n];
        s_axil_rdata_o     = m_axil_rdata_i[n];
        m_axil_rready_o[n] = asked_q && s_axil_rready_i;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      asked_q       <= 1'b0;
      read_target_q <= '0;
    end else if (s_axil_arvalid_i && s_axil_arready_o) begin
      asked_q       <= 1'b1;
      read_target_q <= read_target;
    end else if (s_axil_rvalid_o && s_axil_rready_i) begin
      asked_q <= 1'b0;
    end
  end

endmodule

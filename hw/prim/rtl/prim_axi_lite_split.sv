// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Connects one AXI4-Lite port to several subordinates at consecutive addresses,
// 2^LocalWidth bytes each. The highest address bits select the subordinate; an address
// beyond the last one is answered with DECERR.
//
// One write and one read at a time, independent of each other; no cycle is added.
// A subordinate sees the data of its own writes only, and zeros otherwise, so that data
// for one of them (a key, for example) never reaches the others.
//
// Each ready towards the manager is a flip-flop, so no path leads from an input of s_axil
// to an output of s_axil through here. Paths do lead from s_axil to m_axil and from the
// answers of m_axil to those of s_axil.
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

  // One bit for each subordinate; zero for an address beyond the last one.
  function automatic logic [Ports-1:0] selected(input logic [SelectWidth-1:0] index);
    logic [Ports-1:0] result;
    for (int unsigned n = 0; n < Ports; n++) begin
      result[n] = index == SelectWidth'(n);
    end
    return result;
  endfunction

  // Offered transfers, from the manager directly or from the buffer.
  logic                    aw_valid, aw_ready, w_valid, w_ready, ar_valid, ar_ready;
  logic [AddressWidth-1:0] aw_address, ar_address;
  logic [31:0]             w_data;

  prim_skid_buffer #(
    .Width (AddressWidth + 3)
  ) u_aw (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .valid_i (s_axil_awvalid_i),
    .ready_o (s_axil_awready_o),
    .data_i  ({s_axil_awprot_i, s_axil_awaddr_i}),
    .valid_o (aw_valid),
    .ready_i (aw_ready),
    .data_o  ({m_axil_awprot_o, aw_address})
  );

  prim_skid_buffer #(
    .Width (36)
  ) u_w (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .valid_i (s_axil_wvalid_i),
    .ready_o (s_axil_wready_o),
    .data_i  ({s_axil_wstrb_i, s_axil_wdata_i}),
    .valid_o (w_valid),
    .ready_i (w_ready),
    .data_o  ({m_axil_wstrb_o, w_data})
  );

  prim_skid_buffer #(
    .Width (AddressWidth + 3)
  ) u_ar (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .valid_i (s_axil_arvalid_i),
    .ready_o (s_axil_arready_o),
    .data_i  ({s_axil_arprot_i, s_axil_araddr_i}),
    .valid_o (ar_valid),
    .ready_i (ar_ready),
    .data_o  ({m_axil_arprot_o, ar_address})
  );

  assign m_axil_awaddr_o = aw_address[LocalWidth-1:0];
  assign m_axil_araddr_o = ar_address[LocalWidth-1:0];

  // ------------------------------------------------------------ writes

  // Address and data may be taken in either order, so a subordinate that waits for both
  // gets both. The address selects it; a register keeps the selection for the data.
  logic             addressed_q, given_q; // this write's address, and data, were taken
  logic [Ports-1:0] write_target_q, write_target;
  logic             write_known, write_ends;

  assign write_known  = addressed_q || aw_valid;
  assign write_target = addressed_q ? write_target_q : selected(aw_address[AddressWidth-1:LocalWidth]);
  assign write_ends   = s_axil_bvalid_o && s_axil_bready_i;

  always_comb begin
    m_axil_awvalid_o = '0;
    m_axil_wvalid_o  = '0;
    m_axil_wdata_o   = '0;
    aw_ready = aw_valid && !addressed_q;
    w_ready  = write_known && !given_q;
    for (int unsigned n = 0; n < Ports; n++) begin
      if (write_target[n]) begin
        m_axil_awvalid_o[n] = aw_valid && !addressed_q;
        m_axil_wvalid_o[n]  = w_valid && write_known && !given_q;
        m_axil_wdata_o[n]   = m_axil_wvalid_o[n] ? w_data : '0;
        aw_ready    = aw_valid && !addressed_q && m_axil_awready_i[n];
        w_ready     = write_known && !given_q && m_axil_wready_i[n];
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
      if (aw_valid && aw_ready) begin
        addressed_q    <= 1'b1;
        write_target_q <= write_target;
      end
      if (w_valid && w_ready) begin
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

  assign read_target = selected(ar_address[AddressWidth-1:LocalWidth]);

  always_comb begin
    m_axil_arvalid_o = '0;
    ar_ready = !asked_q;
    for (int unsigned n = 0; n < Ports; n++) begin
      if (read_target[n]) begin
        m_axil_arvalid_o[n] = ar_valid && !asked_q;
        ar_ready    = !asked_q && m_axil_arready_i[n];
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
    end else if (ar_valid && ar_ready) begin
      asked_q       <= 1'b1;
      read_target_q <= read_target;
    end else if (s_axil_rvalid_o && s_axil_rready_i) begin
      asked_q <= 1'b0;
    end
  end

endmodule

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Bridge from the local bus to AXI4 of 32 to 256 bits: soc_axi4_writer gathers the
// stores of a block into one burst, soc_axi4_reader reads a block in one burst. A load
// waits for the responses of all earlier stores, so order is kept. A response other than
// OKAY raises error_o for a cycle; that of a store may come after later accesses.
module soc_axi4_bridge
  import soc_pkg::*;
#(
  parameter int unsigned DataWidth = 32,
  localparam int unsigned Lanes = DataWidth / 8
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  request_t             request_i,
  output response_t            response_o,
  output logic                 error_o,

  output logic [15:0]          m_axi_awaddr_o,
  output logic [7:0]           m_axi_awlen_o,
  output logic [2:0]           m_axi_awsize_o,
  output logic [1:0]           m_axi_awburst_o,
  output logic                 m_axi_awvalid_o,
  input  logic                 m_axi_awready_i,
  output logic [DataWidth-1:0] m_axi_wdata_o,
  output logic [Lanes-1:0]     m_axi_wstrb_o,
  output logic                 m_axi_wlast_o,
  output logic                 m_axi_wvalid_o,
  input  logic                 m_axi_wready_i,
  input  logic [1:0]           m_axi_bresp_i,
  input  logic                 m_axi_bvalid_i,
  output logic                 m_axi_bready_o,
  output logic [15:0]          m_axi_araddr_o,
  output logic [7:0]           m_axi_arlen_o,
  output logic [2:0]           m_axi_arsize_o,
  output logic [1:0]           m_axi_arburst_o,
  output logic                 m_axi_arvalid_o,
  input  logic                 m_axi_arready_i,
  input  logic [DataWidth-1:0] m_axi_rdata_i,
  input  logic [1:0]           m_axi_rresp_i,
  input  logic                 m_axi_rlast_i,
  input  logic                 m_axi_rvalid_i,
  output logic                 m_axi_rready_o
);

  if (DataWidth != 32 && DataWidth != 64 && DataWidth != 128 && DataWidth != 256) begin
      : gen_bad_width
    $fatal(1, "soc_axi4_bridge: DataWidth must be 32, 64, 128 or 256");
  end

  localparam logic [1:0] Increment    = 2'b01;
  localparam logic [7:0] WindowDataIn = soc_registers_pkg::CoprocessorDataInAddress[15:8];

  request_t store, load;
  logic     store_ready, load_ready, empty, receiving, write_error, read_error, elsewhere;

  // A store outside DATA_IN may make fetched data invalid, and waits for the fetch to end.
  assign elsewhere = request_i.valid && request_i.write &&
                     (request_i.address[15:8] != WindowDataIn);

  always_comb begin
    store       = request_i;
    store.valid = request_i.valid && request_i.write && !(elsewhere && receiving);
  end

  always_comb begin
    load       = request_i;
    load.valid = request_i.valid && !request_i.write;
  end

  soc_axi4_writer #(
    .DataWidth (DataWidth)
  ) u_writer (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .request_i       (store),
    .ready_o         (store_ready),
    .flush_i         (load.valid),
    .empty_o         (empty),
    .error_o         (write_error),
    .m_axi_awaddr_o  (m_axi_awaddr_o),
    .m_axi_awlen_o   (m_axi_awlen_o),
    .m_axi_awsize_o  (m_axi_awsize_o),
    .m_axi_awvalid_o (m_axi_awvalid_o),
    .m_axi_awready_i (m_axi_awready_i),
    .m_axi_wdata_o   (m_axi_wdata_o),
    .m_axi_wstrb_o   (m_axi_wstrb_o),
    .m_axi_wlast_o   (m_axi_wlast_o),
    .m_axi_wvalid_o  (m_axi_wvalid_o),
    .m_axi_wready_i  (m_axi_wready_i),
    .m_axi_bresp_i   (m_axi_bresp_i),
    .m_axi_bvalid_i  (m_axi_bvalid_i)
  );

  soc_axi4_reader #(
    .DataWidth (DataWidth)
  ) u_reader (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .request_i       (load),
    .ready_o         (load_ready),
    .rdata_o         (response_o.rdata),
    .writes_done_i   (empty),
    .drop_i          (elsewhere && !receiving),
    .receiving_o     (receiving),
    .error_o         (read_error),
    .m_axi_araddr_o  (m_axi_araddr_o),
    .m_axi_arlen_o   (m_axi_arlen_o),
    .m_axi_arsize_o  (m_axi_arsize_o),
    .m_axi_arvalid_o (m_axi_arvalid_o),
    .m_axi_arready_i (m_axi_arready_i),
    .m_axi_rdata_i   (m_axi_rdata_i),
    .m_axi_rresp_i   (m_axi_rresp_i),
    .m_axi_rlast_i   (m_axi_rlast_i),
    .m_axi_rvalid_i  (m_axi_rvalid_i)
  );

  assign m_axi_awburst_o  = Increment;
  assign m_axi_arburst_o  = Increment;
  assign m_axi_bready_o   = 1'b1;
  assign m_axi_rready_o   = 1'b1;
  assign response_o.ready = request_i.write ? store_ready : load_ready;
  assign error_o          = write_error || read_error;

endmodule

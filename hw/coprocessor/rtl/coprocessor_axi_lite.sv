// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// AXI4-Lite to the register bus, 32 bits: a write or a read takes two cycles, plus the
// wait cycles of the registers. A write passes in the cycle in which both address and
// data are offered. A write and a read that are offered together alternate.
//
// Each ready is a flip-flop, so no path leads from an input of AXI to an output of
// AXI: a transfer that the registers do not take at once waits in a buffer here.
// Paths do lead from the inputs of AXI to the register bus.
//
// Addresses from 0x1000 on are answered with SLVERR and reach no register.
module coprocessor_axi_lite (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic [15:0] s_axil_awaddr_i,
  input  logic [2:0]  s_axil_awprot_i,
  input  logic        s_axil_awvalid_i,
  output logic        s_axil_awready_o,
  input  logic [31:0] s_axil_wdata_i,
  input  logic [3:0]  s_axil_wstrb_i,
  input  logic        s_axil_wvalid_i,
  output logic        s_axil_wready_o,
  output logic [1:0]  s_axil_bresp_o,
  output logic        s_axil_bvalid_o,
  input  logic        s_axil_bready_i,
  input  logic [15:0] s_axil_araddr_i,
  input  logic [2:0]  s_axil_arprot_i,
  input  logic        s_axil_arvalid_i,
  output logic        s_axil_arready_o,
  output logic [31:0] s_axil_rdata_o,
  output logic [1:0]  s_axil_rresp_o,
  output logic        s_axil_rvalid_o,
  input  logic        s_axil_rready_i,

  output logic        bus_valid_o,
  output logic        bus_write_o,
  output logic [11:0] bus_address_o,
  output logic [31:0] bus_wdata_o,
  output logic [3:0]  bus_wstrb_o,
  input  logic        bus_ready_i,
  input  logic [31:0] bus_rdata_i
);

  localparam logic [1:0] Okay = 2'b00;
  localparam logic [1:0] SlaveError = 2'b10;

  logic write_wanted, read_wanted, write, done, bad;
  logic waiting_q, waiting_write_q, read_next_q;

  // Offered transfers, from AXI directly or from the buffer. Addresses are word addresses.
  logic        aw_valid, w_valid, ar_valid;
  logic [15:2] aw_address, ar_address;

  prim_skid_buffer #(
    .Width(14)
  ) u_aw (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .valid_i(s_axil_awvalid_i),
    .ready_o(s_axil_awready_o),
    .data_i (s_axil_awaddr_i[15:2]),
    .valid_o(aw_valid),
    .ready_i(done && write),
    .data_o (aw_address)
  );

  prim_skid_buffer #(
    .Width(36)
  ) u_w (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .valid_i(s_axil_wvalid_i),
    .ready_o(s_axil_wready_o),
    .data_i ({s_axil_wstrb_i, s_axil_wdata_i}),
    .valid_o(w_valid),
    .ready_i(done && write),
    .data_o ({bus_wstrb_o, bus_wdata_o})
  );

  prim_skid_buffer #(
    .Width(14)
  ) u_ar (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .valid_i(s_axil_arvalid_i),
    .ready_o(s_axil_arready_o),
    .data_i (s_axil_araddr_i[15:2]),
    .valid_o(ar_valid),
    .ready_i(done && !write),
    .data_o (ar_address)
  );

  assign write_wanted = aw_valid && w_valid && (!s_axil_bvalid_o || s_axil_bready_i);
  assign read_wanted = ar_valid && (!s_axil_rvalid_o || s_axil_rready_i);

  // A waiting transfer stays selected; otherwise write and read alternate.
  assign write = waiting_q ? waiting_write_q : write_wanted && !(read_wanted && read_next_q);
  assign bad = write ? aw_address[15:12] != '0 : ar_address[15:12] != '0;

  assign bus_valid_o = (write_wanted || read_wanted) && !bad;
  assign bus_write_o = write;
  assign bus_address_o = {write ? aw_address[11:2] : ar_address[11:2], 2'b00};

  assign done = (write_wanted || read_wanted) && (bad || bus_ready_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waiting_q       <= 1'b0;
      waiting_write_q <= 1'b0;
      read_next_q     <= 1'b0;
    end else begin
      waiting_q       <= (write_wanted || read_wanted) && !done;
      waiting_write_q <= write;
      if (done) read_next_q <= write;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      s_axil_bvalid_o <= 1'b0;
      s_axil_bresp_o  <= Okay;
      s_axil_rvalid_o <= 1'b0;
      s_axil_rresp_o  <= Okay;
      s_axil_rdata_o  <= '0;
    end else begin
      if (done && write) begin
        s_axil_bvalid_o <= 1'b1;
        s_axil_bresp_o  <= bad ? SlaveError : Okay;
      end else if (s_axil_bready_i) begin
        s_axil_bvalid_o <= 1'b0;
      end
      if (done && !write) begin
        s_axil_rvalid_o <= 1'b1;
        s_axil_rresp_o  <= bad ? SlaveError : Okay;
        s_axil_rdata_o  <= bad ? '0 : bus_rdata_i;
      end else if (s_axil_rready_i) begin
        s_axil_rvalid_o <= 1'b0;
        s_axil_rdata_o  <= '0;
      end
    end
  end

  // Protection bits are not used; addresses are word addresses.
  logic unused_bits;
  assign unused_bits = ^{s_axil_awprot_i, s_axil_arprot_i, s_axil_awaddr_i[1:0],
                         s_axil_araddr_i[1:0]};

endmodule

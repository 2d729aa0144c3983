// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: the registers follow the rules of AXI4-Lite (AMBA AXI, IHI 0022H,
// sections A3.2.1 and A3.3.1). A response holds, unchanged, until it is taken. Each
// access gets exactly one response of its kind after it was accepted; a write, after
// both its address and its data.
module accel_registers_axi (
  input logic                              clk_i,
  input logic                              rst_ni,
  input logic [7:0]                        awaddr_i,
  input logic                              awvalid_i,
  input logic [31:0]                       wdata_i,
  input logic [3:0]                        wstrb_i,
  input logic                              wvalid_i,
  input logic                              bready_i,
  input logic [7:0]                        araddr_i,
  input logic                              arvalid_i,
  input logic                              rready_i,
  input accel_registers_pkg::accel__in_t   hwif_i
);

  logic                             awready, wready, bvalid, arready, rvalid;
  logic [1:0]                       bresp, rresp;
  logic [31:0]                      rdata;
  accel_registers_pkg::accel__out_t hwif;

  accel_registers u_registers (
    .clk            (clk_i),
    .arst_n         (rst_ni),
    .s_axil_awready (awready),
    .s_axil_awvalid (awvalid_i),
    .s_axil_awaddr  (awaddr_i),
    .s_axil_awprot  (3'b0),
    .s_axil_wready  (wready),
    .s_axil_wvalid  (wvalid_i),
    .s_axil_wdata   (wdata_i),
    .s_axil_wstrb   (wstrb_i),
    .s_axil_bready  (bready_i),
    .s_axil_bvalid  (bvalid),
    .s_axil_bresp   (bresp),
    .s_axil_arready (arready),
    .s_axil_arvalid (arvalid_i),
    .s_axil_araddr  (araddr_i),
    .s_axil_arprot  (3'b0),
    .s_axil_rready  (rready_i),
    .s_axil_rvalid  (rvalid),
    .s_axil_rdata   (rdata),
    .s_axil_rresp   (rresp),
    .hwif_in        (hwif_i),
    .hwif_out       (hwif)
  );

  formal_reset u_reset (
    .clk_i  (clk_i),
    .rst_ni (rst_ni)
  );

  formal_stream_rules #(
    .Width (2)
  ) u_write (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (1'b0),
    .valid_i   (bvalid),
    .ready_i   (bready_i),
    .payload_i (bresp)
  );

  formal_stream_rules #(
    .Width (34)
  ) u_read (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (1'b0),
    .valid_i   (rvalid),
    .ready_i   (rready_i),
    .payload_i ({rresp, rdata})
  );

  // Accesses that were accepted and not yet answered.
  logic [2:0] addresses_q, data_q, reads_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      addresses_q <= '0;
      data_q      <= '0;
      reads_q     <= '0;
    end else begin
      addresses_q <= addresses_q + 3'(awvalid_i && awready) - 3'(bvalid && bready_i);
      data_q      <= data_q + 3'(wvalid_i && wready) - 3'(bvalid && bready_i);
      reads_q     <= reads_q + 3'(arvalid_i && arready) - 3'(rvalid && rready_i);
    end
  end

  // Responses that wait in the block's buffer.
  logic [1:0] waiting;
  logic       first, first_is_wr, second_is_wr;
  logic [2:0] writes_waiting;

  assign waiting      = u_registers.axil_resp_wptr - u_registers.axil_resp_rptr;
  assign first        = u_registers.axil_resp_rptr[0];
  assign first_is_wr  = u_registers.axil_resp_buffer_is_wr[first];
  assign second_is_wr = u_registers.axil_resp_buffer_is_wr[!first];
  assign writes_waiting = 3'(waiting != 2'd0 && first_is_wr) + 3'(waiting == 2'd2 && second_is_wr);

  always_comb begin
    if (bvalid) begin
      write_was_asked: assert (addresses_q != '0 && data_q != '0);
    end
    if (rvalid) begin
      read_was_asked: assert (reads_q != '0);
    end
    one_answer: assert (!(bvalid && rvalid));
    both_waiting: cover (bvalid && addresses_q == 3'd2 && reads_q != '0);

    why_waiting: assert (waiting <= 2'd2 && waiting == u_registers.axil_n_in_flight);
    why_addresses: assert (addresses_q == writes_waiting + 3'(u_registers.axil_awvalid));
    why_data: assert (data_q == writes_waiting + 3'(u_registers.axil_wvalid));
    why_reads: assert (reads_q == 3'(waiting) - writes_waiting + 3'(u_registers.axil_arvalid));
  end

  logic unused;
  assign unused = ^{hwif.CONTROL.start.value};

endmodule

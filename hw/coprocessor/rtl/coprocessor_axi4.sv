// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// AXI4 to the register bus, DataWidth bits: one burst at a time, one beat a cycle if
// registers and manager allow. The first beat of a write passes in the cycle of its
// address if its data are offered; the first beat of a read is on R in the cycle after
// its address. A write and a read burst that are offered together alternate.
//
// Each ready is a flip-flop, so no path leads from an input of AXI to an output of
// AXI: an address or a beat that is not taken at once waits in a buffer here.
// Paths do lead from the inputs of AXI to the register bus.
//
// Supported are INCR bursts, aligned to their size, of a size up to DataWidth, within
// the 4 KiB of the registers. Others are answered with SLVERR in every beat and reach no
// register. Byte strobes outside the lanes of a narrow beat are not checked: they reach
// the registers.
module coprocessor_axi4 #(
  parameter int unsigned DataWidth = 32,
  parameter int unsigned IdWidth = 1
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic [IdWidth-1:0]     s_axi_awid_i,
  input  logic [15:0]            s_axi_awaddr_i,
  input  logic [7:0]             s_axi_awlen_i,
  input  logic [2:0]             s_axi_awsize_i,
  input  logic [1:0]             s_axi_awburst_i,
  input  logic                   s_axi_awvalid_i,
  output logic                   s_axi_awready_o,
  input  logic [DataWidth-1:0]   s_axi_wdata_i,
  input  logic [DataWidth/8-1:0] s_axi_wstrb_i,
  input  logic                   s_axi_wlast_i,
  input  logic                   s_axi_wvalid_i,
  output logic                   s_axi_wready_o,
  output logic [IdWidth-1:0]     s_axi_bid_o,
  output logic [1:0]             s_axi_bresp_o,
  output logic                   s_axi_bvalid_o,
  input  logic                   s_axi_bready_i,
  input  logic [IdWidth-1:0]     s_axi_arid_i,
  input  logic [15:0]            s_axi_araddr_i,
  input  logic [7:0]             s_axi_arlen_i,
  input  logic [2:0]             s_axi_arsize_i,
  input  logic [1:0]             s_axi_arburst_i,
  input  logic                   s_axi_arvalid_i,
  output logic                   s_axi_arready_o,
  output logic [IdWidth-1:0]     s_axi_rid_o,
  output logic [DataWidth-1:0]   s_axi_rdata_o,
  output logic [1:0]             s_axi_rresp_o,
  output logic                   s_axi_rlast_o,
  output logic                   s_axi_rvalid_o,
  input  logic                   s_axi_rready_i,

  output logic                   bus_valid_o,
  output logic                   bus_write_o,
  output logic [11:0]            bus_address_o,
  output logic [DataWidth-1:0]   bus_wdata_o,
  output logic [DataWidth/8-1:0] bus_wstrb_o,
  input  logic                   bus_ready_i,
  input  logic [DataWidth-1:0]   bus_rdata_i
);

  localparam int unsigned Lanes = DataWidth / 8;
  localparam int unsigned LaneBits = $clog2(Lanes);
  localparam logic [1:0] Increment = 2'b01;
  localparam logic [1:0] Okay = 2'b00;
  localparam logic [1:0] SlaveError = 2'b10;

  if (DataWidth != 32 && DataWidth != 64 && DataWidth != 128 && DataWidth != 256) begin
      : gen_bad_width
    $error("coprocessor_axi4: DataWidth must be 32, 64, 128 or 256");
  end

  typedef struct packed {
    logic               write;
    logic [IdWidth-1:0] id;
    logic [15:0]        address;
    logic [7:0]         length;
    logic [2:0]         size;
    logic               bad;
  } burst_t;

  // Whether a burst is refused.
  function automatic logic refused(input logic [15:0] address, input logic [7:0] length,
                                   input logic [2:0] size, input logic [1:0] kind);
    logic [15:0] mask;
    logic [4:0]  page;
    logic [11:0] unused_offset;
    mask = ~(16'hffff << size);
    {page, unused_offset} = {1'b0, address} + ({9'b0, length} << size) + {1'b0, mask};
    return kind != Increment || size > 3'(LaneBits) || (address & mask) != '0 ||
        page != '0;
  endfunction

  // Offered transfers, from AXI directly or from the buffer.
  typedef struct packed {
    logic [IdWidth-1:0] id;
    logic [15:0]        address;
    logic [7:0]         length;
    logic [2:0]         size;
    logic [1:0]         kind;
  } request_t;

  request_t             aw, ar;
  logic                 aw_valid, aw_ready, w_valid, w_ready, ar_valid, ar_ready;
  logic [DataWidth-1:0] w_data;
  logic [Lanes-1:0]     w_strobes;

  prim_skid_buffer #(
    .Width($bits(request_t))
  ) u_aw (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .valid_i(s_axi_awvalid_i),
    .ready_o(s_axi_awready_o),
    .data_i ({s_axi_awid_i, s_axi_awaddr_i, s_axi_awlen_i, s_axi_awsize_i, s_axi_awburst_i}),
    .valid_o(aw_valid),
    .ready_i(aw_ready),
    .data_o (aw)
  );

  prim_skid_buffer #(
    .Width(DataWidth + Lanes)
  ) u_w (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .valid_i(s_axi_wvalid_i),
    .ready_o(s_axi_wready_o),
    .data_i ({s_axi_wstrb_i, s_axi_wdata_i}),
    .valid_o(w_valid),
    .ready_i(w_ready),
    .data_o ({w_strobes, w_data})
  );

  prim_skid_buffer #(
    .Width($bits(request_t))
  ) u_ar (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .valid_i(s_axi_arvalid_i),
    .ready_o(s_axi_arready_o),
    .data_i ({s_axi_arid_i, s_axi_araddr_i, s_axi_arlen_i, s_axi_arsize_i, s_axi_arburst_i}),
    .valid_o(ar_valid),
    .ready_i(ar_ready),
    .data_o (ar)
  );

  // The burst of this cycle: a new one, or the rest of the current one.
  request_t chosen;
  burst_t   offered, rest_q, now;
  logic     active_q, read_next_q, choose_write, running;

  assign choose_write = aw_valid && !(ar_valid && read_next_q);
  assign chosen = choose_write ? aw : ar;

  always_comb begin
    offered = '{
      write: choose_write,
      id: chosen.id,
      address: chosen.address,
      length: chosen.length,
      size: chosen.size,
      bad: refused(chosen.address, chosen.length, chosen.size, chosen.kind)
    };
  end

  assign now = active_q ? rest_q : offered;
  assign running = active_q || aw_valid || ar_valid;
  assign aw_ready = !active_q && choose_write;
  assign ar_ready = !active_q && ar_valid && !choose_write;

  // A beat needs data (write) or a place for data (read); the last write beat also needs a
  // place on B.
  logic              beat_wanted, beat, last;
  logic [15:0]       bytes;
  logic [Lanes-1:0]  read_lanes;

  assign last = (now.length == '0);
  assign beat_wanted = running && (now.write
      ? w_valid && !(last && s_axi_bvalid_o && !s_axi_bready_i)
      : !s_axi_rvalid_o || s_axi_rready_i);
  assign beat = beat_wanted && (now.bad || bus_ready_i);
  assign bytes = 16'd1 << now.size;

  always_comb begin
    for (int unsigned n = 0; n < Lanes; n++) begin
      read_lanes[n] = (LaneBits'(n) >> now.size) ==
          (now.address[LaneBits-1:0] >> now.size);
    end
  end

  assign bus_valid_o = beat_wanted && !now.bad;
  assign bus_write_o = now.write;
  assign bus_address_o = now.address[11:0];
  assign bus_wdata_o = w_data;
  assign bus_wstrb_o = now.write ? w_strobes : read_lanes;
  assign w_ready = beat && now.write;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q    <= 1'b0;
      read_next_q <= 1'b0;
      rest_q      <= '0;
    end else if (running) begin
      active_q <= !(beat && last);
      rest_q   <= now;
      if (beat) begin
        rest_q.address <= now.address + bytes;
        rest_q.length  <= now.length - 8'd1;
        if (last) read_next_q <= now.write;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      s_axi_bvalid_o <= 1'b0;
      s_axi_bid_o    <= '0;
      s_axi_bresp_o  <= Okay;
    end else if (beat && last && now.write) begin
      s_axi_bvalid_o <= 1'b1;
      s_axi_bid_o    <= now.id;
      s_axi_bresp_o  <= now.bad ? SlaveError : Okay;
    end else if (s_axi_bready_i) begin
      s_axi_bvalid_o <= 1'b0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      s_axi_rvalid_o <= 1'b0;
      s_axi_rlast_o  <= 1'b0;
      s_axi_rid_o    <= '0;
      s_axi_rresp_o  <= Okay;
      s_axi_rdata_o  <= '0;
    end else if (beat && !now.write) begin
      s_axi_rvalid_o <= 1'b1;
      s_axi_rlast_o  <= last;
      s_axi_rid_o    <= now.id;
      s_axi_rresp_o  <= now.bad ? SlaveError : Okay;
      s_axi_rdata_o  <= now.bad ? '0 : bus_rdata_i;
    end else if (s_axi_rready_i) begin
      s_axi_rvalid_o <= 1'b0;
      s_axi_rdata_o  <= '0;
    end
  end

  // WLAST is not used: beats are counted from the length.
  logic unused_last;
  assign unused_last = s_axi_wlast_i;

endmodule

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// AXI4 subordinate for the memory's wide port: INCR bursts of whole beats, one of each
// direction at a time. Both directions share one beat a cycle; writes have priority. The
// first beat of a burst waits as long as an access of the processor would. A burst that
// exceeds the memory is answered with SLVERR and accesses nothing. beat_o is high in
// each cycle in which a beat passes.
module soc_memory_axi4 #(
  parameter int unsigned MemoryBytes = 262144,
  parameter int unsigned DataWidth   = 32,
  localparam int unsigned Lanes = DataWidth / 8
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic [7:0]           read_wait_i,
  input  logic [7:0]           write_wait_i,
  output logic                 beat_o,

  output logic                 wide_write_o,
  output logic [31:0]          wide_address_o,
  output logic [DataWidth-1:0] wide_wdata_o,
  output logic [Lanes-1:0]     wide_wstrb_o,
  input  logic [DataWidth-1:0] wide_rdata_i,

  input  logic [31:0]          s_axi_awaddr_i,
  input  logic [7:0]           s_axi_awlen_i,
  input  logic                 s_axi_awvalid_i,
  output logic                 s_axi_awready_o,
  input  logic [DataWidth-1:0] s_axi_wdata_i,
  input  logic [Lanes-1:0]     s_axi_wstrb_i,
  input  logic                 s_axi_wvalid_i,
  output logic                 s_axi_wready_o,
  output logic [1:0]           s_axi_bresp_o,
  output logic                 s_axi_bvalid_o,
  input  logic                 s_axi_bready_i,
  input  logic [31:0]          s_axi_araddr_i,
  input  logic [7:0]           s_axi_arlen_i,
  input  logic                 s_axi_arvalid_i,
  output logic                 s_axi_arready_o,
  output logic [DataWidth-1:0] s_axi_rdata_o,
  output logic [1:0]           s_axi_rresp_o,
  output logic                 s_axi_rlast_o,
  output logic                 s_axi_rvalid_o,
  input  logic                 s_axi_rready_i
);

  localparam logic [1:0]  Okay       = 2'b00;
  localparam logic [1:0]  SlaveError = 2'b10;
  localparam logic [31:0] LaneMask   = 32'(Lanes - 1);

  // The rest of a burst.
  typedef struct packed {
    logic        active;
    logic        bad;
    logic [31:0] address;
    logic [7:0]  left;  // beats after the next one
    logic [7:0]  waits; // cycles before the next one
  } burst_t;

  function automatic burst_t begun(logic [31:0] address, logic [7:0] length, logic [7:0] waits);
    logic [32:0] last;
    last = {1'b0, address & ~LaneMask} + 33'((32'(length) + 32'd1) * Lanes);
    return '{
      active:  1'b1,
      bad:     last > 33'(MemoryBytes),
      address: address & ~LaneMask,
      left:    length,
      waits:   waits
    };
  endfunction

  function automatic burst_t next(burst_t burst, logic moves);
    burst_t after;
    after = burst;
    if (burst.waits != '0) after.waits = burst.waits - 8'd1;
    if (moves) begin
      after.address = burst.address + 32'(Lanes);
      after.left    = burst.left - 8'd1;
      after.active  = burst.left != '0;
    end
    return after;
  endfunction

  burst_t write_q, read_q;
  logic   write_beat, read_beat, answer_free;

  assign answer_free = !s_axi_bvalid_o || s_axi_bready_i;
  assign write_beat  = write_q.active && (write_q.waits == '0) && s_axi_wvalid_i && answer_free;
  assign read_beat   = read_q.active && (read_q.waits == '0) && !write_beat &&
                       (!s_axi_rvalid_o || s_axi_rready_i);

  assign s_axi_awready_o = !write_q.active || (write_beat && (write_q.left == '0));
  assign s_axi_wready_o  = write_q.active && (write_q.waits == '0) && answer_free;
  assign s_axi_arready_o = !read_q.active || (read_beat && (read_q.left == '0));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q        <= '0;
      read_q         <= '0;
      s_axi_bvalid_o <= 1'b0;
      s_axi_bresp_o  <= Okay;
      s_axi_rvalid_o <= 1'b0;
      s_axi_rresp_o  <= Okay;
      s_axi_rlast_o  <= 1'b0;
      s_axi_rdata_o  <= '0;
    end else begin
      write_q <= next(write_q, write_beat);
      read_q  <= next(read_q, read_beat);
      if (s_axi_awvalid_i && s_axi_awready_o) begin
        write_q <= begun(s_axi_awaddr_i, s_axi_awlen_i, write_wait_i);
      end
      if (s_axi_arvalid_i && s_axi_arready_o) begin
        read_q <= begun(s_axi_araddr_i, s_axi_arlen_i, read_wait_i);
      end

      if (write_beat && (write_q.left == '0)) begin
        s_axi_bvalid_o <= 1'b1;
        s_axi_bresp_o  <= write_q.bad ? SlaveError : Okay;
      end else if (s_axi_bready_i) begin
        s_axi_bvalid_o <= 1'b0;
      end

      if (read_beat) begin
        s_axi_rvalid_o <= 1'b1;
        s_axi_rresp_o  <= read_q.bad ? SlaveError : Okay;
        s_axi_rlast_o  <= read_q.left == '0;
        s_axi_rdata_o  <= read_q.bad ? '0 : wide_rdata_i;
      end else if (s_axi_rready_i) begin
        s_axi_rvalid_o <= 1'b0;
      end
    end
  end

  assign wide_write_o   = write_beat && !write_q.bad;
  assign wide_address_o = write_beat ? write_q.address : read_q.address;
  assign wide_wdata_o   = s_axi_wdata_i;
  assign wide_wstrb_o   = s_axi_wstrb_i;
  assign beat_o         = write_beat || read_beat;

endmodule

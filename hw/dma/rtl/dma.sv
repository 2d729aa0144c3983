// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The DMA engine: moves messages from memory to an outgoing stream and from an
// incoming stream to memory, by registers or by chains of descriptors. Both directions
// run at the same time. With Streams above 1 it serves as many pairs of streams, one pair at a
// time; the signals of pair n are element n of each vector of the stream ports. The README
// describes its operation, dma.rdl its registers.
module dma
  import dma_pkg::*;
#(
  parameter int unsigned DataWidth     = 32,  // bits of the memory bus: 32, 64, 128 or 256
  parameter int unsigned StreamWidth   = 128, // bits of both streams: 32, 64 or 128
  parameter int unsigned BurstBeats    = 16,  // the longest burst; a power of two, 4 KiB at most
  parameter int unsigned FifoBeats     = 128, // each way; at least twice BurstBeats
  parameter int unsigned Protection    = 0,   // AxPROT of every access to memory, 0 to 7
  parameter int unsigned Streams       = 1,   // pairs of streams, 1 to 32
  parameter int unsigned ByteAlignment = 0,   // 1: transfers from and to any byte
  localparam int unsigned Strobes = DataWidth / 8,
  localparam int unsigned Lanes   = StreamWidth / 8
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic [7:0]             s_axil_awaddr_i,
  input  logic [2:0]             s_axil_awprot_i,
  input  logic                   s_axil_awvalid_i,
  output logic                   s_axil_awready_o,
  input  logic [31:0]            s_axil_wdata_i,
  input  logic [3:0]             s_axil_wstrb_i,
  input  logic                   s_axil_wvalid_i,
  output logic                   s_axil_wready_o,
  output logic [1:0]             s_axil_bresp_o,
  output logic                   s_axil_bvalid_o,
  input  logic                   s_axil_bready_i,
  input  logic [7:0]             s_axil_araddr_i,
  input  logic [2:0]             s_axil_arprot_i,
  input  logic                   s_axil_arvalid_i,
  output logic                   s_axil_arready_o,
  output logic [31:0]            s_axil_rdata_o,
  output logic [1:0]             s_axil_rresp_o,
  output logic                   s_axil_rvalid_o,
  input  logic                   s_axil_rready_i,
  output logic                   interrupt_o,
  output logic                   busy_o,

  // The memory bus: INCR bursts of whole beats, every ID zero.
  output logic                   m_axi_awid_o,
  output logic [31:0]            m_axi_awaddr_o,
  output logic [7:0]             m_axi_awlen_o,
  output logic [2:0]             m_axi_awsize_o,
  output logic [1:0]             m_axi_awburst_o,
  output logic [3:0]             m_axi_awcache_o,
  output logic [2:0]             m_axi_awprot_o,
  output logic                   m_axi_awvalid_o,
  input  logic                   m_axi_awready_i,
  output logic [DataWidth-1:0]   m_axi_wdata_o,
  output logic [Strobes-1:0]     m_axi_wstrb_o,
  output logic                   m_axi_wlast_o,
  output logic                   m_axi_wvalid_o,
  input  logic                   m_axi_wready_i,
  input  logic                   m_axi_bid_i,
  input  logic [1:0]             m_axi_bresp_i,
  input  logic                   m_axi_bvalid_i,
  output logic                   m_axi_bready_o,
  output logic                   m_axi_arid_o,
  output logic [31:0]            m_axi_araddr_o,
  output logic [7:0]             m_axi_arlen_o,
  output logic [2:0]             m_axi_arsize_o,
  output logic [1:0]             m_axi_arburst_o,
  output logic [3:0]             m_axi_arcache_o,
  output logic [2:0]             m_axi_arprot_o,
  output logic                   m_axi_arvalid_o,
  input  logic                   m_axi_arready_i,
  input  logic                   m_axi_rid_i,
  input  logic [DataWidth-1:0]   m_axi_rdata_i,
  input  logic [1:0]             m_axi_rresp_i,
  input  logic                   m_axi_rlast_i,
  input  logic                   m_axi_rvalid_i,
  output logic                   m_axi_rready_o,

  output logic [Streams*StreamWidth-1:0] m_axis_tdata_o,
  output logic [Streams*Lanes-1:0]       m_axis_tkeep_o,
  output logic [Streams-1:0]             m_axis_tlast_o,
  output logic [Streams-1:0]             m_axis_tvalid_o,
  input  logic [Streams-1:0]             m_axis_tready_i,
  input  logic [Streams*StreamWidth-1:0] s_axis_tdata_i,
  input  logic [Streams*Lanes-1:0]       s_axis_tkeep_i,
  input  logic [Streams-1:0]             s_axis_tlast_i,
  input  logic [Streams-1:0]             s_axis_tvalid_i,
  output logic [Streams-1:0]             s_axis_tready_o
);

  if (Streams < 1 || Streams > 32) begin : gen_bad_streams
    $fatal(1, "dma: Streams must be 1 to 32");
  end

  // ------------------------------------------------------------ streams

  // Those of the engine go to the pair that is selected; no other pair has a handshake.
  stream_t                stream;
  logic [StreamWidth-1:0] out_tdata, in_tdata;
  logic [Lanes-1:0]       out_tkeep, in_tkeep;
  logic                   out_tlast, out_tvalid, out_tready;
  logic                   in_tlast, in_tvalid, in_tready;
  logic [Streams-1:0]     selected;

  for (genvar n = 0; n < Streams; n++) begin : gen_stream
    assign selected[n]                                  = 32'(stream) == n;
    assign m_axis_tdata_o[n*StreamWidth +: StreamWidth] = out_tdata;
    assign m_axis_tkeep_o[n*Lanes +: Lanes]             = out_tkeep;
    assign m_axis_tlast_o[n]                            = out_tlast;
    assign m_axis_tvalid_o[n]                           = out_tvalid && selected[n];
    assign s_axis_tready_o[n]                           = in_tready && selected[n];
  end

  always_comb begin
    out_tready = 1'b0;
    in_tdata   = '0;
    in_tkeep   = '0;
    in_tlast   = 1'b0;
    in_tvalid  = 1'b0;
    for (int unsigned n = 0; n < Streams; n++) begin
      if (selected[n]) begin
        out_tready = m_axis_tready_i[n];
        in_tdata   = s_axis_tdata_i[n*StreamWidth +: StreamWidth];
        in_tkeep   = s_axis_tkeep_i[n*Lanes +: Lanes];
        in_tlast   = s_axis_tlast_i[n];
        in_tvalid  = s_axis_tvalid_i[n];
      end
    end
  end

  // ------------------------------------------------------------ registers

  logic        abort, transfer, chain, intake_ready, completed, done_interrupt, busy_error;
  descriptor_t from_registers;
  logic [31:0] chain_address;
  stream_t     asked_stream;
  logic        stopping, dropped, empty, settled;
  error_t      fault, error;
  origin_t     origin, intake_origin, read_origin, write_origin;

  assign busy_o = stopping || !empty || !intake_ready || out_tvalid;

  dma_csr #(
    .DataWidth     (DataWidth),
    .StreamWidth   (StreamWidth),
    .BurstBeats    (BurstBeats),
    .FifoBeats     (FifoBeats),
    .Streams       (Streams),
    .ByteAlignment (ByteAlignment)
  ) u_csr (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .s_axil_awaddr_i  (s_axil_awaddr_i),
    .s_axil_awprot_i  (s_axil_awprot_i),
    .s_axil_awvalid_i (s_axil_awvalid_i),
    .s_axil_awready_o (s_axil_awready_o),
    .s_axil_wdata_i   (s_axil_wdata_i),
    .s_axil_wstrb_i   (s_axil_wstrb_i),
    .s_axil_wvalid_i  (s_axil_wvalid_i),
    .s_axil_wready_o  (s_axil_wready_o),
    .s_axil_bresp_o   (s_axil_bresp_o),
    .s_axil_bvalid_o  (s_axil_bvalid_o),
    .s_axil_bready_i  (s_axil_bready_i),
    .s_axil_araddr_i  (s_axil_araddr_i),
    .s_axil_arprot_i  (s_axil_arprot_i),
    .s_axil_arvalid_i (s_axil_arvalid_i),
    .s_axil_arready_o (s_axil_arready_o),
    .s_axil_rdata_o   (s_axil_rdata_o),
    .s_axil_rresp_o   (s_axil_rresp_o),
    .s_axil_rvalid_o  (s_axil_rvalid_o),
    .s_axil_rready_i  (s_axil_rready_i),
    .interrupt_o      (interrupt_o),
    .abort_o          (abort),
    .transfer_o       (transfer),
    .chain_o          (chain),
    .descriptor_o     (from_registers),
    .chain_address_o  (chain_address),
    .stream_o         (asked_stream),
    .busy_i           (busy_o),
    .ready_i          (intake_ready),
    .stopping_i       (stopping),
    .completed_i      (completed),
    .done_interrupt_i (done_interrupt),
    .error_i          (error),
    .busy_error_i     (busy_error),
    .origin_i         (origin)
  );

  // ------------------------------------------------------------ errors

  // Each fault stops the engine. A write that began before the stop may fail during it.
  always_comb begin
    error       = stopping ? '0 : fault;
    error.write = fault.write;
  end

  // A fault of the write direction has priority: its transfer is the older one.
  always_comb begin
    if (fault.write || fault.framing) begin
      origin = write_origin;
    end else if (fault.read) begin
      origin = read_origin;
    end else begin
      origin = intake_origin;
    end
  end

  // ------------------------------------------------------------ transfers

  logic        fetch_valid, fetch_ready, fetched_valid;
  logic [31:0] fetch_address;
  logic        given_valid, given_ready;
  descriptor_t given;
  logic        score_ready, read_ready, write_ready, read_done, write_done;

  logic [DataWidth-1:0] fetched_data;
  logic                 fetched_error, fetched_last;

  dma_intake #(
    .DataWidth     (DataWidth),
    .StreamWidth   (StreamWidth),
    .Streams       (Streams),
    .ByteAlignment (ByteAlignment)
  ) u_intake (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .halt_i          (stopping),
    .transfer_i      (transfer),
    .chain_i         (chain),
    .descriptor_i    (from_registers),
    .chain_address_i (chain_address),
    .stream_i        (asked_stream),
    .ready_o         (intake_ready),
    .busy_error_o    (busy_error),
    .fetch_valid_o   (fetch_valid),
    .fetch_ready_i   (fetch_ready),
    .fetch_address_o (fetch_address),
    .fetched_valid_i (fetched_valid),
    .fetched_data_i  (fetched_data),
    .fetched_error_i (fetched_error),
    .fetched_last_i  (fetched_last),
    .valid_o         (given_valid),
    .ready_i         (given_ready),
    .descriptor_o    (given),
    .drained_i       (empty),
    .settled_i       (settled),
    .stream_o        (stream),
    .invalid_o       (fault.descriptor),
    .fetch_error_o   (fault.fetch),
    .origin_o        (intake_origin)
  );

  // When the last transfer leaves the scoreboard, its last beat is offered already.
  assign settled = empty && !out_tvalid;

  // A transfer goes to the scoreboard and to both directions in the same cycle.
  assign given_ready = score_ready && read_ready && write_ready;

  dma_scoreboard u_scoreboard (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .clear_i        (dropped),
    .valid_i        (given_valid && given_ready),
    .ready_o        (score_ready),
    .origin_i       (given.origin),
    .interrupt_i    (given.flags.notify),
    .read_done_i    (read_done),
    .write_done_i   (write_done),
    .read_origin_o  (read_origin),
    .write_origin_o (write_origin),
    .completed_o    (completed),
    .interrupt_o    (done_interrupt),
    .empty_o        (empty)
  );

  // ------------------------------------------------------------ data

  // Words 0 to 3 of a descriptor.
  localparam logic [7:0] FetchBeats = (DataWidth < 128) ? 8'(128 / DataWidth - 1) : 8'd0;

  logic unused_write_failed, unused_mover_busy;

  dma_mover #(
    .DataWidth     (DataWidth),
    .StreamWidth   (StreamWidth),
    .BurstBeats    (BurstBeats),
    .FifoBeats     (FifoBeats),
    .ByteAlignment (ByteAlignment),
    .Protection    (Protection),
    .WritesAhead   (Descriptors)
  ) u_mover (
    .clk_i               (clk_i),
    .rst_ni              (rst_ni),
    .abort_i             (abort || (fault != '0)),
    .stopping_o          (stopping),
    .dropped_o           (dropped),
    .busy_o              (unused_mover_busy),
    .read_valid_i        (given_valid && given_ready),
    .read_ready_o        (read_ready),
    .read_skip_i         (!given.flags.read),
    .read_address_i      (given.source),
    .read_length_i       (given.length),
    .read_message_end_i  (given.flags.message_end),
    .read_done_o         (read_done),
    .read_error_o        (fault.read),
    .write_valid_i       (given_valid && given_ready),
    .write_ready_o       (write_ready),
    .write_skip_i        (!given.flags.write),
    .write_address_i     (given.destination),
    .write_length_i      (given.length),
    .write_message_end_i (given.flags.message_end),
    .write_done_o        (write_done),
    .write_error_o       (fault.write),
    .write_failed_o      (unused_write_failed),
    .framing_error_o     (fault.framing),
    .fetch_valid_i       (fetch_valid),
    .fetch_ready_o       (fetch_ready),
    .fetch_address_i     (fetch_address),
    .fetch_beats_i       (FetchBeats),
    .fetched_valid_o     (fetched_valid),
    .fetched_data_o      (fetched_data),
    .fetched_error_o     (fetched_error),
    .fetched_last_o      (fetched_last),
    .m_axi_awid_o        (m_axi_awid_o),
    .m_axi_awaddr_o      (m_axi_awaddr_o),
    .m_axi_awlen_o       (m_axi_awlen_o),
    .m_axi_awsize_o      (m_axi_awsize_o),
    .m_axi_awburst_o     (m_axi_awburst_o),
    .m_axi_awcache_o     (m_axi_awcache_o),
    .m_axi_awprot_o      (m_axi_awprot_o),
    .m_axi_awvalid_o     (m_axi_awvalid_o),
    .m_axi_awready_i     (m_axi_awready_i),
    .m_axi_wdata_o       (m_axi_wdata_o),
    .m_axi_wstrb_o       (m_axi_wstrb_o),
    .m_axi_wlast_o       (m_axi_wlast_o),
    .m_axi_wvalid_o      (m_axi_wvalid_o),
    .m_axi_wready_i      (m_axi_wready_i),
    .m_axi_bid_i         (m_axi_bid_i),
    .m_axi_bresp_i       (m_axi_bresp_i),
    .m_axi_bvalid_i      (m_axi_bvalid_i),
    .m_axi_bready_o      (m_axi_bready_o),
    .m_axi_arid_o        (m_axi_arid_o),
    .m_axi_araddr_o      (m_axi_araddr_o),
    .m_axi_arlen_o       (m_axi_arlen_o),
    .m_axi_arsize_o      (m_axi_arsize_o),
    .m_axi_arburst_o     (m_axi_arburst_o),
    .m_axi_arcache_o     (m_axi_arcache_o),
    .m_axi_arprot_o      (m_axi_arprot_o),
    .m_axi_arvalid_o     (m_axi_arvalid_o),
    .m_axi_arready_i     (m_axi_arready_i),
    .m_axi_rid_i         (m_axi_rid_i),
    .m_axi_rdata_i       (m_axi_rdata_i),
    .m_axi_rresp_i       (m_axi_rresp_i),
    .m_axi_rlast_i       (m_axi_rlast_i),
    .m_axi_rvalid_i      (m_axi_rvalid_i),
    .m_axi_rready_o      (m_axi_rready_o),
    .m_axis_tdata_o      (out_tdata),
    .m_axis_tkeep_o      (out_tkeep),
    .m_axis_tlast_o      (out_tlast),
    .m_axis_tvalid_o     (out_tvalid),
    .m_axis_tready_i     (out_tready),
    .s_axis_tdata_i      (in_tdata),
    .s_axis_tkeep_i      (in_tkeep),
    .s_axis_tlast_i      (in_tlast),
    .s_axis_tvalid_i     (in_tvalid),
    .s_axis_tready_o     (in_tready)
  );

`ifndef SYNTHESIS
  // Rules for the surrounding logic. A sender may withdraw a beat while the engine stops or
  // has no transfer of its stream.
  prim_stream_rules #(
    .Width (11)
  ) u_aw_rules (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (1'b0),
    .valid_i   (s_axil_awvalid_i),
    .ready_i   (s_axil_awready_o),
    .payload_i ({s_axil_awaddr_i, s_axil_awprot_i})
  );

  prim_stream_rules #(
    .Width (36)
  ) u_w_rules (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (1'b0),
    .valid_i   (s_axil_wvalid_i),
    .ready_i   (s_axil_wready_o),
    .payload_i ({s_axil_wdata_i, s_axil_wstrb_i})
  );

  prim_stream_rules #(
    .Width (11)
  ) u_ar_rules (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (1'b0),
    .valid_i   (s_axil_arvalid_i),
    .ready_i   (s_axil_arready_o),
    .payload_i ({s_axil_araddr_i, s_axil_arprot_i})
  );

  for (genvar n = 0; n < Streams; n++) begin : gen_stream_rules
    prim_stream_rules #(
      .Width (StreamWidth + Lanes + 1)
    ) u_stream_rules (
      .clk_i     (clk_i),
      .rst_ni    (rst_ni),
      .clear_i   (stopping || empty || !selected[n]),
      .valid_i   (s_axis_tvalid_i[n]),
      .ready_i   (s_axis_tready_o[n]),
      .payload_i ({s_axis_tdata_i[n*StreamWidth +: StreamWidth], s_axis_tkeep_i[n*Lanes +: Lanes],
                   s_axis_tlast_i[n]})
    );
  end

  // A stream is selected until nothing of its transfers is left inside.
  stream_t last_stream_q;
  logic    unsettled_q;

  // The rule holds from the first reset on.
  initial begin
    unsettled_q = 1'b0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      last_stream_q <= '0;
      unsettled_q   <= 1'b0;
    end else begin
      last_stream_q <= stream;
      unsettled_q   <= !settled;
      if (unsettled_q) begin
        stream_stays: assert (stream == last_stream_q)
          else $error("%m: another stream was selected amid a transfer");
        stream_exists: assert (selected != '0)
          else $error("%m: no stream is selected");
      end
    end
  end
`endif

endmodule

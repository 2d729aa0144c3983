// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Joins the users of host memory on one AXI4 bus: round robin, burst by burst, several
// outstanding. All IDs are zero, so the memory answers reads in order and writes in order; two
// queues remember whose each answer is. The data of writes go out in the order of their
// addresses.
//
// A user must take the data of its reads at once, and have all data of a write when it asks
// for that; so RREADY and BREADY are always high, and the bus never waits for a user. While
// halt_i is high no burst begins; idle_o tells that none is on the bus.
module card_memory #(
  parameter int unsigned DataWidth  = 128,
  parameter int unsigned Readers    = 2,
  parameter int unsigned Writers    = 2,
  parameter int unsigned Protection = 0,
  // Bursts on the bus at once. Six movers have eight of each: with fewer, bursts of 256 bytes
  // leave a bus of 128 bits idle while a far memory is silent.
  parameter int unsigned ReadsOutstanding  = 64,
  parameter int unsigned WritesOutstanding = 64,
  localparam int unsigned Strobes = DataWidth / 8
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic                              halt_i,
  output logic                              idle_o,

  input  logic [Readers-1:0]                ar_valid_i,
  output logic [Readers-1:0]                ar_ready_o,
  input  logic [Readers-1:0][63:0]          ar_address_i,
  input  logic [Readers-1:0][7:0]           ar_beats_i,   // minus one
  output logic [Readers-1:0]                r_valid_o,
  output logic [DataWidth-1:0]              r_data_o,
  output logic                              r_error_o,
  output logic                              r_last_o,
  input  logic [Writers-1:0]                aw_valid_i,
  output logic [Writers-1:0]                aw_ready_o,
  input  logic [Writers-1:0][63:0]          aw_address_i,
  input  logic [Writers-1:0][7:0]           aw_beats_i,
  input  logic [Writers-1:0]                w_valid_i,
  output logic [Writers-1:0]                w_ready_o,
  input  logic [Writers-1:0][DataWidth-1:0] w_data_i,
  input  logic [Writers-1:0][Strobes-1:0]   w_strobes_i,
  input  logic [Writers-1:0]                w_last_i,
  output logic [Writers-1:0]                b_valid_o,
  output logic                              b_error_o,

  output logic                              m_axi_awid_o,
  output logic [63:0]                       m_axi_awaddr_o,
  output logic [7:0]                        m_axi_awlen_o,
  output logic [2:0]                        m_axi_awsize_o,
  output logic [1:0]                        m_axi_awburst_o,
  output logic [3:0]                        m_axi_awcache_o,
  output logic [2:0]                        m_axi_awprot_o,
  output logic                              m_axi_awvalid_o,
  input  logic                              m_axi_awready_i,
  output logic [DataWidth-1:0]              m_axi_wdata_o,
  output logic [Strobes-1:0]                m_axi_wstrb_o,
  output logic                              m_axi_wlast_o,
  output logic                              m_axi_wvalid_o,
  input  logic                              m_axi_wready_i,
  input  logic                              m_axi_bid_i,
  input  logic [1:0]                        m_axi_bresp_i,
  input  logic                              m_axi_bvalid_i,
  output logic                              m_axi_bready_o,
  output logic                              m_axi_arid_o,
  output logic [63:0]                       m_axi_araddr_o,
  output logic [7:0]                        m_axi_arlen_o,
  output logic [2:0]                        m_axi_arsize_o,
  output logic [1:0]                        m_axi_arburst_o,
  output logic [3:0]                        m_axi_arcache_o,
  output logic [2:0]                        m_axi_arprot_o,
  output logic                              m_axi_arvalid_o,
  input  logic                              m_axi_arready_i,
  input  logic                              m_axi_rid_i,
  input  logic [DataWidth-1:0]              m_axi_rdata_i,
  input  logic [1:0]                        m_axi_rresp_i,
  input  logic                              m_axi_rlast_i,
  input  logic                              m_axi_rvalid_i,
  output logic                              m_axi_rready_o
);

  // The attributes of every burst: INCR, normal memory that is bufferable and not cacheable
  // (AXI4, tables A3-3 and A4-5).
  assign m_axi_arid_o    = 1'b0;
  assign m_axi_arsize_o  = 3'($clog2(Strobes));
  assign m_axi_arburst_o = 2'b01;
  assign m_axi_arcache_o = 4'b0011;
  assign m_axi_arprot_o  = 3'(Protection);
  assign m_axi_awid_o    = 1'b0;
  assign m_axi_awsize_o  = 3'($clog2(Strobes));
  assign m_axi_awburst_o = 2'b01;
  assign m_axi_awcache_o = 4'b0011;
  assign m_axi_awprot_o  = 3'(Protection);

  // ------------------------------------------------------------ reads

  logic               ar_valid_q;
  logic [63:0]        ar_address_q, ar_address;
  logic [7:0]         ar_beats_q, ar_beats;
  logic [Readers-1:0] ar_choice, reader;
  logic               ar_free, ar_taken, readers_busy, readers_ready, reading;

  card_arbiter #(
    .Requests (Readers)
  ) u_reads (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .request_i (ar_valid_i),
    .taken_i   (ar_taken),
    .grant_o   (ar_choice)
  );

  prim_fifo #(
    .Width (Readers),
    .Depth (ReadsOutstanding)
  ) u_readers (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (1'b0),
    .busy_o  (readers_busy),
    .valid_i (ar_taken),
    .ready_o (readers_ready),
    .data_i  (ar_choice),
    .valid_o (reading),
    .ready_i (m_axi_rvalid_i && m_axi_rlast_i),
    .data_o  (reader)
  );

  assign ar_free    = (!ar_valid_q || m_axi_arready_i) && readers_ready && !halt_i;
  assign ar_taken   = ar_free && ar_valid_i != '0;
  assign ar_ready_o = ar_choice & {Readers{ar_free}};

  always_comb begin
    ar_address = '0;
    ar_beats   = '0;
    for (int unsigned n = 0; n < Readers; n++) begin
      ar_address = ar_address | (ar_address_i[n] & {64{ar_choice[n]}});
      ar_beats   = ar_beats | (ar_beats_i[n] & {8{ar_choice[n]}});
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ar_valid_q   <= 1'b0;
      ar_address_q <= '0;
      ar_beats_q   <= '0;
    end else if (ar_taken) begin
      ar_valid_q   <= 1'b1;
      ar_address_q <= ar_address;
      ar_beats_q   <= ar_beats;
    end else if (m_axi_arready_i) begin
      ar_valid_q   <= 1'b0;
    end
  end

  assign m_axi_arvalid_o = ar_valid_q;
  assign m_axi_araddr_o  = ar_address_q;
  assign m_axi_arlen_o   = ar_beats_q;
  assign m_axi_rready_o  = 1'b1;

  assign r_valid_o = reader & {Readers{m_axi_rvalid_i}};
  assign r_data_o  = m_axi_rdata_i;
  assign r_error_o = m_axi_rresp_i[1]; // SLVERR or DECERR (AXI4, A3.4.4)
  assign r_last_o  = m_axi_rlast_i;

  // ------------------------------------------------------------ writes

  logic               aw_valid_q;
  logic [63:0]        aw_address_q, aw_address;
  logic [7:0]         aw_beats_q, aw_beats;
  logic [Writers-1:0] aw_choice, sender, writer;
  logic               aw_free, aw_taken, senders_busy, senders_ready, sending;
  logic               writers_busy, writers_ready, writing;

  card_arbiter #(
    .Requests (Writers)
  ) u_writes (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .request_i (aw_valid_i),
    .taken_i   (aw_taken),
    .grant_o   (aw_choice)
  );

  prim_fifo #(
    .Width (Writers),
    .Depth (WritesOutstanding)
  ) u_senders (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (1'b0),
    .busy_o  (senders_busy),
    .valid_i (aw_taken),
    .ready_o (senders_ready),
    .data_i  (aw_choice),
    .valid_o (sending),
    .ready_i (m_axi_wvalid_o && m_axi_wready_i && m_axi_wlast_o),
    .data_o  (sender)
  );

  prim_fifo #(
    .Width (Writers),
    .Depth (WritesOutstanding)
  ) u_writers (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (1'b0),
    .busy_o  (writers_busy),
    .valid_i (aw_taken),
    .ready_o (writers_ready),
    .data_i  (aw_choice),
    .valid_o (writing),
    .ready_i (m_axi_bvalid_i),
    .data_o  (writer)
  );

  assign aw_free    = (!aw_valid_q || m_axi_awready_i) && senders_ready && writers_ready && !halt_i;
  assign aw_taken   = aw_free && aw_valid_i != '0;
  assign aw_ready_o = aw_choice & {Writers{aw_free}};

  always_comb begin
    aw_address = '0;
    aw_beats   = '0;
    for (int unsigned n = 0; n < Writers; n++) begin
      aw_address = aw_address | (aw_address_i[n] & {64{aw_choice[n]}});
      aw_beats   = aw_beats | (aw_beats_i[n] & {8{aw_choice[n]}});
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      aw_valid_q   <= 1'b0;
      aw_address_q <= '0;
      aw_beats_q   <= '0;
    end else if (aw_taken) begin
      aw_valid_q   <= 1'b1;
      aw_address_q <= aw_address;
      aw_beats_q   <= aw_beats;
    end else if (m_axi_awready_i) begin
      aw_valid_q   <= 1'b0;
    end
  end

  assign m_axi_awvalid_o = aw_valid_q;
  assign m_axi_awaddr_o  = aw_address_q;
  assign m_axi_awlen_o   = aw_beats_q;
  assign m_axi_bready_o  = 1'b1;

  always_comb begin
    m_axi_wdata_o = '0;
    m_axi_wstrb_o = '0;
    for (int unsigned n = 0; n < Writers; n++) begin
      m_axi_wdata_o = m_axi_wdata_o | (w_data_i[n] & {DataWidth{sender[n]}});
      m_axi_wstrb_o = m_axi_wstrb_o | (w_strobes_i[n] & {Strobes{sender[n]}});
    end
  end

  assign m_axi_wvalid_o = (sender & w_valid_i) != '0;
  assign m_axi_wlast_o  = (sender & w_last_i) != '0;
  assign w_ready_o      = sender & {Writers{m_axi_wready_i}};
  assign b_valid_o      = writer & {Writers{m_axi_bvalid_i}};
  assign b_error_o      = m_axi_bresp_i[1];

  assign idle_o = !reading && !writing && !sending && !ar_valid_q && !aw_valid_q;

  logic unused;
  assign unused = ^{m_axi_bid_i, m_axi_rid_i, m_axi_bresp_i[0], m_axi_rresp_i[0], readers_busy,
                    senders_busy, writers_busy};

endmodule

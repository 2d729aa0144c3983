// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: dma_read_port requests every burst from the memory once, with its address
// and length, and passes each beat that comes back to its requester, once: descriptors to
// dma_intake, data to dma_read. It never has more than eight bursts outstanding, and
// quiet_o is high only when none is.
//
// Assumed: the memory answers in order, as AXI4 requires for one ID, with as many beats
// as were requested. An arbitrary burst is marked as it is issued.
module dma_read_port_formal #(
  parameter int unsigned DataWidth = 32
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 halt_i,
  input logic                 fetch_valid_i,
  input logic [31:0]          fetch_address_i,
  input logic [7:0]           fetch_beats_i,
  input logic                 burst_valid_i,
  input logic [31:0]          burst_address_i,
  input logic [7:0]           burst_beats_i,
  input logic                 m_axi_arready_i,
  input logic [DataWidth-1:0] m_axi_rdata_i,
  input logic [1:0]           m_axi_rresp_i,
  input logic                 m_axi_rlast_i,
  input logic                 m_axi_rvalid_i,
  input logic                 mark_i
);

  logic                 quiet, fetch_ready, fetched_valid, burst_ready, data_valid, error, last;
  logic                 arvalid, rready, fetch, burst, ended;
  logic [DataWidth-1:0] data;
  logic [31:0]          araddr;
  logic [7:0]           arlen;

  dma_read_port #(
    .DataWidth (DataWidth)
  ) u_port (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .halt_i          (halt_i),
    .quiet_o         (quiet),
    .fetch_valid_i   (fetch_valid_i),
    .fetch_ready_o   (fetch_ready),
    .fetch_address_i (fetch_address_i),
    .fetch_beats_i   (fetch_beats_i),
    .fetched_valid_o (fetched_valid),
    .burst_valid_i   (burst_valid_i),
    .burst_ready_o   (burst_ready),
    .burst_address_i (burst_address_i),
    .burst_beats_i   (burst_beats_i),
    .data_valid_o    (data_valid),
    .data_o          (data),
    .error_o         (error),
    .last_o          (last),
    .m_axi_araddr_o  (araddr),
    .m_axi_arlen_o   (arlen),
    .m_axi_arvalid_o (arvalid),
    .m_axi_arready_i (m_axi_arready_i),
    .m_axi_rdata_i   (m_axi_rdata_i),
    .m_axi_rresp_i   (m_axi_rresp_i),
    .m_axi_rlast_i   (m_axi_rlast_i),
    .m_axi_rvalid_i  (m_axi_rvalid_i),
    .m_axi_rready_o  (rready)
  );

  formal_reset u_reset (
    .clk_i  (clk_i),
    .rst_ni (rst_ni)
  );

  formal_stream_rules #(
    .Width (40)
  ) u_rules (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (1'b0),
    .valid_i   (arvalid),
    .ready_i   (m_axi_arready_i),
    .payload_i ({araddr, arlen})
  );

  assign fetch = fetch_valid_i && fetch_ready;
  assign burst = burst_valid_i && burst_ready;
  assign ended = m_axi_rvalid_i && m_axi_rlast_i;

  // ------------------------------------------------------------ the model

  logic [3:0]  pending_q; // bursts issued whose last beat has not come
  logic        asking_q;  // the memory has not taken the newest of them
  logic [39:0] asked_q;   // its address and length
  logic        fetching_q;
  logic        marked_q, marked_fetch_q;
  logic [3:0]  ahead_q;   // bursts before the marked one
  logic        marks, mine;

  assign marks = mark_i && !marked_q && (fetch || burst);
  assign mine  = marked_q && ahead_q == '0; // the next beat is of the marked burst

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pending_q      <= '0;
      asking_q       <= 1'b0;
      asked_q        <= '0;
      fetching_q     <= 1'b0;
      marked_q       <= 1'b0;
      marked_fetch_q <= 1'b0;
      ahead_q        <= '0;
    end else begin
      pending_q  <= pending_q + 4'(fetch || burst) - 4'(ended);
      asking_q   <= fetch || burst || (asking_q && !m_axi_arready_i);
      fetching_q <= fetch || (fetching_q && !(fetched_valid && last));
      if (fetch || burst) begin
        asked_q <= fetch ? {fetch_address_i, fetch_beats_i} : {burst_address_i, burst_beats_i};
      end
      if (marks) begin
        marked_q       <= 1'b1;
        marked_fetch_q <= fetch;
        ahead_q        <= pending_q - 4'(ended);
      end else if (marked_q && ended) begin
        marked_q <= ahead_q != '0;
        ahead_q  <= ahead_q - 4'd1;
      end
    end
  end

  always_comb begin
    // A burst that the memory has not taken cannot be answered.
    assume_answers_what_was_asked: assume (!m_axi_rvalid_i || pending_q > 4'(asking_q));
    assume_one_descriptor: assume (!fetch_valid_i || !fetching_q);
  end

  // ------------------------------------------------------------ properties

  always_comb begin
    one_is_asked:  assert (!(fetch && burst));
    asked_exactly: assert (arvalid == asking_q);
    if (arvalid) begin
      asked_itself: assert ({araddr, arlen} == asked_q);
    end
    if (fetch || burst) begin
      none_overwritten: assert (!asking_q || m_axi_arready_i);
      not_in_a_halt:    assert (!halt_i);
    end
    eight_at_most: assert (pending_q <= 4'd8);
    quiet_exactly: assert (quiet == (pending_q == '0));
    never_waits:   assert (rready);
    passed_on:     assert (data == m_axi_rdata_i && error == m_axi_rresp_i[1] &&
                           last == m_axi_rlast_i);
    given_once:    assert (m_axi_rvalid_i == (fetched_valid ^ data_valid) &&
                           !(fetched_valid && data_valid));
    if (m_axi_rvalid_i && mine) begin
      given_to_its_taker: assert (fetched_valid == marked_fetch_q);
      fetch_behind_data: cover (marked_fetch_q && pending_q == 4'd3);
    end
  end

  // ------------------------------------------------------------ invariants for the induction

  always_comb begin
    why_pending:   assert (u_port.outstanding_q == pending_q);
    why_asking:    assert (!asking_q || pending_q != '0);
    why_fetching:  assert (u_port.fetching_q == fetching_q);
    if (fetching_q) begin
      why_in_front: assert (u_port.ahead_q < pending_q);
    end
    if (marked_q) begin
      why_marked_inside: assert (ahead_q < pending_q);
      why_its_kind: assert (marked_fetch_q == (fetching_q && u_port.ahead_q == ahead_q));
    end
  end

endmodule

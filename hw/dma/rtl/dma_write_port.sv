// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The write channels of the memory bus, except WDATA and WSTRB. When a burst is issued
// the FIFO outside must hold all its data. All writes have the same ID, so responses
// come in order and say when a transfer is done. A skipped burst is not sent to the bus
// and only keeps its place in the order.
module dma_write_port #(
  parameter int unsigned AddressWidth = 32,
  localparam int unsigned Outstanding = 8 // bursts at once
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    clear_i,
  output logic                    sweeping_o,
  output logic                    quiet_o,       // nothing is outstanding

  input  logic                    issue_i,       // only with issue_ready_o
  output logic                    issue_ready_o,
  input  logic                    issue_skip_i,
  input  logic                    issue_last_i,  // the last burst of its transfer
  input  logic [AddressWidth-1:0] issue_address_i,
  input  logic [7:0]              issue_beats_i, // minus one
  output logic                    done_o,        // a transfer is done, high for a cycle
  output logic                    error_o,       // a burst got an error, high for a cycle
  output logic                    failed_o,      // one was: no later transfer counts as done

  input  logic                    data_valid_i,
  output logic                    data_ready_o,

  output logic [AddressWidth-1:0] m_axi_awaddr_o,
  output logic [7:0]              m_axi_awlen_o,
  output logic                    m_axi_awvalid_o,
  input  logic                    m_axi_awready_i,
  output logic                    m_axi_wlast_o,
  output logic                    m_axi_wvalid_o,
  input  logic                    m_axi_wready_i,
  input  logic [1:0]              m_axi_bresp_i,
  input  logic                    m_axi_bvalid_i,
  output logic                    m_axi_bready_o
);

  logic                    aw_valid_q;
  logic [AddressWidth-1:0] aw_address_q;
  logic [7:0]              aw_beats_q;

  // ------------------------------------------------------------ addresses

  logic lengths_busy, lengths_ready, retire_busy, retire_ready;

  assign issue_ready_o   = (!aw_valid_q || m_axi_awready_i) && lengths_ready && retire_ready;
  assign m_axi_awaddr_o  = aw_address_q;
  assign m_axi_awlen_o   = aw_beats_q;
  assign m_axi_awvalid_o = aw_valid_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      aw_valid_q   <= 1'b0;
      aw_address_q <= '0;
      aw_beats_q   <= '0;
    end else if (issue_i && !issue_skip_i) begin
      aw_valid_q   <= 1'b1;
      aw_address_q <= issue_address_i;
      aw_beats_q   <= issue_beats_i;
    end else if (m_axi_awready_i) begin
      aw_valid_q   <= 1'b0;
    end
  end

  // ------------------------------------------------------------ data

  logic       length_valid, beat_leaves;
  logic [7:0] length, beat_q;

  prim_fifo #(
    .Width (8),
    .Depth (4)
  ) u_lengths (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (clear_i),
    .busy_o  (lengths_busy),
    .valid_i (issue_i && !issue_skip_i),
    .ready_o (lengths_ready),
    .data_i  (issue_beats_i),
    .valid_o (length_valid),
    .ready_i (beat_leaves && m_axi_wlast_o),
    .data_o  (length)
  );

  assign m_axi_wvalid_o = length_valid && data_valid_i;
  assign m_axi_wlast_o  = beat_q == length;
  assign beat_leaves    = m_axi_wvalid_o && m_axi_wready_i;
  assign data_ready_o   = length_valid && m_axi_wready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      beat_q <= '0;
    end else if (beat_leaves) begin
      beat_q <= m_axi_wlast_o ? '0 : beat_q + 1'b1;
    end
  end

  // ------------------------------------------------------------ responses

  logic retire_valid, retire_skip, retire_last, answered;
  logic failed_q;

  prim_fifo #(
    .Width (2),
    .Depth (Outstanding)
  ) u_retire (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (clear_i),
    .busy_o  (retire_busy),
    .valid_i (issue_i),
    .ready_o (retire_ready),
    .data_i  ({issue_skip_i, issue_last_i}),
    .valid_o (retire_valid),
    .ready_i (retire_skip || m_axi_bvalid_i),
    .data_o  ({retire_skip, retire_last})
  );

  assign m_axi_bready_o = retire_valid && !retire_skip;
  assign answered       = m_axi_bready_o && m_axi_bvalid_i;
  assign error_o        = answered && m_axi_bresp_i[1]; // SLVERR or DECERR (AXI4, A3.4.4)
  assign done_o         = !failed_q && ((answered && retire_last && !error_o) ||
                                        (retire_valid && retire_skip));
  assign failed_o       = failed_q;
  assign quiet_o        = !retire_valid;
  assign sweeping_o     = lengths_busy || retire_busy;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      failed_q <= 1'b0;
    end else if (clear_i) begin
      failed_q <= 1'b0;
    end else if (error_o) begin
      failed_q <= 1'b1;
    end
  end

  logic unused_response;
  assign unused_response = m_axi_bresp_i[0];

`ifndef SYNTHESIS
  // A rule for the memory; it holds from the first reset on.
  logic watched_q;

  initial begin
    watched_q = 1'b0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      watched_q <= 1'b1;
    end else if (watched_q && m_axi_bvalid_i) begin
      answer_was_asked_for: assert (retire_valid)
        else $error("%m: the memory answers a write that was not requested");
    end
  end
`endif

endmodule

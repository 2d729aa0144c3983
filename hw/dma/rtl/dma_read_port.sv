// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The read channels of the memory bus, shared by descriptors and data. All reads have
// the same ID, so their data come back in order, and a count of the bursts before the
// descriptor identifies its beats. Requests must be made only with room for their data:
// RREADY is always high.
module dma_read_port #(
  parameter int unsigned DataWidth    = 32,
  parameter int unsigned AddressWidth = 32,
  localparam int unsigned Outstanding = 8 // bursts at once
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    halt_i,  // issue no more bursts
  output logic                    quiet_o, // nothing is outstanding

  input  logic                    fetch_valid_i, // a descriptor; one at a time
  output logic                    fetch_ready_o,
  input  logic [AddressWidth-1:0] fetch_address_i,
  input  logic [7:0]              fetch_beats_i, // minus one
  output logic                    fetched_valid_o,

  input  logic                    burst_valid_i,
  output logic                    burst_ready_o,
  input  logic [AddressWidth-1:0] burst_address_i,
  input  logic [7:0]              burst_beats_i, // minus one
  output logic                    data_valid_o,

  // A beat of data or of a descriptor.
  output logic [DataWidth-1:0]    data_o,
  output logic                    error_o,
  output logic                    last_o,

  output logic [AddressWidth-1:0] m_axi_araddr_o,
  output logic [7:0]              m_axi_arlen_o,
  output logic                    m_axi_arvalid_o,
  input  logic                    m_axi_arready_i,
  input  logic [DataWidth-1:0]    m_axi_rdata_i,
  input  logic [1:0]              m_axi_rresp_i,
  input  logic                    m_axi_rlast_i,
  input  logic                    m_axi_rvalid_i,
  output logic                    m_axi_rready_o
);

  localparam int unsigned CountBits = $clog2(Outstanding + 1);

  logic                    ar_valid_q;
  logic [AddressWidth-1:0] ar_address_q;
  logic [7:0]              ar_beats_q;
  logic [CountBits-1:0]    outstanding_q;
  logic                    fetching_q; // a descriptor is outstanding
  logic [CountBits-1:0]    ahead_q;    // bursts whose data come before the descriptor
  logic                    can_issue, issue, ended, is_fetch;

  assign can_issue     = (!ar_valid_q || m_axi_arready_i) && !halt_i &&
                         (outstanding_q != CountBits'(Outstanding));
  assign fetch_ready_o = can_issue;
  assign burst_ready_o = can_issue && !fetch_valid_i;
  assign issue         = can_issue && (fetch_valid_i || burst_valid_i);
  assign ended         = m_axi_rvalid_i && m_axi_rlast_i;
  assign is_fetch      = fetching_q && (ahead_q == '0);
  assign quiet_o       = outstanding_q == '0;

  assign fetched_valid_o = m_axi_rvalid_i && is_fetch;
  assign data_valid_o    = m_axi_rvalid_i && !is_fetch;
  assign data_o          = m_axi_rdata_i;
  assign error_o         = m_axi_rresp_i[1]; // SLVERR or DECERR (AXI4, A3.4.4)
  assign last_o          = m_axi_rlast_i;

  assign m_axi_araddr_o  = ar_address_q;
  assign m_axi_arlen_o   = ar_beats_q;
  assign m_axi_arvalid_o = ar_valid_q;
  assign m_axi_rready_o  = 1'b1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ar_valid_q    <= 1'b0;
      ar_address_q  <= '0;
      ar_beats_q    <= '0;
      outstanding_q <= '0;
      fetching_q    <= 1'b0;
      ahead_q       <= '0;
    end else begin
      outstanding_q <= outstanding_q + CountBits'(issue) - CountBits'(ended);
      if (issue) begin
        ar_valid_q   <= 1'b1;
        ar_address_q <= fetch_valid_i ? fetch_address_i : burst_address_i;
        ar_beats_q   <= fetch_valid_i ? fetch_beats_i : burst_beats_i;
      end else if (m_axi_arready_i) begin
        ar_valid_q   <= 1'b0;
      end
      if (issue && fetch_valid_i) begin
        fetching_q <= 1'b1;
        ahead_q    <= outstanding_q - CountBits'(ended);
      end else if (ended && is_fetch) begin
        fetching_q <= 1'b0;
      end else if (ended && fetching_q) begin
        ahead_q    <= ahead_q - 1'b1;
      end
    end
  end

  logic unused_response;
  assign unused_response = m_axi_rresp_i[0];

`ifndef SYNTHESIS
  // A rule for the memory; it holds from the first reset on.
  logic watched_q;

  initial begin
    watched_q = 1'b0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      watched_q <= 1'b1;
    end else if (watched_q && m_axi_rvalid_i) begin
      data_was_asked_for: assert (outstanding_q != '0)
        else $error("%m: the memory gives data that were not requested");
    end
  end
`endif

endmodule

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The register bus of the accelerator, shared by the sequencers of all rings and by the host,
// which only reads. One write and one read at a time, round robin. Ring n reaches the
// registers of channel n and no others. A request holds until its ready, which comes with
// the answer. The write data are zero while there is no write.
module card_registers_bus #(
  parameter int unsigned Rings = 1,
  localparam int unsigned AddressWidth = 8 + $clog2(Rings)
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  input  logic [Rings-1:0]        write_valid_i,
  output logic [Rings-1:0]        write_ready_o,
  input  logic [Rings-1:0][7:0]   write_address_i,
  input  logic [Rings-1:0][31:0]  write_data_i,
  input  logic [Rings-1:0]        read_valid_i,
  output logic [Rings-1:0]        read_ready_o,
  input  logic [Rings-1:0][7:0]   read_address_i,
  output logic [31:0]             read_data_o,
  output logic                    read_error_o,
  input  logic                    host_valid_i,
  output logic                    host_ready_o,
  input  logic [AddressWidth-1:0] host_address_i,

  output logic [AddressWidth-1:0] m_axil_awaddr_o,
  output logic                    m_axil_awvalid_o,
  input  logic                    m_axil_awready_i,
  output logic [31:0]             m_axil_wdata_o,
  output logic                    m_axil_wvalid_o,
  input  logic                    m_axil_wready_i,
  input  logic                    m_axil_bvalid_i,
  output logic                    m_axil_bready_o,
  output logic [AddressWidth-1:0] m_axil_araddr_o,
  output logic                    m_axil_arvalid_o,
  input  logic                    m_axil_arready_i,
  input  logic [31:0]             m_axil_rdata_i,
  input  logic [1:0]              m_axil_rresp_i,
  input  logic                    m_axil_rvalid_i,
  output logic                    m_axil_rready_o
);

  // ------------------------------------------------------------ writes

  logic [Rings-1:0] write_choice, write_now, write_target_q;
  logic             write_busy_q, addressed_q, given_q;

  card_arbiter #(
    .Requests (Rings)
  ) u_writes (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .request_i (write_valid_i),
    .taken_i   (!write_busy_q && |write_valid_i),
    .grant_o   (write_choice)
  );

  assign write_now        = write_busy_q ? write_target_q : write_choice;
  assign m_axil_awvalid_o = |write_now && !addressed_q;
  assign m_axil_wvalid_o  = |write_now && !given_q;
  assign m_axil_bready_o  = 1'b1;
  assign write_ready_o    = write_target_q & {Rings{write_busy_q && m_axil_bvalid_i}};

  always_comb begin
    m_axil_awaddr_o = '0;
    m_axil_wdata_o  = '0;
    for (int unsigned n = 0; n < Rings; n++) begin
      if (write_now[n]) begin
        m_axil_awaddr_o = AddressWidth'(256 * n) | AddressWidth'(write_address_i[n]);
        m_axil_wdata_o  = given_q ? '0 : write_data_i[n];
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_busy_q   <= 1'b0;
      write_target_q <= '0;
      addressed_q    <= 1'b0;
      given_q        <= 1'b0;
    end else begin
      if (!write_busy_q) begin
        write_busy_q   <= |write_valid_i;
        write_target_q <= write_choice;
      end else if (m_axil_bvalid_i) begin
        write_busy_q   <= 1'b0;
      end
      addressed_q <= (addressed_q || (m_axil_awvalid_o && m_axil_awready_i)) &&
                     !(write_busy_q && m_axil_bvalid_i);
      given_q     <= (given_q || (m_axil_wvalid_o && m_axil_wready_i)) &&
                     !(write_busy_q && m_axil_bvalid_i);
    end
  end

  // ------------------------------------------------------------ reads

  logic [Rings:0] read_valid, read_choice, read_now, read_target_q;
  logic           read_busy_q, asked_q;

  assign read_valid = {host_valid_i, read_valid_i};

  card_arbiter #(
    .Requests (Rings + 1)
  ) u_reads (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .request_i (read_valid),
    .taken_i   (!read_busy_q && |read_valid),
    .grant_o   (read_choice)
  );

  assign read_now                     = read_busy_q ? read_target_q : read_choice;
  assign m_axil_arvalid_o             = |read_now && !asked_q;
  assign m_axil_rready_o              = 1'b1;
  assign {host_ready_o, read_ready_o} = read_target_q & {(Rings + 1){read_busy_q && m_axil_rvalid_i}};
  assign read_data_o                  = m_axil_rdata_i;
  assign read_error_o                 = m_axil_rresp_i[1];

  always_comb begin
    m_axil_araddr_o = read_now[Rings] ? host_address_i : '0;
    for (int unsigned n = 0; n < Rings; n++) begin
      if (read_now[n]) begin
        m_axil_araddr_o = AddressWidth'(256 * n) | AddressWidth'(read_address_i[n]);
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      read_busy_q   <= 1'b0;
      read_target_q <= '0;
      asked_q       <= 1'b0;
    end else begin
      if (!read_busy_q) begin
        read_busy_q   <= |read_valid;
        read_target_q <= read_choice;
      end else if (m_axil_rvalid_i) begin
        read_busy_q   <= 1'b0;
      end
      asked_q <= (asked_q || (m_axil_arvalid_o && m_axil_arready_i)) &&
                 !(read_busy_q && m_axil_rvalid_i);
    end
  end

  logic unused;
  assign unused = m_axil_rresp_i[0];

endmodule

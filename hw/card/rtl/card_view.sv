// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The host's view of the channels' registers, a page of 4 KiB for each: reads go to the
// accelerator, writes are answered with SLVERR and change nothing, and so are reads beyond the
// 256 bytes of a channel. It stands behind prim_axi_lite_split, which has one write and one
// read at a time, so one answer serves all pages.
module card_view #(
  parameter int unsigned Rings = 1,
  localparam int unsigned AddressWidth = 8 + $clog2(Rings)
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  input  logic [Rings-1:0]        s_axil_awvalid_i,
  output logic                    s_axil_awready_o,
  input  logic [Rings-1:0]        s_axil_wvalid_i,
  output logic                    s_axil_wready_o,
  output logic [1:0]              s_axil_bresp_o,
  output logic                    s_axil_bvalid_o,
  input  logic [Rings-1:0]        s_axil_bready_i,
  input  logic [11:0]             s_axil_araddr_i,
  input  logic [Rings-1:0]        s_axil_arvalid_i,
  output logic                    s_axil_arready_o,
  output logic [31:0]             s_axil_rdata_o,
  output logic [1:0]              s_axil_rresp_o,
  output logic                    s_axil_rvalid_o,
  input  logic [Rings-1:0]        s_axil_rready_i,

  output logic                    read_valid_o,
  input  logic                    read_ready_i,
  output logic [AddressWidth-1:0] read_address_o,
  input  logic [31:0]             read_data_i,
  input  logic                    read_error_i
);

  localparam logic [1:0] ResponseSlaveError = 2'b10;

  // ------------------------------------------------------------ writes

  logic addressed_q, given_q;

  assign s_axil_awready_o = !addressed_q;
  assign s_axil_wready_o  = !given_q;
  assign s_axil_bvalid_o  = addressed_q && given_q;
  assign s_axil_bresp_o   = ResponseSlaveError;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      addressed_q <= 1'b0;
      given_q     <= 1'b0;
    end else if (s_axil_bvalid_o) begin
      addressed_q <= s_axil_bready_i == '0;
      given_q     <= s_axil_bready_i == '0;
    end else begin
      addressed_q <= addressed_q || s_axil_awvalid_i != '0;
      given_q     <= given_q || s_axil_wvalid_i != '0;
    end
  end

  // ------------------------------------------------------------ reads

  typedef enum logic [1:0] {
    StateIdle,
    StateRead,
    StateAnswer
  } state_e;

  state_e                  state_q;
  logic [AddressWidth-1:0] address_q;
  logic [31:0]             data_q;
  logic                    error_q;
  logic [AddressWidth-1:0] address;

  always_comb begin
    address = AddressWidth'(s_axil_araddr_i[7:0]);
    for (int unsigned n = 0; n < Rings; n++) begin
      if (s_axil_arvalid_i[n]) begin
        address = address | AddressWidth'(256 * n);
      end
    end
  end

  assign s_axil_arready_o = state_q == StateIdle;
  assign s_axil_rvalid_o  = state_q == StateAnswer;
  assign s_axil_rdata_o   = data_q;
  assign s_axil_rresp_o   = error_q ? ResponseSlaveError : '0;
  assign read_valid_o     = state_q == StateRead;
  assign read_address_o   = address_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= StateIdle;
      address_q <= '0;
      data_q    <= '0;
      error_q   <= 1'b0;
    end else begin
      unique case (state_q)
        StateIdle: begin
          if (s_axil_arvalid_i != '0) begin
            address_q <= address;
            data_q    <= '0;
            error_q   <= 1'b1;
            state_q   <= (s_axil_araddr_i[11:8] == '0) ? StateRead : StateAnswer;
          end
        end
        StateRead: begin
          if (read_ready_i) begin
            state_q <= StateAnswer;
            data_q  <= read_data_i;
            error_q <= read_error_i;
          end
        end
        default: begin
          if (s_axil_rready_i != '0) begin
            state_q <= StateIdle;
          end
        end
      endcase
    end
  end

endmodule

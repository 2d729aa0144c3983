// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Walks once over the addresses of a memory so that its owner can overwrite
// every word with zero: after reset, and each time start_i rises. busy_o is high
// from the cycle in which start_i rises until the last address has been given.
module prim_sweep #(
  parameter int unsigned Depth = 8,
  localparam int unsigned AddressWidth = (Depth > 1) ? $clog2(Depth) : 1
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    start_i,
  output logic                    busy_o,
  output logic                    write_o,
  output logic [AddressWidth-1:0] address_o
);

  logic                    start_q;
  logic                    run_q;
  logic [AddressWidth-1:0] address_q;
  logic                    rise;

  assign rise      = start_i && !start_q;
  assign busy_o    = rise || run_q;
  assign write_o   = run_q;
  assign address_o = address_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      start_q   <= 1'b0;
      run_q     <= 1'b1;
      address_q <= '0;
    end else begin
      start_q <= start_i;
      if (rise) begin
        run_q     <= 1'b1;
        address_q <= '0;
      end else if (run_q) begin
        run_q     <= address_q != AddressWidth'(Depth - 1);
        address_q <= address_q + 1'b1;
      end
    end
  end

endmodule

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Runs the zeroisation of a core: on zeroise_i and after reset it counts through
// Entries memory addresses, during which the core writes zeros.
//
// clear_o is the synchronous clear of every register that holds key or data; it
// is high from the cycle of zeroise_i itself. busy_o and address_o start one cycle
// later. Address 0 is written once more at the end, since in the first cycle after a
// reset without a clock the write data may not be zero yet: a sweep takes
// Entries + 1 cycles. A zeroise_i during a sweep starts it again.
module aes_sweep #(
  parameter int unsigned Entries = 32,
  localparam int unsigned AddressWidth = $clog2(Entries)
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    zeroise_i,
  output logic                    clear_o,
  output logic                    busy_o,
  output logic [AddressWidth-1:0] address_o
);

  logic                  busy_q;
  logic [AddressWidth:0] count_q;

  assign clear_o = zeroise_i || busy_q;
  assign busy_o = busy_q;
  assign address_o = count_q[AddressWidth-1:0];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q  <= 1'b1;
      count_q <= '0;
    end else if (zeroise_i) begin
      busy_q  <= 1'b1;
      count_q <= '0;
    end else if (busy_q) begin
      busy_q  <= !count_q[AddressWidth];
      count_q <= count_q + 1'b1;
    end
  end

endmodule

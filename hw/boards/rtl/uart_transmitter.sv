// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Sends bytes on a serial line: one start bit, eight data bits, least significant first, one
// stop bit, no parity. It takes the next byte when the stop bit has ended.
module uart_transmitter #(
  parameter int unsigned ClocksPerBit = 25 // 8 to 65,535
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       valid_i,
  output logic       ready_o,
  input  logic [7:0] data_i,
  output logic       tx_o
);

  if (ClocksPerBit < 8 || ClocksPerBit > 65535) begin : gen_bad_clocks
    $fatal(1, "uart_transmitter: ClocksPerBit must be 8 to 65535");
  end

  localparam logic [15:0] Bit = 16'(ClocksPerBit - 1);

  logic [15:0] timer_d, timer_q;
  logic [3:0]  bits_d, bits_q;   // that are still on the line or to come
  logic [8:0]  shift_d, shift_q; // what follows the bit on the line
  logic        line_d, line_q;

  assign ready_o = bits_q == '0;
  assign tx_o    = line_q;

  always_comb begin
    timer_d = timer_q - 16'd1;
    bits_d  = bits_q;
    shift_d = shift_q;
    line_d  = line_q;
    if (bits_q == '0) begin
      timer_d = Bit;
      if (valid_i) begin
        bits_d  = 4'd10;
        shift_d = {1'b1, data_i};
        line_d  = 1'b0;
      end
    end else if (timer_q == '0) begin
      timer_d = Bit;
      bits_d  = bits_q - 4'd1;
      shift_d = {1'b1, shift_q[8:1]};
      line_d  = shift_q[0];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      timer_q <= '0;
      bits_q  <= '0;
      shift_q <= '1;
      line_q  <= 1'b1;
    end else begin
      timer_q <= timer_d;
      bits_q  <= bits_d;
      shift_q <= shift_d;
      line_q  <= line_d;
    end
  end

endmodule

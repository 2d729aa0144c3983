// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// A stream register that cuts every path between its two sides, ready included,
// and passes a word each clock. It holds two words: when the output stalls, the
// word already on its way is caught in the second register. A clear drops both
// and overwrites them with zeros; meanwhile nothing is accepted.
module prim_register_slice #(
  parameter int unsigned Width = 32
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             clear_i,
  input  logic             valid_i,
  output logic             ready_o,
  input  logic [Width-1:0] data_i,
  output logic             valid_o,
  input  logic             ready_i,
  output logic [Width-1:0] data_o
);

  logic             open_q; // low until the first clock after reset and after a clear
  logic             valid_q, spare_valid_q;
  logic [Width-1:0] data_q, spare_q;

  assign ready_o = open_q && !spare_valid_q;
  assign valid_o = valid_q;
  assign data_o  = data_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q        <= 1'b0;
      valid_q       <= 1'b0;
      spare_valid_q <= 1'b0;
      data_q        <= '0;
      spare_q       <= '0;
    end else if (clear_i) begin
      open_q        <= 1'b0;
      valid_q       <= 1'b0;
      spare_valid_q <= 1'b0;
      data_q        <= '0;
      spare_q       <= '0;
    end else begin
      open_q <= 1'b1;
      if (ready_i || !valid_q) begin
        valid_q       <= spare_valid_q || (valid_i && ready_o);
        spare_valid_q <= 1'b0;
        if (spare_valid_q) begin
          data_q <= spare_q;
        end else if (valid_i && ready_o) begin
          data_q <= data_i;
        end
      end else if (valid_i && ready_o) begin
        spare_valid_q <= 1'b1;
        spare_q       <= data_i;
      end
    end
  end

endmodule

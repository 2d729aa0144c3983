// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The sum of some numbers and a carry, modulo 2^Width.
//
// With CarrySave 0 it is written as additions, which FPGA tools map to carry chains. With
// CarrySave 1 it is made for standard cells: three numbers become two without carries that
// travel, one number after the other, and the last two are added by a prefix adder
// (Kogge and Stone, 1973). The later an operand arrives, the higher its index should be.
module prim_sum #(
  parameter int unsigned Width     = 32,
  parameter int unsigned Operands  = 2, // 2 or more
  parameter int unsigned CarrySave = 0  // 0 or 1
) (
  input  logic [Operands-1:0][Width-1:0] operand_i,
  input  logic                           carry_i,
  output logic [Width-1:0]               sum_o
);

  if (Operands < 2) begin : gen_bad_operands
    $error("prim_sum: Operands must be 2 or more");
  end

  if (CarrySave != 0) begin : gen_carry_save
    always_comb begin
      automatic logic [Width-1:0] saved = operand_i[0];
      automatic logic [Width-1:0] carried = operand_i[1];
      automatic logic [Width-1:0] generates, propagates, half;

      for (int n = 2; n < Operands; n++) begin
        automatic logic [Width-1:0] next = operand_i[n];
        automatic logic [Width-1:0] majority = (saved & carried) | (saved & next) |
                                               (carried & next);
        saved   = saved ^ carried ^ next;
        carried = majority << 1;
      end

      half       = saved ^ carried;
      propagates = half;
      generates  = saved & carried;
      generates[0] = generates[0] || (propagates[0] && carry_i);
      for (int span = 1; span < Width; span *= 2) begin
        generates  = generates | (propagates & (generates << span));
        propagates = propagates & (propagates << span);
      end
      sum_o    = half ^ (generates << 1);
      sum_o[0] = half[0] ^ carry_i;
    end
  end else begin : gen_carry_chains
    always_comb begin
      sum_o = operand_i[0] + Width'(carry_i);
      for (int n = 1; n < Operands; n++) begin
        sum_o = sum_o + operand_i[n];
      end
    end
  end

endmodule

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Product of two elements of GF(2^128), in a pipeline that advances with advance_i: the
// product is valid Stages - 1 advances after its operands. An advance takes the
// operands in, or zeros if bubble_i is high.
//
// Stages = 1 is combinational. 2 has a register after the small products, 3 another one
// for the operands, and 4 another one for the whole product before its reduction. The
// instantiating module has the register for the result and clears the pipeline after
// reset: no register here has a reset.
module ghash_multiplier
  import ghash_pkg::element_t;
  import ghash_pkg::reduce;
#(
  parameter int unsigned Stages = 1
) (
  input  logic     clk_i,
  input  logic     clear_i,
  input  logic     advance_i,
  input  logic     bubble_i,
  input  element_t a_i,
  input  element_t b_i,
  output element_t product_o
);

  // Bits of the smallest products. 8 bits need 7 % fewer LUTs, but 1,215 registers after
  // the products instead of 837; 32 bits need 12 % more LUTs.
  localparam int unsigned Leaf = 16;

  element_t     a, b;
  logic         clear;
  logic [254:0] product, whole;

  if (Stages >= 3) begin : gen_operands
    element_t a_q, b_q;

    always_ff @(posedge clk_i) begin
      if (clear_i || (advance_i && bubble_i)) begin
        a_q <= '0;
      end else if (advance_i) begin
        a_q <= a_i;
      end
    end

    always_ff @(posedge clk_i) begin
      if (clear_i) begin
        b_q <= '0;
      end else if (advance_i) begin
        b_q <= b_i;
      end
    end

    assign a     = a_q;
    assign b     = b_q;
    assign clear = clear_i;
  end else begin : gen_direct
    assign a     = a_i;
    assign b     = b_i;
    assign clear = clear_i || (advance_i && bubble_i);
  end

  ghash_product #(
    .Width      (128),
    .Leaf       (Leaf),
    .Registered (Stages > 1 ? 1 : 0)
  ) u_product (
    .clk_i     (clk_i),
    .clear_i   (clear),
    .load_i    (advance_i),
    .a_i       (a),
    .b_i       (b),
    .product_o (product)
  );

  if (Stages == 4) begin : gen_whole
    logic [254:0] whole_q;

    always_ff @(posedge clk_i) begin
      if (clear_i) begin
        whole_q <= '0;
      end else if (advance_i) begin
        whole_q <= product;
      end
    end

    assign whole = whole_q;
  end else begin : gen_at_once
    assign whole = product;
  end

  assign product_o = reduce(whole);

endmodule

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Product of two polynomials over GF(2), not reduced: Karatsuba's three half-size
// products instead of four, down to products of Leaf bits. With Registered = 1 the
// smallest products are stored in registers, so that the result comes one load later;
// clearing them gives a zero result.
//
// It instantiates itself: Width is Leaf times a power of two.
module ghash_product #(
  parameter int unsigned Width = 128,
  parameter int unsigned Leaf = 16,
  parameter int unsigned Registered = 0
) (
  input  logic               clk_i,
  input  logic               clear_i,
  input  logic               load_i,
  input  logic [Width-1:0]   a_i,
  input  logic [Width-1:0]   b_i,
  output logic [2*Width-2:0] product_o
);

  if (Width <= Leaf) begin : gen_leaf
    logic [2*Width-2:0] product;

    ghash_leaf #(
      .Width (Width)
    ) u_leaf (
      .a_i       (a_i),
      .b_i       (b_i),
      .product_o (product)
    );

    if (Registered == 1) begin : gen_registered
      logic [2*Width-2:0] product_q;

      always_ff @(posedge clk_i) begin
        if (clear_i) begin
          product_q <= '0;
        end else if (load_i) begin
          product_q <= product;
        end
      end

      assign product_o = product_q;
    end else begin : gen_plain
      assign product_o = product;

      logic unused;
      assign unused = ^{clk_i, clear_i, load_i};
    end
  end else begin : gen_split
    localparam int unsigned Half = Width / 2;

    logic [2*Half-2:0] low, high, both;

    ghash_product #(
      .Width      (Half),
      .Leaf       (Leaf),
      .Registered (Registered)
    ) u_low (
      .clk_i     (clk_i),
      .clear_i   (clear_i),
      .load_i    (load_i),
      .a_i       (a_i[Half-1:0]),
      .b_i       (b_i[Half-1:0]),
      .product_o (low)
    );

    ghash_product #(
      .Width      (Half),
      .Leaf       (Leaf),
      .Registered (Registered)
    ) u_high (
      .clk_i     (clk_i),
      .clear_i   (clear_i),
      .load_i    (load_i),
      .a_i       (a_i[Width-1:Half]),
      .b_i       (b_i[Width-1:Half]),
      .product_o (high)
    );

    ghash_product #(
      .Width      (Half),
      .Leaf       (Leaf),
      .Registered (Registered)
    ) u_both (
      .clk_i     (clk_i),
      .clear_i   (clear_i),
      .load_i    (load_i),
      .a_i       (a_i[Half-1:0] ^ a_i[Width-1:Half]),
      .b_i       (b_i[Half-1:0] ^ b_i[Width-1:Half]),
      .product_o (both)
    );

    logic [2*Half-2:0] middle;
    assign middle = both ^ low ^ high;
    assign product_o = {high, 1'b0, low} ^ {{Half{1'b0}}, middle, {Half{1'b0}}};
  end

endmodule

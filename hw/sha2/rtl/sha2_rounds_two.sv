// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The hash value and the working variables of sections 6.2.2 and 6.4.2 of the standard, and
// two rounds a cycle. Ports and rules are those of sha2_rounds, with two words and constants.
//
// The rounds are a pipeline of two stages behind the schedule:
//
//   base    h + K + W and d + h + K + W are added up. Both h and d are known a cycle early.
//   rounds  the rest of T1 and T2 is added, and the working variables move on.
//
// The hash value is added at the end of a block without a cycle of its own. For a and e
// it is added in the base of the last round. The others leave in the cycle of that
// round by an adder each, since they are the a and e of earlier rounds.
module sha2_rounds_two
  import sha2_pkg::*;
#(
  parameter int unsigned WordSizes = WordSizesAll,
  localparam int unsigned Width = ((WordSizes & WordSizes64) != 0) ? 64 : 32
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  clear_i,
  input  logic                  wide_i,

  input  logic                  initialise_i,
  input  logic [7:0][Width-1:0] initial_i,

  input  logic                  valid_i,
  input  logic                  load_i,
  input  logic                  first_i,
  input  logic                  last_i,
  input  logic [1:0][Width-1:0] word_i,
  input  logic [1:0][Width-1:0] constant_i,

  output logic                  idle_o,
  output logic [7:0][Width-1:0] hash_o
);

  typedef logic [Width-1:0] word_t;

  localparam bit Wide = (WordSizes & WordSizes64) != 0;
  localparam bit Narrow = (WordSizes & WordSizes32) != 0;
  localparam int unsigned Last = 1; // of the rounds of a cycle

  function automatic word_t big_sigma0(input word_t x, input logic wide);
    return (Wide && (!Narrow || wide)) ? Width'(big_sigma0_64(64'(x)))
                                       : Width'(big_sigma0_32(x[31:0]));
  endfunction

  function automatic word_t big_sigma1(input word_t x, input logic wide);
    return (Wide && (!Narrow || wide)) ? Width'(big_sigma1_64(64'(x)))
                                       : Width'(big_sigma1_32(x[31:0]));
  endfunction

  // ------------------------------------------------------------ stages

  logic base_valid_q, base_first_q, base_last_q; // in the stage base; load is a last one
  logic rounds_valid_q, rounds_last_q;           // in the stage rounds
  logic go, finish;                              // rounds run, a block ends in this cycle

  // Rounds wait for those that come next, whose base needs d and h from before the rounds.
  assign go     = rounds_valid_q && (base_valid_q || rounds_last_q);
  assign finish = go && rounds_last_q;
  assign idle_o = !base_valid_q && !rounds_valid_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      base_valid_q   <= 1'b0;
      base_first_q   <= 1'b0;
      base_last_q    <= 1'b0;
      rounds_valid_q <= 1'b0;
      rounds_last_q  <= 1'b0;
    end else if (clear_i) begin
      base_valid_q   <= 1'b0;
      base_first_q   <= 1'b0;
      base_last_q    <= 1'b0;
      rounds_valid_q <= 1'b0;
      rounds_last_q  <= 1'b0;
    end else begin
      base_valid_q   <= valid_i || load_i;
      base_first_q   <= valid_i && first_i;
      base_last_q    <= load_i || last_i;
      if (base_valid_q || go) begin
        rounds_valid_q <= base_valid_q;
        rounds_last_q  <= base_valid_q && base_last_q;
      end
    end
  end

  // ------------------------------------------------------------ base

  word_t [7:0]    hash_q;
  word_t          a_q, b_q, c_q, e_q, f_q, g_q;
  word_t [Last:0] base_a, base_a_q, base_e, base_e_q;

  // The d and h of the rounds that come next, oldest first.
  word_t [Last:0] next_d, next_h;

  assign next_d = {a_q, b_q};
  assign next_h = {e_q, f_q};

  // In the first rounds of a block d and h are the hash value's. While the block before
  // still ends, that hash value is the sum of two registers; later it is in one.
  for (genvar n = 0; n <= Last; n++) begin : gen_base
    logic  held; // d and h are those of the rounds before
    word_t d, h, common, hash_d, hash_a, hash_e;

    assign held   = !base_first_q || finish;
    assign d      = held ? next_d[n] : '0;
    assign h      = held ? next_h[n] : '0;
    assign hash_d = base_first_q ? hash_q[3-n] : '0;

    always_comb begin
      hash_a = '0;
      hash_e = '0;
      if (base_first_q) begin
        hash_a = hash_q[7-n];
        hash_e = hash_q[7-n];
      end
      if (n == Last && base_last_q) begin
        hash_a = hash_q[0];
        hash_e = hash_q[4];
      end
    end

    assign common    = h + word_i[n] + constant_i[n];
    assign base_a[n] = common + hash_a;
    assign base_e[n] = common + d + hash_d + hash_e;
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      base_a_q <= '0;
      base_e_q <= '0;
    end else if (base_valid_q) begin
      base_a_q <= base_a;
      base_e_q <= base_e;
    end
  end

  // ------------------------------------------------------------ rounds

  // a and e before, between and after the rounds of this cycle, newest first.
  word_t [4:0] all_a, all_e;

  always_comb begin
    all_a = '0;
    all_e = '0;
    all_a[4:2] = {c_q, b_q, a_q};
    all_e[4:2] = {g_q, f_q, e_q};

    for (int n = 0; n < 2; n++) begin
      automatic int at = 2 - n; // of the newest a and e before this round
      automatic word_t choice = (all_e[at] & all_e[at+1]) ^ (~all_e[at] & all_e[at+2]);
      automatic word_t majority = (all_a[at] & all_a[at+1]) ^ (all_a[at] & all_a[at+2]) ^
                                  (all_a[at+1] & all_a[at+2]);
      automatic word_t rest = big_sigma1(all_e[at], wide_i) + choice; // of T1

      all_e[at-1] = base_e_q[n] + rest;
      all_a[at-1] = base_a_q[n] + rest + big_sigma0(all_a[at], wide_i) + majority;
    end
  end

  word_t [7:0] sum; // the hash value after this block, if this cycle ends it

  for (genvar n = 0; n < 4; n++) begin : gen_sum
    if (n == 0) begin : gen_added
      assign sum[0] = all_a[0];
      assign sum[4] = all_e[0];
    end else begin : gen_add
      // These adders rest at other times.
      assign sum[n]   = hash_q[n] + (rounds_last_q ? all_a[n] : '0);
      assign sum[n+4] = hash_q[n+4] + (rounds_last_q ? all_e[n] : '0);
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i || initialise_i) begin
      {c_q, b_q, a_q} <= '0;
      {g_q, f_q, e_q} <= '0;
    end else if (finish) begin
      {c_q, b_q, a_q} <= sum[2:0];
      {g_q, f_q, e_q} <= sum[6:4];
    end else if (go) begin
      {c_q, b_q, a_q} <= all_a[2:0];
      {g_q, f_q, e_q} <= all_e[2:0];
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) hash_q <= '0;
    else if (initialise_i) hash_q <= initial_i;
    else if (finish) hash_q <= sum;
  end

  assign hash_o = hash_q;

endmodule

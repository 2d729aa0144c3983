// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The hash value and the working variables of sections 6.2.2 and 6.4.2 of the standard, and
// one round a cycle.
//
// The rounds are a pipeline of three stages behind the schedule (sha2_schedule), which
// gives word and constant of the round that comes next:
//
//   constant  K + W is added up.
//   base      h and d are added to it. Both are known a round early.
//   round     base + Sigma1(e) + Ch(e, f, g) is the next e.
//
// a follows a round later, as e - d + Sigma0(a) + Maj(a, b, c), since T1 is the new e less
// the old d. So no path holds both sums of a round. While a round runs, a_q to d_q are
// the variables of the round before.
//
// The hash value is added at the end of a block without a cycle of its own:
//
//   e, a     H4 is part of the base of the last round. For a, which comes from that e, the
//            old d is changed by H4 - H0.
//   f to h   are the e of earlier rounds, and get H5 to H7 in the cycle of the last round.
//            So do c and d.
//   a, b     get H0 and H1 in the cycle after it, the tail. The first round of the next
//            block may run then.
//   first    The base of the next block's first round needs the new d and h one cycle before
//            they are there. Their old values are added in the stage constant, and the
//            differences, which are b_q and g_q, in the base.
//
// Therefore the first round of a block enters either in the cycle after the last round of
// the block before, or when idle_o is up.
//
// initialise_i takes initial_i as the hash value and clears the working variables. It must
// come together with load_i, which enters the pipeline as a round does: with word and
// constant zero it gives the working variables the hash value, as the last round of a
// block does. Nothing else may be in the pipeline then.
//
// hash_o is the hash value; it is right while idle_o is up.
module sha2_rounds
  import sha2_pkg::*;
#(
  parameter int unsigned WordSizes = WordSizesAll,
  parameter int unsigned CarrySave = 0,
  localparam int unsigned Width = ((WordSizes & WordSizes64) != 0) ? 64 : 32
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  clear_i,
  input  logic                  wide_i,       // words of 64 bits

  input  logic                  initialise_i,
  input  logic [7:0][Width-1:0] initial_i,

  input  logic                  valid_i,      // a round enters
  input  logic                  load_i,       // no round: see above
  input  logic                  first_i,      // of a block
  input  logic                  last_i,       // of a block
  input  logic [Width-1:0]      word_i,       // in the cycle after valid_i
  input  logic [Width-1:0]      constant_i,   // in the cycle after valid_i

  output logic                  idle_o,
  output logic [7:0][Width-1:0] hash_o
);

  typedef logic [Width-1:0] word_t;

  localparam bit Wide = (WordSizes & WordSizes64) != 0;
  localparam bit Narrow = (WordSizes & WordSizes32) != 0;

  function automatic word_t big_sigma0(input word_t x, input logic wide);
    return (Wide && (!Narrow || wide)) ? Width'(big_sigma0_64(64'(x)))
                                       : Width'(big_sigma0_32(x[31:0]));
  endfunction

  function automatic word_t big_sigma1(input word_t x, input logic wide);
    return (Wide && (!Narrow || wide)) ? Width'(big_sigma1_64(64'(x)))
                                       : Width'(big_sigma1_32(x[31:0]));
  endfunction

  // ------------------------------------------------------------ stages

  typedef struct packed {
    logic valid;
    logic first;  // round of a block
    logic second;
    logic last;   // or load
  } stage_t;

  stage_t entering, constant_q, base_q, round_q;
  logic   tail_q;
  logic   second_q;   // the next round to enter is a second one
  logic   go, finish; // the round runs, and ends a block

  assign entering.valid  = valid_i || load_i;
  assign entering.first  = valid_i && first_i;
  assign entering.second = valid_i && second_q;
  assign entering.last   = load_i || (valid_i && last_i);

  // A round waits for the next one, whose base needs h and d from before the round.
  assign go     = round_q.valid && (base_q.valid || round_q.last);
  assign finish = go && round_q.last;
  assign idle_o = !constant_q.valid && !base_q.valid && !round_q.valid && !tail_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      constant_q <= '0;
      base_q     <= '0;
      round_q    <= '0;
      tail_q     <= 1'b0;
      second_q   <= 1'b0;
    end else if (clear_i) begin
      constant_q <= '0;
      base_q     <= '0;
      round_q    <= '0;
      tail_q     <= 1'b0;
      second_q   <= 1'b0;
    end else begin
      constant_q <= entering;
      base_q     <= constant_q;
      tail_q     <= finish;
      if (base_q.valid || go) round_q <= base_q;
      if (valid_i) second_q <= first_i;
    end
  end

  // ------------------------------------------------------------ sums

  logic [7:0][Width-1:0] hash_q;
  word_t a_q, b_q, c_q, d_q, e_q, f_q, g_q;
  word_t sum_q, base_value_q; // of the stages constant and base

  word_t hash_e, hash_d;
  assign hash_e = constant_q.first ? hash_q[7] : (constant_q.last ? hash_q[4] : '0);
  assign hash_d = constant_q.first ? hash_q[3] : '0;

  word_t sum, base, next_a, next_e, last_d;

  prim_sum #(
    .Width     (Width),
    .Operands  (4),
    .CarrySave (CarrySave)
  ) u_constant (
    .operand_i ({word_i, constant_i, hash_e, hash_d}),
    .carry_i   (1'b0),
    .sum_o     (sum)
  );

  // h and d of the round. A first one has them from sum_q, but for what the end of the block
  // before adds in this cycle.
  logic  held;
  word_t h, d;
  assign held = !base_q.first || finish;
  assign h    = held ? g_q : '0;
  assign d    = base_q.second ? hash_q[2] : (held ? b_q : '0);

  prim_sum #(
    .Width     (Width),
    .Operands  (3),
    .CarrySave (CarrySave)
  ) u_base (
    .operand_i ({d, h, sum_q}),
    .carry_i   (1'b0),
    .sum_o     (base)
  );

  prim_sum #(
    .Width     (Width),
    .Operands  (3),
    .CarrySave (CarrySave)
  ) u_next_e (
    .operand_i ({big_sigma1(e_q, wide_i), (e_q & f_q) ^ (~e_q & g_q), base_value_q}),
    .carry_i   (1'b0),
    .sum_o     (next_e)
  );

  prim_sum #(
    .Width     (Width),
    .Operands  (4),
    .CarrySave (CarrySave)
  ) u_next_a (
    .operand_i ({big_sigma0(a_q, wide_i), (a_q & b_q) ^ (a_q & c_q) ^ (b_q & c_q), ~d_q, e_q}),
    .carry_i   (1'b1),
    .sum_o     (next_a)
  );

  prim_sum #(
    .Width     (Width),
    .Operands  (3),
    .CarrySave (CarrySave)
  ) u_last_d (
    .operand_i ({~hash_q[0], hash_q[4], round_q.last ? c_q : '0}),
    .carry_i   (1'b1),
    .sum_o     (last_d)
  );

  // The hash value after this block: 0, 1 in the tail, the others when it finishes. Adders
  // rest at other times.
  logic [7:0][Width-1:0] added;
  word_t [7:0]           hashed;

  always_comb begin
    added = {g_q, f_q, e_q, next_e, b_q, a_q, a_q, next_a};
    if (!round_q.last) {added[7:5], added[3:2]} = '0;
    if (!tail_q) added[1] = '0;
  end

  assign hashed[0] = added[0];
  assign hashed[4] = added[4];

  for (genvar n = 0; n < 8; n++) begin : gen_hash
    if (n != 0 && n != 4) begin : gen_sum
      prim_sum #(
        .Width     (Width),
        .CarrySave (CarrySave)
      ) u_hash (
        .operand_i ({added[n], hash_q[n]}),
        .carry_i   (1'b0),
        .sum_o     (hashed[n])
      );
    end
  end

  // ------------------------------------------------------------ registers

  always_ff @(posedge clk_i) begin
    if (clear_i) sum_q <= '0;
    else if (constant_q.valid) sum_q <= sum;
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) base_value_q <= '0;
    else if (base_q.valid) base_value_q <= base;
  end

  always_ff @(posedge clk_i) begin
    if (clear_i || initialise_i) begin
      {g_q, f_q, e_q} <= '0;
    end else if (go) begin
      {g_q, f_q, e_q} <= finish ? hashed[6:4] : {f_q, e_q, next_e};
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i || initialise_i) begin
      {d_q, c_q, b_q, a_q} <= '0;
    end else if (tail_q) begin
      {d_q, c_q, b_q, a_q} <= {hash_q[3:2], hashed[1:0]};
    end else if (go && !round_q.first) begin
      {d_q, c_q, b_q, a_q} <= {finish ? last_d : c_q, b_q, a_q, next_a};
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      hash_q <= '0;
    end else if (initialise_i) begin
      hash_q <= initial_i;
    end else begin
      if (finish) hash_q[7:2] <= hashed[7:2];
      if (tail_q) hash_q[1:0] <= hashed[1:0];
    end
  end

  assign hash_o = hash_q;

  logic unused;
  assign unused = round_q.second;

endmodule

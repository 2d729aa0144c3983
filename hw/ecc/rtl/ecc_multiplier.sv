// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Montgomery multiplication by a schedule of digit products.
//
// load_i gives word load_word_i of both operands. A multiplication begins by itself when its
// first words are there and the one before has ended; the others must follow in the next
// cycles, one in each. load_modulus_i gives words of the modulus, and then the factor that
// reduces by it. write_o gives words of the result, the lowest first.
//
// running_o, loadable_o and readable_o tell of the multiplication that runs (slot_t).
// hold_i pauses the schedule; products that were computed go their way. modulus_o is the
// word modulus_word_i of the modulus.
//
// With Mersenne, moduli are those of P-521. Its prime is 2^521 - 1, so that a quotient digit is
// the lowest word of its column, and a product of it with a word of the modulus is a difference:
// such a unit works beside the one multiplier, which is left the products of the operands. They
// are fetched a cycle before their use, so that nothing in the multiplier moves otherwise.
// Products modulo the order take the multiplier for everything.
//
// sweep_i overwrites word load_word_i of every array; clear_i clears the other registers.
module ecc_multiplier
  import ecc_pkg::*;
  import ecc_program_pkg::*;
#(
  parameter int unsigned WordBits = 136,
  parameter int unsigned Multipliers = 1,
  parameter bit Mersenne = 1'b0, // needs Multipliers = 1
  localparam int unsigned Words = LongestRows * RowBits / WordBits,
  localparam int unsigned IndexWidth = $clog2(Words)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  clear_i,
  input  logic                  sweep_i,
  input  logic                  hold_i,
  input  curve_e                curve_i,

  input  logic                  load_i,
  input  logic                  load_modulus_i,
  input  logic                  load_factor_i,
  input  logic [IndexWidth-1:0] load_word_i,
  input  logic [WordBits-1:0]   a_i,
  input  logic [WordBits-1:0]   b_i,

  input  logic [IndexWidth-1:0] modulus_word_i,
  output logic [WordBits-1:0]   modulus_o,

  output logic                  begin_o, // the first cycle of a multiplication
  output logic                  last_o,  // the last one
  output logic                  loadable_o,
  output logic                  readable_o,
  output logic                  idle_o,

  output logic                  write_o,
  output logic [IndexWidth-1:0] write_word_o,
  output logic [WordBits-1:0]   write_data_o
);

  localparam int unsigned CountWidth = IndexWidth + 1;
  // A word of the window holds up to 4 Words sums of words.
  localparam int unsigned WindowBits = WordBits + $clog2(4 * Words) + 1;

  typedef logic [WordBits-1:0] word_t;
  typedef logic [WindowBits-1:0] sum_t;

  // ------------------------------------------------------------ operands

  word_t a[Words], b[Words], modulus[Words], digits[Words];
  word_t factor_q;

  assign modulus_o = modulus[modulus_word_i];

  always_ff @(posedge clk_i) begin
    if (load_i || sweep_i) begin
      a[load_word_i] <= a_i;
      b[load_word_i] <= b_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (load_modulus_i || sweep_i) modulus[load_word_i] <= b_i;
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) factor_q <= '0;
    else if (load_factor_i) factor_q <= b_i;
  end

  // ------------------------------------------------------------ schedule

  logic        loaded_q, running_q, issue;
  logic [7:0]  slot_q, slot_d, begins;
  slot_t       slot;
  logic [22:0] slot_bits;
  logic        mersenne; // the modulus is a prime 2^n - 1

  // Two units work modulo such a prime, as two multipliers do.
  function automatic logic [22:0] slot_at(input logic [7:0] number, input logic two);
    if (WordBits == 68) return two ? Slots68x2[number] : Slots68x1[number];
    return two ? Slots136x2[number[5:0]] : Slots136x1[number[6:0]];
  endfunction

  function automatic logic [7:0] first_slot(input curve_e curve, input logic two);
    if (WordBits == 68) return two ? Begins68x2[curve] : Begins68x1[curve];
    return two ? Begins136x2[curve] : Begins136x1[curve];
  endfunction

  assign slot_bits = slot_at(slot_q, mersenne || Multipliers == 2);
  assign begins    = first_slot(curve_i, mersenne || Multipliers == 2);

  if (Mersenne) begin : gen_mersenne
    logic mersenne_q;

    always_ff @(posedge clk_i) begin
      if (clear_i) mersenne_q <= 1'b0;
      else if (load_factor_i) mersenne_q <= b_i == word_t'(1);
    end

    assign mersenne = mersenne_q;
  end else begin : gen_no_mersenne
    assign mersenne = 1'b0;
  end

  // Between multiplications slot_q is the first one of the curve.
  assign slot       = slot_t'(slot_bits);
  assign issue      = (running_q || loaded_q) && !hold_i;
  assign begin_o    = issue && !running_q;
  assign last_o     = issue && slot.last;
  assign loadable_o = slot.loadable;
  assign readable_o = slot.readable;

  always_comb begin
    slot_d = slot_q;
    if (issue) slot_d = slot.last ? begins : slot_q + 8'd1;
    else if (!running_q) slot_d = begins;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      loaded_q  <= 1'b0;
      running_q <= 1'b0;
      slot_q    <= '0;
    end else if (clear_i) begin
      loaded_q  <= 1'b0;
      running_q <= 1'b0;
      slot_q    <= begins;
    end else begin
      if (load_i && load_word_i == '0) loaded_q <= 1'b1;
      else if (begin_o) loaded_q <= 1'b0;
      if (issue) running_q <= !slot.last;
      slot_q <= slot_d;
    end
  end

  // ------------------------------------------------------------ products

  localparam int unsigned Units = Mersenne ? 2 : Multipliers;

  sum_t                  window_q[3];
  logic [2*WordBits-1:0] product_q[Units];
  work_t                 work[Units], work_q[Units];
  logic                  shift_q, write_q;
  logic [IndexWidth-1:0] digit_index;
  logic                  digit_computed;
  word_t                 newest;

  // The quotient digits come from the last unit that works.
  assign newest = product_q[(Mersenne && !mersenne) ? 0 : Units-1][WordBits-1:0];

  assign work[0] = slot.first;
  if (Units == 2) begin : gen_second_work
    assign work[Units-1] = slot.second;
  end else begin : gen_no_second_work
    logic unused_second;
    assign unused_second = ^slot.second;
  end

  // Operands of the next slot, if it is a product of words of the operands.
  word_t x_q, y_q;

  if (Mersenne) begin : gen_fetch
    slot_t next;

    assign next = slot_t'(slot_at(slot_d, mersenne));

    always_ff @(posedge clk_i) begin
      if (clear_i) begin
        x_q <= '0;
        y_q <= '0;
      end else if (next.first.kind == WorkProduct) begin
        x_q <= (load_i && load_word_i == next.first.i[IndexWidth-1:0])
               ? a_i : a[next.first.i[IndexWidth-1:0]];
        y_q <= (load_i && load_word_i == next.first.j[IndexWidth-1:0])
               ? b_i : b[next.first.j[IndexWidth-1:0]];
      end
    end

    logic unused_next;
    assign unused_next = ^{next.last, next.loadable, next.readable, next.write, next.shift,
                           next.second, next.first};
  end else begin : gen_no_fetch
    assign x_q = '0;
    assign y_q = '0;
  end

  for (genvar n = 0; n < Units; n++) begin : gen_multiplier
    localparam bit Products = n == 0;
    localparam bit Others = Mersenne || n == Units - 1;

    word_t x, y;

    always_comb begin
      x = (Mersenne && Products) ? x_q : '0;
      y = (Mersenne && Products) ? y_q : '0;
      if (issue) begin
        unique case (work[n].kind)
          WorkProduct: begin
            if (Products && !Mersenne) begin
              x = a[work[n].i[IndexWidth-1:0]];
              y = b[work[n].j[IndexWidth-1:0]];
            end
          end
          WorkDigit: begin
            if (Others && !(mersenne && Products)) begin
              x = window_q[0][WordBits-1:0];
              y = factor_q;
            end
          end
          WorkReduction: begin
            if (Others && !(mersenne && Products)) begin
              // A digit is used in the cycle in which it comes, or later.
              x = digit_computed ? newest : digits[work[n].i[IndexWidth-1:0]];
              y = modulus[work[n].j[IndexWidth-1:0]];
            end
          end
          default: ;
        endcase
      end
    end

    if (Mersenne && !Products) begin : gen_difference
      // The highest word of the prime has fewer bits than the others.
      localparam int unsigned Missing = Words * WordBits - 521;

      logic [2*WordBits-1:0] multiple;

      always_comb begin
        multiple = {x, WordBits'(0)};
        if (work[n].j[IndexWidth-1:0] == IndexWidth'(Words - 1)) multiple = multiple >> Missing;
        multiple = multiple - (2*WordBits)'(x);
        if (work[n].kind == WorkDigit) multiple = (2*WordBits)'(x);
      end

      always_ff @(posedge clk_i) begin
        if (clear_i) product_q[n] <= '0;
        else if (issue && work[n].kind inside {WorkDigit, WorkReduction}) product_q[n] <= multiple;
      end

      logic unused_y;
      assign unused_y = ^y;
    end else begin : gen_product
      always_ff @(posedge clk_i) begin
        if (clear_i) product_q[n] <= '0;
        else product_q[n] <= (2*WordBits)'(x) * (2*WordBits)'(y);
      end
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) work_q[n] <= '0;
      else if (clear_i || !issue) work_q[n] <= '0;
      else work_q[n] <= work[n];
    end
  end

  always_comb begin
    digit_computed = work_q[Units-1].kind == WorkDigit;
    digit_index    = work_q[Units-1].i[IndexWidth-1:0];
    if (Mersenne && !mersenne) begin
      digit_computed = work_q[0].kind == WorkDigit;
      digit_index    = work_q[0].i[IndexWidth-1:0];
    end
  end

  always_ff @(posedge clk_i) begin
    if (sweep_i) digits[load_word_i] <= '0;
    else if (digit_computed) digits[digit_index] <= newest;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      shift_q <= 1'b0;
      write_q <= 1'b0;
    end else begin
      shift_q <= issue && slot.shift && !clear_i;
      write_q <= issue && slot.write && !clear_i;
    end
  end

  // ------------------------------------------------------------ window

  sum_t sums[3];

  always_comb begin
    sums = window_q;
    for (int unsigned n = 0; n < Units; n++) begin
      if (work_q[n].kind inside {WorkProduct, WorkReduction}) begin
        if (work_q[n].offset) begin
          sums[1] = sums[1] + sum_t'(product_q[n][WordBits-1:0]);
          sums[2] = sums[2] + sum_t'(product_q[n][WordBits +: WordBits]);
        end else begin
          sums[0] = sums[0] + sum_t'(product_q[n][WordBits-1:0]);
          sums[1] = sums[1] + sum_t'(product_q[n][WordBits +: WordBits]);
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      window_q <= '{default: '0};
    end else if (shift_q) begin
      window_q[0] <= sums[1] + (sums[0] >> WordBits);
      window_q[1] <= sums[2];
      window_q[2] <= '0;
    end else begin
      window_q <= sums;
    end
  end

  // ------------------------------------------------------------ result

  logic                  result_q, ended;
  logic [CountWidth-1:0] words;
  logic [IndexWidth-1:0] result_word_q;
  word_t                 result_data_q;

  assign words = CountWidth'(Rows[curve_i]) * CountWidth'(RowBits / WordBits);
  assign ended = CountWidth'(result_word_q) + CountWidth'(1) == words; // the highest word leaves

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) result_q <= 1'b0;
    else result_q <= write_q && !clear_i;
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) result_data_q <= '0;
    else if (write_q) result_data_q <= sums[0][WordBits-1:0];
  end

  // The words of a result leave one after the other, so that their numbers are counted.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      result_word_q <= '0;
    end else if (clear_i) begin
      result_word_q <= '0;
    end else if (result_q) begin
      result_word_q <= ended ? '0 : result_word_q + IndexWidth'(1);
    end
  end

  assign write_o      = result_q;
  assign write_word_o = result_word_q;
  assign write_data_o = result_data_q;
  assign idle_o       = !(loaded_q || running_q || shift_q || result_q);

`ifndef SYNTHESIS
  // Checks of the bounds that README.md derives.
  logic [Words*WordBits-1:0] collected_q; // the words of a result that have left
  logic                      armed_q;

  function automatic logic below_twice_the_modulus();
    logic [Words*WordBits-1:0] value, limit;
    value = collected_q;
    limit = '0;
    value[32'(result_word_q)*WordBits +: WordBits] = result_data_q;
    for (int unsigned n = 0; n < Words; n++) begin
      if (CountWidth'(n) < words) limit[n*WordBits +: WordBits] = modulus[n];
    end
    return {1'b0, value} < {limit, 1'b0};
  endfunction

  initial armed_q = 1'b0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      armed_q     <= 1'b1;
      collected_q <= '0;
    end else if (clear_i) begin
      collected_q <= '0;
    end else if (armed_q) begin
      if (result_q) begin
        if (ended) begin
          collected_q <= '0;
          result_bound: assert (below_twice_the_modulus())
            else $error("%m: a product is not below twice the modulus");
          window_is_empty: assert ({window_q[0], window_q[1], window_q[2]} == '0)
            else $error("%m: a product has more words than an operand");
        end else begin
          collected_q[32'(result_word_q)*WordBits +: WordBits] <= result_data_q;
        end
      end
      column_vanishes: assert (!shift_q || write_q || sums[0][WordBits-1:0] == '0)
        else $error("%m: a quotient digit does not make its column vanish");
      loaded_in_time: assert (!(load_i && load_word_i == '0 && loaded_q))
        else $error("%m: operands were overwritten before their use");
    end
  end
`endif

endmodule

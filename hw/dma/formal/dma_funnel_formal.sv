// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: dma_funnel gives each word of a run once, in order, in the position that
// the shift requires, with the beats in and out of the run. It drops only the words
// before the first one of the run, and adds only zeros before the first or after the
// last.
//
// An arbitrary word is marked by its number as it enters. It must leave in the beat and
// position of word number - offset, where offset is the number of words that the shift
// drops at the front.
module dma_funnel_formal #(
  parameter int unsigned DataWidth = 128,
  localparam int unsigned Words     = DataWidth / 32,
  localparam int unsigned ShiftBits = (Words > 1) ? $clog2(Words) : 1
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 clear_i,
  input logic                 job_valid_i,
  input logic [ShiftBits-1:0] shift_i,
  input logic                 prime_i,
  input logic                 flush_i,
  input logic [3:0]           beats_i,
  input logic                 valid_i,
  input logic [DataWidth-1:0] data_i,
  input logic                 ready_i,
  input logic                 mark_i,
  input logic [ShiftBits-1:0] mark_word_i
);

  logic                 done, ready, valid, first, last, take, give;
  logic [DataWidth-1:0] data;

  dma_funnel #(
    .DataWidth (DataWidth)
  ) u_funnel (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .clear_i     (clear_i),
    .job_valid_i (job_valid_i),
    .shift_i     (shift_i),
    .prime_i     (prime_i),
    .flush_i     (flush_i),
    .beats_i     (30'(beats_i)),
    .done_o      (done),
    .valid_i     (valid_i),
    .ready_o     (ready),
    .data_i      (data_i),
    .valid_o     (valid),
    .ready_i     (ready_i),
    .data_o      (data),
    .first_o     (first),
    .last_o      (last)
  );

  formal_reset u_reset (
    .clk_i  (clk_i),
    .rst_ni (rst_ni)
  );

  // Assumed: the job holds until it is done, and an input beat until it is taken.
  formal_stream_rules #(
    .Width  (ShiftBits + 6),
    .Assume (1'b1)
  ) u_job (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (clear_i),
    .valid_i   (job_valid_i),
    .ready_i   (done),
    .payload_i ({shift_i, prime_i, flush_i, beats_i})
  );

  formal_stream_rules #(
    .Width  (DataWidth),
    .Assume (1'b1)
  ) u_input (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (clear_i),
    .valid_i   (valid_i),
    .ready_i   (ready),
    .payload_i (data_i)
  );

  formal_stream_rules #(
    .Width (DataWidth + 2)
  ) u_output (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (clear_i),
    .valid_i   (valid),
    .ready_i   (ready_i),
    .payload_i ({first, last, data})
  );

  assign take = valid_i && ready && !clear_i;
  assign give = valid && ready_i && !clear_i;

  // ------------------------------------------------------------ the model

  logic [4:0]  taken_q, given_q; // beats of the run
  logic        marked_q;
  logic [7:0]  number_q;         // of the marked word in the input
  logic [31:0] value_q;
  logic        marks;
  logic [7:0]  number;           // of the marked word, this cycle's included
  logic [31:0] value;
  logic [7:0]  offset, place;    // words dropped, plus Words; position in the output, plus Words

  assign marks  = take && mark_i && !marked_q;
  assign number = marks ? 8'(Words) * 8'(taken_q) + 8'(mark_word_i) : number_q;
  assign value  = marks ? data_i[32 * 32'(mark_word_i) +: 32] : value_q;

  // A shift without priming begins with zeros in place of a previous beat.
  assign offset = (shift_i == '0) ? 8'(Words) :
                  8'(shift_i) + (prime_i ? 8'(Words) : 8'd0);
  assign place  = number + 8'(2 * Words) - offset; // plus Words

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      taken_q  <= '0;
      given_q  <= '0;
      marked_q <= 1'b0;
      number_q <= '0;
      value_q  <= '0;
    end else if (clear_i || done) begin
      taken_q  <= '0;
      given_q  <= '0;
      marked_q <= 1'b0;
    end else begin
      taken_q  <= taken_q + 5'(take);
      given_q  <= given_q + 5'(give);
      marked_q <= marked_q || marks;
      number_q <= number;
      value_q  <= value;
    end
  end

  // ------------------------------------------------------------ properties

  logic [7:0]  leaving; // the number of the first word that leaves, plus Words

  assign leaving = 8'(Words) * 8'(given_q) + 8'(Words);

  always_comb begin
    if (job_valid_i && Words > 1) begin
      assume_prime_shifts: assume (!prime_i || shift_i != '0);
      assume_flush_shifts: assume (!flush_i || shift_i != '0);
    end
    if (job_valid_i) begin
      // The words of a last beat without input came with the previous beat.
      assume_something_left: assume (!flush_i || prime_i || beats_i != '0);
    end
    if (Words == 1) begin
      assume_no_shift: assume (shift_i == '0 && !prime_i && !flush_i);
    end
    first_is_first: assert (!valid || first == (given_q == '0));
    last_is_last:   assert (!valid || last == (given_q == 5'(beats_i)));
    ends_with_last: assert (clear_i || done == (give && last));
    if (done && !clear_i) begin
      taken_exactly: assert (taken_q + 5'(take) == 5'(beats_i) + 5'd1 + 5'(prime_i) -
                             5'(flush_i));
      a_shift: cover (prime_i && flush_i && beats_i == 4'd2);
    end
    if (give && (marked_q || marks) && place >= leaving && place < leaving + 8'(Words)) begin
      word_in_its_place: assert (data[32 * (32'(place - leaving)) +: 32] == value);
    end
    // No word leaves before it has come, and none is left at the end.
    if (give && !(flush_i && last)) begin
      in_step: assert (taken_q + 5'(take) == given_q + 5'd1 + 5'(prime_i));
    end
    if (valid && !clear_i && first && shift_i != '0 && !prime_i) begin
      zeros_before: assert (data[31:0] == '0);
    end
  end

  // ------------------------------------------------------------ invariants for the induction

  always_comb begin
    why_given: assert (u_funnel.count_q == 30'(given_q));
    if (!clear_i) begin
      why_not_past: assert (job_valid_i ? given_q <= 5'(beats_i)
                                        : taken_q == '0 && given_q == '0);
    end
    why_marked_came: assert (!marked_q || number_q < 8'(Words) * 8'(taken_q));
  end

  if (Words > 1) begin : gen_why
    always_comb begin
      why_primed: assert (u_funnel.gen_shift.primed_q == (taken_q != '0));
      if (taken_q == '0) begin
        why_zero: assert (u_funnel.gen_shift.before_q == '0 && given_q == '0);
      end else if (!clear_i) begin
        why_step: assert (taken_q == given_q + 5'(prime_i));
      end
      if (marked_q && number_q >= 8'(Words) * 8'(taken_q - 5'd1)) begin
        why_stored: assert (u_funnel.gen_shift.before_q[32 * (32'(number_q) % Words) +: 32] ==
                            value_q);
      end
    end
  end else begin : gen_why_through
    always_comb begin
      why_through: assert (taken_q == given_q);
    end
  end

endmodule

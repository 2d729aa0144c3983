// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: board_turns leads every item of a message to its sink, once, in order and
// unchanged, and in every state an item can pass. Sources and sinks are free.
//
// An item's number is known to its source and to its sink, which count on their own; the claim
// is that they agree. For each pair of a source and a sink, next_q is the number of the first
// item between them that has not passed. Numbers count modulo Range, eight times Period, after
// which the pairs repeat: no source and no sink is Period or more from the next_q of its pairs,
// so equal numbers are equal items, and a ring of up to eight waiting ones cannot close.
module board_turns_formal #(
  parameter int unsigned Sources = 4,
  parameter int unsigned Sinks = 4,
  // Least common multiple of the two.
  parameter int unsigned Period = 4
) (
  input logic               clk_i,
  input logic               rst_ni,
  input logic               start_i,
  input logic [Sources-1:0] valid_i,
  input logic [Sources-1:0] data_i,
  input logic [Sinks-1:0]   ready_i
);

  localparam int unsigned Range = 8 * Period;

  typedef logic [9:0] number_t;

  logic [Sources-1:0] ready;
  logic [Sinks-1:0]   valid, data;

  board_turns #(
    .Sources (Sources),
    .Sinks   (Sinks),
    .Width   (1)
  ) u_turns (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .start_i        (start_i),
    .source_valid_i (valid_i),
    .source_ready_o (ready),
    .source_data_i  (data_i),
    .sink_valid_o   (valid),
    .sink_ready_i   (ready_i),
    .sink_data_o    (data)
  );

  formal_reset u_reset (
    .clk_i  (clk_i),
    .rst_ni (rst_ni)
  );

  function automatic number_t plus(input number_t number, input number_t more);
    number_t sum;
    sum = number + more;
    return sum >= number_t'(Range) ? sum - number_t'(Range) : sum;
  endfunction

  // How far a number is behind another one.
  function automatic number_t behind(input number_t number, input number_t other);
    return other >= number ? other - number : other + number_t'(Range) - number;
  endfunction

  // The first item between a source and a sink; Range where there is none.
  function automatic int unsigned first(input int unsigned source, input int unsigned sink);
    first = Range;
    for (int unsigned n = 0; n < Period; n++) begin
      if (n % Sources == source && n % Sinks == sink) first = n;
    end
  endfunction

  number_t [Sources-1:0]            given_q; // number of each source's next item
  number_t [Sinks-1:0]              taken_q; // and of each sink's
  number_t [Sources-1:0][Sinks-1:0] next_q;
  logic                             begun_q; // a message has begun since the reset
  logic [Sources-1:0][Sinks-1:0]    agree;   // whose next item is the same

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      begun_q <= 1'b0;
      given_q <= '0;
      taken_q <= '0;
      next_q  <= '0;
    end else if (start_i) begin
      begun_q <= 1'b1;
      for (int unsigned s = 0; s < Sources; s++) begin
        given_q[s] <= number_t'(s);
        for (int unsigned k = 0; k < Sinks; k++) next_q[s][k] <= number_t'(first(s, k));
      end
      for (int unsigned k = 0; k < Sinks; k++) taken_q[k] <= number_t'(k);
    end else begin
      for (int unsigned s = 0; s < Sources; s++) begin
        if (valid_i[s] && ready[s]) begin
          given_q[s] <= plus(given_q[s], number_t'(Sources));
          for (int unsigned k = 0; k < Sinks; k++) begin
            if (given_q[s] % number_t'(Sinks) == number_t'(k)) begin
              next_q[s][k] <= plus(next_q[s][k], number_t'(Period));
            end
          end
        end
      end
      for (int unsigned k = 0; k < Sinks; k++) begin
        if (valid[k] && ready_i[k]) taken_q[k] <= plus(taken_q[k], number_t'(Sinks));
      end
    end
  end

  always_comb begin
    assume_a_message: assume (begun_q || valid_i == '0);
    if (begun_q) begin
      one_can_pass: assert (|agree);
      later_rounds: cover (given_q[0] > number_t'(Period) && given_q[0] != taken_q[0]);
    end
  end

  for (genvar s = 0; s < Sources; s++) begin : gen_source
    always_comb begin
      if (begun_q) begin
        to_its_sink: assert (!ready[s] || taken_q[given_q[s] % number_t'(Sinks)] == given_q[s]);
        why_source: assert (given_q[s] < number_t'(Range) &&
                            given_q[s] % number_t'(Sources) == number_t'(s) &&
                            given_q[s] % number_t'(Sinks) == number_t'(u_turns.to[s]));
      end
    end
  end

  for (genvar k = 0; k < Sinks; k++) begin : gen_sink
    always_comb begin
      if (begun_q) begin
        from_its_source: assert (!valid[k] || given_q[taken_q[k] % number_t'(Sources)] == taken_q[k]);
        why_sink: assert (taken_q[k] < number_t'(Range) &&
                          taken_q[k] % number_t'(Sinks) == number_t'(k) &&
                          taken_q[k] % number_t'(Sources) == number_t'(u_turns.from[k]));
      end
    end
  end

  for (genvar s = 0; s < Sources; s++) begin : gen_from
    for (genvar k = 0; k < Sinks; k++) begin : gen_to
      assign agree[s][k] = begun_q && given_q[s] % number_t'(Sinks) == number_t'(k) &&
                           taken_q[k] % number_t'(Sources) == number_t'(s);
      always_comb begin
        if (agree[s][k]) begin
          numbers_agree: assert (given_q[s] == taken_q[k]);
          item_is_itself: assert (ready[s] == ready_i[k] && valid[k] == valid_i[s] &&
                                  (!valid[k] || data[k] == data_i[s]));
        end
        if (begun_q && first(s, k) != Range) begin
          why_next: assert (next_q[s][k] < number_t'(Range) &&
                            next_q[s][k] % number_t'(Period) == number_t'(first(s, k)) &&
                            behind(given_q[s], next_q[s][k]) < number_t'(Period) &&
                            behind(taken_q[k], next_q[s][k]) < number_t'(Period));
        end
      end
    end
  end

endmodule

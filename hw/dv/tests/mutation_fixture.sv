// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The input of test_mutation.py: each kind of mutant once or twice, and code without mutants.
module mutation_fixture #(
  parameter int unsigned Width = 4 + 4
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             first_i,
  input  logic             second_i,
  input  logic [Width-1:0] data_i,
  output logic [Width-1:0] data_o,
  output logic             found_o
);

  localparam int unsigned Last = twice(Width - 1);

  typedef enum logic [1:0] {StateIdle = 2'd0, StateRun = 2'd1} state_e;

  function automatic int unsigned twice(input int unsigned value);
    return value + value;
  endfunction

  state_e           state_q;
  logic [Width-1:0] count_q, next;
  logic             unused, one, two;

  if (Width < 2) begin : gen_bad_width
    $fatal(1, "mutation_fixture: Width must be 2 or more");
  end

  assign unused  = Last == 3;
  assign found_o = first_i && !second_i; // mutants: && to ||, ! removed
  assign data_o  = first_i ? count_q : ~data_i; // mutants: arms swapped, ~ removed

  always_comb begin
    next = count_q;
    if (second_i || found_o) begin // mutants: condition negated, || to &&
      next = count_q + 1'b1; // mutants: left out, + to -, literal flipped
    end
    for (int i = 0; i < Width; i++) begin
      if (data_i[i] == second_i) next[i] = 1'b0; // mutants: == to !=, left out, literal
    end
  end

  // Without the one or the other assignment, there would be a latch.
  always_comb begin
    if (first_i) begin // mutant: condition negated
      one = second_i;
    end else begin
      one = 1'b0; // mutant: literal flipped
    end
    unique case (data_i)
      8'd3: two = second_i;
      default: two = first_i;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0; // mutants: left out, literal inverted
      state_q <= StateIdle; // mutant: left out
    end else begin
      count_q <= next; // mutant: left out
      unique case (state_q)
        StateIdle: if (data_i > {Width{first_i}}) state_q <= StateRun; // mutants: see below
        default: ;
      endcase
    end
  end

endmodule

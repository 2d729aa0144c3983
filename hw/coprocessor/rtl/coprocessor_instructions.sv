// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The instruction units that Units selects (a bit set, coprocessor_pkg) behind one
// instruction port. funct3 selects the unit. A function that no unit has gives zero at
// once.
module coprocessor_instructions
  import aes_pkg::*;
  import coprocessor_pkg::*;
#(
  parameter int unsigned Units = UnitZkn | UnitColumn | UnitBlock | UnitStream,
  parameter int unsigned BlocksInFlight = 4,
  parameter int unsigned SBox = SBoxTable,
  parameter int unsigned Directions = DirectionsBoth,
  parameter int unsigned KeySizes = KeySizesAll
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        instruction_valid_i,
  input  logic [9:0]  instruction_function_i,
  input  logic [31:0] instruction_a_i,
  input  logic [31:0] instruction_b_i,
  output logic        instruction_known_o,
  output logic        instruction_ready_o,
  output logic [31:0] instruction_result_o,
  output logic        busy_o
);

  if (Units < 1 || Units > 31) begin : gen_bad_units
    $error("coprocessor_instructions: Units must be a sum of 1, 2, 4, 8 and 16");
  end

  logic [4:0]       known, ready, busy;
  logic [4:0][31:0] result;

  // At most one unit knows a function; the results of the others are zero.
  assign instruction_known_o = |known;
  assign instruction_ready_o = instruction_valid_i && (ready | ~known) == '1;
  assign instruction_result_o = result[0] | result[1] | result[2] | result[3] | result[4];
  assign busy_o = |busy;

  if ((Units & UnitZkn) != 0) begin : gen_zkn
    coprocessor_zkn #(
      .SBox      (SBox),
      .Directions(Directions)
    ) u_zkn (
      .clk_i                 (clk_i),
      .rst_ni                (rst_ni),
      .instruction_valid_i   (instruction_valid_i),
      .instruction_function_i(instruction_function_i),
      .instruction_a_i       (instruction_a_i),
      .instruction_b_i       (instruction_b_i),
      .instruction_known_o   (known[0]),
      .instruction_ready_o   (ready[0]),
      .instruction_result_o  (result[0]),
      .busy_o                (busy[0])
    );
  end else begin : gen_no_zkn
    assign {known[0], ready[0], busy[0], result[0]} = '0;
  end

  if ((Units & UnitColumn) != 0) begin : gen_column
    coprocessor_column #(
      .SBox      (SBox),
      .Directions(Directions)
    ) u_column (
      .clk_i                 (clk_i),
      .rst_ni                (rst_ni),
      .instruction_valid_i   (instruction_valid_i),
      .instruction_function_i(instruction_function_i),
      .instruction_a_i       (instruction_a_i),
      .instruction_b_i       (instruction_b_i),
      .instruction_known_o   (known[1]),
      .instruction_ready_o   (ready[1]),
      .instruction_result_o  (result[1]),
      .busy_o                (busy[1])
    );
  end else begin : gen_no_column
    assign {known[1], ready[1], busy[1], result[1]} = '0;
  end

  if ((Units & UnitBlock) != 0) begin : gen_block
    coprocessor_block #(
      .SBox      (SBox),
      .Directions(Directions),
      .KeySizes  (KeySizes)
    ) u_block (
      .clk_i                 (clk_i),
      .rst_ni                (rst_ni),
      .instruction_valid_i   (instruction_valid_i),
      .instruction_function_i(instruction_function_i),
      .instruction_a_i       (instruction_a_i),
      .instruction_b_i       (instruction_b_i),
      .instruction_known_o   (known[2]),
      .instruction_ready_o   (ready[2]),
      .instruction_result_o  (result[2]),
      .busy_o                (busy[2])
    );
  end else begin : gen_no_block
    assign {known[2], ready[2], busy[2], result[2]} = '0;
  end

  if ((Units & UnitStream) != 0) begin : gen_stream
    coprocessor_stream #(
      .BlocksInFlight(BlocksInFlight),
      .SBox          (SBox),
      .Directions    (Directions),
      .KeySizes      (KeySizes)
    ) u_stream (
      .clk_i                 (clk_i),
      .rst_ni                (rst_ni),
      .instruction_valid_i   (instruction_valid_i),
      .instruction_function_i(instruction_function_i),
      .instruction_a_i       (instruction_a_i),
      .instruction_b_i       (instruction_b_i),
      .instruction_known_o   (known[3]),
      .instruction_ready_o   (ready[3]),
      .instruction_result_o  (result[3]),
      .busy_o                (busy[3])
    );
  end else begin : gen_no_stream
    assign {known[3], ready[3], busy[3], result[3]} = '0;
  end

  if ((Units & UnitSponge) != 0) begin : gen_sponge
    coprocessor_sponge u_sponge (
      .clk_i                 (clk_i),
      .rst_ni                (rst_ni),
      .instruction_valid_i   (instruction_valid_i),
      .instruction_function_i(instruction_function_i),
      .instruction_a_i       (instruction_a_i),
      .instruction_b_i       (instruction_b_i),
      .instruction_known_o   (known[4]),
      .instruction_ready_o   (ready[4]),
      .instruction_result_o  (result[4]),
      .busy_o                (busy[4])
    );
  end else begin : gen_no_sponge
    assign {known[4], ready[4], busy[4], result[4]} = '0;
  end

`ifndef SYNTHESIS
  // Rules for the surrounding logic.
  prim_stream_rules #(
    .Width (74)
  ) u_rules (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (1'b0),
    .valid_i   (instruction_valid_i),
    .ready_i   (instruction_ready_o),
    .payload_i ({instruction_function_i, instruction_a_i, instruction_b_i})
  );
`endif

endmodule

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// One round of AES between a state register and the output, with a register for the
// round key: a block in one cycle, its result in the next. It is the data path of the
// coprocessors whose loop over the rounds is in C. With SubBytes = 0 the round lacks
// SubBytes (aes_linear_layer).
//
// Ports as aes_core: valid, ready, payload. A block is accepted while none is
// inside. A round key is accepted at any time; it applies to later blocks and to one
// of the same cycle.
module coprocessor_round_core
  import aes_pkg::*;
#(
  parameter int unsigned SubBytes = 1,
  parameter int unsigned SBox = SBoxTable,
  parameter int unsigned Directions = DirectionsBoth
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         zeroise_i,

  input  logic         key_valid_i,
  output logic         key_ready_o,
  input  logic [127:0] key_i,

  input  logic         block_valid_i,
  output logic         block_ready_o,
  input  direction_e   block_direction_i,
  input  logic         block_final_i,
  input  logic [127:0] block_i,

  output logic         block_valid_o,
  input  logic         block_ready_i,
  output logic [127:0] block_o
);

  logic [127:0] key_q, state_q, next;
  direction_e   direction_q;
  logic         final_q, loaded_q, done_q;

  if (SubBytes == 1) begin : gen_round
    logic [127:0] state, result;

    aes_iterative_round #(
      .SBox      (SBox),
      .Directions(Directions)
    ) u_round (
      .direction_i(direction_q),
      .last_i     (final_q),
      .state_i    (state_q),
      .round_key_i(key_q),
      .state_o    (state),
      .result_o   (result)
    );

    assign next = final_q ? result : state;
  end else begin : gen_linear_layer
    aes_linear_layer #(
      .Directions(Directions)
    ) u_linear_layer (
      .direction_i(direction_q),
      .last_i     (final_q),
      .state_i    (state_q),
      .round_key_i(key_q),
      .state_o    (next)
    );
  end

  assign key_ready_o = !zeroise_i;
  assign block_ready_o = !zeroise_i && !loaded_q && !done_q;
  assign block_valid_o = done_q;
  assign block_o = done_q ? state_q : '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      key_q       <= '0;
      state_q     <= '0;
      direction_q <= DirectionEncrypt;
      final_q     <= 1'b0;
      loaded_q    <= 1'b0;
      done_q      <= 1'b0;
    end else if (zeroise_i) begin
      key_q    <= '0;
      state_q  <= '0;
      loaded_q <= 1'b0;
      done_q   <= 1'b0;
    end else begin
      if (key_valid_i) key_q <= key_i;
      loaded_q <= block_valid_i && block_ready_o;
      if (block_valid_i && block_ready_o) begin
        state_q     <= block_i;
        direction_q <= block_direction_i;
        final_q     <= block_final_i;
      end
      if (loaded_q) begin
        state_q <= next;
        done_q  <= 1'b1;
      end
      if (done_q && block_ready_i) begin
        state_q <= '0;
        done_q  <= 1'b0;
      end
    end
  end

endmodule

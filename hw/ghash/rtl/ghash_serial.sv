// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// GHASH, Digit bits of a block a cycle: a block every 128/Digit + 1 cycles.
// Interface as in ghash.
//
// A block is added to the hash so far, and the sum is multiplied by the key, digit by
// digit. Registers with key or data have a synchronous clear instead of a reset; it is
// active with zeroise_i and in the first cycle after reset.
module ghash_serial
  import ghash_pkg::element_t;
  import ghash_pkg::swap_bits;
#(
  parameter int unsigned Digit = 16
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic         key_valid_i,
  output logic         key_ready_o,
  input  logic [127:0] key_i,

  input  logic         block_valid_i,
  output logic         block_ready_o,
  input  logic [127:0] block_i,
  input  logic         block_last_i,

  output logic         hash_valid_o,
  input  logic         hash_ready_i,
  output logic [127:0] hash_o,

  input  logic         drop_i,
  input  logic         zeroise_i,
  output logic         busy_o,
  output logic         idle_o
);

  localparam int unsigned Steps = 128 / Digit;
  localparam int unsigned StepWidth = $clog2(Steps);

  logic clear, flush;

  assign clear = zeroise_i || busy_o;
  assign flush = clear || drop_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) busy_o <= 1'b1;
    else busy_o <= zeroise_i;
  end

  // ------------------------------------------------------------ what comes in

  logic key_taken, keyed_q, open_q, accept, running_q;

  assign key_ready_o   = !flush && !running_q && !open_q;
  assign key_taken     = key_valid_i && key_ready_o;
  // A waiting key is taken before the next message.
  assign block_ready_o = !flush && !running_q && keyed_q && (open_q || !key_valid_i);
  assign accept        = block_valid_i && block_ready_o;

  element_t key_q;

  always_ff @(posedge clk_i) begin
    if (clear) key_q <= '0;
    else if (key_taken) key_q <= swap_bits(key_i);
  end

  // ------------------------------------------------------------ multiplication

  // open_q is high from the first block of a message until its last one is taken.
  logic [StepWidth-1:0] step_q;
  element_t             factor_q, sum, sum_q;
  logic                 last_step, room, step, finish;

  assign last_step = (step_q == StepWidth'(Steps - 1));
  assign room      = !hash_valid_o || hash_ready_i;
  assign finish    = running_q && last_step && !open_q && room;
  assign step      = running_q && (!last_step || open_q || room);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      keyed_q   <= 1'b0;
      open_q    <= 1'b0;
      running_q <= 1'b0;
      step_q    <= '0;
    end else begin
      if (clear) keyed_q <= 1'b0;
      else if (key_taken) keyed_q <= 1'b1;
      if (flush) begin
        open_q    <= 1'b0;
        running_q <= 1'b0;
        step_q    <= '0;
      end else if (accept) begin
        open_q    <= !block_last_i;
        running_q <= 1'b1;
      end else if (step) begin
        running_q <= !last_step;
        step_q    <= step_q + StepWidth'(1);
      end
    end
  end

  ghash_digit #(
    .Digit (Digit)
  ) u_digit (
    .sum_i   (sum_q),
    .digit_i (factor_q[127 -: Digit]),
    .key_i   (key_q),
    .sum_o   (sum)
  );

  always_ff @(posedge clk_i) begin
    if (flush) factor_q <= '0;
    else if (accept) factor_q <= swap_bits(block_i) ^ sum_q;
    else if (step) factor_q <= factor_q << Digit;
  end

  always_ff @(posedge clk_i) begin
    if (flush || accept || finish) sum_q <= '0;
    else if (step) sum_q <= sum;
  end

  // ------------------------------------------------------------ what goes out

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      hash_valid_o <= 1'b0;
    end else begin
      if (flush) hash_valid_o <= 1'b0;
      else if (finish) hash_valid_o <= 1'b1;
      else if (hash_ready_i) hash_valid_o <= 1'b0;
    end
  end

  // Zero while it is empty.
  always_ff @(posedge clk_i) begin
    if (flush) hash_o <= '0;
    else if (finish) hash_o <= swap_bits(sum);
    else if (hash_ready_i) hash_o <= '0;
  end

  assign idle_o = !open_q && !running_q && !hash_valid_o;

endmodule

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Computes the round keys of the iterative core for each block, one step of the key
// schedule a round. It suits standard cells, where a bit of memory is a flip-flop. It
// stores the key and, for decryption, which runs the schedule backward, the window
// (aes_key_step) at the end of the schedule.
//
// The first step of a block is made in the cycle that loads it, so that a block takes
// as many cycles as with stored keys. Keys may change at any time. The first block
// that is encrypted under a key also gives the end of its schedule. If a decryption is
// requested before that, the core first steps through the schedule, once it is idle.
module aes_iterative_running_keys
  import aes_pkg::*;
  import aes_functions_pkg::*;
#(
  parameter int unsigned SBox = SBoxTable,
  parameter int unsigned Directions = DirectionsBoth,
  parameter int unsigned KeySizes = KeySizesAll
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  // The synchronous clear of every register that holds key.
  input  logic         clear_i,

  input  logic         key_valid_i,
  output logic         key_ready_o,
  input  key_size_e    key_size_i,
  input  logic [255:0] key_i,

  // The block at the input: its direction (without a block, that of the next one),
  // whether its first round key is available, that key, and whether the block is taken.
  input  direction_e   direction_i,
  output logic         ready_o,
  output logic [127:0] first_key_o,
  input  logic         start_i,

  // The block that is being computed: whether there is one, whether it is in its last
  // round, and its round key.
  input  logic         running_i,
  output logic         last_o,
  output logic [127:0] round_key_o
);

  // The newest key and, once known, the window at the end of its schedule.
  logic             key_load, key_loaded_q;
  key_size_e        key_size_q, newest_size;
  logic [7:0][31:0] key_q, end_window;
  logic             end_known;

  // The window of the block that is being computed, or of a search for the schedule's end.
  logic             running_backward_q;
  key_size_e        running_size_q, running_size;
  logic [3:0]       index_q;
  logic [1:0]       phase_q;
  logic [7:0]       constant_q;
  logic [7:0][31:0] window_q, window_d;
  logic             search_start, searching;

  assign key_ready_o = !clear_i && KeySizes[5'(key_size_i)];
  assign key_load = key_valid_i && key_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      key_loaded_q <= 1'b0;
      key_size_q   <= KeySize128;
    end else begin
      if (clear_i) key_loaded_q <= 1'b0;
      else if (key_load) key_loaded_q <= 1'b1;
      if (key_load) key_size_q <= key_size_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) key_q <= '0;
    else if (key_load) key_q <= key_i;
  end

  assign newest_size = narrow_key_size(KeySizes, key_size_q);
  assign running_size = narrow_key_size(KeySizes, running_size_q);

  // The step: the first one from a stored window, the others from the running window.
  logic             begins, backward, steps, rotate;
  key_size_e        step_size;
  logic [1:0]       phase;
  logic [3:0]       index;
  logic [7:0]       constant;
  logic [7:0][31:0] stored, window;

  assign begins = start_i || search_start;
  assign steps = begins || searching || (running_i && !last_o);
  assign step_size = begins ? newest_size : running_size;

  // The stored window with which a block begins. It is selected before a block arrives,
  // and separately from the running window, so that a change of one does not toggle the
  // logic behind the other.
  logic from_end;
  assign from_end = (Directions != DirectionsEncrypt) && direction_i == DirectionDecrypt;
  assign stored = (from_end && end_known) ? end_window : key_q;

  always_comb begin
    window = window_q;
    phase = phase_q;
    index = index_q;
    constant = constant_q;
    backward = running_backward_q;
    if (begins) begin
      backward = from_end && end_known;
      window = stored;
      phase = 2'd0;
      index = backward ? rounds(newest_size) : 4'd0;
      constant = 8'h01;
      if (backward) begin
        constant = (newest_size == KeySize128) ? 8'h36 :
                   (newest_size == KeySize192) ? 8'h80 : 8'h40;
      end
    end
  end

  aes_key_step #(
    .SBox(SBox)
  ) u_step (
    .key_size_i(step_size),
    .backward_i(backward),
    .phase_i   (phase),
    .constant_i(constant),
    .rotate_o  (rotate),
    .window_i  (window),
    .window_o  (window_d)
  );

  // The upper words do not change with a 128-bit key, which does not use them.
  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      window_q <= '0;
    end else if (steps) begin
      window_q[3:0] <= window_d[3:0];
      if (step_size != KeySize128) window_q[7:4] <= window_d[7:4];
    end
  end

  function automatic logic [1:0] next_phase(input key_size_e size, input logic down,
                                            input logic [1:0] now);
    if (size == KeySize128) return 2'd0;
    if (size == KeySize192) begin
      unique case (now)
        2'd0: return down ? 2'd2 : 2'd1;
        2'd1: return down ? 2'd0 : 2'd2;
        default: return down ? 2'd1 : 2'd0;
      endcase
    end
    return {1'b0, !now[0]};
  endfunction

  always_ff @(posedge clk_i) begin
    if (begins) begin
      running_backward_q <= backward;
      running_size_q     <= newest_size;
    end
    if (steps) begin
      index_q    <= backward ? index - 4'd1 : index + 4'd1;
      phase_q    <= next_phase(step_size, backward, phase);
      constant_q <= !rotate  ? constant :
                    backward ? previous_round_constant(constant) : next_round_constant(constant);
    end
  end

  assign last_o = (index_q == (running_backward_q ? 4'd0 : rounds(running_size)));
  assign first_key_o = stored[3:0];
  assign round_key_o = window_q[3:0];

  if (Directions == DirectionsEncrypt) begin : gen_encrypt
    assign end_window = '0;
    assign end_known = 1'b0;
    assign search_start = 1'b0;
    assign searching = 1'b0;
    assign ready_o = key_loaded_q;
  end else begin : gen_decrypt
    logic             end_known_q, searching_q, newest_runs_q, at_end;
    logic [7:0][31:0] end_q;

    // The search runs only when a decryption is requested.
    assign search_start = !clear_i && direction_i == DirectionDecrypt &&
        Directions[5'(direction_i)] && key_loaded_q && !end_known && !running_i && !searching_q;
    assign searching = searching_q && !last_o;
    assign at_end = last_o && newest_runs_q && !running_backward_q &&
        (searching_q || running_i);
    assign end_known = end_known_q;
    assign end_window = end_q;
    assign ready_o = key_loaded_q && !searching_q &&
        (direction_i == DirectionEncrypt || end_known_q);

    // newest_runs_q: the window belongs to the newest key.
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        end_known_q   <= 1'b0;
        searching_q   <= 1'b0;
        newest_runs_q <= 1'b0;
      end else if (clear_i) begin
        end_known_q   <= 1'b0;
        searching_q   <= 1'b0;
        newest_runs_q <= 1'b0;
      end else begin
        if (key_load) end_known_q <= 1'b0;
        else if (at_end) end_known_q <= 1'b1;
        if (search_start) searching_q <= !key_load;
        else if (key_load || last_o) searching_q <= 1'b0;
        if (key_load) newest_runs_q <= 1'b0;
        else if (begins) newest_runs_q <= 1'b1;
      end
    end

    always_ff @(posedge clk_i) begin
      if (clear_i) end_q <= '0;
      else if (at_end && !end_known_q) end_q <= window_q;
    end
  end

endmodule

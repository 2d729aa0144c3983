// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Flow control of pushes and pulls: counts the blocks in flight, and reports an error
// for an access that would wait for ever. A block is in flight from its push until its
// result is popped.
//
// push_i offers a block. push_valid_o passes it on, unless there is no key,
// push_allowed_i is low or BlocksInFlight blocks are in flight; then it is dropped.
// push_done_o says that it was taken or dropped. read_i requests a word of the oldest
// result, read_last_i its last word. read_done_o comes with the result, or at once if no
// block is in flight. pop_o removes the result. bad_i sets the error on behalf of the
// instantiating module; clear_error_i clears it.
module coprocessor_flow
  import coprocessor_pkg::*;
#(
  parameter int unsigned BlocksInFlight = 2,
  localparam int unsigned CountWidth = $clog2(BlocksInFlight + 1)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  zeroise_i,

  input  logic                  key_taken_i,
  input  logic                  bad_i,
  input  logic                  clear_error_i,

  input  logic                  push_i,
  input  logic                  push_allowed_i,
  output logic                  push_valid_o,
  input  logic                  push_ready_i,
  output logic                  push_done_o,

  input  logic                  read_i,
  input  logic                  read_last_i,
  output logic                  read_done_o,
  output logic                  pop_o,
  // The number of results that are ready; result_valid_i: at least one.
  input  logic                  result_valid_i,
  input  logic [CountWidth-1:0] results_i,

  // The cipher clears its memories; a key or another input waits for it.
  input  logic                  sweep_i,
  input  logic                  waiting_i,
  output logic                  busy_o,
  output status_t               status_o
);

  if (BlocksInFlight < 1 || BlocksInFlight > 8) begin : gen_bad_blocks
    $error("coprocessor: BlocksInFlight must be 1 to 8");
  end

  logic                  key_loaded_q, error_q;
  logic [CountWidth-1:0] in_flight_q;
  logic                  open, push, empty;

  assign empty = (in_flight_q == '0);
  assign open = key_loaded_q && push_allowed_i && in_flight_q != CountWidth'(BlocksInFlight);
  assign push_valid_o = push_i && open;
  assign push = push_valid_o && push_ready_i;
  assign push_done_o = push || (push_i && !open);

  assign read_done_o = result_valid_i || empty;
  assign pop_o = read_i && read_last_i && result_valid_i;

  assign busy_o = sweep_i || waiting_i || (push_valid_o && !push_ready_i) ||
      in_flight_q != results_i;
  assign status_o = '{
    error: error_q, accepts: open && push_ready_i, available: result_valid_i, busy: busy_o
  };

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      key_loaded_q <= 1'b0;
      error_q      <= 1'b0;
      in_flight_q  <= '0;
    end else if (zeroise_i) begin
      key_loaded_q <= 1'b0;
      error_q      <= 1'b0;
      in_flight_q  <= '0;
    end else begin
      if (key_taken_i) key_loaded_q <= 1'b1;
      if (clear_error_i) error_q <= 1'b0;
      if (bad_i || (push_i && !open) || (read_i && empty)) error_q <= 1'b1;
      if (push && !pop_o) in_flight_q <= in_flight_q + 1'b1;
      if (pop_o && !push) in_flight_q <= in_flight_q - 1'b1;
    end
  end

endmodule

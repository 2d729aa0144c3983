// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: no byte that leaves towards the host, and no cycle of any handshake, depends on
// a private key in a slot, on the nonce, or on K and V.
//
// Two copies of accel_ecc_keys get the same inputs, except for what may differ with the
// secrets: the contents of the memory, a key that is imported, the bytes of a key that the
// core generates, and codes of HMAC. All outputs are always equal but the operands of the
// core and the blocks of HMAC. Whatever core and HMAC do with these is not in this proof.
module accel_slot_secret
  import accel_pkg::*;
(
  input logic             clk_i,
  input logic             rst_ni,
  input curve_function_t  function_i,
  input logic [2:0]       hash_i,
  input logic             begin_i,
  input logic             run_i,
  input logic             feeds_i,
  input logic             ended_good_i,
  input logic             clear_i,
  input logic             zeroise_i,
  input logic             byte_valid_i,
  input logic [1:0][7:0]  byte_i,
  input logic             operand_ready_i,
  input logic             result_valid_i,
  input logic [1:0][7:0]  result_i,
  input logic             result_last_i,
  input logic             result_ready_i,
  input logic             status_taken_i,
  input ecc_pkg::status_e status_i,
  input logic             key_ready_i,
  input logic             start_ready_i,
  input logic             block_ready_i,
  input logic             code_valid_i,
  input logic [1:0][127:0] code_i
);

  // The outputs of a copy, without the secrets.
  typedef struct packed {
    logic       busy;
    logic       prepared;
    logic       takes;
    logic       held;
    logic [1:0] curve;
    logic       byte_ready;
    logic       operand_valid;
    logic       result_ready;
    logic       result_valid;
    logic [7:0] result;
    logic       again;
    logic       key_valid;
    logic       start_valid;
    logic       block_valid;
    logic [4:0] block_bytes;
    logic       block_last;
    logic       code_ready;
  } outputs_t;

  // The registers of a copy, without the secrets.
  typedef struct packed {
    logic [1:0] phase;
    logic [1:0] source;
    logic [6:0] index;
    logic       kept;
    logic [2:0] nonce_phase;
    logic [1:0] step;
    logic [1:0] round;
    logic [1:0] part;
    logic [6:0] nonce_index;
    logic [4:0] bytes;
    logic       last;
    logic [6:0] given;
    logic       held;
    logic [1:0] curve;
    logic       dirty;
    logic       sweep;
    logic [4:0] region;
    logic [6:0] sweep_index;
  } rest_t;

  outputs_t [1:0] out;
  rest_t    [1:0] rest;
  logic     [1:0] keeps;
  logic [1:0][7:0] operand;

  formal_reset u_reset (
    .clk_i  (clk_i),
    .rst_ni (rst_ni)
  );

  for (genvar n = 0; n < 2; n++) begin : gen_copy
    hmac_request_t hmac;

    accel_ecc_keys #(
      .KeySlots (1)
    ) u_keys (
      .clk_i           (clk_i),
      .rst_ni          (rst_ni),
      .function_i      (function_i),
      .hash_i          (hash_i),
      .begin_i         (begin_i),
      .run_i           (run_i),
      .feeds_i         (feeds_i),
      .ended_good_i    (ended_good_i),
      .clear_i         (clear_i),
      .zeroise_i       (zeroise_i),
      .busy_o          (out[n].busy),
      .prepared_o      (out[n].prepared),
      .takes_o         (out[n].takes),
      .held_o          (out[n].held),
      .curve_o         (out[n].curve),
      .byte_valid_i    (byte_valid_i),
      .byte_ready_o    (out[n].byte_ready),
      .byte_i          (byte_i[n]),
      .operand_valid_o (out[n].operand_valid),
      .operand_ready_i (operand_ready_i),
      .operand_o       (operand[n]),
      .result_valid_i  (result_valid_i),
      .result_ready_o  (out[n].result_ready),
      .result_i        (result_i[n]),
      .result_last_i   (result_last_i),
      .result_valid_o  (out[n].result_valid),
      .result_ready_i  (result_ready_i),
      .status_taken_i  (status_taken_i),
      .status_i        (status_i),
      .again_o         (out[n].again),
      .hmac_o          (hmac),
      .hmac_i          ('{
        key_ready:    key_ready_i,
        start_ready:  start_ready_i,
        block_ready:  block_ready_i,
        result_valid: code_valid_i,
        result:       code_i[n]
      })
    );

    // The host's results are the core's.
    assign out[n].result      = out[n].result_valid ? result_i[n] : '0;
    assign out[n].key_valid   = hmac.key_valid;
    assign out[n].start_valid = hmac.start_valid;
    assign out[n].block_valid = hmac.block_valid;
    assign out[n].block_bytes = hmac.block_bytes;
    assign out[n].block_last  = hmac.block_last;
    assign out[n].code_ready  = hmac.result_ready;

    assign keeps[n] = u_keys.keeps;
    assign rest[n] = '{
      phase:       u_keys.phase_q,
      source:      u_keys.source_q,
      index:       u_keys.index_q,
      kept:        u_keys.kept_q,
      nonce_phase: u_keys.u_nonce.phase_q,
      step:        u_keys.u_nonce.step_q,
      round:       u_keys.u_nonce.round_q,
      part:        u_keys.u_nonce.part_q,
      nonce_index: u_keys.u_nonce.index_q,
      bytes:       u_keys.u_nonce.bytes_q,
      last:        u_keys.u_nonce.last_q,
      given:       u_keys.u_nonce.given_q,
      held:        u_keys.u_slots.held_q,
      curve:       u_keys.u_slots.curve_q,
      dirty:       u_keys.u_slots.dirty_q,
      sweep:       u_keys.u_slots.sweep_q,
      region:      u_keys.u_slots.region_q,
      sweep_index: u_keys.u_slots.index_q
    };

    logic unused_block;
    assign unused_block = ^hmac.block;
  end

  // Results of the core differ in a key that it generates for a slot alone. Bytes of the host
  // may differ while a key is imported: they are no operands then.
  always_comb begin
    if (!keeps[0]) begin
      assume_one_result: assume (result_i[0] == result_i[1]);
    end
  end

  always_comb begin
    nothing_tells: assert (out[0] == out[1]);
    operands_differ: cover (out[0].operand_valid && operand[0] != operand[1] &&
                            function_i.operation == CurveImport);
    why_rest_is_equal: assert (rest[0] == rest[1]);
  end

  logic unused;
  assign unused = keeps[1];

endmodule

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: the handshakes of sha2_hmac with words of 32 bits. An offered block of a
// digest holds, unchanged, until it is taken, and is zero before. A digest leaves only
// behind its message, and has two blocks. Nothing is taken while registers are cleared or
// the message is dropped. Messages and keys do not overlap, and a message is
// authenticated only with a whole key.
module sha2_protocol
  import sha2_pkg::*;
#(
  parameter int unsigned RoundsPerCycle = 1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic         key_valid_i,
  input function_e    key_function_i,
  input logic [127:0] key_i,
  input logic [4:0]   key_bytes_i,
  input logic         key_last_i,
  input logic         start_valid_i,
  input function_e    function_i,
  input logic         authenticate_i,
  input logic         block_valid_i,
  input logic [127:0] block_i,
  input logic [4:0]   block_bytes_i,
  input logic         block_last_i,
  input logic         block_ready_i,
  input logic         drop_i,
  input logic         zeroise_i
);

  logic         key_ready, start_ready, block_ready, block_valid, last, busy, idle;
  logic [127:0] block;
  logic [4:0]   bytes;

  sha2_hmac #(
    .WordSizes      (WordSizes32),
    .RoundsPerCycle (RoundsPerCycle)
  ) u_hmac (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .key_valid_i    (key_valid_i),
    .key_ready_o    (key_ready),
    .key_function_i (key_function_i),
    .key_i          (key_i),
    .key_bytes_i    (key_bytes_i),
    .key_last_i     (key_last_i),
    .start_valid_i  (start_valid_i),
    .start_ready_o  (start_ready),
    .function_i     (function_i),
    .authenticate_i (authenticate_i),
    .block_valid_i  (block_valid_i),
    .block_ready_o  (block_ready),
    .block_i        (block_i),
    .block_bytes_i  (block_bytes_i),
    .block_last_i   (block_last_i),
    .block_valid_o  (block_valid),
    .block_ready_i  (block_ready_i),
    .block_o        (block),
    .block_bytes_o  (bytes),
    .block_last_o   (last),
    .drop_i         (drop_i),
    .zeroise_i      (zeroise_i),
    .busy_o         (busy),
    .idle_o         (idle)
  );

  formal_reset u_reset (
    .clk_i  (clk_i),
    .rst_ni (rst_ni)
  );

  logic dropped;
  assign dropped = drop_i || zeroise_i;

  formal_stream_rules #(
    .Width (134)
  ) u_block_rules (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (dropped),
    .valid_i   (block_valid),
    .ready_i   (block_ready_i),
    .payload_i ({block, bytes, last})
  );

  // Values of the module's types.
  localparam logic [2:0] Idle = 3'd0, Key = 3'd1, KeyFull = 3'd2, Start = 3'd3, Head = 3'd4,
                         Body = 3'd5, Result = 3'd6;
  localparam logic [1:0] HashMessage = 2'd0, HashKey = 2'd1, HashOuter = 2'd3;
  localparam logic [1:0] Words = 2'd0, Digest = 2'd2;

  // A model of the transfers at the ports.
  logic open_q, ended_q;   // a message is open, its last block has been taken
  logic second_q;          // the first block of its digest has left
  logic keying_q, whole_q; // a key is entering, a key has entered
  logic key_taken, digest_taken;
  function_e key_function_q;

  assign key_taken    = key_valid_i && key_ready;
  assign digest_taken = block_valid && block_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q         <= 1'b0;
      ended_q        <= 1'b0;
      second_q       <= 1'b0;
      keying_q       <= 1'b0;
      whole_q        <= 1'b0;
      key_function_q <= FunctionSha224;
    end else begin
      if (dropped) begin
        open_q   <= 1'b0;
        ended_q  <= 1'b0;
        second_q <= 1'b0;
        keying_q <= 1'b0;
        // A key that is still being hashed is dropped too.
        if (zeroise_i || !(open_q || idle)) whole_q <= 1'b0;
      end else begin
        if (start_valid_i && start_ready) open_q <= 1'b1;
        if (block_valid_i && block_ready && block_last_i) ended_q <= 1'b1;
        if (digest_taken) begin
          second_q <= !second_q;
          if (last) begin
            open_q  <= 1'b0;
            ended_q <= 1'b0;
          end
        end
        if (key_taken) begin
          keying_q       <= !key_last_i;
          whole_q        <= key_last_i;
          key_function_q <= key_function_i;
        end
      end
    end
  end

  // What whoever connects the module keeps to: a block that is not the last one has 16 bytes,
  // and the blocks of a key have one function.
  always_comb begin
    assume_key: assume (key_bytes_i == 5'd16 || (key_last_i && key_bytes_i < 5'd16));
    assume_block: assume (block_bytes_i == 5'd16 || (block_last_i && block_bytes_i < 5'd16));
    assume_function: assume (!keying_q || key_function_i == key_function_q);
  end

  always_comb begin
    if (busy || dropped) begin
      closed: assert (!key_ready && !start_ready && !block_ready);
    end
    if (!block_valid) begin
      quiet: assert ({block, bytes, last} == '0);
    end
    if (block_valid) begin
      digest_behind_its_message: assert (open_q && ended_q);
      every_second_ends: assert (last == second_q);
    end
    if (block_ready) begin
      block_of_a_message: assert (open_q && !ended_q);
    end
    if (start_ready) begin
      one_message: assert (!open_q && !keying_q);
      key_goes_first: assert (!key_valid_i);
    end
    if (start_ready && authenticate_i) begin
      code_has_a_key: assert (whole_q && function_i == key_function_q);
    end
    if (key_ready) begin
      key_between_messages: assert (!open_q);
    end
    if (idle) begin
      idle_is_empty: assert (!open_q && !keying_q);
    end
    code_begins: cover (start_valid_i && start_ready && authenticate_i);
    key_is_hashed: cover (u_hmac.phase_q == Head && u_hmac.hash_q == HashKey);
    block_enters: cover (block_valid_i && block_ready);
  end

  // ------------------------------------------------------------ invariants for the induction

  logic [2:0] phase;
  logic [1:0] hash, core_phase;
  logic       hashes, core_open, pipeline_idle;

  assign phase         = u_hmac.phase_q;
  assign hash          = u_hmac.hash_q;
  assign core_phase    = u_hmac.u_core.phase_q;
  assign core_open     = u_hmac.u_core.open_q;
  assign hashes        = phase inside {Start, Head, Body, Result};
  assign pipeline_idle = u_hmac.u_core.rounds_idle;

  always_comb begin
    why_phase: assert (phase <= Result && core_phase <= Digest);
    why_open: assert (open_q == (hashes && hash != HashKey));
    why_keying: assert (keying_q == (phase inside {Key, KeyFull} ||
                                     (hashes && hash == HashKey && phase != Result)));
    why_ended: assert (ended_q == (open_q && (hash == HashOuter || phase == Result)));
    why_hash: assert (hashes || hash == HashMessage);
    why_head: assert (phase != Head || hash != HashMessage);
    why_key: assert (!u_hmac.keyed_q || whole_q);
    why_key_function: assert (!(u_hmac.keyed_q || keying_q || whole_q) ||
                              u_hmac.key_function_q == key_function_q);
    why_whole: assert (!whole_q || u_hmac.keyed_q || (hash == HashKey && phase == Result));
    why_hashed: assert (!(hash == HashKey && phase == Result) || whole_q);
    why_key_hash: assert (!(keying_q || (hashes && hash == HashKey)) || !u_hmac.keyed_q);
    why_code: assert (!(open_q && hash != HashMessage) || u_hmac.keyed_q);
    why_function: assert (phase == Idle || has_function(WordSizes32, u_hmac.function_q));
    why_second: assert (second_q == (block_valid && u_hmac.u_core.leaving_q == 2'd1));
    why_number: assert (u_hmac.u_core.current_q == '0);
    why_core_open: assert (core_open == (phase inside {Head, Body, Result}));
    why_core_function: assert (!core_open || u_hmac.u_core.function_q == u_hmac.function_q);
    why_core_phase: assert (core_phase == Words || phase == Result);
    why_padding: assert (u_hmac.u_core.padding == (phase == Result));
    why_ends: assert (!u_hmac.u_core.ends || phase == Result);
    why_leaving: assert (u_hmac.u_core.leaving_q <= ((core_phase == Digest) ? 2'd1 : 2'd0));
    why_still: assert (core_phase != Digest || pipeline_idle);
    why_loaded: assert (!u_hmac.u_core.loaded_q || core_open);
    why_nothing_inside: assert (!busy || (phase == Idle && !whole_q && core_phase == Words &&
                                          !u_hmac.u_core.loaded_q));
  end

endmodule

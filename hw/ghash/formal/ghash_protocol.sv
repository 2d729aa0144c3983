// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: the handshakes of a GHASH unit, for any products. A hash holds,
// unchanged, until it is taken, and is zero before. There are as many hashes as
// messages, each after the last block of its message. A key is taken between messages
// only. A dropped message gives no hash. The unit is idle exactly when it has neither
// blocks nor a hash and computes no powers of the key.
module ghash_protocol #(
  parameter int unsigned Digit = 128,
  parameter int unsigned Stages = 1
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic         key_valid_i,
  input logic [127:0] key_i,
  input logic         block_valid_i,
  input logic [127:0] block_i,
  input logic         block_last_i,
  input logic         hash_ready_i,
  input logic         drop_i,
  input logic         zeroise_i,
  // The products (ghash_multiplier_any, ghash_digit_any).
  input logic [127:0] any_i
);

  logic         key_ready, block_ready, hash_valid, busy, idle;
  logic [127:0] hash;

  ghash #(
    .Digit  (Digit),
    .Stages (Stages)
  ) u_ghash (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .key_valid_i   (key_valid_i),
    .key_ready_o   (key_ready),
    .key_i         (key_i),
    .block_valid_i (block_valid_i),
    .block_ready_o (block_ready),
    .block_i       (block_i),
    .block_last_i  (block_last_i),
    .hash_valid_o  (hash_valid),
    .hash_ready_i  (hash_ready_i),
    .hash_o        (hash),
    .drop_i        (drop_i),
    .zeroise_i     (zeroise_i),
    .busy_o        (busy),
    .idle_o        (idle)
  );

  formal_reset u_reset (
    .clk_i  (clk_i),
    .rst_ni (rst_ni)
  );

  // The register of the hash has no reset: it is cleared one cycle after a reset.
  logic cleared, settled_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) settled_q <= 1'b0;
    else settled_q <= 1'b1;
  end

  assign cleared = drop_i || zeroise_i;

  formal_stream_rules #(
    .Width (128)
  ) u_rules (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (cleared),
    .valid_i   (hash_valid),
    .ready_i   (hash_ready_i),
    .payload_i (hash)
  );

  logic       taken, given, open_q, keyed_q;
  logic [2:0] messages_q; // ended and not yet hashed
  logic       keying_q;   // a key has come and no block since

  assign taken = block_valid_i && block_ready;
  assign given = hash_valid && hash_ready_i && !cleared;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q     <= 1'b0;
      keyed_q    <= 1'b0;
      keying_q   <= 1'b0;
      messages_q <= '0;
    end else begin
      if (zeroise_i) keyed_q <= 1'b0;
      else if (key_valid_i && key_ready) keyed_q <= 1'b1;
      if (zeroise_i || taken) keying_q <= 1'b0;
      else if (key_valid_i && key_ready) keying_q <= 1'b1;
      if (cleared) begin
        open_q     <= 1'b0;
        messages_q <= '0;
      end else begin
        if (taken) open_q <= !block_last_i;
        messages_q <= messages_q + 3'(taken && block_last_i) - 3'(given);
      end
    end
  end

  always_comb begin
    if (busy || cleared) begin
      closed: assert (!key_ready && !block_ready);
    end
    if (key_valid_i && key_ready) begin
      key_between_messages: assert (!open_q && !taken);
    end
    if (block_ready) begin
      block_has_a_key: assert (keyed_q);
      key_goes_first: assert (open_q || !key_valid_i);
    end
    if (hash_valid) begin
      hash_of_a_message: assert (messages_q != '0);
    end
    if (!hash_valid && settled_q) begin
      quiet: assert (hash == '0);
    end
    if (idle) begin
      idle_is_empty: assert (!open_q && messages_q == '0);
    end
    if (!open_q && messages_q == '0 && !keying_q) begin
      empty_is_idle: assert (idle);
    end
    two_messages: cover (messages_q == 3'd2 && given);
    any_hash: cover (hash_valid && hash != '0);
    dropped: cover (open_q && drop_i && messages_q != '0);
  end

  // Invariants for the induction.
  logic busy_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) busy_q <= 1'b1;
    else busy_q <= zeroise_i;
  end

  always_comb begin
    why_busy: assert (busy == busy_q);
    if (busy) begin
      why_nothing_inside: assert (!open_q && !keyed_q && !keying_q && messages_q == '0);
    end
  end

  if (Digit != 128) begin : gen_serial
    logic ended;
    assign ended = u_ghash.gen_serial.u_ghash.running_q && !open_q;

    always_comb begin
      why_open: assert (u_ghash.gen_serial.u_ghash.open_q == open_q);
      why_keyed: assert (u_ghash.gen_serial.u_ghash.keyed_q == keyed_q);
      why_count: assert (messages_q == 3'(hash_valid) + 3'(ended));
      if (keying_q) begin
        why_no_block: assert (!open_q && !u_ghash.gen_serial.u_ghash.running_q);
      end
    end
  end else begin : gen_parallel
    logic building, draining;
    logic [2:0] waiting;

    assign building = u_ghash.gen_parallel.u_ghash.building_q;
    assign draining = u_ghash.gen_parallel.u_ghash.drain_q != '0;

    always_comb begin
      why_open: assert (u_ghash.gen_parallel.u_ghash.open_q == open_q);
      why_keyed: assert (u_ghash.gen_parallel.u_ghash.keyed_q == keyed_q);
      if (building) begin
        why_building: assert (keying_q && keyed_q && !open_q);
        why_one_at_a_time: assert (waiting + 3'(draining) == 3'd1);
        why_a_hash_may_wait: assert (messages_q == 3'(hash_valid));
      end else begin
        why_count: assert (messages_q == 3'(hash_valid) + 3'(draining) + waiting);
      end
      if (keying_q) begin
        why_no_block: assert (!open_q && (building || (!draining && waiting == '0)));
      end
      why_drain: assert (32'(u_ghash.gen_parallel.u_ghash.drain_q) < Stages);
    end

    if (Stages == 1) begin : gen_one_stage
      assign waiting = '0;
    end else begin : gen_stages
      logic [Stages-2:0] valid, last;

      assign valid = u_ghash.gen_parallel.u_ghash.gen_stages.u_window.valid_q;
      assign last  = u_ghash.gen_parallel.u_ghash.gen_stages.u_window.last_q;

      always_comb begin
        waiting = '0;
        for (int unsigned n = 0; n < Stages - 1; n++) begin
          waiting = waiting + 3'(last[n]);
        end
        why_last_is_valid: assert ((last & ~valid) == '0);
        why_filled_from_the_front: assert ((valid & (valid + (Stages-1)'(1))) == '0);
        // The newest block is a last one, unless a message is open.
        if (!open_q) begin
          why_ended: assert ((valid & ~(valid >> 1) & ~last) == '0);
        end
        if (draining) begin
          why_one_being_made: assert (!building || valid == '0);
        end
        if (building) begin
          why_next: assert ($onehot(u_ghash.gen_parallel.u_ghash.power_next_q) &&
                            !u_ghash.gen_parallel.u_ghash.power_next_q[0]);
        end
      end
    end
  end

  // Not used with the real products.
  logic unused;
  assign unused = ^any_i;

endmodule

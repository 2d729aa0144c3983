// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The additions to the counter mode of mode_engine that make GCM (SP 800-38D, section 7).
// It is connected between mode_engine and the core. Before the counter blocks of a
// message it sends J0 to the core, whose result is the mask of the tag; in the first
// message of a key it also sends the zero block, whose result is the hash key H. gcm_tag
// hashes the blocks that mode_engine passes to it.
//
// J0 is the 96 bits of the IV and a one (section 7.1, step 2); the IV registers count on
// from there. Messages in other modes pass unchanged.
//
// clear_i drops the message. H stays until key_change_i, which comes with a new key of
// the core and with a zeroise, and clears every register here in two cycles.
module accel_gcm
  import accel_pkg::*;
#(
  parameter int unsigned Digit  = 16,
  parameter int unsigned Stages = 1
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic         active_i,     // the current message is one of GCM
  input  logic         started_i,    // a message of any mode starts, high for a cycle
  input  logic         begin_i,
  input  logic         run_i,
  input  logic         clear_i,
  input  logic         key_change_i,
  input  logic [63:0]  length_i,     // of the text, in bytes
  input  logic [60:0]  aad_length_i,
  input  logic         last_beat_i,  // the last beat of the text has left
  output logic         ended_o,      // the last beat has left and the tag is valid
  output logic [127:0] tag_o,        // zero until it is valid

  input  logic [127:0] iv_i,
  output logic         iv_update_o,
  output logic [127:0] iv_o,

  input  logic         hash_valid_i, // associated data, then ciphertext
  output logic         hash_ready_o,
  input  logic [127:0] hash_block_i,

  input  logic         engine_valid_i,
  output logic         engine_ready_o,
  input  logic [127:0] engine_block_i,
  output logic         engine_valid_o,
  input  logic         engine_ready_i,

  output logic         core_valid_o,
  input  logic         core_ready_i,
  output logic [127:0] core_block_o,
  input  logic         core_valid_i,
  output logic         core_ready_o,
  input  logic [127:0] core_block_i
);

  // ------------------------------------------------------------ blocks of its own

  logic         hashed_q;                  // the tag unit has H of this key
  logic         hash_issue_q, mask_issue_q; // the zero block, or J0, has yet to enter the core
  logic         hash_wait_q, mask_wait_q;   // its result has yet to leave the core
  logic         begins, issue, own_issue, own_result;
  logic         key_valid, key_ready, start_valid, start_ready;
  logic [127:0] first_counter;

  assign begins        = begin_i && active_i;
  assign first_counter = {reverse_word(32'd1), iv_i[95:0]};
  assign own_issue     = run_i && (hash_issue_q || mask_issue_q);
  assign issue         = own_issue && core_ready_i;

  assign core_valid_o   = own_issue || engine_valid_i;
  assign engine_ready_o = core_ready_i && !own_issue;

  always_comb begin
    core_block_o = engine_block_i;
    if (hash_issue_q) begin
      core_block_o = '0;
    end else if (mask_issue_q) begin
      core_block_o = first_counter;
    end
  end

  // The first counter of the text is inc32(J0).
  assign iv_update_o = issue && !hash_issue_q;
  assign iv_o        = next_counter(first_counter, CounterWidth32);

  assign own_result     = !clear_i && (hash_wait_q || mask_wait_q);
  assign key_valid      = core_valid_i && own_result && hash_wait_q;
  assign start_valid    = core_valid_i && own_result && !hash_wait_q;
  assign engine_valid_o = core_valid_i && !own_result;

  always_comb begin
    core_ready_o = engine_ready_i;
    if (own_result) begin
      core_ready_o = hash_wait_q ? key_ready : start_ready;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      hashed_q     <= 1'b0;
      hash_issue_q <= 1'b0;
      mask_issue_q <= 1'b0;
      hash_wait_q  <= 1'b0;
      mask_wait_q  <= 1'b0;
    end else begin
      if (key_change_i) begin
        hashed_q <= 1'b0;
      end else if (key_valid && key_ready) begin
        hashed_q <= 1'b1;
      end
      if (clear_i) begin
        hash_issue_q <= 1'b0;
        mask_issue_q <= 1'b0;
        hash_wait_q  <= 1'b0;
        mask_wait_q  <= 1'b0;
      end else if (begins) begin
        hash_issue_q <= !hashed_q;
        mask_issue_q <= 1'b1;
        hash_wait_q  <= !hashed_q;
        mask_wait_q  <= 1'b1;
      end else begin
        if (issue) begin
          hash_issue_q <= 1'b0;
          mask_issue_q <= hash_issue_q;
        end
        if (key_valid && key_ready) begin
          hash_wait_q <= 1'b0;
        end
        if (start_valid && start_ready) begin
          mask_wait_q <= 1'b0;
        end
      end
    end
  end

  // ------------------------------------------------------------ the tag

  logic         tag_valid, unused_idle, unused_busy, unused_text;
  logic [127:0] tag, tag_q;
  logic         key_change_q, tagged_q, text_ended_q;

  // A cycle later, so that no path leads from one ready of the core to its other handshakes.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      key_change_q <= 1'b0;
    end else begin
      key_change_q <= key_change_i;
    end
  end

  gcm_tag #(
    .Digit  (Digit),
    .Stages (Stages)
  ) u_tag (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .key_valid_i   (key_valid),
    .key_ready_o   (key_ready),
    .key_i         (core_block_i),
    .start_valid_i (start_valid),
    .start_ready_o (start_ready),
    .mask_i        (core_block_i),
    .aad_bytes_i   (aad_length_i),
    .text_bytes_i  (length_i[60:0]),
    .block_valid_i (hash_valid_i),
    .block_ready_o (hash_ready_o),
    .block_i       (hash_block_i),
    .text_o        (unused_text),
    .tag_valid_o   (tag_valid),
    .tag_ready_i   (1'b1),
    .tag_o         (tag),
    .drop_i        (clear_i),
    .zeroise_i     (key_change_q),
    .busy_o        (unused_busy),
    .idle_o        (unused_idle)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      tag_q        <= '0;
      tagged_q     <= 1'b0;
      text_ended_q <= 1'b0;
    end else if (clear_i || started_i) begin
      tag_q        <= '0;
      tagged_q     <= 1'b0;
      text_ended_q <= 1'b0;
    end else if (active_i && run_i) begin
      if (tag_valid) begin
        tag_q    <= tag;
        tagged_q <= 1'b1;
      end
      if (last_beat_i) begin
        text_ended_q <= 1'b1;
      end
    end
  end

  assign tag_o   = tag_q;
  assign ended_o = tagged_q && (text_ended_q || last_beat_i || length_i == '0);

  logic unused;
  assign unused = ^{iv_i[127:96], length_i[63:61]};

endmodule

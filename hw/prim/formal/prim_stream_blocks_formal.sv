// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: prim_stream_to_blocks followed by prim_blocks_to_stream. Every byte of a
// stream with legal TKEEP leaves the pair once, in order and in its lane. TLAST comes
// with the last beat only. Blocks and stream hold while they wait. An illegal TKEEP is
// reported.
//
// An arbitrary byte is marked as it enters. Since both modules keep the lanes, and all
// beats but the last one are full, it must leave in the lane in which it came, after as
// many beats as were inside when it came.
module prim_stream_blocks_formal #(
  parameter int unsigned StreamWidth = 32,
  localparam int unsigned Lanes = StreamWidth / 8,
  localparam int unsigned LaneBits = $clog2(Lanes)
) (
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic                   clear_i,
  input logic [StreamWidth-1:0] tdata_i,
  input logic [Lanes-1:0]       tkeep_i,
  input logic                   tlast_i,
  input logic                   tvalid_i,
  input logic                   tready_i,
  input logic                   mark_i,
  input logic [LaneBits-1:0]    mark_lane_i
);

  logic                   in_ready, block_valid, block_ready, block_last, malformed;
  logic [127:0]           block;
  logic [3:0]             bytes;
  logic [StreamWidth-1:0] tdata;
  logic [Lanes-1:0]       tkeep;
  logic                   tlast, tvalid, accept, give;

  prim_stream_to_blocks #(
    .StreamWidth (StreamWidth)
  ) u_gather (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .clear_i     (clear_i),
    .tdata_i     (tdata_i),
    .tkeep_i     (tkeep_i),
    .tlast_i     (tlast_i),
    .tvalid_i    (tvalid_i),
    .tready_o    (in_ready),
    .block_o     (block),
    .bytes_o     (bytes),
    .last_o      (block_last),
    .malformed_o (malformed),
    .valid_o     (block_valid),
    .ready_i     (block_ready)
  );

  prim_blocks_to_stream #(
    .StreamWidth (StreamWidth)
  ) u_spread (
    .clk_i    (clk_i),
    .rst_ni   (rst_ni),
    .clear_i  (clear_i),
    .block_i  (block),
    .bytes_i  (bytes),
    .last_i   (block_last),
    .valid_i  (block_valid),
    .ready_o  (block_ready),
    .tdata_o  (tdata),
    .tkeep_o  (tkeep),
    .tlast_o  (tlast),
    .tvalid_o (tvalid),
    .tready_i (tready_i)
  );

  formal_reset u_reset (
    .clk_i  (clk_i),
    .rst_ni (rst_ni)
  );

  formal_stream_rules #(
    .Width  (StreamWidth + Lanes + 1),
    .Assume (1'b1)
  ) u_input (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (clear_i),
    .valid_i   (tvalid_i),
    .ready_i   (in_ready),
    .payload_i ({tlast_i, tkeep_i, tdata_i})
  );

  formal_stream_rules #(
    .Width (134)
  ) u_blocks (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (clear_i),
    .valid_i   (block_valid),
    .ready_i   (block_ready),
    .payload_i ({malformed, block_last, bytes, block})
  );

  formal_stream_rules #(
    .Width (StreamWidth + Lanes + 1)
  ) u_output (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (clear_i),
    .valid_i   (tvalid),
    .ready_i   (tready_i),
    .payload_i ({tlast, tkeep, tdata})
  );

  assign accept = tvalid_i && in_ready;
  assign give   = tvalid && tready_i;

  // Legal TKEEP: the n lowest lanes, n at least 1; all lanes unless the beat is the last.
  logic legal;

  always_comb begin
    legal = 1'b0;
    for (int unsigned n = 1; n <= Lanes; n++) begin
      if (tkeep_i == (Lanes'(1) << n) - Lanes'(1)) begin
        legal = tlast_i || n == Lanes;
      end
    end
  end

  // ------------------------------------------------------------ the model

  localparam int unsigned Beats = 128 / StreamWidth;

  logic [2:0]          inside_q; // beats accepted and not yet given
  logic [2:0]          length_q; // beats of the block inside, or of its beginning
  logic                ended_q;  // the newest beat inside is a message's last
  logic                bad_q;    // an illegal beat came; only a clear ends this
  logic                told_q;   // and its block has left, marked as malformed
  logic [Lanes-1:0]    keep_q;   // of the newest beat inside
  logic                marked_q;
  logic [2:0]          ahead_q;  // beats inside before that of the marked byte
  logic [LaneBits-1:0] lane_q;
  logic [7:0]          value_q;
  logic                complete, fresh;
  logic [2:0]          left;     // beats inside with this cycle's input

  assign complete = inside_q != '0 && (ended_q || length_q == 3'(Beats));
  assign left     = inside_q - 3'(give);
  // The next input beat begins a block: nothing is inside, or only complete blocks.
  assign fresh    = inside_q == '0 || complete;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      inside_q <= '0;
      length_q <= '0;
      ended_q  <= 1'b0;
      bad_q    <= 1'b0;
      told_q   <= 1'b0;
      keep_q   <= '0;
      marked_q <= 1'b0;
      ahead_q  <= '0;
      lane_q   <= '0;
      value_q  <= '0;
    end else if (clear_i) begin
      inside_q <= '0;
      marked_q <= 1'b0;
      bad_q    <= 1'b0;
      told_q   <= 1'b0;
    end else begin
      inside_q <= left + 3'(accept);
      if (accept) begin
        length_q <= fresh ? 3'd1 : length_q + 3'd1;
        ended_q  <= tlast_i;
        bad_q    <= bad_q || !legal;
        keep_q   <= tkeep_i;
      end
      if (bad_q && block_valid && block_ready) begin
        told_q <= 1'b1;
      end
      if (accept && mark_i && !marked_q && tkeep_i[mark_lane_i]) begin
        marked_q <= 1'b1;
        ahead_q  <= left;
        lane_q   <= mark_lane_i;
        value_q  <= tdata_i[8 * 32'(mark_lane_i) +: 8];
      end else if (give && marked_q) begin
        marked_q <= ahead_q != '0;
        ahead_q  <= ahead_q - 3'd1;
      end
    end
  end

  if (StreamWidth == 128) begin : gen_through
    // A beat is a block and passes in its own cycle.
    always_comb begin
      passes: assert (tvalid == (tvalid_i && !clear_i));
      if (tvalid) begin
        verdict: assert (malformed == !legal);
        if (legal) begin
          keep_is_itself: assert (tkeep == tkeep_i);
          last_is_last:   assert (tlast == tlast_i);
          if (tkeep_i[mark_lane_i]) begin
            byte_is_itself: assert (tdata[8 * 32'(mark_lane_i) +: 8] ==
                                    tdata_i[8 * 32'(mark_lane_i) +: 8]);
          end
        end
        byte_leaves: cover (give && tlast && legal && !tkeep[Lanes-1]);
      end
    end

    logic unused;
    assign unused = ^{complete, fresh, left, inside_q, length_q, ended_q, bad_q, told_q,
                      keep_q, marked_q, ahead_q, lane_q, value_q};
  end else begin : gen_beats
    logic newest; // the beat at the output is the newest inside
    assign newest = inside_q == 3'd1;

    always_comb begin
      if (bad_q) begin
        if (block_valid && !told_q) begin
          told: assert (malformed);
          bad_block: cover (block_last);
        end
        why_told: assert (told_q || (u_gather.gen_gather.malformed_q &&
            (u_gather.gen_gather.full_q || u_gather.gen_gather.index_q != '0)));
      end else begin
        full_exactly: assert (tvalid == (complete && !clear_i));
        if (tvalid) begin
          not_malformed:  assert (!malformed);
          keep_is_itself: assert (tkeep == (newest ? keep_q : '1));
          last_is_last:   assert (tlast == (newest && ended_q));
          if (marked_q && ahead_q == '0) begin
            byte_is_itself: assert (tkeep[lane_q] && tdata[8 * 32'(lane_q) +: 8] == value_q);
            byte_leaves: cover (give && tlast && !tkeep[Lanes-1] && length_q == 3'd2);
          end
        end

        // Invariants for the induction.
        why_untold: assert (!told_q);
        why_in_range: assert (inside_q <= length_q || inside_q == '0);
        why_length: assert (inside_q == '0 || (length_q != '0 && length_q <= 3'(Beats)));
        why_full: assert (u_gather.gen_gather.full_q == complete);
        why_gather_index: assert (3'(u_gather.gen_gather.index_q) == (fresh ? 3'd0 : length_q));
        if (complete) begin
          why_spread_index: assert (3'(u_spread.gen_spread.index_q) == length_q - inside_q);
        end else begin
          why_spread_waits: assert (u_spread.gen_spread.index_q == '0);
          why_all_inside: assert (inside_q == '0 || inside_q == length_q);
        end
        if (inside_q != '0) begin
          why_last: assert (u_gather.gen_gather.last_q == ended_q);
          why_not_malformed: assert (!u_gather.gen_gather.malformed_q);
          why_bytes: assert (5'(u_gather.gen_gather.bytes_q) + 5'd1 ==
                             5'(Lanes) * 5'(length_q - 3'd1) + 5'($countones(keep_q)));
          why_keep: assert (keep_q != '0 && (keep_q & (keep_q + Lanes'(1))) == '0 &&
                            (ended_q || &keep_q));
        end
        if (marked_q) begin
          why_mark_is_inside: assert (ahead_q < inside_q);
          why_mark_is_stored: assert (u_gather.gen_gather.block_q[
              StreamWidth * 32'(3'(length_q - inside_q + ahead_q)) + 8 * 32'(lane_q) +: 8] ==
              value_q);
          why_mark_is_kept: assert (ahead_q + 3'd1 != inside_q || keep_q[lane_q]);
        end
      end
    end
  end

endmodule

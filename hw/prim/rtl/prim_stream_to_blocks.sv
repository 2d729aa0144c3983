// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Gathers the beats of an AXI4-Stream into blocks of 16 bytes, byte 0 in lane 0, one
// beat a cycle. With 128 bits a beat is a block and nothing is stored.
//
// bytes_o is the number of bytes in the block minus one; last_o marks the block that
// TLAST ended. malformed_o marks a block with a TKEEP that this module does not allow:
// a beat other than the last one that is not full, or a last beat that has no byte or
// does not have them in the lowest lanes. Bytes beyond bytes_o are zero.
module prim_stream_to_blocks #(
  parameter int unsigned StreamWidth = 128,
  localparam int unsigned Lanes = StreamWidth / 8
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   clear_i,
  input  logic [StreamWidth-1:0] tdata_i,
  input  logic [Lanes-1:0]       tkeep_i,
  input  logic                   tlast_i,
  input  logic                   tvalid_i,
  output logic                   tready_o,
  output logic [127:0]           block_o,
  output logic [3:0]             bytes_o,
  output logic                   last_o,
  output logic                   malformed_o,
  output logic                   valid_o,
  input  logic                   ready_i
);

  if (StreamWidth != 32 && StreamWidth != 64 && StreamWidth != 128) begin : gen_bad_width
    $fatal(1, "prim_stream_to_blocks: StreamWidth must be 32, 64 or 128");
  end

  // The beat with the bytes outside TKEEP zeroed, the number of its bytes, and whether
  // TKEEP is allowed.
  logic [StreamWidth-1:0] beat;
  logic [4:0]             beat_bytes;
  logic                   beat_malformed;

  always_comb begin
    beat       = '0;
    beat_bytes = '0;
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      if (tkeep_i[lane]) begin
        beat[8*lane +: 8] = tdata_i[8*lane +: 8];
        beat_bytes        = beat_bytes + 5'd1;
      end
    end
    // A mask of the lowest lanes has no bit in common with the mask plus one.
    beat_malformed = !tkeep_i[0] || ((tkeep_i & (tkeep_i + Lanes'(1))) != '0) ||
        (!tlast_i && !(&tkeep_i));
  end

  if (StreamWidth == 128) begin : gen_through
    assign block_o     = beat;
    assign bytes_o     = 4'(beat_bytes - 5'd1);
    assign last_o      = tlast_i;
    assign malformed_o = beat_malformed;
    assign valid_o     = tvalid_i && !clear_i;
    assign tready_o    = ready_i && !clear_i;

    logic unused_clock;
    assign unused_clock = ^{clk_i, rst_ni};
  end else begin : gen_gather
    localparam int unsigned Beats = 128 / StreamWidth;
    localparam int unsigned IndexWidth = $clog2(Beats);

    logic [127:0]          block_q;
    logic [IndexWidth-1:0] index_q;
    logic [3:0]            bytes_q;
    logic                  last_q, malformed_q, full_q;
    logic                  accept;

    assign tready_o    = !clear_i && (!full_q || ready_i);
    assign accept      = tvalid_i && tready_o;
    assign block_o     = block_q;
    assign bytes_o     = bytes_q;
    assign last_o      = last_q;
    assign malformed_o = malformed_q;
    assign valid_o     = full_q && !clear_i;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        block_q     <= '0;
        index_q     <= '0;
        bytes_q     <= '0;
        last_q      <= 1'b0;
        malformed_q <= 1'b0;
        full_q      <= 1'b0;
      end else if (clear_i) begin
        block_q     <= '0;
        index_q     <= '0;
        bytes_q     <= '0;
        last_q      <= 1'b0;
        malformed_q <= 1'b0;
        full_q      <= 1'b0;
      end else begin
        if (full_q && ready_i) begin
          full_q <= 1'b0;
          block_q <= '0;
        end
        if (accept) begin
          if (index_q == '0) begin
            block_q                  <= '0;
            block_q[StreamWidth-1:0] <= beat;
          end else begin
            block_q[StreamWidth * 32'(index_q) +: StreamWidth] <= beat;
          end
          bytes_q     <= 4'(5'(Lanes) * 5'(index_q) + beat_bytes - 5'd1);
          malformed_q <= beat_malformed || (malformed_q && (index_q != '0));
          last_q      <= tlast_i;
          full_q      <= tlast_i || (index_q == IndexWidth'(Beats - 1));
          index_q     <= tlast_i ? '0 : index_q + 1'b1;
        end
      end
    end
  end

endmodule

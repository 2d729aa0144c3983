// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Sends blocks of 16 bytes as beats of an AXI4-Stream, byte 0 in lane 0, one beat a
// cycle. It stores nothing: a block must hold until it is taken. bytes_i is the number
// of bytes in the block minus one; with last_i, the last beat of the block has TLAST.
// Lanes beyond bytes_i have TKEEP zero. TDATA and TKEEP are zero while TVALID is low.
module prim_blocks_to_stream #(
  parameter int unsigned StreamWidth = 128,
  localparam int unsigned Lanes = StreamWidth / 8
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   clear_i,
  input  logic [127:0]           block_i,
  input  logic [3:0]             bytes_i,
  input  logic                   last_i,
  input  logic                   valid_i,
  output logic                   ready_o,
  output logic [StreamWidth-1:0] tdata_o,
  output logic [Lanes-1:0]       tkeep_o,
  output logic                   tlast_o,
  output logic                   tvalid_o,
  input  logic                   tready_i
);

  if (StreamWidth != 32 && StreamWidth != 64 && StreamWidth != 128) begin : gen_bad_width
    $fatal(1, "prim_blocks_to_stream: StreamWidth must be 32, 64 or 128");
  end

  logic [15:0] block_keep;
  logic        final_beat;

  assign block_keep = 16'hFFFF >> (4'd15 - bytes_i);
  assign tvalid_o   = valid_i && !clear_i;
  assign tlast_o    = tvalid_o && last_i && final_beat;
  assign ready_o    = tready_i && final_beat && !clear_i;

  if (StreamWidth == 128) begin : gen_through
    assign final_beat = 1'b1;
    assign tdata_o    = tvalid_o ? block_i : '0;
    assign tkeep_o    = tvalid_o ? block_keep : '0;

    logic unused_clock;
    assign unused_clock = ^{clk_i, rst_ni};
  end else begin : gen_spread
    localparam int unsigned Beats = 128 / StreamWidth;
    localparam int unsigned IndexWidth = $clog2(Beats);

    logic [IndexWidth-1:0] index_q;

    // The number of the beat that holds the last byte: the number of that byte without the
    // bits that select a lane.
    assign final_beat = index_q == bytes_i[3 -: IndexWidth];
    assign tdata_o    = tvalid_o ? block_i[StreamWidth * 32'(index_q) +: StreamWidth] : '0;
    assign tkeep_o    = tvalid_o ? block_keep[Lanes * 32'(index_q) +: Lanes] : '0;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        index_q <= '0;
      end else if (clear_i) begin
        index_q <= '0;
      end else if (tvalid_o && tready_i) begin
        index_q <= final_beat ? '0 : index_q + 1'b1;
      end
    end
  end

`ifndef SYNTHESIS
  // Rules for the surrounding logic.
  prim_stream_rules #(
    .Width (133)
  ) u_rules (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (clear_i),
    .valid_i   (valid_i),
    .ready_i   (ready_o),
    .payload_i ({block_i, bytes_i, last_i})
  );
`endif

endmodule

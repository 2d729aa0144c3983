// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The read half of the AXI4 bridge. A load of word 0 of the coprocessor's DATA_OUT window
// fetches the block in one burst (two blocks in one beat with 256 bits of data, from the
// upper half of the window); loads of its other words are answered from here. Any other
// load is a transfer of its own.
//
// Fetching a block removes it from the coprocessor: words that were not loaded are lost
// if another block is fetched or drop_i is high.
module soc_axi4_reader
  import soc_pkg::*;
#(
  parameter int unsigned DataWidth = 32
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  request_t             request_i,      // valid for loads only
  output logic                 ready_o,
  output logic [31:0]          rdata_o,
  input  logic                 writes_done_i,  // every earlier write has its response
  input  logic                 drop_i,
  output logic                 receiving_o,
  output logic                 error_o,

  output logic [15:0]          m_axi_araddr_o,
  output logic [7:0]           m_axi_arlen_o,
  output logic [2:0]           m_axi_arsize_o,
  output logic                 m_axi_arvalid_o,
  input  logic                 m_axi_arready_i,
  input  logic [DataWidth-1:0] m_axi_rdata_i,
  input  logic [1:0]           m_axi_rresp_i,
  input  logic                 m_axi_rlast_i,
  input  logic                 m_axi_rvalid_i
);

  localparam int unsigned Lanes     = DataWidth / 8;
  localparam int unsigned LaneBits  = $clog2(Lanes);
  localparam int unsigned LineBytes = (DataWidth == 256) ? 32 : 16;
  localparam int unsigned LineWords = LineBytes / 4;
  localparam logic [2:0]  WordSize  = 3'd2;
  localparam logic [2:0]  BlockSize = (LaneBits < 4) ? 3'(LaneBits) : 3'd4;
  localparam logic [2:0]  LineSize  = 3'd5;
  localparam logic [7:0]  WindowDataOut = soc_registers_pkg::CoprocessorDataOutAddress[15:8];
  localparam logic [3:0]  WordsOfBlock  = 4'd4;
  localparam logic [3:0]  WordsOfLine   = 4'd8;

  typedef logic [8*LineBytes-1:0] line_t;

  line_t       line_q, line;
  logic [15:4] base_q;
  logic [2:0]  size_q;
  logic [3:0]  words_q, have_q, have, index, arriving;
  logic        block_q, single_q, receiving_q;
  logic        block, whole_line, hit, ask, serve;

  assign block      = (request_i.address[15:8] == WindowDataOut) &&
                      (request_i.address[3:2] == '0);
  assign whole_line = (DataWidth == 256) && request_i.address[7] && !request_i.address[4];

  // ------------------------------------------------------------ fetched words

  assign index = (words_q == WordsOfLine) ? {1'b0, request_i.address[4:2]}
                                          : {2'b00, request_i.address[3:2]};
  assign hit   = block_q && (request_i.address[15:5] == base_q[15:5]) &&
                 ((request_i.address[4] == base_q[4]) || (words_q == WordsOfLine));

  // The words of the beat of this cycle, lowest first, and all words so far.
  logic [DataWidth-1:0] beat;
  logic [LaneBits-1:0]  beat_lane;

  assign beat_lane = single_q ? request_i.address[LaneBits-1:0] : LaneBits'({base_q, 4'b0});
  assign arriving  = 4'(8'd1 << (size_q - WordSize));

  always_comb begin
    beat = m_axi_rdata_i;
    if ((DataWidth > 128) || single_q) beat = m_axi_rdata_i >> {beat_lane, 3'b000};
    line = line_q;
    have = have_q;
    if (receiving_q && !single_q && m_axi_rvalid_i) begin
      have = have_q + arriving;
      for (int unsigned word = 0; word < LineWords; ++word) begin
        if ((4'(word) >= have_q) && (4'(word) < have_q + arriving)) begin
          line[32*word +: 32] = beat[32*(word % (DataWidth / 32)) +: 32];
        end
      end
    end
  end

  // ------------------------------------------------------------ requests

  assign ask = request_i.valid && !hit && !receiving_q && writes_done_i;

  assign m_axi_arvalid_o = ask;
  assign m_axi_araddr_o  = request_i.address[15:0];
  assign m_axi_arsize_o  = !block ? WordSize : whole_line ? LineSize : BlockSize;
  assign m_axi_arlen_o   = (!block || whole_line) ? '0 : 8'((16 >> BlockSize) - 1);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      line_q      <= '0;
      base_q      <= '0;
      size_q      <= WordSize;
      words_q     <= '0;
      have_q      <= '0;
      block_q     <= 1'b0;
      single_q    <= 1'b0;
      receiving_q <= 1'b0;
    end else begin
      line_q <= line;
      have_q <= have;
      if (m_axi_rvalid_i && m_axi_rlast_i) receiving_q <= 1'b0;
      if (drop_i || (serve && hit && (index == words_q - 4'd1))) begin
        block_q <= 1'b0;
        line_q  <= '0;
      end
      if (ask && m_axi_arready_i) begin
        receiving_q <= 1'b1;
        single_q    <= !block;
        if (block) begin
          block_q <= 1'b1;
          base_q  <= request_i.address[15:4];
          size_q  <= m_axi_arsize_o;
          words_q <= whole_line ? WordsOfLine : WordsOfBlock;
          have_q  <= '0;
        end
      end
    end
  end

  assign serve = request_i.valid &&
                 (hit ? index < have : receiving_q && single_q && m_axi_rvalid_i);

  assign ready_o     = serve;
  assign rdata_o     = hit ? line[32*index[$clog2(LineWords)-1:0] +: 32] : beat[31:0];
  assign receiving_o = receiving_q;
  assign error_o     = m_axi_rvalid_i && (m_axi_rresp_i != '0);

  logic unused_request;
  assign unused_request = ^{request_i.following, request_i.write, request_i.address[31:16],
                            request_i.wdata, request_i.wstrb};

endmodule

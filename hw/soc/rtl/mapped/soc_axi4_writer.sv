// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The write half of the AXI4 bridge. Stores of consecutive words to the coprocessor's
// DATA_IN window are gathered, from word 0 of a block on, until the block is complete
// (two blocks, 32 bytes, with 256 bits of data). They leave as one burst of the widest
// beats. Any other store leaves as a write of its own.
//
// Gathered words leave early, one by one, when another access comes (flush_i, or a store
// that is not the next word), or after 16 cycles without a store. The processor continues
// while a burst is sent. empty_o says that nothing is left to send and every write has
// its response.
module soc_axi4_writer
  import soc_pkg::*;
#(
  parameter int unsigned DataWidth = 32,
  localparam int unsigned Lanes = DataWidth / 8
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  request_t             request_i, // valid for stores only
  output logic                 ready_o,
  input  logic                 flush_i,
  output logic                 empty_o,
  output logic                 error_o,

  output logic [15:0]          m_axi_awaddr_o,
  output logic [7:0]           m_axi_awlen_o,
  output logic [2:0]           m_axi_awsize_o,
  output logic                 m_axi_awvalid_o,
  input  logic                 m_axi_awready_i,
  output logic [DataWidth-1:0] m_axi_wdata_o,
  output logic [Lanes-1:0]     m_axi_wstrb_o,
  output logic                 m_axi_wlast_o,
  output logic                 m_axi_wvalid_o,
  input  logic                 m_axi_wready_i,
  input  logic [1:0]           m_axi_bresp_i,
  input  logic                 m_axi_bvalid_i
);

  localparam int unsigned LaneBits  = $clog2(Lanes);
  localparam int unsigned LineBytes = (DataWidth == 256) ? 32 : 16;
  localparam int unsigned LineWidth = 8 * LineBytes;
  localparam logic [2:0]  WordSize  = 3'd2;
  localparam logic [2:0]  BlockSize = (LaneBits < 4) ? 3'(LaneBits) : 3'd4;
  localparam logic [2:0]  LineSize  = 3'd5;
  localparam logic [3:0]  WordsOfBlock   = 4'd4;
  localparam logic [3:0]  WordsOfLine    = 4'(LineBytes / 4);
  localparam logic [3:0]  Patience       = 4'd15;
  localparam logic [2:0]  MostUnanswered = 3'd7;
  localparam logic [7:0]  WindowDataIn   = soc_registers_pkg::CoprocessorDataInAddress[15:8];

  typedef logic [LineWidth-1:0] line_t;

  // ------------------------------------------------------------ gathering

  line_t       gathered_q, line;
  logic [3:0]  count_q, count, limit, age_q;
  logic [15:0] base_q, base;
  logic        in_window, begins, continues, append, whole, leave, alone;
  logic        send_free, load;

  assign in_window = (request_i.address[15:8] == WindowDataIn) && (request_i.wstrb == 4'hF);
  assign begins    = in_window && (count_q == '0) && (request_i.address[3:2] == '0);
  assign continues = in_window && (count_q != '0) && (count_q != limit) &&
                     (request_i.address[15:0] == base_q + {10'b0, count_q, 2'b00});
  assign append    = request_i.valid && (begins || continues);

  // The gathered words, with the store of this cycle.
  always_comb begin
    base  = begins ? request_i.address[15:0] : base_q;
    count = append ? count_q + 4'd1 : count_q;
    line  = gathered_q;
    for (int unsigned word = 0; word < LineBytes / 4; ++word) begin
      if (append && (count_q == 4'(word))) line[32*word +: 32] = request_i.wdata;
    end
  end

  assign limit = base[4] ? WordsOfBlock : WordsOfLine;
  assign whole = count == limit;
  assign leave = whole || ((count_q != '0) && !append &&
                           (request_i.valid || flush_i || (age_q == Patience)));
  assign alone = request_i.valid && !append && (count_q == '0);
  assign load  = send_free && (leave || alone);

  // A complete line may wait to be sent; its last word has been taken then.
  assign ready_o = append || (alone && send_free);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      gathered_q <= '0;
      base_q     <= '0;
      count_q    <= '0;
      age_q      <= '0;
    end else begin
      base_q     <= base;
      age_q      <= (append || (count_q == '0)) ? '0 : age_q + 4'(age_q != Patience);
      gathered_q <= (leave && send_free) ? '0 : line;
      count_q    <= (leave && send_free) ? '0 : count;
    end
  end

  // ------------------------------------------------------------ sending

  line_t       send_q;
  logic [15:0] address_q;
  logic [7:0]  left_q;
  logic [3:0]  strobe_q;
  logic        sending_q, finishing;
  logic [2:0]  unanswered_q, size_d;
  logic [7:0]  beats_d;

  assign finishing = sending_q && m_axi_wready_i && m_axi_wlast_o;
  assign send_free = (!sending_q || finishing) && (!m_axi_awvalid_o || m_axi_awready_i) &&
                     (unanswered_q != MostUnanswered);

  // The width of the beats: a line, a block, or a word.
  always_comb begin
    size_d  = WordSize;
    beats_d = {4'b0, count} - 8'd1;
    if (alone) begin
      beats_d = '0;
    end else if ((DataWidth == 256) && (count == 4'd8)) begin
      size_d  = LineSize;
      beats_d = '0;
    end else if (count == WordsOfBlock) begin
      size_d  = BlockSize;
      beats_d = 8'((16 >> BlockSize) - 1);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      m_axi_awvalid_o <= 1'b0;
      m_axi_awaddr_o  <= '0;
      m_axi_awlen_o   <= '0;
      m_axi_awsize_o  <= '0;
      send_q          <= '0;
      address_q       <= '0;
      left_q          <= '0;
      strobe_q        <= '0;
      sending_q       <= 1'b0;
      unanswered_q    <= '0;
    end else begin
      unanswered_q <= unanswered_q + 3'(load) - 3'(m_axi_bvalid_i);
      if (m_axi_awready_i) m_axi_awvalid_o <= 1'b0;
      if (sending_q && m_axi_wready_i) begin
        send_q    <= send_q >> (32'd8 << m_axi_awsize_o);
        address_q <= address_q + (16'd1 << m_axi_awsize_o);
        left_q    <= left_q - 8'd1;
        if (m_axi_wlast_o) sending_q <= 1'b0;
      end
      if (load) begin
        m_axi_awvalid_o <= 1'b1;
        m_axi_awaddr_o  <= alone ? request_i.address[15:0] : base;
        m_axi_awlen_o   <= beats_d;
        m_axi_awsize_o  <= size_d;
        send_q          <= alone ? line_t'(request_i.wdata) : line;
        address_q       <= alone ? request_i.address[15:0] : base;
        left_q          <= beats_d;
        strobe_q        <= alone ? request_i.wstrb : 4'hF;
        sending_q       <= 1'b1;
      end
    end
  end

  assign m_axi_wvalid_o = sending_q;
  assign m_axi_wlast_o  = left_q == '0;

  // A beat is in the lanes of its address.
  localparam int unsigned Chunks = Lanes / 4;
  logic [LaneBits-1:0] lane, chunk_lane;

  assign lane       = address_q[LaneBits-1:0];
  assign chunk_lane = LaneBits'(32'd1 << m_axi_awsize_o) - LaneBits'(1);

  always_comb begin
    for (int unsigned chunk = 0; chunk < Chunks; ++chunk) begin
      logic [LaneBits-1:0] first, place;
      first  = LaneBits'(4 * chunk);
      place = first & chunk_lane;
      m_axi_wdata_o[32*chunk +: 32] = send_q[8*place +: 32];
      m_axi_wstrb_o[4*chunk +: 4]   =
          ((first & ~chunk_lane) == (lane & ~chunk_lane)) ? strobe_q : '0;
    end
  end

  assign empty_o = (count_q == '0) && !sending_q && !m_axi_awvalid_o &&
                   (unanswered_q == 3'(m_axi_bvalid_i));
  assign error_o = m_axi_bvalid_i && (m_axi_bresp_i != '0);

  logic unused_request;
  assign unused_request = ^{request_i.following, request_i.write, request_i.address[31:16]};

endmodule

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Test benches only: a memory of 64 KiB, repeated over the address space, that
// moves a beat a cycle each way. The first beat of a read comes latency_i cycles
// after its request, and the answer to a write as many after its last beat;
// bursts follow each other without a gap. It answers in order and never fails.
module dma_memory #(
  parameter int unsigned DataWidth = 32,
  localparam int unsigned Strobes  = DataWidth / 8,
  localparam int unsigned ByteBits = $clog2(Strobes),
  localparam int unsigned BeatBits = 16 - ByteBits
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic [7:0]           latency_i, // one or more

  input  logic                 poke_i, // a word written past the bus
  input  logic [11:0]          poke_word_i,
  input  logic [31:0]          poke_data_i,
  output logic [5:0]           written_o, // bytes written in this cycle

  input  logic [15:0]          awaddr_i,
  input  logic                 awvalid_i,
  output logic                 awready_o,
  input  logic [DataWidth-1:0] wdata_i,
  input  logic [Strobes-1:0]   wstrb_i,
  input  logic                 wlast_i,
  input  logic                 wvalid_i,
  output logic                 wready_o,
  output logic                 bvalid_o,
  input  logic                 bready_i,
  input  logic [15:0]          araddr_i,
  input  logic [7:0]           arlen_i,
  input  logic                 arvalid_i,
  output logic                 arready_o,
  output logic [DataWidth-1:0] rdata_o,
  output logic                 rlast_o,
  output logic                 rvalid_o,
  input  logic                 rready_i
);

  logic [DataWidth-1:0] memory [1 << BeatBits];

  // ------------------------------------------------------------ reads

  logic                request_valid, request_ready;
  logic [BeatBits-1:0] request_beat, read_beat_q;
  logic [7:0]          request_length, read_left_q;
  logic                reading_q;

  // The burst that is taken gives its first beat in the next cycle.
  dma_delay_line #(
    .Width (BeatBits + 8)
  ) u_requests (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .latency_i (latency_i - 8'd1),
    .valid_i   (arvalid_i),
    .ready_o   (arready_o),
    .data_i    ({araddr_i[15:ByteBits], arlen_i}),
    .valid_o   (request_valid),
    .ready_i   (request_ready),
    .data_o    ({request_beat, request_length})
  );

  assign rvalid_o      = reading_q;
  assign rdata_o       = memory[read_beat_q];
  assign rlast_o       = read_left_q == '0;
  assign request_ready = !reading_q || (rready_i && rlast_o);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      reading_q   <= 1'b0;
      read_beat_q <= '0;
      read_left_q <= '0;
    end else if (request_ready) begin
      reading_q   <= request_valid;
      read_beat_q <= request_beat;
      read_left_q <= request_length;
    end else if (rready_i) begin
      read_beat_q <= read_beat_q + 1'b1;
      read_left_q <= read_left_q - 1'b1;
    end
  end

  // ------------------------------------------------------------ writes

  logic                writing_q, take, answer_ready, unused_answer;
  logic [BeatBits-1:0] write_beat_q;

  assign take      = wvalid_i && wready_o;
  assign wready_o  = writing_q && answer_ready;
  assign awready_o = !writing_q || (take && wlast_i);

  dma_delay_line #(
    .Width (1)
  ) u_answers (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .latency_i (latency_i),
    .valid_i   (take && wlast_i),
    .ready_o   (answer_ready),
    .data_i    (1'b0),
    .valid_o   (bvalid_o),
    .ready_i   (bready_i),
    .data_o    (unused_answer)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      writing_q    <= 1'b0;
      write_beat_q <= '0;
    end else if (awready_o) begin
      writing_q    <= awvalid_i;
      write_beat_q <= awaddr_i[15:ByteBits];
    end else if (take) begin
      write_beat_q <= write_beat_q + 1'b1;
    end
  end

  always_comb begin
    written_o = '0;
    for (int unsigned lane = 0; lane < Strobes; lane++) begin
      written_o = written_o + 6'(take && wstrb_i[lane]);
    end
  end

  localparam int unsigned WordBits = ByteBits - 2; // of a word within a beat

  always_ff @(posedge clk_i) begin
    for (int unsigned lane = 0; lane < Strobes; lane++) begin
      if (take && wstrb_i[lane]) begin
        memory[write_beat_q][8*lane +: 8] <= wdata_i[8*lane +: 8];
      end
    end
    if (poke_i) begin
      memory[BeatBits'(poke_word_i >> WordBits)][32 * (32'(poke_word_i) % (Strobes / 4)) +: 32]
          <= poke_data_i;
    end
  end

  logic unused_bytes;
  assign unused_bytes = ^{awaddr_i[ByteBits-1:0], araddr_i[ByteBits-1:0]};

endmodule

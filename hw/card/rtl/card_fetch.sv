// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Reads the descriptors of a ring ahead, each by one burst of 64 bytes, and keeps them until
// their messages are complete. As many as there are slots may be requested and not complete.
// Words of them can be read by three readers, each at a number and a word.
//
// A descriptor whose read is answered with an error is not kept, nor is any after it:
// failed_o is high then until clear_i.
module card_fetch
  import card_pkg::*;
#(
  parameter int unsigned DataWidth   = 128,
  parameter int unsigned Log2Entries = 10
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 run_i,
  input  logic                 clear_i, // begin with entry 0; only while quiet_o
  output logic                 quiet_o, // no read is outstanding

  input  logic [63:0]          base_i,
  input  logic [4:0]           log2_i,
  input  logic [31:0]          doorbell_i,
  input  number_t              complete_i, // the messages before it need no slot any more
  output number_t              arrived_o,  // the descriptors before it are here
  output logic                 failed_o,

  input  number_t [2:0]        number_i,
  input  logic [2:0][3:0]      word_i,
  output logic [2:0][31:0]     word_o,

  output logic                 ar_valid_o,
  input  logic                 ar_ready_i,
  output logic [63:0]          ar_address_o,
  output logic [7:0]           ar_beats_o,   // minus one
  input  logic                 r_valid_i,
  input  logic [DataWidth-1:0] r_data_i,
  input  logic                 r_error_i,
  input  logic                 r_last_i
);

  localparam int unsigned Words     = DataWidth / 32;
  localparam int unsigned Beats     = 16 / Words;
  localparam int unsigned BeatBits  = $clog2(Beats);
  localparam int unsigned WordBits  = 4 - BeatBits;

  logic [31:0]         requested_q;
  number_t             arrived_q;
  logic [BeatBits-1:0] beat_q;
  logic                failed_q;
  number_t             taken;       // slots that are taken
  number_t             outstanding;
  logic                request;
  logic [31:0]         entry;

  assign taken       = requested_q[SlotBits:0] - complete_i;
  assign request     = run_i && !failed_q && requested_q != doorbell_i &&
                       taken < number_t'(Slots);
  assign entry       = requested_q & ~(32'hFFFF_FFFF << log2_i);

  assign ar_valid_o   = request;
  assign ar_address_o = base_i + 64'({entry[Log2Entries-1:0], 6'd0});
  assign ar_beats_o   = 8'(Beats - 1);

  assign arrived_o = arrived_q;
  assign failed_o  = failed_q;

  // Reads that failed are counted too until their last beat has come.
  number_t ended_q;

  assign outstanding = requested_q[SlotBits:0] - ended_q;
  assign quiet_o     = outstanding == '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      requested_q <= '0;
      arrived_q   <= '0;
      ended_q     <= '0;
      beat_q      <= '0;
      failed_q    <= 1'b0;
    end else if (clear_i) begin
      requested_q <= '0;
      arrived_q   <= '0;
      ended_q     <= '0;
      beat_q      <= '0;
      failed_q    <= 1'b0;
    end else begin
      if (ar_valid_o && ar_ready_i) begin
        requested_q <= requested_q + 32'd1;
      end
      if (r_valid_i) begin
        beat_q   <= r_last_i ? '0 : beat_q + 1'b1;
        failed_q <= failed_q || r_error_i;
        if (r_last_i) begin
          ended_q <= ended_q + 1'b1;
          if (!failed_q && !r_error_i) begin
            arrived_q <= arrived_q + 1'b1;
          end
        end
      end
    end
  end

  // ------------------------------------------------------------ the slots

  logic [DataWidth-1:0] memory [Slots * Beats];

  always_ff @(posedge clk_i) begin
    if (r_valid_i) begin
      memory[{arrived_q[SlotBits-1:0], beat_q}] <= r_data_i;
    end
  end

  for (genvar n = 0; n < 3; n++) begin : gen_reader
    logic [DataWidth-1:0] row;

    assign row       = memory[{number_i[n][SlotBits-1:0], word_i[n][3:WordBits]}];
    assign word_o[n] = row[32*word_i[n][WordBits-1:0] +: 32];
  end

  logic unused;
  assign unused = ^{entry, number_i};

endmodule

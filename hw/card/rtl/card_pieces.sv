// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Cuts one side of each message, its source or its destination, into pieces: at the ends of
// its packets, and at the ends of the segments of its list. It goes through the messages in
// order, ahead of the accelerator, and reads the lists, one segment at a time. It reads no
// segment beyond the message's last byte.
//
// At a list that is not aligned, an empty segment or a read that fails it stops; list_error_o
// or read_error_o is high then until clear_i, and number_o is that of the message at fault.
module card_pieces
  import card_pkg::*;
#(
  parameter int unsigned DataWidth   = 128,
  parameter bit          Destination = 1'b0
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 clear_i,      // stop; held until quiet_o
  input  number_t              restart_i,    // the next message after clear_i
  output logic                 quiet_o,      // no read is outstanding

  input  number_t              arrived_i,    // the messages before it can be read
  output number_t              number_o,
  output logic [3:0]           word_o,
  input  logic [31:0]          word_i,
  output logic                 list_error_o,
  output logic                 read_error_o,

  output logic                 piece_valid_o,
  input  logic                 piece_ready_i,
  output piece_t               piece_o,

  output logic                 ar_valid_o,
  input  logic                 ar_ready_i,
  output logic [63:0]          ar_address_o,
  output logic [7:0]           ar_beats_o,   // minus one
  input  logic                 r_valid_i,
  input  logic [DataWidth-1:0] r_data_i,
  input  logic                 r_error_i,
  input  logic                 r_last_i
);

  localparam int unsigned Beats      = (DataWidth < 128) ? 128 / DataWidth : 1;
  localparam int unsigned ByteBits   = $clog2(DataWidth / 8);
  localparam logic [31:0] TagBytes   = 32'd16;
  localparam logic [2:0]  LastLoaded = Destination ? 3'd3 : 3'd4;

  typedef enum logic [2:0] {
    StateLoad,    // the words of the descriptor, one a cycle
    StateSegment, // ask for a segment
    StateWait,    // for its answer
    StatePiece,   // offer a piece
    StateListError,
    StateReadError
  } state_e;

  state_e      state_q;
  number_t     number_q;
  logic [2:0]  load_q;        // the word that is read
  logic        list_q;        // the address is that of a list
  logic [63:0] list_address_q; // of the next segment
  logic [63:0] address_q;
  logic [31:0] segment_q;     // bytes left in the segment
  logic [31:0] first_q, text_q; // bytes left in the packets of associated data and of text
  logic        tag_q;         // the packet of a tag is still to come
  logic [31:0] tag_left_q;
  logic        outstanding_q;
  logic        beat_q;        // the second beat of a segment is due

  // ------------------------------------------------------------ a descriptor

  always_comb begin
    unique case (load_q)
      3'd0:    word_o = WordFlags;
      3'd1:    word_o = Destination ? WordDestination : WordSource;
      3'd2:    word_o = Destination ? WordDestination + 4'd1 : WordSource + 4'd1;
      3'd3:    word_o = Destination ? WordOutput : WordLength;
      default: word_o = WordAssociated;
    endcase
  end

  assign number_o = number_q;

  // ------------------------------------------------------------ a piece

  logic [31:0] packet, length;
  logic        ends_packet, ends_segment, ends_message, taken;

  assign packet       = (first_q != '0) ? first_q : (text_q != '0) ? text_q : tag_left_q;
  assign ends_packet  = !list_q || packet <= segment_q;
  assign ends_segment = list_q && segment_q <= packet;
  assign length       = ends_packet ? packet : segment_q;
  assign ends_message = ends_packet && (first_q == '0 || (text_q == '0 && !tag_q)) &&
                        (text_q == '0 || !tag_q);

  assign piece_valid_o   = state_q == StatePiece && !clear_i;
  assign piece_o.address = address_q;
  assign piece_o.length  = length;
  assign piece_o.last    = ends_packet;
  assign piece_o.ends    = ends_message;
  assign taken           = piece_valid_o && piece_ready_i;

  // ------------------------------------------------------------ a segment

  logic [127:0] segment;

  if (DataWidth == 64) begin : gen_two_beats
    logic [63:0] low_q;

    always_ff @(posedge clk_i) begin
      if (r_valid_i && !beat_q) begin
        low_q <= r_data_i;
      end
    end

    assign segment = {r_data_i, low_q};
  end else if (DataWidth == 128) begin : gen_one_beat
    assign segment = r_data_i;
  end else begin : gen_part
    assign segment = list_address_q[4] ? r_data_i[255:128] : r_data_i[127:0];
  end

  assign ar_valid_o   = state_q == StateSegment && !clear_i && !outstanding_q;
  assign ar_address_o = {list_address_q[63:ByteBits], ByteBits'(0)};
  assign ar_beats_o   = 8'(Beats - 1);
  assign quiet_o      = !outstanding_q;
  assign list_error_o = state_q == StateListError;
  assign read_error_o = state_q == StateReadError;

  logic failed_q; // an error in the first beat

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      outstanding_q <= 1'b0;
      beat_q        <= 1'b0;
      failed_q      <= 1'b0;
    end else if (ar_valid_o && ar_ready_i) begin
      outstanding_q <= 1'b1;
      beat_q        <= 1'b0;
      failed_q      <= 1'b0;
    end else if (r_valid_i) begin
      outstanding_q <= !r_last_i;
      beat_q        <= 1'b1;
      failed_q      <= r_error_i;
    end
  end

  // ------------------------------------------------------------ the states

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q        <= StateLoad;
      number_q       <= '0;
      load_q         <= '0;
      list_q         <= 1'b0;
      list_address_q <= '0;
      address_q      <= '0;
      segment_q      <= '0;
      first_q        <= '0;
      text_q         <= '0;
      tag_q          <= 1'b0;
      tag_left_q     <= '0;
    end else if (clear_i) begin
      state_q  <= StateLoad;
      load_q   <= '0;
      number_q <= restart_i;
    end else begin
      unique case (state_q)
        StateLoad: begin
          if (number_q != arrived_i) begin
            load_q <= load_q + 3'd1;
            unique case (load_q)
              3'd0: begin
                list_q     <= Destination ? word_i[FlagDestinationList] : word_i[FlagSourceList];
                tag_q      <= !Destination && word_i[FlagTagPacket];
                tag_left_q <= (!Destination && word_i[FlagTagPacket]) ? TagBytes : '0;
                first_q    <= '0;
                segment_q  <= '0;
              end
              3'd1: begin
                address_q[31:0]      <= word_i;
                list_address_q[31:0] <= word_i;
              end
              3'd2: begin
                address_q[63:32]      <= word_i;
                list_address_q[63:32] <= word_i;
              end
              3'd3:    text_q  <= word_i;
              default: first_q <= word_i;
            endcase
            if (load_q == LastLoaded) begin
              load_q <= '0;
              if ((Destination || text_q == '0) && word_i == '0 && !tag_q) begin
                number_q <= number_q + 1'b1; // nothing to move
              end else if (!list_q) begin
                state_q <= StatePiece;
              end else begin
                state_q <= (list_address_q[3:0] == '0) ? StateSegment : StateListError;
              end
            end
          end
        end

        StateSegment: begin
          if (ar_valid_o && ar_ready_i) begin
            state_q <= StateWait;
          end
        end

        StateWait: begin
          if (r_valid_i && r_last_i) begin
            address_q      <= segment[63:0];
            segment_q      <= segment[95:64];
            list_address_q <= list_address_q + 64'(SegmentBytes);
            state_q        <= (r_error_i || failed_q)   ? StateReadError :
                              (segment[95:64] == '0) ? StateListError : StatePiece;
          end
        end

        StatePiece: begin
          if (taken) begin
            address_q <= address_q + 64'(length);
            segment_q <= segment_q - length;
            if (first_q != '0) begin
              first_q <= first_q - length;
            end else if (text_q != '0) begin
              text_q <= text_q - length;
            end else begin
              tag_left_q <= tag_left_q - length;
              tag_q      <= !ends_packet;
            end
            if (ends_message) begin
              state_q  <= StateLoad;
              number_q <= number_q + 1'b1;
            end else if (ends_segment) begin
              state_q <= StateSegment;
            end
          end
        end

        default: ; // until clear_i
      endcase
    end
  end

  logic unused;
  assign unused = ^{segment[127:96], beat_q};

endmodule

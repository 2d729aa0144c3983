// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Takes transfers from the registers, or reads a chain of descriptors from memory one
// after the other, checks each and passes it to both directions, as many ahead as these
// accept.
//
// A transfer that is invalid or could not be read is reported when all transfers before
// it are complete. The report holds until the engine stops.
//
// stream_o is the stream that both directions use. It changes only when nothing of the
// transfers before is left inside: a transfer of another stream waits until then.
module dma_intake
  import dma_pkg::*;
#(
  parameter int unsigned DataWidth     = 32,
  parameter int unsigned StreamWidth   = 128,
  parameter int unsigned Streams       = 1,
  parameter int unsigned ByteAlignment = 0
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 halt_i,

  // Commands, each high for a cycle, with the registers that belong to them.
  input  logic                 transfer_i,
  input  logic                 chain_i,
  input  descriptor_t          descriptor_i,
  input  logic [31:0]          chain_address_i,
  input  stream_t              stream_i,
  output logic                 ready_o,
  output logic                 busy_error_o,

  // Reads of descriptors.
  output logic                 fetch_valid_o,
  input  logic                 fetch_ready_i,
  output logic [31:0]          fetch_address_o,
  input  logic                 fetched_valid_i,
  input  logic [DataWidth-1:0] fetched_data_i,
  input  logic                 fetched_error_i,
  input  logic                 fetched_last_i,

  output logic                 valid_o,
  input  logic                 ready_i,
  output descriptor_t          descriptor_o,

  input  logic                 drained_i, // every transfer that was passed on is complete
  input  logic                 settled_i, // and the last beat of each has left on its stream
  output stream_t              stream_o,
  output logic                 invalid_o,
  output logic                 fetch_error_o,
  output origin_t              origin_o
);

  // Words of a descriptor in a beat, and beats of a descriptor.
  localparam int unsigned BeatWords = (DataWidth > 128) ? 4 : DataWidth / 32;
  localparam int unsigned Beats     = 4 / BeatWords;
  localparam int unsigned IndexBits = (Beats > 1) ? $clog2(Beats) : 1;

  typedef enum logic [2:0] {
    StateIdle,
    StateFetch,   // requests a descriptor
    StateGather,  // receives its beats
    StateGive,    // checks it and passes it on
    StateInvalid, // the descriptor is invalid
    StateError    // the descriptor could not be read
  } state_e;

  state_e               state_d, state_q;
  origin_t              origin_d, origin_q;
  stream_t              asked_d, asked_q;   // of the command that is being carried out
  stream_t              stream_d, stream_q; // of the transfers that were passed on
  logic [127:0]         words_d, words_q; // in the order of memory
  descriptor_t          descriptor;
  logic [31:5]          next;
  logic [IndexBits-1:0] index_d, index_q;
  logic                 failed_d, failed_q; // a beat of the descriptor had an error
  logic                 possible, may_begin;

  assign next                   = words_q[127:101];
  assign descriptor.origin      = origin_q;
  assign descriptor.flags       = words_q[100:96];
  assign descriptor.length      = words_q[95:64];
  assign descriptor.destination = words_q[63:32];
  assign descriptor.source      = words_q[31:0];

  // ------------------------------------------------------------ the check

  // Bits that are zero in an address, and in the length of a piece. Part of a beat of the
  // stream must not wait inside when the stream changes.
  localparam logic [1:0]  PlaceMask = (ByteAlignment != 0) ? 2'd0 : 2'd3;
  localparam logic [31:0] PieceMask = (ByteAlignment != 0 && Streams == 1) ? 32'd0 :
                                      32'(StreamWidth / 8) - 32'd1;

  logic [32:0] source_end, destination_end;
  logic        read_possible, write_possible, piece_possible, stream_possible;

  always_comb begin
    source_end      = {1'b0, descriptor.source} + {1'b0, descriptor.length};
    destination_end = {1'b0, descriptor.destination} + {1'b0, descriptor.length};
    read_possible   = ((descriptor.source[1:0] & PlaceMask) == '0) &&
                      (source_end <= 33'h1_0000_0000);
    write_possible  = ((descriptor.destination[1:0] & PlaceMask) == '0) &&
                      (destination_end <= 33'h1_0000_0000);
    piece_possible  = descriptor.flags.message_end || ((descriptor.length & PieceMask) == '0);
    stream_possible = 32'(asked_q) < Streams;
    possible        = stream_possible && (read_possible || !descriptor.flags.read) &&
                      (write_possible || !descriptor.flags.write) &&
                      (piece_possible || !(descriptor.flags.read || descriptor.flags.write));
  end

  // ------------------------------------------------------------ the state

  assign ready_o         = (state_q == StateIdle) && !halt_i;
  assign busy_error_o    = (transfer_i || chain_i) && !ready_o;
  assign fetch_valid_o   = state_q == StateFetch;
  assign fetch_address_o = {next, 5'd0};
  assign may_begin       = (asked_q == stream_q) || settled_i;
  assign valid_o         = (state_q == StateGive) && possible && may_begin && !halt_i;
  assign descriptor_o    = descriptor;
  assign invalid_o       = (state_q == StateInvalid) && drained_i;
  assign fetch_error_o   = (state_q == StateError) && drained_i;
  assign origin_o        = origin_q;
  assign stream_o        = stream_q;

  always_comb begin
    state_d  = state_q;
    origin_d = origin_q;
    asked_d  = asked_q;
    stream_d = stream_q;
    words_d  = words_q;
    index_d  = index_q;
    failed_d = failed_q;

    unique case (state_q)
      StateIdle: begin
        if (transfer_i) begin
          origin_d = descriptor_i.origin;
          asked_d  = stream_i;
          words_d  = {27'd0, descriptor_i.flags, descriptor_i.length, descriptor_i.destination,
                      descriptor_i.source};
          state_d  = StateGive;
        end else if (chain_i) begin
          origin_d         = '{address: chain_address_i[31:5], registers: 1'b0};
          asked_d          = stream_i;
          words_d[127:101] = chain_address_i[31:5];
          state_d          = (chain_address_i[4:0] == '0) ? StateFetch : StateInvalid;
        end
      end

      StateFetch: begin
        index_d  = '0;
        failed_d = 1'b0;
        origin_d = '{address: next, registers: 1'b0};
        if (fetch_ready_i) begin
          state_d = StateGather;
        end
      end

      StateGather: begin
        if (fetched_valid_i) begin
          words_d[32 * BeatWords * 32'(index_q) +: 32 * BeatWords] =
              fetched_data_i[32*BeatWords-1:0];
          index_d  = index_q + 1'b1;
          failed_d = failed_q || fetched_error_i;
          if (fetched_last_i) begin
            state_d = failed_d ? StateError : StateGive;
          end
        end
      end

      StateGive: begin
        if (!possible) begin
          state_d = StateInvalid;
        end else if (valid_o && ready_i) begin
          stream_d = asked_q;
          state_d  = descriptor.flags.stop ? StateIdle : StateFetch;
        end
      end

      StateInvalid, StateError: state_d = state_q;

      default: state_d = StateIdle;
    endcase

    if (halt_i) begin
      state_d = StateIdle;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q  <= StateIdle;
      origin_q <= '0;
      asked_q  <= '0;
      stream_q <= '0;
      words_q  <= '0;
      index_q  <= '0;
      failed_q <= 1'b0;
    end else begin
      state_q  <= state_d;
      origin_q <= origin_d;
      asked_q  <= asked_d;
      stream_q <= stream_d;
      words_q  <= words_d;
      index_q  <= index_d;
      failed_q <= failed_d;
    end
  end

  if (DataWidth > 128) begin : gen_unused
    logic unused_data;
    assign unused_data = ^fetched_data_i[DataWidth-1:128];
  end

endmodule

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Sends a reply frame: mark, sequence number, status, length, payload and checksum. start_i
// begins it; the header's inputs must hold until done_o, which is high for one cycle when the
// transmitter has taken the last byte. The payload is read from address 0 on, in the cycle of
// its address.
module uart_frame_sender (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              start_i,
  output logic              done_o,
  input  logic [7:0]        sequence_i,
  input  uart_pkg::status_e status_i,
  input  logic [7:0]        length_i,
  output logic [7:0]        read_address_o,
  input  logic [7:0]        read_data_i,
  output logic              byte_valid_o,
  input  logic              byte_ready_i,
  output logic [7:0]        byte_o
);

  typedef enum logic [2:0] {
    StateIdle,
    StateMark,
    StateSequence,
    StateStatus,
    StateLength,
    StatePayload,
    StateCrcHigh,
    StateCrcLow
  } state_e;

  state_e      state_d, state_q;
  logic [7:0]  index_d, index_q;
  logic [15:0] crc_d, crc_q;

  always_comb begin
    state_d = state_q;
    index_d = index_q;
    crc_d   = crc_q;
    byte_o  = '0;
    done_o  = 1'b0;
    unique case (state_q)
      StateIdle: begin
        index_d = '0;
        crc_d   = '1;
        if (start_i) state_d = StateMark;
      end
      StateMark: begin
        byte_o = uart_pkg::ReplyMark;
        if (byte_ready_i) state_d = StateSequence;
      end
      StateSequence: begin
        byte_o = sequence_i;
        if (byte_ready_i) state_d = StateStatus;
      end
      StateStatus: begin
        byte_o = status_i;
        if (byte_ready_i) state_d = StateLength;
      end
      StateLength: begin
        byte_o = length_i;
        if (byte_ready_i) state_d = (length_i == '0) ? StateCrcHigh : StatePayload;
      end
      StatePayload: begin
        byte_o = read_data_i;
        if (byte_ready_i) begin
          index_d = index_q + 8'd1;
          if (index_d == length_i) state_d = StateCrcHigh;
        end
      end
      StateCrcHigh: begin
        byte_o = crc_q[15:8];
        if (byte_ready_i) state_d = StateCrcLow;
      end
      StateCrcLow: begin
        byte_o = crc_q[7:0];
        done_o = byte_ready_i;
        if (byte_ready_i) state_d = StateIdle;
      end
      default: state_d = StateIdle;
    endcase
    if (byte_ready_i &&
        state_q inside {StateSequence, StateStatus, StateLength, StatePayload}) begin
      crc_d = uart_pkg::crc_next(crc_q, byte_o);
    end
  end

  assign byte_valid_o   = state_q != StateIdle;
  assign read_address_o = index_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StateIdle;
      index_q <= '0;
      crc_q   <= '1;
    end else begin
      state_q <= state_d;
      index_q <= index_d;
      crc_q   <= crc_d;
    end
  end

endmodule

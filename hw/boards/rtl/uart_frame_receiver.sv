// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Finds request frames among the bytes of a serial line, writes their payload into a buffer and
// checks them. request_valid_o is high for one cycle when a frame has ended, well or not:
// fault_o is StatusDone, or what is wrong with it. sequence_o, operation_o and length_o hold
// from then on while enable_i is low.
//
// Bytes that come while enable_i is low, and bytes in front of a mark, are ignored. A payload
// that is too long is received to its end, so that its bytes are not read as frames.
module uart_frame_receiver #(
  parameter int unsigned TimeoutCycles = 1 << 22 // between two bytes of a frame
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               enable_i,
  input  logic               byte_valid_i,
  input  logic [7:0]         byte_i,
  input  logic               byte_bad_i,
  output logic               write_o,
  output logic [7:0]         write_address_o,
  output logic [7:0]         write_data_o,
  output logic               request_valid_o,
  output uart_pkg::status_e  fault_o,
  output logic [7:0]         sequence_o,
  output logic [7:0]         operation_o,
  output logic [7:0]         length_o
);

  if (TimeoutCycles < 2 || TimeoutCycles > 32'h3FFF_FFFF) begin : gen_bad_timeout
    $fatal(1, "uart_frame_receiver: TimeoutCycles must be 2 to 2^30 - 1");
  end

  localparam int unsigned TimerWidth = $clog2(TimeoutCycles + 1);
  localparam logic [TimerWidth-1:0] Timeout = TimerWidth'(TimeoutCycles);

  typedef enum logic [2:0] {
    StateMark,
    StateSequence,
    StateOperation,
    StateLength,
    StatePayload,
    StateCrcHigh,
    StateCrcLow
  } state_e;

  state_e                state_d, state_q;
  logic [TimerWidth-1:0] timer_d, timer_q;
  logic [7:0]            sequence_d, sequence_q;
  logic [7:0]            operation_d, operation_q;
  logic [7:0]            length_d, length_q;
  logic [7:0]            index_d, index_q;
  logic [15:0]           crc_d, crc_q, crc;
  logic                  bad_d, bad_q;
  logic                  late;

  assign crc  = uart_pkg::crc_next(crc_q, byte_i);
  assign late = state_q != StateMark && timer_q == '0;

  always_comb begin
    state_d         = state_q;
    timer_d         = timer_q - TimerWidth'(1);
    sequence_d      = sequence_q;
    operation_d     = operation_q;
    length_d        = length_q;
    index_d         = index_q;
    crc_d           = crc_q;
    bad_d           = bad_q;
    write_o         = 1'b0;
    request_valid_o = 1'b0;
    fault_o         = uart_pkg::StatusDone;
    if (!enable_i) begin
      state_d = StateMark;
    end else if (byte_valid_i) begin
      timer_d = Timeout;
      crc_d   = crc;
      bad_d   = bad_q || byte_bad_i;
      unique case (state_q)
        StateMark: begin
          crc_d   = '1;
          bad_d   = 1'b0;
          index_d = '0;
          if (byte_i == uart_pkg::RequestMark && !byte_bad_i) begin
            state_d     = StateSequence;
            sequence_d  = '0;
            operation_d = '0;
            length_d    = '0;
          end
        end
        StateSequence: begin
          sequence_d = byte_i;
          state_d    = StateOperation;
        end
        StateOperation: begin
          operation_d = byte_i;
          state_d     = StateLength;
        end
        StateLength: begin
          length_d = byte_i;
          state_d  = (byte_i == '0) ? StateCrcHigh : StatePayload;
        end
        StatePayload: begin
          write_o = index_q < uart_pkg::MaxBytes;
          index_d = index_q + 8'd1;
          if (index_d == length_q) state_d = StateCrcHigh;
        end
        StateCrcHigh: state_d = StateCrcLow;
        StateCrcLow: begin
          state_d         = StateMark;
          request_valid_o = 1'b1;
          if (bad_d || crc != '0) begin
            fault_o = uart_pkg::StatusDamaged;
          end else if (length_q > uart_pkg::MaxBytes) begin
            fault_o = uart_pkg::StatusLength;
          end
        end
        default: state_d = StateMark;
      endcase
    end else if (late) begin
      state_d         = StateMark;
      request_valid_o = 1'b1;
      fault_o         = uart_pkg::StatusLate;
    end
  end

  assign write_address_o = index_q;
  assign write_data_o    = byte_i;
  assign sequence_o      = sequence_q;
  assign operation_o     = operation_q;
  assign length_o        = length_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q     <= StateMark;
      timer_q     <= '0;
      sequence_q  <= '0;
      operation_q <= '0;
      length_q    <= '0;
      index_q     <= '0;
      crc_q       <= '0;
      bad_q       <= 1'b0;
    end else begin
      state_q     <= state_d;
      timer_q     <= timer_d;
      sequence_q  <= sequence_d;
      operation_q <= operation_d;
      length_q    <= length_d;
      index_q     <= index_d;
      crc_q       <= crc_d;
      bad_q       <= bad_d;
    end
  end

endmodule

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Receives bytes from a serial line: one start bit, eight data bits, least significant first,
// one stop bit, no parity. It samples each bit once, in its middle, and tolerates clocks that
// differ by 3 %. A start bit that is gone after half its time is ignored.
//
// valid_o is high for one cycle with a byte; bad_o tells then that the stop bit was missing.
// After such a byte it waits until the line is high again. There is no flow control: nothing
// can make the sender wait.
module uart_receiver #(
  parameter int unsigned ClocksPerBit = 25 // 8 to 65,535
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       rx_i,
  output logic       valid_o,
  output logic [7:0] data_o,
  output logic       bad_o
);

  if (ClocksPerBit < 8 || ClocksPerBit > 65535) begin : gen_bad_clocks
    $fatal(1, "uart_receiver: ClocksPerBit must be 8 to 65535");
  end

  localparam logic [15:0] Bit  = 16'(ClocksPerBit - 1);
  localparam logic [15:0] Half = 16'(ClocksPerBit / 2 - 1);

  typedef enum logic [2:0] {
    StateIdle,
    StateStart,
    StateData,
    StateStop,
    StateBreak // the stop bit was missing
  } state_e;

  state_e      state_d, state_q;
  logic [15:0] timer_d, timer_q;
  logic [2:0]  index_d, index_q;
  logic [7:0]  data_d, data_q;
  logic        line;

  prim_synchroniser #(
    .Width      (1),
    .ResetValue (1'b1)
  ) u_line (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .data_i (rx_i),
    .data_o (line)
  );

  always_comb begin
    state_d = state_q;
    timer_d = timer_q - 16'd1;
    index_d = index_q;
    data_d  = data_q;
    unique case (state_q)
      StateIdle: begin
        timer_d = Half;
        index_d = '0;
        data_d  = '0;
        if (!line) state_d = StateStart;
      end
      StateStart: begin
        if (timer_q == '0) begin
          timer_d = Bit;
          state_d = line ? StateIdle : StateData;
        end
      end
      StateData: begin
        if (timer_q == '0) begin
          timer_d = Bit;
          index_d = index_q + 3'd1;
          data_d  = {line, data_q[7:1]};
          if (index_q == 3'd7) state_d = StateStop;
        end
      end
      StateStop: begin
        if (timer_q == '0) state_d = line ? StateIdle : StateBreak;
      end
      StateBreak: begin
        if (line) state_d = StateIdle;
      end
      default: state_d = StateIdle;
    endcase
  end

  assign valid_o = state_q == StateStop && timer_q == '0;
  assign data_o  = data_q;
  assign bad_o   = !line;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StateIdle;
      timer_q <= '0;
      index_q <= '0;
      data_q  <= '0;
    end else begin
      state_q <= state_d;
      timer_q <= timer_d;
      index_q <= index_d;
      data_q  <= data_d;
    end
  end

endmodule

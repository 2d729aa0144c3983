// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// System registers: console, end of the run, timer, interrupts, and the counters
// of a measured region. Every access takes one cycle. The map is soc_system.rdl.
//
// console_valid_o and finish_valid_o are high for the cycle after the write.
module soc_system
  import soc_pkg::*;
  import soc_system_registers_pkg::*;
(
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  request_t              request_i,
  output response_t             response_o,
  input  logic [Interrupts-1:1] interrupt_i,   // of the peripherals; bit 0 is the timer, inside
  output logic [Interrupts-1:0] interrupt_o,   // pending and enabled
  input  logic                  waiting_i,
  input  logic                  computing_i,
  input  logic                  retired_i,
  input  logic                  transfer_i,
  input  logic                  beat_i,
  output logic                  console_valid_o,
  output logic [7:0]            console_o,
  output logic                  finish_valid_o,
  output logic [31:0]           finish_o
);

  logic [7:0]            offset;
  logic                  write, measure_write;
  logic [63:0]           timer_q;
  logic [31:0]           compare_q;
  logic [Interrupts-1:0] enable_q, pending;
  logic                  armed_q, measuring_q, idle_q;
  logic [63:0]           counters [6];

  assign offset        = {request_i.address[7:2], 2'b00};
  assign write         = request_i.valid && request_i.write;
  assign measure_write = write && (offset == MeasureOffset);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      timer_q         <= '0;
      compare_q       <= '0;
      armed_q         <= 1'b0;
      enable_q        <= '0;
      measuring_q     <= 1'b0;
      idle_q          <= 1'b0;
      console_valid_o <= 1'b0;
      console_o       <= '0;
      finish_valid_o  <= 1'b0;
      finish_o        <= '0;
    end else begin
      timer_q         <= timer_q + 64'd1;
      console_valid_o <= write && (offset == ConsoleOffset);
      finish_valid_o  <= write && (offset == FinishOffset);
      if (write) begin
        unique case (offset)
          ConsoleOffset:
            console_o <= request_i.wdata[ConsoleCharacterLsb+:ConsoleCharacterWidth];
          FinishOffset:          finish_o <= request_i.wdata;
          InterruptEnableOffset: enable_q <= request_i.wdata[Interrupts-1:0];
          MeasureOffset:         measuring_q <= request_i.wdata[MeasureRunLsb];
          IdleOffset:            idle_q <= request_i.wdata[IdleIdleLsb];
          TimerCompareOffset: begin
            compare_q <= request_i.wdata;
            armed_q   <= 1'b1;
          end
          InterruptPendingOffset: if (request_i.wdata[InterruptTimer]) armed_q <= 1'b0;
          default: ;
        endcase
      end
    end
  end

  function automatic logic is_negative(logic signed [31:0] value);
    return value < 0;
  endfunction

  // Pending from the cycle in which the timer reaches the comparison value, for half of the
  // range of the low word.
  assign pending     = {interrupt_i, armed_q && !is_negative(timer_q[31:0] - compare_q)};
  assign interrupt_o = pending & enable_q;

  soc_counters u_counters (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .clear_i        (measure_write && request_i.wdata[0]),
    .run_i          (measuring_q),
    .waiting_i      (waiting_i || idle_q),
    .computing_i    (computing_i),
    .retired_i      (retired_i),
    .transfer_i     (transfer_i),
    .beat_i         (beat_i),
    .cycles_o       (counters[0]),
    .processor_o    (counters[1]),
    .bus_o          (counters[2]),
    .accelerator_o  (counters[3]),
    .instructions_o (counters[4]),
    .transactions_o (counters[5])
  );

  always_comb begin
    response_o.ready = request_i.valid;
    response_o.rdata = '0;
    unique case (offset)
      TimerLowOffset:         response_o.rdata = timer_q[31:0];
      TimerHighOffset:        response_o.rdata = timer_q[63:32];
      TimerCompareOffset:     response_o.rdata = compare_q;
      InterruptEnableOffset:  response_o.rdata = 32'(enable_q);
      InterruptPendingOffset: response_o.rdata = 32'(pending);
      MeasureOffset:          response_o.rdata = 32'(measuring_q);
      IdleOffset:             response_o.rdata = 32'(idle_q);
      default: begin
        for (int unsigned counter = 0; counter < 6; ++counter) begin
          if (offset[7:3] == CyclesLowOffset[7:3] + 5'(counter)) begin
            response_o.rdata = offset[2] ? counters[counter][63:32] : counters[counter][31:0];
          end
        end
      end
    endcase
  end

  logic unused_request;
  assign unused_request = ^{request_i.following, request_i.address[31:8], request_i.address[1:0],
                            request_i.wstrb};

endmodule

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Test benches only: a host that writes registers of the DMA engine and of the
// accelerator, one after the other, and takes the time of messages. It follows
// the steps in the file that the argument +steps=FILE names, one a line in
// hexadecimal: what to do (4 bits), an address (12 bits), a word (32 bits).
module dma_host #(
  parameter int unsigned DataWidth   = 32, // of what is measured, for the report
  parameter int unsigned StreamWidth = 128
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  output logic        ended_o,

  output logic [7:0]  latency_o,
  output logic        poke_o,
  output logic [11:0] poke_word_o,
  output logic [31:0] poke_data_o,
  input  logic        dma_busy_i,
  input  logic        accel_interrupt_i,
  input  logic [5:0]  written_i,

  // Both register buses share their payloads; BREADY is always high.
  output logic [7:0]  awaddr_o,
  output logic [31:0] wdata_o,
  output logic        dma_awvalid_o,
  input  logic        dma_awready_i,
  output logic        dma_wvalid_o,
  input  logic        dma_wready_i,
  input  logic        dma_bvalid_i,
  output logic        accel_awvalid_o,
  input  logic        accel_awready_i,
  output logic        accel_wvalid_o,
  input  logic        accel_wready_i,
  input  logic        accel_bvalid_i
);

  typedef enum logic [3:0] {
    StepEnd        = 4'd0,
    StepDma        = 4'd1, // write a register
    StepAccel      = 4'd2,
    StepWait       = 4'd3, // this many cycles
    StepLatency    = 4'd4, // of the memory
    StepPoke       = 4'd5, // a word of the memory
    StepBegin      = 4'd6, // the time starts
    StepUntilDma   = 4'd7, // it ends when the DMA engine has been busy and is not any more
    StepUntilAccel = 4'd8  // it ends with the accelerator's interrupt
  } step_e;

  typedef struct packed {
    step_e       what;
    logic [11:0] address;
    logic [31:0] word;
  } step_t;

  step_t       steps [8192];
  logic [12:0] at_q;
  step_t       step;
  logic        run_q, address_taken_q, data_taken_q, was_busy_q;
  logic        is_dma, is_accel, answered, is_end, over;
  logic [31:0] waited_q, cycles_q, written_q;

  initial begin
    string file;
    if (!$value$plusargs("steps=%s", file)) begin
      $fatal(1, "dma_host: +steps=FILE is missing");
    end
    $readmemh(file, steps);
  end

  assign step     = steps[at_q];
  assign is_dma   = run_q && step.what == StepDma;
  assign is_accel = run_q && step.what == StepAccel;
  assign answered = (is_dma && dma_bvalid_i) || (is_accel && accel_bvalid_i);

  assign awaddr_o        = step.address[7:0];
  assign wdata_o         = step.word;
  assign dma_awvalid_o   = is_dma && !address_taken_q;
  assign dma_wvalid_o    = is_dma && !data_taken_q;
  assign accel_awvalid_o = is_accel && !address_taken_q;
  assign accel_wvalid_o  = is_accel && !data_taken_q;

  assign poke_o      = run_q && step.what == StepPoke;
  assign poke_word_o = step.address;
  assign poke_data_o = step.word;

  assign is_end  = (step.what == StepUntilDma && was_busy_q && !dma_busy_i) ||
                   (step.what == StepUntilAccel && accel_interrupt_i);
  assign ended_o = run_q && step.what == StepEnd;

  always_comb begin
    unique case (step.what)
      StepEnd:                      over = 1'b0;
      StepDma, StepAccel:           over = answered;
      StepWait:                     over = waited_q == step.word;
      StepUntilDma, StepUntilAccel: over = is_end;
      default:                      over = 1'b1;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      run_q           <= 1'b0;
      at_q            <= '0;
      address_taken_q <= 1'b0;
      data_taken_q    <= 1'b0;
      was_busy_q      <= 1'b0;
      waited_q        <= '0;
      cycles_q        <= '0;
      written_q       <= '0;
      latency_o       <= 8'd1;
    end else begin
      run_q     <= 1'b1;
      at_q      <= at_q + 13'(run_q && over);
      waited_q  <= over ? '0 : waited_q + 1'b1;
      cycles_q  <= cycles_q + 1'b1;
      written_q <= written_q + 32'(written_i);
      if (answered) begin
        address_taken_q <= 1'b0;
        data_taken_q    <= 1'b0;
      end else begin
        address_taken_q <= address_taken_q || (dma_awvalid_o && dma_awready_i) ||
                           (accel_awvalid_o && accel_awready_i);
        data_taken_q    <= data_taken_q || (dma_wvalid_o && dma_wready_i) ||
                           (accel_wvalid_o && accel_wready_i);
      end
      was_busy_q <= was_busy_q || dma_busy_i;
      if (step.what == StepBegin) begin
        cycles_q   <= '0;
        written_q  <= '0;
        was_busy_q <= 1'b0;
      end
      if (step.what == StepLatency) begin
        latency_o <= step.word[7:0];
      end
      if (is_end) begin
        $display("message %0d of %0d/%0d: %0d cycles, %0d bytes written", step.word, DataWidth,
                 StreamWidth, cycles_q, written_q);
      end
    end
  end

endmodule

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: dma_intake passes every transfer on with the stream that stood at its
// command, or at the command of its chain, and never one with a stream that does not
// exist. The stream of the engine changes only with a transfer that is passed on, and only
// when nothing of those before is left inside.
//
// Nothing is assumed: commands, descriptors, halts and the state of the engine are free.
module dma_intake_formal
  import dma_pkg::*;
#(
  parameter int unsigned DataWidth = 64,
  parameter int unsigned Streams   = 5
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 halt_i,
  input logic                 transfer_i,
  input logic                 chain_i,
  input descriptor_t          descriptor_i,
  input logic [31:0]          chain_address_i,
  input stream_t              stream_i,
  input logic                 fetch_ready_i,
  input logic                 fetched_valid_i,
  input logic [DataWidth-1:0] fetched_data_i,
  input logic                 fetched_error_i,
  input logic                 fetched_last_i,
  input logic                 ready_i,
  input logic                 drained_i,
  input logic                 settled_i
);

  logic        ready, busy_error, fetch_valid, valid, invalid, fetch_error;
  logic [31:0] fetch_address;
  descriptor_t descriptor;
  stream_t     stream;
  origin_t     origin;

  dma_intake #(
    .DataWidth   (DataWidth),
    .StreamWidth (32),
    .Streams     (Streams)
  ) u_intake (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .halt_i          (halt_i),
    .transfer_i      (transfer_i),
    .chain_i         (chain_i),
    .descriptor_i    (descriptor_i),
    .chain_address_i (chain_address_i),
    .stream_i        (stream_i),
    .ready_o         (ready),
    .busy_error_o    (busy_error),
    .fetch_valid_o   (fetch_valid),
    .fetch_ready_i   (fetch_ready_i),
    .fetch_address_o (fetch_address),
    .fetched_valid_i (fetched_valid_i),
    .fetched_data_i  (fetched_data_i),
    .fetched_error_i (fetched_error_i),
    .fetched_last_i  (fetched_last_i),
    .valid_o         (valid),
    .ready_i         (ready_i),
    .descriptor_o    (descriptor),
    .drained_i       (drained_i),
    .settled_i       (settled_i),
    .stream_o        (stream),
    .invalid_o       (invalid),
    .fetch_error_o   (fetch_error),
    .origin_o        (origin)
  );

  formal_reset u_reset (
    .clk_i  (clk_i),
    .rst_ni (rst_ni)
  );

  // ------------------------------------------------------------ the model

  stream_t asked_q;   // of the last command that was taken
  stream_t engine_q;  // of the last transfer that was passed on
  logic    command, pass;

  assign command = (transfer_i || chain_i) && ready;
  assign pass    = valid && ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      asked_q  <= '0;
      engine_q <= '0;
    end else begin
      if (command) begin
        asked_q <= stream_i;
      end
      if (pass) begin
        engine_q <= asked_q;
      end
    end
  end

  // ------------------------------------------------------------ properties

  always_comb begin
    its_own_stream: assert (stream == engine_q);
    it_exists:      assert (32'(stream) < Streams);
    if (pass) begin
      passed_exists:   assert (32'(asked_q) < Streams);
      nothing_is_left: assert (asked_q == engine_q || settled_i);
      not_in_a_halt:   assert (!halt_i);
      another_stream:  cover (asked_q != engine_q && !descriptor.flags.stop);
    end
  end

  // ------------------------------------------------------------ invariants for the induction

  // In its idle state the module has no command.
  always_comb begin
    if (u_intake.state_q != '0) begin
      why_asked: assert (u_intake.asked_q == asked_q);
    end
    why_engine_exists: assert (32'(engine_q) < Streams);
  end

  logic unused_outputs;
  assign unused_outputs = ^{busy_error, fetch_valid, fetch_address, descriptor, invalid,
                            fetch_error, origin};

endmodule

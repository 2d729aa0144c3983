// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Writes the completions of a ring: takes the results of messages in order, waits until the
// output of each is in memory, and writes its entry with one burst. Several may be on their
// way; their answers count them.
//
// If the mover fails to write the output of a message, failed_o is high and failed_number_o
// that of the message, until the sequencer drops it and every message behind it (drop_i).
module card_completion
  import card_pkg::*;
#(
  parameter int unsigned DataWidth   = 128,
  parameter int unsigned Log2Entries = 10,
  localparam int unsigned Strobes = DataWidth / 8
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 clear_i,      // begin with entry 0; only while quiet_o
  output logic                 quiet_o,      // no write is outstanding

  input  logic [63:0]          base_i,
  input  logic [4:0]           log2_i,

  input  logic                 valid_i,
  output logic                 ready_o,
  input  result_t              result_i,
  output logic                 drained_o,    // every result is on its way to memory
  input  logic                 drop_i,

  // From the mover: the output of a message is in memory, high for a cycle; and the output of
  // the first message that is not cannot be written.
  input  logic                 written_i,
  input  logic                 write_failed_i,
  output logic                 failed_o,
  output number_t              failed_number_o,

  output number_t              complete_o,    // the messages before it need no descriptor
  output logic [31:0]          issued_o,      // completions that the host may see
  output logic [31:0]          completed_o,   // completions that are in memory
  output logic                 completed_pulse_o,
  output logic                 notify_o,      // with that: it asks for an interrupt
  output logic                 error_o,       // a completion could not be written

  output logic                 aw_valid_o,
  input  logic                 aw_ready_i,
  output logic [63:0]          aw_address_o,
  output logic [7:0]           aw_beats_o,    // minus one
  output logic                 w_valid_o,
  input  logic                 w_ready_i,
  output logic [DataWidth-1:0] w_data_o,
  output logic [Strobes-1:0]   w_strobes_o,
  output logic                 w_last_o,
  input  logic                 b_valid_i,
  input  logic                 b_error_i
);

  localparam int unsigned Beats    = 8 * CompletionBytes / DataWidth;
  localparam int unsigned BeatBits = (Beats > 1) ? $clog2(Beats) : 1;

  // ------------------------------------------------------------ results

  logic    queue_busy, queue_valid, queue_taken;
  result_t queued;

  prim_fifo #(
    .Width ($bits(result_t)),
    .Depth (4)
  ) u_queue (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (drop_i),
    .busy_o  (queue_busy),
    .valid_i (valid_i),
    .ready_o (ready_o),
    .data_i  (result_i),
    .valid_o (queue_valid),
    .ready_i (queue_taken),
    .data_o  (queued)
  );

  // ------------------------------------------------------------ outputs in memory

  number_t written_q; // messages whose output is in memory, and that wait in the queue
  logic    must_wait;

  assign must_wait       = queued.writes && written_q == '0;
  assign failed_o        = queue_valid && must_wait && write_failed_i;
  assign failed_number_o = queued.number;

  // ------------------------------------------------------------ an entry

  logic                free, leaves;
  logic                address_q, data_q;  // still to be sent
  logic [BeatBits-1:0] beat_q;
  logic [63:0]         entry_address_q;
  logic [255:0]        entry_q;
  logic [31:0]         issued_q, completed_q, place;
  number_t             complete_q, outstanding_q;
  logic [255:0]        entry;
  logic                room;
  logic [Slots-1:0]    notify_q;           // one bit for each outstanding completion
  logic                done;

  assign room          = outstanding_q < number_t'(Slots);
  assign free          = (!address_q || aw_ready_i) && (!data_q || leaves) && room;
  assign queue_taken   = queue_valid && !must_wait && free;
  assign place         = issued_q & ~(32'hFFFF_FFFF << log2_i);
  assign drained_o     = !queue_valid && !queue_busy;

  always_comb begin
    entry          = '0;
    entry[63:0]    = queued.cookie;
    entry[71:64]   = queued.status[7:0];
    entry[79:72]   = queued.status.error;
    entry[83:80]   = queued.status.outcome;
    entry[95]      = !issued_q[log2_i];
    entry[127:96]  = queued.count;
    entry[255:128] = queued.tag;
  end

  assign aw_valid_o   = address_q;
  assign aw_address_o = entry_address_q;
  assign aw_beats_o   = 8'(Beats - 1);
  assign w_valid_o    = data_q;
  assign w_data_o     = entry_q[DataWidth-1:0];
  assign w_strobes_o  = '1;
  assign w_last_o     = beat_q == BeatBits'(Beats - 1);
  assign leaves       = w_valid_o && w_ready_i && w_last_o;

  assign done              = b_valid_i;
  assign quiet_o           = outstanding_q == '0 && !address_q && !data_q;
  assign complete_o        = complete_q;
  assign issued_o          = issued_q;
  assign completed_o       = completed_q;
  assign completed_pulse_o = done && !b_error_i;
  assign error_o           = done && b_error_i;
  assign notify_o          = notify_q[completed_q[SlotBits-1:0]];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      written_q        <= '0;
      address_q        <= 1'b0;
      data_q           <= 1'b0;
      beat_q           <= '0;
      entry_address_q  <= '0;
      entry_q          <= '0;
      issued_q         <= '0;
      completed_q      <= '0;
      complete_q       <= '0;
      outstanding_q    <= '0;
      notify_q         <= '0;
    end else begin
      written_q <= drop_i ? '0
                 : written_q + number_t'(written_i) - number_t'(queue_taken && queued.writes);

      if (address_q && aw_ready_i) begin
        address_q <= 1'b0;
      end
      if (w_valid_o && w_ready_i) begin
        beat_q  <= w_last_o ? '0 : beat_q + 1'b1;
        entry_q <= entry_q >> DataWidth;
        data_q  <= !w_last_o;
      end
      if (queue_taken) begin
        address_q                        <= 1'b1;
        data_q                           <= 1'b1;
        entry_q                          <= entry;
        entry_address_q                  <= base_i + 64'({place[Log2Entries-1:0], 5'd0});
        issued_q                         <= issued_q + 32'd1;
        complete_q                       <= complete_q + 1'b1;
        notify_q[issued_q[SlotBits-1:0]] <= queued.notify;
      end
      outstanding_q <= outstanding_q + number_t'(queue_taken) - number_t'(done);
      completed_q   <= completed_q + 32'(completed_pulse_o);

      if (clear_i) begin
        written_q   <= '0;
        issued_q    <= '0;
        completed_q <= '0;
        complete_q  <= '0;
      end
    end
  end

  logic unused;
  assign unused = ^{place, queued.number, queued.writes};

endmodule

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Runs the messages of a ring in its channel, one after the other: loads the key of the slot
// if another one stands in the channel, writes the registers that differ from the message
// before, starts, waits for the channel's interrupt, and reads the status. The tag is read
// while the next message is set up; its start waits for that.
//
// A message that fails waits until those before it are complete. Then everything behind is
// dropped (flush): mover, pieces and channel. Its result is given, and the ring goes on with
// the next message, whose data are read again. If the output of a message cannot be written,
// those that have started since fail too: they may have overwritten their own source. A stop
// drops all messages.
module card_sequencer
  import card_pkg::*;
#(
  parameter int unsigned Core       = accel_pkg::CoreAes, // of the channel
  parameter int unsigned HangCycles = 1 << 24
) (
  input  logic           clk_i,
  input  logic           rst_ni,
  input  logic           begin_i,        // the ring is enabled: begin with message 0
  input  logic           run_i,
  input  logic           stop_i,         // held until stopped_o
  output logic           stopped_o,      // high for a cycle
  output logic           waking_o,       // the channel is still clearing itself after reset
  output logic           fetch_error_o,  // each high for a cycle
  output logic           hang_o,

  // Descriptors.
  input  number_t        arrived_i,
  input  logic           fetch_failed_i,
  input  logic           fetch_quiet_i,
  output number_t        number_o,
  output logic [3:0]     word_o,
  input  logic [31:0]    word_i,

  // Keys.
  output logic           lock_o,
  input  logic           lock_ready_i,
  output logic [7:0]     slot_o,
  output logic           slot_tweak_o,
  output logic [2:0]     slot_word_o,
  input  logic [31:0]    slot_data_i,
  input  logic           slot_held_i,
  input  logic           slot_tweak_held_i,
  input  logic [1:0]     slot_size_i,
  input  logic           changed_i,
  input  logic [7:0]     changed_slot_i,
  input  logic           forget_i,
  output logic           forgotten_o,

  // Registers of the channel; a request holds until it is ready, which ends the access.
  output logic           write_valid_o,
  input  logic           write_ready_i,
  output logic [7:0]     write_address_o,
  output logic [31:0]    write_data_o,
  output logic           read_valid_o,
  input  logic           read_ready_i,
  output logic [7:0]     read_address_o,
  input  logic [31:0]    read_data_i,
  input  logic           interrupt_i,

  // Data.
  output logic           flush_o,        // drop everything
  output logic           flush_begins_o, // its first cycle
  output number_t        restart_o,      // the message after it
  input  logic           quiet_i,        // nothing is outstanding
  input  logic           pieces_error_i, // of the message with a number
  input  logic           pieces_list_i,  // its list is wrong, not a read
  input  number_t        pieces_number_i,
  input  logic           destination_error_i,
  input  logic           destination_list_i,
  input  number_t        destination_number_i,
  input  logic           read_error_i,
  input  number_t        read_number_i,
  input  logic           write_error_i,
  input  number_t        write_number_i,
  output logic           open_o,         // the message's data may pass
  output logic [1:0]     packets_o,
  output logic [31:0]    bytes_o,
  input  logic           input_done_i,
  input  logic           output_done_i,
  input  logic           mismatch_i,

  // Results.
  output logic           result_valid_o,
  input  logic           result_ready_i,
  output result_t        result_o,
  input  logic           drained_i,      // all before are complete or fail below
  input  logic           written_quiet_i, // no completion is on its way
  input  logic           failed_i,       // a message's output could not be written
  input  number_t        failed_number_i
);

  import accel_pkg::*;

  localparam int unsigned HangBits = $clog2(HangCycles + 1);

  typedef enum logic [4:0] {
    StateWake,          // after reset: wait until the channel is clear
    StateIdle,
    StateConfiguration, // read the words of the descriptor that decide
    StateFlags,
    StateOutput,
    StateCheck,
    StateSetUp,         // write the registers
    StateCookieLow,
    StateCookieHigh,
    StateRun,
    StateStatus,
    StateError,
    StateDrain,         // a message has failed: those before it complete
    StateFlush,         // the first cycle of a flush
    StateAbort,
    StateSettle,        // poll until the channel has aborted
    StateQuiet,
    StateFailFlags,     // a message that failed: what its completion needs
    StateFailLow,
    StateFailHigh,
    StateFail,
    StateZeroise,
    StateZeroising
  } state_e;

  state_e      state_q;
  number_t     number_q;            // the message under way, or the next one
  number_t     failed_q;            // after a flush: the next message to fail, up to number_q
  todo_t       todo_q, todo_next;
  do_e         now;
  logic        doing;               // something is to be written
  logic [31:0] configuration_q, output_q;
  logic [7:0]  slot_q;
  logic        notify_q, tag_packet_q;
  logic        associated_q, text_q; // there is such a packet
  logic [63:0] cookie_q;
  logic [7:0]  standing_q, tweak_standing_q; // slots whose keys are in the channel; 0: none
  logic [2:0]  key_word_q;
  logic        load_key_q;          // with the start
  logic        pending_q;           // wait until the channel has taken the tweak key
  logic        opened_q;
  logic [31:0] written_configuration_q, written_length_q, written_associated_q;
  logic        written_q;           // these are in the channel's registers
  result_t     result_q;
  logic        result_valid_q, tagging_q;
  logic [1:0]  tag_word_q;
  logic        stopping_q;          // the flush is that of a stop
  status_t     failure_q;
  logic [HangBits-1:0] hang_q;

  // ------------------------------------------------------------ what the message is

  logic        is_xts, needs_iv, is_gcm, has_tag, bad_key, load_key, load_tweak;
  logic        takes_associated, takes_tag, bad_packets;
  logic [2:0]  last_key_word;
  logic [31:0] configuration;

  card_message #(
    .Core (Core)
  ) u_message (
    .configuration_i    (configuration_q),
    .slot_i             (slot_q),
    .slot_held_i        (slot_held_i),
    .slot_tweak_held_i  (slot_tweak_held_i),
    .slot_size_i        (slot_size_i),
    .standing_i         (standing_q),
    .tweak_standing_i   (tweak_standing_q),
    .configuration_o    (configuration),
    .last_key_word_o    (last_key_word),
    .is_gcm_o           (is_gcm),
    .is_xts_o           (is_xts),
    .needs_iv_o         (needs_iv),
    .has_tag_o          (has_tag),
    .takes_associated_o (takes_associated),
    .takes_tag_o        (takes_tag),
    .bad_key_o          (bad_key),
    .load_key_o         (load_key),
    .load_tweak_o       (load_tweak)
  );

  // A packet that the accelerator does not take would become data of the next message.
  assign bad_packets = state_q == StateSetUp && now == DoStart && doing &&
                       ((associated_q && !takes_associated) || (tag_packet_q && !takes_tag));

  // ------------------------------------------------------------ writes

  logic held_up, same, write_ends, step_ends, read_ends, boundary;

  logic [3:0] setup_word; // the word of the descriptor that the write needs

  card_register_write u_register_write (
    .todo_i          (todo_q),
    .configuration_i (configuration),
    .key_word_i      (key_word_q),
    .load_key_i      (load_key_q),
    .slot_data_i     (slot_data_i),
    .word_i          (word_i),
    .doing_o         (doing),
    .now_o           (now),
    .word_o          (setup_word),
    .address_o       (write_address_o),
    .data_o          (write_data_o)
  );

  // A start waits until the message before has given its tag and its result.
  assign held_up = pending_q || bad_packets || (now == DoStart && (tagging_q || result_valid_q));
  assign same    = written_q && ((now == DoConfiguration && configuration == written_configuration_q) ||
                                 (now == DoLength && word_i == written_length_q) ||
                                 (now == DoAssociated && word_i == written_associated_q));

  assign write_valid_o = doing && !held_up && !same;
  assign write_ends    = write_valid_o && write_ready_i;
  assign step_ends     = (doing && !held_up && same) ||
                         (write_ends && (!(now inside {DoTweak, DoKey}) ||
                                         key_word_q == last_key_word));

  always_comb begin
    unique case (state_q)
      StateFlags, StateFailFlags:     word_o = WordFlags;
      StateOutput:                    word_o = WordOutput;
      StateCookieLow, StateFailLow:   word_o = WordCookie;
      StateCookieHigh, StateFailHigh: word_o = WordCookie + 4'd1;
      StateSetUp:                     word_o = setup_word;
      default:                        word_o = WordConfiguration;
    endcase
  end

  assign number_o     = (state_q inside {StateFailFlags, StateFailLow, StateFailHigh})
                        ? failed_q : number_q;
  assign slot_o       = slot_q;
  assign slot_tweak_o = now == DoTweak;
  assign slot_word_o  = key_word_q;
  assign lock_o       = state_q inside {StateCheck, StateSetUp};

  assign open_o    = state_q == StateSetUp && now == DoStart && doing && !held_up && !opened_q;
  assign packets_o = 2'(associated_q) + 2'(text_q) + 2'(tag_packet_q);
  assign bytes_o   = output_q;

  // ------------------------------------------------------------ reads

  logic main_reads;

  assign main_reads     = (state_q inside {StateWake, StateStatus, StateError, StateSettle,
                                           StateZeroising} && !doing) ||
                          (state_q == StateStatus) || pending_q;
  assign read_valid_o   = tagging_q || main_reads;
  assign read_address_o = tagging_q ? ChannelTag + 8'({tag_word_q, 2'd0}) :
                          (state_q == StateError) ? ChannelError : ChannelStatus;
  assign read_ends      = read_valid_o && read_ready_i;

  // Nothing is under way on the registers.
  assign boundary = (!write_valid_o || write_ready_i) && (!read_valid_o || read_ready_i);

  // ------------------------------------------------------------ failures

  logic    fails, must_flush, is_normal;
  logic    started; // the message under way may have written output
  status_t failure;

  always_comb begin
    failure = '0;
    if (pieces_error_i && pieces_number_i == number_q) begin
      failure.list = pieces_list_i;
      failure.read = !pieces_list_i;
    end
    if (destination_error_i && destination_number_i == number_q) begin
      failure.list = failure.list || destination_list_i;
      failure.read = failure.read || !destination_list_i;
    end
    if (read_error_i && read_number_i == number_q) begin
      failure.read = 1'b1;
    end
    if (write_error_i && write_number_i == number_q) begin
      failure.write = 1'b1;
    end
    failure.lengths = mismatch_i;
  end

  assign fails      = failure != '0;
  assign is_normal  = !(state_q inside {StateWake, StateFlush, StateAbort, StateSettle, StateQuiet,
                                        StateFailFlags, StateFailLow, StateFailHigh, StateFail,
                                        StateZeroise, StateZeroising});
  assign started    = opened_q && (state_q inside {StateSetUp, StateCookieLow, StateCookieHigh,
                                                   StateRun, StateStatus, StateError, StateDrain});
  assign must_flush = is_normal && (stop_i || failed_i) && boundary;

  assign flush_o        = state_q inside {StateFlush, StateAbort, StateSettle, StateQuiet};
  assign flush_begins_o = state_q == StateFlush;
  assign restart_o      = number_q;
  assign waking_o       = state_q == StateWake;
  assign fetch_error_o  = state_q == StateIdle && run_i && !stop_i && number_q == arrived_i &&
                          fetch_failed_i && !result_valid_q && !tagging_q && drained_i &&
                          written_quiet_i;
  assign hang_o         = state_q == StateRun && hang_q == HangBits'(HangCycles);

  logic quiet;

  assign quiet = quiet_i && !doing && (!stopping_q || (fetch_quiet_i && written_quiet_i));

  assign stopped_o   = state_q == StateQuiet && quiet && stopping_q;
  assign forgotten_o = state_q == StateZeroising && read_ends && !read_data_i[StatusZeroising];

  assign result_valid_o = result_valid_q;
  assign result_o       = result_q;

  // ------------------------------------------------------------ the sequence

  always_comb begin
    todo_next = todo_q;
    if (step_ends) begin
      todo_next[now] = 1'b0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q                 <= StateWake;
      number_q                <= '0;
      todo_q                  <= bit_of(DoEnable);
      configuration_q         <= '0;
      output_q                <= '0;
      slot_q                  <= '0;
      notify_q                <= 1'b0;
      tag_packet_q            <= 1'b0;
      associated_q            <= 1'b0;
      text_q                  <= 1'b0;
      cookie_q                <= '0;
      standing_q              <= '0;
      tweak_standing_q        <= '0;
      key_word_q              <= '0;
      load_key_q              <= 1'b0;
      pending_q               <= 1'b0;
      opened_q                <= 1'b0;
      written_configuration_q <= '0;
      written_length_q        <= '0;
      written_associated_q    <= '0;
      written_q               <= 1'b0;
      result_q                <= '0;
      result_valid_q          <= 1'b0;
      tagging_q               <= 1'b0;
      tag_word_q              <= '0;
      stopping_q              <= 1'b0;
      failed_q                <= '0;
      failure_q               <= '0;
      hang_q                  <= '0;
    end else begin
      todo_q <= todo_next;

      // ---------------------------------- writes
      if (write_ends) begin
        unique case (now)
          DoTweak, DoKey:  key_word_q <= step_ends ? '0 : key_word_q + 3'd1;
          DoLoadTweak:     pending_q  <= 1'b1;
          DoConfiguration: written_configuration_q <= configuration;
          DoLength:        written_length_q <= word_i;
          DoAssociated:    written_associated_q <= word_i;
          default: ;
        endcase
      end
      if (step_ends && now == DoLength) begin
        text_q <= word_i != '0;
      end
      if (step_ends && now == DoAssociated) begin
        associated_q <= word_i != '0;
        written_q    <= 1'b1;
      end
      if (open_o) begin
        opened_q <= 1'b1;
      end

      // ---------------------------------- results
      if (tagging_q && read_ends) begin
        result_q.tag[32*tag_word_q +: 32] <= read_data_i;
        tag_word_q     <= tag_word_q + 2'd1;
        tagging_q      <= tag_word_q != 2'd3;
        result_valid_q <= tag_word_q == 2'd3;
      end
      if (result_valid_q && result_ready_i) begin
        result_valid_q <= 1'b0;
      end
      if (pending_q && !tagging_q && read_ends && !read_data_i[StatusKeyPending]) begin
        pending_q <= 1'b0;
      end

      hang_q <= (state_q == StateRun && input_done_i && output_done_i && !hang_o)
                ? hang_q + 1'b1 : '0;

      // ---------------------------------- states
      unique case (state_q)
        StateWake: begin
          if (read_ends && !read_data_i[StatusZeroising] && !doing && quiet_i) begin
            state_q <= StateIdle;
          end
        end

        StateIdle: begin
          if (forget_i) begin
            if (!doing && !tagging_q && !result_valid_q) begin
              state_q          <= StateZeroise;
              todo_q           <= bit_of(DoZeroise);
              standing_q       <= '0;
              tweak_standing_q <= '0;
            end
          end else if (run_i && number_q != arrived_i) begin
            state_q         <= StateFlags;
            configuration_q <= word_i;
          end
        end

        StateFlags: begin
          state_q      <= StateOutput;
          slot_q       <= word_i[FlagKeySlotLsb +: 8];
          notify_q     <= word_i[FlagInterrupt];
          tag_packet_q <= word_i[FlagTagPacket];
        end

        StateOutput: begin
          state_q  <= StateCheck;
          output_q <= word_i;
        end

        StateCheck: begin
          opened_q   <= 1'b0;
          load_key_q <= load_key;
          if (!lock_ready_i) begin
            state_q <= StateCheck;
          end else if (bad_key) begin
            state_q       <= StateDrain;
            failure_q     <= '0;
            failure_q.key <= 1'b1;
          end else begin
            state_q <= StateSetUp;
            todo_q  <= todo_next | bit_of(DoConfiguration) |
                       (load_tweak ? bit_of(DoTweak) | bit_of(DoLoadTweak) : '0) |
                       (load_key ? bit_of(DoKey) : '0) |
                       (needs_iv ? bit_of(DoIv0) | bit_of(DoIv1) | bit_of(DoIv2) : '0) |
                       ((needs_iv && !is_gcm) ? bit_of(DoIv3) : '0) |
                       bit_of(DoLength) | bit_of(DoAssociated) |
                       (is_xts ? bit_of(DoUnit) : '0) | bit_of(DoStart);
            key_word_q <= '0;
          end
        end

        StateSetUp: begin
          if (bad_packets) begin
            state_q           <= StateDrain;
            todo_q            <= '0;
            failure_q         <= '0;
            failure_q.lengths <= 1'b1;
          end
          if (write_ends && now == DoStart) begin
            state_q <= StateCookieLow;
            if (load_key_q) begin
              standing_q <= slot_q;
            end
          end
          if (write_ends && now == DoLoadTweak) begin
            tweak_standing_q <= slot_q;
          end
        end

        StateCookieLow: begin
          state_q        <= StateCookieHigh;
          cookie_q[31:0] <= word_i;
        end

        StateCookieHigh: begin
          state_q         <= StateRun;
          cookie_q[63:32] <= word_i;
        end

        StateRun: begin
          if (fails) begin
            state_q   <= StateDrain;
            failure_q <= failure;
          end else if (interrupt_i) begin
            state_q <= StateStatus;
            todo_q  <= bit_of(DoInterrupt);
          end
        end

        StateStatus: begin
          if (read_ends && !read_data_i[StatusBusy]) begin
            failure_q         <= '0;
            failure_q.forged  <= read_data_i[StatusForged];
            failure_q.outcome <= read_data_i[StatusOutcomeLsb +: 4];
            if (!read_data_i[StatusDone]) begin
              state_q <= StateError;
            end else if (!input_done_i || !output_done_i) begin
              state_q           <= StateDrain;
              failure_q.lengths <= 1'b1;
            end else begin
              state_q              <= StateIdle;
              number_q             <= number_q + 1'b1;
              result_valid_q       <= !has_tag;
              tagging_q            <= has_tag;
              tag_word_q           <= '0;
              result_q             <= '0;
              result_q.count       <= output_q;
              result_q.status.done <= 1'b1;
              result_q.cookie      <= cookie_q;
              result_q.notify      <= notify_q;
              result_q.writes      <= output_q != '0;
              result_q.number      <= number_q;
            end
          end
        end

        StateError: begin
          if (read_ends) begin
            state_q           <= StateDrain;
            failure_q.error   <= read_data_i[7:0];
            failure_q.refused <= read_data_i[6:0] != '0;
          end
        end

        StateDrain: begin
          if (!doing && !tagging_q && !result_valid_q && drained_i) begin
            state_q  <= StateFlush;
            failed_q <= number_q;
            number_q <= number_q + 1'b1;
          end
        end

        StateFlush: begin
          state_q <= StateAbort;
          todo_q  <= bit_of(DoAbort);
        end

        StateAbort: begin
          if (!doing) begin
            state_q <= StateSettle;
          end
        end

        StateSettle: begin
          if (read_ends && !read_data_i[StatusBusy]) begin
            state_q <= StateQuiet;
            todo_q  <= bit_of(DoInterrupt) | bit_of(DoError);
          end
        end

        StateQuiet: begin
          if (quiet) begin
            state_q    <= stopping_q ? StateIdle : StateFailFlags;
            stopping_q <= 1'b0;
          end
        end

        StateFailFlags: begin
          state_q  <= StateFailLow;
          notify_q <= word_i[FlagInterrupt];
        end

        StateFailLow: begin
          state_q        <= StateFailHigh;
          cookie_q[31:0] <= word_i;
        end

        StateFailHigh: begin
          state_q         <= StateFail;
          result_valid_q  <= 1'b1;
          result_q        <= '0;
          result_q.status <= failure_q;
          result_q.cookie <= {word_i, cookie_q[31:0]};
          result_q.notify <= notify_q;
          result_q.number <= failed_q;
          failed_q        <= failed_q + 1'b1;
        end

        StateFail: begin
          if (!result_valid_q) begin
            state_q <= (failed_q == number_q) ? StateIdle : StateFailFlags;
          end
        end

        StateZeroise: begin
          if (!doing) begin
            state_q <= StateZeroising;
          end
        end

        default: begin // StateZeroising
          if (forgotten_o) begin
            state_q <= StateIdle;
          end
        end
      endcase

      // ---------------------------------- what interrupts the sequence
      if (must_flush) begin
        state_q        <= StateFlush;
        todo_q         <= '0;
        key_word_q     <= '0;
        pending_q      <= 1'b0;
        stopping_q     <= stop_i;
        tagging_q      <= 1'b0;
        result_valid_q <= 1'b0;
        written_q      <= 1'b0;
        failed_q       <= failed_number_i;
        failure_q      <= '0;
        failure_q.write <= 1'b1;
        number_q       <= number_q + number_t'(started);
        // A key may have been loaded in part or refused.
        standing_q       <= '0;
        tweak_standing_q <= '0;
      end else if (state_q == StateFlush) begin
        written_q        <= 1'b0;
        pending_q        <= 1'b0;
        standing_q       <= '0;
        tweak_standing_q <= '0;
      end
      if (changed_i) begin
        if (standing_q == changed_slot_i) begin
          standing_q <= '0;
        end
        if (tweak_standing_q == changed_slot_i) begin
          tweak_standing_q <= '0;
        end
      end
      if (begin_i) begin
        number_q <= '0;
      end
    end
  end

endmodule

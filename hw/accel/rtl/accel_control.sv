// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The control of a channel: it takes the commands of the host, refuses messages that are
// not allowed, passes keys to the core, and runs sweeps. No data pass through it.
//
// After a message that was refused or failed, the channel drops all input (discard_o), so
// that a host that still sends does not hang. The next accepted start, an abort or a sweep
// ends this.
module accel_control
  import accel_pkg::*;
#(
  parameter int unsigned Core          = CoreAes,
  parameter int unsigned Directions    = DirectionsBoth,
  parameter int unsigned KeySizes      = KeySizesAll,
  parameter int unsigned Gcm           = 0,
  parameter int unsigned Xts           = 0,
  parameter int unsigned Sha2WordSizes = 0,
  parameter int unsigned KeySlots      = 0
) (
  input  logic           clk_i,
  input  logic           rst_ni,

  // Commands, each high for a cycle, and the registers that belong to them.
  input  logic           start_i,
  input  logic           load_key_i,
  input  logic           load_tweak_key_i,
  input  logic           zeroise_i,
  input  logic           abort_i,
  input  configuration_t configuration_i,
  input  curve_function_t function_i,
  input  logic           slot_held_i,     // the key slot of function_i has a key
  input  logic [1:0]     slot_curve_i,    // the curve of that key
  input  logic [63:0]    length_i,
  input  logic [31:0]    unit_length_i,
  input  logic [63:0]    iv_blocks_i,
  input  logic           iv_written_i,
  input  logic [7:0]     key_written_i,   // words of the key that are written in this cycle

  output logic           locked_o,        // writes of the registers above are ignored
  output logic           key_locked_o,
  output logic           busy_o,
  output logic           zeroising_o,
  output logic           key_loaded_o,
  output logic           tweak_key_loaded_o,
  output logic           key_pending_o,
  output logic           done_o,
  output error_t         error_o,         // bits high for a cycle
  output logic           ended_o,         // high for a cycle
  output logic           started_o,       // high for a cycle: the counters start from zero

  // The key for the core, and that for the core of the tweaks (XTS).
  output logic               key_valid_o,
  input  logic               key_ready_i,
  output logic               tweak_key_valid_o,
  input  logic               tweak_key_ready_i,
  output key_size_e          key_size_o,
  output logic               key_clear_o, // the key registers return to zero
  output logic               iv_clear_o,

  // The message.
  output logic           begin_o,
  output logic           run_o,
  output logic           discard_o,
  input  logic           framing_error_i,
  input  logic           message_ended_i, // the last beat left or was sunk; the tag is valid
  input  logic           failed_i,        // with it: the tag is wrong, or an operand is refused

  // Sweeps: everything that holds data clears itself while clear_o is high.
  output logic           clear_o,
  input  logic           cleared_i,
  input  logic           released_i,
  output logic           core_zeroise_o
);

  typedef enum logic [2:0] {
    StateSweep,   // clearing
    StateRelease, // waits until the other clock domain has seen the end of the sweep
    StateIdle,
    StateCheck,   // accepts or refuses the message; the core has its key by now
    StateRun
  } state_e;

  // The use of the IV registers since they were written: two ways of counting never
  // use the same IV.
  typedef enum logic [2:0] {
    UseNone,
    UseCbc,
    UseCtr32,
    UseCtr64,
    UseCtr128,
    UseOnce // GCM and AEAD: one message
  } use_e;

  state_e             state_d, state_q;
  logic               zeroise_pending_d, zeroise_pending_q; // requested, not begun
  logic               sweep_all_d, sweep_all_q;             // the sweep clears key and IV too
  logic               failed_d, failed_q;                   // framing error, not yet reported
  logic               discard_d, discard_q;
  logic               discard_next_d, discard_next_q;       // discard after the sweep
  logic               ending_d, ending_q;                   // the sweep ends an operation on a curve
  logic               done_d, done_q;
  logic               key_loaded_d, key_loaded_q;
  logic               key_pending_d, key_pending_q;
  logic               tweak_loaded_d, tweak_loaded_q;
  logic               for_tweak_d, for_tweak_q;             // the pending key is for the tweaks
  logic               load_refused_d, load_refused_q;       // the key load of the start's write
  logic [7:0]         key_words_d, key_words_q;             // words of the key that were written
  key_size_e          key_size_d, key_size_q;               // of the last key
  key_size_e          data_size_q, tweak_size_q;            // of each key
  use_e               use_d, use_q, use_wanted;

  // ------------------------------------------------------------ the checks

  logic        is_ctr, is_gcm, is_xts, is_aead, is_digest, is_curve, is_once, is_supported;
  logic        has_secret; // the streams carry a private key, a shared secret or a key of HMAC
  logic        key_is_supported, key_is_whole, exceeds;
  logic [61:0] blocks;
  logic [3:0]  rest;   // bytes of the last block, if it is not whole
  logic [64:0] blocks_after;
  error_t      refusal;

  localparam logic [1:0] DirectionBits = 2'(Directions);
  localparam logic [3:0] KeySizeBits   = 4'(KeySizes);

  localparam logic [15:0] SlotBits = 16'((32'd1 << (KeySlots + 1)) - 32'd1);

  localparam bit HasModes  = has_modes(Core);
  localparam bit IsPresent = Core == CorePresent;
  localparam bit IsAscon   = Core == CoreAscon;
  localparam bit HasCurves = Core == CoreEcc;
  localparam bit HasSha2   = Sha2WordSizes != 0;

  assign is_ctr           = HasModes && (configuration_i.mode == ModeCtr);
  assign is_aead          = IsAscon && (configuration_i.mode == ModeAead);
  assign is_digest        = (IsAscon || HasSha2) && (configuration_i.mode == ModeDigest) &&
                            (!HasCurves || is_sha2(configuration_i.mode, configuration_i.hash));
  assign is_curve         = HasCurves && !is_digest;
  assign has_secret       = is_curve || (is_digest && configuration_i.authenticate);
  assign is_once          = is_gcm || is_aead;
  assign is_gcm           = (Gcm != 0) && (configuration_i.mode == ModeGcm);
  assign is_xts           = (Xts != 0) && (configuration_i.mode == ModeXts);
  // XTS is not defined for AES-192 (SP 800-38E), so no tweak key has 192 bits. If one write
  // loads both keys, the load of the tweak key is ignored.
  // KeySizes of elliptic curves are the curves; a private key is an operand.
  assign key_is_supported = !HasCurves && KeySizeBits[configuration_i.key_size] &&
                            (load_key_i || configuration_i.key_size != KeySize192);

  // A key needs all its words to be written: the registers are cleared when a key is taken,
  // so that a missing word would be zero.
  always_comb begin
    unique case (configuration_i.key_size)
      KeySize128: key_is_whole = &key_words_q[3:0];
      KeySize192: key_is_whole = &key_words_q[5:0];
      default:             key_is_whole = &key_words_q;
    endcase
    if (IsPresent && configuration_i.key_size == KeySize80) begin
      key_is_whole = &key_words_q[2:0];
    end
  end

  // A block of PRESENT has 8 bytes, one of any other algorithm 16.
  if (IsPresent) begin : gen_blocks_of_8
    assign rest   = {1'b0, length_i[2:0]};
    assign blocks = 62'(length_i[63:3]) + 62'(rest != 4'd0);
  end else begin : gen_blocks_of_16
    assign rest   = length_i[3:0];
    assign blocks = 62'(length_i[63:4]) + 62'(rest != 4'd0);
  end

  assign blocks_after     = 65'(iv_blocks_i) + 65'(blocks);

  // A key enters an empty slot only, so that no key is lost by mistake.
  logic has_slot, slot_supported, slot_fills, slot_no_key, slot_differs;

  assign has_slot       = (KeySlots != 0) && is_curve && (function_i.key_slot != '0);
  assign slot_supported = SlotBits[function_i.key_slot] &&
                          (function_i.operation <= CurveErase) &&
                          (function_i.operation != CurveVerify) &&
                          (function_i.operation != CurveSign ||
                           has_sha2(Sha2WordSizes, configuration_i.hash));
  assign slot_fills     = function_i.operation inside {CurveGenerate, CurveImport};
  assign slot_no_key    = has_slot && !slot_held_i && !slot_fills &&
                          (function_i.operation != CurveErase);
  assign slot_differs   = has_slot && slot_held_i && (function_i.operation != CurveErase) &&
                          (slot_fills || slot_curve_i != function_i.curve);

  always_comb begin
    unique case (configuration_i.mode)
      ModeEcb, ModeCbc: is_supported = HasModes && DirectionBits[configuration_i.direction];
      ModeCtr:          is_supported = HasModes && DirectionBits[0] &&
                                       (configuration_i.counter_width != 2'd3) &&
                                       !(IsPresent && configuration_i.counter_width[1]);
      // Both keys need the same size. A 192-bit data key is for other modes only.
      ModeXts:          is_supported = (Xts != 0) && DirectionBits[configuration_i.direction] &&
                                       (!key_loaded_q || !tweak_loaded_q ||
                                        (data_size_q == tweak_size_q &&
                                         data_size_q != KeySize192));
      ModeGcm:          is_supported = DirectionBits[0] && (Gcm != 0);
      ModeAead:         is_supported = IsAscon && DirectionBits[configuration_i.direction];
      ModeDigest:       is_supported = is_sha2(configuration_i.mode, configuration_i.hash)
                                       ? has_sha2(Sha2WordSizes, configuration_i.hash)
                                       : (IsAscon && !configuration_i.authenticate);
      default:          is_supported = 1'b0;
    endcase
    if (is_curve) begin
      is_supported = KeySizeBits[function_i.curve] &&
                     (has_slot ? slot_supported : (function_i.operation <= CurveAgree));
    end
  end

  always_comb begin
    unique case (configuration_i.counter_width)
      CounterWidth32: use_wanted = UseCtr32;
      CounterWidth64: use_wanted = UseCtr64;
      default:        use_wanted = UseCtr128;
    endcase
    if (!is_ctr) begin
      use_wanted = is_once ? UseOnce : UseCbc;
    end
  end

  // Each message of GCM or AEAD needs a new IV and cannot be continued, since its tag covers
  // the whole text. A second GCM message under the same IV would reveal the hash key
  // (SP 800-38D, section 8). GCM's counter starts at 2, so a text has at most 2^32 - 2
  // blocks (section 5.2.1.1).
  logic once_refused;

  assign once_refused = (is_gcm && (blocks > 62'hFFFF_FFFE)) || (iv_blocks_i != '0) ||
                        (use_q != UseNone);

  // A 32-bit counter has 2^32 values. With a wider one the limit is the count of blocks,
  // which has 64 bits and must not wrap.
  assign exceeds = (configuration_i.counter_width == CounterWidth32)
      ? (blocks_after > 65'h1_0000_0000) : blocks_after[64];

  always_comb begin
    refusal = '0;
    if (!HasModes && configuration_i.bypass) begin
      refusal.unsupported = 1'b1;
    end else if (!configuration_i.bypass) begin
      refusal.unsupported = !is_supported;
      refusal.no_key      = (!is_digest && !is_curve && !key_loaded_q) ||
                            (is_xts && !tweak_loaded_q) || (is_supported && slot_no_key);
      refusal.slot        = is_supported && slot_differs;
      refusal.length      = (HasModes && !is_ctr && !is_gcm && !is_digest &&
                             (rest != 4'd0)) ||
                            (is_xts && (unit_length_i == '0 || unit_length_i[3:0] != 4'd0)) ||
                            (is_curve && (length_i != 64'(operand_bytes(function_i))));
      refusal.counter     = (is_once && once_refused) ||
                            (is_ctr && (length_i != '0) &&
                             (exceeds || (use_q != UseNone && use_q != use_wanted)));
    end
  end

  // ------------------------------------------------------------ the state

  logic zeroise_now, is_idle, load, load_possible;

  assign zeroise_now = zeroise_i || zeroise_pending_q;
  assign is_idle     = (state_q == StateIdle) && !zeroise_now && !abort_i;
  assign load          = load_key_i || (load_tweak_key_i && (Xts != 0));
  assign load_possible = load && is_idle && !key_pending_q;

  always_comb begin
    state_d           = state_q;
    zeroise_pending_d = zeroise_pending_q || zeroise_i;
    sweep_all_d       = sweep_all_q;
    failed_d          = failed_q;
    discard_d         = discard_q;
    discard_next_d    = discard_next_q;
    ending_d          = ending_q;
    done_d            = done_q;
    use_d             = use_q;
    error_o           = '0;
    ended_o           = 1'b0;
    started_o         = 1'b0;
    begin_o           = 1'b0;
    core_zeroise_o    = 1'b0;

    error_o.busy = (start_i && !is_idle) ||
                   (load && (!is_idle || key_pending_q)) ||
                   (load_key_i && load_tweak_key_i);
    error_o.unsupported = (load_possible && !key_is_supported) ||
                          (load_tweak_key_i && (Xts == 0));
    error_o.no_key      = load_possible && key_is_supported && !key_is_whole;

    unique case (state_q)
      StateSweep: begin
        if (abort_i) begin
          discard_next_d = 1'b0;
        end
        if (cleared_i) begin
          state_d = StateRelease;
        end
      end

      StateRelease: begin
        if (abort_i) begin
          discard_next_d = 1'b0;
        end
        if (released_i) begin
          state_d         = StateIdle;
          sweep_all_d     = 1'b0;
          failed_d        = 1'b0;
          error_o.framing = failed_q;
          ended_o         = failed_q || ending_q;
          ending_d        = 1'b0;
          discard_d       = discard_next_d;
          discard_next_d  = 1'b0;
        end
      end

      StateIdle: begin
        if (start_i && is_idle) begin
          state_d   = StateCheck;
          done_d    = 1'b0;
          discard_d = 1'b0;
          started_o = 1'b1;
        end
      end

      StateCheck: begin
        if (key_pending_q) begin
          state_d = StateCheck;
        end else if (refusal != '0 || load_refused_q) begin
          error_o   = error_o | refusal;
          ended_o   = 1'b1;
          discard_d = 1'b1;
          state_d   = StateIdle;
        end else if (length_i == '0 && ((!is_once && !is_digest && !has_slot) ||
                                        configuration_i.bypass)) begin
          ended_o = 1'b1;
          done_d  = 1'b1;
          state_d = StateIdle;
        end else begin
          begin_o = 1'b1;
          state_d = StateRun;
          if (!configuration_i.bypass && configuration_i.mode != ModeEcb && !is_digest &&
              !is_curve) begin
            use_d = use_wanted;
          end
        end
      end

      StateRun: begin
        if (message_ended_i) begin
          // A secret is not left in the streams.
          ended_o  = !has_secret;
          ending_d = has_secret;
          done_d   = !failed_i;
          state_d  = has_secret ? StateSweep : StateIdle;
        end else if (framing_error_i) begin
          failed_d       = 1'b1;
          discard_next_d = 1'b1;
          state_d        = StateSweep;
        end
      end

      default: state_d = StateSweep;
    endcase

    // Abort and zeroise have priority over the message. A zeroise during a sweep waits for
    // its end.
    if (state_q != StateSweep && state_q != StateRelease && (zeroise_now || abort_i)) begin
      state_d        = StateSweep;
      begin_o        = 1'b0;
      ended_o        = 1'b0;
      done_d         = 1'b0;
      failed_d       = 1'b0;
      ending_d       = 1'b0;
      discard_d      = 1'b0;
      discard_next_d = 1'b0;
      if (zeroise_now) begin
        zeroise_pending_d = 1'b0;
        sweep_all_d       = 1'b1;
        core_zeroise_o    = 1'b1;
      end
    end

    if (iv_written_i || sweep_all_q) begin
      use_d = UseNone;
    end
  end

  // ------------------------------------------------------------ the key

  logic load_accepted, load_dropped, key_taken;

  assign load_accepted = load_possible && key_is_supported && key_is_whole;
  assign load_dropped  = load_possible && !load_accepted;
  assign key_taken     = key_pending_q && (for_tweak_q ? tweak_key_ready_i : key_ready_i);

  always_comb begin
    key_pending_d  = (key_pending_q && !key_taken) || load_accepted;
    for_tweak_d    = (Xts != 0) && (load_accepted ? !load_key_i : for_tweak_q);
    key_loaded_d   = (key_loaded_q || (key_taken && !for_tweak_q)) && !(load_dropped && load_key_i);
    tweak_loaded_d = (tweak_loaded_q || (key_taken && for_tweak_q)) &&
                     !(load_dropped && !load_key_i);
    key_size_d     = load_accepted ? key_size_e'(configuration_i.key_size) : key_size_q;
    load_refused_d = (state_q == StateIdle) ? (load && !load_accepted) : load_refused_q;
    key_words_d    = key_clear_o ? '0 : (key_words_q | key_written_i);
    if (core_zeroise_o || sweep_all_q) begin
      key_pending_d  = 1'b0;
      key_loaded_d   = 1'b0;
      tweak_loaded_d = 1'b0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q           <= StateSweep;
      zeroise_pending_q <= 1'b0;
      sweep_all_q       <= 1'b1;
      failed_q          <= 1'b0;
      discard_q         <= 1'b0;
      discard_next_q    <= 1'b0;
      ending_q          <= 1'b0;
      done_q            <= 1'b0;
      use_q             <= UseNone;
      key_loaded_q      <= 1'b0;
      tweak_loaded_q    <= 1'b0;
      for_tweak_q       <= 1'b0;
      data_size_q       <= KeySize128;
      tweak_size_q      <= KeySize128;
      key_pending_q     <= 1'b0;
      key_size_q        <= KeySize128;
      load_refused_q    <= 1'b0;
      key_words_q       <= '0;
    end else begin
      state_q           <= state_d;
      zeroise_pending_q <= zeroise_pending_d;
      sweep_all_q       <= sweep_all_d;
      failed_q          <= failed_d;
      discard_q         <= discard_d;
      discard_next_q    <= discard_next_d;
      ending_q          <= ending_d;
      done_q            <= done_d;
      use_q             <= use_d;
      key_loaded_q      <= key_loaded_d;
      tweak_loaded_q    <= tweak_loaded_d;
      for_tweak_q       <= for_tweak_d;
      if (key_taken && (Xts != 0)) begin
        if (for_tweak_q) tweak_size_q <= key_size_q;
        else data_size_q <= key_size_q;
      end
      key_pending_q     <= key_pending_d;
      key_size_q        <= key_size_d;
      load_refused_q    <= load_refused_d;
      key_words_q       <= key_words_d;
    end
  end

  // ------------------------------------------------------------ outputs

  assign busy_o        = (state_q == StateCheck) || (state_q == StateRun) ||
                         ((state_q == StateSweep || state_q == StateRelease) && !sweep_all_q);
  assign zeroising_o   = sweep_all_q || zeroise_pending_q;
  // The registers must not change between a command and its effect.
  assign locked_o      = (state_q != StateIdle) || zeroise_now || start_i;
  assign key_locked_o  = key_pending_q || zeroising_o || zeroise_i || load;
  assign key_loaded_o  = key_loaded_q;
  assign key_pending_o = key_pending_q;
  assign done_o        = done_q;

  assign tweak_key_loaded_o = tweak_loaded_q;
  assign key_valid_o        = key_pending_q && !for_tweak_q;
  assign tweak_key_valid_o  = key_pending_q && for_tweak_q;
  assign key_size_o    = key_size_q;
  // A refused key is cleared as well.
  assign key_clear_o   = key_taken || sweep_all_q || load_dropped;
  assign iv_clear_o    = sweep_all_q;

  assign run_o         = state_q == StateRun;
  assign discard_o     = discard_q && (state_q == StateIdle);
  assign clear_o       = state_q == StateSweep;

  logic unused;
  assign unused = ^{configuration_i.sink, unit_length_i};

endmodule

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// SHA-224, SHA-256, SHA-384, SHA-512, SHA-512/224 and SHA-512/256 (FIPS 180-4), with the
// padding. Up to Messages messages are under way at once.
//
// A start handshake opens a message: its function and its number. Its bytes come as blocks
// of 16, of which the last one has block_last_i and 0 to 16 bytes; a message without bytes
// is one block of none. Blocks of other messages may come between, but only at the bounds
// of hash blocks (64 bytes of the functions with words of 32 bits, 128 bytes of the
// others). Then the digest leaves as blocks of 16 bytes, of which the last one may be
// shorter, and the number is free again.
//
// Valid never depends on ready, and a payload holds until it is taken; so must those of
// the inputs. block_ready_o may depend on every signal of the block; start_ready_o on
// start_message_i and function_i. A function that the parameters leave out is never
// accepted, and neither is a block of a message that is not open. block_o is zero while
// its valid is low.
//
// drop_i drops all messages. zeroise_i does that too, and clears every register that
// holds data, all in one cycle; busy_o is up for the cycle after it and after reset, and
// nothing is accepted. A handshake in the very cycle of either is dropped.
module sha2_core
  import sha2_pkg::*;
#(
  parameter int unsigned WordSizes      = WordSizesAll, // bit set: 1 words of 32 bits, 2 of 64
  parameter int unsigned RoundsPerCycle = 1,            // 1 or 2
  parameter int unsigned Messages       = 1,            // 1 to 16
  parameter int unsigned CarrySave      = 0,            // adders: 0 for FPGAs, 1 for cells
  localparam int unsigned NumberWidth = (Messages > 1) ? $clog2(Messages) : 1
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   start_valid_i,
  output logic                   start_ready_o,
  input  function_e              function_i,
  input  logic [NumberWidth-1:0] start_message_i,

  input  logic                   block_valid_i,
  output logic                   block_ready_o,
  input  logic [127:0]           block_i,
  input  logic [4:0]             block_bytes_i,
  input  logic                   block_last_i,
  input  logic [NumberWidth-1:0] block_message_i,

  output logic                   block_valid_o,
  input  logic                   block_ready_i,
  output logic [127:0]           block_o,
  output logic [4:0]             block_bytes_o,
  output logic                   block_last_o,
  output logic [NumberWidth-1:0] block_message_o,

  input  logic                   drop_i,
  input  logic                   zeroise_i,
  output logic                   busy_o,
  output logic                   idle_o
);

  localparam bit Wide = (WordSizes & WordSizes64) != 0;
  localparam bit Narrow = (WordSizes & WordSizes32) != 0;
  localparam int unsigned Width = Wide ? 64 : 32;

  if (WordSizes < 1 || WordSizes > WordSizesAll) begin : gen_bad_word_sizes
    $error("sha2_core: WordSizes must be 1 to 3: a sum of 1 (32 bits), 2 (64 bits)");
  end
  if (!(RoundsPerCycle inside {1, 2})) begin : gen_bad_rounds
    $error("sha2_core: RoundsPerCycle must be 1 or 2");
  end
  if (Messages < 1 || Messages > 16) begin : gen_bad_messages
    $error("sha2_core: Messages must be 1 to 16");
  end
  if (CarrySave > 1) begin : gen_bad_carry_save
    $error("sha2_core: CarrySave must be 0 or 1");
  end

  typedef logic [NumberWidth-1:0] number_t;
  typedef logic [7:0][Width-1:0] hash_t;

  logic clear, flush;
  assign clear = zeroise_i || busy_o;
  assign flush = clear || drop_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) busy_o <= 1'b1;
    else busy_o <= zeroise_i;
  end

  // ------------------------------------------------------------ open messages

  logic      [Messages-1:0] open_q;  // a digest is owed
  logic      [Messages-1:0] fresh_q; // no block has been taken
  function_e [Messages-1:0] function_q;

  logic    start, ended;
  number_t current_q; // of which the hash value is in the rounds, if loaded_q
  logic    loaded_q;

  assign start_ready_o = !flush && !open_q[start_message_i] &&
                         has_function(WordSizes, function_i);
  assign start         = start_valid_i && start_ready_o;

  // ------------------------------------------------------------ sequence

  typedef enum logic [1:0] {
    Words, // words enter the schedule
    Drain, // the last rounds of a message run
    Digest // the digest leaves
  } phase_e;

  phase_e     phase_d, phase_q;
  logic [6:0] round_d, round_q;
  logic [1:0] leaving_d, leaving_q; // block of the digest
  logic       load, advance, wide;
  logic       follows_q; // the rounds before were a block's last ones, or load
  logic       at_bound, other, words_enter, words_valid, padding, ends, rounds_idle, last;
  logic       digest_last;

  function_e  current;
  assign current = function_q[current_q];
  assign wide    = Wide && (!Narrow || is_wide(current));

  assign words_enter = round_q < 7'd16;

  // A message begins, or another one goes on: between hash blocks, not in the padding.
  assign at_bound = round_q == '0 && !padding;
  assign other    = !loaded_q || block_message_i != current_q;
  assign load     = phase_q == Words && at_bound && other && block_valid_i && rounds_idle &&
                    open_q[block_message_i] && !flush;
  assign advance  = phase_q == Words && loaded_q && !flush &&
                    (!words_enter || (words_valid && !(at_bound && other))) &&
                    (round_q != '0 || follows_q || rounds_idle);
  assign last     = round_q == (wide ? 7'(Rounds64 - RoundsPerCycle)
                                     : 7'(Rounds32 - RoundsPerCycle));
  assign digest_last = 3'(leaving_q) + 3'd1 == digest_blocks(current);
  assign ended       = phase_q == Digest && block_ready_i && digest_last;

  always_comb begin
    phase_d   = phase_q;
    round_d   = round_q;
    leaving_d = leaving_q;

    if (advance) begin
      round_d = last ? '0 : round_q + 7'(RoundsPerCycle);
    end

    unique case (phase_q)
      Words:  if (advance && last && ends) phase_d = Drain;
      Drain:  if (rounds_idle) phase_d = Digest;
      Digest: begin
        if (block_ready_i) leaving_d = digest_last ? '0 : leaving_q + 2'd1;
        if (ended) phase_d = Words;
      end
      default: phase_d = Words;
    endcase

    if (flush) begin
      phase_d   = Words;
      round_d   = '0;
      leaving_d = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      phase_q    <= Words;
      round_q    <= '0;
      leaving_q  <= '0;
      follows_q  <= 1'b0;
      loaded_q   <= 1'b0;
      current_q  <= '0;
      open_q     <= '0;
      fresh_q    <= '0;
      function_q <= '{default: FunctionSha224};
    end else begin
      phase_q   <= phase_d;
      round_q   <= round_d;
      leaving_q <= leaving_d;
      follows_q <= load || (advance && last);
      if (load) begin
        loaded_q                 <= 1'b1;
        current_q                <= block_message_i;
        fresh_q[block_message_i] <= 1'b0;
      end
      if (ended) begin
        loaded_q          <= 1'b0;
        open_q[current_q] <= 1'b0;
      end
      if (start) begin
        open_q[start_message_i]     <= 1'b1;
        fresh_q[start_message_i]    <= 1'b1;
        function_q[start_message_i] <= function_i;
      end
      if (flush) begin
        loaded_q   <= 1'b0;
        current_q  <= '0;
        open_q     <= '0;
        fresh_q    <= '0;
        function_q <= '{default: FunctionSha224};
      end
    end
  end

  // ------------------------------------------------------------ datapath

  logic        wipe; // what a message leaves behind
  logic [RoundsPerCycle-1:0][Width-1:0] words, schedule_words, constants;
  hash_t       hash, initial_value, kept;
  logic [56:0] blocks, blocks_kept;
  logic        fresh;

  assign wipe  = flush || ended;
  assign fresh = fresh_q[block_message_i];

  sha2_padding #(
    .WordSizes      (WordSizes),
    .RoundsPerCycle (RoundsPerCycle),
    .CarrySave      (CarrySave)
  ) u_padding (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .clear_i       (wipe),
    .wide_i        (wide),
    .start_i       (load),
    .blocks_i      (fresh ? '0 : blocks_kept),
    .blocks_o      (blocks),
    .block_valid_i (block_valid_i),
    .block_ready_o (block_ready_o),
    .block_i       (block_i),
    .block_bytes_i (block_bytes_i),
    .block_last_i  (block_last_i),
    .round_i       (words_enter ? round_q[3:0] : '0), // so that it rests afterwards
    .advance_i     (advance && words_enter),
    .valid_o       (words_valid),
    .word_o        (words),
    .padding_o     (padding),
    .ends_o        (ends)
  );

  for (genvar n = 0; n < 8; n++) begin : gen_initial
    assign initial_value[n] = fresh ?
                              Width'(initial_word(function_q[block_message_i], 3'(n))) :
                              kept[n];
  end

  if (RoundsPerCycle == 2) begin : gen_two
    sha2_schedule_two #(
      .WordSizes (WordSizes)
    ) u_schedule (
      .clk_i      (clk_i),
      .clear_i    (wipe),
      .wide_i     (wide),
      .advance_i  (advance),
      .load_i     (load),
      .round_i    (round_q),
      .word_i     (words),
      .word_o     (schedule_words),
      .constant_o (constants)
    );

    sha2_rounds_two #(
      .WordSizes (WordSizes)
    ) u_rounds (
      .clk_i        (clk_i),
      .rst_ni       (rst_ni),
      .clear_i      (wipe),
      .wide_i       (wide),
      .initialise_i (load),
      .initial_i    (initial_value),
      .valid_i      (advance),
      .load_i       (load),
      .first_i      (round_q == '0),
      .last_i       (last),
      .word_i       (schedule_words),
      .constant_i   (constants),
      .idle_o       (rounds_idle),
      .hash_o       (hash)
    );
  end else begin : gen_one
    sha2_schedule #(
      .WordSizes (WordSizes),
      .CarrySave (CarrySave)
    ) u_schedule (
      .clk_i      (clk_i),
      .clear_i    (wipe),
      .wide_i     (wide),
      .advance_i  (advance),
      .load_i     (load),
      .round_i    (round_q),
      .word_i     (words),
      .word_o     (schedule_words),
      .constant_o (constants)
    );

    sha2_rounds #(
      .WordSizes (WordSizes),
      .CarrySave (CarrySave)
    ) u_rounds (
      .clk_i        (clk_i),
      .rst_ni       (rst_ni),
      .clear_i      (wipe),
      .wide_i       (wide),
      .initialise_i (load),
      .initial_i    (initial_value),
      .valid_i      (advance),
      .load_i       (load),
      .first_i      (round_q == '0),
      .last_i       (last),
      .word_i       (schedule_words),
      .constant_i   (constants),
      .idle_o       (rounds_idle),
      .hash_o       (hash)
    );
  end

  // ------------------------------------------------------------ messages that wait

  if (Messages > 1) begin : gen_kept
    hash_t       hash_q [Messages];
    logic [56:0] blocks_q [Messages];

    assign kept        = hash_q[block_message_i];
    assign blocks_kept = blocks_q[block_message_i];

    for (genvar n = 0; n < Messages; n++) begin : gen_message
      always_ff @(posedge clk_i) begin
        if (flush || (ended && current_q == number_t'(n))) begin
          hash_q[n]   <= '0;
          blocks_q[n] <= '0;
        end else if (load && loaded_q && current_q == number_t'(n)) begin
          hash_q[n]   <= hash;
          blocks_q[n] <= blocks;
        end
      end
    end
  end else begin : gen_none_kept
    assign kept        = '0;
    assign blocks_kept = '0;

    logic unused;
    assign unused = ^blocks;
  end

  // ------------------------------------------------------------ digest

  assign block_valid_o   = phase_q == Digest;
  assign block_last_o    = block_valid_o && digest_last;
  assign block_bytes_o   = !block_valid_o ? 5'd0 :
                           (digest_last ? digest_last_bytes(current) : 5'd16);
  assign block_message_o = block_valid_o ? current_q : '0;

  always_comb begin
    block_o = '0;
    if (block_valid_o) begin
      for (int unsigned n = 0; n < 4; n++) begin
        if (leaving_q == 2'(n)) begin
          if (wide) block_o = 128'({hash[2*n], hash[2*n+1]});
          else if (n < 2) block_o = {hash[4*n][31:0], hash[4*n+1][31:0],
                                     hash[4*n+2][31:0], hash[4*n+3][31:0]};
        end
      end
      if (!block_bytes_o[4]) block_o[31:0] = '0;
    end
  end

  assign idle_o = open_q == '0;

`ifndef SYNTHESIS
  // Rules for whoever connects this module.
  logic armed_q; // since the first reset

  initial armed_q = 1'b0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      armed_q <= 1'b1;
    end else if (armed_q && !flush) begin
      if (start_valid_i) begin
        number_of_start: assert (32'(start_message_i) < Messages)
          else $error("%m: the number of a message must be below Messages");
      end
      if (block_valid_i) begin
        number_of_block: assert (32'(block_message_i) < Messages)
          else $error("%m: the number of a message must be below Messages");
        whole_blocks: assert (block_bytes_i == 5'd16 || (block_last_i && block_bytes_i < 5'd16))
          else $error("%m: a block before the last one must have 16 bytes, the last one 0 to 16");
        at_bounds: assert (round_q == '0 || padding || !words_enter ||
                           block_message_i == current_q)
          else $error("%m: a block of another message must wait for the end of a hash block");
      end
    end
  end

  prim_stream_rules #(
    .Width (3 + NumberWidth)
  ) u_start_rules (
    .clk_i,
    .rst_ni,
    .clear_i   (flush),
    .valid_i   (start_valid_i),
    .ready_i   (start_ready_o),
    .payload_i ({function_i, start_message_i})
  );

  prim_stream_rules #(
    .Width (134 + NumberWidth)
  ) u_block_rules (
    .clk_i,
    .rst_ni,
    .clear_i   (flush),
    .valid_i   (block_valid_i),
    .ready_i   (block_ready_o),
    .payload_i ({block_i, block_bytes_i, block_last_i, block_message_i})
  );
`endif

endmodule

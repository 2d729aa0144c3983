// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// SHA-2, and HMAC with it (FIPS 198-1), around one sha2_core. "The standard" below is that
// one. One message is under way at a time.
//
// A start handshake opens a message. With authenticate_i it is authenticated: its function
// must be the key's. Bytes and digest are streams as those of sha2_core; the authentication
// code leaves as a digest, of full length.
//
// A key comes as blocks of 16 bytes, of which the last one has key_last_i and 0 to 16
// bytes. A key that waits goes before the next message. It stays for later messages until
// the next key or a zeroise. A key longer than a hash block of its function is hashed with
// that function.
//
// Valid never depends on ready, and a payload holds until it is taken; so must those of the
// inputs. start_ready_o may depend on function_i, authenticate_i and key_valid_i;
// block_ready_o on every signal of the block, and key_ready_o on every signal of the key. A
// function that the parameters leave out is never accepted, and neither is a message to
// authenticate without a key of its function. Outputs are zero while their valid is low.
//
// drop_i drops the message, or the key that is entering; a whole key stays. zeroise_i drops
// everything, and clears every register that holds data, all in one cycle; busy_o is up for
// the cycle after it and after reset, and nothing is accepted. A handshake in the very cycle
// of either is dropped.
module sha2_hmac
  import sha2_pkg::*;
#(
  parameter int unsigned WordSizes      = WordSizesAll, // as of sha2_core
  parameter int unsigned RoundsPerCycle = 1,            // as of sha2_core
  parameter int unsigned CarrySave      = 0             // as of sha2_core
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic         key_valid_i,
  output logic         key_ready_o,
  input  function_e    key_function_i, // the same for all blocks of a key
  input  logic [127:0] key_i,
  input  logic [4:0]   key_bytes_i,
  input  logic         key_last_i,

  input  logic         start_valid_i,
  output logic         start_ready_o,
  input  function_e    function_i,
  input  logic         authenticate_i,

  input  logic         block_valid_i,
  output logic         block_ready_o,
  input  logic [127:0] block_i,
  input  logic [4:0]   block_bytes_i,
  input  logic         block_last_i,

  output logic         block_valid_o,
  input  logic         block_ready_i,
  output logic [127:0] block_o,
  output logic [4:0]   block_bytes_o,
  output logic         block_last_o,

  input  logic         drop_i,
  input  logic         zeroise_i,
  output logic         busy_o,
  output logic         idle_o
);

  // Blocks of 16 bytes that a hash block and the longest digest have.
  localparam bit Wide = (WordSizes & WordSizes64) != 0;
  localparam int unsigned KeyBlocks = Wide ? 8 : 4;
  localparam int unsigned DigestBlocks = Wide ? 4 : 2;
  localparam int unsigned KeyIndex = $clog2(KeyBlocks);
  localparam int unsigned DigestIndex = $clog2(DigestBlocks);

  // Bytes of the pads (section 3 of the standard).
  localparam logic [7:0] InnerPad = 8'h36;
  localparam logic [7:0] OuterPad = 8'h5c;

  typedef enum logic [2:0] {
    Idle,    // also takes a key's first block
    Key,     // a key enters
    KeyFull, // a hash block of a key has entered, and it has not ended
    Start,   // a hash of the core begins
    Head,    // the key enters the core, with a pad for HMAC
    Body,    // what is hashed enters the core
    Result   // the digest leaves the core
  } phase_e;

  typedef enum logic [1:0] {
    HashMessage, // has no head; the digest leaves
    HashKey,     // a long key; the digest is the key
    HashInner,   // the key with the inner pad, and the message; the digest waits here
    HashOuter    // the key with the outer pad, and that digest; the digest leaves
  } hash_e;

  phase_e                             phase_d, phase_q;
  hash_e                              hash_d, hash_q;
  function_e                          function_d, function_q;
  function_e                          key_function_d, key_function_q;
  logic [2:0]                         count_d, count_q; // blocks since the phase began
  logic                               keyed_d, keyed_q;
  logic [KeyBlocks-1:0][127:0]        key_d, key_q;     // K0 of the standard
  logic [DigestBlocks-1:0][127:0]     inner_d, inner_q; // the digest of the inner hash

  logic       flush;
  logic       start, key_taken, head_last;
  logic [2:0] key_top; // index of the last block of K0

  // ------------------------------------------------------------ the core

  logic         core_start_ready, core_valid, core_ready, core_last;
  logic [127:0] core_block;
  logic [4:0]   core_bytes;
  logic         result_valid, result_ready, result_last, core_idle;
  logic [127:0] result;
  logic [4:0]   result_bytes;
  logic         core_taken, result_taken, gives; // gives: the digest leaves this module
  logic         unused_message;

  sha2_core #(
    .WordSizes      (WordSizes),
    .RoundsPerCycle (RoundsPerCycle),
    .CarrySave      (CarrySave)
  ) u_core (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .start_valid_i   (phase_q == Start),
    .start_ready_o   (core_start_ready),
    .function_i      (function_q),
    .start_message_i (1'b0),
    .block_valid_i   (core_valid),
    .block_ready_o   (core_ready),
    .block_i         (core_block),
    .block_bytes_i   (core_bytes),
    .block_last_i    (core_last),
    .block_message_i (1'b0),
    .block_valid_o   (result_valid),
    .block_ready_i   (result_ready),
    .block_o         (result),
    .block_bytes_o   (result_bytes),
    .block_last_o    (result_last),
    .block_message_o (unused_message),
    .drop_i          (drop_i),
    .zeroise_i       (zeroise_i),
    .busy_o          (busy_o),
    .idle_o          (core_idle)
  );

  assign flush        = zeroise_i || drop_i || busy_o;
  assign core_taken   = core_valid && core_ready;
  assign result_taken = result_valid && result_ready;
  assign idle_o       = phase_q == Idle && core_idle;

  // ------------------------------------------------------------ what enters the core

  logic [7:0] pad;

  always_comb begin
    unique case (hash_q)
      HashInner: pad = InnerPad;
      HashOuter: pad = OuterPad;
      default:   pad = 8'h00;
    endcase
  end

  always_comb begin
    core_valid = 1'b0;
    core_block = block_i;
    core_bytes = block_bytes_i;
    core_last  = block_last_i;

    if (phase_q == Head) begin
      core_valid = 1'b1;
      core_block = key_q[KeyIndex'(count_q)] ^ {16{pad}};
      core_bytes = 5'd16;
      core_last  = 1'b0;
    end else if (phase_q == Body) begin
      unique case (hash_q)
        HashKey: begin
          core_valid = key_valid_i;
          core_block = key_i;
          core_bytes = key_bytes_i;
          core_last  = key_last_i;
        end
        HashOuter: begin
          core_valid = 1'b1;
          core_block = inner_q[DigestIndex'(count_q)];
          core_last  = count_q + 3'd1 == digest_blocks(function_q);
          core_bytes = core_last ? digest_last_bytes(function_q) : 5'd16;
        end
        default: core_valid = block_valid_i;
      endcase
    end
  end

  // ------------------------------------------------------------ handshakes

  assign key_top   = (Wide && is_wide(function_q)) ? 3'd7 : 3'd3;
  assign head_last = count_q == key_top;

  always_comb begin
    unique case (phase_q)
      Idle:    key_ready_o = has_function(WordSizes, key_function_i);
      Key:     key_ready_o = 1'b1;
      KeyFull: key_ready_o = key_bytes_i == '0;
      Body:    key_ready_o = hash_q == HashKey && core_ready;
      default: key_ready_o = 1'b0;
    endcase
    if (flush) key_ready_o = 1'b0;
  end

  assign key_taken     = key_valid_i && key_ready_o;
  assign start_ready_o = phase_q == Idle && !key_valid_i && !flush &&
                         has_function(WordSizes, function_i) &&
                         (!authenticate_i || (keyed_q && key_function_q == function_i));
  assign start         = start_valid_i && start_ready_o;
  assign block_ready_o = phase_q == Body && hash_q inside {HashMessage, HashInner} && core_ready;

  assign gives         = hash_q inside {HashMessage, HashOuter};
  assign result_ready  = !gives || block_ready_i;
  assign block_valid_o = result_valid && gives;
  assign block_o       = gives ? result : '0;
  assign block_bytes_o = gives ? result_bytes : '0;
  assign block_last_o  = gives && result_last;

  // ------------------------------------------------------------ sequence

  always_comb begin
    phase_d        = phase_q;
    hash_d         = hash_q;
    function_d     = function_q;
    key_function_d = key_function_q;
    count_d        = count_q;
    keyed_d        = keyed_q;
    key_d          = key_q;
    inner_d        = inner_q;

    unique case (phase_q)
      Idle, Key: begin
        if (key_taken) begin
          if (phase_q == Idle) begin
            function_d     = key_function_i;
            key_function_d = key_function_i;
            key_d          = '0;
            keyed_d        = 1'b0;
          end
          for (int unsigned n = 0; n < 16; n++) begin
            key_d[KeyIndex'(count_q)][127-8*n -: 8] = (5'(n) < key_bytes_i) ?
                                                      key_i[127-8*n -: 8] : '0;
          end
          phase_d = (phase_q == Key && head_last) ? KeyFull : Key;
          count_d = (phase_q == Key && head_last) ? '0 : count_q + 3'd1;
          if (key_last_i) begin
            phase_d = Idle;
            count_d = '0;
            keyed_d = 1'b1;
          end
        end else if (start) begin
          phase_d    = Start;
          hash_d     = authenticate_i ? HashInner : HashMessage;
          function_d = function_i;
        end
      end

      KeyFull: begin
        if (key_taken) begin
          phase_d = Idle;
          keyed_d = 1'b1;
        end else if (key_valid_i) begin
          phase_d = Start;
          hash_d  = HashKey;
        end
      end

      Start: if (core_start_ready) phase_d = (hash_q == HashMessage) ? Body : Head;

      Head: begin
        if (core_taken) begin
          phase_d = head_last ? Body : Head;
          count_d = head_last ? '0 : count_q + 3'd1;
        end
      end

      Body: begin
        if (core_taken) begin
          if (hash_q == HashOuter) count_d = count_q + 3'd1;
          if (core_last) begin
            phase_d = Result;
            count_d = '0;
          end
        end
      end

      Result: begin
        if (result_taken) begin
          count_d = count_q + 3'd1;
          if (hash_q == HashKey) begin
            if (count_q == '0) key_d = '0;
            key_d[KeyIndex'(count_q)] = result;
          end
          if (hash_q == HashInner) inner_d[DigestIndex'(count_q)] = result;
          if (result_last) begin
            phase_d = Idle;
            count_d = '0;
            unique case (hash_q)
              HashInner: begin
                phase_d = Start;
                hash_d  = HashOuter;
              end
              HashKey: begin
                hash_d  = HashMessage;
                keyed_d = 1'b1;
              end
              default: begin
                hash_d  = HashMessage;
                inner_d = '0;
              end
            endcase
          end
        end
      end

      default: phase_d = Idle;
    endcase

    if (flush) begin
      phase_d    = Idle;
      hash_d     = HashMessage;
      function_d = FunctionSha224;
      count_d    = '0;
      inner_d    = '0;
    end
    if (zeroise_i || busy_o || (drop_i && !keyed_q)) begin
      key_function_d = FunctionSha224;
      keyed_d        = 1'b0;
      key_d          = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      phase_q        <= Idle;
      hash_q         <= HashMessage;
      function_q     <= FunctionSha224;
      key_function_q <= FunctionSha224;
      count_q        <= '0;
      keyed_q        <= 1'b0;
    end else begin
      phase_q        <= phase_d;
      hash_q         <= hash_d;
      function_q     <= function_d;
      key_function_q <= key_function_d;
      count_q        <= count_d;
      keyed_q        <= keyed_d;
    end
  end

  always_ff @(posedge clk_i) begin
    key_q   <= key_d;
    inner_q <= inner_d;
  end

  logic unused;
  assign unused = unused_message;

`ifndef SYNTHESIS
  // Rules for whoever connects this module. sha2_core checks the blocks of messages.
  logic armed_q; // since the first reset

  initial armed_q = 1'b0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      armed_q <= 1'b1;
    end else if (armed_q && key_valid_i && !flush) begin
      whole_blocks: assert (key_bytes_i == 5'd16 || (key_last_i && key_bytes_i < 5'd16))
        else $error("%m: a block of a key before the last one must have 16 bytes, %s",
                    "the last one 0 to 16");
      one_function: assert (!(phase_q inside {Key, KeyFull}) || key_function_i == key_function_q)
        else $error("%m: the function of a key changed");
    end
  end

  prim_stream_rules #(
    .Width (4)
  ) u_start_rules (
    .clk_i,
    .rst_ni,
    .clear_i   (flush),
    .valid_i   (start_valid_i),
    .ready_i   (start_ready_o),
    .payload_i ({function_i, authenticate_i})
  );

  prim_stream_rules #(
    .Width (137)
  ) u_key_rules (
    .clk_i,
    .rst_ni,
    .clear_i   (flush),
    .valid_i   (key_valid_i),
    .ready_i   (key_ready_o),
    .payload_i ({key_function_i, key_i, key_bytes_i, key_last_i})
  );
`endif

endmodule

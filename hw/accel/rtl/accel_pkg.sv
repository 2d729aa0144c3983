// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Types that the modules of the accelerator share. Values of the enumerations
// are those of the register map (accel.rdl).
package accel_pkg;

  typedef enum logic {
    DirectionEncrypt = accel_registers_pkg::accel__direction__encrypt,
    DirectionDecrypt = accel_registers_pkg::accel__direction__decrypt
  } direction_e;

  typedef enum logic [1:0] {
    KeySize128 = accel_registers_pkg::accel__key_size__bits_128,
    KeySize192 = accel_registers_pkg::accel__key_size__bits_192,
    KeySize256 = accel_registers_pkg::accel__key_size__bits_256,
    KeySize80  = accel_registers_pkg::accel__key_size__bits_80
  } key_size_e;

  /* verilator lint_off UNUSEDPARAM */
  // Digits of the parameter ChannelCores, as in CAPABILITY.algorithm.
  parameter int unsigned CoreAes     = 32'(accel_registers_pkg::accel__algorithm__aes);
  parameter int unsigned CoreAscon   = 32'(accel_registers_pkg::accel__algorithm__ascon);
  parameter int unsigned CoreSha2    = 32'(accel_registers_pkg::accel__algorithm__sha2);
  parameter int unsigned CoreEcc     = 32'(accel_registers_pkg::accel__algorithm__ecc);
  parameter int unsigned CorePresent = 32'(accel_registers_pkg::accel__algorithm__present);

  // The values of the parameters that choose a core, as CAPABILITY has them.
  parameter int unsigned ArchitectureIterative =
      32'(accel_registers_pkg::accel__architecture__iterative);
  parameter int unsigned ArchitecturePipelined =
      32'(accel_registers_pkg::accel__architecture__pipelined);
  parameter int unsigned ArchitectureSerial =
      32'(accel_registers_pkg::accel__architecture__serial);
  parameter int unsigned ArchitectureUnrolled =
      32'(accel_registers_pkg::accel__architecture__unrolled);

  parameter int unsigned SBoxTable = 32'(accel_registers_pkg::accel__sbox__table);

  // Bit sets: one bit for each value of direction_e, and of key_size_e.
  parameter int unsigned DirectionsEncrypt = 1 << DirectionEncrypt;
  parameter int unsigned DirectionsDecrypt = 1 << DirectionDecrypt;
  parameter int unsigned DirectionsBoth = DirectionsEncrypt | DirectionsDecrypt;

  parameter int unsigned KeySizes128 = 1 << KeySize128;
  parameter int unsigned KeySizes192 = 1 << KeySize192;
  parameter int unsigned KeySizes256 = 1 << KeySize256;
  parameter int unsigned KeySizesAll = KeySizes128 | KeySizes192 | KeySizes256;
  parameter int unsigned KeySizes80  = 1 << KeySize80;

  // Bit set of the curves.
  parameter int unsigned CurvesAll = 7;

  // Bit set of the word sizes of SHA-2, as in sha2_pkg. 0: there is no SHA-2.
  parameter int unsigned WordSizes32 = 1;
  parameter int unsigned WordSizes64 = 2;
  parameter int unsigned WordSizesAll = WordSizes32 | WordSizes64;
  /* verilator lint_on UNUSEDPARAM */

  // Whether the core is a block cipher, with modes of operation.
  function automatic bit has_modes(input int unsigned core);
    return !(core inside {CoreAscon, CoreSha2, CoreEcc});
  endfunction

  // Whether the core is outside the channel's engine, where channels may share it (accel_core).
  function automatic bit is_outside(input int unsigned core);
    return has_modes(core) && core != CorePresent;
  endfunction

  // The core of a channel: hexadecimal digit n of ChannelCores belongs to the channels n,
  // n + 8, n + 16 and n + 24.
  function automatic int unsigned core_of(input int unsigned cores, input int unsigned channel);
    return (cores >> (4 * (channel % 8))) & 32'hF;
  endfunction

  // How many of the first channels have a core.
  function automatic int unsigned count_of(input int unsigned cores, input int unsigned channels,
                                           input int unsigned core);
    int unsigned count;
    count = 0;
    for (int unsigned c = 0; c < channels; c++) begin
      count += 32'(core_of(cores, c) == core);
    end
    return count;
  endfunction

  typedef enum logic [2:0] {
    ModeEcb    = accel_registers_pkg::accel__mode__ecb,
    ModeCbc    = accel_registers_pkg::accel__mode__cbc,
    ModeCtr    = accel_registers_pkg::accel__mode__ctr,
    ModeGcm    = accel_registers_pkg::accel__mode__gcm,
    ModeXts    = accel_registers_pkg::accel__mode__xts,
    ModeAead   = accel_registers_pkg::accel__mode__aead,
    ModeDigest = accel_registers_pkg::accel__mode__digest
  } mode_e;

  typedef enum logic [2:0] {
    HashAscon256   = accel_registers_pkg::accel__hash__ascon_hash256,
    HashSha224     = accel_registers_pkg::accel__hash__sha_224,
    HashSha256     = accel_registers_pkg::accel__hash__sha_256,
    HashSha384     = accel_registers_pkg::accel__hash__sha_384,
    HashSha512     = accel_registers_pkg::accel__hash__sha_512,
    HashSha512_224 = accel_registers_pkg::accel__hash__sha_512_224,
    HashSha512_256 = accel_registers_pkg::accel__hash__sha_512_256
  } hash_e;

  typedef enum logic [1:0] {
    CounterWidth32  = accel_registers_pkg::accel__counter_width__bits_32,
    CounterWidth64  = accel_registers_pkg::accel__counter_width__bits_64,
    CounterWidth128 = accel_registers_pkg::accel__counter_width__bits_128
  } counter_width_e;

  // The fields of CONFIGURATION.
  typedef struct packed {
    logic       authenticate;
    logic [2:0] hash;
    logic       sink;
    logic       bypass;
    logic [1:0] counter_width;
    logic [1:0] key_size;
    logic       direction;
    logic [2:0] mode;
  } configuration_t;

  typedef enum logic [2:0] {
    CurveGenerate  = accel_registers_pkg::accel__public_key_operation__generate,
    CurvePublicKey = accel_registers_pkg::accel__public_key_operation__public_key,
    CurveSign      = accel_registers_pkg::accel__public_key_operation__sign,
    CurveVerify    = accel_registers_pkg::accel__public_key_operation__verify,
    CurveAgree     = accel_registers_pkg::accel__public_key_operation__agree,
    CurveImport    = accel_registers_pkg::accel__public_key_operation__import,
    CurveErase     = accel_registers_pkg::accel__public_key_operation__erase
  } curve_operation_e;

  // The fields of CONFIGURATION that an elliptic curve needs.
  typedef struct packed {
    logic [3:0] key_slot; // 0: the private key is an operand
    logic [1:0] curve;
    logic [2:0] operation;
  } curve_function_t;

  // Bytes of an integer of a curve.
  function automatic logic [6:0] integer_bytes(input logic [1:0] curve);
    unique case (curve)
      accel_registers_pkg::accel__curve__p_256: return 7'd32;
      accel_registers_pkg::accel__curve__p_384: return 7'd48;
      default:                                  return 7'd66;
    endcase
  endfunction

  // Bytes of all operands of an operation on a curve. Private key and nonce are none with a
  // key slot.
  function automatic logic [8:0] operand_bytes(input curve_function_t selected);
    logic [8:0] bytes;
    bytes = 9'(integer_bytes(selected.curve));
    if (selected.key_slot != '0) begin
      unique case (selected.operation)
        CurvePublicKey, CurveErase: return '0;
        CurveAgree:                 return bytes << 1;
        default:                    return bytes;
      endcase
    end
    unique case (selected.operation)
      CurveSign, CurveAgree: return bytes + (bytes << 1);
      CurveVerify:           return bytes + (bytes << 2);
      default:               return bytes;
    endcase
  endfunction

  // Results of an operation on a curve. A key that is generated in a slot is none.
  function automatic logic [1:0] result_count(input logic [2:0] operation,
                                              input logic       has_slot);
    if (has_slot && operation inside {CurveGenerate, CurveImport}) return 2'd2;
    unique case (operation)
      CurveGenerate:             return 2'd3;
      CurvePublicKey, CurveSign: return 2'd2;
      CurveAgree:                return 2'd1;
      default:                   return 2'd0;
    endcase
  endfunction

  // What accel_key_slots holds: for the operation under way the number that is signed and V
  // and K of RFC 6979, section 3.2, then the private key of slot 1, slot 2 and so on.
  typedef logic [4:0] region_t;

  /* verilator lint_off UNUSEDPARAM */
  parameter region_t RegionNumber = 5'd0;
  parameter region_t RegionV      = 5'd1;
  parameter region_t RegionK      = 5'd2;
  /* verilator lint_on UNUSEDPARAM */

  function automatic region_t slot_region(input logic [3:0] key_slot);
    return RegionK + region_t'(key_slot);
  endfunction

  // What accel_nonce asks of the core of SHA-2, and what that answers (sha2_hmac).
  typedef struct packed {
    logic         key_valid;
    logic         start_valid;
    logic         block_valid;
    logic [127:0] block;
    logic [4:0]   block_bytes;
    logic         block_last;
    logic         result_ready;
  } hmac_request_t;

  typedef struct packed {
    logic         key_ready;
    logic         start_ready;
    logic         block_ready;
    logic         result_valid;
    logic [127:0] result;
  } hmac_answer_t;

  // Whether a message is one of SHA-2.
  function automatic logic is_sha2(input logic [2:0] mode, input logic [2:0] hash);
    return mode == ModeDigest && hash != HashAscon256;
  endfunction

  // Whether a hash is one of SHA-2, with words of one of the sizes.
  function automatic logic has_sha2(input int unsigned word_sizes, input logic [2:0] hash);
    unique case (hash)
      HashSha224, HashSha256: return (word_sizes & WordSizes32) != 0;
      HashSha384, HashSha512, HashSha512_224, HashSha512_256:
                              return (word_sizes & WordSizes64) != 0;
      default:                return 1'b0;
    endcase
  endfunction

  // One bit for each bit of ERROR.
  typedef struct packed {
    logic slot;
    logic framing;
    logic busy;
    logic unsupported;
    logic no_key;
    logic counter;
    logic length;
  } error_t;

  // A block that enters or leaves the mode engine. `bytes` is the number of bytes in it,
  // minus one; bytes beyond are zero.
  typedef struct packed {
    logic         last;
    logic [3:0]   bytes;
    logic [127:0] data;
  } block_t;

  // A block from the host, and whether its TKEEP was not allowed.
  typedef struct packed {
    logic   malformed;
    block_t block;
  } input_block_t;

  // Reasons for which a message does not proceed in a cycle, for the counters.
  typedef struct packed {
    logic waits_for_input;
    logic waits_for_output;
  } stall_t;

  // The bytes of a word in reverse order.
  function automatic logic [31:0] reverse_word(input logic [31:0] word);
    return {word[7:0], word[15:8], word[23:16], word[31:24]};
  endfunction

  // The block with its bytes in reverse order, so that the counter of SP
  // 800-38A, appendix B.1, has its least significant bit at bit 0.
  function automatic logic [127:0] reverse_bytes(input logic [127:0] block);
    logic [127:0] result;
    for (int unsigned n = 0; n < 16; n++) begin
      result[8*n +: 8] = block[8*(15 - n) +: 8];
    end
    return result;
  endfunction

  // The next counter block: the standard incrementing function over the last 32, 64 or 128
  // bits (SP 800-38A, appendix B.1).
  function automatic logic [127:0] next_counter(input logic [127:0] block,
                                                input logic [1:0]   width);
    logic [127:0] counter;
    logic [32:0]  low;
    logic [32:0]  middle;
    counter = reverse_bytes(block);
    low     = {1'b0, counter[31:0]} + 33'd1;
    middle  = {1'b0, counter[63:32]} + 33'(low[32]);
    counter[31:0] = low[31:0];
    if (width != CounterWidth32) begin
      counter[63:32] = middle[31:0];
    end
    if (width == CounterWidth128) begin
      counter[127:64] = counter[127:64] + 64'(middle[32]);
    end
    return reverse_bytes(counter);
  endfunction

endpackage

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Types and functions that the modules of the pipelined AES core share.
//
// The key state is a window of eight words of the key schedule that travels
// with each block. `current` is the round key of the block's round; `previous` holds
// the other words that the next step needs:
//   encryption  128 bits  nothing
//               192 bits  words 2 and 3: the two words before `current`
//               256 bits  the round key before `current`
//   decryption  128 bits  nothing
//               192 bits  words 0 and 1: the two words after `current`
//               256 bits  the round key after `current`
// With this layout a step moves `current` into `previous` and four new words into
// `current`, for every size and direction.
package aes_pipelined_pkg;

  import aes_pkg::*;
  import aes_functions_pkg::*;

  typedef struct packed {
    logic [127:0] current;
    logic [127:0] previous;
  } key_state_t;

  // How one step of the key schedule is done (FIPS 197, section 5.2).
  typedef struct packed {
    logic       active;      // 0: the window does not change
    logic       rotate;      // RotWord before SubWord
    logic       substitute;  // SubWord is added to a new word:
    logic       third;       // the third of them instead of the first
    logic [7:0] rcon;        // Rcon, for byte 0 of the substituted word
  } key_step_t;

  // Number of rounds of the pipeline: those of its largest key size.
  function automatic int unsigned pipeline_rounds(int unsigned key_sizes);
    if ((key_sizes & KeySizes256) != 0) return 32'(rounds(KeySize256));
    if ((key_sizes & KeySizes192) != 0) return 32'(rounds(KeySize192));
    return 32'(rounds(KeySize128));
  endfunction

  // Whether `key_size` is `wanted`, given that it is one of the set `key_sizes`. It
  // compares only the bits that this set needs.
  function automatic logic is_key_size(int unsigned key_sizes, key_size_e wanted,
                                       logic [1:0] key_size);
    logic has_128, has_192, has_256;
    has_128 = (key_sizes & KeySizes128) != 0;
    has_192 = (key_sizes & KeySizes192) != 0;
    has_256 = (key_sizes & KeySizes256) != 0;
    unique case (wanted)
      KeySize256: return has_256 & (key_size[1] | ~(has_128 | has_192));
      KeySize192: return has_192 & (has_128 ? key_size[0] : ~(has_256 & key_size[1]));
      default: return has_128 & ~(has_256 & key_size[1]) & ~(has_192 & key_size[0]);
    endcase
  endfunction

  // Rcon[index] of FIPS 197, section 5.2; index 1 is the first.
  function automatic logic [7:0] round_constant(int unsigned index);
    logic [7:0] value;
    value = 8'h01;
    for (int unsigned i = 1; i < index; i++) value = next_round_constant(value);
    return value;
  endfunction

  // The step that follows round `round` of a pipeline of `pipeline` rounds; the
  // shorter key sizes use its last rounds. Round 0 is the input, before the
  // first round. Decryption starts with the window one step further, because its
  // preparation provides both of the last two round keys; so does encryption with a
  // 256-bit key, which consists of two round keys.
  function automatic key_step_t key_step(int unsigned round, int unsigned pipeline,
                                         key_size_e key_size, logic decrypt);
    key_step_t step;
    int unsigned skipped, position;
    step = '0;
    skipped = pipeline - 32'(rounds(key_size));
    // No step follows the last round. Only 128 and 192-bit encryption steps before its first.
    if (round >= pipeline || round < skipped) return step;
    if (round == skipped && (decrypt || key_size == KeySize256)) return step;
    // The number of the round key in `current`: words 4*position and up of FIPS 197.
    position = decrypt ? 32'(rounds(key_size)) - (round - skipped) : round - skipped;
    step.active = 1'b1;
    step.rotate = 1'b1;
    step.substitute = 1'b1;
    unique case (key_size)
      KeySize256: begin
        // Encryption computes round key position + 1, decryption reverses the step that
        // gave round key position + 1. Even round keys use RotWord and Rcon, odd ones neither.
        step.rotate = position[0];
        step.rcon = position[0] ? round_constant((position + 1) / 2) : 8'h00;
      end
      KeySize192: begin
        // Words whose index is a multiple of six are computed with SubWord.
        // Encryption computes words 4*position+4 .. +7, decryption reverses words
        // 4*position+2 .. +5.
        unique case (position % 3)
          0: begin
            step.substitute = ~decrypt;
            step.third = ~decrypt;
            step.rcon = decrypt ? 8'h00 : round_constant((4 * position + 6) / 6);
          end
          1: begin
            step.substitute = decrypt;
            step.rcon = decrypt ? round_constant((4 * position + 2) / 6) : 8'h00;
          end
          default: begin
            step.third = decrypt;
            step.rcon = round_constant((4 * position + 4) / 6);
          end
        endcase
      end
      default: step.rcon = round_constant(decrypt ? position : position + 1);
    endcase
    return step;
  endfunction

  // The first half of InvMixColumns; MixColumns is the second: circ(0e, 0b, 0d,
  // 09) = circ(02, 03, 01, 01) * circ(05, 00, 04, 00) (J. Daemen and V. Rijmen,
  // "The Design of Rijndael", section 4.1.3).
  function automatic logic [31:0] premix_column(logic [31:0] column);
    return column ^ times_x(times_x(column ^ rotate_word(column, 2)));
  endfunction

endpackage

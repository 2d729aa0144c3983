// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// PRESENT, four bits of the state a cycle: the data path of present_serial. By itself
// it is a smaller core than present_minimal, with 563 cycles a block. It has no
// handshakes and no tag.
//
// Each cycle of load_i shifts in a nibble of the key and a nibble of the block, most
// significant first: 20 cycles for an 80-bit key and 32 for 128 bits, of which the last
// 16 carry the block. start_i in the last of them starts the rounds. A round takes 17
// cycles: 16 for key addition and S-box, nibble by nibble, while the key register
// rotates by 64 bits, and one for the permutation and the key schedule. The block ends
// 543 cycles after the last cycle of the load. In the last 16 of these result_valid_o is
// high and the nibbles of the result leave, most significant first.
//
// To decrypt, load the key register after the last round as the key. With schedule_i at
// the start, only the 31 steps of the key schedule are made (527 cycles): backward if
// the direction is decryption and Directions is both, otherwise forward. Then key_o
// gives the key, a nibble in each cycle of load_i. Direction and key size must hold from
// the load to the end.
module present_nibble
  import present_pkg::*;
  import present_functions_pkg::*;
#(
  parameter int unsigned Directions = DirectionsBoth,
  parameter int unsigned KeySizes = KeySizesBoth
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       clear_i,

  input  direction_e direction_i,
  input  key_size_e  key_size_i,

  input  logic       load_i,
  input  logic       start_i,
  input  logic       schedule_i,
  input  logic [3:0] key_i,
  input  logic [3:0] block_i,

  output logic       running_o,
  output logic       result_valid_o,
  output logic [3:0] result_o,
  output logic [3:0] key_o
);

  if (Directions < DirectionsEncrypt || Directions > DirectionsBoth) begin : gen_bad_directions
    $error("present_nibble: Directions must be 1 (encrypt), 2 (decrypt) or 3 (both)");
  end
  if (KeySizes < KeySizes80 || KeySizes > KeySizesBoth) begin : gen_bad_key_sizes
    $error("present_nibble: KeySizes must be 1 (80 bits), 2 (128 bits) or 3 (both)");
  end

  // A constant if the core has one only.
  key_size_e key_size;
  logic      decrypt, backward, schedule_q;
  assign key_size = (KeySizes == KeySizesBoth) ? key_size_i :
                    (KeySizes == KeySizes128)  ? KeySize128 : KeySize80;
  assign decrypt = (Directions == DirectionsBoth) ? direction_i == DirectionDecrypt :
                   Directions == DirectionsDecrypt;
  assign backward = decrypt && (Directions == DirectionsBoth || !schedule_q);

  // The number of the round (1 to 31, then 0 for the last key addition), and of the nibble
  // in it; bit 4 of the latter is high in the cycle of permutation and key schedule.
  logic         running_q, last, step, stop;
  logic [4:0]   round_q, nibble_q;
  logic [63:0]  state_q;
  logic [127:0] key_q, turned;
  logic [3:0]   sum, result;

  assign last = (round_q == '0);
  assign step = nibble_q[4];
  assign stop = schedule_q ? step && round_q == 5'(Rounds) : last && nibble_q == 5'd15;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      running_q  <= 1'b0;
      schedule_q <= 1'b0;
      round_q    <= '0;
      nibble_q   <= '0;
    end else begin
      if (clear_i || (running_q && stop)) begin
        running_q  <= 1'b0;
        schedule_q <= 1'b0;
        round_q    <= '0;
        nibble_q   <= '0;
      end else if (start_i) begin
        running_q  <= 1'b1;
        schedule_q <= schedule_i;
        round_q    <= 5'd1;
      end else if (running_q) begin
        nibble_q <= step ? '0 : nibble_q + 5'd1;
        if (step) round_q <= round_q + 5'd1;
      end
    end
  end

  // Encryption substitutes after every key addition but the last one, decryption before
  // every key addition but the first one.
  assign key_o = key_q[127:124];
  always_comb begin
    sum = state_q[63:60];
    if (decrypt && round_q != 5'd1) sum = sub_nibble_inverse(sum);
    sum = sum ^ key_o;
    result = (decrypt || last) ? sum : sub_nibble(sum);
  end
  assign turned = turn_back(key_size, key_q);

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      state_q <= '0;
      key_q   <= '0;
    end else if (running_q && step) begin
      state_q <= decrypt ? permute_inverse(state_q) : permute(state_q);
      key_q   <= backward ? key_previous(key_size, turned, -round_q)
                          : key_next(key_size, turned, round_q);
    end else if (running_q || load_i) begin
      state_q <= {state_q[59:0], load_i ? block_i : result};
      key_q   <= shift_key(key_size, key_q, load_i ? key_i : key_o);
    end
  end

  assign running_o = running_q;
  assign result_valid_o = running_q && last;
  assign result_o = result;

endmodule

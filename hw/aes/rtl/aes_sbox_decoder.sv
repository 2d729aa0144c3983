// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// SubBytes, InvSubBytes or both for one byte, by a decoder and an encoder: the form
// that switches least in standard cells (G. Bertoni, M. Macchetti, L. Negri,
// P. Fragneto: "Power-efficient ASIC synthesis of cryptographic S-boxes", GLSVLSI
// 2004).
//
// Two decoders make one of 16 lines of each half of the byte, 256 ANDs one of 256
// lines. The S-box itself is wires: the line of x is that of S(x). The encoder ORs
// 16 lines at a time, to one of 16 lines of each half of the result, and these to
// its bits. So a change of the byte changes two lines in each stage and not much
// more, and all paths have the same gates, which leaves little to glitch.
//
// Each direction has ANDs and an encoder of its own; they are quiet, with a result
// of zero, where encrypt_i and decrypt_i are low. Larger than the composite form.
// Without clocks, keys or state; not masked: its power depends on its data.
module aes_sbox_decoder
  import aes_pkg::*;
  import aes_sbox_tables_pkg::*;
#(
  parameter int unsigned Directions = DirectionsBoth
) (
  input  logic       encrypt_i,
  input  logic       decrypt_i,
  input  logic [7:0] data_i,
  output logic [7:0] encrypted_o,
  output logic [7:0] decrypted_o
);

  typedef logic [15:0] half_t;
  // For each line of the operand's high half, and each line of one half of the
  // result: the lines of the low half that lead there.
  typedef logic [15:0][15:0][15:0] wires_t;

  function automatic wires_t wires(input logic decrypt, input logic high_half);
    wires_t     found;
    logic [7:0] result;
    found = '0;
    for (int n = 0; n < 256; n++) begin
      result = decrypt ? InvSubBytesTable[n] : SubBytesTable[n];
      if (high_half) result >>= 4;
      found[n/16][result[3:0]][n%16] = 1'b1;
    end
    return found;
  endfunction

  function automatic half_t decode(input logic [3:0] half, input logic enable);
    half_t lines;
    for (int n = 0; n < 16; n++) lines[n] = enable && half == 4'(n);
    return lines;
  endfunction

  // The lines of one half of the result. The ANDs, one row of 16 for each line of
  // the high half, are the same for both halves.
  function automatic half_t collect(input wires_t to, input half_t high, input half_t low);
    logic [15:0][15:0] met;
    half_t             result;
    met = '0;
    for (int row = 0; row < 16; row++) begin
      for (int n = 0; n < 16; n++) met[n] |= ({16{high[row]}} & low) & to[row][n];
    end
    for (int n = 0; n < 16; n++) result[n] = |met[n];
    return result;
  endfunction

  // The number of the line that is high.
  function automatic logic [3:0] number(input half_t lines);
    return {|(lines & 16'hff00), |(lines & 16'hf0f0), |(lines & 16'hcccc), |(lines & 16'haaaa)};
  endfunction

  half_t low;
  assign low = decode(data_i[3:0], 1'b1);

  if (Directions != DirectionsDecrypt) begin : gen_encrypt
    localparam wires_t ToHigh = wires(1'b0, 1'b1);
    localparam wires_t ToLow = wires(1'b0, 1'b0);
    half_t high;
    assign high = decode(data_i[7:4], encrypt_i);
    assign encrypted_o = {number(collect(ToHigh, high, low)), number(collect(ToLow, high, low))};
  end else begin : gen_no_encrypt
    logic unused;
    assign unused = encrypt_i;
    assign encrypted_o = '0;
  end

  if (Directions != DirectionsEncrypt) begin : gen_decrypt
    localparam wires_t ToHigh = wires(1'b1, 1'b1);
    localparam wires_t ToLow = wires(1'b1, 1'b0);
    half_t high;
    assign high = decode(data_i[7:4], decrypt_i);
    assign decrypted_o = {number(collect(ToHigh, high, low)), number(collect(ToLow, high, low))};
  end else begin : gen_no_decrypt
    logic unused;
    assign unused = decrypt_i;
    assign decrypted_o = '0;
  end

endmodule

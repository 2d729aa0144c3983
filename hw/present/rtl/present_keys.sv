// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The key register with which blocks begin: the key itself for encryption, the key
// register after the last round for decryption. The latter takes 31 cycles of key
// schedule for each new key; blocks with the previous key continue meanwhile.
//
// A direction or key size that the parameters leave out costs no register.
module present_keys
  import present_pkg::*;
  import present_functions_pkg::*;
#(
  parameter int unsigned Directions = DirectionsBoth,
  parameter int unsigned KeySizes = KeySizesBoth
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         clear_i,

  input  logic         key_valid_i,
  output logic         key_ready_o,
  input  key_size_e    key_size_i,
  input  logic [127:0] key_i,

  // For each direction, whether there is a key, and the key register to begin with.
  output logic         encrypt_ready_o,
  output logic         decrypt_ready_o,
  output key_size_e    key_size_o,
  output logic [127:0] encrypt_key_o,
  output logic [127:0] decrypt_key_o
);

  logic         load, loaded_q;
  key_size_e    key_size;
  logic [127:0] key;

  assign key_ready_o = !clear_i && (KeySizes & (32'd1 << key_size_i)) != 0;
  assign load = key_valid_i && key_ready_o;

  // The size is a constant if the core has one only.
  if (KeySizes == KeySizesBoth) begin : gen_both_sizes
    key_size_e key_size_q;
    always_ff @(posedge clk_i) begin
      if (clear_i) key_size_q <= KeySize80;
      else if (load) key_size_q <= key_size_i;
    end
    assign key_size_o = key_size_q;
    assign key_size = key_size_i;
  end else if (KeySizes == KeySizes128) begin : gen_only_128
    assign key_size_o = KeySize128;
    assign key_size = KeySize128;
  end else begin : gen_only_80
    assign key_size_o = KeySize80;
    assign key_size = KeySize80;
  end

  assign key = (key_size == KeySize128) ? key_i : {key_i[79:0], 48'b0};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      loaded_q <= 1'b0;
    end else begin
      if (clear_i) loaded_q <= 1'b0;
      else if (load) loaded_q <= 1'b1;
    end
  end

  if ((Directions & DirectionsEncrypt) != 0) begin : gen_encrypt
    logic [127:0] first_key_q;
    always_ff @(posedge clk_i) begin
      if (clear_i) first_key_q <= '0;
      else if (load) first_key_q <= key;
    end
    assign encrypt_ready_o = loaded_q;
    assign encrypt_key_o = first_key_q;
  end else begin : gen_no_encrypt
    assign encrypt_ready_o = 1'b0;
    assign encrypt_key_o = '0;
  end

  if ((Directions & DirectionsDecrypt) != 0) begin : gen_decrypt
    logic [127:0] last_key_q;
    logic [4:0]   round_q;

    // The number of the next round; 0 when all are done.
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        round_q <= '0;
      end else begin
        if (clear_i) round_q <= '0;
        else if (load) round_q <= 5'd1;
        else if (round_q != '0) round_q <= round_q + 5'd1;
      end
    end

    always_ff @(posedge clk_i) begin
      if (clear_i) last_key_q <= '0;
      else if (load) last_key_q <= key;
      else if (round_q != '0) last_key_q <= key_next(key_size_o, last_key_q, round_q);
    end

    assign decrypt_ready_o = loaded_q && round_q == '0;
    assign decrypt_key_o = last_key_q;
  end else begin : gen_no_decrypt
    assign decrypt_ready_o = 1'b0;
    assign decrypt_key_o = '0;
  end

endmodule

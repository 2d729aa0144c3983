// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Selects the step of the key schedule after a fixed round of the pipeline, by the
// block's key size and direction. It selects between constants only.
module aes_pipelined_key_control
  import aes_pkg::*;
  import aes_pipelined_pkg::*;
#(
  parameter int unsigned KeySizes = KeySizesAll,
  parameter int unsigned Rounds   = 14,
  parameter int unsigned Round    = 1
) (
  input  logic [1:0] key_size_i,
  input  logic       decrypt_i,
  output key_step_t  step_o
);

  localparam key_step_t Encrypt128 = key_step(Round, Rounds, KeySize128, 1'b0);
  localparam key_step_t Decrypt128 = key_step(Round, Rounds, KeySize128, 1'b1);
  localparam key_step_t Encrypt192 = key_step(Round, Rounds, KeySize192, 1'b0);
  localparam key_step_t Decrypt192 = key_step(Round, Rounds, KeySize192, 1'b1);
  localparam key_step_t Encrypt256 = key_step(Round, Rounds, KeySize256, 1'b0);
  localparam key_step_t Decrypt256 = key_step(Round, Rounds, KeySize256, 1'b1);

  always_comb begin
    if (is_key_size(KeySizes, KeySize256, key_size_i)) begin
      step_o = decrypt_i ? Decrypt256 : Encrypt256;
    end else if (is_key_size(KeySizes, KeySize192, key_size_i)) begin
      step_o = decrypt_i ? Decrypt192 : Encrypt192;
    end else begin
      step_o = decrypt_i ? Decrypt128 : Encrypt128;
    end
  end

endmodule

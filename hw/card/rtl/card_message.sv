// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// What a message needs of its channel, from its configuration and its key slot: whether it has
// an IV, a tag, associated data; whether the key of its slot must be loaded or is missing; and
// its configuration with the size of that key. It has no state.
module card_message
  import card_pkg::*;
#(
  parameter int unsigned Core = accel_pkg::CoreAes // of the channel
) (
  input  logic [31:0] configuration_i,    // of the descriptor
  input  logic [7:0]  slot_i,             // 0: none
  input  logic        slot_held_i,        // it has a key
  input  logic        slot_tweak_held_i,
  input  logic [1:0]  slot_size_i,
  input  logic [7:0]  standing_i,         // slot whose key is in the channel; 0: none
  input  logic [7:0]  tweak_standing_i,
  output logic [31:0] configuration_o,
  output logic [2:0]  last_key_word_o,
  output logic        is_gcm_o,
  output logic        is_xts_o,
  output logic        needs_iv_o,
  output logic        has_tag_o,          // TAG is the message's
  output logic        takes_associated_o, // a packet of associated data, or of HMAC's key
  output logic        takes_tag_o,        // a packet of a tag
  output logic        bad_key_o,          // a key is missing, or the slot that is named
  output logic        load_key_o,
  output logic        load_tweak_o
);

  import accel_pkg::*;

  localparam bit HasKeys = has_modes(Core) || Core == CoreAscon;

  logic       bypass, needs_key;
  logic [2:0] mode;

  assign mode       = configuration_i[2:0];
  assign bypass     = has_modes(Core) && configuration_i[ConfigurationBypass];
  assign is_gcm_o   = has_modes(Core) && mode == ModeGcm && !bypass;
  assign is_xts_o   = has_modes(Core) && mode == ModeXts && !bypass;
  assign needs_key  = HasKeys && !bypass && mode != ModeDigest;
  assign needs_iv_o = needs_key && mode != ModeEcb;
  assign has_tag_o  = is_gcm_o || (Core == CoreAscon && mode == ModeAead);

  assign takes_associated_o = has_tag_o || (mode == ModeDigest && !bypass &&
                                            configuration_i[ConfigurationAuthenticate]);
  assign takes_tag_o        = Core == CoreAscon && mode == ModeAead &&
                              configuration_i[ConfigurationDirection];

  assign bad_key_o    = (slot_i != '0 && !slot_held_i) || (needs_key && slot_i == '0) ||
                        (is_xts_o && !slot_tweak_held_i);
  assign load_key_o   = needs_key && standing_i != slot_i;
  assign load_tweak_o = is_xts_o && tweak_standing_i != slot_i;

  // The size is that of the key in the slot.
  always_comb begin
    configuration_o = configuration_i;
    if (needs_key) begin
      configuration_o[ConfigurationKeySizeLsb +: 2] = slot_size_i;
    end
    unique case (slot_size_i)
      KeySize128: last_key_word_o = 3'd3;
      KeySize192: last_key_word_o = 3'd5;
      KeySize80:  last_key_word_o = 3'd2;
      default:    last_key_word_o = 3'd7;
    endcase
  end

endmodule

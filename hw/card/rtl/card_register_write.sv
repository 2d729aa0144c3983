// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The write of a channel's register that comes next: the first of those that are to be made, its
// address and data, and the word of the descriptor that it needs. It has no state.
module card_register_write
  import card_pkg::*;
(
  input  todo_t       todo_i,
  input  logic [31:0] configuration_i,
  input  logic [2:0]  key_word_i,
  input  logic        load_key_i,  // with the start
  input  logic [31:0] slot_data_i, // that word of the key
  input  logic [31:0] word_i,      // of the descriptor
  output logic        doing_o,     // there is one
  output do_e         now_o,
  output logic [3:0]  word_o,
  output logic [7:0]  address_o,
  output logic [31:0] data_o
);

  always_comb begin
    now_o   = DoCount;
    doing_o = 1'b0;
    for (int n = 32'(DoCount) - 1; n >= 0; n--) begin
      if (todo_i[n]) begin
        now_o   = do_e'(n);
        doing_o = 1'b1;
      end
    end
  end

  always_comb begin
    unique case (now_o)
      DoIv0:        word_o = WordIv;
      DoIv1:        word_o = WordIv + 4'd1;
      DoIv2:        word_o = WordIv + 4'd2;
      DoIv3:        word_o = WordIv + 4'd3;
      DoLength:     word_o = WordLength;
      DoAssociated: word_o = WordAssociated;
      default:      word_o = WordUnit;
    endcase
  end

  always_comb begin
    address_o = ChannelControl;
    data_o    = '0;
    unique case (now_o)
      DoInterrupt:     begin address_o = ChannelInterruptState;  data_o = 32'h3; end
      DoError:         begin address_o = ChannelError;           data_o = 32'h7F; end
      DoEnable:        begin address_o = ChannelInterruptEnable; data_o = 32'h3; end
      DoAbort:         data_o = ControlAbort;
      DoZeroise:       data_o = ControlZeroise;
      DoConfiguration: begin address_o = ChannelConfiguration; data_o = configuration_i; end
      DoTweak, DoKey: begin
        address_o = ChannelKey + 8'({key_word_i, 2'd0});
        data_o    = slot_data_i;
      end
      DoLoadTweak:     data_o = ControlLoadTweak;
      DoIv0:           begin address_o = ChannelIv;         data_o = word_i; end
      DoIv1:           begin address_o = ChannelIv + 8'd4;  data_o = word_i; end
      DoIv2:           begin address_o = ChannelIv + 8'd8;  data_o = word_i; end
      DoIv3:           begin address_o = ChannelIv + 8'd12; data_o = word_i; end
      DoLength:        begin address_o = ChannelLength;     data_o = word_i; end
      DoAssociated:    begin address_o = ChannelAssociated; data_o = word_i; end
      DoUnit:          begin address_o = ChannelUnit;       data_o = word_i; end
      DoStart:         data_o = ControlStart | (load_key_i ? ControlLoadKey : '0);
      default: ;
    endcase
  end

  logic unused;
  assign unused = ^todo_i;

endmodule

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Types and constants that the modules of the card share.
package card_pkg;

  /* verilator lint_off UNUSEDPARAM */

  // Descriptors inside a ring: read and not yet complete.
  parameter int unsigned Slots    = 8;
  parameter int unsigned SlotBits = 3;

  // Bytes of the structures in memory.
  parameter int unsigned DescriptorBytes = 64;
  parameter int unsigned SegmentBytes    = 16;
  parameter int unsigned CompletionBytes = 32;

  // Words of a descriptor.
  parameter logic [3:0] WordConfiguration = 4'd0;
  parameter logic [3:0] WordFlags         = 4'd1;
  parameter logic [3:0] WordIv            = 4'd2;
  parameter logic [3:0] WordLength        = 4'd6;
  parameter logic [3:0] WordAssociated    = 4'd7;
  parameter logic [3:0] WordSource        = 4'd8;
  parameter logic [3:0] WordDestination   = 4'd10;
  parameter logic [3:0] WordUnit          = 4'd12;
  parameter logic [3:0] WordOutput        = 4'd13;
  parameter logic [3:0] WordCookie        = 4'd14;

  // Bits of a descriptor's flags.
  parameter int unsigned FlagSourceList      = 0;
  parameter int unsigned FlagDestinationList = 1;
  parameter int unsigned FlagInterrupt       = 2;
  parameter int unsigned FlagTagPacket       = 3;
  parameter int unsigned FlagKeySlotLsb      = 8;

  // Registers of a channel that the card uses (accel.rdl).
  parameter logic [7:0] ChannelControl         = 8'h10;
  parameter logic [7:0] ChannelConfiguration   = 8'h14;
  parameter logic [7:0] ChannelStatus          = 8'h18;
  parameter logic [7:0] ChannelError           = 8'h1C;
  parameter logic [7:0] ChannelInterruptEnable = 8'h20;
  parameter logic [7:0] ChannelInterruptState  = 8'h24;
  parameter logic [7:0] ChannelLength          = 8'h28;
  parameter logic [7:0] ChannelIv              = 8'h30;
  parameter logic [7:0] ChannelKey             = 8'h40;
  parameter logic [7:0] ChannelAssociated      = 8'h88;
  parameter logic [7:0] ChannelTag             = 8'h90;
  parameter logic [7:0] ChannelUnit            = 8'hA0;

  // Bits of CONTROL.
  parameter logic [31:0] ControlStart     = 32'h01;
  parameter logic [31:0] ControlLoadKey   = 32'h02;
  parameter logic [31:0] ControlZeroise   = 32'h04;
  parameter logic [31:0] ControlAbort     = 32'h08;
  parameter logic [31:0] ControlLoadTweak = 32'h10;

  // Bits of STATUS.
  parameter int unsigned StatusBusy       = 0;
  parameter int unsigned StatusZeroising  = 1;
  parameter int unsigned StatusKeyPending = 3;
  parameter int unsigned StatusDone       = 4;
  parameter int unsigned StatusForged     = 6;
  parameter int unsigned StatusOutcomeLsb = 8;

  // Bits of CONFIGURATION.
  parameter int unsigned ConfigurationKeySizeLsb = 4;
  parameter int unsigned ConfigurationBypass     = 8;
  parameter int unsigned ConfigurationDirection  = 3;
  parameter int unsigned ConfigurationAuthenticate = 13;

  /* verilator lint_on UNUSEDPARAM */

  // The number of a message since ENABLE; the low bits are the slot of its descriptor.
  typedef logic [SlotBits:0] number_t;

  // A piece of a message in memory.
  typedef struct packed {
    logic [63:0] address;
    logic [31:0] length; // bytes, 1 or more
    logic        last;   // the packet ends with it
    logic        ends;   // this side of the message ends with it
  } piece_t;

  // The status of a message, the low bits of word 2 of its completion.
  typedef struct packed {
    logic [3:0] outcome;
    logic [7:0] error;   // ERROR of the accelerator
    logic       lengths;
    logic       list;
    logic       write;
    logic       read;
    logic       key;
    logic       refused;
    logic       forged;
    logic       done;
  } status_t;

  // A message that has ended in the accelerator.
  typedef struct packed {
    logic [127:0] tag;
    logic [31:0]  count;
    status_t      status;
    logic [63:0]  cookie;
    logic         notify; // interrupt without waiting for others
    logic         writes; // its output must be in memory first
    number_t      number;
  } result_t;

  // Writes of a channel's registers that a sequencer has to make, in this order.
  typedef enum logic [4:0] {
    DoInterrupt, DoError, DoEnable, DoAbort, DoZeroise, DoConfiguration, DoTweak, DoLoadTweak,
    DoKey, DoIv0, DoIv1, DoIv2, DoIv3, DoLength, DoAssociated, DoUnit, DoStart, DoCount
  } do_e;

  // The writes that are still to be made, a bit each.
  typedef logic [31:0] todo_t;

  function automatic todo_t bit_of(input do_e n);
    return todo_t'(1) << n;
  endfunction

endpackage

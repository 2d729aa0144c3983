// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The registers of the accelerator behind AXI4-Lite: connects the register block that is
// generated from accel.rdl to the signals of the other modules, and forms the interrupt.
// accel.rdl describes the effect of each write.
module accel_csr
  import accel_pkg::*;
#(
  parameter int unsigned Core              = CoreAes,
  parameter int unsigned Architecture      = ArchitectureIterative,
  parameter int unsigned SBox              = SBoxTable,
  parameter int unsigned Directions        = DirectionsBoth,
  parameter int unsigned KeySizes          = KeySizesAll,
  parameter int unsigned StagesPerRound    = 1,
  parameter int unsigned StreamWidth       = 128,
  parameter int unsigned InputFifoBlocks   = 8,
  parameter int unsigned OutputFifoBlocks  = 8,
  parameter int unsigned Asynchronous      = 0,
  parameter int unsigned Gcm               = 0,
  parameter int unsigned Xts               = 0,
  parameter int unsigned RoundsPerCycle    = 1,
  parameter int unsigned Sha2WordSizes     = 0,
  parameter int unsigned KeySlots          = 0,
  parameter int unsigned Channels          = 1,
  parameter int unsigned Cores             = 1
) (
  input  logic           clk_i,
  input  logic           rst_ni,
  input  logic [7:0]     channel_i, // its number; a port, so that channels share one module

  input  logic [7:0]     s_axil_awaddr_i,
  input  logic [2:0]     s_axil_awprot_i,
  input  logic           s_axil_awvalid_i,
  output logic           s_axil_awready_o,
  input  logic [31:0]    s_axil_wdata_i,
  input  logic [3:0]     s_axil_wstrb_i,
  input  logic           s_axil_wvalid_i,
  output logic           s_axil_wready_o,
  output logic [1:0]     s_axil_bresp_o,
  output logic           s_axil_bvalid_o,
  input  logic           s_axil_bready_i,
  input  logic [7:0]     s_axil_araddr_i,
  input  logic [2:0]     s_axil_arprot_i,
  input  logic           s_axil_arvalid_i,
  output logic           s_axil_arready_o,
  output logic [31:0]    s_axil_rdata_o,
  output logic [1:0]     s_axil_rresp_o,
  output logic           s_axil_rvalid_o,
  input  logic           s_axil_rready_i,
  output logic           interrupt_o,

  // Commands, each high for a cycle.
  output logic           start_o,
  output logic           load_key_o,
  output logic           zeroise_o,
  output logic           abort_o,
  output logic           load_tweak_key_o,
  output configuration_t configuration_o,
  output curve_function_t function_o,
  output logic [63:0]    length_o,
  output logic [60:0]    aad_length_o,
  output logic [31:0]    unit_length_o,

  input  logic           locked_i,
  input  logic           busy_i,
  input  logic           zeroising_i,
  input  logic           done_i,
  input  logic           forged_i,
  input  logic [3:0]     outcome_i,
  input  error_t         error_i,
  input  logic           ended_i,

  output logic [255:0]   key_o,
  output logic [7:0]     key_written_o, // words that are written in this cycle
  input  logic           key_clear_i,
  input  logic           key_locked_i,
  input  logic           key_loaded_i,
  input  logic           tweak_key_loaded_i,
  input  logic           key_pending_i,

  output logic [127:0]   iv_o,
  output logic           iv_written_o,
  input  logic           iv_clear_i,
  input  logic           iv_update_i,
  input  logic [127:0]   iv_i,
  output logic [63:0]    iv_blocks_o,
  input  logic           counted_i,

  input  logic [63:0]    cycles_i,
  input  logic [31:0]    stall_input_i,
  input  logic [31:0]    stall_output_i,
  input  logic [63:0]    sink_bytes_i,
  input  logic [127:0]   tag_i
);

  accel_registers_pkg::accel__in_t  to_registers;
  accel_registers_pkg::accel__out_t from_registers;

  accel_registers u_registers (
    .clk            (clk_i),
    .arst_n         (rst_ni),
    .s_axil_awready (s_axil_awready_o),
    .s_axil_awvalid (s_axil_awvalid_i),
    .s_axil_awaddr  (s_axil_awaddr_i),
    .s_axil_awprot  (s_axil_awprot_i),
    .s_axil_wready  (s_axil_wready_o),
    .s_axil_wvalid  (s_axil_wvalid_i),
    .s_axil_wdata   (s_axil_wdata_i),
    .s_axil_wstrb   (s_axil_wstrb_i),
    .s_axil_bready  (s_axil_bready_i),
    .s_axil_bvalid  (s_axil_bvalid_o),
    .s_axil_bresp   (s_axil_bresp_o),
    .s_axil_arready (s_axil_arready_o),
    .s_axil_arvalid (s_axil_arvalid_i),
    .s_axil_araddr  (s_axil_araddr_i),
    .s_axil_arprot  (s_axil_arprot_i),
    .s_axil_rready  (s_axil_rready_i),
    .s_axil_rvalid  (s_axil_rvalid_o),
    .s_axil_rdata   (s_axil_rdata_o),
    .s_axil_rresp   (s_axil_rresp_o),
    .hwif_in        (to_registers),
    .hwif_out       (from_registers)
  );

  localparam bit HasModes  = has_modes(Core);
  localparam bit IsAscon   = Core == CoreAscon;
  localparam bit HasCurves = Core == CoreEcc;
  localparam bit HasSha2   = Sha2WordSizes != 0;

  // ------------------------------------------------------------ from the host

  assign start_o    = from_registers.CONTROL.start.value;
  assign load_key_o = from_registers.CONTROL.load_key.value;
  assign zeroise_o  = from_registers.CONTROL.zeroise.value;
  assign abort_o    = from_registers.CONTROL.abort.value;

  assign load_tweak_key_o = from_registers.CONTROL.load_tweak_key.value;
  assign unit_length_o    = from_registers.DATA_UNIT_LENGTH.value.value;

  assign configuration_o.mode          = from_registers.CONFIGURATION.mode.value;
  assign configuration_o.direction     = from_registers.CONFIGURATION.direction.value;
  assign configuration_o.key_size      = from_registers.CONFIGURATION.key_size.value;
  assign configuration_o.counter_width = from_registers.CONFIGURATION.counter_width.value;
  assign configuration_o.bypass        = from_registers.CONFIGURATION.bypass.value;
  assign configuration_o.sink          = from_registers.CONFIGURATION.sink.value;
  assign configuration_o.hash          = from_registers.CONFIGURATION.hash.value;
  assign configuration_o.authenticate  = from_registers.CONFIGURATION.authenticate.value;

  assign function_o.operation = from_registers.CONFIGURATION.operation.value;
  assign function_o.curve     = from_registers.CONFIGURATION.curve.value;
  assign function_o.key_slot  =
      (KeySlots == 0) ? 4'd0 : from_registers.CONFIGURATION.key_slot.value;

  assign length_o    = {from_registers.MESSAGE_LENGTH_HIGH.value.value,
                        from_registers.MESSAGE_LENGTH_LOW.value.value};
  assign aad_length_o = {from_registers.AAD_LENGTH_HIGH.value.value,
                         from_registers.AAD_LENGTH_LOW.value.value};
  assign iv_blocks_o = {from_registers.IV_BLOCKS_HIGH.value.value,
                        from_registers.IV_BLOCKS_LOW.value.value};

  // A write to a word of the key without all its byte strobes is ignored, since its other
  // bytes would stay zero unnoticed. The register block performs a write after its
  // handshake; this register keeps the strobes until then.
  logic word_whole_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      word_whole_q <= 1'b0;
    end else if (s_axil_wvalid_i && s_axil_wready_o) begin
      word_whole_q <= &s_axil_wstrb_i;
    end
  end

  for (genvar n = 0; n < 8; n++) begin : gen_key
    assign key_o[32*n +: 32]               = from_registers.KEY[n].value.value;
    assign key_written_o[n]                = from_registers.KEY[n].value.swmod && !key_locked_i &&
                                             word_whole_q;
    assign to_registers.KEY[n].value.hwclr = key_clear_i;
  end

  logic [3:0] iv_word_written;

  for (genvar n = 0; n < 4; n++) begin : gen_iv
    assign iv_o[32*n +: 32]                = from_registers.IV[n].value.value;
    assign iv_word_written[n]              = from_registers.IV[n].value.swmod;
    assign to_registers.IV[n].value.we     = iv_update_i || iv_clear_i;
    assign to_registers.IV[n].value.next   = iv_clear_i ? '0 : iv_i[32*n +: 32];
  end

  assign iv_written_o = (iv_word_written != '0) && !locked_i;

  // ------------------------------------------------------------ to the host

  assign to_registers.locked     = locked_i;
  assign to_registers.key_locked = key_locked_i || !word_whole_q;
  assign to_registers.aad_locked = locked_i || (!IsAscon && !HasSha2 && (Gcm == 0));
  assign to_registers.xts_locked = locked_i || (Xts == 0);
  assign to_registers.ecc_locked = locked_i || !HasCurves;
  assign to_registers.slot_locked = locked_i || (KeySlots == 0);
  assign to_registers.slot_absent = KeySlots == 0;

  assign to_registers.sha2_locked = locked_i || !HasSha2;

  logic [63:0] iv_blocks_next;
  logic        iv_blocks_update;

  assign iv_blocks_update = counted_i || iv_written_o || iv_clear_i;
  assign iv_blocks_next   = counted_i ? iv_blocks_o + 64'd1 : '0;
  assign to_registers.IV_BLOCKS_LOW.value.we    = iv_blocks_update;
  assign to_registers.IV_BLOCKS_LOW.value.next  = iv_blocks_next[31:0];
  assign to_registers.IV_BLOCKS_HIGH.value.we   = iv_blocks_update;
  assign to_registers.IV_BLOCKS_HIGH.value.next = iv_blocks_next[63:32];

  assign to_registers.STATUS.busy.next        = busy_i;
  assign to_registers.STATUS.zeroising.next   = zeroising_i;
  assign to_registers.STATUS.key_loaded.next  = key_loaded_i;
  assign to_registers.STATUS.key_pending.next = key_pending_i;
  assign to_registers.STATUS.done.next        = done_i;
  assign to_registers.STATUS.forged.next      = forged_i && !busy_i;

  assign to_registers.STATUS.outcome.next     = busy_i ? '0 : outcome_i;

  assign to_registers.STATUS.tweak_key_loaded.next = tweak_key_loaded_i;

  assign to_registers.ERROR.length.hwset      = error_i.length;
  assign to_registers.ERROR.counter.hwset     = error_i.counter;
  assign to_registers.ERROR.no_key.hwset      = error_i.no_key;
  assign to_registers.ERROR.unsupported.hwset = error_i.unsupported;
  assign to_registers.ERROR.busy.hwset        = error_i.busy;
  assign to_registers.ERROR.framing.hwset     = error_i.framing;
  assign to_registers.ERROR.slot.hwset        = error_i.slot;

  assign to_registers.INTERRUPT_STATE.done.hwset  = ended_i;
  assign to_registers.INTERRUPT_STATE.error.hwset = error_i != '0;

  assign to_registers.CYCLES_LOW.value.next      = cycles_i[31:0];
  assign to_registers.CYCLES_HIGH.value.next     = cycles_i[63:32];
  assign to_registers.STALL_INPUT.value.next     = stall_input_i;
  assign to_registers.STALL_OUTPUT.value.next    = stall_output_i;
  assign to_registers.SINK_BYTES_LOW.value.next  = sink_bytes_i[31:0];
  assign to_registers.SINK_BYTES_HIGH.value.next = sink_bytes_i[63:32];

  // The tag reads as zero unless the message ended without an error.
  for (genvar n = 0; n < 4; n++) begin : gen_tag
    assign to_registers.TAG[n].value.next = done_i ? tag_i[32*n +: 32] : '0;
  end

  // ------------------------------------------------------------ what the device is

  localparam bit Encrypts = (HasModes || IsAscon) && (Directions & DirectionsEncrypt) != 0;
  localparam bit Decrypts = (HasModes || IsAscon) && (Directions & DirectionsDecrypt) != 0;

  // With elliptic curves KeySizes are the curves.
  localparam int unsigned CipherKeys = HasCurves ? 0 : KeySizes;
  localparam int unsigned Curves     = HasCurves ? KeySizes : 0;

  localparam int unsigned WholeArchitecture =
      (IsAscon && RoundsPerCycle != 1) ? ArchitectureUnrolled : ArchitectureIterative;

  assign to_registers.CAPABILITY.algorithm.next    = 4'(Core);
  assign to_registers.CAPABILITY.architecture.next =
      4'((IsAscon || Core == CoreSha2) ? WholeArchitecture : Architecture);
  assign to_registers.CAPABILITY.sbox.next         = 2'(SBox);
  assign to_registers.CAPABILITY.encrypt.next      = Encrypts;
  assign to_registers.CAPABILITY.decrypt.next      = Decrypts;
  assign to_registers.CAPABILITY.key_128.next      = (CipherKeys & KeySizes128) != 0;
  assign to_registers.CAPABILITY.key_192.next      = (CipherKeys & KeySizes192) != 0;
  assign to_registers.CAPABILITY.key_256.next      = (CipherKeys & KeySizes256) != 0;
  assign to_registers.CAPABILITY.key_80.next       = (CipherKeys & KeySizes80) != 0;
  assign to_registers.CAPABILITY.ecb.next          = HasModes;
  assign to_registers.CAPABILITY.cbc.next          = HasModes;
  assign to_registers.CAPABILITY.ctr.next          = HasModes && Encrypts; // CTR only encrypts
  assign to_registers.CAPABILITY.bypass.next       = HasModes;
  assign to_registers.CAPABILITY.sink.next         = 1'b1;
  assign to_registers.CAPABILITY.asynchronous.next = Asynchronous != 0;
  assign to_registers.CAPABILITY.gcm.next          = Encrypts && (Gcm != 0);
  assign to_registers.CAPABILITY.xts.next          = Xts != 0;
  assign to_registers.CAPABILITY.aead.next         = IsAscon;
  assign to_registers.CAPABILITY.digest.next       = IsAscon;
  assign to_registers.CAPABILITY.p_256.next        = Curves[0];
  assign to_registers.CAPABILITY.p_384.next        = Curves[1];
  assign to_registers.CAPABILITY.p_521.next        = Curves[2];
  assign to_registers.CAPABILITY.sha2_32.next      = (Sha2WordSizes & WordSizes32) != 0;
  assign to_registers.CAPABILITY.sha2_64.next      = (Sha2WordSizes & WordSizes64) != 0;

  assign to_registers.GEOMETRY.stream_bytes.next       = 8'(StreamWidth / 8);
  assign to_registers.GEOMETRY.input_fifo_blocks.next  = 8'(InputFifoBlocks);
  assign to_registers.GEOMETRY.output_fifo_blocks.next = 8'(OutputFifoBlocks);
  assign to_registers.GEOMETRY.stages_per_round.next   =
      (HasModes && Architecture == ArchitecturePipelined) ? 4'(StagesPerRound) : 4'd0;
  assign to_registers.GEOMETRY.key_slots.next          = 4'(KeySlots);

  assign to_registers.CHANNELS.count.next = 8'(Channels);
  assign to_registers.CHANNELS.cores.next = 8'(Cores);
  assign to_registers.CHANNELS.index.next = channel_i;

  // ------------------------------------------------------------ the interrupt

  // A register, so that the line has no glitches and can cross to another clock.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      interrupt_o <= 1'b0;
    end else begin
      interrupt_o <=
          (from_registers.INTERRUPT_STATE.done.value &&
           from_registers.INTERRUPT_ENABLE.done.value) ||
          (from_registers.INTERRUPT_STATE.error.value &&
           from_registers.INTERRUPT_ENABLE.error.value);
    end
  end

endmodule

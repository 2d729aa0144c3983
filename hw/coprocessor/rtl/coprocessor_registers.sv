// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The registers of the block coprocessors: they collect the words of keys and blocks,
// pass them to a cipher, and answer reads of its results. The map is coprocessor.rdl.
//
// The cipher has the handshakes of aes_core: valid, ready, payload. A key or block
// goes to the cipher in the cycle in which the bus offers its last word, and the bus
// waits for the cipher's ready. control_*_o are the fields of CONTROL.
// key_last_word_i is the number of the last word of the selected key size.
// key_allowed_i and block_allowed_i say that the cipher supports the selected size and
// direction; otherwise the key or block is dropped and the error is set.
module coprocessor_registers
  import coprocessor_pkg::*;
  import coprocessor_registers_pkg::*;
#(
  parameter int unsigned DataWidth = 32,
  parameter int unsigned BlockWidth = 128,
  parameter int unsigned KeyWords = 8,
  parameter logic [7:0] Kind = 8'h00,
  parameter int unsigned BlocksInFlight = 2,
  localparam int unsigned CountWidth = $clog2(BlocksInFlight + 1)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   bus_valid_i,
  input  logic                   bus_write_i,
  input  logic [11:0]            bus_address_i,
  input  logic [DataWidth-1:0]   bus_wdata_i,
  input  logic [DataWidth/8-1:0] bus_wstrb_i,
  output logic                   bus_ready_o,
  output logic [DataWidth-1:0]   bus_rdata_o,
  output logic                   busy_o,
  output logic                   irq_o,

  output logic                   control_decrypt_o,
  output logic [1:0]             control_key_size_o,
  output logic                   control_final_o,
  output logic                   zeroise_o,

  output logic                   key_valid_o,
  input  logic                   key_ready_i,
  input  logic                   key_allowed_i,
  input  logic [2:0]             key_last_word_i,
  output logic [32*KeyWords-1:0] key_o,

  output logic                   block_valid_o,
  input  logic                   block_ready_i,
  input  logic                   block_allowed_i,
  output logic [BlockWidth-1:0]  block_o,

  input  logic                   result_valid_i,
  output logic                   result_ready_o,
  input  logic [BlockWidth-1:0]  result_i,
  input  logic [CountWidth-1:0]  results_i,
  input  logic                   sweep_i
);

  localparam int unsigned Words = BlockWidth / 32;
  localparam int unsigned LineBits = $clog2(BlockWidth / 8);

  logic                  line_valid, line_write, line_ready;
  logic [11:0]           address;
  logic [Words-1:0]      words;
  logic [BlockWidth-1:0] wdata, rdata;

  coprocessor_lanes #(
    .DataWidth(DataWidth),
    .LineWidth(BlockWidth)
  ) u_lanes (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .bus_valid_i   (bus_valid_i),
    .bus_write_i   (bus_write_i),
    .bus_address_i (bus_address_i),
    .bus_wdata_i   (bus_wdata_i),
    .bus_wstrb_i   (bus_wstrb_i),
    .bus_ready_o   (bus_ready_o),
    .bus_rdata_o   (bus_rdata_o),
    .line_valid_o  (line_valid),
    .line_write_o  (line_write),
    .line_address_o(address),
    .line_words_o  (words),
    .line_wdata_o  (wdata),
    .line_ready_i  (line_ready),
    .line_rdata_i  (rdata)
  );

  // The window of a line. Each window is aligned to its size; DATA_OUT and DATA_OUT_WIDE
  // form one.
  localparam int unsigned KeyBits = $clog2(4 * KeyCount);
  localparam int unsigned InBits = $clog2(4 * DataInCount);
  localparam int unsigned OutBits = $clog2(4 * (DataOutCount + DataOutWideCount));

  logic at_control, at_error, at_key, at_data_in, at_data_out;
  assign at_control = line_write && address[11:LineBits] == ControlOffset[11:LineBits];
  assign at_error = line_write && address[11:LineBits] == ErrorOffset[11:LineBits];
  assign at_key = line_write && address[11:KeyBits] == KeyOffset[11:KeyBits];
  assign at_data_in = line_write && address[11:InBits] == DataInOffset[11:InBits];
  assign at_data_out = !line_write && address[11:OutBits] == DataOutOffset[11:OutBits];

  logic unused_address;
  assign unused_address = ^address[3:0];

  // The word numbers of CONTROL and ERROR in their lines.
  localparam int unsigned ControlPlace = 32'(ControlOffset[LineBits-1:2]);
  localparam int unsigned ControlLsb = 32 * ControlPlace;
  localparam int unsigned ErrorPlace = 32'(ErrorOffset[LineBits-1:2]);
  localparam int unsigned ErrorLsb = 32 * ErrorPlace;

  logic       control_write, error_write, decrypt_q, final_q;
  logic [1:0] key_size_q;

  assign control_write = line_valid && at_control && words[ControlPlace];
  assign error_write = line_valid && at_error && words[ErrorPlace];
  assign zeroise_o = control_write && wdata[ControlLsb + ControlZeroiseLsb];
  assign control_decrypt_o = decrypt_q;
  assign control_key_size_o = key_size_q;
  assign control_final_o = final_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {final_q, key_size_q, decrypt_q} <= '0;
    end else if (control_write) begin
      decrypt_q  <= wdata[ControlLsb + ControlDecryptLsb];
      key_size_q <= wdata[ControlLsb + ControlKeySizeLsb+:ControlKeySizeWidth];
      final_q    <= wdata[ControlLsb + ControlFinalRoundLsb];
    end
  end

  // KEY: the words so far (key_q), and with those of this cycle (key_d).
  logic [32*KeyWords-1:0] key_q, key_d;
  logic [KeyWords-1:0]    key_words;
  logic                   key_last, key_done;

  for (genvar n = 0; n < KeyWords; n++) begin : gen_key_word
    assign key_words[n] = at_key && words[n%Words] &&
        address[KeyBits-1:LineBits] == (KeyBits - LineBits)'(n / Words);
    assign key_d[32*n+:32] = key_words[n] ? wdata[32*(n%Words)+:32] : key_q[32*n+:32];
  end

  always_comb begin
    key_last = 1'b0;
    for (int unsigned n = 0; n < KeyWords; n++) begin
      if (key_words[n] && key_last_word_i == 3'(n)) key_last = 1'b1;
    end
  end

  assign key_valid_o = line_valid && key_last && key_allowed_i;
  assign key_done = !key_last || !key_allowed_i || key_ready_i;
  assign key_o = key_d;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      key_q <= '0;
    end else if (zeroise_o || (line_valid && key_last && key_done)) begin
      key_q <= '0;
    end else if (line_valid) begin
      key_q <= key_d;
    end
  end

  // DATA_IN: all words but the last, which goes directly to the cipher.
  logic [BlockWidth-33:0] block_q, block_d;
  logic                   push, push_done;

  for (genvar n = 0; n < Words - 1; n++) begin : gen_block_word
    assign block_d[32*n+:32] = (at_data_in && words[n]) ? wdata[32*n+:32] : block_q[32*n+:32];
  end

  assign push = line_valid && at_data_in && words[Words-1];
  assign block_o = {wdata[BlockWidth-1-:32], block_d};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      block_q <= '0;
    end else if (zeroise_o || (push && push_done)) begin
      block_q <= '0;
    end else if (line_valid) begin
      block_q <= block_d;
    end
  end

  // DATA_OUT, and flow control.
  logic    read_done;
  status_t status;

  coprocessor_flow #(
    .BlocksInFlight(BlocksInFlight)
  ) u_flow (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .zeroise_i     (zeroise_o),
    .key_taken_i   (key_valid_o && key_ready_i),
    .bad_i         (line_valid && key_last && !key_allowed_i),
    .clear_error_i (error_write && wdata[ErrorLsb + ErrorOrderLsb]),
    .push_i        (push),
    .push_allowed_i(block_allowed_i),
    .push_valid_o  (block_valid_o),
    .push_ready_i  (block_ready_i),
    .push_done_o   (push_done),
    .read_i        (line_valid && at_data_out),
    .read_last_i   (words[Words-1]),
    .read_done_o   (read_done),
    .pop_o         (result_ready_o),
    .result_valid_i(result_valid_i),
    .results_i     (results_i),
    .sweep_i       (sweep_i),
    .waiting_i     (key_valid_o && !key_ready_i),
    .busy_o        (busy_o),
    .status_o      (status)
  );

  assign irq_o = result_valid_i;

  always_comb begin
    line_ready = 1'b1;
    if (at_key) line_ready = key_done;
    if (push) line_ready = push_done;
    if (at_data_out) line_ready = read_done;
  end

  // Reads. The header's registers are in the first 32 bytes.
  logic [255:0] registers;

  always_comb begin
    registers = '0;
    registers[32*IdentificationOffset[4:2]+:32] = identification_word(Kind);
    registers[32*VersionOffset[4:2]+:32] = version_word();
    registers[32*CapabilityOffset[4:2]+CapabilityBlocksInFlightLsb+:CapabilityBlocksInFlightWidth] =
        CapabilityBlocksInFlightWidth'(BlocksInFlight);
    registers[32*ControlOffset[4:2]+:32] = control_word(decrypt_q, key_size_q, final_q);
    registers[32*StatusOffset[4:2]+:32] = status_word(status);
    registers[32*ErrorOffset[4:2]+ErrorOrderLsb] = status.error;
  end

  always_comb begin
    rdata = '0;
    if (at_data_out) begin
      rdata = result_i;
    end else if (address[11:5] == '0) begin
      rdata = registers[BlockWidth*address[4:LineBits]+:BlockWidth];
    end
  end

`ifndef SYNTHESIS
  // Rules for the surrounding logic. On wide buses the strobes of a read are used.
  prim_stream_rules #(
    .Width (13 + DataWidth + DataWidth / 8)
  ) u_rules (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (1'b0),
    .valid_i   (bus_valid_i),
    .ready_i   (bus_ready_o),
    .payload_i ({bus_write_i, bus_address_i, bus_write_i ? bus_wdata_i : '0,
                  (bus_write_i || DataWidth > 32) ? bus_wstrb_i : '0})
  );
`endif

endmodule

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// AES-128 or PRESENT-80 behind the registers of a coprocessor shell: data-in,
// data-out, control, and a decoder of instructions (load key, load text, run,
// read), 32 bits wide. The README has the instructions.
//
// Key and text have a register each, from which they go to the cipher: the key when its
// last word is loaded, the text at a run instruction. The words of the next block may be
// loaded meanwhile, and a block may be computed while the previous result is read. The
// bus waits only for a register to become free and for a result.
module coprocessor_shell
  import coprocessor_pkg::*;
  import coprocessor_shell_registers_pkg::*;
#(
  parameter int unsigned Algorithm = AlgorithmAes,
  // 1 encrypt, 2 decrypt, 3 both (aes_pkg, present_pkg).
  parameter int unsigned Directions = 3,
  // AES only: S-box, a number of aes_pkg.
  parameter int unsigned SBox = 0,
  // AES only: round keys stored (1) or computed for each block (0).
  parameter int unsigned KeyStorage = 1
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        bus_valid_i,
  input  logic        bus_write_i,
  input  logic [11:0] bus_address_i,
  input  logic [31:0] bus_wdata_i,
  input  logic [3:0]  bus_wstrb_i,
  output logic        bus_ready_o,
  output logic [31:0] bus_rdata_o,
  output logic        busy_o,
  output logic        irq_o
);

  if (Algorithm > AlgorithmPresent) begin : gen_bad_algorithm
    $error("coprocessor_shell: Algorithm must be 0 (AES-128) or 1 (PRESENT-80)");
  end

  localparam int unsigned KeyWords = (Algorithm == AlgorithmAes) ? 4 : 3;
  localparam int unsigned TextWords = (Algorithm == AlgorithmAes) ? 4 : 2;
  localparam logic [1:0]  LastKeyWord = 2'(KeyWords - 1);
  localparam logic [1:0]  LastTextWord = 2'(TextWords - 1);
  localparam int unsigned TextWidth = 32 * TextWords;

  // The cipher's results.
  logic                 result_valid, result_ready, read_done, sweep, direction_there;
  logic [1:0]           results;
  logic [TextWidth-1:0] result;
  status_t              status;

  // The decoder. An instruction takes effect in the cycle in which COMMAND is written.
  logic       write, at_command, at_error, at_data_in, at_data_out, done, stream;
  logic [3:0] instruction;
  logic [1:0] index;

  assign write = bus_valid_i && bus_write_i && (&bus_wstrb_i);
  assign at_command = write && bus_address_i == CommandOffset;
  assign at_error = write && bus_address_i == ErrorOffset;
  assign at_data_in = write && bus_address_i == DataInOffset;
  assign at_data_out = bus_valid_i && !bus_write_i && bus_address_i == DataOutOffset;
  assign instruction = bus_wdata_i[CommandInstructionLsb+:CommandInstructionWidth];
  assign index = bus_wdata_i[CommandIndexLsb+:CommandIndexWidth];

  // Stream mode: the numbers of the next word in and out.
  logic        stream_q, stream_key_q, in_key_q, decrypt_q, zeroise;
  logic [1:0]  in_index_q, out_index_q;
  logic [31:0] data_in_q;

  assign stream = instruction == CommandInstructionStream ||
      instruction == CommandInstructionStreamKey;
  assign zeroise = (at_command && instruction == CommandInstructionZeroise) ||
      (write && bus_address_i == ControlOffset && bus_wdata_i[ControlZeroiseLsb]);

  // The load of this cycle: an instruction loads from DATA_IN; in stream mode, a write of
  // DATA_IN is a load.
  logic        load_key, load_text, run;
  logic [1:0]  load_index;
  logic [31:0] load_word;

  always_comb begin
    load_key = at_command && instruction == CommandInstructionLoadKey;
    load_text = at_command && instruction == CommandInstructionLoadText;
    run = at_command && instruction == CommandInstructionRun;
    load_index = index;
    load_word = data_in_q;
    if (at_data_in && stream_q) begin
      load_key = in_key_q;
      load_text = !in_key_q;
      run = !in_key_q && in_index_q == LastTextWord;
      load_index = in_index_q;
      load_word = bus_wdata_i;
    end
  end

  // The registers of key and text. Pending: complete but not yet in the cipher.
  logic                       key_pending_q, text_pending_q, text_decrypt_q;
  logic [KeyWords-1:0][31:0]  key_q;
  logic [TextWords-1:0][31:0] text_q;
  logic                       key_ready, text_ready, key_complete, key_done, text_done;
  logic                       push_valid, push_done;

  // The last key word waits until an earlier text is in the cipher, so that if key and text
  // are both pending the key is the older one.
  assign key_complete = load_key && load_index == LastKeyWord;
  assign key_done = !key_pending_q && !(key_complete && text_pending_q);
  assign text_done = !text_pending_q && (!run || push_done);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      key_pending_q <= 1'b0;
      key_q         <= '0;
    end else if (zeroise || (key_pending_q && key_ready)) begin
      key_pending_q <= 1'b0;
      key_q         <= '0;
    end else if (load_key && key_done) begin
      key_pending_q <= key_complete;
      for (int unsigned n = 0; n < KeyWords; n++) begin
        if (load_index == 2'(n)) key_q[n] <= load_word;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      text_pending_q <= 1'b0;
      text_decrypt_q <= 1'b0;
      text_q         <= '0;
    end else if (zeroise || (text_pending_q && text_ready && !key_pending_q)) begin
      text_pending_q <= 1'b0;
      text_q         <= '0;
    end else begin
      if (push_valid && !text_pending_q) begin
        text_pending_q <= 1'b1;
        text_decrypt_q <= run && at_command ? bus_wdata_i[CommandDecryptLsb] : decrypt_q;
      end
      if (load_text && text_done) begin
        for (int unsigned n = 0; n < TextWords; n++) begin
          if (load_index == 2'(n)) text_q[n] <= load_word;
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {stream_q, stream_key_q, in_key_q, decrypt_q, in_index_q, out_index_q, data_in_q} <= '0;
    end else if (zeroise) begin
      {stream_q, stream_key_q, in_key_q, decrypt_q, in_index_q, out_index_q, data_in_q} <= '0;
    end else if (at_command && done) begin
      stream_q     <= stream;
      stream_key_q <= instruction == CommandInstructionStreamKey;
      in_key_q     <= instruction == CommandInstructionStreamKey;
      decrypt_q    <= bus_wdata_i[CommandDecryptLsb];
      in_index_q   <= '0;
      if (instruction == CommandInstructionRead) out_index_q <= index;
      if (stream) out_index_q <= '0;
      if (load_key || load_text) data_in_q <= '0;
    end else if (at_data_in && done) begin
      if (!stream_q) begin
        data_in_q <= bus_wdata_i;
      end else if (in_index_q == (in_key_q ? LastKeyWord : LastTextWord)) begin
        in_index_q <= '0;
        in_key_q   <= stream_key_q && !in_key_q;
      end else begin
        in_index_q <= in_index_q + 2'd1;
      end
    end else if (at_data_out && result_valid && stream_q) begin
      out_index_q <= (out_index_q == LastTextWord) ? '0 : out_index_q + 2'd1;
    end
  end

  // The cipher, two blocks in flight.
  assign direction_there = at_command ? Directions[5'(bus_wdata_i[CommandDecryptLsb])] : Directions[5'(decrypt_q)];

  coprocessor_flow #(
    .BlocksInFlight(2)
  ) u_flow (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .zeroise_i     (zeroise),
    .key_taken_i   (key_complete && key_done),
    .bad_i         (1'b0),
    .clear_error_i (at_error && bus_wdata_i[ErrorOrderLsb]),
    .push_i        (run),
    .push_allowed_i(direction_there),
    .push_valid_o  (push_valid),
    .push_ready_i  (!text_pending_q),
    .push_done_o   (push_done),
    .read_i        (at_data_out),
    .read_last_i   (out_index_q == LastTextWord),
    .read_done_o   (read_done),
    .pop_o         (result_ready),
    .result_valid_i(result_valid),
    .results_i     (results),
    .sweep_i       (sweep),
    .waiting_i     (key_pending_q),
    .busy_o        (busy_o),
    .status_o      (status)
  );

  if (Algorithm == AlgorithmAes) begin : gen_aes
    coprocessor_aes #(
      .DataPath      (AesIterative),
      .BlocksInFlight(2),
      .SBox          (SBox),
      .Directions    (Directions),
      .KeySizes      (aes_pkg::KeySizes128),
      .KeyStorage    (KeyStorage)
    ) u_cipher (
      .clk_i            (clk_i),
      .rst_ni           (rst_ni),
      .zeroise_i        (zeroise),
      .key_valid_i      (key_pending_q),
      .key_ready_o      (key_ready),
      .key_size_i       (aes_pkg::KeySize128),
      .key_i            ({128'h0, key_q}),
      .block_valid_i    (text_pending_q && !key_pending_q),
      .block_ready_o    (text_ready),
      .block_direction_i(aes_pkg::direction_e'(text_decrypt_q)),
      .block_i          (text_q),
      .block_valid_o    (result_valid),
      .block_ready_i    (result_ready),
      .block_o          (result),
      .results_o        (results),
      .sweep_o          (sweep)
    );
  end else begin : gen_present
    coprocessor_present_cipher #(
      .BlocksInFlight(2),
      .Directions    (Directions),
      .KeySizes      (present_pkg::KeySizes80)
    ) u_cipher (
      .clk_i            (clk_i),
      .rst_ni           (rst_ni),
      .zeroise_i        (zeroise),
      .key_valid_i      (key_pending_q),
      .key_ready_o      (key_ready),
      .key_size_i       (present_pkg::KeySize80),
      .key_i            ({32'h0, key_q}),
      .block_valid_i    (text_pending_q && !key_pending_q),
      .block_ready_o    (text_ready),
      .block_direction_i(present_pkg::direction_e'(text_decrypt_q)),
      .block_i          (text_q),
      .block_valid_o    (result_valid),
      .block_ready_i    (result_ready),
      .block_o          (result),
      .results_o        (results),
      .sweep_o          (sweep)
    );
  end

  assign irq_o = result_valid;

  // Transfers: a write waits for the register that it loads, a read of DATA_OUT waits for
  // its result.
  always_comb begin
    done = 1'b1;
    if (load_key) done = key_done;
    if (load_text || run) done = text_done;
    if (at_data_out) done = read_done;
  end

  assign bus_ready_o = done;

  always_comb begin
    bus_rdata_o = '0;
    unique case (bus_address_i)
      CommandOffset, StatusOffset: begin
        bus_rdata_o[StatusBusyLsb] = status.busy;
        bus_rdata_o[StatusAvailableLsb] = status.available;
        bus_rdata_o[StatusAcceptsLsb] = status.accepts;
        bus_rdata_o[StatusErrorLsb] = status.error;
      end
      DataOutOffset:        bus_rdata_o = result[32*out_index_q+:32];
      IdentificationOffset: bus_rdata_o = IdentificationMagicValue;
      VersionOffset: begin
        bus_rdata_o[VersionPatchLsb+:VersionPatchWidth] = VersionPatchValue;
        bus_rdata_o[VersionMinorLsb+:VersionMinorWidth] = VersionMinorValue;
        bus_rdata_o[VersionMajorLsb+:VersionMajorWidth] = VersionMajorValue;
      end
      CapabilityOffset: begin
        bus_rdata_o[CapabilityAlgorithmLsb+:CapabilityAlgorithmWidth] =
            CapabilityAlgorithmWidth'(Algorithm);
        bus_rdata_o[CapabilityEncryptLsb] = Directions[0];
        bus_rdata_o[CapabilityDecryptLsb] = Directions[1];
      end
      ErrorOffset: bus_rdata_o[ErrorOrderLsb] = status.error;
      default: ;
    endcase
  end

`ifndef SYNTHESIS
  // Rules for the surrounding logic.
  prim_stream_rules #(
    .Width (49)
  ) u_rules (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (1'b0),
    .valid_i   (bus_valid_i),
    .ready_i   (bus_ready_o),
    .payload_i ({bus_write_i, bus_address_i, bus_write_i ? bus_wdata_i : '0,
                  bus_write_i ? bus_wstrb_i : '0})
  );
`endif

endmodule

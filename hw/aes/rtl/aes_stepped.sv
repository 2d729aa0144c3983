// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// AES-128 encryption, one operation of a round a cycle: a block every 33 cycles, as in
// V. Conti, S. Vitabile, "Design Exploration of AES Accelerators on FPGAs and GPUs",
// section 4. Interface as aes_core.
//
//   cycle 1        takes the block
//   cycle 2        AddRoundKey with the key
//   cycles 3 to 32 ten rounds: SubBytes with ShiftRows, MixColumns, AddRoundKey
//   cycle 33       gives the result to the output register
//
// The last round has no MixColumns; its cycle leaves the state as it is. The S-boxes are
// free in the cycles of MixColumns, and then serve the key schedule: there are 16 of them.
// The key schedule runs beside each block, so a key may change at any time.
module aes_stepped
  import aes_pkg::*;
  import aes_functions_pkg::*;
#(
  parameter int unsigned SBox = SBoxTable,
  parameter int unsigned TagWidth = 8
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                key_valid_i,
  output logic                key_ready_o,
  input  key_size_e           key_size_i,
  input  logic [255:0]        key_i,

  input  logic                block_valid_i,
  output logic                block_ready_o,
  input  direction_e          block_direction_i,
  input  logic [127:0]        block_i,
  input  logic [TagWidth-1:0] block_tag_i,

  output logic                block_valid_o,
  input  logic                block_ready_i,
  output logic [127:0]        block_o,
  output logic [TagWidth-1:0] block_tag_o,

  input  logic                zeroise_i,
  output logic                busy_o,
  output logic                idle_o
);

  if (SBox > SBoxDecoder) begin : gen_bad_sbox
    $error("aes_stepped: SBox must be 0 (table), 1 (composite) or 2 (decoder)");
  end
  if (TagWidth < 1) begin : gen_bad_tag_width
    $error("aes_stepped: TagWidth must be at least 1");
  end

  localparam logic [3:0] LastRound = 4'd10;

  typedef enum logic [2:0] {
    StepIdle,
    StepFirstKey,
    StepSubstitute,
    StepMix,
    StepAddKey,
    StepGive
  } step_e;

  // Zeroisation: every register with key or data clears in one cycle.
  logic clear, unused_sweep_address;

  aes_sweep #(
    .Entries(2)
  ) u_sweep (
    .clk_i    (clk_i),
    .rst_ni   (rst_ni),
    .zeroise_i(zeroise_i),
    .clear_o  (clear),
    .busy_o   (busy_o),
    .address_o(unused_sweep_address)
  );

  // Key.
  logic         key_load, key_loaded_q;
  logic [127:0] key_q;

  assign key_ready_o = !clear && key_size_i == KeySize128;
  assign key_load = key_valid_i && key_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) key_loaded_q <= 1'b0;
    else if (clear) key_loaded_q <= 1'b0;
    else if (key_load) key_loaded_q <= 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (clear) key_q <= '0;
    else if (key_load) key_q <= key_i[127:0];
  end

  logic unused_key;
  assign unused_key = ^key_i[255:128];

  // Control.
  step_e      step_q, step_d;
  logic [3:0] round_q;
  logic       block_load, last, give;

  assign block_ready_o = !clear && key_loaded_q && step_q == StepIdle &&
      block_direction_i == DirectionEncrypt;
  assign block_load = block_valid_i && block_ready_o;
  assign last = round_q == LastRound;
  assign give = step_q == StepGive && !block_valid_o;

  always_comb begin
    step_d = step_q;
    unique case (step_q)
      StepIdle: if (block_load) step_d = StepFirstKey;
      StepFirstKey: step_d = StepSubstitute;
      StepSubstitute: step_d = StepMix;
      StepMix: step_d = StepAddKey;
      StepAddKey: step_d = last ? StepGive : StepSubstitute;
      StepGive: if (give) step_d = StepIdle;
      default: step_d = StepIdle;
    endcase
    if (clear) step_d = StepIdle;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) step_q <= StepIdle;
    else step_q <= step_d;
  end

  always_ff @(posedge clk_i) begin
    if (step_q == StepFirstKey) round_q <= 4'd1;
    else if (step_q == StepAddKey) round_q <= round_q + 4'd1;
  end

  // The data path, and the key schedule (FIPS 197, section 5.2).
  logic [127:0]        state_q, substituted, mixed;
  logic [3:0][31:0]    round_key_q, next_key;
  logic [7:0]          constant_q;
  logic [TagWidth-1:0] tag_q;

  aes_sbox #(
    .SBox      (SBox),
    .Directions(DirectionsEncrypt),
    .Bytes     (16)
  ) u_sbox (
    .direction_i(DirectionEncrypt),
    .data_i     ({state_q[127:32], step_q == StepMix ? round_key_q[3] : state_q[31:0]}),
    .data_o     (substituted)
  );

  for (genvar n = 0; n < 4; n++) begin : gen_column
    assign mixed[32*n+:32] = mix_column(state_q[32*n+:32]);
  end

  always_comb begin
    next_key[0] = round_key_q[0] ^ rotate_word(substituted[31:0], 1) ^ {24'h0, constant_q};
    next_key[1] = round_key_q[1] ^ next_key[0];
    next_key[2] = round_key_q[2] ^ next_key[1];
    next_key[3] = round_key_q[3] ^ next_key[2];
  end

  always_ff @(posedge clk_i) begin
    if (clear) begin
      state_q     <= '0;
      round_key_q <= '0;
      tag_q       <= '0;
    end else begin
      unique case (step_q)
        StepIdle: begin
          if (block_load) begin
            state_q     <= block_i;
            round_key_q <= key_q;
            tag_q       <= block_tag_i;
          end
        end
        StepFirstKey, StepAddKey: state_q <= state_q ^ round_key_q;
        StepSubstitute: state_q <= shift_rows(substituted);
        StepMix: begin
          if (!last) state_q <= mixed;
          round_key_q <= next_key;
        end
        default: ;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (step_q == StepFirstKey) constant_q <= 8'h01;
    else if (step_q == StepMix) constant_q <= next_round_constant(constant_q);
  end

  // The result waits here; the register is zero while it is empty.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) block_valid_o <= 1'b0;
    else if (clear) block_valid_o <= 1'b0;
    else if (give) block_valid_o <= 1'b1;
    else if (block_ready_i) block_valid_o <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (clear || (block_valid_o && block_ready_i)) begin
      block_o     <= '0;
      block_tag_o <= '0;
    end else if (give) begin
      block_o     <= state_q;
      block_tag_o <= tag_q;
    end
  end

  assign idle_o = step_q == StepIdle && !block_valid_o;

endmodule

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// PRESENT with all 31 rounds in hardware: a block every cycle. Interface as in
// present_core.
//
// RoundsPerStage is the number of rounds between two pipeline registers. 31 gives one
// register at the input and one at the output, with all rounds in between; 1 gives a
// register before each round. The key register travels with its block, so each block may
// have another key. A block to encrypt may enter one cycle after its key; a block to
// decrypt waits for the end of the key schedule (present_keys).
//
// A stage takes the block of the stage before it if the output is taken or this or a
// later stage is empty. A stage's registers keep their value after its block has left,
// until the next block; only the output register is zero while it is empty.
module present_unrolled
  import present_pkg::*;
#(
  parameter int unsigned Directions = DirectionsBoth,
  parameter int unsigned KeySizes = KeySizesBoth,
  parameter int unsigned TagWidth = 8,
  parameter int unsigned RoundsPerStage = Rounds
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                key_valid_i,
  output logic                key_ready_o,
  input  key_size_e           key_size_i,
  input  logic [127:0]        key_i,

  input  logic                block_valid_i,
  output logic                block_ready_o,
  input  direction_e          block_direction_i,
  input  logic [63:0]         block_i,
  input  logic [TagWidth-1:0] block_tag_i,

  output logic                block_valid_o,
  input  logic                block_ready_i,
  output logic [63:0]         block_o,
  output logic [TagWidth-1:0] block_tag_o,

  input  logic                zeroise_i,
  output logic                busy_o,
  output logic                idle_o
);

  // Registers before rounds; the output register is not counted. A bad parameter gives 1
  // instead of a division by zero, so that elaboration reports present_core's message.
  localparam int unsigned Stages =
      (RoundsPerStage == 0) ? 1 : (Rounds + RoundsPerStage - 1) / RoundsPerStage;

  logic clear;
  assign clear = zeroise_i || busy_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) busy_o <= 1'b1;
    else busy_o <= zeroise_i;
  end

  logic         encrypt_ready, decrypt_ready;
  key_size_e    newest_key_size;
  logic [127:0] encrypt_key, decrypt_key;

  present_keys #(
    .Directions(Directions),
    .KeySizes  (KeySizes)
  ) u_keys (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .clear_i        (clear),
    .key_valid_i    (key_valid_i),
    .key_ready_o    (key_ready_o),
    .key_size_i     (key_size_i),
    .key_i          (key_i),
    .encrypt_ready_o(encrypt_ready),
    .decrypt_ready_o(decrypt_ready),
    .key_size_o     (newest_key_size),
    .encrypt_key_o  (encrypt_key),
    .decrypt_key_o  (decrypt_key)
  );

  // Flow. The last bit is the output register.
  logic [Stages:0] valid_q, advance, incoming, load;
  logic            accepted;
  direction_e      direction;

  for (genvar n = 0; n <= Stages; n++) begin : gen_advance
    assign advance[n] = block_ready_i || !(&valid_q[Stages:n]);
  end

  assign block_ready_o = !clear && advance[0] &&
      (block_direction_i == DirectionDecrypt ? decrypt_ready : encrypt_ready);
  assign accepted = block_valid_i && block_ready_o;
  assign incoming = {valid_q[Stages-1:0], accepted};
  assign load = advance & incoming;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
    end else begin
      if (clear) valid_q <= '0;
      else valid_q <= load | (valid_q & ~advance);
    end
  end

  assign direction = (Directions == DirectionsBoth)    ? block_direction_i :
                     (Directions == DirectionsDecrypt) ? DirectionDecrypt : DirectionEncrypt;

  // Entry n is the input of stage n; the last one is that of the output register.
  direction_e          direction_at[Stages+1];
  key_size_e           key_size_at[Stages+1];
  logic [63:0]         state_at[Stages+1];
  logic [127:0]        key_at[Stages+1];
  logic [TagWidth-1:0] tag_at[Stages+1];

  assign direction_at[0] = direction;
  assign key_size_at[0] = newest_key_size;
  assign state_at[0] = block_i;
  assign key_at[0] = (direction == DirectionDecrypt) ? decrypt_key : encrypt_key;
  assign tag_at[0] = block_tag_i;

  for (genvar n = 0; n < Stages; n++) begin : gen_stage
    localparam int unsigned Before = n * RoundsPerStage;
    localparam int unsigned Count =
        (Rounds - Before < RoundsPerStage) ? Rounds - Before : RoundsPerStage;

    present_unrolled_stage #(
      .Directions(Directions),
      .KeySizes  (KeySizes),
      .TagWidth  (TagWidth),
      .Before    (Before),
      .Count     (Count)
    ) u_stage (
      .clk_i      (clk_i),
      .clear_i    (clear),
      .load_i     (load[n]),
      .direction_i(direction_at[n]),
      .key_size_i (key_size_at[n]),
      .state_i    (state_at[n]),
      .key_i      (key_at[n]),
      .tag_i      (tag_at[n]),
      .direction_o(direction_at[n+1]),
      .key_size_o (key_size_at[n+1]),
      .state_o    (state_at[n+1]),
      .key_o      (key_at[n+1]),
      .tag_o      (tag_at[n+1])
    );
  end

  // The addition of the last round key, and the output register.
  always_ff @(posedge clk_i) begin
    if (clear) begin
      block_o     <= '0;
      block_tag_o <= '0;
    end else if (load[Stages]) begin
      block_o     <= state_at[Stages] ^ key_at[Stages][127:64];
      block_tag_o <= tag_at[Stages];
    end else if (block_ready_i) begin
      block_o     <= '0;
      block_tag_o <= '0;
    end
  end

  assign block_valid_o = valid_q[Stages];
  assign idle_o = (valid_q == '0);

  // The output register needs neither direction nor key size.
  logic unused;
  assign unused = ^{direction_at[Stages], key_size_at[Stages], key_at[Stages][63:0]};

endmodule

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// AES with one to three pipeline stages for every round: it accepts a block each
// cycle, and a new key with each block. A block is processed with the key that was
// loaded last before it. The key schedule travels through the pipeline with the data,
// forward or backward, so no round keys are stored.
//
// A block's result comes 1 + Rounds * StagesPerRound cycles after the block, where
// Rounds is that of the largest key size in KeySizes; blocks of shorter key sizes pass
// through the first rounds unchanged. Encryption may start in the cycle after
// a key. Decryption may start 10, 12 or 13 cycles later than that (128, 192,
// 256 bits): the last round keys are prepared first, while earlier blocks proceed.
//
// A stage stalls only if the output is not taken and every stage up to the output is
// full, so empty stages fill up. A path leads from block_ready_i to block_ready_o
// and to every stage's enable; none leads from block_valid_i to block_ready_o.
//
// It is not masked. A direction or key size that the parameters leave out is never
// accepted.
module aes_pipelined
  import aes_pkg::*;
  import aes_functions_pkg::*;
  import aes_pipelined_pkg::*;
#(
  parameter int unsigned SBox           = SBoxTable,
  parameter int unsigned Directions     = DirectionsBoth,
  parameter int unsigned KeySizes       = KeySizesAll,
  parameter int unsigned TagWidth       = 8,
  parameter int unsigned StagesPerRound = 1,
  parameter int unsigned BlockRam       = 0
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
    $error("aes_pipelined: SBox must be 0 (table), 1 (composite) or 2 (decoder)");
  end
  if (Directions < DirectionsEncrypt || Directions > DirectionsBoth) begin : gen_bad_directions
    $error("aes_pipelined: Directions must be 1 (encrypt), 2 (decrypt) or 3 (both)");
  end
  if (KeySizes < 1 || KeySizes > KeySizesAll) begin : gen_bad_key_sizes
    $error("aes_pipelined: KeySizes must be a sum of 1 (128), 2 (192) and 4 (256 bits)");
  end
  if (TagWidth < 1) begin : gen_bad_tag_width
    $error("aes_pipelined: TagWidth must be at least 1");
  end
  if (StagesPerRound < 1 || StagesPerRound > 3) begin : gen_bad_stages
    $error("aes_pipelined: StagesPerRound must be 1, 2 or 3");
  end
  if (BlockRam > 1) begin : gen_bad_block_ram
    $error("aes_pipelined: BlockRam must be 0 or 1");
  end
  if (BlockRam == 1 && (StagesPerRound < 2 || SBox != SBoxTable)) begin : gen_bad_rom
    $error("aes_pipelined: BlockRam needs the table S-box and StagesPerRound of 2 or more");
  end

  localparam int unsigned Rounds = pipeline_rounds(KeySizes);
  // Pipeline registers: one at the input and StagesPerRound per round; the last is the output.
  localparam int unsigned Stages = 1 + Rounds * StagesPerRound;
  localparam bit Encrypts = (Directions & DirectionsEncrypt) != 0;
  localparam bit Decrypts = (Directions & DirectionsDecrypt) != 0;

  // Zeroise: `clear` is high after reset and after zeroise_i until every register has
  // been cleared. ROM outputs take one cycle more, since their address is cleared first.
  logic [1:0] sweep_d, sweep_q;
  logic       clear, stop;

  assign clear = sweep_q != '0;
  assign stop = zeroise_i | clear;
  assign busy_o = clear;

  always_comb begin
    if (zeroise_i) begin
      sweep_d = BlockRam == 1 ? 2'd2 : 2'd1;
    end else begin
      sweep_d = clear ? sweep_q - 2'd1 : 2'd0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sweep_q <= BlockRam == 1 ? 2'd2 : 2'd1;
    end else begin
      sweep_q <= sweep_d;
    end
  end

  // Keys.
  logic       key_taken, key_present_q, prepared;
  logic [1:0] key_size_q;
  key_state_t new_key, encrypt_key, decrypt_key;

  assign key_ready_o = !stop && ((key_size_i == KeySize128 && (KeySizes & KeySizes128) != 0) ||
                                 (key_size_i == KeySize192 && (KeySizes & KeySizes192) != 0) ||
                                 (key_size_i == KeySize256 && (KeySizes & KeySizes256) != 0));
  assign key_taken = key_valid_i && key_ready_o;

  // The key state before the first round. For 192 bits `previous` holds the two words
  // that the backward key schedule computes before the key.
  always_comb begin
    new_key.current = key_i[127:0];
    new_key.previous = '0;
    if (is_key_size(KeySizes, KeySize256, key_size_i)) begin
      new_key.current = key_i[255:128];
      new_key.previous = key_i[127:0];
    end else if (is_key_size(KeySizes, KeySize192, key_size_i)) begin
      new_key.previous[127:64] = key_i[191:128] ^ key_i[159:96];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      key_present_q <= 1'b0;
      key_size_q <= '0;
    end else if (stop) begin
      key_present_q <= 1'b0;
      key_size_q <= '0;
    end else if (key_taken) begin
      key_present_q <= 1'b1;
      key_size_q <= key_size_i;
    end
  end

  if (Encrypts) begin : gen_encrypt_key
    aes_pipelined_register #(
      .Width($bits(key_state_t))
    ) u_key (
      .clk_i,
      .clear_i(clear),
      .load_i (key_taken),
      .data_i (new_key),
      .data_o (encrypt_key)
    );
  end else begin : gen_no_encrypt_key
    assign encrypt_key = '0;
  end

  if (Decrypts) begin : gen_decrypt_key
    aes_pipelined_prepare #(
      .SBox    (SBox),
      .KeySizes(KeySizes)
    ) u_prepare (
      .clk_i,
      .rst_ni,
      .clear_i         (clear),
      .start_i         (key_taken),
      .start_key_size_i(key_size_i),
      .start_key_i     (new_key),
      .key_size_i      (key_size_q),
      .ready_o         (prepared),
      .key_o           (decrypt_key)
    );
  end else begin : gen_no_decrypt_key
    assign prepared = 1'b0;
    assign decrypt_key = '0;
  end

  // Flow: a stage takes the block of the stage before it if the output is taken or this
  // or a later stage is empty. Registers load only when a block comes.
  logic [Stages-1:0] valid_d, valid_q, advance, incoming, load;
  logic              accepted, decrypt;

  for (genvar n = 0; n < Stages; n++) begin : gen_advance
    assign advance[n] = block_ready_i | ~&valid_q[Stages-1:n];
  end

  assign decrypt = (Encrypts && Decrypts) ? block_direction_i == DirectionDecrypt : Decrypts;
  assign block_ready_o = advance[0] && !stop && key_present_q &&
                         (block_direction_i == DirectionDecrypt ? prepared : Encrypts);
  assign accepted = block_valid_i && block_ready_o;

  assign incoming = {valid_q[Stages-2:0], accepted};
  assign load = advance & incoming;
  assign valid_d = stop ? '0 : load | (valid_q & ~advance);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
    end else begin
      valid_q <= valid_d;
    end
  end

  assign idle_o = valid_q == '0;

  // The inputs of round n + 1.
  logic [1:0]   key_size   [Rounds];
  logic         decrypting [Rounds];
  logic [127:0] block      [Rounds];
  key_state_t   key        [Rounds];
  logic [31:0]  substituted[Rounds+1];
  // The next values of the register before round n + 1, from round n, or from the input
  // if n = 0.
  logic [1:0]   key_size_d   [Rounds+1];
  logic         decrypting_d [Rounds+1];
  logic [127:0] block_d      [Rounds+1];
  key_state_t   key_d        [Rounds+1];

  assign key_size_d[0] = key_size_q;
  assign decrypting_d[0] = decrypt;

  aes_pipelined_start #(
    .SBox          (SBox),
    .Directions    (Directions),
    .KeySizes      (KeySizes),
    .StagesPerRound(StagesPerRound),
    .BlockRam      (BlockRam == 1)
  ) u_start (
    .clk_i,
    .clear_i      (clear),
    .load_i       (load[0]),
    .key_size_i   (key_size_q),
    .decrypt_i    (decrypt),
    .block_i,
    .key_i        (decrypt ? decrypt_key : encrypt_key),
    .block_o      (block_d[0]),
    .key_o        (key_d[0]),
    .substituted_o(substituted[0])
  );

  for (genvar n = 0; n < Rounds; n++) begin : gen_round
    aes_pipelined_register #(
      .Width(2 + 1 + 128 + $bits(key_state_t))
    ) u_register (
      .clk_i,
      .clear_i(clear),
      .load_i (load[n*StagesPerRound]),
      .data_i ({key_size_d[n], decrypting_d[n], block_d[n], key_d[n]}),
      .data_o ({key_size[n], decrypting[n], block[n], key[n]})
    );

    aes_pipelined_round #(
      .SBox          (SBox),
      .Directions    (Directions),
      .KeySizes      (KeySizes),
      .StagesPerRound(StagesPerRound),
      .BlockRam      (BlockRam == 1),
      .Rounds        (Rounds),
      .Round         (n + 1)
    ) u_round (
      .clk_i,
      .clear_i      (clear),
      .load_i       (load[n*StagesPerRound+1+:StagesPerRound]),
      .key_size_i   (key_size[n]),
      .decrypt_i    (decrypting[n]),
      .block_i      (block[n]),
      .key_i        (key[n]),
      .substituted_i(substituted[n]),
      .key_size_o   (key_size_d[n+1]),
      .decrypt_o    (decrypting_d[n+1]),
      .block_o      (block_d[n+1]),
      .key_o        (key_d[n+1]),
      .substituted_o(substituted[n+1])
    );
  end

  // Output register: zero when it holds no block.
  logic         output_load;
  logic [127:0] block_q;
  assign output_load = load[Stages-1] & ~stop;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      block_q <= '0;
    end else if (advance[Stages-1] || stop) begin
      block_q <= output_load ? block_d[Rounds] : '0;
    end
  end

  assign block_o = block_q;
  assign block_valid_o = valid_q[Stages-1];

  // Tags.
  logic [TagWidth-1:0] tag_q[Stages];

  for (genvar n = 0; n < Stages; n++) begin : gen_tag
    aes_pipelined_register #(
      .Width(TagWidth)
    ) u_tag (
      .clk_i,
      .clear_i(clear),
      .load_i (load[n]),
      .data_i (n == 0 ? block_tag_i : tag_q[n == 0 ? 0 : n-1]),
      .data_o (tag_q[n])
    );
  end

  assign block_tag_o = tag_q[Stages-1];

  logic unused_end;
  assign unused_end = ^{key_size_d[Rounds], decrypting_d[Rounds], key_d[Rounds],
                        substituted[Rounds]};

endmodule

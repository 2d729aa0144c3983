// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// AES behind one interface, whichever architecture computes it.
//
// A block is processed with the key of the last key handshake before its own cycle;
// a later key does not affect it. Results leave in the order in which blocks entered,
// each with its tag. Valid never depends on ready, and a payload holds until it is taken.
// block_ready_o may depend on block_direction_i and on block_ready_i, never on
// block_valid_i; key_ready_o may depend on key_size_i, never on key_valid_i. A
// key size or direction that the parameters leave out is never accepted.
// block_o is zero while block_valid_o is low, so that no intermediate value leaks.
//
// zeroise_i drops all blocks and keys and clears every register and memory that holds
// key or data. busy_o is high until that is done, and so it is after reset; nothing is
// accepted meanwhile. A handshake in the cycle of zeroise_i is dropped too.
module aes_core
  import aes_pkg::*;
#(
  parameter int unsigned Architecture = ArchitectureIterative,
  parameter int unsigned SBox = SBoxTable,
  parameter int unsigned Directions = DirectionsBoth,
  parameter int unsigned KeySizes = KeySizesAll,
  parameter int unsigned TagWidth = 8,
  // Pipelined only: pipeline registers per round, and S-boxes in block RAM (1) or logic (0).
  parameter int unsigned StagesPerRound = 1,
  parameter int unsigned BlockRam = 0,
  // Iterative and serial only: round keys stored (1) or computed for each block (0).
  parameter int unsigned KeyStorage = 1
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

  if (Architecture > ArchitectureSerial) begin : gen_bad_architecture
    $error("aes_core: Architecture must be 0 (iterative), 1 (pipelined) or 2 (serial)");
  end
  if (SBox > SBoxDecoder) begin : gen_bad_sbox
    $error("aes_core: SBox must be 0 (table), 1 (composite) or 2 (decoder)");
  end
  if (Directions < DirectionsEncrypt || Directions > DirectionsBoth) begin : gen_bad_directions
    $error("aes_core: Directions must be 1 (encrypt), 2 (decrypt) or 3 (both)");
  end
  if (KeySizes < KeySizes128 || KeySizes > KeySizesAll) begin : gen_bad_key_sizes
    $error("aes_core: KeySizes must be a sum of 1 (128), 2 (192) and 4 (256 bits)");
  end
  if (TagWidth < 1) begin : gen_bad_tag_width
    $error("aes_core: TagWidth must be at least 1");
  end
  if (StagesPerRound < 1 || StagesPerRound > 3 ||
      (Architecture != ArchitecturePipelined && StagesPerRound != 1)) begin : gen_bad_stages
    $error("aes_core: StagesPerRound must be 1, or up to 3 with the pipelined architecture");
  end
  if (BlockRam > 1 ||
      (BlockRam == 1 && (Architecture != ArchitecturePipelined || StagesPerRound < 2))) begin
      : gen_bad_block_ram
    $error("aes_core: BlockRam must be 0, or 1 with a pipeline of 2 or 3 stages a round");
  end
  if (KeyStorage > 1 || (Architecture == ArchitecturePipelined && KeyStorage != 1)) begin
      : gen_bad_key_storage
    $error("aes_core: KeyStorage must be 1, or 0 with the iterative or serial architecture");
  end

  if (Architecture == ArchitecturePipelined) begin : gen_pipelined
    aes_pipelined #(
      .SBox          (SBox),
      .Directions    (Directions),
      .KeySizes      (KeySizes),
      .TagWidth      (TagWidth),
      .StagesPerRound(StagesPerRound),
      .BlockRam      (BlockRam)
    ) u_aes (
      .clk_i,
      .rst_ni,
      .key_valid_i,
      .key_ready_o,
      .key_size_i,
      .key_i,
      .block_valid_i,
      .block_ready_o,
      .block_direction_i,
      .block_i,
      .block_tag_i,
      .block_valid_o,
      .block_ready_i,
      .block_o,
      .block_tag_o,
      .zeroise_i,
      .busy_o,
      .idle_o
    );
  end else if (Architecture == ArchitectureSerial) begin : gen_serial
    aes_serial #(
      .SBox      (SBox),
      .Directions(Directions),
      .KeySizes  (KeySizes),
      .TagWidth  (TagWidth),
      .KeyStorage(KeyStorage)
    ) u_aes (
      .clk_i,
      .rst_ni,
      .key_valid_i,
      .key_ready_o,
      .key_size_i,
      .key_i,
      .block_valid_i,
      .block_ready_o,
      .block_direction_i,
      .block_i,
      .block_tag_i,
      .block_valid_o,
      .block_ready_i,
      .block_o,
      .block_tag_o,
      .zeroise_i,
      .busy_o,
      .idle_o
    );
  end else begin : gen_iterative
    aes_iterative #(
      .SBox      (SBox),
      .Directions(Directions),
      .KeySizes  (KeySizes),
      .TagWidth  (TagWidth),
      .KeyStorage(KeyStorage)
    ) u_aes (
      .clk_i,
      .rst_ni,
      .key_valid_i,
      .key_ready_o,
      .key_size_i,
      .key_i,
      .block_valid_i,
      .block_ready_o,
      .block_direction_i,
      .block_i,
      .block_tag_i,
      .block_valid_o,
      .block_ready_i,
      .block_o,
      .block_tag_o,
      .zeroise_i,
      .busy_o,
      .idle_o
    );
  end

`ifndef SYNTHESIS
  // A rule for the surrounding logic: a key does not change while it is offered. The offer
  // may be withdrawn. A block may change while it waits, since the core reads it only in the
  // cycle of its handshake; an arbiter of channels makes use of that.
  logic                           key_waits_q;
  logic [$bits(key_size_i)+255:0] key_q;

  // The rule holds from the first reset on.
  initial key_waits_q = 1'b0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      key_waits_q <= 1'b0;
      key_q       <= '0;
    end else begin
      key_waits_q <= key_valid_i && !key_ready_o && !zeroise_i;
      key_q       <= key_valid_i && !key_ready_o && !zeroise_i ? {key_size_i, key_i} : '0;
      key_holds: assert (!(key_waits_q && key_valid_i && !zeroise_i) ||
                         key_q == {key_size_i, key_i})
        else $error("%m: the key changed while it was offered, before key_ready_o");
    end
  end
`endif

endmodule

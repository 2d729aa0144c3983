// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The tweaks of XTS (SP 800-38E; IEEE 1619-2018, 5.3.2). The first tweak of a data unit is
// its number, little endian, encrypted under the tweak key by a small core of its own;
// each further block multiplies the tweak by the primitive element. The first tweak of
// the next data unit is computed during the current one. So data units follow each other
// without a gap if they have more blocks than that core has cycles for a block.
//
// The number is in the IV registers and counts up by one with each data unit that begins.
// Only as many begin as the message has blocks for. clear_i drops the message; zeroise_i
// clears the core and its key too. busy_o is high until that is done.
module accel_xts #(
  parameter int unsigned SBox     = aes_pkg::SBoxTable,
  parameter int unsigned KeySizes = aes_pkg::KeySizesAll
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  logic               key_valid_i,
  output logic               key_ready_o,
  input  logic [1:0]         key_size_i,
  input  logic [255:0]       key_i,

  input  logic               active_i,      // the current message is one of XTS
  input  logic               begin_i,
  input  logic               run_i,
  input  logic               clear_i,
  input  logic               zeroise_i,
  output logic               busy_o,
  input  logic [63:0]        length_i,      // bytes, whole blocks
  input  logic [31:0]        unit_length_i, // bytes, whole blocks, not zero

  input  logic [127:0]       iv_i,
  output logic               iv_update_o,
  output logic [127:0]       iv_o,

  output logic               tweak_valid_o,
  input  logic               tweak_ready_i,
  output logic [127:0]       tweak_o
);

  // XTS is not defined for AES-192.
  localparam int unsigned Sizes = KeySizes & (aes_pkg::KeySizes128 | aes_pkg::KeySizes256);

  if (Sizes == 0) begin : gen_bad_sizes
    $fatal(1, "accel_xts: KeySizes must include 1 (128 bits) or 4 (256 bits)");
  end

  logic [27:0] unit_blocks;
  assign unit_blocks = unit_length_i[31:4];

  // ------------------------------------------------------------ data units

  // Blocks of the message whose data unit has not begun (uncovered_q), and whether the
  // number of a data unit is in the core (in_core_q), one at a time.
  logic [59:0]  uncovered_q;
  logic         in_core_q;
  logic         number_valid, number_ready, result_valid, result_ready;
  logic [127:0] result;

  logic         tweak_valid_q, next_valid_q, unit_ends, take;
  logic [27:0]  left_q; // blocks of this data unit that have no tweak yet
  logic [127:0] tweak_q, next_q;

  assign number_valid = run_i && (uncovered_q != '0) && !in_core_q && !next_valid_q;
  assign iv_update_o  = number_valid && number_ready;
  assign iv_o         = iv_i + 128'd1;

  assign take         = tweak_valid_o && tweak_ready_i;
  assign unit_ends    = take && (left_q == 28'd1);
  assign result_ready = clear_i || !next_valid_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      uncovered_q <= '0;
      in_core_q   <= 1'b0;
    end else if (clear_i) begin
      uncovered_q <= '0;
      in_core_q   <= 1'b0;
    end else if (begin_i && active_i) begin
      uncovered_q <= length_i[63:4];
    end else if (iv_update_o) begin
      uncovered_q <= (uncovered_q > 60'(unit_blocks)) ? uncovered_q - 60'(unit_blocks) : '0;
      in_core_q   <= 1'b1;
    end else if (result_valid && result_ready) begin
      in_core_q   <= 1'b0;
    end
  end

  // ------------------------------------------------------------ tweaks

  // Multiplies by the primitive element; byte 0 has the lowest coefficients.
  function automatic logic [127:0] times_alpha(input logic [127:0] value);
    return {value[126:0], 1'b0} ^ (value[127] ? 128'h87 : 128'h0);
  endfunction

  logic refill; // the next data unit begins

  assign refill        = next_valid_q && (!tweak_valid_q || unit_ends);
  assign tweak_valid_o = tweak_valid_q && run_i;
  assign tweak_o       = tweak_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      tweak_valid_q <= 1'b0;
      next_valid_q  <= 1'b0;
      left_q        <= '0;
      tweak_q       <= '0;
      next_q        <= '0;
    end else if (clear_i || !run_i) begin
      // A short last data unit leaves a tweak that is not used.
      tweak_valid_q <= 1'b0;
      next_valid_q  <= 1'b0;
      left_q        <= '0;
      tweak_q       <= '0;
      next_q        <= '0;
    end else begin
      if (refill) begin
        tweak_valid_q <= 1'b1;
        left_q        <= unit_blocks;
        tweak_q       <= next_q;
        next_valid_q  <= 1'b0;
        next_q        <= '0;
      end else if (take) begin
        tweak_valid_q <= !unit_ends;
        left_q        <= left_q - 28'd1;
        tweak_q       <= unit_ends ? '0 : times_alpha(tweak_q);
      end
      if (result_valid && !next_valid_q) begin
        next_valid_q <= 1'b1;
        next_q       <= result;
      end
    end
  end

  // ------------------------------------------------------------ the core

  logic core_busy, core_idle, unused_tag;

  aes_core #(
    .Architecture (aes_pkg::ArchitectureIterative),
    .SBox         (SBox),
    .Directions   (aes_pkg::DirectionsEncrypt),
    .KeySizes     (Sizes),
    .TagWidth     (1)
  ) u_core (
    .clk_i             (clk_i),
    .rst_ni            (rst_ni),
    .key_valid_i       (key_valid_i),
    .key_ready_o       (key_ready_o),
    .key_size_i        (aes_pkg::key_size_e'(key_size_i)),
    .key_i             (key_i),
    .block_valid_i     (number_valid),
    .block_ready_o     (number_ready),
    .block_direction_i (aes_pkg::DirectionEncrypt),
    .block_i           (iv_i),
    .block_tag_i       (1'b0),
    .block_valid_o     (result_valid),
    .block_ready_i     (result_ready),
    .block_o           (result),
    .block_tag_o       (unused_tag),
    .zeroise_i         (zeroise_i),
    .busy_o            (core_busy),
    .idle_o            (core_idle)
  );

  assign busy_o = core_busy || !core_idle;

  logic unused;
  assign unused = ^{unit_length_i[3:0], length_i[3:0]};

endmodule

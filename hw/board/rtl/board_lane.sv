// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// One AES-128 core of the board in counter mode: its n-th block gets the counter of the
// message plus Number + n * Cores, a sum of 128 bits with byte 0 the highest (NIST SP
// 800-38A, appendix B.1). The data travel beside their counter as the tag of the core.
module board_lane
  import aes_pkg::*;
#(
  parameter int unsigned Stepped = 0,
  parameter int unsigned Cores = 4,
  parameter int unsigned Number = 0
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  // Key and counter of a message. The lane has taken them when start_taken_o is high; it
  // falls after start_done_i, when all lanes have.
  input  logic         start_valid_i,
  output logic         start_taken_o,
  input  logic         start_done_i,
  input  logic [127:0] key_i,
  input  logic [127:0] counter_i,

  input  logic         block_valid_i,
  output logic         block_ready_o,
  input  logic [127:0] block_i,

  output logic         result_valid_o,
  input  logic         result_ready_i,
  output logic [127:0] result_o
);

  function automatic logic [127:0] reverse_bytes(input logic [127:0] block);
    logic [127:0] reversed;
    for (int unsigned n = 0; n < 16; n++) reversed[8*n+:8] = block[8*(15-n)+:8];
    return reversed;
  endfunction

  logic         key_valid, key_ready, load;
  logic [127:0] counter_q, keystream, data;

  assign key_valid = start_valid_i && !start_taken_o;
  assign load = key_valid && key_ready;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) start_taken_o <= 1'b0;
    else if (start_done_i) start_taken_o <= 1'b0;
    else if (load) start_taken_o <= 1'b1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      counter_q <= '0;
    end else if (load || (block_valid_i && block_ready_o)) begin
      counter_q <= (load ? reverse_bytes(counter_i) : counter_q) +
                   128'(load ? Number : Cores);
    end
  end

  assign result_o = keystream ^ data;

  logic unused_busy, unused_idle;

  if (Stepped != 0) begin : gen_stepped
    aes_stepped #(
      .TagWidth(128)
    ) u_aes (
      .clk_i            (clk_i),
      .rst_ni           (rst_ni),
      .key_valid_i      (key_valid),
      .key_ready_o      (key_ready),
      .key_size_i       (KeySize128),
      .key_i            ({128'h0, key_i}),
      .block_valid_i    (block_valid_i),
      .block_ready_o    (block_ready_o),
      .block_direction_i(DirectionEncrypt),
      .block_i          (reverse_bytes(counter_q)),
      .block_tag_i      (block_i),
      .block_valid_o    (result_valid_o),
      .block_ready_i    (result_ready_i),
      .block_o          (keystream),
      .block_tag_o      (data),
      .zeroise_i        (1'b0),
      .busy_o           (unused_busy),
      .idle_o           (unused_idle)
    );
  end else begin : gen_iterative
    aes_core #(
      .Architecture(ArchitectureIterative),
      .Directions  (DirectionsEncrypt),
      .KeySizes    (KeySizes128),
      .TagWidth    (128),
      .KeyStorage  (0)
    ) u_aes (
      .clk_i            (clk_i),
      .rst_ni           (rst_ni),
      .key_valid_i      (key_valid),
      .key_ready_o      (key_ready),
      .key_size_i       (KeySize128),
      .key_i            ({128'h0, key_i}),
      .block_valid_i    (block_valid_i),
      .block_ready_o    (block_ready_o),
      .block_direction_i(DirectionEncrypt),
      .block_i          (reverse_bytes(counter_q)),
      .block_tag_i      (block_i),
      .block_valid_o    (result_valid_o),
      .block_ready_i    (result_ready_i),
      .block_o          (keystream),
      .block_tag_o      (data),
      .zeroise_i        (1'b0),
      .busy_o           (unused_busy),
      .idle_o           (unused_idle)
    );
  end

endmodule

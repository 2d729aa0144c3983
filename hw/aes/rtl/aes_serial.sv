// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// AES for small devices: one column a cycle, four S-boxes that data and key
// schedule share. Interface as in aes_core; the README lists the cycles.
//
// A pass has one step for each word of the key schedule: four that add the
// first round key to the words of the block, then four per round. A block is
// taken into a register while the previous one is computed. A key is taken into a
// register at any time; when the blocks before it are done, a set-up pass writes it
// to the key memory (aes_serial_keys), and blocks wait.
//
// Registers with key or data have a synchronous clear instead of a reset. The sweep
// goes through the key memory twice, since the words of the state become zero only
// after the key words that are added to them.
module aes_serial
  import aes_pkg::*;
  import aes_functions_pkg::*;
#(
  parameter int unsigned SBox = SBoxTable,
  parameter int unsigned Directions = DirectionsBoth,
  parameter int unsigned KeySizes = KeySizesAll,
  parameter int unsigned TagWidth = 8,
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

  localparam int unsigned KeyAddressWidth = (KeyStorage != 0) ? 6 : 5;

  logic                     clear;
  logic [KeyAddressWidth:0] sweep_address;

  aes_sweep #(
    .Entries(2 ** (KeyAddressWidth + 1))
  ) u_sweep (
    .clk_i    (clk_i),
    .rst_ni   (rst_ni),
    .zeroise_i(zeroise_i),
    .clear_o  (clear),
    .busy_o   (busy_o),
    .address_o(sweep_address)
  );

  // The highest bit of the sweep's address is the number of its pass.
  logic unused_sweep_pass;
  assign unused_sweep_pass = sweep_address[KeyAddressWidth];

  // Handshakes.
  logic                key_load, key_pending_q, key_loaded_q, setup_q;
  key_size_e           pending_size_q, key_size_q, key_size;
  logic                block_load, input_valid_q;
  logic [3:0][31:0]    input_q;
  direction_e          input_direction_q;
  logic [TagWidth-1:0] input_tag_q;

  // The pass: first_q before its first step, then where it is.
  logic                first_q;
  logic [3:0]          round_q, round, final_round;
  logic [1:0]          column_q;
  direction_e          running_direction_q, direction;
  logic [TagWidth-1:0] running_tag_q;
  logic                initial_round, last_round, last_step;
  logic                active, stall, step, finish;

  assign key_ready_o = !clear && KeySizes[5'(key_size_i)] && !key_pending_q && !setup_q;
  assign key_load = key_valid_i && key_ready_o;
  assign block_ready_o = !clear && Directions[5'(block_direction_i)] && key_loaded_q &&
      !key_pending_q && !setup_q && !input_valid_q;
  assign block_load = block_valid_i && block_ready_o;

  // The direction of the pass; a constant if the core has one only.
  always_comb begin
    direction = first_q ? input_direction_q : running_direction_q;
    if (setup_q || Directions == DirectionsEncrypt) direction = DirectionEncrypt;
    else if (Directions == DirectionsDecrypt) direction = DirectionDecrypt;
  end

  // round is the number of the round key: it counts up, or down to decrypt. Every key
  // size has an even number of rounds, so the lowest bit selects the half of the state.
  assign key_size = narrow_key_size(KeySizes, key_size_q);
  assign final_round = rounds(key_size);
  assign round = !first_q ? round_q : (direction == DirectionDecrypt) ? final_round : 4'd0;
  assign initial_round = (direction == DirectionDecrypt) ? round == final_round : round == 4'd0;
  assign last_round = (direction == DirectionDecrypt) ? round == 4'd0 : round == final_round;
  assign last_step = last_round && column_q == 2'd3;

  assign active = !clear && (setup_q || !first_q || input_valid_q);
  assign step = active && !stall && !(last_step && block_valid_o && !setup_q);
  assign finish = step && last_step && !setup_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      key_pending_q <= 1'b0;
      key_loaded_q  <= 1'b0;
      setup_q       <= 1'b0;
      input_valid_q <= 1'b0;
      first_q       <= 1'b1;
      column_q      <= 2'd0;
    end else if (clear) begin
      key_pending_q <= 1'b0;
      key_loaded_q  <= 1'b0;
      setup_q       <= 1'b0;
      input_valid_q <= 1'b0;
      first_q       <= 1'b1;
      column_q      <= 2'd0;
    end else begin
      if (key_load) begin
        key_pending_q <= 1'b1;
      end else if (key_pending_q && first_q && !input_valid_q) begin
        key_pending_q <= 1'b0;
        setup_q       <= 1'b1;
      end
      if (block_load) input_valid_q <= 1'b1;
      if (step) begin
        first_q  <= last_step;
        column_q <= column_q + 2'd1;
        if (initial_round && column_q == 2'd3 && !setup_q) input_valid_q <= 1'b0;
        if (last_step) begin
          setup_q <= 1'b0;
          if (setup_q) key_loaded_q <= 1'b1;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (key_load) pending_size_q <= key_size_i;
    if (key_pending_q && first_q && !input_valid_q) key_size_q <= pending_size_q;
    if (step) begin
      round_q <= round;
      if (column_q == 2'd3) begin
        round_q <= (direction == DirectionDecrypt) ? round - 4'd1 : round + 4'd1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear) begin
      input_q           <= '0;
      input_direction_q <= DirectionEncrypt;
      input_tag_q       <= '0;
    end else if (block_load) begin
      input_q           <= block_i;
      input_direction_q <= block_direction_i;
      input_tag_q       <= block_tag_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear) begin
      running_direction_q <= DirectionEncrypt;
      running_tag_q       <= '0;
    end else if (step && first_q) begin
      running_direction_q <= input_direction_q;
      running_tag_q       <= input_tag_q;
    end
  end

  // Keys.
  logic [31:0] key_word, sub_word, sub_out;

  aes_serial_keys #(
    .KeyStorage(KeyStorage)
  ) u_keys (
    .clk_i          (clk_i),
    .load_i         (key_load),
    .key_i          (key_i),
    .key_size_i     (key_size),
    .active_i       (active),
    .step_i         (step),
    .setup_i        (setup_q),
    .first_i        (first_q),
    .direction_i    (direction),
    .index_i        ({round, column_q}),
    .stall_o        (stall),
    .key_word_o     (key_word),
    .sub_data_o     (sub_word),
    .sub_data_i     (sub_out),
    .clear_i        (clear),
    .sweep_i        (busy_o),
    .sweep_address_i(sweep_address[KeyAddressWidth-1:0])
  );

  // Data. The S-boxes serve the key schedule in a stall; SubWord needs the
  // forward direction even if blocks are only decrypted.
  localparam int unsigned SBoxDirections =
      (Directions == DirectionsEncrypt) ? DirectionsEncrypt : DirectionsBoth;

  logic [31:0] shifted, keyed, mixed;

  aes_serial_state u_state (
    .clk_i      (clk_i),
    .direction_i(direction),
    .write_i    (busy_o || (step && !setup_q && !last_round)),
    .address_i  (busy_o ? sweep_address[2:0] : {round[0], column_q}),
    .column_i   (initial_round ? input_q[column_q] ^ key_word : mixed),
    .column_o   (shifted)
  );

  aes_sbox_steered #(
    .SBox      (SBox),
    .Directions(SBoxDirections),
    .Bytes     (4)
  ) u_sbox (
    .direction_i   (stall ? DirectionEncrypt : direction),
    .encrypt_data_i(stall ? sub_word : shifted),
    .decrypt_data_i(shifted),
    .data_o        (sub_out)
  );

  // As in aes_iterative_round: the key before the mixer, or after it.
  assign keyed = sub_out ^ ((direction == DirectionDecrypt || last_round) ? key_word : 32'h0);
  assign mixed = mix_column(keyed) ^
      ((direction == DirectionDecrypt) ? inverse_mix_correction(keyed) : key_word);

  // The result: three words wait for the fourth, so that block_o is zero until it is
  // complete.
  logic [2:0][31:0] collected_q;

  always_ff @(posedge clk_i) begin
    if (clear) begin
      collected_q <= '0;
    end else if (step && last_round && !setup_q && column_q != 2'd3) begin
      collected_q[column_q] <= keyed;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      block_valid_o <= 1'b0;
    end else begin
      if (clear) block_valid_o <= 1'b0;
      else if (finish) block_valid_o <= 1'b1;
      else if (block_ready_i) block_valid_o <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear || (block_valid_o && block_ready_i)) begin
      block_o     <= '0;
      block_tag_o <= '0;
    end else if (finish) begin
      block_o     <= {keyed, collected_q};
      block_tag_o <= running_tag_q;
    end
  end

  assign idle_o = (first_q || setup_q) && !input_valid_q && !block_valid_o;

endmodule

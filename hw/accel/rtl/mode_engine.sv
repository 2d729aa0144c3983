// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The modes of operation of SP 800-38A around a block cipher core: ECB (6.1),
// CBC (6.2) and CTR (6.5), both directions, and a bypass. It takes the blocks of one
// message and gives as many. The chaining value or the next counter is in the IV
// registers, so that a later message can continue.
//
// With Gcm it has GCM too (SP 800-38D): counter mode over 32 bits, with associated data
// before the text. It passes associated data and ciphertext, which is its input or its
// output, to the hash in accel_gcm.
//
// With Xts it has XTS (SP 800-38E): the tweak is added to each block before and after
// the core; accel_xts gives a tweak for each block that enters the core.
//
// It does not reduce the core's rate. A store of AuxiliaryBlocks blocks holds, in CTR, the
// keystream until its data arrive; in CBC decryption, the ciphertexts of blocks in the
// core; in XTS, their tweaks. For the full rate it must hold as many blocks as the core.
//
// It checks the framing of the input; accel_control checks whether the message is
// allowed. begin_i loads the counts; run_i is high while the message may proceed. While
// clear_i is high the core is emptied and the store overwritten; busy_o is high until
// both are done.
module mode_engine
  import accel_pkg::*;
#(
  parameter int unsigned AuxiliaryBlocks = 4,
  parameter int unsigned Gcm             = 0,
  parameter int unsigned Xts             = 0
) (
  input  logic           clk_i,
  input  logic           rst_ni,

  input  configuration_t configuration_i,
  input  logic [63:0]    length_i,        // bytes; zero with begin_i only in GCM
  input  logic [60:0]    aad_length_i,    // GCM: bytes of associated data
  input  logic           begin_i,
  input  logic           run_i,
  input  logic           clear_i,
  output logic           busy_o,
  output logic           framing_error_o, // the block at the input contradicts length_i
  output stall_t         stall_o,

  input  logic [127:0]   iv_i,
  output logic           iv_update_o,
  output logic [127:0]   iv_o,
  output logic           counted_o,       // a counter block enters the core

  input  logic           in_valid_i,
  output logic           in_ready_o,
  input  input_block_t   in_i,
  output logic           out_valid_o,
  input  logic           out_ready_i,
  output block_t         out_o,

  output logic           hash_valid_o,    // GCM only
  input  logic           hash_ready_i,
  output logic [127:0]   hash_block_o,

  input  logic           tweak_valid_i,   // XTS only
  output logic           tweak_ready_o,
  input  logic [127:0]   tweak_i,

  output logic                  core_valid_o,
  input  logic                  core_ready_i,
  output direction_e            core_direction_o,
  output logic [127:0]          core_block_o,
  input  logic                  core_valid_i,
  output logic                  core_ready_o,
  input  logic [127:0]          core_block_i,
  input  logic                  core_idle_i
);

  // ------------------------------------------------------------ the message

  logic is_bypass, is_gcm, is_xts, is_ctr, is_cbc_encrypt, is_cbc_decrypt, is_direct;

  assign is_bypass      = configuration_i.bypass;
  assign is_gcm         = (Gcm != 0) && !is_bypass && (configuration_i.mode == ModeGcm);
  assign is_ctr         = is_gcm || (!is_bypass && (configuration_i.mode == ModeCtr));
  assign is_cbc_encrypt = !is_bypass && (configuration_i.mode == ModeCbc) &&
                          (configuration_i.direction == DirectionEncrypt);
  assign is_cbc_decrypt = !is_bypass && (configuration_i.mode == ModeCbc) &&
                          (configuration_i.direction == DirectionDecrypt);
  assign is_xts         = (Xts != 0) && !is_bypass && (configuration_i.mode == ModeXts);
  // Data pass through the core, in ECB, CBC and XTS.
  assign is_direct      = !is_bypass && !is_ctr;

  // Blocks that have yet to enter the core, and blocks that have yet to leave the engine.
  // While aad_q is high, output_left_q counts the blocks of associated data yet to come.
  logic [60:0] issue_left_q, output_left_q;
  logic [3:0]  last_bytes_q;
  logic        aad_q;
  logic [60:0] blocks, aad_blocks;
  logic        issue, in_take, in_is_last, out_give;

  assign blocks     = 61'(length_i[63:4]) + 61'(length_i[3:0] != 4'd0);
  assign aad_blocks = is_gcm ? (61'(aad_length_i[60:4]) + 61'(aad_length_i[3:0] != 4'd0)) : '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      issue_left_q  <= '0;
      output_left_q <= '0;
      last_bytes_q  <= '0;
      aad_q         <= 1'b0;
    end else if (clear_i) begin
      issue_left_q  <= '0;
      output_left_q <= '0;
      last_bytes_q  <= '0;
      aad_q         <= 1'b0;
    end else if (begin_i) begin
      issue_left_q  <= is_bypass ? '0 : blocks;
      output_left_q <= (aad_blocks != '0) ? aad_blocks : blocks;
      last_bytes_q  <= ((aad_blocks != '0) ? aad_length_i[3:0] : length_i[3:0]) - 4'd1;
      aad_q         <= aad_blocks != '0;
    end else begin
      if (issue) begin
        issue_left_q <= issue_left_q - 61'd1;
      end
      if (out_give) begin
        output_left_q <= output_left_q - 61'd1;
      end
      if (aad_q && in_take) begin
        output_left_q <= output_left_q - 61'd1;
        if (in_is_last) begin
          output_left_q <= blocks;
          last_bytes_q  <= length_i[3:0] - 4'd1;
          aad_q         <= 1'b0;
        end
      end
    end
  end

`ifndef SYNTHESIS
  logic armed_q; // since the first reset

  initial armed_q = 1'b0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      armed_q <= 1'b1;
    end else if (armed_q) begin
      assert (!begin_i || (!run_i && !clear_i))
        else $error("mode_engine: a message begins while another runs or is cleared");
      assert (!begin_i || is_gcm || length_i != '0)
        else $error("mode_engine: a message without a block begins");
      assert (!run_i || !clear_i)
        else $error("mode_engine: a message runs while it is cleared");
    end
  end
`endif

  // ------------------------------------------------------------ framing

  // A block is taken when it enters the core or, where it does not pass through the core,
  // when its result leaves. The count of that side says whether it must be the last one.
  logic in_wanted, in_agrees;

  assign in_wanted  = run_i && (is_direct ? (issue_left_q != '0) : (output_left_q != '0));
  assign in_is_last = (is_direct ? issue_left_q : output_left_q) == 61'd1;
  assign in_agrees  = !in_i.malformed && (in_i.block.last == in_is_last) &&
                      (in_i.block.bytes == (in_is_last ? last_bytes_q : 4'd15));
  assign framing_error_o = in_wanted && in_valid_i && !in_agrees;

  logic in_usable;
  assign in_usable = in_wanted && in_valid_i && in_agrees;

  // ------------------------------------------------------------ the store

  logic         auxiliary_busy;
  logic         auxiliary_push, auxiliary_open, auxiliary_pop, auxiliary_valid;
  logic [127:0] auxiliary_in, auxiliary_out;

  prim_fifo #(
    .Width (128),
    .Depth (AuxiliaryBlocks)
  ) u_auxiliary (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (clear_i),
    .busy_o  (auxiliary_busy),
    .valid_i (auxiliary_push),
    .ready_o (auxiliary_open),
    .data_i  (auxiliary_in),
    .valid_o (auxiliary_valid),
    .ready_i (auxiliary_pop),
    .data_o  (auxiliary_out)
  );

  assign busy_o = auxiliary_busy || !core_idle_i;

  // ------------------------------------------------------------ into the core

  // CBC encryption needs the previous result: from the IV registers, or directly from the
  // output of the core in the cycle in which it appears.
  logic [1:0] in_flight_q; // CBC encryption only
  logic       feedback_ready;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      in_flight_q <= '0;
    end else if (clear_i || begin_i) begin
      in_flight_q <= '0;
    end else if (is_cbc_encrypt) begin
      in_flight_q <= in_flight_q + 2'(issue) - 2'(out_give);
    end
  end

  assign feedback_ready = (in_flight_q == 2'd0) || (in_flight_q == 2'd1 && core_valid_i);

  logic issue_allowed;

  always_comb begin
    issue_allowed = run_i && (issue_left_q != '0);
    if (is_cbc_encrypt) begin
      issue_allowed = issue_allowed && feedback_ready;
    end
    if (is_cbc_decrypt) begin
      issue_allowed = issue_allowed && auxiliary_open;
    end
    if (is_xts) begin
      issue_allowed = issue_allowed && auxiliary_open && tweak_valid_i;
    end
  end

  assign core_valid_o     = issue_allowed && (is_ctr || in_usable);
  assign issue            = core_valid_o && core_ready_i;
  assign core_direction_o = is_ctr ? DirectionEncrypt
                                   : direction_e'(configuration_i.direction);

  always_comb begin
    core_block_o = in_i.block.data;
    if (is_ctr) begin
      core_block_o = iv_i;
    end else if (is_cbc_encrypt) begin
      core_block_o = in_i.block.data ^ (core_valid_i ? core_block_i : iv_i);
    end else if (is_xts) begin
      core_block_o = in_i.block.data ^ tweak_i;
    end
  end

  // ------------------------------------------------------------ out of the core

  logic         result_valid;
  logic [127:0] result;
  logic [3:0]   result_bytes;

  always_comb begin
    result_valid = core_valid_i;
    result       = core_block_i;
    if (is_bypass) begin
      result_valid = in_usable;
      result       = in_i.block.data;
    end else if (is_ctr) begin
      result_valid = auxiliary_valid && in_usable && !aad_q;
      result       = auxiliary_out ^ in_i.block.data;
    end else if (is_cbc_decrypt) begin
      result       = core_block_i ^ iv_i;
    end else if (is_xts) begin
      result       = core_block_i ^ auxiliary_out;
    end
  end

  // With GCM a block leaves in the cycle in which the hash takes it.
  assign out_valid_o  = run_i && result_valid && (hash_ready_i || !is_gcm);
  assign out_give     = out_valid_o && out_ready_i;
  assign result_bytes = (output_left_q == 61'd1) ? last_bytes_q : 4'd15;

  // No keystream leaves in the lanes beyond the last byte.
  always_comb begin
    out_o.last  = output_left_q == 61'd1;
    out_o.bytes = result_bytes;
    out_o.data  = '0;
    for (int unsigned n = 0; n < 16; n++) begin
      if (4'(n) <= result_bytes) begin
        out_o.data[8*n +: 8] = result[8*n +: 8];
      end
    end
  end

  assign hash_valid_o   = is_gcm && (aad_q ? in_usable : (run_i && result_valid && out_ready_i));
  assign hash_block_o   = (aad_q || configuration_i.direction == DirectionDecrypt)
                          ? in_i.block.data : out_o.data;

  assign core_ready_o   = clear_i || (is_ctr ? auxiliary_open : (run_i && out_ready_i));
  assign in_take        = aad_q ? (in_usable && hash_ready_i) : (is_direct ? issue : out_give);
  assign in_ready_o     = in_take;

  assign auxiliary_push = is_ctr ? core_valid_i : ((is_cbc_decrypt || is_xts) && issue);
  assign auxiliary_in   = is_ctr ? core_block_i : (is_xts ? tweak_i : in_i.block.data);
  assign auxiliary_pop  = out_give && (is_ctr || is_cbc_decrypt || is_xts);
  assign tweak_ready_o  = is_xts && issue;

  // ------------------------------------------------------------ chaining

  assign counted_o = is_ctr && issue;

  always_comb begin
    iv_update_o = 1'b0;
    iv_o        = core_block_i;
    if (is_ctr) begin
      iv_update_o = issue;
      iv_o        = next_counter(iv_i, is_gcm ? CounterWidth32 : configuration_i.counter_width);
    end else if (is_cbc_encrypt) begin
      iv_update_o = out_give;
    end else if (is_cbc_decrypt) begin
      iv_update_o = out_give;
      iv_o        = auxiliary_out;
    end
  end

  // ------------------------------------------------------------ stalls

  always_comb begin
    stall_o.waits_for_output = out_valid_o && !out_ready_i;
    stall_o.waits_for_input  = in_wanted && !in_valid_i && out_ready_i;
    if (is_ctr) begin
      stall_o.waits_for_input = in_wanted && !in_valid_i &&
                                (aad_q ? hash_ready_i : auxiliary_valid);
    end else if (is_direct) begin
      stall_o.waits_for_input = in_wanted && !in_valid_i && issue_allowed && core_ready_i;
    end
  end

  logic unused_key_size;
  assign unused_key_size = ^{configuration_i.key_size, configuration_i.sink, configuration_i.hash,
                             configuration_i.authenticate};

endmodule

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Connects several channels to one AES core. The ports to each channel are those of
// aes_core, those to the core are their counterparts.
//
// It stores a key for each channel and passes it to the core before the channel's blocks
// (accel_share_choice decides when, and which channel is next). The number of the channel
// goes through the core as a tag and routes the result. A block enters the core only when
// there is a place for its result, so the core never stalls, and a channel that takes no
// results blocks only itself.
//
// zeroise_i of one channel sweeps the core, which may hold keys and data of every channel.
// Blocks inside leave the core first, so that other channels lose only cycles; those of
// the channel itself are dropped. busy_o of that channel is high until its key, its
// results and the core are cleared. After reset busy_o of all channels is high.
module accel_share #(
  parameter int unsigned Architecture   = accel_pkg::ArchitectureIterative,
  parameter int unsigned KeySizes       = accel_pkg::KeySizesAll,
  parameter int unsigned StagesPerRound = 1,
  parameter int unsigned Channels       = 2,
  // Cycles after which a turn ends if other channels wait; 0: a default by architecture.
  parameter int unsigned TurnCycles     = 0,
  localparam int unsigned IndexWidth = $clog2(Channels)
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,

  // The channels.
  input  logic [Channels-1:0]        key_valid_i,
  output logic [Channels-1:0]        key_ready_o,
  input  logic [Channels-1:0][1:0]   key_size_i,
  input  logic [Channels-1:0][255:0] key_i,
  input  logic [Channels-1:0]        block_valid_i,
  output logic [Channels-1:0]        block_ready_o,
  input  logic [Channels-1:0]        block_direction_i,
  input  logic [Channels-1:0][127:0] block_i,
  output logic [Channels-1:0]        block_valid_o,
  input  logic [Channels-1:0]        block_ready_i,
  output logic [Channels-1:0][127:0] block_o,
  input  logic [Channels-1:0]        zeroise_i,
  output logic [Channels-1:0]        busy_o,
  output logic [Channels-1:0]        idle_o,

  // The core.
  output logic                       core_key_valid_o,
  input  logic                       core_key_ready_i,
  output logic [1:0]                 core_key_size_o,
  output logic [255:0]               core_key_o,
  output logic                       core_valid_o,
  input  logic                       core_ready_i,
  output logic                       core_direction_o,
  output logic [127:0]               core_block_o,
  output logic [IndexWidth-1:0]      core_tag_o,
  input  logic                       core_valid_i,
  output logic                       core_ready_o,
  input  logic [127:0]               core_block_i,
  input  logic [IndexWidth-1:0]      core_tag_i,
  output logic                       core_zeroise_o,
  input  logic                       core_busy_i,
  input  logic                       core_idle_i
);

  if (Channels < 2) begin : gen_bad_channels
    $fatal(1, "accel_share: Channels must be 2 or more");
  end

  localparam bit Pipelined = Architecture == accel_pkg::ArchitecturePipelined;
  localparam int unsigned Rounds =
      (KeySizes & accel_pkg::KeySizes256) != 0 ? 14 : (KeySizes & accel_pkg::KeySizes192) != 0 ? 12 : 10;
  // Cycles from a block to its result in a pipeline that never stalls.
  localparam int unsigned Latency = 1 + Rounds * StagesPerRound;
  // Places for results of a channel: enough for the full rate with one channel alone.
  localparam int unsigned Places = Pipelined ? Latency + 1 : 4;
  // A key costs up to 14 cycles (pipelined, to decrypt), 16 (iterative), 75 (serial).
  localparam int unsigned Turn =
      (TurnCycles != 0) ? TurnCycles :
      Pipelined ? 128 : (Architecture == accel_pkg::ArchitectureSerial) ? 1024 : 256;

  // ------------------------------------------------------------ sweeps

  typedef enum logic [1:0] {
    StateRun,
    StateDrain, // blocks leave the core
    StateSweep  // the core zeroises
  } state_e;

  state_e              state_d, state_q;
  logic [Channels-1:0] asked_d, asked_q;     // channels that requested a sweep
  logic [Channels-1:0] served_d, served_q;   // channels that the current sweep serves
  logic                run;

  always_comb begin
    state_d        = state_q;
    asked_d        = asked_q | zeroise_i;
    served_d       = served_q;
    core_zeroise_o = 1'b0;
    unique case (state_q)
      StateRun: begin
        if (asked_q != '0) begin
          state_d = StateDrain;
        end
      end
      StateDrain: begin
        if (core_idle_i) begin
          core_zeroise_o = 1'b1;
          served_d       = asked_q;
          state_d        = StateSweep;
        end
      end
      StateSweep: begin
        if (!core_busy_i) begin
          asked_d = (asked_q & ~served_q) | zeroise_i;
          state_d = StateRun;
        end
      end
      default: state_d = StateDrain;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q  <= StateSweep;
      asked_q  <= '1;
      served_q <= '1;
    end else begin
      state_q  <= state_d;
      asked_q  <= asked_d;
      served_q <= served_d;
    end
  end

  assign run = (state_q == StateRun) && (asked_q == '0);

  // ------------------------------------------------------------ keys

  logic [Channels-1:0]   keys_busy, key_present, key_replaced;
  logic [IndexWidth-1:0] next;
  logic [1:0]            next_key_size;
  logic [255:0]          next_key;

  accel_share_keys #(
    .Channels (Channels)
  ) u_keys (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .key_valid_i  (key_valid_i),
    .key_ready_o  (key_ready_o),
    .key_size_i   (key_size_i),
    .key_i        (key_i),
    .forget_i     (zeroise_i),
    .busy_o       (keys_busy),
    .present_o    (key_present),
    .replaced_o   (key_replaced),
    .read_index_i (next),
    .key_size_o   (next_key_size),
    .key_o        (next_key)
  );

  assign core_key_size_o = next_key_size;
  assign core_key_o      = next_key;

  // ------------------------------------------------------------ the choice

  logic [Channels-1:0]   wants, chains_q, chains, expected, room, working;
  logic                  current_valid, issue;
  logic [IndexWidth-1:0] current;

  assign wants  = block_valid_i & room & key_present;
  assign chains = chains_q & working & key_present;

  accel_share_choice #(
    .Channels   (Channels),
    .TurnCycles (Turn),
    .PerBlock   (32'(Pipelined))
  ) u_choice (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .run_i           (run),
    .replaced_i      (key_replaced),
    .wants_i         (wants),
    .chains_i        (chains),
    .expected_i      (expected),
    .decrypts_i      (block_direction_i),
    .issue_i         (issue),
    .key_valid_o     (core_key_valid_o),
    .key_ready_i     (core_key_ready_i),
    .next_o          (next),
    .current_valid_o (current_valid),
    .current_o       (current)
  );

  // A pipeline that never stalls gives each result after the same number of cycles.
  if (Pipelined) begin : gen_expected
    logic [Latency-2:0]                 valid_q;
    logic [Latency-2:0][IndexWidth-1:0] index_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        valid_q <= '0;
        index_q <= '0;
      end else begin
        valid_q <= {valid_q[Latency-3:0], issue};
        index_q <= {index_q[Latency-3:0], current};
      end
    end

    always_comb begin
      expected                     = '0;
      expected[index_q[Latency-2]] = valid_q[Latency-2];
    end
  end else begin : gen_not_expected
    assign expected = '0;
  end

  // ------------------------------------------------------------ blocks

  assign core_valid_o     = run && current_valid && wants[current];
  assign issue            = core_valid_o && core_ready_i;
  assign core_direction_o = block_direction_i[current];
  assign core_block_o     = block_i[current];
  assign core_tag_o       = current;

  // ------------------------------------------------------------ results

  logic [Channels-1:0] results_busy, result_valid, issued;

  assign core_ready_o = 1'b1;

  for (genvar n = 0; n < Channels; n++) begin : gen_channel
    assign issued[n]        = issue && (current == IndexWidth'(n));
    assign block_ready_o[n] = run && current_valid && (current == IndexWidth'(n)) &&
                              room[n] && key_present[n] && core_ready_i;
    assign result_valid[n]  = core_valid_i && (core_tag_i == IndexWidth'(n));

    accel_share_results #(
      .Places (Places)
    ) u_results (
      .clk_i          (clk_i),
      .rst_ni         (rst_ni),
      .clear_i        (asked_q[n]),
      .busy_o         (results_busy[n]),
      .issue_i        (issued[n]),
      .room_o         (room[n]),
      .inside_o       (working[n]),
      .idle_o         (idle_o[n]),
      .result_valid_i (result_valid[n]),
      .result_i       (core_block_i),
      .valid_o        (block_valid_o[n]),
      .ready_i        (block_ready_i[n]),
      .block_o        (block_o[n])
    );

    // Whether a block was offered in the cycle of the last result, as CBC encryption does.
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        chains_q[n] <= 1'b0;
      end else if (result_valid[n]) begin
        chains_q[n] <= block_valid_i[n] && !block_direction_i[n];
      end
    end
  end

  assign busy_o = asked_q | keys_busy | results_busy;

endmodule

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// PRESENT with the nibble-serial data path present_nibble: small and slow. Interface as
// in present_core.
//
// A register of 64 bits holds the block, shifts it into the data path nibble by nibble,
// and takes the result. Another register holds the key with which blocks of one
// direction begin: the key itself for encryption, the key register after the last round
// for decryption. A block of the other direction first runs the key schedule; further
// blocks of that direction need not.
//
// A key waits until the current block is done and its result taken. An idle core
// accepts a key in one cycle and a block in the next.
module present_serial
  import present_pkg::*;
  import present_functions_pkg::*;
#(
  parameter int unsigned Directions = DirectionsBoth,
  parameter int unsigned KeySizes = KeySizesBoth,
  parameter int unsigned TagWidth = 8
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

  typedef enum logic [2:0] {
    Idle,
    TurnLoad,      // key into the data path
    TurnSchedule,  // key schedule
    TurnSave,      // key back into its register
    Load,
    Run,
    Result
  } state_e;

  state_e              state_d, state_q;
  logic                clear, loaded_q, phase_q;
  logic                key_load, block_load, last_nibble;
  logic [4:0]          nibble_q;
  direction_e          direction_q, direction, key_direction_q;
  key_size_e           key_size_q, key_size;
  logic [127:0]        key_q;
  logic [63:0]         block_q;
  logic [TagWidth-1:0] tag_q;
  logic                engine_load, engine_running, result_valid;
  logic [3:0]          result, engine_key;

  assign clear = zeroise_i || busy_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) busy_o <= 1'b1;
    else busy_o <= zeroise_i;
  end

  // A constant if the core has one only.
  assign direction = (Directions == DirectionsBoth)    ? direction_q :
                     (Directions == DirectionsDecrypt) ? DirectionDecrypt : DirectionEncrypt;
  assign key_size = (KeySizes == KeySizesBoth) ? key_size_q :
                    (KeySizes == KeySizes128)  ? KeySize128 : KeySize80;

  assign key_ready_o = !clear && state_q == Idle && !phase_q &&
      (KeySizes & (32'd1 << key_size_i)) != 0;
  assign block_ready_o = !clear && state_q == Idle && phase_q && loaded_q &&
      (Directions & (32'd1 << block_direction_i)) != 0;
  assign key_load = key_valid_i && key_ready_o;
  assign block_load = block_valid_i && block_ready_o;

  assign engine_load = state_q inside {TurnLoad, TurnSave, Load};
  assign last_nibble = nibble_q == ((key_size == KeySize128) ? 5'd31 : 5'd19);

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle:
      if (block_load) begin
        if (Directions != DirectionsEncrypt && block_direction_i != key_direction_q) begin
          state_d = TurnLoad;
        end else begin
          state_d = Load;
        end
      end
      TurnLoad:     if (last_nibble) state_d = TurnSchedule;
      TurnSchedule: if (!engine_running) state_d = TurnSave;
      TurnSave:     if (last_nibble) state_d = Load;
      Load:         if (last_nibble) state_d = Run;
      Run:          if (!engine_running) state_d = Result;
      Result:       if (block_ready_i) state_d = Idle;
      default:      state_d = Idle;
    endcase
    if (clear) state_d = Idle;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q  <= Idle;
      loaded_q <= 1'b0;
      phase_q  <= 1'b0;
      nibble_q <= '0;
    end else begin
      state_q  <= state_d;
      loaded_q <= !clear && (loaded_q || key_load);
      phase_q  <= !phase_q;
      nibble_q <= (engine_load && !last_nibble && !clear) ? nibble_q + 5'd1 : '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear) begin
      key_size_q      <= KeySize80;
      key_direction_q <= DirectionEncrypt;
      direction_q     <= DirectionEncrypt;
      tag_q           <= '0;
    end else begin
      if (key_load) key_size_q <= key_size_i;
      if (key_load) key_direction_q <= DirectionEncrypt;
      else if (state_q == TurnSave) key_direction_q <= direction;
      if (block_load) direction_q <= block_direction_i;
      if (block_load) tag_q <= block_tag_i;
    end
  end

  // The key rotates while it is loaded, and is replaced after the key schedule.
  always_ff @(posedge clk_i) begin
    if (clear) begin
      key_q <= '0;
    end else if (key_load) begin
      if (KeySizes != KeySizes80 && (KeySizes == KeySizes128 || key_size_i == KeySize128)) begin
        key_q <= key_i;
      end else begin
        key_q <= {key_i[79:0], 48'b0};
      end
    end else if (engine_load) begin
      key_q <= shift_key(key_size, key_q, (state_q == TurnSave) ? engine_key : key_q[127:124]);
    end
  end

  // The block is shifted out in the last 16 cycles of the load.
  always_ff @(posedge clk_i) begin
    if (clear || (state_q == Result && block_ready_i)) begin
      block_q <= '0;
    end else if (block_load) begin
      block_q <= block_i;
    end else if (result_valid ||
                 (state_q == Load && nibble_q >= ((key_size == KeySize128) ? 5'd16 : 5'd4))) begin
      block_q <= {block_q[59:0], result_valid ? result : 4'b0};
    end
  end

  present_nibble #(
    .Directions(Directions),
    .KeySizes  (KeySizes)
  ) u_engine (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .clear_i       (clear),
    .direction_i   (state_q == Load || state_q == Run ? direction : key_direction_q),
    .key_size_i    (key_size),
    .load_i        (engine_load),
    .start_i       (last_nibble && (state_q == Load || state_q == TurnLoad)),
    .schedule_i    (state_q == TurnLoad),
    .key_i         ((state_q == TurnSave) ? engine_key : key_q[127:124]),
    .block_i       (block_q[63:60]),
    .running_o     (engine_running),
    .result_valid_o(result_valid),
    .result_o      (result),
    .key_o         (engine_key)
  );

  assign block_valid_o = (state_q == Result);
  assign block_o = block_valid_o ? block_q : '0;
  assign block_tag_o = tag_q;
  assign idle_o = (state_q == Idle);

endmodule

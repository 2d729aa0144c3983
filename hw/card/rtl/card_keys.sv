// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The key slots of a ring: a memory of 16 words for each slot, eight of the key and eight of
// the tweak key (XTS). Commands of the host write it, the sequencer alone reads it. Every
// word is overwritten with zero after reset.
//
// While the sequencer holds lock_i no command begins; lock_ready_o tells that none is under
// way. changed_o is high for a cycle when a slot has changed. After an erase the sequencer is
// asked to clear the channel, whose registers may hold a copy: forget_o is high until
// forgotten_i.
module card_keys #(
  parameter int unsigned KeySlots = 8 // 1 to 255
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  output logic             busy_o,

  // From the host, each high for a cycle; ignored while busy_o.
  input  logic             store_i,
  input  logic             store_tweak_i,
  input  logic             erase_i,
  input  logic [7:0]       slot_i,
  input  logic [1:0]       key_size_i,
  input  logic [7:0][31:0] key_i,
  output logic             clear_o,      // the key has been taken

  // To the sequencer.
  input  logic             lock_i,
  output logic             lock_ready_o,
  input  logic [7:0]       read_slot_i,
  input  logic             read_tweak_i,
  input  logic [2:0]       read_word_i,
  output logic [31:0]      read_data_o,
  output logic             read_held_o,       // the slot has a key
  output logic             read_tweak_held_o, // and a tweak key
  output logic [1:0]       read_size_o,
  output logic             changed_o,
  output logic [7:0]       changed_slot_o,
  output logic             forget_o,
  input  logic             forgotten_i
);

  if (KeySlots < 1 || KeySlots > 255) begin : gen_bad_slots
    $fatal(1, "card_keys: KeySlots must be 1 to 255");
  end

  localparam int unsigned IndexBits = (KeySlots > 1) ? $clog2(KeySlots) : 1;

  typedef logic [IndexBits-1:0] index_t;

  typedef enum logic [1:0] {
    StateIdle,
    StateWait,  // for the sequencer to end its reads
    StateWrite, // a word a cycle
    StateForget // the channel's copy of an erased key
  } state_e;

  state_e              state_q;
  logic                erase_q, tweak_q;
  index_t              index_q;
  logic [7:0]          slot_q;
  logic [1:0]          size_q;
  logic [3:0]          word_q;
  logic [KeySlots-1:0] held_q, tweak_held_q;
  logic [1:0]          size_memory_q [KeySlots];
  logic [7:0]          slot_before;
  logic                begins, writes, last, exists, sweeping;

  assign slot_before = slot_i - 8'd1;
  // Slot 0 becomes 255 here, which is none of KeySlots.
  assign exists = 32'(slot_before) < KeySlots;
  assign begins = state_q == StateIdle && (store_i || store_tweak_i || erase_i);
  assign writes = state_q == StateWrite;
  assign last   = erase_q ? word_q == 4'd15 : word_q[2:0] == 3'd7;

  assign lock_ready_o = state_q inside {StateIdle, StateWait, StateForget} && !sweeping;
  assign changed_o    = writes && last;
  assign changed_slot_o = slot_q;
  assign forget_o     = state_q == StateForget;
  assign clear_o      = (writes && last && !erase_q) || (begins && !exists);
  assign busy_o       = state_q != StateIdle || sweeping;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q      <= StateIdle;
      erase_q      <= 1'b0;
      tweak_q      <= 1'b0;
      index_q      <= '0;
      slot_q       <= '0;
      size_q       <= '0;
      word_q       <= '0;
      held_q       <= '0;
      tweak_held_q <= '0;
    end else begin
      unique case (state_q)
        StateIdle: begin
          if (begins && exists) begin
            state_q <= StateWait;
            erase_q <= erase_i;
            tweak_q <= store_tweak_i && !store_i;
            slot_q  <= slot_i;
            index_q <= index_t'(slot_before);
            size_q  <= key_size_i;
            word_q  <= '0;
          end
        end

        StateWait: begin
          if (!lock_i && !sweeping) begin
            state_q <= StateWrite;
            if (erase_q || !tweak_q) begin
              held_q[index_q] <= 1'b0;
            end
            if (erase_q || tweak_q) begin
              tweak_held_q[index_q] <= 1'b0;
            end
          end
        end

        StateWrite: begin
          word_q <= word_q + 4'd1;
          if (last) begin
            state_q <= erase_q ? StateForget : StateIdle;
            if (!erase_q && !tweak_q) begin
              held_q[index_q] <= 1'b1;
            end
            if (!erase_q && tweak_q) begin
              tweak_held_q[index_q] <= 1'b1;
            end
          end
        end

        default: begin
          if (forgotten_i) begin
            state_q <= StateIdle;
          end
        end
      endcase
    end
  end

  // ------------------------------------------------------------ the memory

  localparam int unsigned Depth     = 16 * KeySlots;
  localparam int unsigned DepthBits = $clog2(Depth);

  logic                 sweep_write;
  logic [DepthBits-1:0] sweep_address, write_address;
  logic [31:0]          memory [Depth];
  logic [31:0]          write_data;
  index_t               read_index;
  logic                 read_exists;

  prim_sweep #(
    .Depth (Depth)
  ) u_sweep (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .start_i   (1'b0),
    .busy_o    (sweeping),
    .write_o   (sweep_write),
    .address_o (sweep_address)
  );

  // Its highest bits are zero where KeySlots is 1.
  assign write_address = DepthBits'({index_q, erase_q ? word_q : {tweak_q, word_q[2:0]}});
  assign write_data    = erase_q ? '0 : key_i[word_q[2:0]];

  always_ff @(posedge clk_i) begin
    if (sweep_write) begin
      memory[sweep_address] <= '0;
    end else if (writes) begin
      memory[write_address] <= write_data;
    end
  end

  always_ff @(posedge clk_i) begin
    if (writes && last) begin
      size_memory_q[index_q] <= size_q;
    end
  end

  logic [7:0] read_before;

  assign read_before       = read_slot_i - 8'd1;
  assign read_exists       = 32'(read_before) < KeySlots;
  assign read_index        = index_t'(read_before);
  assign read_data_o       = memory[DepthBits'({read_index, read_tweak_i, read_word_i})];
  assign read_held_o       = read_exists && held_q[read_index];
  assign read_tweak_held_o = read_exists && tweak_held_q[read_index];
  assign read_size_o       = size_memory_q[read_index];

endmodule

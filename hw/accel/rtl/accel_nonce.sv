// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Candidates for the nonce of a signature, from the private key and the number that is signed
// (RFC 6979, section 3.2). "The standard" below is that one.
//
// begin_i, high for a cycle, starts with steps b to g, then step h.2 makes the first
// candidate; next_i, after the last byte of a candidate, starts with step h.3, for the next
// one. A candidate leaves as bytes, the most significant one first, as many as an integer of
// the curve has. Whoever takes it tells whether it lies in [1, n - 1].
//
// Private key, number, V and K are regions of accel_key_slots; the key of HMAC is in the core
// of SHA-2. hash_i, curve_i and key_slot_i hold until clear_i, which drops everything.
//
// The number of cycles depends on hash_i, curve_i and the count of candidates alone.
module accel_nonce
  import accel_pkg::*;
(
  input  logic          clk_i,
  input  logic          rst_ni,

  input  logic [2:0]    hash_i,
  input  logic [1:0]    curve_i,
  input  logic [3:0]    key_slot_i,
  input  logic          begin_i,
  input  logic          next_i,
  input  logic          clear_i,

  output logic          nonce_valid_o,
  input  logic          nonce_ready_i,
  output logic [7:0]    nonce_o,

  output region_t       read_region_o,
  output logic [6:0]    index_o, // of the byte that is read or written
  input  logic [7:0]    read_data_i,
  output logic          write_o,
  output region_t       write_region_o,
  output logic [7:0]    write_data_o,

  output hmac_request_t hmac_o,
  input  hmac_answer_t  hmac_i
);

  typedef enum logic [2:0] {
    Idle,
    Key,    // K enters the core of SHA-2
    Start,  // a message begins
    Text,   // it enters
    Result, // the code leaves
    Give    // bytes of a candidate leave
  } phase_e;

  // What a message is, and what its code becomes.
  typedef enum logic [1:0] {
    Absorb,   // K = HMAC_K(V || tag || ...): steps d, f and h.3
    Update,   // V = HMAC_K(V): steps e, g and h.3
    Candidate // V = HMAC_K(V), whose bytes are those of a candidate: step h.2
  } step_e;

  typedef enum logic [1:0] {
    First, // steps d and e, with V and K as steps b and c set them, and the tag 0
    Second, // steps f and g, with the tag 1
    Again   // step h.3, with the tag 0, and neither private key nor number
  } round_e;

  // The parts of a message.
  typedef enum logic [1:0] {
    PartV,
    PartTag,
    PartPrivateKey,
    PartNumber
  } part_e;

  phase_e       phase_d, phase_q;
  step_e        step_d, step_q;
  round_e       round_d, round_q;
  part_e        part_d, part_q;
  logic [6:0]   index_d, index_q; // byte of the part, of the key or of the code
  logic [127:0] block_d, block_q; // bytes that have been gathered for the core
  logic [4:0]   bytes_d, bytes_q; // their number
  logic         last_d, last_q;   // the last byte is among them
  logic [6:0]   given_d, given_q; // bytes of the candidate that have left
  logic [6:0]   shift_d, shift_q; // the lowest bits of the byte before, for P-521

  // ------------------------------------------------------------ lengths

  sha2_pkg::function_e hash;
  logic [6:0]          hash_bytes, curve_bytes, part_bytes;
  logic                is_p521;

  assign hash        = sha2_pkg::function_e'(hash_i - HashSha224);
  assign hash_bytes  = 7'({sha2_pkg::digest_blocks(hash) - 3'd1, 4'd0}) +
                       7'(sha2_pkg::digest_last_bytes(hash));
  assign curve_bytes = integer_bytes(curve_i);
  assign is_p521     = curve_i == accel_registers_pkg::accel__curve__p_521;

  // ------------------------------------------------------------ bytes for the core

  logic       gathers, full, part_ends, text_ends, taken;
  logic [7:0] gathered;

  assign full    = (bytes_q == 5'd16) || last_q;
  assign gathers = (phase_q inside {Key, Text}) && !full;

  always_comb begin
    read_region_o = RegionV; // the bytes that leave are those of V, too
    part_bytes    = hash_bytes;
    text_ends     = 1'b1;
    if (phase_q == Key) begin
      read_region_o = RegionK;
    end else if (phase_q == Text) begin
      unique case (part_q)
        PartV: text_ends = step_q != Absorb;
        PartTag: begin
          part_bytes = 7'd1;
          text_ends  = round_q == Again;
        end
        PartPrivateKey: begin
          read_region_o = slot_region(key_slot_i);
          part_bytes    = curve_bytes;
          text_ends     = 1'b0;
        end
        default: begin
          read_region_o = RegionNumber;
          part_bytes    = curve_bytes;
        end
      endcase
    end
  end

  // Steps b and c: at first V consists of bytes with the value 1, and K of zeros.
  always_comb begin
    gathered = read_data_i;
    if (phase_q == Key) begin
      if (step_q == Absorb) gathered = 8'h00;
    end else if (part_q == PartTag) begin
      gathered = (round_q == Second) ? 8'h01 : 8'h00;
    end else if (part_q == PartV && round_q == First) begin
      gathered = 8'h01;
    end
  end

  assign part_ends = index_q == part_bytes - 7'd1;
  assign index_o   = index_q;

  // ------------------------------------------------------------ the core of SHA-2

  logic [3:0] code_byte; // of the block of the code
  logic       code_block_ends, code_ends;

  assign hmac_o.key_valid    = (phase_q == Key) && full;
  assign hmac_o.start_valid  = phase_q == Start;
  assign hmac_o.block_valid  = (phase_q == Text) && full;
  assign hmac_o.block        = block_q;
  assign hmac_o.block_bytes  = bytes_q;
  assign hmac_o.block_last   = last_q;
  assign hmac_o.result_ready = (phase_q == Result) && code_block_ends;

  assign taken = full && ((phase_q == Key) ? hmac_i.key_ready
                                           : (phase_q == Text && hmac_i.block_ready));

  assign code_byte       = index_q[3:0];
  assign code_ends       = index_q == hash_bytes - 7'd1;
  assign code_block_ends = (code_byte == 4'd15) || code_ends;
  assign write_o         = (phase_q == Result) && hmac_i.result_valid;
  assign write_region_o  = (step_q == Absorb) ? RegionK : RegionV;
  assign write_data_o    = hmac_i.result[127 - 8*code_byte -: 8];

  // ------------------------------------------------------------ the candidate

  logic gives;

  // P-521 has 521 bits: the first ones of 66 bytes (bits2int of the standard).
  assign nonce_valid_o = phase_q == Give;
  assign nonce_o       = is_p521 ? {shift_q, read_data_i[7]} : read_data_i;
  assign gives         = nonce_valid_o && nonce_ready_i;

  // ------------------------------------------------------------ sequence

  always_comb begin
    phase_d = phase_q;
    step_d  = step_q;
    round_d = round_q;
    part_d  = part_q;
    index_d = index_q;
    block_d = block_q;
    bytes_d = bytes_q;
    last_d  = last_q;
    given_d = given_q;
    shift_d = shift_q;

    if (gathers) begin
      block_d[127 - 8*bytes_q[3:0] -: 8] = gathered;
      bytes_d = bytes_q + 5'd1;
      index_d = index_q + 7'd1;
      if (part_ends) begin
        index_d = '0;
        last_d  = text_ends;
        if (phase_q == Text) part_d = part_e'(part_q + 2'd1);
      end
    end
    if (taken) begin
      block_d = '0;
      bytes_d = '0;
      last_d  = 1'b0;
    end

    unique case (phase_q)
      Idle: begin
        given_d = '0;
        shift_d = '0;
        if (begin_i) begin
          phase_d = Key;
          step_d  = Absorb;
          round_d = First;
        end else if (next_i) begin
          phase_d = Start;
          step_d  = Absorb;
          round_d = Again;
        end
      end

      Key: if (taken && last_q) phase_d = Start;

      Start: begin
        part_d = PartV;
        if (hmac_i.start_ready) phase_d = Text;
      end

      Text: if (taken && last_q) phase_d = Result;

      Result: begin
        if (hmac_i.result_valid) begin
          index_d = index_q + 7'd1;
          if (code_ends) begin
            index_d = '0;
            phase_d = Start;
            unique case (step_q)
              Absorb: begin
                phase_d = Key;
                step_d  = Update;
              end
              Update: begin
                if (round_q == First) begin
                  round_d = Second;
                  step_d  = Absorb;
                end else begin
                  step_d = Candidate;
                end
              end
              default: phase_d = Give;
            endcase
          end
        end
      end

      Give: begin
        if (gives) begin
          shift_d = read_data_i[6:0];
          given_d = given_q + 7'd1;
          index_d = index_q + 7'd1;
          if (index_q == hash_bytes - 7'd1) begin
            index_d = '0;
            phase_d = Start;
          end
          if (given_q == curve_bytes - 7'd1) begin
            index_d = '0;
            phase_d = Idle;
          end
        end
      end

      default: phase_d = Idle;
    endcase

    if (clear_i) begin
      phase_d = Idle;
      step_d  = Absorb;
      round_d = First;
      part_d  = PartV;
      index_d = '0;
      block_d = '0;
      bytes_d = '0;
      last_d  = 1'b0;
      given_d = '0;
      shift_d = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      phase_q <= Idle;
      step_q  <= Absorb;
      round_q <= First;
      part_q  <= PartV;
      index_q <= '0;
      block_q <= '0;
      bytes_q <= '0;
      last_q  <= 1'b0;
      given_q <= '0;
      shift_q <= '0;
    end else begin
      phase_q <= phase_d;
      step_q  <= step_d;
      round_q <= round_d;
      part_q  <= part_d;
      index_q <= index_d;
      block_q <= block_d;
      bytes_q <= bytes_d;
      last_q  <= last_d;
      given_q <= given_d;
      shift_q <= shift_d;
    end
  end

endmodule

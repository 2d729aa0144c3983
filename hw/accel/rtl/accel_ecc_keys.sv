// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Operations with the private key of a slot: stands between the streams and ecc_core. It
// replaces operands and results that never leave the device: the private key, and the nonce
// of a signature, which follows from key and number (RFC 6979). An operation without a slot
// passes unchanged.
//
// begin_i is high for a cycle; function_i and hash_i hold from then until clear_i, with which
// every message ends. The core may start while prepared_o is high. A number that is signed
// and a key that is imported are taken before that. When the core refuses a nonce, again_o
// comes with its status and prepared_o falls: the same signature starts anew, with the next
// candidate. ended_good_i is high for a cycle at the end of an operation that went well.
//
// The key of a slot goes to the core and into HMAC, and nowhere else.
module accel_ecc_keys
  import accel_pkg::*;
#(
  parameter int unsigned KeySlots = 4 // 1 to 15
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  curve_function_t  function_i,
  input  logic [2:0]       hash_i,
  input  logic             begin_i,
  input  logic             run_i,
  input  logic             feeds_i,     // the core runs
  input  logic             ended_good_i,
  input  logic             clear_i,
  input  logic             zeroise_i,
  output logic             busy_o,
  output logic             prepared_o,
  output logic             takes_o,     // bytes from the host before the core starts
  output logic             held_o,      // the slot of function_i has a key
  output logic [1:0]       curve_o,     // the curve of that key

  // Operands: from the host, and to the core.
  input  logic             byte_valid_i,
  output logic             byte_ready_o,
  input  logic [7:0]       byte_i,
  output logic             operand_valid_o,
  input  logic             operand_ready_i,
  output logic [7:0]       operand_o,

  // Results: from the core, and to the host; those for the host have the same bytes.
  input  logic             result_valid_i,
  output logic             result_ready_o,
  input  logic [7:0]       result_i,
  input  logic             result_last_i,
  output logic             result_valid_o,
  input  logic             result_ready_i,

  input  logic             status_taken_i,
  input  ecc_pkg::status_e status_i,
  output logic             again_o,

  output hmac_request_t    hmac_o,
  input  hmac_answer_t     hmac_i
);

  typedef enum logic [1:0] {
    Idle,
    Take,  // the host's packet enters the memory
    Nonce, // a candidate is computed
    Feed   // the core takes operands and gives results
  } phase_e;

  // Where the core's next operand comes from.
  typedef enum logic [1:0] {
    SourceHost,
    SourceSlot,
    SourceNonce,
    SourceNumber
  } source_e;

  phase_e     phase_d, phase_q;
  source_e    source_d, source_q;
  logic [6:0] index_d, index_q; // byte of an integer
  logic       kept_d, kept_q;   // the generated key is in its slot

  logic has_slot, is_sign, is_import, is_generate, index_ends;

  assign has_slot    = function_i.key_slot != '0;
  assign is_sign     = has_slot && (function_i.operation == CurveSign);
  assign is_import   = has_slot && (function_i.operation == CurveImport);
  assign is_generate = has_slot && (function_i.operation == CurveGenerate);
  assign index_ends  = index_q == integer_bytes(function_i.curve) - 7'd1;

  // ------------------------------------------------------------ the nonce

  logic       nonce_begin, nonce_next, nonce_valid, nonce_ready, nonce_write;
  logic [7:0] nonce, nonce_write_data;
  region_t    nonce_read_region, nonce_write_region;
  logic [6:0] nonce_index;
  logic [7:0] read_data;

  accel_nonce u_nonce (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .hash_i         (hash_i),
    .curve_i        (function_i.curve),
    .key_slot_i     (function_i.key_slot),
    .begin_i        (nonce_begin),
    .next_i         (nonce_next),
    .clear_i        (clear_i),
    .nonce_valid_o  (nonce_valid),
    .nonce_ready_i  (nonce_ready),
    .nonce_o        (nonce),
    .read_region_o  (nonce_read_region),
    .index_o        (nonce_index),
    .read_data_i    (read_data),
    .write_o        (nonce_write),
    .write_region_o (nonce_write_region),
    .write_data_o   (nonce_write_data),
    .hmac_o         (hmac_o),
    .hmac_i         (hmac_i)
  );

  // ------------------------------------------------------------ the memory

  logic       takes, keeps, keep, reads;
  region_t    write_region, read_region;
  logic [6:0] write_index;
  logic [7:0] write_data;

  assign takes = (phase_q == Take) && byte_valid_i;
  assign keeps = is_generate && !kept_q;
  assign keep  = keeps && result_valid_i && run_i;
  assign reads = (phase_q == Feed) && (source_q inside {SourceSlot, SourceNumber});

  always_comb begin
    write_region = slot_region(function_i.key_slot);
    write_index  = index_q;
    write_data   = keeps ? result_i : byte_i;
    if (phase_q == Take && is_sign) begin
      write_region = RegionNumber;
    end
    if (nonce_write) begin
      write_region = nonce_write_region;
      write_index  = nonce_index;
      write_data   = nonce_write_data;
    end
    read_region = nonce_read_region;
    if (reads) begin
      read_region = (source_q == SourceSlot) ? slot_region(function_i.key_slot) : RegionNumber;
    end
  end

  accel_key_slots #(
    .KeySlots (KeySlots)
  ) u_slots (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .key_slot_i     (function_i.key_slot),
    .curve_i        (function_i.curve),
    .held_o         (held_o),
    .curve_o        (curve_o),
    .store_i        (ended_good_i && (is_import || is_generate)),
    .erase_i        (begin_i && has_slot && (function_i.operation == CurveErase)),
    .clear_i        (clear_i),
    .zeroise_i      (zeroise_i),
    .busy_o         (busy_o),
    .write_i        (takes || keep || nonce_write),
    .write_region_i (write_region),
    .write_index_i  (write_index),
    .write_data_i   (write_data),
    .read_region_i  (read_region),
    .read_index_i   (reads ? index_q : nonce_index),
    .read_data_o    (read_data)
  );

  // ------------------------------------------------------------ operands

  assign takes_o    = phase_q == Take;
  assign prepared_o = phase_q == Feed;

  always_comb begin
    unique case (source_q)
      SourceHost: begin
        operand_valid_o = byte_valid_i;
        operand_o       = byte_i;
      end
      SourceNonce: begin
        operand_valid_o = feeds_i && nonce_valid;
        operand_o       = nonce;
      end
      default: begin
        operand_valid_o = feeds_i;
        operand_o       = read_data;
      end
    endcase
    if (phase_q != Feed) operand_valid_o = 1'b0;
  end

  assign byte_ready_o = takes_o || (source_q == SourceHost && operand_ready_i);
  assign nonce_ready  = feeds_i && (phase_q == Feed) && (source_q == SourceNonce) &&
                        operand_ready_i;

  // ------------------------------------------------------------ results

  assign result_valid_o = result_valid_i && !keeps;
  assign result_ready_o = keeps ? run_i : result_ready_i;

  assign again_o = is_sign && (status_i inside {ecc_pkg::StatusNonce, ecc_pkg::StatusZeroR,
                                                ecc_pkg::StatusZeroS});

  // ------------------------------------------------------------ the operation

  always_comb begin
    phase_d     = phase_q;
    source_d    = source_q;
    index_d     = index_q;
    kept_d      = kept_q;
    nonce_begin = 1'b0;
    nonce_next  = 1'b0;

    unique case (phase_q)
      Idle: begin
        if (begin_i) begin
          phase_d  = (is_sign || is_import) ? Take : Feed;
          source_d = (has_slot && !is_generate) ? SourceSlot : SourceHost;
        end
      end

      Take: begin
        if (takes) begin
          index_d = index_q + 7'd1;
          if (index_ends) begin
            index_d     = '0;
            phase_d     = is_sign ? Nonce : Feed;
            nonce_begin = is_sign;
          end
        end
      end

      Nonce: if (nonce_valid) phase_d = Feed;

      default: begin
        if (keep || (source_q != SourceHost && operand_valid_o && operand_ready_i)) begin
          index_d = index_ends ? '0 : index_q + 7'd1;
        end
        if (keep && result_last_i) begin
          kept_d = 1'b1;
        end
        if (source_q != SourceHost && operand_valid_o && operand_ready_i && index_ends) begin
          unique case (source_q)
            SourceSlot:  source_d = is_sign ? SourceNonce : SourceHost;
            SourceNonce: source_d = SourceNumber;
            default:     source_d = SourceHost;
          endcase
        end
        if (status_taken_i && again_o) begin
          phase_d    = Nonce;
          source_d   = SourceSlot;
          nonce_next = 1'b1;
        end
      end
    endcase

    if (clear_i) begin
      phase_d  = Idle;
      source_d = SourceHost;
      index_d  = '0;
      kept_d   = 1'b0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      phase_q  <= Idle;
      source_q <= SourceHost;
      index_q  <= '0;
      kept_q   <= 1'b0;
    end else begin
      phase_q  <= phase_d;
      source_q <= source_d;
      index_q  <= index_d;
      kept_q   <= kept_d;
    end
  end

endmodule

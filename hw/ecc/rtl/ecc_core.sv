// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Elliptic-curve engine for P-256, P-384 and P-521: key generation, ECDSA, ECDH.
//
// A start handshake takes the operation and the curve. Then operands are taken as bytes, the
// most significant one first, 32, 48 or 66 of them each; README.md names the operands and
// results of each operation. Results leave in the same form; result_last_o is the last byte
// of a result. When an operation has ended and the engine's memory is cleared, the status
// leaves. An operation that is refused, or a signature that is wrong, gives no results.
//
// An operation or curve that the engine does not have is never accepted. Valid never depends
// on ready, and a payload holds until it is taken; the same is required of the inputs.
// Payloads of outputs are zero while their valid is low.
//
// zeroise_i drops the operation and clears every register and memory; busy_o is high until
// they are clear, and after reset. Nothing is accepted then.
module ecc_core
  import ecc_pkg::*;
  import ecc_program_pkg::*;
#(
  parameter int unsigned Curves = CurvesAll,  // bit set: 1 P-256, 2 P-384, 4 P-521
  parameter int unsigned WordBits = 136,      // bits of a multiplier's operands: 68 or 136
  parameter int unsigned Multipliers = 1      // 1 or 2
) (
  input  logic       clk_i,
  input  logic       rst_ni,

  input  logic       start_valid_i,
  output logic       start_ready_o,
  input  operation_e operation_i,
  input  curve_e     curve_i,

  input  logic       operand_valid_i,
  output logic       operand_ready_o,
  input  logic [7:0] operand_i,

  output logic       result_valid_o,
  input  logic       result_ready_i,
  output logic [7:0] result_o,
  output logic       result_last_o,

  output logic       status_valid_o,
  input  logic       status_ready_i,
  output status_e    status_o,

  input  logic       zeroise_i,
  output logic       busy_o,
  output logic       idle_o
);

  if (Curves < 1 || Curves > CurvesAll) begin : gen_bad_curves
    $error("ecc_core: Curves must be 1 to 7: a sum of 1 (P-256), 2 (P-384), 4 (P-521)");
  end
  if (!(WordBits inside {68, 136})) begin : gen_bad_word_bits
    $error("ecc_core: WordBits must be 68 or 136");
  end
  if (!(Multipliers inside {1, 2})) begin : gen_bad_multipliers
    $error("ecc_core: Multipliers must be 1 or 2");
  end

  // 136 instead of a division by zero or less than a row, so that elaboration reports the
  // message above.
  localparam int unsigned Width = (WordBits == 68) ? 68 : 136;
  localparam int unsigned Parts = RowBits / Width;
  localparam int unsigned Words = LongestRows * Parts;
  localparam int unsigned WordWidth = $clog2(Words + 1);
  localparam int unsigned IndexWidth = WordWidth - 1;
  localparam int unsigned Depth = Registers * Words;
  localparam int unsigned AddressWidth = $clog2(Depth);
  // The build for P-521 alone takes little energy: what is not used does not move.
  localparam bit Quiet = Curves == 4 && Multipliers == 1;

  typedef enum logic [1:0] {
    StateIdle,
    StateRun,
    StateClear, // after an operation, before its status
    StateStatus
  } state_e;

  // ------------------------------------------------------------ state

  state_e  state_q;
  curve_e  curve_q;
  status_e status_q, status;
  logic    start, ended, clear, sweeping, sweep, dropped_q;
  logic [AddressWidth-1:0] sweep_address;

  always_comb begin
    unique case (curve_i)
      CurveP256: start_ready_o = (Curves & 1) != 0;
      CurveP384: start_ready_o = (Curves & 2) != 0;
      CurveP521: start_ready_o = (Curves & 4) != 0;
      default:   start_ready_o = 1'b0;
    endcase
    if (operation_i > OperationAgree || state_q != StateIdle || clear) start_ready_o = 1'b0;
  end

  assign start          = start_valid_i && start_ready_o;
  assign idle_o         = state_q == StateIdle;
  assign busy_o         = sweeping && dropped_q;
  assign status_valid_o = state_q == StateStatus;
  assign status_o       = status_valid_o ? status_q : StatusGood;

  // The memory is overwritten after reset, after each operation, and by command. Everything
  // else is clear for as long as that takes.
  assign clear = zeroise_i || sweeping;

  prim_sweep #(
    .Depth (Depth)
  ) u_sweep (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .start_i   (zeroise_i || state_q == StateClear),
    .busy_o    (sweeping),
    .write_o   (sweep),
    .address_o (sweep_address)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= StateIdle;
      curve_q   <= CurveP256;
      status_q  <= StatusGood;
      dropped_q <= 1'b1;
    end else if (zeroise_i) begin
      state_q   <= StateIdle;
      curve_q   <= CurveP256;
      status_q  <= StatusGood;
      dropped_q <= 1'b1;
    end else begin
      unique case (state_q)
        StateIdle: begin
          if (start) begin
            state_q   <= StateRun;
            curve_q   <= curve_i;
            dropped_q <= 1'b0;
          end
        end
        StateRun: begin
          if (ended) begin
            state_q  <= StateClear;
            status_q <= status;
          end
        end
        StateClear: if (!sweeping) state_q <= StateStatus;
        default: begin
          if (status_ready_i) begin
            state_q  <= StateIdle;
            status_q <= StatusGood;
          end
        end
      endcase
    end
  end

  // ------------------------------------------------------------ instructions

  instruction_t         command;
  logic                 issue, ready, busy, writes, hold;
  logic [WordWidth-1:0] words, bit_word;
  logic [$clog2(Width)-1:0] bit_index;
  logic                 bit_there;
  flags_t               flags;

  logic product_begin, product_last, product_loadable, product_readable, product_idle;
  logic product_write, receive, send, transfer_done;
  logic [5:0] product_register, transfer_register;

  assign words = WordWidth'(Rows[curve_q]) * WordWidth'(Parts);

  ecc_control #(
    .WordBits (Width)
  ) u_control (
    .clk_i               (clk_i),
    .rst_ni              (rst_ni),
    .clear_i             (clear),
    .start_i             (start),
    .operation_i         (operation_i),
    .curve_i             (curve_q),
    .ended_o             (ended),
    .status_o            (status),
    .issue_o             (issue),
    .ready_i             (ready),
    .command_o           (command),
    .bit_word_o          (bit_word),
    .bit_index_o         (bit_index),
    .bit_there_o         (bit_there),
    .busy_i              (busy),
    .writes_i            (writes),
    .flags_i             (flags),
    .begin_i             (product_begin),
    .last_i              (product_last),
    .loadable_i          (product_loadable),
    .readable_i          (product_readable),
    .idle_i              (product_idle),
    .write_i             (product_write),
    .product_register_o  (product_register),
    .receive_o           (receive),
    .send_o              (send),
    .transfer_register_o (transfer_register),
    .transfer_done_i     (transfer_done)
  );

  // ------------------------------------------------------------ operands

  typedef logic [Width-1:0] word_t;

  logic [6:0]           read_a, read_b;
  logic [WordWidth-1:0] read_word;
  logic [IndexWidth-1:0] load_word, stream_word, product_word, transfer_word;
  logic                 load, load_modulus, load_factor, stream_write, transfer_write;
  logic [5:0]           stream_register;
  word_t                a, memory_b, constant, b, modulus;
  word_t                stream_data, product_data, transfer_data;
  logic                 from_constants_q, transfers_q;

  // A word of a product leaves at once; the other one that would be written waits.
  assign hold = stream_write && product_write;

  ecc_stream #(
    .WordBits (Width)
  ) u_stream (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .clear_i          (clear),
    .hold_i           (hold),
    .words_i          (words),
    .issue_i          (issue),
    .ready_o          (ready),
    .command_i        (command),
    .bit_word_i       (bit_word),
    .bit_index_i      (bit_index),
    .bit_there_i      (bit_there),
    .busy_o           (busy),
    .writes_o         (writes),
    .flags_o          (flags),
    .read_a_o         (read_a),
    .read_b_o         (read_b),
    .read_word_o      (read_word),
    .a_i              (a),
    .b_i              (b),
    .load_o           (load),
    .load_modulus_o   (load_modulus),
    .load_factor_o    (load_factor),
    .word_o           (load_word),
    .modulus_i        (modulus),
    .write_o          (stream_write),
    .write_register_o (stream_register),
    .write_word_o     (stream_word),
    .write_data_o     (stream_data)
  );

  ecc_multiplier #(
    .WordBits    (Width),
    .Multipliers (Multipliers),
    .Mersenne    (Quiet)
  ) u_multiplier (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .clear_i        (clear),
    .sweep_i        (sweep),
    .hold_i         (hold),
    .curve_i        (curve_q),
    .load_i         (load),
    .load_modulus_i (load_modulus),
    .load_factor_i  (load_factor),
    .load_word_i    (sweep ? sweep_address[IndexWidth-1:0] : load_word),
    .a_i            (sweep ? '0 : a),
    .b_i            (sweep ? '0 : b),
    .modulus_word_i (load_word),
    .modulus_o      (modulus),
    .begin_o        (product_begin),
    .last_o         (product_last),
    .loadable_o     (product_loadable),
    .readable_o     (product_readable),
    .idle_o         (product_idle),
    .write_o        (product_write),
    .write_word_o   (product_word),
    .write_data_o   (product_data)
  );

  ecc_bytes #(
    .WordBits (Width)
  ) u_bytes (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .clear_i         (clear),
    .curve_i         (curve_q),
    .receive_i       (receive),
    .send_i          (send),
    .done_o          (transfer_done),
    .operand_valid_i (operand_valid_i),
    .operand_ready_o (operand_ready_o),
    .operand_i       (operand_i),
    .result_valid_o  (result_valid_o),
    .result_ready_i  (result_ready_i),
    .result_o        (result_o),
    .result_last_o   (result_last_o),
    .write_o         (transfer_write),
    .word_o          (transfer_word),
    .write_data_o    (transfer_data),
    .read_data_i     (memory_b)
  );

  // ------------------------------------------------------------ memory

  function automatic logic [AddressWidth-1:0] address(
    input logic [5:0] register, input logic [IndexWidth-1:0] word
  );
    return AddressWidth'({register, word});
  endfunction

  logic                    write;
  logic [AddressWidth-1:0] address_b, write_address;
  word_t                   write_data;

  always_comb begin
    address_b = address(read_b[5:0], read_word[IndexWidth-1:0]);
    if (transfers_q) address_b = address(transfer_register, transfer_word);
    else if (Quiet && read_b[6]) address_b = '0;
  end

  always_comb begin
    write         = 1'b1;
    write_address = '0;
    write_data    = '0;
    if (sweep) begin
      write_address = sweep_address;
    end else if (product_write) begin
      write_address = address(product_register, product_word);
      write_data    = product_data;
    end else if (stream_write) begin
      write_address = address(stream_register, stream_word);
      write_data    = stream_data;
    end else if (transfer_write) begin
      write_address = address(transfer_register, transfer_word);
      write_data    = transfer_data;
    end else begin
      write = 1'b0;
    end
  end

  ecc_memory #(
    .Width (Width),
    .Depth (Depth),
    .Banks (Quiet ? Words : 1)
  ) u_memory (
    .clk_i           (clk_i),
    .clear_i         (clear),
    .enable_i        (!hold),
    .address_a_i     (address(read_a[5:0], read_word[IndexWidth-1:0])),
    .a_o             (a),
    .address_b_i     (address_b),
    .b_o             (memory_b),
    .write_i         (write),
    .write_address_i (write_address),
    .write_data_i    (write_data)
  );

  ecc_constants #(
    .Curves   (Curves),
    .WordBits (Width)
  ) u_constants (
    .clk_i      (clk_i),
    .enable_i   (!hold),
    .curve_i    (curve_q),
    .constant_i ((Quiet && !read_b[6]) ? '0 : read_b[5:0]),
    .word_i     ((Quiet && !read_b[6]) ? '0 : read_word),
    .word_o     (constant)
  );

  assign b = from_constants_q ? constant : memory_b;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      from_constants_q <= 1'b0;
      transfers_q      <= 1'b0;
    end else if (clear) begin
      from_constants_q <= 1'b0;
      transfers_q      <= 1'b0;
    end else begin
      if (!hold) from_constants_q <= read_b[6];
      if (send) transfers_q <= 1'b1;
      else if (transfer_done) transfers_q <= 1'b0;
    end
  end

  logic unused;
  assign unused = read_a[6];

`ifndef SYNTHESIS
  // A digest of everything that the engine does in each cycle but for its data: two
  // operations did the same if the digests are equal.
  logic [63:0] trace_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      trace_q <= '0;
    end else if (start) begin
      trace_q <= '0;
    end else if (state_q == StateRun) begin
      trace_q <= (trace_q ^ 64'({issue ? command : '0, hold, product_begin, product_last}) ^
                  (64'({read_a, read_b, read_word}) << 40) ^
                  (64'({write, write_address, product_write, address_b}) << 20)) *
                 64'h9E37_79B9_7F4A_7C15;
    end
  end

  prim_stream_rules #(
    .Width (5)
  ) u_start_rules (
    .clk_i,
    .rst_ni,
    .clear_i   (clear),
    .valid_i   (start_valid_i),
    .ready_i   (start_ready_o),
    .payload_i ({operation_i, curve_i})
  );

  prim_stream_rules #(
    .Width (8)
  ) u_operand_rules (
    .clk_i,
    .rst_ni,
    .clear_i   (clear),
    .valid_i   (operand_valid_i),
    .ready_i   (operand_ready_o),
    .payload_i (operand_i)
  );
`endif

endmodule

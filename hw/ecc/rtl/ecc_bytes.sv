// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Takes and gives operands as bytes, the most significant one first.
//
// receive_i or send_i begins with a register; done_o is high in the last cycle. Registers
// are filled and read row by row from the highest one on. A row passes through a buffer of
// 17 bytes, of which the first ones of the highest row are no bytes of the operand.
module ecc_bytes
  import ecc_pkg::*;
  import ecc_program_pkg::*;
#(
  parameter int unsigned WordBits = 136,
  localparam int unsigned Parts = RowBits / WordBits,
  localparam int unsigned Words = LongestRows * Parts,
  localparam int unsigned IndexWidth = $clog2(Words)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 clear_i,
  input  curve_e               curve_i,

  input  logic                 receive_i,
  input  logic                 send_i,
  output logic                 done_o,

  input  logic                 operand_valid_i,
  output logic                 operand_ready_o,
  input  logic [7:0]           operand_i,

  output logic                 result_valid_o,
  input  logic                 result_ready_i,
  output logic [7:0]           result_o,
  output logic                 result_last_o,

  output logic                 write_o,
  output logic [IndexWidth-1:0] word_o, // to write, or to read
  output logic [WordBits-1:0]  write_data_o,
  input  logic [WordBits-1:0]  read_data_i // a cycle after word_o
);

  typedef enum logic [2:0] {
    StateIdle,
    StateTake,  // bytes into the buffer
    StateStore, // the buffer into the memory
    StateFetch, // the memory into the buffer
    StateGive   // bytes out of the buffer
  } state_e;

  state_e             state_q, state_d;
  logic [2:0]         row_q, row_d;
  logic [4:0]         byte_q, byte_d, skipped; // bytes of the row that have passed
  logic [1:0]         part_q, part_d;
  logic [RowBits-1:0] buffer_q, buffer_d;
  logic               skip, row_ends, parts_end, pass;

  // Bytes that the highest row has not.
  assign skipped   = 5'(7'(Rows[curve_i]) * 7'(RowBytes) - Bytes[curve_i]);
  assign skip      = row_q == Rows[curve_i] - 3'd1 && byte_q < skipped;
  assign row_ends  = byte_q == 5'(RowBytes - 1);
  assign parts_end = part_q == 2'(Parts - 1);

  assign operand_ready_o = state_q == StateTake && !skip && !clear_i;
  assign result_valid_o  = state_q == StateGive && !skip;
  assign result_o        = result_valid_o ? buffer_q[RowBits-1 -: 8] : '0;
  assign result_last_o   = result_valid_o && row_ends && row_q == '0;
  assign pass            = skip || (state_q == StateTake ? operand_valid_i : result_ready_i);

  // Data that were asked for in one cycle come in the next; fetching takes a cycle more.
  logic [1:0] fetch_part;
  assign fetch_part = (part_q == 2'(Parts)) ? 2'(Parts - 1) : part_q;

  assign write_o = state_q == StateStore;
  assign word_o  = IndexWidth'(row_q) * IndexWidth'(Parts) +
                   IndexWidth'((state_q == StateFetch) ? fetch_part : part_q);

  if (Parts == 1) begin : gen_whole
    assign write_data_o = buffer_q;
  end else begin : gen_parts
    assign write_data_o = part_q[0] ? buffer_q[WordBits +: WordBits] : buffer_q[0 +: WordBits];
  end

  always_comb begin
    state_d  = state_q;
    row_d    = row_q;
    byte_d   = byte_q;
    part_d   = part_q;
    buffer_d = buffer_q;
    done_o   = 1'b0;
    unique case (state_q)
      StateIdle: begin
        row_d  = Rows[curve_i] - 3'd1;
        byte_d = '0;
        part_d = '0;
        if (receive_i) state_d = StateTake;
        else if (send_i) state_d = StateFetch;
      end
      StateTake: begin
        if (pass) begin
          buffer_d = {buffer_q[RowBits-9:0], skip ? 8'd0 : operand_i};
          byte_d   = byte_q + 5'd1;
          if (row_ends) state_d = StateStore;
        end
      end
      StateStore: begin
        part_d = part_q + 2'd1;
        if (parts_end) begin
          part_d   = '0;
          byte_d   = '0;
          buffer_d = '0;
          row_d    = row_q - 3'd1;
          state_d  = (row_q == '0) ? StateIdle : StateTake;
          done_o   = row_q == '0;
        end
      end
      StateFetch: begin
        part_d = part_q + 2'd1;
        for (int unsigned n = 0; n < Parts; n++) begin
          if (part_q == 2'(n + 1)) buffer_d[n*WordBits +: WordBits] = read_data_i;
        end
        if (part_q == 2'(Parts)) begin
          part_d  = '0;
          byte_d  = '0;
          state_d = StateGive;
        end
      end
      StateGive: begin
        if (pass) begin
          buffer_d = {buffer_q[RowBits-9:0], 8'd0};
          byte_d   = byte_q + 5'd1;
          if (row_ends) begin
            row_d   = row_q - 3'd1;
            state_d = (row_q == '0) ? StateIdle : StateFetch;
            done_o  = row_q == '0;
            byte_d  = '0;
          end
        end
      end
      default: state_d = StateIdle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StateIdle;
      row_q   <= '0;
      byte_q  <= '0;
      part_q  <= '0;
    end else if (clear_i) begin
      state_q <= StateIdle;
      row_q   <= '0;
      byte_q  <= '0;
      part_q  <= '0;
    end else begin
      state_q <= state_d;
      row_q   <= row_d;
      byte_q  <= byte_d;
      part_q  <= part_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) buffer_q <= '0;
    else buffer_q <= buffer_d;
  end

endmodule

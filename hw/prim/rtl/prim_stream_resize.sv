// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Changes the width of a stream of bytes by a factor of a power of two, byte 0
// in lane 0. bytes_i and bytes_o are the number of bytes in a beat minus one: all ones
// except in a last beat that is not full.
//
// To a wider stream: beats are gathered in a register until they fill a wide beat, or
// until one with last_i. The next beat is taken in the cycle in which the wide one
// leaves, so one beat passes each cycle if wide beats are taken at once. To a narrower
// or equal stream: nothing is stored; a beat must hold at the input until its last part
// has been taken, and parts without bytes are not sent. Lanes beyond bytes_i must be
// zero; lanes beyond bytes_o are zero.
module prim_stream_resize #(
  parameter int unsigned InWidth  = 32,
  parameter int unsigned OutWidth = 128,
  localparam int unsigned InBits  = $clog2(InWidth / 8),
  localparam int unsigned OutBits = $clog2(OutWidth / 8)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i, // drops all data and overwrites it with zeros
  input  logic                valid_i,
  output logic                ready_o,
  input  logic [InWidth-1:0]  data_i,
  input  logic [InBits-1:0]   bytes_i,
  input  logic                last_i,
  output logic                valid_o,
  input  logic                ready_i,
  output logic [OutWidth-1:0] data_o,
  output logic [OutBits-1:0]  bytes_o,
  output logic                last_o
);

  if (InWidth < 16 || InWidth != 8 << InBits) begin : gen_bad_in_width
    $fatal(1, "prim_stream_resize: InWidth must be a power of two from 16");
  end
  if (OutWidth < 16 || OutWidth != 8 << OutBits) begin : gen_bad_out_width
    $fatal(1, "prim_stream_resize: OutWidth must be a power of two from 16");
  end

  if (InWidth == OutWidth) begin : gen_through
    assign ready_o = ready_i && !clear_i;
    assign valid_o = valid_i && !clear_i;
    assign data_o  = data_i;
    assign bytes_o = bytes_i;
    assign last_o  = last_i;

    logic unused_clock;
    assign unused_clock = ^{clk_i, rst_ni};
  end else if (InWidth < OutWidth) begin : gen_gather
    localparam int unsigned IndexBits = OutBits - InBits;

    logic [OutWidth-1:0]  data_q;
    logic [OutBits-1:0]   bytes_q;
    logic [IndexBits-1:0] index_q;
    logic                 last_q, full_q;
    logic                 accept;

    assign ready_o = !clear_i && (!full_q || ready_i);
    assign accept  = valid_i && ready_o;
    assign valid_o = full_q && !clear_i;
    assign data_o  = data_q;
    assign bytes_o = bytes_q;
    assign last_o  = last_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        data_q  <= '0;
        bytes_q <= '0;
        index_q <= '0;
        last_q  <= 1'b0;
        full_q  <= 1'b0;
      end else if (clear_i) begin
        data_q  <= '0;
        bytes_q <= '0;
        index_q <= '0;
        last_q  <= 1'b0;
        full_q  <= 1'b0;
      end else begin
        if (full_q && ready_i) begin
          full_q <= 1'b0;
          data_q <= '0;
        end
        if (accept) begin
          data_q[InWidth * 32'(index_q) +: InWidth] <= data_i;
          bytes_q <= {index_q, bytes_i};
          last_q  <= last_i;
          full_q  <= last_i || (&index_q);
          index_q <= last_i ? '0 : index_q + 1'b1;
        end
      end
    end
  end else begin : gen_spread
    localparam int unsigned IndexBits = InBits - OutBits;

    logic [IndexBits-1:0] index_q;
    logic                 final_part;

    assign final_part = index_q == bytes_i[InBits-1:OutBits];
    assign ready_o    = ready_i && final_part && !clear_i;
    assign valid_o    = valid_i && !clear_i;
    assign data_o     = data_i[OutWidth * 32'(index_q) +: OutWidth];
    assign bytes_o    = final_part ? bytes_i[OutBits-1:0] : '1;
    assign last_o     = last_i && final_part;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        index_q <= '0;
      end else if (clear_i) begin
        index_q <= '0;
      end else if (valid_o && ready_i) begin
        index_q <= final_part ? '0 : index_q + 1'b1;
      end
    end
  end

endmodule

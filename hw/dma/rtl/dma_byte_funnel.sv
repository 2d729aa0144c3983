// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Moves the bytes of a run to other lanes: a slice of each input beat, its lanes low_i to
// high_i, follows the slice before without a gap, and the first one begins at lane begin_i of
// its output beat. A run ends with the slice that has end_i; the next one begins in a beat of
// its own.
//
// A beat leaves in the cycle in which the slice that fills it, or ends the run, is taken. The
// last bytes of a run leave a cycle later if they need a beat more. So a beat passes each
// cycle, but for that one. Bytes that do not fill a beat wait for the next slice. Lanes
// that are not in low_o to high_o are zero.
module dma_byte_funnel #(
  parameter int unsigned InWidth  = 32,
  parameter int unsigned OutWidth = 32, // InWidth or more
  localparam int unsigned InBits  = $clog2(InWidth / 8),
  localparam int unsigned OutBits = $clog2(OutWidth / 8)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,

  input  logic                valid_i,
  output logic                ready_o,
  input  logic [InWidth-1:0]  data_i,
  input  logic [InBits-1:0]   low_i,
  input  logic [InBits-1:0]   high_i,
  input  logic                end_i,
  input  logic [OutBits-1:0]  begin_i, // read with the first slice of a run

  output logic                valid_o,
  input  logic                ready_i,
  output logic [OutWidth-1:0] data_o,
  output logic [OutBits-1:0]  low_o,
  output logic [OutBits-1:0]  high_o,
  output logic                last_o   // of the run
);

  localparam int unsigned OutBytes = OutWidth / 8;

  if (InWidth > OutWidth) begin : gen_bad_width
    $fatal(1, "dma_byte_funnel: OutWidth must be InWidth or more");
  end

  logic                running_q; // the run has begun
  logic                flush_q;   // its last bytes wait, and nothing more comes
  logic [OutBits-1:0]  low_q;     // the first lane of the beat that is being filled
  logic [OutBits-1:0]  place_q;   // the lane of the next byte
  logic [OutWidth-1:0] held_q;    // the bytes below it

  logic [OutBits-1:0]  low, place, turn;
  logic [OutBits:0]    final_place; // of the slice's last byte
  logic                over, gives, take;
  logic [OutBytes-1:0] below; // lanes of the bytes before the slice
  logic [OutBytes-1:0] upto;  // lanes up to its last byte, in the beat that this one ends in
  logic [OutWidth-1:0] wide, turned, joined, rest;

  assign low         = running_q ? low_q : begin_i;
  assign place       = running_q ? place_q : begin_i;
  assign final_place = {1'b0, place} + (OutBits+1)'(high_i - low_i);
  assign over        = final_place[OutBits];
  assign gives       = over || (&final_place[OutBits-1:0]) || end_i;
  assign turn        = place - OutBits'(low_i);

  // The slice at its place, around the end of the beat.
  assign wide   = OutWidth'(data_i);
  assign turned = OutWidth'({wide, wide} >> (8 * (OutBytes - 32'(turn))));

  assign below = ~({OutBytes{1'b1}} << place);
  assign upto  = {OutBytes{1'b1}} >> (OutBits'(OutBytes - 1) - final_place[OutBits-1:0]);

  for (genvar lane = 0; lane < OutBytes; lane++) begin : gen_lane
    assign joined[8*lane +: 8] = below[lane]          ? held_q[8*lane +: 8] :
                                 (over || upto[lane]) ? turned[8*lane +: 8] : 8'd0;
    assign rest[8*lane +: 8]   = upto[lane] ? turned[8*lane +: 8] : 8'd0;
  end

  assign take    = valid_i && ready_o;
  assign ready_o = !flush_q && (ready_i || !gives);
  assign valid_o = flush_q || (valid_i && gives);
  assign data_o  = flush_q ? held_q : joined;
  assign low_o   = low;
  assign high_o  = flush_q ? place_q - 1'b1 : over ? '1 : final_place[OutBits-1:0];
  assign last_o  = flush_q || (end_i && !over);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      running_q <= 1'b0;
      flush_q   <= 1'b0;
      low_q     <= '0;
      place_q   <= '0;
      held_q    <= '0;
    end else if (clear_i || (flush_q && ready_i)) begin
      running_q <= 1'b0;
      flush_q   <= 1'b0;
      low_q     <= '0;
      place_q   <= '0;
      held_q    <= '0;
    end else if (take) begin
      running_q <= !(end_i && !over);
      flush_q   <= end_i && over;
      low_q     <= gives ? '0 : low;
      place_q   <= final_place[OutBits-1:0] + 1'b1;
      held_q    <= over ? rest : gives ? '0 : joined;
    end
  end

endmodule

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Turns accesses of a register bus of DataWidth bits into accesses of lines of
// LineWidth bits, the width of a block.
//
// A narrower bus accesses a part of a line: words_o says which words. A wider bus
// accesses several lines, called places: those with a strobe are accessed one after the
// other, a cycle each, and the bus transfer ends with the last. The lower half of the
// DATA_OUT window is an exception: a wide read there accesses one line, which is
// returned in every place.
//
// A word is written only if all of its strobes are high. A write of no whole word is
// an access with words_o = 0.
module coprocessor_lanes
  import coprocessor_registers_pkg::*;
#(
  parameter int unsigned DataWidth = 32,
  parameter int unsigned LineWidth = 128,
  localparam int unsigned Words = LineWidth / 32
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic                   bus_valid_i,
  input  logic                   bus_write_i,
  input  logic [11:0]            bus_address_i,
  input  logic [DataWidth-1:0]   bus_wdata_i,
  input  logic [DataWidth/8-1:0] bus_wstrb_i,
  output logic                   bus_ready_o,
  output logic [DataWidth-1:0]   bus_rdata_o,

  output logic                   line_valid_o,
  output logic                   line_write_o,
  output logic [11:0]            line_address_o,
  output logic [Words-1:0]       line_words_o,
  output logic [LineWidth-1:0]   line_wdata_o,
  input  logic                   line_ready_i,
  input  logic [LineWidth-1:0]   line_rdata_i
);

  localparam int unsigned BusWords = DataWidth / 32;
  localparam int unsigned BusBits = $clog2(DataWidth / 8);
  localparam int unsigned LineBits = $clog2(LineWidth / 8);

  // A beat of DATA_OUT gives one block; a beat of DATA_OUT_WIDE gives several.
  localparam int unsigned SingleBits = $clog2(4 * DataOutCount);

  if (DataWidth != 32 && DataWidth != 64 && DataWidth != 128 && DataWidth != 256) begin
      : gen_bad_width
    $error("coprocessor: DataWidth must be 32, 64, 128 or 256");
  end
  if (LineWidth != 64 && LineWidth != 128) begin : gen_bad_line
    $error("coprocessor_lanes: LineWidth must be 64 or 128");
  end

  // The words of the bus that are accessed.
  logic [BusWords-1:0] wanted;
  for (genvar n = 0; n < BusWords; n++) begin : gen_wanted
    if (DataWidth == 32) begin : gen_narrow
      assign wanted[n] = !bus_write_i || (&bus_wstrb_i);
    end else begin : gen_wide
      assign wanted[n] = bus_write_i ? &bus_wstrb_i[4*n+:4] : |bus_wstrb_i[4*n+:4];
    end
  end

  assign line_valid_o = bus_valid_i;
  assign line_write_o = bus_write_i;

  if (DataWidth <= LineWidth) begin : gen_part
    // Places of the bus within a line, and the one of this access.
    localparam int unsigned Parts = LineWidth / DataWidth;
    logic [Parts-1:0] part;

    if (Parts == 1) begin : gen_whole
      assign part = 1'b1;
    end else begin : gen_several
      for (genvar n = 0; n < Parts; n++) begin : gen_select
        assign part[n] = (bus_address_i[LineBits-1:BusBits] == (LineBits - BusBits)'(n));
      end
    end

    for (genvar n = 0; n < Parts; n++) begin : gen_words
      assign line_words_o[n*BusWords+:BusWords] = part[n] ? wanted : '0;
    end

    always_comb begin
      bus_rdata_o = '0;
      for (int unsigned n = 0; n < Parts; n++) begin
        if (part[n]) bus_rdata_o = bus_rdata_o | line_rdata_i[n*DataWidth+:DataWidth];
      end
    end

    logic unused_clock;
    assign unused_clock = clk_i ^ rst_ni;

    assign line_address_o = bus_address_i;
    assign line_wdata_o = {Parts{bus_wdata_i}};
    assign bus_ready_o = line_ready_i;
  end else begin : gen_places
    localparam int unsigned Places = DataWidth / LineWidth;
    localparam int unsigned PlaceBits = $clog2(Places);

    logic [Places-1:0]                left, done_q, held_places;
    logic [PlaceBits-1:0]             place;
    logic                             single, last;
    logic [Places-1:0][LineWidth-1:0] held_q;

    assign single = !bus_write_i && bus_address_i[11:SingleBits] == DataOutOffset[11:SingleBits];

    // The place of this cycle: the lowest one not yet accessed.
    always_comb begin
      place = bus_address_i[BusBits-1:LineBits];
      for (int unsigned n = Places; n > 0; n--) begin
        left[n-1] = (|wanted[(n-1)*Words+:Words]) && !done_q[n-1];
        if (left[n-1]) place = PlaceBits'(n - 1);
      end
      held_places = '0;
      held_places[place] = 1'b1;
    end

    always_comb begin
      line_words_o = wanted[place*Words+:Words];
      if (single) begin
        for (int unsigned n = 0; n < Places; n++) begin
          line_words_o = line_words_o | wanted[n*Words+:Words];
        end
      end
    end

    for (genvar n = 0; n < Places; n++) begin : gen_rdata
      assign bus_rdata_o[n*LineWidth+:LineWidth] =
          (single || held_places[n]) ? line_rdata_i : held_q[n];
    end

    assign last = single || (left & ~held_places) == '0;
    assign line_address_o = {bus_address_i[11:BusBits], place, LineBits'(0)};
    assign line_wdata_o = bus_wdata_i[place*LineWidth+:LineWidth];
    assign bus_ready_o = line_ready_i && last;

    // Lines of earlier cycles of a wide read; cleared when the transfer ends.
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        done_q <= '0;
        held_q <= '0;
      end else if (bus_valid_i && line_ready_i) begin
        if (last) begin
          done_q <= '0;
          held_q <= '0;
        end else begin
          done_q <= done_q | held_places;
          if (!bus_write_i) held_q[place] <= line_rdata_i;
        end
      end
    end

    logic unused_low_bits;
    assign unused_low_bits = ^bus_address_i[LineBits-1:0];
  end

endmodule

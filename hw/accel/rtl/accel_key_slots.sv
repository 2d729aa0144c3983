// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The private keys that stay in the device, and the secrets of the operation under way, as
// bytes of one memory. A region of it (accel_pkg) has the bytes of the longest integer.
//
// A slot has a key from store_i, high for a cycle when a key has been written, until erase_i
// or zeroise_i. While clear_i is high, every byte that is not one of a slot with a key is
// overwritten with zero, if any was written since the last time; busy_o is high until then,
// and after reset.
module accel_key_slots
  import accel_pkg::*;
#(
  parameter int unsigned KeySlots = 4 // 1 to 15
) (
  input  logic       clk_i,
  input  logic       rst_ni,

  input  logic [3:0] key_slot_i, // 1 to KeySlots
  input  logic [1:0] curve_i,    // of the key that is stored
  output logic       held_o,     // the slot has a key
  output logic [1:0] curve_o,    // of the key that it has
  input  logic       store_i,
  input  logic       erase_i,

  input  logic       clear_i,
  input  logic       zeroise_i,  // high in the cycle before clear_i
  output logic       busy_o,

  input  logic       write_i,
  input  region_t    write_region_i,
  input  logic [6:0] write_index_i,
  input  logic [7:0] write_data_i,
  input  region_t    read_region_i,
  input  logic [6:0] read_index_i,
  output logic [7:0] read_data_o     // in the same cycle
);

  localparam int unsigned RegionBytes = 66;
  localparam int unsigned Regions = KeySlots + 3;
  localparam int unsigned Depth = Regions * RegionBytes;
  localparam int unsigned AddressWidth = $clog2(Depth);

  typedef logic [AddressWidth-1:0] address_t;

  function automatic address_t address(input region_t region, input logic [6:0] index);
    return address_t'(region) * address_t'(RegionBytes) + address_t'(index);
  endfunction

  // ------------------------------------------------------------ slots

  logic [KeySlots:1]      held_d, held_q;
  logic [KeySlots:1][1:0] curve_d, curve_q;

  logic [KeySlots:1]      selected;

  always_comb begin
    held_o  = 1'b0;
    curve_o = '0;
    for (int unsigned n = 1; n <= KeySlots; n++) begin
      selected[n] = key_slot_i == 4'(n);
      if (selected[n]) begin
        held_o  = held_q[n];
        curve_o = curve_q[n];
      end
    end
  end

  always_comb begin
    held_d  = held_q;
    curve_d = curve_q;
    for (int unsigned n = 1; n <= KeySlots; n++) begin
      if (selected[n] && store_i) begin
        held_d[n]  = 1'b1;
        curve_d[n] = curve_i;
      end
      if (selected[n] && erase_i) held_d[n] = 1'b0;
    end
    if (zeroise_i) held_d = '0;
  end

  // ------------------------------------------------------------ the sweep

  logic       dirty_d, dirty_q; // there may be bytes to overwrite
  logic       sweep_d, sweep_q;
  region_t    region_d, region_q;
  logic [6:0] index_d, index_q;
  logic       keeps;            // the region is a slot with a key

  always_comb begin
    keeps = 1'b0;
    for (int unsigned n = 1; n <= KeySlots; n++) begin
      if (region_q == slot_region(4'(n))) keeps = held_q[n];
    end
  end

  always_comb begin
    dirty_d  = dirty_q || write_i || erase_i || zeroise_i;
    sweep_d  = sweep_q;
    region_d = region_q;
    index_d  = index_q;
    if (sweep_q) begin
      index_d = index_q + 7'd1;
      if (index_q == 7'(RegionBytes - 1)) begin
        index_d  = '0;
        region_d = region_q + region_t'(1);
        if (region_q == region_t'(Regions - 1)) begin
          region_d = '0;
          sweep_d  = 1'b0;
          dirty_d  = 1'b0;
        end
      end
    end else begin
      sweep_d = clear_i && dirty_q;
    end
    if (zeroise_i) begin
      dirty_d  = 1'b1;
      sweep_d  = 1'b0;
      region_d = '0;
      index_d  = '0;
    end
  end

  assign busy_o = dirty_q;

  // ------------------------------------------------------------ the memory

  logic [7:0] memory[Depth];
  logic       write;
  address_t   write_address;

  assign write         = sweep_q ? !keeps : write_i;
  assign write_address = sweep_q ? address(region_q, index_q)
                                 : address(write_region_i, write_index_i);
  assign read_data_o   = memory[address(read_region_i, read_index_i)];

  always_ff @(posedge clk_i) begin
    if (write) memory[write_address] <= sweep_q ? 8'd0 : write_data_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      held_q   <= '0;
      curve_q  <= '0;
      dirty_q  <= 1'b1;
      sweep_q  <= 1'b0;
      region_q <= '0;
      index_q  <= '0;
    end else begin
      held_q   <= held_d;
      curve_q  <= curve_d;
      dirty_q  <= dirty_d;
      sweep_q  <= sweep_d;
      region_q <= region_d;
      index_q  <= index_d;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      assert (!write_i || !sweep_q) else $error("accel_key_slots: a write during a sweep");
      assert (!write_i || write_region_i <= RegionK || !held_o ||
              write_region_i != slot_region(key_slot_i))
        else $error("accel_key_slots: a write to a slot that has a key");
    end
  end
`endif

endmodule

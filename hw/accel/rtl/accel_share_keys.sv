// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The keys of the channels that share a core, one each, in a small memory: it writes one
// a cycle and reads any one combinationally. forget_i, high for a cycle, overwrites a
// channel's key with zero; reset overwrites all. busy_o is high until that is done; no
// key is taken meanwhile.
module accel_share_keys #(
  parameter int unsigned Channels = 2,
  localparam int unsigned IndexWidth = $clog2(Channels)
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,

  input  logic [Channels-1:0]        key_valid_i,
  output logic [Channels-1:0]        key_ready_o,
  input  logic [Channels-1:0][1:0]   key_size_i,
  input  logic [Channels-1:0][255:0] key_i,

  input  logic [Channels-1:0]        forget_i,
  output logic [Channels-1:0]        busy_o,
  output logic [Channels-1:0]        present_o,
  output logic [Channels-1:0]        replaced_o, // a key is taken, valid from the next cycle on

  input  logic [IndexWidth-1:0]      read_index_i,
  output logic [1:0]                 key_size_o,
  output logic [255:0]               key_o
);

  logic [257:0]          memory [Channels];
  logic [Channels-1:0]   forgetting_q, present_q;
  logic [Channels-1:0]   forgotten; // overwritten in this cycle
  logic                  write;
  logic [IndexWidth-1:0] write_index;
  logic [257:0]          write_data;

  always_comb begin
    write       = 1'b0;
    write_index = '0;
    write_data  = '0;
    key_ready_o = '0;
    forgotten   = '0;
    for (int unsigned n = 0; n < Channels; n++) begin
      if (forgetting_q[n] && !write) begin
        write        = 1'b1;
        write_index  = IndexWidth'(n);
        forgotten[n] = 1'b1;
      end
    end
    for (int unsigned n = 0; n < Channels; n++) begin
      if (!write) begin
        key_ready_o[n] = 1'b1;
        if (key_valid_i[n]) begin
          write       = 1'b1;
          write_index = IndexWidth'(n);
          write_data  = {key_size_i[n], key_i[n]};
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (write) begin
      memory[write_index] <= write_data;
    end
  end

  assign replaced_o = key_valid_i & key_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      forgetting_q <= '1;
      present_q    <= '0;
    end else begin
      forgetting_q <= (forgetting_q & ~forgotten) | forget_i;
      present_q    <= (present_q | replaced_o) & ~forget_i;
    end
  end

  assign busy_o    = forgetting_q;
  assign present_o = present_q;
  assign {key_size_o, key_o} = memory[read_index_i];

endmodule

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// A short queue of blocks before a pipelined multiplier, which looks ahead for the end
// of the message. A block leaves when the number of blocks after it is known, or known
// to be Depth or more. power_o is the power of the key for that block, one-hot: bit 0
// for the last block of its message, bit Depth for all blocks with Depth or more after
// them. The block that is offered at the input is taken into account.
//
// ready_o never depends on valid_i. set_i puts one block into the empty queue, as
// a message of its own.
module ghash_window
  import ghash_pkg::element_t;
#(
  parameter int unsigned Depth = 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             clear_i,

  input  logic             set_i,
  input  element_t         set_data_i,

  input  logic             valid_i,
  output logic             ready_o,
  input  element_t         data_i,
  input  logic             last_i,

  output logic             valid_o,
  input  logic             ready_i,
  output element_t         data_o,
  output logic             last_o,
  output logic [Depth:0]   power_o,

  output logic             empty_o
);

  // Entry 0 leaves next; entries fill up from there. last_q is zero in an empty entry.
  logic     [Depth-1:0] valid_q, last_q;
  element_t [Depth-1:0] data_q;

  logic full, take, push;

  assign full    = valid_q[Depth-1];
  assign valid_o = (last_q != '0) || (full && valid_i);
  assign ready_o = !full || ready_i;
  assign take    = valid_o && ready_i;
  assign push    = valid_i && ready_o;
  assign data_o  = data_q[0];
  assign last_o  = last_q[0];
  assign empty_o = !valid_q[0];

  // The entry nearest to the front that ends a message.
  always_comb begin
    power_o = '0;
    power_o[Depth] = 1'b1;
    for (int n = int'(Depth) - 1; n >= 0; n--) begin
      if (last_q[n]) begin
        power_o    = '0;
        power_o[n] = 1'b1;
      end
    end
  end

  // The queue after the front has left: a new block goes to its first free entry.
  logic     [Depth-1:0] moved_valid, moved_last, place;
  element_t [Depth-1:0] moved_data;

  always_comb begin
    moved_valid = take ? (valid_q >> 1) : valid_q;
    moved_last  = take ? (last_q >> 1) : last_q;
    moved_data  = take ? (data_q >> 128) : data_q;
    place       = push ? ~moved_valid & ((moved_valid << 1) | Depth'(1)) : '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
      last_q  <= '0;
    end else if (clear_i) begin
      valid_q <= '0;
      last_q  <= '0;
    end else if (set_i) begin
      valid_q <= Depth'(1);
      last_q  <= Depth'(1);
    end else begin
      valid_q <= moved_valid | place;
      last_q  <= moved_last | (last_i ? place : '0);
    end
  end

  for (genvar n = 0; n < Depth; n++) begin : gen_entry
    always_ff @(posedge clk_i) begin
      if (clear_i) begin
        data_q[n] <= '0;
      end else if (set_i && n == 0) begin
        data_q[n] <= set_data_i;
      end else if (place[n]) begin
        data_q[n] <= data_i;
      end else if (take) begin
        data_q[n] <= moved_data[n];
      end
    end
  end

endmodule

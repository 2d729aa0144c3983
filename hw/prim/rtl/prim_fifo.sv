// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Synchronous FIFO, two words deep or more. The oldest word is on data_o while valid_o
// is high (first-word fall-through), and one word can pass each cycle. data_o is zero
// while valid_o is low.
//
// When clear_i rises, and after reset, the content is dropped and every word of the
// memory is overwritten with zero, one a cycle; busy_o is high until that is done. No
// word enters or leaves while busy_o or clear_i is high.
module prim_fifo #(
  parameter int unsigned Width = 32,
  parameter int unsigned Depth = 8
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             clear_i,
  output logic             busy_o,
  input  logic             valid_i,
  output logic             ready_o,
  input  logic [Width-1:0] data_i,
  output logic             valid_o,
  input  logic             ready_i,
  output logic [Width-1:0] data_o
);

  if (Depth < 2) begin : gen_bad_depth
    $fatal(1, "prim_fifo: Depth must be 2 or more");
  end

  localparam int unsigned AddressWidth = (Depth > 1) ? $clog2(Depth) : 1;
  localparam int unsigned CountWidth = $clog2(Depth + 1);
  localparam logic [AddressWidth-1:0] LastAddress = AddressWidth'(Depth - 1);

  logic [Width-1:0]        memory [Depth];
  logic [AddressWidth-1:0] write_address_q, read_address_q;
  logic [CountWidth-1:0]   count_q;
  logic                    blocked, push, pop;
  logic                    sweep_write;
  logic [AddressWidth-1:0] sweep_address;

  prim_sweep #(
    .Depth (Depth)
  ) u_sweep (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .start_i   (clear_i),
    .busy_o    (busy_o),
    .write_o   (sweep_write),
    .address_o (sweep_address)
  );

  assign blocked = busy_o || clear_i;
  assign ready_o = !blocked && (count_q != CountWidth'(Depth));
  assign valid_o = !blocked && (count_q != '0);
  assign data_o  = valid_o ? memory[read_address_q] : '0;
  assign push    = valid_i && ready_o;
  assign pop     = ready_i && valid_o;

  always_ff @(posedge clk_i) begin
    if (sweep_write) begin
      memory[sweep_address] <= '0;
    end else if (push) begin
      memory[write_address_q] <= data_i;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_address_q <= '0;
      read_address_q  <= '0;
      count_q         <= '0;
    end else if (blocked) begin
      write_address_q <= '0;
      read_address_q  <= '0;
      count_q         <= '0;
    end else begin
      if (push) begin
        write_address_q <= (write_address_q == LastAddress) ? '0 : write_address_q + 1'b1;
      end
      if (pop) begin
        read_address_q <= (read_address_q == LastAddress) ? '0 : read_address_q + 1'b1;
      end
      if (push && !pop) begin
        count_q <= count_q + 1'b1;
      end else if (pop && !push) begin
        count_q <= count_q - 1'b1;
      end
    end
  end

endmodule

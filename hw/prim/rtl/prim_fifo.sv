// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Synchronous FIFO, two words deep or more. The oldest word is on data_o while valid_o
// is high (first-word fall-through), and one word can pass each cycle. data_o is zero
// while valid_o is low.
//
// With BlockRam = 1 the memory is read with the clock, as block RAM of an FPGA needs it: a
// word appears one cycle later than without; depth and rate are the same.
//
// When clear_i rises, and after reset, the content is dropped and every word of the
// memory is overwritten with zero, one a cycle; busy_o is high until that is done. No
// word enters or leaves while busy_o or clear_i is high.
module prim_fifo #(
  parameter int unsigned Width    = 32,
  parameter int unsigned Depth    = 8,
  parameter int unsigned BlockRam = 0
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
  if (BlockRam > 1) begin : gen_bad_memory
    $fatal(1, "prim_fifo: BlockRam must be 0 or 1");
  end

  localparam int unsigned AddressWidth = (Depth > 1) ? $clog2(Depth) : 1;
  localparam int unsigned CountWidth = $clog2(Depth + 1);
  localparam logic [AddressWidth-1:0] LastAddress = AddressWidth'(Depth - 1);

  (* ram_style = (BlockRam == 1) ? "block" : "auto" *) logic [Width-1:0] memory [Depth];

  logic [AddressWidth-1:0] write_address_q, read_address_q, read_address_next;
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
  assign push    = valid_i && ready_o;
  assign pop     = ready_i && valid_o;

  // The address of the oldest word, once this cycle's word has left.
  assign read_address_next = !pop                            ? read_address_q :
                             (read_address_q == LastAddress) ? '0 : read_address_q + 1'b1;

  if (BlockRam == 0) begin : gen_any_memory
    assign valid_o = !blocked && (count_q != '0);
    assign data_o  = valid_o ? memory[read_address_q] : '0;
  end else begin : gen_block_ram
    logic [Width-1:0] word_q;
    logic             valid_q, fetch;

    // A word that enters in this cycle is fetched in the next one, so no word is read while
    // it is written.
    assign fetch   = !blocked && (count_q != CountWidth'(pop));
    assign valid_o = !blocked && valid_q;
    assign data_o  = valid_o ? word_q : '0;

    // The read register of the block RAM, which has no asynchronous reset. blocked is high
    // from the reset on.
    always_ff @(posedge clk_i) begin
      if (blocked) begin
        word_q <= '0;
      end else if (fetch) begin
        word_q <= memory[read_address_next];
      end
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        valid_q <= 1'b0;
      end else begin
        valid_q <= fetch;
      end
    end
  end

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
      read_address_q <= read_address_next;
      if (push && !pop) begin
        count_q <= count_q + 1'b1;
      end else if (pop && !push) begin
        count_q <= count_q - 1'b1;
      end
    end
  end

endmodule

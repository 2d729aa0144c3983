// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// FIFO between two clocks, of a depth that is a power of two, four words or more.
// Gray-coded pointers cross through SyncStages flip-flops (C. Cummings, "Simulation and
// Synthesis Techniques for Asynchronous FIFO Design", SNUG 2002). With a depth of eight
// or more and two stages, one word passes in each cycle of the slower clock. The oldest
// word is on read_data_o while read_valid_o is high; otherwise read_data_o is zero.
//
// With BlockRam = 1 the memory is read with the clock, as block RAM of an FPGA needs it: a
// word appears one cycle of the reader later than without; its depth is the same.
//
// The instantiating module must coordinate a clear: write_clear_i and read_clear_i must
// be high together until write_busy_o has fallen and each side has seen the other's
// clear (SyncStages cycles of its clock), since each side zeroes its own pointer. While its
// clear is high a side passes no word. The write side overwrites every word of the
// memory with zero, one a cycle, after reset and when write_clear_i rises.
module prim_fifo_async #(
  parameter int unsigned Width      = 32,
  parameter int unsigned Depth      = 8,
  parameter int unsigned SyncStages = 2,
  parameter int unsigned BlockRam   = 0
) (
  input  logic             write_clk_i,
  input  logic             write_rst_ni,
  input  logic             write_clear_i,
  output logic             write_busy_o,
  input  logic             write_valid_i,
  output logic             write_ready_o,
  input  logic [Width-1:0] write_data_i,

  input  logic             read_clk_i,
  input  logic             read_rst_ni,
  input  logic             read_clear_i,
  output logic             read_valid_o,
  input  logic             read_ready_i,
  output logic [Width-1:0] read_data_o
);

  localparam int unsigned AddressWidth = $clog2(Depth);

  if (Depth < 4 || (1 << AddressWidth) != Depth) begin : gen_bad_depth
    $fatal(1, "prim_fifo_async: Depth must be a power of two, 4 or more");
  end
  if (BlockRam > 1) begin : gen_bad_memory
    $fatal(1, "prim_fifo_async: BlockRam must be 0 or 1");
  end

  // Pointers have one bit more than an address, so that full and empty differ.
  typedef logic [AddressWidth:0] pointer_t;

  function automatic pointer_t gray(input pointer_t binary);
    return binary ^ (binary >> 1);
  endfunction

  (* ram_style = (BlockRam == 1) ? "block" : "auto" *) logic [Width-1:0] memory [Depth];

  // Write side.
  pointer_t                write_q, write_gray_q, write_next;
  pointer_t                read_gray_q, read_gray_seen;
  logic                    push;
  logic                    sweep_write;
  logic [AddressWidth-1:0] sweep_address;

  prim_sweep #(
    .Depth (Depth)
  ) u_sweep (
    .clk_i     (write_clk_i),
    .rst_ni    (write_rst_ni),
    .start_i   (write_clear_i),
    .busy_o    (write_busy_o),
    .write_o   (sweep_write),
    .address_o (sweep_address)
  );

  prim_synchroniser #(
    .Width  (AddressWidth + 1),
    .Stages (SyncStages)
  ) u_read_gray (
    .clk_i  (write_clk_i),
    .rst_ni (write_rst_ni),
    .data_i (read_gray_q),
    .data_o (read_gray_seen)
  );

  // Full: the write pointer is ahead by the depth. In Gray code its two highest bits
  // are then inverted and the others equal.
  assign write_ready_o = !write_busy_o && !write_clear_i &&
      (write_gray_q != {~read_gray_seen[AddressWidth:AddressWidth-1],
                        read_gray_seen[AddressWidth-2:0]});
  assign push          = write_valid_i && write_ready_o;
  assign write_next    = push ? write_q + 1'b1 : write_q;

  always_ff @(posedge write_clk_i) begin
    if (sweep_write) begin
      memory[sweep_address] <= '0;
    end else if (push) begin
      memory[write_q[AddressWidth-1:0]] <= write_data_i;
    end
  end

  always_ff @(posedge write_clk_i or negedge write_rst_ni) begin
    if (!write_rst_ni) begin
      write_q      <= '0;
      write_gray_q <= '0;
    end else if (write_clear_i) begin
      write_q      <= '0;
      write_gray_q <= '0;
    end else begin
      write_q      <= write_next;
      write_gray_q <= gray(write_next);
    end
  end

  // Read side.
  pointer_t read_q, read_next;
  pointer_t write_gray_seen;
  logic     pop;

  prim_synchroniser #(
    .Width  (AddressWidth + 1),
    .Stages (SyncStages)
  ) u_write_gray (
    .clk_i  (read_clk_i),
    .rst_ni (read_rst_ni),
    .data_i (write_gray_q),
    .data_o (write_gray_seen)
  );

  assign pop       = read_valid_o && read_ready_i;
  assign read_next = pop ? read_q + 1'b1 : read_q;

  if (BlockRam == 0) begin : gen_any_memory
    assign read_valid_o = !read_clear_i && (read_gray_q != write_gray_seen);
    assign read_data_o  = read_valid_o ? memory[read_q[AddressWidth-1:0]] : '0;
  end else begin : gen_block_ram
    logic [Width-1:0] word_q;
    logic             valid_q, fetch;
    logic             wipe_q; // the first cycle after a reset, and a clear

    // A place is given back when its word is taken, not when it is fetched, so the writer
    // does not touch the word that is read.
    assign fetch        = !wipe_q && !read_clear_i && (gray(read_next) != write_gray_seen);
    assign read_valid_o = !read_clear_i && valid_q;
    assign read_data_o  = read_valid_o ? word_q : '0;

    // The read register of the block RAM, which has no asynchronous reset.
    always_ff @(posedge read_clk_i) begin
      if (wipe_q || read_clear_i) begin
        word_q <= '0;
      end else if (fetch) begin
        word_q <= memory[read_next[AddressWidth-1:0]];
      end
    end

    always_ff @(posedge read_clk_i or negedge read_rst_ni) begin
      if (!read_rst_ni) begin
        valid_q <= 1'b0;
        wipe_q  <= 1'b1;
      end else begin
        valid_q <= fetch;
        wipe_q  <= read_clear_i;
      end
    end
  end

  always_ff @(posedge read_clk_i or negedge read_rst_ni) begin
    if (!read_rst_ni) begin
      read_q      <= '0;
      read_gray_q <= '0;
    end else if (read_clear_i) begin
      read_q      <= '0;
      read_gray_q <= '0;
    end else begin
      read_q      <= read_next;
      read_gray_q <= gray(read_next);
    end
  end

`ifndef SYNTHESIS
  // Rules for the surrounding logic. A side that ends its clear too early still sees the
  // old pointer of the other side, and takes the difference for words.
  logic write_clear_q, read_clear_q;

  initial begin
    write_clear_q = 1'b0;
    read_clear_q  = 1'b0;
  end

  always_ff @(posedge write_clk_i or negedge write_rst_ni) begin
    if (!write_rst_ni) begin
      write_clear_q <= 1'b0;
    end else begin
      write_clear_q <= write_clear_i;
      if (write_clear_q && !write_clear_i) begin
        write_clear_lasts: assert (!write_busy_o && read_gray_seen == '0)
          else $error("%m: write_clear_i fell before the sweep ended and the reader was clear");
      end
    end
  end

  always_ff @(posedge read_clk_i or negedge read_rst_ni) begin
    if (!read_rst_ni) begin
      read_clear_q <= 1'b0;
    end else begin
      read_clear_q <= read_clear_i;
      if (read_clear_q && !read_clear_i) begin
        read_clear_lasts: assert (write_gray_seen == '0)
          else $error("%m: read_clear_i fell before the writer was clear");
      end
    end
  end
`endif

endmodule

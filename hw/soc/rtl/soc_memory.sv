// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Memory of the system, with a port for fetches, one for data, and a wide one for DMA.
// All three may be used in the same cycle.
//
// On the first two ports a read takes read_wait_i wait cycles, a write write_wait_i; the
// words after the first one of a burst have none. The wide port has no wait cycles here;
// soc_memory_axi4 adds them.
//
// It models a memory that reads combinationally; one wait cycle models block RAM. A fetch
// beyond the end reads zero, which is not an instruction; soc_local_bus keeps data
// accesses within the memory.
module soc_memory
  import soc_pkg::*;
#(
  parameter int unsigned MemoryBytes = 262144,
  parameter int unsigned WideWidth   = 32,
  localparam int unsigned WideLanes  = WideWidth / 8
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic [7:0]           read_wait_i,
  input  logic [7:0]           write_wait_i,
  input  request_t             fetch_i,
  output response_t            fetch_o,
  input  request_t             data_i,
  output response_t            data_o,
  input  logic                 wide_write_i,
  input  logic [31:0]          wide_address_i,
  input  logic [WideWidth-1:0] wide_wdata_i,
  input  logic [WideLanes-1:0] wide_wstrb_i,
  output logic [WideWidth-1:0] wide_rdata_o
);

  if (MemoryBytes < 4096 || MemoryBytes > 32'h4000_0000 ||
      (MemoryBytes & (MemoryBytes - 1)) != 0) begin : gen_bad_size
    $fatal(1, "soc_memory: MemoryBytes must be a power of two from 4 KiB to 1 GiB");
  end

  localparam int unsigned Words        = MemoryBytes / 4;
  localparam int unsigned AddressWidth = $clog2(Words);
  localparam int unsigned WideWords    = WideWidth / 32;

  typedef logic [AddressWidth-1:0] index_t;

  logic [31:0] words_q [Words];
  logic [7:0]  fetch_waited_q, data_waited_q, data_wait;
  index_t      fetch_index, data_index;
  logic        fetch_inside;

  assign fetch_index  = fetch_i.address[2 +: AddressWidth];
  assign data_index   = data_i.address[2 +: AddressWidth];
  assign fetch_inside = fetch_i.address[31:AddressWidth+2] == '0;

  always_comb begin
    data_wait = data_i.write ? write_wait_i : read_wait_i;

    fetch_o.ready = fetch_i.valid && (fetch_i.following || (fetch_waited_q >= read_wait_i));
    fetch_o.rdata = fetch_inside ? words_q[fetch_index] : '0;

    data_o.ready = data_i.valid && (data_i.following || (data_waited_q >= data_wait));
    data_o.rdata = words_q[data_index];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      fetch_waited_q <= '0;
      data_waited_q  <= '0;
    end else begin
      fetch_waited_q <= (fetch_i.valid && !fetch_o.ready) ? fetch_waited_q + 8'd1 : '0;
      data_waited_q  <= (data_i.valid && !data_o.ready) ? data_waited_q + 8'd1 : '0;
    end
  end

  index_t wide_index;
  assign wide_index = wide_address_i[2 +: AddressWidth];

  for (genvar word = 0; word < WideWords; ++word) begin : gen_wide_read
    assign wide_rdata_o[32*word +: 32] = words_q[wide_index + index_t'(word)];
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned lane = 0; lane < 4; ++lane) begin
      if (data_o.ready && data_i.write && data_i.wstrb[lane]) begin
        words_q[data_index][8*lane +: 8] <= data_i.wdata[8*lane +: 8];
      end
    end
    if (wide_write_i) begin
      for (int unsigned lane = 0; lane < WideLanes; ++lane) begin
        if (wide_wstrb_i[lane]) begin
          words_q[wide_index + index_t'(lane / 4)][8*(lane%4) +: 8] <= wide_wdata_i[8*lane +: 8];
        end
      end
    end
  end

  logic unused_address;
  assign unused_address = ^{fetch_i.address[1:0], fetch_i.write, fetch_i.wdata, fetch_i.wstrb,
                            data_i.address[31:AddressWidth+2], data_i.address[1:0],
                            wide_address_i[31:AddressWidth+2], wide_address_i[1:0]};

endmodule

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The address decoder of the processor's data port: memory or one of four pages.
// Combinational, so it adds no cycle. An access to an unused address is answered at
// once with zero and reported on error_o.
module soc_local_bus
  import soc_pkg::*;
#(
  parameter int unsigned MemoryBytes = 262144,
  parameter logic [3:0]  Pages       = 4'b0001 // present: system, coprocessor, accelerator, dma
) (
  input  request_t   request_i,
  output response_t  response_o,
  output request_t   memory_o,
  input  response_t  memory_i,
  output request_t   page_o [4],
  input  response_t  page_i [4],
  output logic       error_o
);

  // The upper 16 bits of an address select the page.
  localparam logic [31:0] Bases [4] = '{
    soc_registers_pkg::SystemBase, soc_registers_pkg::CoprocessorBase,
    soc_registers_pkg::AcceleratorBase, soc_registers_pkg::DmaBase
  };

  logic       in_memory;
  logic [3:0] in_page;

  assign in_memory = request_i.address < MemoryBytes;

  for (genvar page = 0; page < 4; ++page) begin : gen_page
    assign in_page[page] = Pages[page] && (request_i.address[31:16] == Bases[page][31:16]);
    always_comb begin
      page_o[page]       = request_i;
      page_o[page].valid = request_i.valid && in_page[page];
    end
  end

  always_comb begin
    memory_o       = request_i;
    memory_o.valid = request_i.valid && in_memory;
  end

  always_comb begin
    response_o = '{ready: request_i.valid, rdata: '0};
    if (in_memory) response_o = memory_i;
    for (int unsigned page = 0; page < 4; ++page) begin
      if (in_page[page]) response_o = page_i[page];
    end
  end

  assign error_o = request_i.valid && !in_memory && (in_page == '0);

endmodule

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The registers of the DMA engine behind AXI4-Lite: connects the register block that is
// generated from dma.rdl to the signals of the other modules, counts the transfers,
// stores the origin of the first error, and forms the interrupt. A write with a low
// strobe is answered with OKAY and changes nothing, so that LENGTH and CHAIN start a
// transfer only with a complete value.
module dma_csr
  import dma_pkg::*;
#(
  parameter int unsigned DataWidth     = 32,
  parameter int unsigned StreamWidth   = 128,
  parameter int unsigned BurstBeats    = 16,
  parameter int unsigned FifoBeats     = 64,
  parameter int unsigned Streams       = 1,
  parameter int unsigned ByteAlignment = 0
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic [7:0]  s_axil_awaddr_i,
  input  logic [2:0]  s_axil_awprot_i,
  input  logic        s_axil_awvalid_i,
  output logic        s_axil_awready_o,
  input  logic [31:0] s_axil_wdata_i,
  input  logic [3:0]  s_axil_wstrb_i,
  input  logic        s_axil_wvalid_i,
  output logic        s_axil_wready_o,
  output logic [1:0]  s_axil_bresp_o,
  output logic        s_axil_bvalid_o,
  input  logic        s_axil_bready_i,
  input  logic [7:0]  s_axil_araddr_i,
  input  logic [2:0]  s_axil_arprot_i,
  input  logic        s_axil_arvalid_i,
  output logic        s_axil_arready_o,
  output logic [31:0] s_axil_rdata_o,
  output logic [1:0]  s_axil_rresp_o,
  output logic        s_axil_rvalid_o,
  input  logic        s_axil_rready_i,
  output logic        interrupt_o,

  // Commands, each high for a cycle, with the registers that belong to them.
  output logic        abort_o,
  output logic        transfer_o,
  output logic        chain_o,
  output descriptor_t descriptor_o,
  output logic [31:0] chain_address_o,
  output stream_t     stream_o,

  input  logic        busy_i,
  input  logic        ready_i,
  input  logic        stopping_i,
  input  logic        completed_i,
  input  logic        done_interrupt_i,
  input  error_t      error_i,
  input  logic        busy_error_i,
  input  origin_t     origin_i
);

  dma_registers_pkg::dma__in_t  to_registers;
  dma_registers_pkg::dma__out_t from_registers;

  dma_registers u_registers (
    .clk            (clk_i),
    .arst_n         (rst_ni),
    .s_axil_awready (s_axil_awready_o),
    .s_axil_awvalid (s_axil_awvalid_i),
    .s_axil_awaddr  (s_axil_awaddr_i),
    .s_axil_awprot  (s_axil_awprot_i),
    .s_axil_wready  (s_axil_wready_o),
    .s_axil_wvalid  (s_axil_wvalid_i),
    .s_axil_wdata   (s_axil_wdata_i),
    .s_axil_wstrb   ({4{&s_axil_wstrb_i}}),
    .s_axil_bready  (s_axil_bready_i),
    .s_axil_bvalid  (s_axil_bvalid_o),
    .s_axil_bresp   (s_axil_bresp_o),
    .s_axil_arready (s_axil_arready_o),
    .s_axil_arvalid (s_axil_arvalid_i),
    .s_axil_araddr  (s_axil_araddr_i),
    .s_axil_arprot  (s_axil_arprot_i),
    .s_axil_rready  (s_axil_rready_i),
    .s_axil_rvalid  (s_axil_rvalid_o),
    .s_axil_rdata   (s_axil_rdata_o),
    .s_axil_rresp   (s_axil_rresp_o),
    .hwif_in        (to_registers),
    .hwif_out       (from_registers)
  );

  // ------------------------------------------------------------ from the host

  logic transfer_q, chain_q; // a cycle after the write, when the register has the new value

  assign abort_o         = from_registers.CONTROL.abort.value;
  assign transfer_o      = transfer_q;
  assign chain_o         = chain_q;
  assign chain_address_o = from_registers.CHAIN.value.value;
  assign stream_o        = from_registers.FLAGS.stream.value;

  always_comb begin
    descriptor_o                   = '0;
    descriptor_o.origin.registers  = 1'b1;
    descriptor_o.flags.stop        = 1'b1;
    descriptor_o.flags.notify      = from_registers.FLAGS.interrupt.value;
    descriptor_o.flags.message_end = from_registers.FLAGS.message_end.value;
    descriptor_o.flags.write       = from_registers.FLAGS.write.value;
    descriptor_o.flags.read        = from_registers.FLAGS.read.value;
    descriptor_o.source            = from_registers.SOURCE.value.value;
    descriptor_o.destination       = from_registers.DESTINATION.value.value;
    descriptor_o.length            = from_registers.LENGTH.value.value;
  end

  assign to_registers.stream_locked = Streams == 1;

  // ------------------------------------------------------------ to the host

  logic [31:0] completed_q;
  origin_t     origin_q;
  logic        error_known; // a bit of ERROR that stops the engine is set

  assign error_known = from_registers.ERROR.descriptor.value || from_registers.ERROR.fetch.value ||
                       from_registers.ERROR.read.value || from_registers.ERROR.write.value ||
                       from_registers.ERROR.framing.value;

  assign to_registers.STATUS.busy.next     = busy_i || transfer_q || chain_q;
  assign to_registers.STATUS.ready.next    = ready_i && !transfer_q && !chain_q;
  assign to_registers.STATUS.stopping.next = stopping_i;

  assign to_registers.ERROR.descriptor.hwset = error_i.descriptor;
  assign to_registers.ERROR.fetch.hwset      = error_i.fetch;
  assign to_registers.ERROR.read.hwset       = error_i.read;
  assign to_registers.ERROR.write.hwset      = error_i.write;
  assign to_registers.ERROR.framing.hwset    = error_i.framing;
  assign to_registers.ERROR.busy.hwset       = busy_error_i;

  assign to_registers.INTERRUPT_STATE.done.hwset  = done_interrupt_i;
  assign to_registers.INTERRUPT_STATE.error.hwset = error_i != '0 || busy_error_i;

  assign to_registers.COMPLETED.value.next            = completed_q;
  assign to_registers.ERROR_DESCRIPTOR.registers.next = origin_q.registers;
  assign to_registers.ERROR_DESCRIPTOR.address.next   = origin_q.address;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      transfer_q  <= 1'b0;
      chain_q     <= 1'b0;
      completed_q <= '0;
      origin_q    <= '0;
      interrupt_o <= 1'b0;
    end else begin
      transfer_q  <= from_registers.LENGTH.value.swmod;
      chain_q     <= from_registers.CHAIN.value.swmod;
      completed_q <= completed_q + 32'(completed_i);
      if (error_i != '0 && !error_known) begin
        origin_q <= origin_i;
      end
      interrupt_o <=
          (from_registers.INTERRUPT_STATE.done.value &&
           from_registers.INTERRUPT_ENABLE.done.value) ||
          (from_registers.INTERRUPT_STATE.error.value &&
           from_registers.INTERRUPT_ENABLE.error.value);
    end
  end

  // ------------------------------------------------------------ what the device is

  assign to_registers.CAPABILITY.data_bytes.next   = 8'(DataWidth / 8);
  assign to_registers.CAPABILITY.stream_bytes.next = 8'(StreamWidth / 8);
  assign to_registers.CAPABILITY.descriptors.next  = 8'(Descriptors);
  assign to_registers.CAPABILITY.last_stream.next  = 5'(Streams - 1);
  assign to_registers.CAPABILITY.any_byte.next     = ByteAlignment != 0;
  assign to_registers.GEOMETRY.burst_beats.next    = 16'(BurstBeats);
  assign to_registers.GEOMETRY.fifo_beats.next     = 16'(FifoBeats);

endmodule

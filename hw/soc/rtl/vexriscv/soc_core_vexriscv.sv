// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// VexRiscv (its FullCfu variant: RV32IM, five stages, 4 KiB instruction and data
// cache with lines of 32 bytes, write-through) on the local bus.
//
// The timer is connected to timerInterrupt, the other pending bits to the external
// interrupt array (mask: CSR 0xBC0, whose bit 31 enables the CFU).
module soc_core_vexriscv
  import soc_pkg::*;
(
  input  logic                  clk_i,
  input  logic                  rst_ni,
  output request_t              fetch_o,
  input  response_t             fetch_i,
  output request_t              data_o,
  input  response_t             data_i,
  output instruction_t          instruction_o,
  input  result_t               result_i,
  input  logic [Interrupts-1:0] interrupt_i,
  output logic                  trap_o,
  output logic                  stuck_o,
  output logic                  retired_o
);

  localparam logic [2:0] WishboneClassic = 3'b000;

  logic        i_cyc, i_stb, d_cyc, d_stb, d_we;
  logic [29:0] i_adr, d_adr;
  logic [31:0] d_wdata;
  logic [3:0]  d_sel;
  logic [2:0]  d_cti;
  logic        cfu_valid, cfu_ready, cfu_room;
  logic        result_valid_q;
  logic [9:0]  cfu_function;
  logic [31:0] cfu_a, cfu_b, result_q, externals;

  always_comb begin
    externals = '0;
    externals[Interrupts-1:1] = interrupt_i[Interrupts-1:1];
  end

  VexRiscv u_core (
    .clk                                   (clk_i),
    .reset                                 (!rst_ni),
    .externalResetVector                   (32'h0000_0000),
    .timerInterrupt                        (interrupt_i[InterruptTimer]),
    .softwareInterrupt                     (1'b0),
    .externalInterruptArray                (externals),
    .CfuPlugin_bus_cmd_valid               (cfu_valid),
    .CfuPlugin_bus_cmd_ready               (cfu_ready),
    .CfuPlugin_bus_cmd_payload_function_id (cfu_function),
    .CfuPlugin_bus_cmd_payload_inputs_0    (cfu_a),
    .CfuPlugin_bus_cmd_payload_inputs_1    (cfu_b),
    .CfuPlugin_bus_rsp_valid               (result_valid_q),
    .CfuPlugin_bus_rsp_ready               (cfu_room),
    .CfuPlugin_bus_rsp_payload_outputs_0   (result_q),
    .iBusWishbone_CYC                      (i_cyc),
    .iBusWishbone_STB                      (i_stb),
    .iBusWishbone_ACK                      (fetch_i.ready),
    .iBusWishbone_WE                       (),
    .iBusWishbone_ADR                      (i_adr),
    .iBusWishbone_DAT_MISO                 (fetch_i.rdata),
    .iBusWishbone_DAT_MOSI                 (),
    .iBusWishbone_SEL                      (),
    .iBusWishbone_ERR                      (1'b0),
    .iBusWishbone_CTI                      (),
    .iBusWishbone_BTE                      (),
    .dBusWishbone_CYC                      (d_cyc),
    .dBusWishbone_STB                      (d_stb),
    .dBusWishbone_ACK                      (data_i.ready),
    .dBusWishbone_WE                       (d_we),
    .dBusWishbone_ADR                      (d_adr),
    .dBusWishbone_DAT_MISO                 (data_i.rdata),
    .dBusWishbone_DAT_MOSI                 (d_wdata),
    .dBusWishbone_SEL                      (d_sel),
    .dBusWishbone_ERR                      (1'b0),
    .dBusWishbone_CTI                      (d_cti),
    .dBusWishbone_BTE                      ()
  );

  // Both caches read full lines, beginning with the first word.
  assign fetch_o = '{
    valid:     i_cyc && i_stb,
    write:     1'b0,
    following: i_adr[2:0] != '0,
    address:   {i_adr, 2'b00},
    wdata:     '0,
    wstrb:     '0
  };
  assign data_o = '{
    valid:     d_cyc && d_stb,
    write:     d_we,
    following: (d_cti != WishboneClassic) && (d_adr[2:0] != '0),
    address:   {d_adr, 2'b00},
    wdata:     d_wdata,
    wstrb:     d_sel
  };

  // The core expects a result in its memory stage, a cycle after the instruction, and takes
  // one every cycle there. A result that comes earlier has one place to wait.
  assign cfu_ready     = result_i.ready && (!result_valid_q || cfu_room);
  assign instruction_o = '{
    valid: cfu_valid && (!result_valid_q || cfu_room),
    code:  cfu_function,
    a:     cfu_a,
    b:     cfu_b
  };

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      result_valid_q <= 1'b0;
      result_q       <= '0;
    end else if (!result_valid_q || cfu_room) begin
      result_valid_q <= cfu_valid && cfu_ready;
      result_q       <= result_i.result;
    end
  end

  // The firmware handles exceptions; the core has no output for a nested exception.
  assign trap_o = 1'b0;

`ifdef SYNTHESIS
  assign stuck_o   = 1'b1;
  assign retired_o = 1'b0;
`else
  // Writes to the bus stall the pipeline only when its two write buffers are full.
  assign stuck_o   = u_core.execute_arbitration_isStuck;
  assign retired_o = u_core.lastStageIsFiring;
`endif

  // Unknown functions are answered with zero.
  logic unused_known;
  assign unused_known = ^{result_i.known, result_i.standard};

endmodule

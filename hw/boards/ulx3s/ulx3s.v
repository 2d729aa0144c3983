// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The FPGA of a ULX3S (Lattice LFE5U-85F): the accelerator behind the board's USB serial port,
// at 1,000,000 baud. The serial line and the bus run on the board's 25 MHz, the core on 50 MHz
// from a PLL.
//
// LED 0 is lit while a request is executed, LED 1 while the accelerator's interrupt is high,
// LED 2 when the PLL has locked, LED 7 blinks with the core's clock. Button FIRE1 resets.
module ulx3s (
  input  wire       clk_25mhz,
  input  wire       ftdi_txd,   // from the FT231X
  output wire       ftdi_rxd,   // to the FT231X
  input  wire       btn_fire1,  // high while pressed
  output wire [7:0] led,
  output wire       wifi_gpio0  // high: the board's ESP32 does not restart
);

  wire core_clk, locked, rst_n, core_rst_n, running, active, interrupt;

  // 25 MHz x 2 with the oscillator at 600 MHz (400 to 800 are allowed).
  (* FREQUENCY_PIN_CLKI = "25" *)
  (* FREQUENCY_PIN_CLKOP = "50" *)
  EHXPLLL #(
    .CLKI_DIV     (1),
    .CLKFB_DIV    (2),
    .CLKOP_DIV    (12),
    .CLKOP_ENABLE ("ENABLED"),
    .CLKOP_CPHASE (5),
    .CLKOP_FPHASE (0),
    .FEEDBK_PATH  ("CLKOP")
  ) u_pll (
    .CLKI         (clk_25mhz),
    .CLKFB        (core_clk),
    .CLKOP        (core_clk),
    .LOCK         (locked),
    .RST          (1'b0),
    .STDBY        (1'b0),
    .PHASESEL0    (1'b0),
    .PHASESEL1    (1'b0),
    .PHASEDIR     (1'b0),
    .PHASESTEP    (1'b0),
    .PHASELOADREG (1'b0),
    .PLLWAKESYNC  (1'b0),
    .ENCLKOP      (1'b0)
  );

  assign running = locked && !btn_fire1;

  prim_reset_synchroniser u_reset (
    .clk_i  (clk_25mhz),
    .rst_ni (running),
    .rst_no (rst_n)
  );

  prim_reset_synchroniser u_core_reset (
    .clk_i  (core_clk),
    .rst_ni (running),
    .rst_no (core_rst_n)
  );

  uart_accel #(
    .ClocksPerBit  (25),
    .TimeoutCycles (5000000), // 0.2 s
    .Asynchronous  (1)
  ) u_accel (
    .clk_i       (clk_25mhz),
    .rst_ni      (rst_n),
    .core_clk_i  (core_clk),
    .core_rst_ni (core_rst_n),
    .rx_i        (ftdi_txd),
    .tx_o        (ftdi_rxd),
    .active_o    (active),
    .interrupt_o (interrupt)
  );

  reg [24:0] blink_q;

  always @(posedge core_clk or negedge core_rst_n) begin
    if (!core_rst_n) blink_q <= 25'd0;
    else             blink_q <= blink_q + 25'd1;
  end

  assign led        = {blink_q[24], 4'd0, locked, interrupt, active};
  assign wifi_gpio0 = 1'b1;

endmodule

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The FPGA of a KC705 (Xilinx XC7K325T): the accelerator behind the board's USB serial port,
// at 921,600 baud. Everything runs on 100 MHz, from the board's 200 MHz.
//
// Light 0 is lit while a request is executed, 1 while the accelerator's interrupt is high, 2
// when the clock has locked. The button CPU_RESET resets.
module kc705 (
  input  wire       sysclk_p,
  input  wire       sysclk_n,
  input  wire       cpu_reset,     // high while pressed
  input  wire       usb_uart_tx,   // from the CP2103
  output wire       usb_uart_rx,   // to the CP2103
  output wire [3:0] gpio_led
);

  wire board_clk, feedback, pll_clk, clk, locked, running, rst_n, active, interrupt;

  IBUFDS u_board_clk (
    .I  (sysclk_p),
    .IB (sysclk_n),
    .O  (board_clk)
  );

  // The oscillator at 1,000 MHz (600 to 1,440 are allowed at speed grade 2).
  MMCME2_BASE #(
    .CLKIN1_PERIOD    (5.0),
    .CLKFBOUT_MULT_F  (5.0),
    .CLKOUT0_DIVIDE_F (10.0)
  ) u_mmcm (
    .CLKIN1   (board_clk),
    .CLKFBIN  (feedback),
    .CLKFBOUT (feedback),
    .CLKOUT0  (pll_clk),
    .LOCKED   (locked),
    .PWRDWN   (1'b0),
    .RST      (1'b0)
  );

  BUFG u_clk (
    .I (pll_clk),
    .O (clk)
  );

  assign running = locked && !cpu_reset;

  prim_reset_synchroniser u_reset (
    .clk_i  (clk),
    .rst_ni (running),
    .rst_no (rst_n)
  );

  // 108 cycles a bit are 925,926 baud, 0.5 % above.
  uart_accel #(
    .ClocksPerBit  (108),
    .TimeoutCycles (20000000), // 0.2 s
    .Asynchronous  (0)
  ) u_accel (
    .clk_i       (clk),
    .rst_ni      (rst_n),
    .core_clk_i  (1'b0),
    .core_rst_ni (1'b1),
    .rx_i        (usb_uart_tx),
    .tx_o        (usb_uart_rx),
    .active_o    (active),
    .interrupt_o (interrupt)
  );

  assign gpio_led = {1'b0, locked, interrupt, active};

endmodule

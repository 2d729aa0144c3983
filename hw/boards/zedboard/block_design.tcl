# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
#
# The block design for the ZedBoard, in the project that is open: the processing system, the
# card with its registers behind GP0 and its memory bus in HP0, and an interrupt for each ring.
# build.tcl calls it. It never ran in Vivado: see README.md.

create_bd_design system

# The processing system, with the board's memory and pins, and a clock of 100 MHz for the logic.
set ps [create_bd_cell -type ip -vlnv xilinx.com:ip:processing_system7 ps]
apply_bd_automation -rule xilinx.com:bd_rule:processing_system7 \
    -config {make_external "FIXED_IO, DDR" apply_board_preset "1"} $ps
set_property -dict [list \
    CONFIG.PCW_USE_M_AXI_GP0 {1} \
    CONFIG.PCW_USE_S_AXI_HP0 {1} \
    CONFIG.PCW_S_AXI_HP0_DATA_WIDTH {64} \
    CONFIG.PCW_FPGA0_PERIPHERAL_FREQMHZ {100} \
    CONFIG.PCW_USE_FABRIC_INTERRUPT {1} \
    CONFIG.PCW_IRQ_F2P_INTR {1} \
] $ps

set reset [create_bd_cell -type ip -vlnv xilinx.com:ip:proc_sys_reset reset]
set card [create_bd_cell -type module -reference zedboard_card card]

# One interconnect each way. The second one narrows addresses, translates to AXI3, and answers
# what lies outside of the memory with DECERR.
set registers [create_bd_cell -type ip -vlnv xilinx.com:ip:smartconnect registers]
set memory [create_bd_cell -type ip -vlnv xilinx.com:ip:smartconnect memory]
set_property -dict [list CONFIG.NUM_SI {1} CONFIG.NUM_MI {1}] $registers
set_property -dict [list CONFIG.NUM_SI {1} CONFIG.NUM_MI {1}] $memory
connect_bd_intf_net [get_bd_intf_pins ps/M_AXI_GP0] [get_bd_intf_pins registers/S00_AXI]
connect_bd_intf_net [get_bd_intf_pins registers/M00_AXI] [get_bd_intf_pins card/s_axi]
connect_bd_intf_net [get_bd_intf_pins card/m_axi] [get_bd_intf_pins memory/S00_AXI]
connect_bd_intf_net [get_bd_intf_pins memory/M00_AXI] [get_bd_intf_pins ps/S_AXI_HP0]

# Clock and reset.
foreach pin {ps/M_AXI_GP0_ACLK ps/S_AXI_HP0_ACLK reset/slowest_sync_clk card/clk
             registers/aclk memory/aclk} {
    connect_bd_net [get_bd_pins ps/FCLK_CLK0] [get_bd_pins $pin]
}
connect_bd_net [get_bd_pins ps/FCLK_RESET0_N] [get_bd_pins reset/ext_reset_in]
foreach pin {card/rst_n registers/aresetn memory/aresetn} {
    connect_bd_net [get_bd_pins reset/peripheral_aresetn] [get_bd_pins $pin]
}

# Ring 0 has IRQ_F2P[0], which is shared peripheral interrupt 29, ring 1 the next one.
set lines [create_bd_cell -type ip -vlnv xilinx.com:ip:xlconcat lines]
set_property CONFIG.NUM_PORTS {2} $lines
connect_bd_net [get_bd_pins card/interrupt_0] [get_bd_pins lines/In0]
connect_bd_net [get_bd_pins card/interrupt_1] [get_bd_pins lines/In1]
connect_bd_net [get_bd_pins lines/dout] [get_bd_pins ps/IRQ_F2P]

# Addresses: the registers where card.dtso says, and all 512 MiB of memory.
assign_bd_address -offset 0x43C00000 -range 32K \
    -target_address_space [get_bd_addr_spaces ps/Data] [get_bd_addr_segs card/s_axi/reg0] -force
assign_bd_address -offset 0x00000000 -range 512M \
    -target_address_space [get_bd_addr_spaces card/m_axi] \
    [get_bd_addr_segs ps/S_AXI_HP0/HP0_DDR_LOWOCM] -force

validate_bd_design
save_bd_design

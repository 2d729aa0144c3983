# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
#
# The bitstream for the ZedBoard, in the root of the source tree:
#
#     vivado -mode batch -source hw/boards/zedboard/build.tcl
#
# It writes build/boards/zedboard, and fails if timing is not met. It never ran in Vivado: see
# README.md.

set here [file dirname [file normalize [info script]]]
set hw [file normalize [file join $here .. ..]]
set output [file normalize [file join $hw .. build boards zedboard]]

create_project -force zedboard $output -part xc7z020clg484-1

# The board's files tell how its memory and its pins are used.
set boards [get_board_parts -quiet -latest_file_version {*:zed:* *:zedboard:*}]
if {[llength $boards] == 0} {
    error "Vivado has no files of the ZedBoard: install them from its board store (Tools, XHub Stores)"
}
set_property board_part [lindex $boards 0] [current_project]

foreach folder {prim aes present ghash ascon ecc sha2 accel dma card} {
    add_files [glob [file join $hw $folder rtl *.sv]]
    foreach generated [glob -nocomplain [file join $hw $folder rtl generated *.sv]] {
        add_files $generated
    }
}
add_files [file join $here zedboard_card.v]
add_files -fileset constrs_1 [file join $here zedboard.xdc]
update_compile_order -fileset sources_1

source [file join $here block_design.tcl]
set design [get_files system.bd]
add_files [make_wrapper -files $design -top]
set_property top system_wrapper [current_fileset]
update_compile_order -fileset sources_1

launch_runs impl_1 -to_step write_bitstream -jobs 2
wait_on_run impl_1
if {[get_property PROGRESS [get_runs impl_1]] ne "100%"} {
    error "the implementation failed: see the logs in $output"
}
open_run impl_1
report_timing_summary -file [file join $output timing.txt]
report_utilization -file [file join $output utilization.txt]
set slack [get_property SLACK [get_timing_paths]]
if {$slack < 0} {
    error "timing is not met: $slack ns; see [file join $output timing.txt]"
}
write_hw_platform -fixed -include_bit -force [file join $output zedboard.xsa]

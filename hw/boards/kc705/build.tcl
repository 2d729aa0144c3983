# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
#
# The bitstream for the KC705, in the root of the source tree:
#
#     vivado -mode batch -source hw/boards/kc705/build.tcl
#
# It writes build/boards/kc705, and fails if timing is not met. It never ran in Vivado: see
# README.md.

set here [file dirname [file normalize [info script]]]
set hw [file normalize [file join $here .. ..]]
set output [file normalize [file join $hw .. build boards kc705]]
file mkdir $output

# Packages first, each after those that it uses.
set packages {}
set modules {}
foreach folder {prim aes present ghash ascon ecc sha2 accel boards} {
    foreach file [lsort [glob -nocomplain [file join $hw $folder rtl *.sv] \
            [file join $hw $folder rtl generated *.sv]]] {
        if {[string match *_pkg.sv $file]} {
            lappend packages $file
        } else {
            lappend modules $file
        }
    }
}
read_verilog -sv $packages
read_verilog -sv $modules
read_verilog [file join $here kc705.v]
read_xdc [file join $here kc705.xdc]

synth_design -top kc705 -part xc7k325tffg900-2
opt_design
place_design
phys_opt_design
route_design
report_timing_summary -file [file join $output timing.txt]
report_utilization -file [file join $output utilization.txt]
set slack [get_property SLACK [get_timing_paths]]
if {$slack < 0} {
    error "timing is not met: $slack ns; see [file join $output timing.txt]"
}
write_bitstream -force [file join $output kc705.bit]

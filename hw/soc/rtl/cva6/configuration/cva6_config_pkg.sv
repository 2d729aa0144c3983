// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The configuration that CVA6's packages import: RV64IMAC, without a floating-point unit and
// without a port for custom instructions. This file is compiled before CVA6's own.
//
// WT_DCACHE selects the write-through data cache. Where VERILATOR is defined, CVA6 writes each
// instruction to a file; where it is not, it instantiates instr_tracer instead.
`define WT_DCACHE
`undef VERILATOR

package cva6_config_pkg;

  localparam CVA6ConfigXlen = 64;

  localparam CVA6ConfigFpuEn    = 0;
  localparam CVA6ConfigF16En    = 0;
  localparam CVA6ConfigF16AltEn = 0;
  localparam CVA6ConfigF8En     = 0;
  localparam CVA6ConfigFVecEn   = 0;

  localparam CVA6ConfigCvxifEn = 0;
  localparam CVA6ConfigCExtEn  = 1;
  localparam CVA6ConfigAExtEn  = 1;

  localparam CVA6ConfigFetchUserEn    = 0;
  localparam CVA6ConfigFetchUserWidth = CVA6ConfigXlen;
  localparam CVA6ConfigDataUserEn     = 0;
  localparam CVA6ConfigDataUserWidth  = CVA6ConfigXlen;

  localparam CVA6ConfigRenameEn = 0;

endpackage

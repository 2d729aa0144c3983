// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The inverse in GF(2^8) of one byte, zero for zero, by table look-up (FIPS
// 197, section 5.1.1).
//
// keep_hierarchy: synthesis of the flattened design merges the table with the affine
// maps around it and needs more LUTs.
(* keep_hierarchy *)
module aes_field_inverse_table (
  input  logic [7:0] data_i,
  output logic [7:0] data_o
);

  assign data_o = aes_sbox_tables_pkg::FieldInverseTable[data_i];

endmodule

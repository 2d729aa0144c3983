// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Types and constants shared by the modules of the DMA engine.
package dma_pkg;

  // Descriptors in flight, passed to both directions and not yet complete, and commands that
  // wait in each direction. Not every module uses it.
  /* verilator lint_off UNUSEDPARAM */
  localparam int unsigned Descriptors = 8;
  /* verilator lint_on UNUSEDPARAM */

  // The number of a stream, as FLAGS has it.
  typedef logic [4:0] stream_t;

  // The low bits of a descriptor's last word, and the FLAGS register.
  typedef struct packed {
    logic stop;        // the last descriptor of its chain
    logic notify;      // raise an interrupt when it is complete
    logic message_end; // TLAST with its last byte
    logic write;       // stream to memory
    logic read;        // memory to stream
  } flags_t;

  // The origin of a transfer: the address of its descriptor, or the registers.
  typedef struct packed {
    logic [31:5] address;
    logic        registers;
  } origin_t;

  typedef struct packed {
    origin_t     origin;
    flags_t      flags;
    logic [31:0] source;
    logic [31:0] destination;
    logic [31:0] length; // bytes
  } descriptor_t;

  // One bit for each bit of ERROR but busy.
  typedef struct packed {
    logic framing;
    logic write;
    logic read;
    logic fetch;
    logic descriptor;
  } error_t;

endpackage

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: sha2_hmac with its core, and a core of several messages, each in an arbitrary
// state, are told to zeroise in the first cycle (formal_zeroise).
module sha2_zeroise
  import sha2_pkg::*;
#(
  parameter int unsigned WordSizes = WordSizes32,
  parameter int unsigned RoundsPerCycle = 1
) (
  input  logic         clk_i,
  input  logic         key_valid_i,
  input  function_e    key_function_i,
  input  logic [127:0] key_i,
  input  logic [4:0]   key_bytes_i,
  input  logic         key_last_i,
  input  logic         start_valid_i,
  input  function_e    function_i,
  input  logic         authenticate_i,
  input  logic         start_message_i,
  input  logic         block_valid_i,
  input  logic [127:0] block_i,
  input  logic [4:0]   block_bytes_i,
  input  logic         block_last_i,
  input  logic         block_message_i,
  input  logic         block_ready_i,
  input  logic         drop_i,
  output logic         swept_o
);

  logic              zeroise, key_ready;
  logic [1:0]        start_ready, block_ready, block_valid, last, busy, idle;
  logic [1:0][127:0] block;
  logic [1:0][4:0]   bytes;
  logic              message;

  sha2_hmac #(
    .WordSizes      (WordSizes),
    .RoundsPerCycle (RoundsPerCycle)
  ) u_hmac (
    .clk_i          (clk_i),
    .rst_ni         (1'b1),
    .key_valid_i    (key_valid_i),
    .key_ready_o    (key_ready),
    .key_function_i (key_function_i),
    .key_i          (key_i),
    .key_bytes_i    (key_bytes_i),
    .key_last_i     (key_last_i),
    .start_valid_i  (start_valid_i),
    .start_ready_o  (start_ready[0]),
    .function_i     (function_i),
    .authenticate_i (authenticate_i),
    .block_valid_i  (block_valid_i),
    .block_ready_o  (block_ready[0]),
    .block_i        (block_i),
    .block_bytes_i  (block_bytes_i),
    .block_last_i   (block_last_i),
    .block_valid_o  (block_valid[0]),
    .block_ready_i  (block_ready_i),
    .block_o        (block[0]),
    .block_bytes_o  (bytes[0]),
    .block_last_o   (last[0]),
    .drop_i         (drop_i),
    .zeroise_i      (zeroise),
    .busy_o         (busy[0]),
    .idle_o         (idle[0])
  );

  sha2_core #(
    .WordSizes      (WordSizes),
    .RoundsPerCycle (RoundsPerCycle),
    .Messages       (2)
  ) u_core (
    .clk_i           (clk_i),
    .rst_ni          (1'b1),
    .start_valid_i   (start_valid_i),
    .start_ready_o   (start_ready[1]),
    .function_i      (function_i),
    .start_message_i (start_message_i),
    .block_valid_i   (block_valid_i),
    .block_ready_o   (block_ready[1]),
    .block_i         (block_i),
    .block_bytes_i   (block_bytes_i),
    .block_last_i    (block_last_i),
    .block_message_i (block_message_i),
    .block_valid_o   (block_valid[1]),
    .block_ready_i   (block_ready_i),
    .block_o         (block[1]),
    .block_bytes_o   (bytes[1]),
    .block_last_o    (last[1]),
    .block_message_o (message),
    .drop_i          (drop_i),
    .zeroise_i       (zeroise),
    .busy_o          (busy[1]),
    .idle_o          (idle[1])
  );

  formal_zeroise #(
    .Width   (256),
    .Longest (4)
  ) u_zeroise (
    .clk_i         (clk_i),
    .zeroise_o     (zeroise),
    .swept_o       (swept_o),
    .busy_i        (|busy),
    .idle_i        (&idle),
    .key_ready_i   (key_ready || |start_ready),
    .block_ready_i (|block_ready),
    .block_valid_i (|block_valid),
    .block_i       (block)
  );

  logic unused;
  assign unused = ^{bytes, last, message};

endmodule

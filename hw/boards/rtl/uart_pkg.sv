// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// The serial protocol of uart_bridge: marks, operations, status and checksum. The README
// describes the frames.
package uart_pkg;

  localparam logic [7:0] Version     = 8'd1;
  localparam logic [7:0] MaxBytes    = 8'd240; // the longest payload
  localparam logic [7:0] RequestMark = 8'hA5;
  localparam logic [7:0] ReplyMark   = 8'h5A;

  typedef enum logic [7:0] {
    OperationIdentify = 8'd0,
    OperationRead     = 8'd1,
    OperationWrite    = 8'd2,
    OperationPush     = 8'd3,
    OperationPushLast = 8'd4,
    OperationTake     = 8'd5
  } operation_e;

  typedef enum logic [7:0] {
    StatusDone      = 8'd0,
    StatusLast      = 8'd1, // done; the last byte ends a packet of the output
    StatusDamaged   = 8'd2, // wrong checksum, or a byte without its stop bit
    StatusLate      = 8'd3, // the rest of the frame did not come
    StatusOperation = 8'd4, // no such operation
    StatusLength    = 8'd5, // a payload that the operation does not take
    StatusAddress   = 8'd6, // outside the registers, or not a multiple of four
    StatusBus       = 8'd7, // the registers answered with an error
    StatusStalled   = 8'd8  // registers or stream did not take it in time
  } status_e;

  // The checksum after one more byte: CRC-16 with polynomial 0x1021, most significant bit
  // first (CRC-16/IBM-3740, which starts at 0xFFFF).
  function automatic logic [15:0] crc_next(logic [15:0] crc, logic [7:0] data);
    logic [15:0] value;
    value = crc ^ {data, 8'd0};
    for (int unsigned n = 0; n < 8; n++) begin
      value = value[15] ? ({value[14:0], 1'b0} ^ 16'h1021) : {value[14:0], 1'b0};
    end
    return value;
  endfunction

endpackage

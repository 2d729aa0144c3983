// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// CVA6's AXI4 port of 64 bits on the local bus of 32 bits: one transaction at a time, writes
// before reads. A beat of more than 32 bits becomes two transfers, the lower half first. A
// transaction is one burst of the local bus.
//
// It serves what CVA6 requests: writes of one beat, and INCR bursts of whole beats or single
// narrow beats, aligned to their size. An address above 32 bits becomes one of the last words,
// where nothing is. unknown_o is high while it takes an atomic access, which it serves as a plain one.
module soc_cva6_bus
  import soc_pkg::*;
#(
  localparam int unsigned IdWidth = 4
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  logic [IdWidth-1:0] s_axi_awid_i,
  input  logic [63:0]        s_axi_awaddr_i,
  input  logic               s_axi_awlock_i,
  input  logic [5:0]         s_axi_awatop_i,
  input  logic               s_axi_awvalid_i,
  output logic               s_axi_awready_o,
  input  logic [63:0]        s_axi_wdata_i,
  input  logic [7:0]         s_axi_wstrb_i,
  input  logic               s_axi_wvalid_i,
  output logic               s_axi_wready_o,
  output logic [IdWidth-1:0] s_axi_bid_o,
  output logic               s_axi_bvalid_o,
  input  logic               s_axi_bready_i,
  input  logic [IdWidth-1:0] s_axi_arid_i,
  input  logic [63:0]        s_axi_araddr_i,
  input  logic [7:0]         s_axi_arlen_i,
  input  logic [2:0]         s_axi_arsize_i,
  input  logic               s_axi_arlock_i,
  input  logic               s_axi_arvalid_i,
  output logic               s_axi_arready_o,
  output logic [IdWidth-1:0] s_axi_rid_o,
  output logic [63:0]        s_axi_rdata_o,
  output logic               s_axi_rlast_o,
  output logic               s_axi_rvalid_o,
  input  logic               s_axi_rready_i,

  output request_t           data_o,
  input  response_t          data_i,
  output logic               unknown_o
);

  localparam logic [2:0]  Doubleword = 3'd3;
  localparam logic [28:0] Nowhere    = '1;

  // The transaction under way.
  typedef struct packed {
    logic               active;
    logic               write;
    logic               wide;      // beats of two transfers
    logic               following; // a transfer has been made
    logic [IdWidth-1:0] id;
    logic [31:0]        address;   // of the next transfer's word
    logic [7:0]         left;      // beats after this one
    logic [63:0]        wdata;
    logic [7:0]         wstrb;
  } transaction_t;

  typedef struct packed {
    logic               valid;
    logic [IdWidth-1:0] id;
    logic [63:0]        data;
    logic               last;
  } answer_t;

  transaction_t transaction_q, transaction_d;
  answer_t      written_q, read_q;
  logic [31:0]  lower_q;
  logic         take_write, take_read, upper, last_half, done;

  assign take_write = !transaction_q.active && s_axi_awvalid_i && s_axi_wvalid_i;
  assign take_read  = !transaction_q.active && s_axi_arvalid_i && !take_write;

  function automatic logic [31:0] word_address(logic [60:0] doubleword, logic second);
    return {(doubleword[60:29] != '0) ? Nowhere : doubleword[28:0], second, 2'b00};
  endfunction

  // A beat's answer needs its place before the beat's last transfer begins.
  assign upper     = transaction_q.address[2];
  assign last_half = !transaction_q.wide || upper;

  always_comb begin
    data_o = '{
      valid:     transaction_q.active &&
                 !(last_half && (transaction_q.write ? written_q.valid : read_q.valid)),
      write:     transaction_q.write,
      following: transaction_q.following,
      address:   transaction_q.address,
      wdata:     upper ? transaction_q.wdata[63:32] : transaction_q.wdata[31:0],
      wstrb:     upper ? transaction_q.wstrb[7:4] : transaction_q.wstrb[3:0]
    };
    done = data_o.valid && data_i.ready;
  end

  always_comb begin
    transaction_d = transaction_q;
    if (take_write) begin
      transaction_d = '{
        active:    1'b1,
        write:     1'b1,
        wide:      (s_axi_wstrb_i[3:0] != '0) && (s_axi_wstrb_i[7:4] != '0),
        following: 1'b0,
        id:        s_axi_awid_i,
        address:   word_address(s_axi_awaddr_i[63:3], s_axi_wstrb_i[3:0] == '0),
        left:      '0,
        wdata:     s_axi_wdata_i,
        wstrb:     s_axi_wstrb_i
      };
    end else if (take_read) begin
      transaction_d = '{
        active:    1'b1,
        write:     1'b0,
        wide:      s_axi_arsize_i == Doubleword,
        following: 1'b0,
        id:        s_axi_arid_i,
        address:   word_address(s_axi_araddr_i[63:3], s_axi_araddr_i[2]),
        left:      s_axi_arlen_i,
        wdata:     '0,
        wstrb:     '0
      };
    end else if (done) begin
      transaction_d.following = 1'b1;
      transaction_d.address   = transaction_q.address + 32'd4;
      if (last_half) begin
        transaction_d.active = transaction_q.left != '0;
        transaction_d.left   = transaction_q.left - 8'd1;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      transaction_q <= '0;
      written_q     <= '0;
      read_q        <= '0;
      lower_q       <= '0;
    end else begin
      transaction_q <= transaction_d;
      if (s_axi_bready_i) written_q.valid <= 1'b0;
      if (s_axi_rready_i) read_q.valid <= 1'b0;
      if (done && !last_half) lower_q <= data_i.rdata;
      if (done && last_half && transaction_q.write) begin
        written_q <= '{valid: 1'b1, id: transaction_q.id, default: '0};
      end
      if (done && last_half && !transaction_q.write) begin
        // A narrow beat's word is in both halves.
        read_q <= '{
          valid: 1'b1,
          id:    transaction_q.id,
          data:  {data_i.rdata, transaction_q.wide ? lower_q : data_i.rdata},
          last:  transaction_q.left == '0
        };
      end
    end
  end

  assign s_axi_awready_o = take_write;
  assign s_axi_wready_o  = take_write;
  assign s_axi_bid_o     = written_q.id;
  assign s_axi_bvalid_o  = written_q.valid;
  assign s_axi_arready_o = take_read;
  assign s_axi_rid_o     = read_q.id;
  assign s_axi_rdata_o   = read_q.data;
  assign s_axi_rlast_o   = read_q.last;
  assign s_axi_rvalid_o  = read_q.valid;

  assign unknown_o = (take_write && (s_axi_awlock_i || (s_axi_awatop_i != '0))) ||
                     (take_read && s_axi_arlock_i);

  logic unused;
  assign unused = ^{s_axi_awaddr_i[2:0], s_axi_araddr_i[1:0], written_q.data, written_q.last};

endmodule

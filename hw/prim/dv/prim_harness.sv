// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// All primitives side by side, so that one build serves all their tests. Each
// has its own ports, named after it; a_clk_i is the clock of what has only one.
module prim_harness #(
  parameter int unsigned SyncStages = 2,
  parameter int unsigned BlockRam   = 0
) (
  input  logic         a_clk_i,
  input  logic         a_rst_ni,
  input  logic         b_clk_i,
  input  logic         b_rst_ni,
  input  logic         clear_i,   // of everything on a_clk_i
  input  logic         b_clear_i, // of the asynchronous FIFO's read side

  output logic         fifo_busy_o,
  input  logic         fifo_valid_i,
  output logic         fifo_ready_o,
  input  logic [63:0]  fifo_data_i,
  output logic         fifo_valid_o,
  input  logic         fifo_ready_i,
  output logic [63:0]  fifo_data_o,

  output logic         cross_busy_o,
  input  logic         cross_valid_i,
  output logic         cross_ready_o,
  input  logic [63:0]  cross_data_i,
  output logic         cross_valid_o,
  input  logic         cross_ready_i,
  output logic [63:0]  cross_data_o,

  input  logic         skid_valid_i,
  output logic         skid_ready_o,
  input  logic [63:0]  skid_data_i,
  output logic         skid_valid_o,
  input  logic         skid_ready_i,
  output logic [63:0]  skid_data_o,

  input  logic         word_valid_i,
  output logic         word_ready_o,
  input  logic [63:0]  word_data_i,
  output logic         word_valid_o,
  input  logic         word_ready_i,
  output logic [63:0]  word_data_o,

  input  logic         pulse_i,
  output logic         pulse_o,
  output logic         synchronised_rst_no,

  // Converters of 32, 64 and 128 bits; data of the narrow ones in the low lanes.
  input  logic [2:0][127:0] gather_tdata_i,
  input  logic [2:0][15:0]  gather_tkeep_i,
  input  logic [2:0]        gather_tlast_i,
  input  logic [2:0]        gather_tvalid_i,
  output logic [2:0]        gather_tready_o,
  output logic [2:0][127:0] gather_block_o,
  output logic [2:0][3:0]   gather_bytes_o,
  output logic [2:0]        gather_last_o,
  output logic [2:0]        gather_malformed_o,
  output logic [2:0]        gather_valid_o,
  input  logic [2:0]        gather_ready_i,

  input  logic [2:0][127:0] spread_block_i,
  input  logic [2:0][3:0]   spread_bytes_i,
  input  logic [2:0]        spread_last_i,
  input  logic [2:0]        spread_valid_i,
  output logic [2:0]        spread_ready_o,
  output logic [2:0][127:0] spread_tdata_o,
  output logic [2:0][15:0]  spread_tkeep_o,
  output logic [2:0]        spread_tlast_o,
  output logic [2:0]        spread_tvalid_o,
  input  logic [2:0]        spread_tready_i,

  // A stream of 32 bits made 128 wide (seen in the middle), then 64.
  input  logic         resize_valid_i,
  output logic         resize_ready_o,
  input  logic [31:0]  resize_data_i,
  input  logic [1:0]   resize_bytes_i,
  input  logic         resize_last_i,
  output logic         middle_valid_o,
  output logic         middle_ready_o,
  output logic [127:0] middle_data_o,
  output logic [3:0]   middle_bytes_o,
  output logic         middle_last_o,
  output logic         resize_valid_o,
  input  logic         resize_ready_i,
  output logic [63:0]  resize_data_o,
  output logic [2:0]   resize_bytes_o,
  output logic         resize_last_o
);

  prim_stream_resize #(
    .InWidth  (32),
    .OutWidth (128)
  ) u_widen (
    .clk_i   (a_clk_i),
    .rst_ni  (a_rst_ni),
    .clear_i (clear_i),
    .valid_i (resize_valid_i),
    .ready_o (resize_ready_o),
    .data_i  (resize_data_i),
    .bytes_i (resize_bytes_i),
    .last_i  (resize_last_i),
    .valid_o (middle_valid_o),
    .ready_i (middle_ready_o),
    .data_o  (middle_data_o),
    .bytes_o (middle_bytes_o),
    .last_o  (middle_last_o)
  );

  prim_stream_resize #(
    .InWidth  (128),
    .OutWidth (64)
  ) u_narrow (
    .clk_i   (a_clk_i),
    .rst_ni  (a_rst_ni),
    .clear_i (clear_i),
    .valid_i (middle_valid_o),
    .ready_o (middle_ready_o),
    .data_i  (middle_data_o),
    .bytes_i (middle_bytes_o),
    .last_i  (middle_last_o),
    .valid_o (resize_valid_o),
    .ready_i (resize_ready_i),
    .data_o  (resize_data_o),
    .bytes_o (resize_bytes_o),
    .last_o  (resize_last_o)
  );

  prim_fifo #(
    .Width    (64),
    .Depth    (5),
    .BlockRam (BlockRam)
  ) u_fifo (
    .clk_i   (a_clk_i),
    .rst_ni  (a_rst_ni),
    .clear_i (clear_i),
    .busy_o  (fifo_busy_o),
    .valid_i (fifo_valid_i),
    .ready_o (fifo_ready_o),
    .data_i  (fifo_data_i),
    .valid_o (fifo_valid_o),
    .ready_i (fifo_ready_i),
    .data_o  (fifo_data_o)
  );

  prim_fifo_async #(
    .Width      (64),
    .Depth      (8),
    .SyncStages (SyncStages),
    .BlockRam   (BlockRam)
  ) u_cross (
    .write_clk_i   (a_clk_i),
    .write_rst_ni  (a_rst_ni),
    .write_clear_i (clear_i),
    .write_busy_o  (cross_busy_o),
    .write_valid_i (cross_valid_i),
    .write_ready_o (cross_ready_o),
    .write_data_i  (cross_data_i),
    .read_clk_i    (b_clk_i),
    .read_rst_ni   (b_rst_ni),
    .read_clear_i  (b_clear_i),
    .read_valid_o  (cross_valid_o),
    .read_ready_i  (cross_ready_i),
    .read_data_o   (cross_data_o)
  );

  prim_skid_buffer #(
    .Width (64)
  ) u_skid (
    .clk_i   (a_clk_i),
    .rst_ni  (a_rst_ni),
    .valid_i (skid_valid_i),
    .ready_o (skid_ready_o),
    .data_i  (skid_data_i),
    .valid_o (skid_valid_o),
    .ready_i (skid_ready_i),
    .data_o  (skid_data_o)
  );

  prim_handshake_crossing #(
    .Width      (64),
    .SyncStages (SyncStages)
  ) u_word (
    .src_clk_i   (a_clk_i),
    .src_rst_ni  (a_rst_ni),
    .src_valid_i (word_valid_i),
    .src_ready_o (word_ready_o),
    .src_data_i  (word_data_i),
    .dst_clk_i   (b_clk_i),
    .dst_rst_ni  (b_rst_ni),
    .dst_valid_o (word_valid_o),
    .dst_ready_i (word_ready_i),
    .dst_data_o  (word_data_o)
  );

  prim_pulse_crossing #(
    .SyncStages (SyncStages)
  ) u_pulse (
    .src_clk_i   (a_clk_i),
    .src_rst_ni  (a_rst_ni),
    .src_pulse_i (pulse_i),
    .dst_clk_i   (b_clk_i),
    .dst_rst_ni  (b_rst_ni),
    .dst_pulse_o (pulse_o)
  );

  prim_reset_synchroniser #(
    .Stages (SyncStages)
  ) u_reset (
    .clk_i  (b_clk_i),
    .rst_ni (a_rst_ni),
    .rst_no (synchronised_rst_no)
  );

  for (genvar n = 0; n < 3; n++) begin : gen_width
    localparam int unsigned StreamWidth = 32 << n;
    localparam int unsigned Lanes = StreamWidth / 8;

    logic [StreamWidth-1:0] tdata;
    logic [Lanes-1:0]       tkeep;

    assign spread_tdata_o[n] = 128'(tdata);
    assign spread_tkeep_o[n] = 16'(tkeep);

    prim_stream_to_blocks #(
      .StreamWidth (StreamWidth)
    ) u_gather (
      .clk_i       (a_clk_i),
      .rst_ni      (a_rst_ni),
      .clear_i     (clear_i),
      .tdata_i     (gather_tdata_i[n][StreamWidth-1:0]),
      .tkeep_i     (gather_tkeep_i[n][Lanes-1:0]),
      .tlast_i     (gather_tlast_i[n]),
      .tvalid_i    (gather_tvalid_i[n]),
      .tready_o    (gather_tready_o[n]),
      .block_o     (gather_block_o[n]),
      .bytes_o     (gather_bytes_o[n]),
      .last_o      (gather_last_o[n]),
      .malformed_o (gather_malformed_o[n]),
      .valid_o     (gather_valid_o[n]),
      .ready_i     (gather_ready_i[n])
    );

    prim_blocks_to_stream #(
      .StreamWidth (StreamWidth)
    ) u_spread (
      .clk_i    (a_clk_i),
      .rst_ni   (a_rst_ni),
      .clear_i  (clear_i),
      .block_i  (spread_block_i[n]),
      .bytes_i  (spread_bytes_i[n]),
      .last_i   (spread_last_i[n]),
      .valid_i  (spread_valid_i[n]),
      .ready_o  (spread_ready_o[n]),
      .tdata_o  (tdata),
      .tkeep_o  (tkeep),
      .tlast_o  (spread_tlast_o[n]),
      .tvalid_o (spread_tvalid_o[n]),
      .tready_i (spread_tready_i[n])
    );
  end

endmodule

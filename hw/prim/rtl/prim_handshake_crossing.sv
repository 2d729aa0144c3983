// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Carries one word at a time from one clock to another, valid and ready on both
// sides. With SyncStages = 2 a word takes about three destination cycles to arrive, and
// the next one is accepted about three source cycles after it was taken: use it for
// registers and commands, not for streams of data. A word stays in its register until the
// next one.
module prim_handshake_crossing #(
  parameter int unsigned Width      = 32,
  parameter int unsigned SyncStages = 2
) (
  input  logic             src_clk_i,
  input  logic             src_rst_ni,
  input  logic             src_valid_i,
  output logic             src_ready_o,
  input  logic [Width-1:0] src_data_i,
  input  logic             dst_clk_i,
  input  logic             dst_rst_ni,
  output logic             dst_valid_o,
  input  logic             dst_ready_i,
  output logic [Width-1:0] dst_data_o
);

  // A request is pending while its toggle differs from that of the acknowledgement. The
  // word is stable from the request to the acknowledgement, so it needs no synchroniser.
  logic             request_q, request_dst;
  logic             acknowledge_q, acknowledge_src;
  logic             open_q;
  logic [Width-1:0] data_q;

  assign src_ready_o = open_q && (request_q == acknowledge_src);

  always_ff @(posedge src_clk_i or negedge src_rst_ni) begin
    if (!src_rst_ni) begin
      open_q    <= 1'b0; // nothing is accepted while in reset
      request_q <= 1'b0;
      data_q    <= '0;
    end else begin
      open_q <= 1'b1;
      if (src_valid_i && src_ready_o) begin
        request_q <= ~request_q;
        data_q    <= src_data_i;
      end
    end
  end

  prim_synchroniser #(
    .Stages (SyncStages)
  ) u_request (
    .clk_i  (dst_clk_i),
    .rst_ni (dst_rst_ni),
    .data_i (request_q),
    .data_o (request_dst)
  );

  prim_synchroniser #(
    .Stages (SyncStages)
  ) u_acknowledge (
    .clk_i  (src_clk_i),
    .rst_ni (src_rst_ni),
    .data_i (acknowledge_q),
    .data_o (acknowledge_src)
  );

  assign dst_valid_o = request_dst != acknowledge_q;
  assign dst_data_o  = data_q;

  always_ff @(posedge dst_clk_i or negedge dst_rst_ni) begin
    if (!dst_rst_ni) begin
      acknowledge_q <= 1'b0;
    end else if (dst_valid_o && dst_ready_i) begin
      acknowledge_q <= ~acknowledge_q;
    end
  end

`ifndef SYNTHESIS
  // Rules for the surrounding logic.
  prim_stream_rules #(
    .Width (Width)
  ) u_rules (
    .clk_i     (src_clk_i),
    .rst_ni    (src_rst_ni),
    .clear_i   (1'b0),
    .valid_i   (src_valid_i),
    .ready_i   (src_ready_o),
    .payload_i (src_data_i)
  );
`endif

endmodule

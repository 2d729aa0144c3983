// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Stages flip-flops in series, two or more, that synchronise slowly changing signals to
// clk_i. Bits are independent: those of one word may arrive a cycle apart, so use it for
// single signals and Gray codes only. Place and route must keep the registers close
// together and must not retime them.
module prim_synchroniser #(
  parameter int unsigned Width = 1,
  parameter logic [Width-1:0] ResetValue = '0,
  parameter int unsigned Stages = 2
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Width-1:0] data_i,
  output logic [Width-1:0] data_o
);

  if (Stages < 2) begin : gen_bad_stages
    $fatal(1, "prim_synchroniser: Stages must be 2 or more");
  end

  (* ASYNC_REG = "TRUE" *) logic [Width-1:0] meta_q;
  (* ASYNC_REG = "TRUE" *) logic [Width-1:0] data_q;
  logic [Width-1:0]                          settled; // what the last stage takes

  if (Stages <= 2) begin : gen_two
    assign settled = meta_q;
  end else begin : gen_more
    (* ASYNC_REG = "TRUE" *) logic [Stages-3:0][Width-1:0] middle_q;

    assign settled = middle_q[Stages-3];

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        middle_q <= {(Stages-2){ResetValue}};
      end else begin
        middle_q <= ((Stages-2) * Width)'({middle_q, meta_q}); // the oldest falls out
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      meta_q <= ResetValue;
      data_q <= ResetValue;
    end else begin
      meta_q <= data_i;
      data_q <= settled;
    end
  end

  assign data_o = data_q;

endmodule

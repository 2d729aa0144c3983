// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Crossings between two clocks, good and bad, and paths from inputs to outputs:
// what test_structure.py expects the checks to find, and nothing else.
module structure_fixture (
  input  logic       a_clk_i,
  input  logic       a_rst_ni,
  input  logic [1:0] a_data_i,
  output logic       a_late_o,
  output logic       a_path_o,
  input  logic       b_clk_i,
  input  logic       b_rst_ni,
  input  logic [1:0] b_address_i,
  output logic       b_good_o,
  output logic       b_decoded_o,
  output logic       b_inverted_o,
  output logic       b_port_o,
  output logic       b_own_o,
  output logic       b_meta_o,
  output logic       b_bare_o,
  output logic       b_reset_o,
  output logic [1:0] b_word_o,
  output logic [1:0] b_memory_o
);

  logic [1:0] state_q;
  logic [1:0] word_q;
  logic [1:0] memory [4];
  logic       bare_q, own_q, reset_q;

  always_ff @(posedge a_clk_i or negedge a_rst_ni) begin
    if (!a_rst_ni) begin
      state_q <= '0;
      word_q  <= '0;
    end else begin
      state_q <= state_q + 1'b1;
      word_q  <= a_data_i;
    end
  end

  always_ff @(posedge a_clk_i) begin
    memory[state_q] <= a_data_i;
  end

  // Good: from a flip-flop; a listed word; a listed memory.
  fixture_synchroniser u_good (
    .clk_i(b_clk_i), .rst_ni(b_rst_ni), .data_i(state_q[1]), .data_o(b_good_o), .meta_o(b_meta_o)
  );
  assign b_word_o   = word_q;
  assign b_memory_o = memory[b_address_i];

  // Bad: a decoded state, an inverted flip-flop, an input of the module.
  fixture_synchroniser u_decoded (
    .clk_i(b_clk_i), .rst_ni(b_rst_ni), .data_i(state_q == 2'd2), .data_o(b_decoded_o), .meta_o()
  );
  fixture_synchroniser u_inverted (
    .clk_i(b_clk_i), .rst_ni(b_rst_ni), .data_i(!state_q[0]), .data_o(b_inverted_o), .meta_o()
  );
  fixture_synchroniser u_port (
    .clk_i(b_clk_i), .rst_ni(b_rst_ni), .data_i(a_data_i[0]), .data_o(b_port_o), .meta_o()
  );

  // Bad: from its own clock; the first flip-flop is used; no synchroniser at all.
  fixture_synchroniser u_own (
    .clk_i(b_clk_i), .rst_ni(b_rst_ni), .data_i(own_q), .data_o(b_own_o), .meta_o()
  );
  always_ff @(posedge b_clk_i or negedge b_rst_ni) begin
    if (!b_rst_ni) begin
      bare_q <= 1'b0;
      own_q  <= 1'b0;
    end else begin
      bare_q <= state_q[0] && own_q;
      own_q  <= !own_q;
    end
  end
  assign b_bare_o = bare_q;

  // Bad: reset by the other clock's reset.
  always_ff @(posedge b_clk_i or negedge a_rst_ni) begin
    if (!a_rst_ni) begin
      reset_q <= 1'b0;
    end else begin
      reset_q <= own_q;
    end
  end
  assign b_reset_o = reset_q;

  // Paths: one combinational, one through a register.
  assign a_path_o = a_data_i[1] && state_q[0];
  assign a_late_o = word_q[0];

endmodule

// Two flip-flops in series, as prim_synchroniser.
module fixture_synchroniser (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic data_i,
  output logic data_o,
  output logic meta_o
);

  (* ASYNC_REG = "TRUE" *) logic meta_q;
  (* ASYNC_REG = "TRUE" *) logic data_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      meta_q <= 1'b0;
      data_q <= 1'b0;
    end else begin
      meta_q <= data_i;
      data_q <= meta_q;
    end
  end

  assign data_o = data_q;
  assign meta_o = meta_q;

endmodule

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// GHASH, a block a cycle. Interface as in ghash.
//
// There is one multiplier with a latency of Stages cycles. A block cannot wait for the
// product of the previous one, so Stages sums run interleaved: each is multiplied by
// H^Stages when its next block comes (Horner's rule in H^Stages), in the cycle in which
// its previous product leaves the pipeline. The last blocks of a message are multiplied
// by H^Stages down to H, and their products are added to the hash while the pipeline
// drains; then the next message enters. So n blocks take n + Stages - 1 cycles.
//
// The powers of a new key are computed by hashing: the hash of H is H^2, that of H^2 is
// H^3. Registers with key or data have a synchronous clear instead of a reset; it is
// active with zeroise_i and in the first cycle after reset.
module ghash_parallel
  import ghash_pkg::element_t;
  import ghash_pkg::swap_bits;
#(
  parameter int unsigned Stages = 1
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic         key_valid_i,
  output logic         key_ready_o,
  input  logic [127:0] key_i,

  input  logic         block_valid_i,
  output logic         block_ready_o,
  input  logic [127:0] block_i,
  input  logic         block_last_i,

  output logic         hash_valid_o,
  input  logic         hash_ready_i,
  output logic [127:0] hash_o,

  input  logic         drop_i,
  input  logic         zeroise_i,
  output logic         busy_o,
  output logic         idle_o
);

  // Width of the count of cycles in which the pipeline drains.
  localparam int unsigned DrainWidth = $clog2(Stages + 1);

  logic                  clear, flush, key_taken, keyed_q, open_q;
  logic [DrainWidth-1:0] drain_q;      // cycles until the pipeline is empty
  logic                  building_q;   // powers of the key are being computed,
  logic [Stages-1:0]     power_next_q; // next H^(n+1) where bit n is set

  assign clear = zeroise_i || busy_o;
  // While powers are computed there is no message to drop.
  assign flush = clear || (drop_i && !building_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) busy_o <= 1'b1;
    else busy_o <= zeroise_i;
  end

  // ------------------------------------------------------------ what comes in

  logic window_empty, window_ready, accept;

  assign key_ready_o   = !clear && !drop_i && !building_q && !open_q && window_empty &&
                         (drain_q == '0);
  assign key_taken     = key_valid_i && key_ready_o;
  // A waiting key is taken before the next message.
  assign block_ready_o = !clear && !drop_i && !building_q && keyed_q && window_ready &&
                         (open_q || !key_valid_i);
  assign accept        = block_valid_i && block_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      keyed_q <= 1'b0;
      open_q  <= 1'b0;
    end else begin
      if (clear) keyed_q <= 1'b0;
      else if (key_taken) keyed_q <= 1'b1;
      if (flush) open_q <= 1'b0;
      else if (accept) open_q <= !block_last_i;
    end
  end

  // ------------------------------------------------------------ the multiplier

  logic                  front_valid, front_ready, front_last, enter, finish, advance, room;
  logic [Stages-1:0]     power_select;
  element_t              front_data, power, product, sum, sum_q;
  element_t [Stages-1:0] power_q;

  assign enter = front_valid && front_ready;
  assign room  = building_q || !hash_valid_o || hash_ready_i;

  if (Stages == 1) begin : gen_one_stage
    assign front_valid  = block_valid_i && block_ready_o;
    assign front_ready  = 1'b1;
    assign front_data   = swap_bits(block_i);
    assign front_last   = block_last_i;
    assign power_select = 1'b1;
    assign window_empty = 1'b1;
    assign window_ready = room || !block_last_i;
    assign finish       = enter && front_last;
    assign advance      = enter;
  end else begin : gen_stages
    assign front_ready = (drain_q == '0);
    assign finish      = (drain_q == DrainWidth'(1)) && room;
    assign advance     = enter || (drain_q > DrainWidth'(1)) || finish;

    ghash_window #(
      .Depth (Stages - 1)
    ) u_window (
      .clk_i      (clk_i),
      .rst_ni     (rst_ni),
      .clear_i    (flush),
      .set_i      (key_taken || (finish && building_q && !power_next_q[Stages-1])),
      .set_data_i (key_taken ? swap_bits(key_i) : sum),
      .valid_i    (accept),
      .ready_o    (window_ready),
      .data_i     (swap_bits(block_i)),
      .last_i     (block_last_i),
      .valid_o    (front_valid),
      .ready_i    (front_ready),
      .data_o     (front_data),
      .last_o     (front_last),
      .power_o    (power_select),
      .empty_o    (window_empty)
    );
  end

  always_comb begin
    power = '0;
    for (int unsigned n = 0; n < Stages; n++) begin
      power = power | (power_select[n] ? power_q[n] : '0);
    end
  end

  ghash_multiplier #(
    .Stages (Stages)
  ) u_multiplier (
    .clk_i     (clk_i),
    .clear_i   (flush),
    .advance_i (advance),
    .bubble_i  (!enter),
    .a_i       (front_data ^ sum_q),
    .b_i       (power),
    .product_o (product)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      drain_q <= '0;
    end else begin
      if (flush) drain_q <= '0;
      else if (enter && front_last) drain_q <= DrainWidth'(Stages - 1);
      else if (advance && drain_q != '0) drain_q <= drain_q - DrainWidth'(1);
    end
  end

  // The latest product, to which the next block of its interleaved sum is added; while the
  // pipeline drains, the sum of the products since the end of the message. It is zero
  // before a message.
  assign sum = product ^ ((drain_q == '0) ? '0 : sum_q);

  always_ff @(posedge clk_i) begin
    if (flush || finish) begin
      sum_q <= '0;
    end else if (advance) begin
      sum_q <= sum;
    end
  end

  // ------------------------------------------------------------ powers of the key

  if (Stages == 1) begin : gen_one_power
    assign building_q   = 1'b0;
    assign power_next_q = '0;

    always_ff @(posedge clk_i) begin
      if (clear) power_q <= '0;
      else if (key_taken) power_q <= swap_bits(key_i);
    end

    logic unused;
    assign unused = ^power_next_q;
  end else begin : gen_powers
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        building_q   <= 1'b0;
        power_next_q <= '0;
      end else if (clear) begin
        building_q   <= 1'b0;
        power_next_q <= '0;
      end else if (key_taken) begin
        building_q   <= 1'b1;
        power_next_q <= Stages'(2);
      end else if (finish && building_q) begin
        building_q   <= !power_next_q[Stages-1];
        power_next_q <= power_next_q << 1;
      end
    end

    for (genvar n = 0; n < Stages; n++) begin : gen_power
      always_ff @(posedge clk_i) begin
        if (clear) power_q[n] <= '0;
        else if (key_taken && n == 0) power_q[n] <= swap_bits(key_i);
        else if (finish && power_next_q[n]) power_q[n] <= sum;
      end
    end
  end

  // ------------------------------------------------------------ what goes out

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      hash_valid_o <= 1'b0;
    end else begin
      if (clear || drop_i) hash_valid_o <= 1'b0;
      else if (finish && !building_q) hash_valid_o <= 1'b1;
      else if (hash_ready_i) hash_valid_o <= 1'b0;
    end
  end

  // Zero while it is empty.
  always_ff @(posedge clk_i) begin
    if (clear || drop_i) hash_o <= '0;
    else if (finish && !building_q) hash_o <= swap_bits(sum);
    else if (hash_ready_i) hash_o <= '0;
  end

  assign idle_o = !open_q && window_empty && (drain_q == '0) && !building_q && !hash_valid_o;

endmodule

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Moderation of a ring's interrupt. Completions count from the last interrupt, or from the
// last acknowledgement if that is later: at so many of them, or so many cycles after the first
// one, interrupt_o is high for a cycle. A completion that asks for it does not wait, nor does
// an error. While enable_i is low nothing is given; when it rises, everything that has not
// been acknowledged counts as if it came in that cycle.
module card_interrupt (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        clear_i,        // the counts begin with zero

  input  logic        enable_i,
  input  logic [15:0] messages_i,
  input  logic [31:0] cycles_i,
  input  logic        acknowledge_i,  // high for a cycle when it is written
  input  logic [31:0] acknowledged_i, // completions that the host has seen
  input  logic [31:0] completed_i,
  input  logic        completed_pulse_i, // completed_i counts one more from the next cycle on
  input  logic        notify_i,
  input  logic        error_set_i,    // an error stands

  output logic        interrupt_o
);

  logic        enable_q, urgent_q, error_q, error_set_q;
  logic [31:0] base_q;    // completions up to which no interrupt is due
  logic [31:0] timer_q;   // cycles since the first completion beyond
  logic [31:0] fresh, ahead;
  logic        due, rises;

  assign fresh = completed_i - base_q;
  assign ahead = acknowledged_i - base_q;
  assign rises = enable_i && !enable_q;
  assign due   = enable_i && enable_q &&
                 (error_q ||
                  (fresh != '0 && (urgent_q || fresh >= 32'(messages_i) ||
                                   (cycles_i != '0 && timer_q >= cycles_i))));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      enable_q    <= 1'b0;
      urgent_q    <= 1'b0;
      error_q     <= 1'b0;
      error_set_q <= 1'b0;
      base_q      <= '0;
      timer_q     <= '0;
      interrupt_o <= 1'b0;
    end else begin
      enable_q    <= enable_i;
      interrupt_o <= due;
      error_set_q <= error_set_i;
      error_q     <= ((error_q && !due) || !error_set_q || rises) && error_set_i;
      urgent_q    <= (urgent_q && !due) || (completed_pulse_i && notify_i);
      timer_q     <= (fresh == '0 || due) ? '0 : (timer_q == '1) ? timer_q : timer_q + 32'd1;
      if (due) begin
        base_q <= completed_i;
      end else if (rises) begin
        base_q  <= acknowledged_i;
        timer_q <= '0;
      end else if (acknowledge_i && ahead != '0 && ahead <= fresh) begin
        base_q  <= acknowledged_i;
        timer_q <= '0;
        if (acknowledged_i == completed_i) begin
          urgent_q <= completed_pulse_i && notify_i;
        end
      end
      if (clear_i) begin
        base_q   <= '0;
        timer_q  <= '0;
        urgent_q <= 1'b0;
      end
    end
  end

endmodule

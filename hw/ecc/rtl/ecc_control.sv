// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Fetches instructions and issues them, one a cycle at most and in their order.
//
// An instruction waits until no multiplication that was issued before it will still write a
// register that it names. No wait and no step depends on operands, but where an instruction
// branches on a flag or names a register by a digit; programs do so for public values, and
// to refuse operands.
//
// start_i begins an operation. ended_o is high in the cycle in which a program ends, with
// its status.
module ecc_control
  import ecc_pkg::*;
  import ecc_program_pkg::*;
#(
  parameter int unsigned WordBits = 136,
  localparam int unsigned Parts = RowBits / WordBits,
  localparam int unsigned Words = LongestRows * Parts,
  localparam int unsigned WordWidth = $clog2(Words + 1),
  localparam int unsigned BitWidth = $clog2(WordBits)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 clear_i,
  input  logic                 start_i,
  input  operation_e           operation_i,
  input  curve_e               curve_i,
  output logic                 ended_o,
  output status_e              status_o,

  output logic                 issue_o,
  input  logic                 ready_i,
  output instruction_t         command_o,
  output logic [WordWidth-1:0] bit_word_o,
  output logic [BitWidth-1:0]  bit_index_o,
  output logic                 bit_there_o,
  input  logic                 busy_i,
  input  logic                 writes_i,
  input  flags_t               flags_i,

  input  logic                 begin_i, // of the multiplier, as the following ones
  input  logic                 last_i,
  input  logic                 loadable_i,
  input  logic                 readable_i,
  input  logic                 idle_i,
  input  logic                 write_i,
  output logic [5:0]           product_register_o, // that the multiplier's words go to

  output logic                 receive_o,
  output logic                 send_o,
  output logic [5:0]           transfer_register_o,
  input  logic                 transfer_done_i
);

  localparam int unsigned CountsOfACurve = 6;
  localparam int unsigned StartsOfACurve = 3;

  typedef enum logic [1:0] {
    StateIdle,
    StateRun,
    StateTransfer // operands come in, or results go out
  } state_e;

  state_e             state_q, state_d;
  logic [9:0]         pc_q, pc_d;
  logic [9:0]         stack_q[3], stack_d[3];
  logic [7:0]         counter_q[2], counter_d[2];
  logic signed [10:0] window_q, window_d, comb_q, comb_d; // numbers of the next bits to read
  instruction_t       instruction;
  logic [9:0]         target;

  assign instruction = instruction_t'(Program[pc_q[8:0]]);
  assign target      = {instruction.b[2:0], instruction.modifier};

  // ------------------------------------------------------------ products on their way

  // A multiplication waits for its turn, runs, and its last words leave.
  logic       next_q, running_q;
  logic [5:0] next_register_q, running_register_q, leaving_register_q;
  logic       multiply;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      next_q             <= 1'b0;
      running_q          <= 1'b0;
      next_register_q    <= '0;
      running_register_q <= '0;
      leaving_register_q <= '0;
    end else if (clear_i) begin
      next_q             <= 1'b0;
      running_q          <= 1'b0;
      next_register_q    <= '0;
      running_register_q <= '0;
      leaving_register_q <= '0;
    end else begin
      if (multiply) begin
        next_q          <= 1'b1;
        next_register_q <= instruction.d[5:0];
      end else if (begin_i) begin
        next_q <= 1'b0;
      end
      if (begin_i) begin
        running_q          <= 1'b1;
        running_register_q <= next_register_q;
      end else if (last_i) begin
        running_q <= 1'b0;
      end
      if (!write_i) leaving_register_q <= running_register_q;
    end
  end

  assign product_register_o = leaving_register_q;

  function automatic logic pending(input logic [6:0] register);
    return (next_q && register == {1'b0, next_register_q}) ||
           (running_q && !readable_i && register == {1'b0, running_register_q});
  endfunction

  logic waits, quiet, indexed, bit_waits;

  assign waits   = pending(instruction.d) || pending(instruction.a) || pending(command_o.b);
  assign quiet   = !busy_i && !writes_i && idle_i && !next_q && !running_q;
  assign indexed = instruction.modifier[6:5] != 2'd0;
  // A bit is read anywhere in a register, so all of the register must be there.
  assign bit_waits = writes_i ||
      (!(idle_i && !next_q) && (instruction.b == {1'b0, next_register_q} ||
                                instruction.b == {1'b0, running_register_q}));

  // ------------------------------------------------------------ bits of scalars

  logic signed [10:0] bit_number;
  logic [9:0]         step_columns;

  assign step_columns = 10'(Columns[curve_i]);
  assign bit_number   = instruction.modifier[1] ? comb_q : window_q;
  assign bit_there_o  = !bit_number[10];

  always_comb begin
    bit_word_o  = '0;
    bit_index_o = BitWidth'(bit_number);
    for (int unsigned n = 1; n < Words; n++) begin
      if (!bit_number[10] && bit_number[9:0] >= 10'(n * WordBits)) begin
        bit_word_o  = WordWidth'(n);
        bit_index_o = BitWidth'(bit_number[9:0] - 10'(n * WordBits));
      end
    end
    if (bit_number[10]) bit_index_o = '0;
  end

  // ------------------------------------------------------------ instructions

  always_comb begin
    command_o = instruction;
    if (instruction.opcode == OpcodeAdd && indexed) begin
      command_o.b = instruction.b + (instruction.modifier[5] ? 7'(flags_i.digit[3:0])
                                                             : 7'(magnitude(flags_i.digit)));
    end
  end

  logic done; // the instruction leaves

  always_comb begin
    state_d   = state_q;
    pc_d      = pc_q;
    stack_d   = stack_q;
    counter_d = counter_q;
    window_d  = window_q;
    comb_d    = comb_q;
    issue_o   = 1'b0;
    multiply  = 1'b0;
    receive_o = 1'b0;
    send_o    = 1'b0;
    ended_o   = 1'b0;
    done      = 1'b0;
    unique case (state_q)
      StateIdle: begin
        if (start_i) begin
          state_d = StateRun;
          pc_d    = Entries[operation_i];
        end
      end
      StateRun: begin
        unique case (instruction.opcode)
          OpcodeAdd: begin
            issue_o = ready_i && !waits && !(indexed && busy_i);
            done    = issue_o;
          end
          OpcodeSubtract, OpcodeSelect: begin
            issue_o = ready_i && !waits;
            done    = issue_o;
          end
          OpcodeMultiply: begin
            issue_o  = ready_i && !waits && !next_q && (!running_q || loadable_i);
            multiply = issue_o;
            done     = issue_o;
          end
          OpcodeModulus: begin
            issue_o = quiet;
            done    = issue_o;
          end
          OpcodeBit: begin
            issue_o = ready_i && !bit_waits;
            done    = issue_o;
            if (issue_o) begin
              unique case (instruction.modifier[1:0])
                2'd0:    window_d = window_q;
                2'd1:    window_d = window_q - 11'sd1;
                2'd2:    comb_d = comb_q - $signed({1'b0, step_columns});
                default: comb_d = comb_q + $signed({1'b0, 10'(step_columns * 10'd3)}) - 11'sd1;
              endcase
            end
          end
          OpcodeInput, OpcodeOutput: begin
            if (quiet) begin
              state_d   = StateTransfer;
              receive_o = instruction.opcode == OpcodeInput;
              send_o    = instruction.opcode == OpcodeOutput;
            end
          end
          OpcodeCount: begin
            counter_d[instruction.d[0]] = Counts[5'(curve_i) * 5'(CountsOfACurve) + 5'(target)];
            done                        = 1'b1;
          end
          OpcodeStart: begin
            if (target == 10'd2) begin
              comb_d = $signed({1'b0, Starts[4'(curve_i) * 4'(StartsOfACurve) + 4'(target)]});
            end else begin
              window_d = $signed({1'b0, Starts[4'(curve_i) * 4'(StartsOfACurve) + 4'(target)]});
            end
            done = 1'b1;
          end
          OpcodeLoop: begin
            counter_d[instruction.d[0]] = counter_q[instruction.d[0]] - 8'd1;
            done                        = 1'b1;
          end
          OpcodeCall: begin
            stack_d = '{pc_q + 10'd1, stack_q[0], stack_q[1]};
            done    = 1'b1;
          end
          OpcodeReturn: begin
            stack_d = '{stack_q[1], stack_q[2], 10'd0};
            done    = 1'b1;
          end
          OpcodeBranch: done = !busy_i;
          OpcodeEnd: begin
            ended_o = quiet;
            if (quiet) state_d = StateIdle;
          end
          default: done = 1'b1;
        endcase
        if (done) begin
          pc_d = pc_q + 10'd1;
          unique case (instruction.opcode)
            OpcodeLoop:   if (counter_q[instruction.d[0]] != 8'd1) pc_d = target;
            OpcodeCall:   pc_d = target;
            OpcodeReturn: pc_d = stack_q[0];
            OpcodeBranch: if (holds({2'd0, instruction.d[3:0]}, flags_i)) pc_d = target;
            default:      pc_d = pc_q + 10'd1;
          endcase
        end
      end
      StateTransfer: begin
        if (transfer_done_i) begin
          state_d = StateRun;
          pc_d    = pc_q + 10'd1;
        end
      end
      default: state_d = StateIdle;
    endcase
  end

  assign transfer_register_o = (instruction.opcode == OpcodeInput) ? instruction.d[5:0]
                                                                   : instruction.b[5:0];
  assign status_o            = status_e'(target[3:0]);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= StateIdle;
      pc_q      <= '0;
      stack_q   <= '{default: '0};
      counter_q <= '{default: '0};
      window_q  <= '0;
      comb_q    <= '0;
    end else if (clear_i) begin
      state_q   <= StateIdle;
      pc_q      <= '0;
      stack_q   <= '{default: '0};
      counter_q <= '{default: '0};
      window_q  <= '0;
      comb_q    <= '0;
    end else begin
      state_q   <= state_d;
      pc_q      <= pc_d;
      stack_q   <= stack_d;
      counter_q <= counter_d;
      window_q  <= window_d;
      comb_q    <= comb_d;
    end
  end

endmodule

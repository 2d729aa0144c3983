// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// A serial line to registers (AXI4-Lite) and to two streams of 32 bits. A request frame reads a
// register, writes registers, pushes bytes into the stream of the input, or takes bytes of the
// output; each is answered with a reply frame, also one that is damaged or refused. The README
// describes the frames.
//
// One request is executed at a time, and bytes that come meanwhile are ignored. Every wait is
// bounded by StallCycles. What a request has offered to a bus is held until it is taken, also
// after its reply. When a reply has been sent, every byte of the frame is overwritten.
module uart_bridge #(
  parameter int unsigned ClocksPerBit  = 25,      // 8 to 65,535
  parameter int unsigned AddressWidth  = 8,       // of the registers, 3 to 15
  parameter int unsigned StallCycles   = 4096,    // 16 to 65,535
  parameter int unsigned TimeoutCycles = 1 << 22  // between two bytes of a frame
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    rx_i,
  output logic                    tx_o,
  output logic                    active_o, // a request is executed

  output logic [AddressWidth-1:0] m_axil_awaddr_o,
  output logic [2:0]              m_axil_awprot_o,
  output logic                    m_axil_awvalid_o,
  input  logic                    m_axil_awready_i,
  output logic [31:0]             m_axil_wdata_o,
  output logic [3:0]              m_axil_wstrb_o,
  output logic                    m_axil_wvalid_o,
  input  logic                    m_axil_wready_i,
  input  logic [1:0]              m_axil_bresp_i,
  input  logic                    m_axil_bvalid_i,
  output logic                    m_axil_bready_o,
  output logic [AddressWidth-1:0] m_axil_araddr_o,
  output logic [2:0]              m_axil_arprot_o,
  output logic                    m_axil_arvalid_o,
  input  logic                    m_axil_arready_i,
  input  logic [31:0]             m_axil_rdata_i,
  input  logic [1:0]              m_axil_rresp_i,
  input  logic                    m_axil_rvalid_i,
  output logic                    m_axil_rready_o,

  output logic [31:0]             m_axis_tdata_o,
  output logic [3:0]              m_axis_tkeep_o,
  output logic                    m_axis_tlast_o,
  output logic                    m_axis_tvalid_o,
  input  logic                    m_axis_tready_i,
  input  logic [31:0]             s_axis_tdata_i,
  input  logic [3:0]              s_axis_tkeep_i,
  input  logic                    s_axis_tlast_i,
  input  logic                    s_axis_tvalid_i,
  output logic                    s_axis_tready_o
);

  if (AddressWidth < 3 || AddressWidth > 15) begin : gen_bad_address
    $fatal(1, "uart_bridge: AddressWidth must be 3 to 15");
  end
  if (StallCycles < 16 || StallCycles > 65535) begin : gen_bad_stall
    $fatal(1, "uart_bridge: StallCycles must be 16 to 65535");
  end

  localparam logic [15:0] Stall = 16'(StallCycles);

  typedef enum logic [3:0] {
    StateWait,
    StateGather, // the payload into argument_q
    StateCheck,
    StateAccess, // waits for the registers' answer
    StateStore,  // word_q into the buffer
    StatePush,
    StateTake,
    StateKeep,   // a beat of the output into the buffer
    StateReply
  } state_e;

  state_e            state_d, state_q;
  uart_pkg::status_e status_d, status_q;
  logic [7:0]        length_d, length_q;     // of the reply's payload
  logic [7:0]        index_d, index_q;       // in the buffer
  logic [7:0]        accepted_d, accepted_q; // bytes that the stream has been given
  logic [15:0]       stall_d, stall_q;
  logic [47:0]       argument_d, argument_q;
  logic [31:0]       word_d, word_q;         // a register, or a beat of either stream
  logic [3:0]        keep_d, keep_q;
  logic              last_d, last_q;
  logic              stalled;

  // ------------------------------------------------------------ the line

  logic              rx_valid, rx_bad, tx_valid, tx_ready;
  logic [7:0]        rx_data, tx_data;
  logic              frame_write, request_valid, sent;
  logic [7:0]        frame_address, frame_data;
  logic [7:0]        request_sequence, request_operation, request_length;
  logic [7:0]        send_address, buffer_data;
  uart_pkg::status_e fault;

  uart_receiver #(
    .ClocksPerBit (ClocksPerBit)
  ) u_receiver (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .rx_i    (rx_i),
    .valid_o (rx_valid),
    .data_o  (rx_data),
    .bad_o   (rx_bad)
  );

  uart_frame_receiver #(
    .TimeoutCycles (TimeoutCycles)
  ) u_frame_receiver (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .enable_i        (state_q == StateWait),
    .byte_valid_i    (rx_valid),
    .byte_i          (rx_data),
    .byte_bad_i      (rx_bad),
    .write_o         (frame_write),
    .write_address_o (frame_address),
    .write_data_o    (frame_data),
    .request_valid_o (request_valid),
    .fault_o         (fault),
    .sequence_o      (request_sequence),
    .operation_o     (request_operation),
    .length_o        (request_length)
  );

  uart_frame_sender u_frame_sender (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .start_i        (state_d == StateReply && state_q != StateReply),
    .done_o         (sent),
    .sequence_i     (request_sequence),
    .status_i       (status_q),
    .length_i       (length_q),
    .read_address_o (send_address),
    .read_data_i    (buffer_data),
    .byte_valid_o   (tx_valid),
    .byte_ready_i   (tx_ready),
    .byte_o         (tx_data)
  );

  uart_transmitter #(
    .ClocksPerBit (ClocksPerBit)
  ) u_transmitter (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .valid_i (tx_valid),
    .ready_o (tx_ready),
    .data_i  (tx_data),
    .tx_o    (tx_o)
  );

  // ------------------------------------------------------------ the buffer

  // It is swept after each reply, and has been before the next payload: that comes four bytes
  // of at least 80 cycles later.
  logic [7:0] memory [256];
  logic       sweep_busy, sweep_write, store;
  logic [7:0] sweep_address, write_address, write_data;

  prim_sweep #(
    .Depth (256)
  ) u_sweep (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .start_i   (sent),
    .busy_o    (sweep_busy),
    .write_o   (sweep_write),
    .address_o (sweep_address)
  );

  logic unused_sweep;
  assign unused_sweep = sweep_busy;

  assign buffer_data = memory[(state_q == StateReply) ? send_address : index_q];

  always_comb begin
    write_address = index_q;
    write_data    = word_q[7:0];
    if (sweep_write) begin
      write_address = sweep_address;
      write_data    = '0;
    end else if (frame_write) begin
      write_address = frame_address;
      write_data    = frame_data;
    end
  end

  always_ff @(posedge clk_i) begin
    if (sweep_write || frame_write || store) memory[write_address] <= write_data;
  end

  // ------------------------------------------------------------ the registers' bus

  logic                    write_start, read_start;
  logic                    aw_valid_q, w_valid_q, ar_valid_q, pending_q, answered;
  logic [AddressWidth-1:0] address_q;
  logic [31:0]             wdata_q;

  assign answered = m_axil_bvalid_i || m_axil_rvalid_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      aw_valid_q <= 1'b0;
      w_valid_q  <= 1'b0;
      ar_valid_q <= 1'b0;
      pending_q  <= 1'b0;
      address_q  <= '0;
      wdata_q    <= '0;
    end else if (write_start || read_start) begin
      aw_valid_q <= write_start;
      w_valid_q  <= write_start;
      ar_valid_q <= read_start;
      pending_q  <= 1'b1;
      address_q  <= argument_q[AddressWidth-1:0];
      wdata_q    <= argument_q[47:16];
    end else begin
      if (m_axil_awready_i) aw_valid_q <= 1'b0;
      if (m_axil_arready_i) ar_valid_q <= 1'b0;
      if (m_axil_wready_i)  w_valid_q  <= 1'b0;
      if (m_axil_wready_i)  wdata_q    <= '0;
      if (answered)         pending_q  <= 1'b0;
    end
  end

  assign m_axil_awaddr_o  = address_q;
  assign m_axil_awprot_o  = '0;
  assign m_axil_awvalid_o = aw_valid_q;
  assign m_axil_wdata_o   = wdata_q;
  assign m_axil_wstrb_o   = '1;
  assign m_axil_wvalid_o  = w_valid_q;
  assign m_axil_bready_o  = 1'b1;
  assign m_axil_araddr_o  = address_q;
  assign m_axil_arprot_o  = '0;
  assign m_axil_arvalid_o = ar_valid_q;
  assign m_axil_rready_o  = 1'b1;

  // ------------------------------------------------------------ the input's stream

  logic        offer;
  logic        push_valid_q, push_last_q;
  logic [3:0]  push_keep_q;
  logic [31:0] push_data_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      push_valid_q <= 1'b0;
      push_last_q  <= 1'b0;
      push_keep_q  <= '0;
      push_data_q  <= '0;
    end else if (offer) begin
      push_valid_q <= 1'b1;
      push_last_q  <= last_q;
      push_keep_q  <= keep_q;
      push_data_q  <= word_q;
    end else if (m_axis_tready_i) begin
      push_valid_q <= 1'b0;
      push_last_q  <= 1'b0;
      push_keep_q  <= '0;
      push_data_q  <= '0;
    end
  end

  assign m_axis_tdata_o  = push_data_q;
  assign m_axis_tkeep_o  = push_keep_q;
  assign m_axis_tlast_o  = push_last_q;
  assign m_axis_tvalid_o = push_valid_q;
  assign s_axis_tready_o = state_q == StateTake;

  // ------------------------------------------------------------ requests

  logic [7:0] take_bytes;
  logic [2:0] argument_place;
  logic       address_fits, full;

  // An address, and one word after the other.
  assign argument_place = (index_q < 8'd2) ? index_q[2:0] :
                          {1'b0, index_q[1:0] ^ 2'b10} + 3'd2;
  assign take_bytes   = argument_q[7:0];
  assign address_fits = argument_q[15:AddressWidth] == '0 && argument_q[1:0] == '0;
  assign stalled      = stall_q == Stall;
  assign full         = keep_q[3] || last_q;
  assign active_o     = state_q != StateWait;

  always_comb begin
    state_d     = state_q;
    status_d    = status_q;
    length_d    = length_q;
    index_d     = index_q;
    accepted_d  = accepted_q;
    stall_d     = stalled ? stall_q : stall_q + 16'd1;
    argument_d  = argument_q;
    word_d      = word_q;
    keep_d      = keep_q;
    last_d      = last_q;
    store       = 1'b0;
    write_start = 1'b0;
    read_start  = 1'b0;
    offer       = 1'b0;
    unique case (state_q)
      StateWait: begin
        status_d   = fault;
        length_d   = '0;
        index_d    = '0;
        accepted_d = '0;
        stall_d    = '0;
        argument_d = '0;
        word_d     = '0;
        keep_d     = '0;
        last_d     = 1'b0;
        if (request_valid && fault != uart_pkg::StatusDone) begin
          state_d = StateReply;
        end else if (request_valid) begin
          state_d  = StateReply;
          status_d = uart_pkg::StatusLength;
          case (request_operation)
            uart_pkg::OperationIdentify: begin
              if (request_length == 8'd0) begin
                state_d  = StateStore;
                status_d = uart_pkg::StatusDone;
                length_d = 8'd4;
                word_d   = {8'd4, 8'(AddressWidth), uart_pkg::MaxBytes, uart_pkg::Version};
              end
            end
            uart_pkg::OperationRead:  if (request_length == 8'd2) state_d = StateGather;
            uart_pkg::OperationWrite: begin
              if (request_length >= 8'd6 && request_length[1:0] == 2'd2) state_d = StateGather;
            end
            uart_pkg::OperationTake:  if (request_length == 8'd1) state_d = StateGather;
            uart_pkg::OperationPush: begin
              if (request_length != '0 && request_length[1:0] == '0) state_d = StatePush;
            end
            uart_pkg::OperationPushLast: if (request_length != '0) state_d = StatePush;
            default: status_d = uart_pkg::StatusOperation;
          endcase
        end
      end

      StateGather: begin
        argument_d[8 * argument_place +: 8] = buffer_data;
        index_d = index_q + 8'd1;
        if (index_d == request_length || argument_place == 3'd5) state_d = StateCheck;
      end

      StateCheck: begin
        if (request_operation == uart_pkg::OperationTake) begin
          index_d  = '0;
          stall_d  = '0;
          status_d = uart_pkg::StatusDone;
          state_d  = StateTake;
          if (take_bytes == '0 || take_bytes[1:0] != '0 || take_bytes > uart_pkg::MaxBytes) begin
            status_d = uart_pkg::StatusLength;
            state_d  = StateReply;
          end
        end else if (!address_fits) begin
          status_d = uart_pkg::StatusAddress;
          state_d  = StateReply;
        end else if (!pending_q) begin
          write_start = request_operation == uart_pkg::OperationWrite;
          read_start  = request_operation == uart_pkg::OperationRead;
          stall_d     = '0;
          state_d     = StateAccess;
        end else if (stalled) begin // an access of before still waits
          status_d = uart_pkg::StatusStalled;
          state_d  = StateReply;
        end
      end

      StateAccess: begin
        status_d = uart_pkg::StatusDone;
        if (m_axil_bvalid_i && m_axil_bresp_i != '0) begin
          status_d = uart_pkg::StatusBus;
          state_d  = StateReply;
        end else if (m_axil_bvalid_i) begin
          argument_d[15:0] = argument_q[15:0] + 16'd4;
          state_d          = (index_q == request_length) ? StateReply : StateGather;
        end else if (m_axil_rvalid_i && m_axil_rresp_i != '0) begin
          status_d = uart_pkg::StatusBus;
          state_d  = StateReply;
        end else if (m_axil_rvalid_i) begin
          word_d   = m_axil_rdata_i;
          length_d = 8'd4;
          index_d  = '0;
          state_d  = StateStore;
        end else if (stalled) begin
          status_d = uart_pkg::StatusStalled;
          state_d  = StateReply;
        end
      end

      StateStore: begin
        store   = 1'b1;
        word_d  = {8'd0, word_q[31:8]};
        index_d = index_q + 8'd1;
        if (index_d == length_q) state_d = StateReply;
      end

      StatePush: begin
        status_d = uart_pkg::StatusDone;
        if (!full) begin
          word_d[8 * index_q[1:0] +: 8] = buffer_data;
          keep_d[index_q[1:0]] = 1'b1;
          index_d = index_q + 8'd1;
          last_d  = request_operation == uart_pkg::OperationPushLast && index_d == request_length;
        end else if (!push_valid_q || m_axis_tready_i) begin
          offer      = 1'b1;
          accepted_d = index_q;
          stall_d    = '0;
          word_d     = '0;
          keep_d     = '0;
          last_d     = 1'b0;
        end
        if ((offer && index_q == request_length) || (full && stalled && !offer)) begin
          if (!offer) status_d = uart_pkg::StatusStalled;
          word_d   = {24'd0, accepted_d};
          length_d = 8'd1;
          index_d  = '0;
          state_d  = StateStore;
        end
      end

      StateTake: begin
        if (s_axis_tvalid_i) begin
          word_d  = s_axis_tdata_i;
          keep_d  = s_axis_tkeep_i;
          last_d  = s_axis_tlast_i;
          state_d = StateKeep;
        end else if (stalled) begin
          state_d = StateReply;
        end
      end

      StateKeep: begin
        stall_d = '0;
        store   = keep_q[0];
        word_d  = {8'd0, word_q[31:8]};
        keep_d  = {1'b0, keep_q[3:1]};
        if (keep_q[0]) begin
          index_d  = index_q + 8'd1;
          length_d = index_d;
        end
        if (keep_d == '0) begin
          if (last_q) status_d = uart_pkg::StatusLast;
          state_d = (last_q || index_d == take_bytes) ? StateReply : StateTake;
        end
      end

      StateReply: if (sent) state_d = StateWait;

      default: state_d = StateWait;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q    <= StateWait;
      status_q   <= uart_pkg::StatusDone;
      length_q   <= '0;
      index_q    <= '0;
      accepted_q <= '0;
      stall_q    <= '0;
      argument_q <= '0;
      word_q     <= '0;
      keep_q     <= '0;
      last_q     <= 1'b0;
    end else begin
      state_q    <= state_d;
      status_q   <= status_d;
      length_q   <= length_d;
      index_q    <= index_d;
      accepted_q <= accepted_d;
      stall_q    <= stall_d;
      argument_q <= argument_d;
      word_q     <= word_d;
      keep_q     <= keep_d;
      last_q     <= last_d;
    end
  end

endmodule

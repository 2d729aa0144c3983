// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Proofs only: card_memory keeps the handshake rules of AXI4 (IHI 0022, A3.2.1) on the three
// channels that it drives; it requests every burst that it takes once, with its address and
// length; it gives each answer to the user that asked, and the bus's data channel to the writers
// in the order of their addresses; it begins no burst while halt_i is high; and idle_o is high
// exactly when none is on the bus.
//
// Assumed: a writer whose turn it is keeps its data until they are taken, as all users do; the
// memory answers in order, and only bursts that it has taken. An arbitrary read and an
// arbitrary write are marked as they are taken.
module card_memory_formal #(
  parameter int unsigned DataWidth = 64,
  parameter int unsigned Readers   = 3,
  parameter int unsigned Writers   = 2,
  localparam int unsigned Strobes = DataWidth / 8
) (
  input logic                              clk_i,
  input logic                              rst_ni,
  input logic                              halt_i,
  input logic [Readers-1:0]                ar_valid_i,
  input logic [Readers-1:0][63:0]          ar_address_i,
  input logic [Readers-1:0][7:0]           ar_beats_i,
  input logic [Writers-1:0]                aw_valid_i,
  input logic [Writers-1:0][63:0]          aw_address_i,
  input logic [Writers-1:0][7:0]           aw_beats_i,
  input logic [Writers-1:0]                w_valid_i,
  input logic [Writers-1:0][DataWidth-1:0] w_data_i,
  input logic [Writers-1:0][Strobes-1:0]   w_strobes_i,
  input logic [Writers-1:0]                w_last_i,
  input logic                              m_axi_awready_i,
  input logic                              m_axi_wready_i,
  input logic [1:0]                        m_axi_bresp_i,
  input logic                              m_axi_bvalid_i,
  input logic                              m_axi_arready_i,
  input logic [DataWidth-1:0]              m_axi_rdata_i,
  input logic [1:0]                        m_axi_rresp_i,
  input logic                              m_axi_rlast_i,
  input logic                              m_axi_rvalid_i,
  input logic                              mark_read_i,
  input logic                              mark_write_i
);

  localparam int unsigned Outstanding = 4;

  logic                 idle, r_error, r_last, b_error;
  logic [Readers-1:0]   ar_ready, r_valid;
  logic [Writers-1:0]   aw_ready, w_ready, b_valid;
  logic [DataWidth-1:0] r_data, wdata;
  logic [Strobes-1:0]   wstrb;
  logic [63:0]          awaddr, araddr;
  logic [7:0]           awlen, arlen;
  logic [2:0]           awsize, awprot, arsize, arprot;
  logic [3:0]           awcache, arcache;
  logic [1:0]           awburst, arburst;
  logic                 awid, awvalid, wlast, wvalid, bready, arid, arvalid, rready;

  card_memory #(
    .DataWidth         (DataWidth),
    .Readers           (Readers),
    .Writers           (Writers),
    .Protection        (2),
    .ReadsOutstanding  (Outstanding),
    .WritesOutstanding (Outstanding)
  ) u_memory (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .halt_i          (halt_i),
    .idle_o          (idle),
    .ar_valid_i      (ar_valid_i),
    .ar_ready_o      (ar_ready),
    .ar_address_i    (ar_address_i),
    .ar_beats_i      (ar_beats_i),
    .r_valid_o       (r_valid),
    .r_data_o        (r_data),
    .r_error_o       (r_error),
    .r_last_o        (r_last),
    .aw_valid_i      (aw_valid_i),
    .aw_ready_o      (aw_ready),
    .aw_address_i    (aw_address_i),
    .aw_beats_i      (aw_beats_i),
    .w_valid_i       (w_valid_i),
    .w_ready_o       (w_ready),
    .w_data_i        (w_data_i),
    .w_strobes_i     (w_strobes_i),
    .w_last_i        (w_last_i),
    .b_valid_o       (b_valid),
    .b_error_o       (b_error),
    .m_axi_awid_o    (awid),
    .m_axi_awaddr_o  (awaddr),
    .m_axi_awlen_o   (awlen),
    .m_axi_awsize_o  (awsize),
    .m_axi_awburst_o (awburst),
    .m_axi_awcache_o (awcache),
    .m_axi_awprot_o  (awprot),
    .m_axi_awvalid_o (awvalid),
    .m_axi_awready_i (m_axi_awready_i),
    .m_axi_wdata_o   (wdata),
    .m_axi_wstrb_o   (wstrb),
    .m_axi_wlast_o   (wlast),
    .m_axi_wvalid_o  (wvalid),
    .m_axi_wready_i  (m_axi_wready_i),
    .m_axi_bid_i     (1'b0),
    .m_axi_bresp_i   (m_axi_bresp_i),
    .m_axi_bvalid_i  (m_axi_bvalid_i),
    .m_axi_bready_o  (bready),
    .m_axi_arid_o    (arid),
    .m_axi_araddr_o  (araddr),
    .m_axi_arlen_o   (arlen),
    .m_axi_arsize_o  (arsize),
    .m_axi_arburst_o (arburst),
    .m_axi_arcache_o (arcache),
    .m_axi_arprot_o  (arprot),
    .m_axi_arvalid_o (arvalid),
    .m_axi_arready_i (m_axi_arready_i),
    .m_axi_rid_i     (1'b0),
    .m_axi_rdata_i   (m_axi_rdata_i),
    .m_axi_rresp_i   (m_axi_rresp_i),
    .m_axi_rlast_i   (m_axi_rlast_i),
    .m_axi_rvalid_i  (m_axi_rvalid_i),
    .m_axi_rready_o  (rready)
  );

  formal_reset u_reset (
    .clk_i  (clk_i),
    .rst_ni (rst_ni)
  );

  formal_stream_rules #(
    .Width (94)
  ) u_ar_rules (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (1'b0),
    .valid_i   (arvalid),
    .ready_i   (m_axi_arready_i),
    .payload_i ({9'd0, arid, araddr, arlen, arsize, arburst, arcache, arprot})
  );

  formal_stream_rules #(
    .Width (94)
  ) u_aw_rules (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (1'b0),
    .valid_i   (awvalid),
    .ready_i   (m_axi_awready_i),
    .payload_i ({9'd0, awid, awaddr, awlen, awsize, awburst, awcache, awprot})
  );

  formal_stream_rules #(
    .Width (DataWidth + Strobes + 1)
  ) u_w_rules (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (1'b0),
    .valid_i   (wvalid),
    .ready_i   (m_axi_wready_i),
    .payload_i ({wdata, wstrb, wlast})
  );

  for (genvar n = 0; n < Writers; n++) begin : gen_writer
    formal_stream_rules #(
      .Width  (DataWidth + Strobes + 1),
      .Assume (1'b1)
    ) u_rules (
      .clk_i     (clk_i),
      .rst_ni    (rst_ni),
      .clear_i   (1'b0),
      .valid_i   (w_valid_i[n]),
      .ready_i   (w_ready[n]),
      .payload_i ({w_data_i[n], w_strobes_i[n], w_last_i[n]})
    );
  end

  // ------------------------------------------------------------ the model of reads

  logic               read_taken, read_ended;
  logic [2:0]         reads_q;    // taken, and their last beat has not come
  logic               asking_q;   // the memory has not taken the newest
  logic [71:0]        asked_q;    // its address and length
  logic               read_marked_q;
  logic [2:0]         read_ahead_q;
  logic [Readers-1:0] reader_q;   // of the marked one
  logic               read_marks;
  logic [71:0]        read_chosen;

  assign read_taken = (ar_valid_i & ar_ready) != '0;
  assign read_ended = m_axi_rvalid_i && m_axi_rlast_i;
  assign read_marks = mark_read_i && !read_marked_q && read_taken;

  always_comb begin
    read_chosen = '0;
    for (int unsigned n = 0; n < Readers; n++) begin
      if (ar_valid_i[n] && ar_ready[n]) begin
        read_chosen = {ar_address_i[n], ar_beats_i[n]};
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      reads_q       <= '0;
      asking_q      <= 1'b0;
      asked_q       <= '0;
      read_marked_q <= 1'b0;
      read_ahead_q  <= '0;
      reader_q      <= '0;
    end else begin
      reads_q  <= reads_q + 3'(read_taken) - 3'(read_ended);
      asking_q <= read_taken || (asking_q && !m_axi_arready_i);
      if (read_taken) begin
        asked_q <= read_chosen;
      end
      if (read_marks) begin
        read_marked_q <= 1'b1;
        read_ahead_q  <= reads_q - 3'(read_ended);
        reader_q      <= ar_valid_i & ar_ready;
      end else if (read_marked_q && read_ended) begin
        read_marked_q <= read_ahead_q != '0;
        read_ahead_q  <= read_ahead_q - 3'd1;
      end
    end
  end

  // ------------------------------------------------------------ the model of writes

  logic               write_taken, write_sent, write_ended;
  logic [2:0]         sending_q;  // taken, and their last beat has not gone
  logic [2:0]         writes_q;   // taken, and not answered
  logic               placing_q;  // the memory has not taken the newest address
  logic [71:0]        placed_q;
  logic               write_marked_q, write_sent_q;
  logic [2:0]         send_ahead_q, write_ahead_q;
  logic [Writers-1:0] writer_q;
  logic               write_marks;
  logic [71:0]        write_chosen;

  assign write_taken = (aw_valid_i & aw_ready) != '0;
  assign write_sent  = wvalid && m_axi_wready_i && wlast;
  assign write_ended = m_axi_bvalid_i;
  assign write_marks = mark_write_i && !write_marked_q && write_taken;

  always_comb begin
    write_chosen = '0;
    for (int unsigned n = 0; n < Writers; n++) begin
      if (aw_valid_i[n] && aw_ready[n]) begin
        write_chosen = {aw_address_i[n], aw_beats_i[n]};
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sending_q      <= '0;
      writes_q       <= '0;
      placing_q      <= 1'b0;
      placed_q       <= '0;
      write_marked_q <= 1'b0;
      write_sent_q   <= 1'b0;
      send_ahead_q   <= '0;
      write_ahead_q  <= '0;
      writer_q       <= '0;
    end else begin
      sending_q <= sending_q + 3'(write_taken) - 3'(write_sent);
      writes_q  <= writes_q + 3'(write_taken) - 3'(write_ended);
      placing_q <= write_taken || (placing_q && !m_axi_awready_i);
      if (write_taken) begin
        placed_q <= write_chosen;
      end
      if (write_marks) begin
        write_marked_q <= 1'b1;
        write_sent_q   <= 1'b0;
        send_ahead_q   <= sending_q - 3'(write_sent);
        write_ahead_q  <= writes_q - 3'(write_ended);
        writer_q       <= aw_valid_i & aw_ready;
      end else if (write_marked_q) begin
        if (write_sent && !write_sent_q) begin
          write_sent_q <= send_ahead_q == '0;
          send_ahead_q <= send_ahead_q - 3'd1;
        end
        if (write_ended) begin
          write_marked_q <= write_ahead_q != '0;
          write_ahead_q  <= write_ahead_q - 3'd1;
        end
      end
    end
  end

  always_comb begin
    // What the memory has not taken it cannot answer: neither an address nor data.
    assume_reads_were_asked:  assume (!m_axi_rvalid_i || reads_q > 3'(asking_q));
    assume_writes_were_asked: assume (!m_axi_bvalid_i || (writes_q > 3'(placing_q) &&
                                                          writes_q > sending_q));
  end

  // ------------------------------------------------------------ properties

  logic                       halted_q, ar_waited_q, aw_waited_q;
  logic [DataWidth+Strobes:0] its_data; // what the writer of the marked burst offers

  always_comb begin
    its_data = '0;
    for (int unsigned n = 0; n < Writers; n++) begin
      if (writer_q[n]) begin
        its_data = {w_data_i[n], w_strobes_i[n], w_last_i[n]};
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      halted_q    <= 1'b0;
      ar_waited_q <= 1'b0;
      aw_waited_q <= 1'b0;
    end else begin
      halted_q    <= halt_i;
      ar_waited_q <= arvalid && !m_axi_arready_i;
      aw_waited_q <= awvalid && !m_axi_awready_i;
    end
  end

  always_comb begin
    never_waits: assert (rready && bready);
    one_reader:  assert ((ar_ready & (ar_ready - 1'b1)) == '0);
    one_writer:  assert ((aw_ready & (aw_ready - 1'b1)) == '0);
    asked_exactly:  assert (arvalid == asking_q);
    placed_exactly: assert (awvalid == placing_q);
    if (arvalid) begin
      asked_itself: assert ({araddr, arlen} == asked_q);
    end
    if (awvalid) begin
      placed_itself: assert ({awaddr, awlen} == placed_q);
    end
    if (read_taken) begin
      no_read_overwritten: assert (!asking_q || m_axi_arready_i);
    end
    if (write_taken) begin
      no_write_overwritten: assert (!placing_q || m_axi_awready_i);
    end
    if (halt_i) begin
      none_taken_in_a_halt: assert (!read_taken && !write_taken);
    end
    if (halted_q) begin
      none_begins_in_a_halt: assert ((!arvalid || ar_waited_q) && (!awvalid || aw_waited_q));
    end
    idle_exactly: assert (idle == (reads_q == '0 && writes_q == '0));
    attributes: assert (arburst == 2'b01 && awburst == 2'b01 && arprot == 3'd2 && awprot == 3'd2 &&
                        32'(arsize) == $clog2(Strobes) && awsize == arsize && !arid && !awid);
    passed_on: assert (r_data == m_axi_rdata_i && r_error == m_axi_rresp_i[1] &&
                       r_last == m_axi_rlast_i && b_error == m_axi_bresp_i[1]);
    // Each answer goes to one user, and to none without one.
    read_given_once:  assert ((r_valid != '0) == m_axi_rvalid_i && (r_valid & (r_valid - 1'b1)) == '0);
    write_given_once: assert ((b_valid != '0) == m_axi_bvalid_i && (b_valid & (b_valid - 1'b1)) == '0);
    if (m_axi_rvalid_i && read_marked_q && read_ahead_q == '0) begin
      read_to_its_reader: assert (r_valid == reader_q);
      read_behind_others: cover (reads_q == 3'd4);
    end
    if (write_marked_q && !write_sent_q && send_ahead_q == '0) begin
      data_of_its_writer: assert (wvalid == ((w_valid_i & writer_q) != '0) &&
                                  w_ready == (writer_q & {Writers{m_axi_wready_i}}));
      data_themselves: assert (!wvalid || {wdata, wstrb, wlast} == its_data);
    end
    if (m_axi_bvalid_i && write_marked_q && write_ahead_q == '0) begin
      write_to_its_writer: assert (b_valid == writer_q);
      write_behind_others: cover (writes_q == 3'd4);
    end
    no_data_without_address: assert (!wvalid || sending_q != '0);
  end

  // ------------------------------------------------------------ invariants for the induction

  function automatic logic one(input logic [7:0] bits);
    return bits != '0 && (bits & (bits - 1'b1)) == '0;
  endfunction

  function automatic logic [Readers-1:0] reads(input logic [1:0] n);
    return u_memory.u_readers.memory[u_memory.u_readers.read_address_q + n];
  endfunction

  function automatic logic [Writers-1:0] senders(input logic [1:0] n);
    return u_memory.u_senders.memory[u_memory.u_senders.read_address_q + n];
  endfunction

  function automatic logic [Writers-1:0] writers(input logic [1:0] n);
    return u_memory.u_writers.memory[u_memory.u_writers.read_address_q + n];
  endfunction

  // Whose the bursts in the queues are: of one user each.
  logic users_are_good;

  always_comb begin
    users_are_good = 1'b1;
    for (int unsigned n = 0; n < Outstanding; n++) begin
      users_are_good = users_are_good && (32'(reads_q) <= n || one(8'(reads(2'(n))))) &&
                       (32'(sending_q) <= n || one(8'(senders(2'(n))))) &&
                       (32'(writes_q) <= n || one(8'(writers(2'(n)))));
    end
  end

  always_comb begin
    why_reads:   assert (3'(u_memory.u_readers.count_q) == reads_q && reads_q <= 3'd4);
    why_sending: assert (3'(u_memory.u_senders.count_q) == sending_q && sending_q <= 3'd4);
    why_writes:  assert (3'(u_memory.u_writers.count_q) == writes_q && writes_q <= 3'd4);
    why_asking:  assert (!asking_q || reads_q != '0);
    why_placing: assert (!placing_q || writes_q != '0);
    why_sent_first: assert (sending_q <= writes_q);
    // The queues are swept after a reset only, before anything is taken.
    if (u_memory.u_readers.u_sweep.run_q) begin
      why_no_reads: assert (reads_q == '0);
    end
    if (u_memory.u_senders.u_sweep.run_q || u_memory.u_writers.u_sweep.run_q) begin
      why_no_writes: assert (writes_q == '0 && u_memory.u_senders.write_address_q == '0 &&
                             u_memory.u_writers.write_address_q == '0);
    end
    why_addresses: assert (
      u_memory.u_senders.write_address_q == u_memory.u_writers.write_address_q &&
      u_memory.u_readers.write_address_q ==
        u_memory.u_readers.read_address_q + u_memory.u_readers.count_q[1:0] &&
      u_memory.u_senders.write_address_q ==
        u_memory.u_senders.read_address_q + u_memory.u_senders.count_q[1:0] &&
      u_memory.u_writers.write_address_q ==
        u_memory.u_writers.read_address_q + u_memory.u_writers.count_q[1:0]);
    why_a_user_each: assert (users_are_good);
    if (read_marked_q) begin
      why_read_inside: assert (read_ahead_q < reads_q && reads(read_ahead_q[1:0]) == reader_q &&
                               one(8'(reader_q)));
    end
    if (write_marked_q) begin
      why_write_inside: assert (write_ahead_q < writes_q && one(8'(writer_q)) &&
                                writers(write_ahead_q[1:0]) == writer_q);
      if (!write_sent_q) begin
        // As many are behind it in both queues.
        why_send_inside: assert (send_ahead_q < sending_q && send_ahead_q <= write_ahead_q &&
                                 senders(send_ahead_q[1:0]) == writer_q &&
                                 writes_q - write_ahead_q == sending_q - send_ahead_q);
      end else begin
        why_sent: assert (sending_q < writes_q - write_ahead_q);
      end
    end
  end

endmodule

//! A small block with the ports of a board, on which the engines are compared: it uses every pin
//! in a way that goes wrong when a cycle is off by one.

use rust_hdl::prelude::*;

use lookback_hdl::board_pins;

/// Walks through RAM adding up and writing back, echoes console and link, and retires nonsense.
#[derive(LogicBlock, Default)]
pub(crate) struct TestBoard {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, bool>,
    pub hold: Signal<In, bool>,
    pub ram_bytes: Signal<In, Bits<32>>,
    pub ram_rdata: Signal<In, Bits<32>>,
    pub console_rx_valid: Signal<In, bool>,
    pub console_rx_data: Signal<In, Bits<8>>,
    pub gpio_in: Signal<In, Bits<32>>,
    pub bit_clocks: Signal<In, Bits<16>>,
    pub log_rx: Signal<In, bool>,
    pub ram_req: Signal<Out, bool>,
    pub ram_addr: Signal<Out, Bits<32>>,
    pub ram_wdata: Signal<Out, Bits<32>>,
    pub ram_wstrb: Signal<Out, Bits<4>>,
    pub console_tx_valid: Signal<Out, bool>,
    pub console_tx_data: Signal<Out, Bits<8>>,
    pub console_rx_ready: Signal<Out, bool>,
    pub gpio_out: Signal<Out, Bits<32>>,
    pub finished: Signal<Out, bool>,
    pub finish_code: Signal<Out, Bits<32>>,
    pub log_tx: Signal<Out, bool>,
    pub stalled: Signal<Out, bool>,
    pub rvfi_valid: Signal<Out, bool>,
    pub rvfi_insn: Signal<Out, Bits<32>>,
    pub rvfi_trap: Signal<Out, bool>,
    pub rvfi_intr: Signal<Out, bool>,
    pub rvfi_mode: Signal<Out, Bits<2>>,
    pub rvfi_rs1_addr: Signal<Out, Bits<5>>,
    pub rvfi_rs2_addr: Signal<Out, Bits<5>>,
    pub rvfi_rs1_rdata: Signal<Out, Bits<32>>,
    pub rvfi_rs2_rdata: Signal<Out, Bits<32>>,
    pub rvfi_rd_addr: Signal<Out, Bits<5>>,
    pub rvfi_rd_wdata: Signal<Out, Bits<32>>,
    pub rvfi_pc_rdata: Signal<Out, Bits<32>>,
    pub rvfi_pc_wdata: Signal<Out, Bits<32>>,
    pub rvfi_mem_addr: Signal<Out, Bits<32>>,
    pub rvfi_mem_rmask: Signal<Out, Bits<4>>,
    pub rvfi_mem_wmask: Signal<Out, Bits<4>>,
    pub rvfi_mem_rdata: Signal<Out, Bits<32>>,
    pub rvfi_mem_wdata: Signal<Out, Bits<32>>,
    pub snoop_valid: Signal<Out, bool>,
    pub snoop_addr: Signal<Out, Bits<32>>,
    pub snoop_mask: Signal<Out, Bits<4>>,
    count_ff: DFF<Bits<32>>,
    sum_ff: DFF<Bits<32>>,
    address_ff: DFF<Bits<32>>,
    echo_ff: DFF<Bits<8>>,
    echo_valid_ff: DFF<bool>,
    link_ff: DFF<bool>,
    phase: Signal<Local, Bits<4>>,
    next_address: Signal<Local, Bits<32>>,
}

impl Logic for TestBoard {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            count_ff,
            sum_ff,
            address_ff,
            echo_ff,
            echo_valid_ff,
            link_ff
        );
        self.phase.next = self.count_ff.q.val().get_bits::<4>(0);
        self.stalled.next = self.hold.val() && (self.count_ff.q.val() < 32);
        self.finished.next = self.count_ff.q.val().get_bit(12);
        self.finish_code.next = self.sum_ff.q.val();
        if !self.finished.val() {
            self.count_ff.d.next = self.count_ff.q.val() + 1;
        }

        self.ram_req.next = self.phase.val() < 6;
        self.ram_addr.next = self.address_ff.q.val();
        self.ram_wdata.next = self.sum_ff.q.val();
        self.ram_wstrb.next = 0.into();
        if self.phase.val() == 5 {
            self.ram_wstrb.next = self.sum_ff.q.val().get_bits::<4>(3);
        }
        self.next_address.next = self.address_ff.q.val() + 4;
        if self.next_address.val() >= self.ram_bytes.val() {
            self.next_address.next = 0.into();
        }
        if self.phase.val() == 6 {
            self.address_ff.d.next = self.next_address.val();
        }
        if self.phase.val() < 9 {
            self.sum_ff.d.next =
                (self.sum_ff.q.val() << 1) ^ self.ram_rdata.val() ^ self.gpio_in.val();
        }

        self.console_rx_ready.next = self.console_rx_valid.val() && (self.phase.val() == 3);
        self.echo_valid_ff.d.next = self.console_rx_ready.val();
        self.echo_ff.d.next = self.console_rx_data.val() ^ 0x20;
        self.console_tx_valid.next = self.echo_valid_ff.q.val();
        self.console_tx_data.next = self.echo_ff.q.val();
        self.link_ff.d.next = !self.log_rx.val();
        self.log_tx.next = !self.link_ff.q.val();
        self.gpio_out.next = self.count_ff.q.val();

        self.rvfi_valid.next =
            (self.phase.val() == 7) && !self.stalled.val() && !self.finished.val();
        self.rvfi_insn.next = self.sum_ff.q.val();
        self.rvfi_trap.next = self.sum_ff.q.val().get_bit(1);
        self.rvfi_intr.next = self.sum_ff.q.val().get_bit(2);
        self.rvfi_mode.next = self.sum_ff.q.val().get_bits::<2>(3);
        self.rvfi_rs1_addr.next = self.sum_ff.q.val().get_bits::<5>(5);
        self.rvfi_rs2_addr.next = self.sum_ff.q.val().get_bits::<5>(10);
        self.rvfi_rd_addr.next = self.sum_ff.q.val().get_bits::<5>(15);
        self.rvfi_rs1_rdata.next = self.count_ff.q.val();
        self.rvfi_rs2_rdata.next = self.ram_rdata.val();
        self.rvfi_rd_wdata.next = self.sum_ff.q.val() + self.count_ff.q.val();
        self.rvfi_pc_rdata.next = self.address_ff.q.val();
        self.rvfi_pc_wdata.next = self.next_address.val();
        self.rvfi_mem_addr.next = self.address_ff.q.val();
        self.rvfi_mem_rmask.next = self.sum_ff.q.val().get_bits::<4>(20);
        self.rvfi_mem_wmask.next = self.sum_ff.q.val().get_bits::<4>(24);
        self.rvfi_mem_rdata.next = self.ram_rdata.val();
        self.rvfi_mem_wdata.next = bit_cast::<32, 16>(self.bit_clocks.val());
        self.snoop_valid.next = (self.phase.val() == 7) && self.sum_ff.q.val().get_bit(0);
        self.snoop_addr.next = self.next_address.val();
        self.snoop_mask.next = self.sum_ff.q.val().get_bits::<4>(28);

        if self.reset.val() {
            self.count_ff.d.next = 0.into();
            self.sum_ff.d.next = 0.into();
            self.address_ff.d.next = 0.into();
            self.echo_valid_ff.d.next = false;
        }
    }
}

board_pins!(TestBoard);

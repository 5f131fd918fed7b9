//! The back of the recorder: everything between the front's byte stream and the host's UART.
//!
//! `drain_core` says what goes on between them.

use rust_hdl::prelude::*;

use super::{DrainCore, Identity, UartRx, UartTx};

/// The back of the recorder with a ring of `2^RING_BITS` bytes.
#[derive(LogicBlock)]
pub struct Drain<const RING_BITS: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// A byte of an interval or gap is offered.
    pub byte_valid: Signal<In, Bit>,
    /// The byte; taken in a cycle with `byte_valid` and `byte_ready`.
    pub byte_data: Signal<In, Bits<8>>,
    /// The byte ends the interval or gap.
    pub byte_last: Signal<In, Bit>,
    /// A byte would be taken now.
    pub byte_ready: Signal<Out, Bit>,
    /// The key group that is being written has its share of the ring.
    pub cut: Signal<Out, Bit>,
    /// From the host, asynchronous.
    pub log_rx: Signal<In, Bit>,
    /// To the host.
    pub log_tx: Signal<Out, Bit>,
    /// Clock cycles a bit, at least 1.
    pub bit_clocks: Signal<In, Bits<16>>,
    /// STATUS bit 0.
    pub recording: Signal<In, Bit>,
    /// STATUS bit 1: the recording is over and its last byte was taken.
    pub ended: Signal<In, Bit>,
    /// Why it ended, for END.
    pub end_reason: Signal<In, Bits<8>>,
    /// STATUS bit 2.
    pub triggered: Signal<In, Bit>,
    /// STATUS bits 10:6, and those of END: which trigger fired.
    pub fired: Signal<In, Bits<5>>,
    /// STATUS bit 3.
    pub lost_any: Signal<In, Bit>,
    /// Retirements since recording began, low.
    pub retired_lo: Signal<In, Bits<32>>,
    /// The same, high.
    pub retired_hi: Signal<In, Bits<32>>,
    /// Clock cycles since recording began, low.
    pub cycles_lo: Signal<In, Bits<32>>,
    /// The same, high.
    pub cycles_hi: Signal<In, Bits<32>>,
    /// Cycles in which the hart was stalled, low.
    pub stalls_lo: Signal<In, Bits<32>>,
    /// The same, high.
    pub stalls_hi: Signal<In, Bits<32>>,
    /// Retirements lost, low.
    pub lost_lo: Signal<In, Bits<32>>,
    /// The same, high.
    pub lost_hi: Signal<In, Bits<32>>,
    /// What the run ended with, for END.
    pub run_code: Signal<In, Bits<32>>,
    /// CONTROL bit 0: record.
    pub enable: Signal<Out, Bit>,
    /// CONTROL bit 1.
    pub may_stall: Signal<Out, Bit>,
    /// CONTROL bit 3.
    pub trigger_on_trap: Signal<Out, Bit>,
    /// INTERVAL.
    pub interval: Signal<Out, Bits<32>>,
    /// COUNT_BITS.
    pub count_bits: Signal<Out, Bits<5>>,
    /// IMAGE_LO.
    pub image_lo: Signal<Out, Bits<32>>,
    /// IMAGE_HI.
    pub image_hi: Signal<Out, Bits<32>>,
    /// POST_TRIGGER.
    pub post_trigger: Signal<Out, Bits<32>>,
    /// KEY.
    pub key: Signal<Out, Bits<16>>,
    /// TRIGGER.
    pub watch: Signal<Out, Bits<6>>,
    /// TRIGGER_LO.
    pub watch_lo: Signal<Out, Bits<32>>,
    /// TRIGGER_HI.
    pub watch_hi: Signal<Out, Bits<32>>,
    /// ORDER_MODE.
    pub order_mode: Signal<Out, Bits<2>>,
    /// The bit of the board's register that was wanted.
    pub board_bit: Signal<In, Bit>,
    /// A command of the host is obeyed: the board's registers, from 0x40 on, may be meant.
    pub board_fire: Signal<Out, Bit>,
    /// With `board_fire`: WRITE, not READ.
    pub board_write: Signal<Out, Bit>,
    /// Its register; stands still until the REPLY has gone.
    pub board_register: Signal<Out, Bits<8>>,
    /// Its value, likewise.
    pub board_value: Signal<Out, Bits<32>>,
    /// The bit of it that is wanted in the next cycle.
    pub board_index: Signal<Out, Bits<5>>,
    core: DrainCore<RING_BITS>,
    uart_tx: UartTx,
    uart_rx: UartRx,
}

impl<const RING_BITS: usize> Drain<RING_BITS> {
    /// A drain that identifies its recorder with these words.
    pub fn new(identity: Identity) -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            byte_valid: Default::default(),
            byte_data: Default::default(),
            byte_last: Default::default(),
            byte_ready: Default::default(),
            cut: Default::default(),
            log_rx: Default::default(),
            log_tx: Default::default(),
            bit_clocks: Default::default(),
            recording: Default::default(),
            ended: Default::default(),
            end_reason: Default::default(),
            triggered: Default::default(),
            fired: Default::default(),
            lost_any: Default::default(),
            retired_lo: Default::default(),
            retired_hi: Default::default(),
            cycles_lo: Default::default(),
            cycles_hi: Default::default(),
            stalls_lo: Default::default(),
            stalls_hi: Default::default(),
            lost_lo: Default::default(),
            lost_hi: Default::default(),
            run_code: Default::default(),
            enable: Default::default(),
            may_stall: Default::default(),
            trigger_on_trap: Default::default(),
            interval: Default::default(),
            count_bits: Default::default(),
            image_lo: Default::default(),
            image_hi: Default::default(),
            post_trigger: Default::default(),
            key: Default::default(),
            watch: Default::default(),
            watch_lo: Default::default(),
            watch_hi: Default::default(),
            order_mode: Default::default(),
            board_bit: Default::default(),
            board_fire: Default::default(),
            board_write: Default::default(),
            board_register: Default::default(),
            board_value: Default::default(),
            board_index: Default::default(),
            core: DrainCore::new(identity),
            uart_tx: Default::default(),
            uart_rx: Default::default(),
        }
    }
}

impl<const RING_BITS: usize> Logic for Drain<RING_BITS> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, core, uart_tx, uart_rx);
        self.core.reset.next = self.reset.val();
        self.uart_tx.reset.next = self.reset.val();
        self.uart_rx.reset.next = self.reset.val();
        self.core.byte_valid.next = self.byte_valid.val();
        self.core.byte_data.next = self.byte_data.val();
        self.core.byte_last.next = self.byte_last.val();
        self.core.recording.next = self.recording.val();
        self.core.ended.next = self.ended.val();
        self.core.end_reason.next = self.end_reason.val();
        self.core.triggered.next = self.triggered.val();
        self.core.fired.next = self.fired.val();
        self.core.lost_any.next = self.lost_any.val();
        self.core.retired_lo.next = self.retired_lo.val();
        self.core.retired_hi.next = self.retired_hi.val();
        self.core.cycles_lo.next = self.cycles_lo.val();
        self.core.cycles_hi.next = self.cycles_hi.val();
        self.core.stalls_lo.next = self.stalls_lo.val();
        self.core.stalls_hi.next = self.stalls_hi.val();
        self.core.lost_lo.next = self.lost_lo.val();
        self.core.lost_hi.next = self.lost_hi.val();
        self.core.run_code.next = self.run_code.val();
        self.byte_ready.next = self.core.byte_ready.val();
        self.cut.next = self.core.cut.val();
        self.enable.next = self.core.enable.val();
        self.may_stall.next = self.core.may_stall.val();
        self.trigger_on_trap.next = self.core.trigger_on_trap.val();
        self.interval.next = self.core.interval.val();
        self.count_bits.next = self.core.count_bits.val();
        self.image_lo.next = self.core.image_lo.val();
        self.image_hi.next = self.core.image_hi.val();
        self.post_trigger.next = self.core.post_trigger.val();
        self.key.next = self.core.key.val();
        self.watch.next = self.core.watch.val();
        self.watch_lo.next = self.core.watch_lo.val();
        self.watch_hi.next = self.core.watch_hi.val();
        self.order_mode.next = self.core.order_mode.val();
        self.core.board_bit.next = self.board_bit.val();
        self.board_fire.next = self.core.board_fire.val();
        self.board_write.next = self.core.board_write.val();
        self.board_register.next = self.core.board_register.val();
        self.board_value.next = self.core.board_value.val();
        self.board_index.next = self.core.board_index.val();

        // No bus, and no core but this project's.
        self.core.strapped.next = false;
        self.core.poke.next = false;
        self.core.ask.next = false;
        self.core.breached.next = false;
        self.core.clock_hz.next = 0.into();
        self.core.mem_base.next = 0.into();
        self.core.mem_mask.next = 0.into();
        self.core.bus_register.next = 0.into();
        self.core.bus_value.next = 0.into();
        self.core.breach_rule.next = 0.into();
        self.core.breach_at.next = 0.into();
        self.core.breach_pc.next = 0.into();
        self.core.breach_insn.next = 0.into();
        self.core.breach_want.next = 0.into();
        self.core.breach_got.next = 0.into();

        self.core.rx_bit_valid.next = self.uart_rx.bit_valid.val();
        self.core.rx_bit_data.next = self.uart_rx.bit_data.val();
        self.core.rx_byte_valid.next = self.uart_rx.byte_valid.val();
        self.core.rx_byte_data.next = self.uart_rx.byte_data.val();
        self.core.tx_ready.next = self.uart_tx.ready.val();
        self.uart_rx.bit_clocks.next = self.bit_clocks.val();
        self.uart_rx.line.next = self.log_rx.val();
        self.uart_tx.bit_clocks.next = self.bit_clocks.val();
        self.uart_tx.valid.next = self.core.tx_valid.val();
        self.uart_tx.data.next = self.core.tx_data.val();
        self.log_tx.next = self.uart_tx.line.val();
    }
}

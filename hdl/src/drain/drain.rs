//! The back of the recorder: everything between the front's byte stream and the host's UART.
//!
//! The front offers bytes and its status; the drain frames and sends them, answers the host, and
//! gives the front its settings. A recording starts when the host sets CONTROL bit 0: the ring is
//! emptied between two frames, then `enable` rises. END is sent once after the front has `ended`
//! and everything was sent. In ring mode nothing of the log is sent before `ended`.
//!
//! What the front promises: `ended` only when its last byte was taken, low for at least a cycle in
//! each recording, and from then on until the next `enable` the counters and the reason stand
//! still; the last byte of what it offers has `byte_last`.

use rust_hdl::prelude::*;

use super::{Command, Control, Framer, Identity, LogRing, Message, UartRx, UartTx};

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
    ring: LogRing<RING_BITS>,
    framer: Framer,
    message: Message,
    control: Control,
    command: Command,
    uart_tx: UartTx,
    uart_rx: UartRx,
    /// The recording that CONTROL asks for was started.
    started_ff: DFF<Bit>,
    settings: Signal<Local, Bits<4>>,
    starting: Signal<Local, Bit>,
    clear: Signal<Local, Bit>,
    status: Signal<Local, Bits<5>>,
    recording_bit: Constant<Bits<5>>,
    ended_bit: Constant<Bits<5>>,
    triggered_bit: Constant<Bits<5>>,
    lost_bit: Constant<Bits<5>>,
    sent_bit: Constant<Bits<5>>,
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
            log_rx: Default::default(),
            log_tx: Default::default(),
            bit_clocks: Default::default(),
            recording: Default::default(),
            ended: Default::default(),
            end_reason: Default::default(),
            triggered: Default::default(),
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
            ring: Default::default(),
            framer: Default::default(),
            message: Default::default(),
            control: Control::new(identity),
            command: Default::default(),
            uart_tx: Default::default(),
            uart_rx: Default::default(),
            started_ff: Default::default(),
            settings: Default::default(),
            starting: Default::default(),
            clear: Default::default(),
            status: Default::default(),
            recording_bit: Constant::new(0b00001.into()),
            ended_bit: Constant::new(0b00010.into()),
            triggered_bit: Constant::new(0b00100.into()),
            lost_bit: Constant::new(0b01000.into()),
            sent_bit: Constant::new(0b10000.into()),
        }
    }
}

impl<const RING_BITS: usize> Logic for Drain<RING_BITS> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, ring, framer, message, control, command, uart_tx, uart_rx);
        dff_setup!(self, clock, started_ff);
        self.ring.reset.next = self.reset.val();
        self.framer.reset.next = self.reset.val();
        self.message.reset.next = self.reset.val();
        self.control.reset.next = self.reset.val();
        self.command.reset.next = self.reset.val();
        self.uart_tx.reset.next = self.reset.val();
        self.uart_rx.reset.next = self.reset.val();

        // A start waits for the end of the frame under way: a frame never mixes two recordings.
        self.settings.next = self.control.control.val();
        self.starting.next = self.settings.val().get_bit(0) & !self.started_ff.q.val();
        self.clear.next = self.starting.val() & self.framer.idle.val();
        self.started_ff.d.next =
            self.settings.val().get_bit(0) & (self.started_ff.q.val() | self.framer.idle.val());
        if self.reset.val() {
            self.started_ff.d.next = false;
        }
        self.enable.next = self.started_ff.q.val();
        self.may_stall.next = self.settings.val().get_bit(1);
        self.trigger_on_trap.next = self.settings.val().get_bit(3);
        self.interval.next = self.control.interval.val();
        self.count_bits.next = self.control.count_bits.val();
        self.image_lo.next = self.control.image_lo.val();
        self.image_hi.next = self.control.image_hi.val();
        self.post_trigger.next = self.control.post_trigger.val();

        self.ring.clear.next = self.clear.val();
        self.ring.hold.next = self.settings.val().get_bit(2) & !self.ended.val();
        self.ring.byte_valid.next = self.byte_valid.val();
        self.ring.byte_data.next = self.byte_data.val();
        self.ring.byte_last.next = self.byte_last.val();
        self.byte_ready.next = self.ring.byte_ready.val();
        self.ring.piece_start.next = self.framer.piece_start.val();
        self.ring.piece_take.next = self.framer.piece_take.val();

        self.framer.pause.next = self.starting.val();
        self.framer.piece_ready.next = self.ring.piece_ready.val();
        self.framer.piece_first.next = self.ring.piece_first.val();
        self.framer.piece_last.next = self.ring.piece_last.val();
        self.framer.piece_data.next = self.ring.piece_data.val();
        self.framer.piece_more.next = self.ring.piece_more.val();
        self.framer.reply_ready.next = self.message.reply_ready.val();
        self.framer.end_ready.next = self.message.end_due.val() & self.ring.empty.val();
        self.framer.message_data.next = self.message.data.val();
        self.framer.message_more.next = self.message.more.val();
        self.framer.tx_ready.next = self.uart_tx.ready.val();

        self.message.clear.next = self.clear.val();
        self.message.fire.next = self.command.fire.val();
        self.message.register.next = self.command.register.val();
        self.message.ended.next = self.ended.val();
        self.message.end_reason.next = self.end_reason.val();
        self.message.start.next = self.framer.message_start.val();
        self.message.start_end.next = self.framer.message_end.val();
        self.message.take.next = self.framer.message_take.val();
        self.message.bit_index.next = self.framer.message_bit.val();
        self.message.word.next = self.control.word.val();
        self.message.stored_bit.next = self.control.stored_bit.val();

        self.status.next = 0.into();
        if self.recording.val() {
            self.status.next = self.status.val() | self.recording_bit.val();
        }
        if self.ended.val() {
            self.status.next = self.status.val() | self.ended_bit.val();
        }
        if self.triggered.val() {
            self.status.next = self.status.val() | self.triggered_bit.val();
        }
        if self.lost_any.val() {
            self.status.next = self.status.val() | self.lost_bit.val();
        }
        if self.message.end_sent.val() {
            self.status.next = self.status.val() | self.sent_bit.val();
        }
        self.control.status.next = self.status.val();
        self.control.write.next = self.message.obey.val() & self.command.write.val();
        self.control.register.next = self.command.register.val();
        self.control.value.next = self.command.value.val();
        self.control.pick.next = self.message.pick.val();
        self.control.setting.next = self.message.setting.val();
        self.control.number.next = self.message.number.val();
        self.control.index.next = self.message.index.val();
        self.control.retired_lo.next = self.retired_lo.val();
        self.control.retired_hi.next = self.retired_hi.val();
        self.control.cycles_lo.next = self.cycles_lo.val();
        self.control.cycles_hi.next = self.cycles_hi.val();
        self.control.stalls_lo.next = self.stalls_lo.val();
        self.control.stalls_hi.next = self.stalls_hi.val();
        self.control.lost_lo.next = self.lost_lo.val();
        self.control.lost_hi.next = self.lost_hi.val();
        self.control.run_code.next = self.run_code.val();

        self.command.next_bit.next = self.control.copying.val();
        self.command.bit_valid.next = self.uart_rx.bit_valid.val();
        self.command.bit_data.next = self.uart_rx.bit_data.val();
        self.command.byte_valid.next = self.uart_rx.byte_valid.val();
        self.command.byte_data.next = self.uart_rx.byte_data.val();
        self.uart_rx.bit_clocks.next = self.bit_clocks.val();
        self.uart_rx.line.next = self.log_rx.val();
        self.uart_tx.bit_clocks.next = self.bit_clocks.val();
        self.uart_tx.valid.next = self.framer.tx_valid.val();
        self.uart_tx.data.next = self.framer.tx_data.val();
        self.log_tx.next = self.uart_tx.line.val();
    }
}

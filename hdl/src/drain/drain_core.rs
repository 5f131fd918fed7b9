//! The back of the recorder without its link: everything between the front's byte stream and bytes to
//! and from the host, whatever carries them.
//!
//! The front offers bytes and its status; the drain frames and sends them, answers the host, and
//! gives the front its settings. A recording starts when the host sets CONTROL bit 0: the ring is
//! emptied between two frames, then `enable` rises. END is sent once after the front has `ended`
//! and everything was sent. In ring mode nothing of the log is sent before `ended`.
//!
//! What the front promises: `ended` only when its last byte was taken, low for at least a cycle in
//! each recording, and from then on until the next `enable` the counters and the reason stand
//! still; the last byte of what it offers has `byte_last`.
//!
//! Beside the host there may be a bus in the board. It sets registers through `poke`, and makes the
//! drain send one through `ask`; both are taken in a cycle in which `quiet` is high. A command of the
//! host that comes while a poke is carried out is ignored; a host repeats what is not answered.
//! With `strapped`, CLOCK, MEM_BASE and MEM_MASK are not those of the identity but the inputs.

use rust_hdl::prelude::*;

use super::{Command, Control, Framer, Identity, LogRing, Message, StreamSum};

/// The back of the recorder without its link, with a ring of `2^RING_BITS` bytes.
#[derive(LogicBlock)]
pub struct DrainCore<const RING_BITS: usize> {
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
    /// A byte for the host.
    pub tx_valid: Signal<Out, Bit>,
    /// The byte; a zero ends a frame.
    pub tx_data: Signal<Out, Bits<8>>,
    /// The link takes it.
    pub tx_ready: Signal<In, Bit>,
    /// A bit of a byte from the host.
    pub rx_bit_valid: Signal<In, Bit>,
    /// The bit.
    pub rx_bit_data: Signal<In, Bit>,
    /// The byte is complete, after its last bit.
    pub rx_byte_valid: Signal<In, Bit>,
    /// The byte.
    pub rx_byte_data: Signal<In, Bits<8>>,
    /// CLOCK, MEM_BASE and MEM_MASK are the following inputs.
    pub strapped: Signal<In, Bit>,
    /// CLOCK.
    pub clock_hz: Signal<In, Bits<32>>,
    /// MEM_BASE.
    pub mem_base: Signal<In, Bits<32>>,
    /// MEM_MASK.
    pub mem_mask: Signal<In, Bits<32>>,
    /// Nothing that a poke or an ask would disturb is under way.
    pub quiet: Signal<Out, Bit>,
    /// Set a register; only while `quiet`.
    pub poke: Signal<In, Bit>,
    /// Send a register to the host; only while `quiet`, not with `poke`.
    pub ask: Signal<In, Bit>,
    /// Which.
    pub bus_register: Signal<In, Bits<8>>,
    /// To what.
    pub bus_value: Signal<In, Bits<32>>,
    /// The core broke a rule.
    pub breached: Signal<In, Bit>,
    /// BREACH.
    pub breach_rule: Signal<In, Bits<4>>,
    /// BREACH_AT.
    pub breach_at: Signal<In, Bits<32>>,
    /// BREACH_PC.
    pub breach_pc: Signal<In, Bits<32>>,
    /// BREACH_INSN.
    pub breach_insn: Signal<In, Bits<32>>,
    /// BREACH_WANT.
    pub breach_want: Signal<In, Bits<32>>,
    /// BREACH_GOT.
    pub breach_got: Signal<In, Bits<32>>,
    /// STATUS, for the bus.
    pub status: Signal<Out, Bits<11>>,
    /// CONTROL, for the bus.
    pub control_word: Signal<Out, Bits<6>>,
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
    ring: LogRing<RING_BITS>,
    framer: Framer,
    sum: StreamSum,
    message: Message,
    control: Control,
    command: Command,
    poking_ff: DFF<Bit>,
    poked_number_ff: DFF<Bits<4>>,
    poked_value_ff: DFF<Bits<32>>,
    /// The bit of a strap that `stored_bit` would be.
    strap_ff: DFF<Bit>,
    strapped_ff: DFF<Bit>,
    number: Signal<Local, Bits<4>>,
    index: Signal<Local, Bits<5>>,
    is_clock: Signal<Local, Bit>,
    is_base: Signal<Local, Bit>,
    is_mask: Signal<Local, Bit>,
    clock_number: Constant<Bits<4>>,
    base_number: Constant<Bits<4>>,
    mask_number: Constant<Bits<4>>,
    /// The recording that CONTROL asks for was started.
    started_ff: DFF<Bit>,
    settings: Signal<Local, Bits<6>>,
    keep: Signal<Local, Bit>,
    is_sum: Signal<Local, Bit>,
    starting: Signal<Local, Bit>,
    clear: Signal<Local, Bit>,
    /// Codec `compact`.
    groups: Constant<Bit>,
    /// There is an acknowledged link.
    has_keep: Constant<Bit>,
    recording_bit: Constant<Bits<11>>,
    ended_bit: Constant<Bits<11>>,
    triggered_bit: Constant<Bits<11>>,
    lost_bit: Constant<Bits<11>>,
    sent_bit: Constant<Bits<11>>,
    breach_bit: Constant<Bits<11>>,
}

impl<const RING_BITS: usize> DrainCore<RING_BITS> {
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
            tx_valid: Default::default(),
            tx_data: Default::default(),
            tx_ready: Default::default(),
            rx_bit_valid: Default::default(),
            rx_bit_data: Default::default(),
            rx_byte_valid: Default::default(),
            rx_byte_data: Default::default(),
            strapped: Default::default(),
            clock_hz: Default::default(),
            mem_base: Default::default(),
            mem_mask: Default::default(),
            quiet: Default::default(),
            poke: Default::default(),
            ask: Default::default(),
            bus_register: Default::default(),
            bus_value: Default::default(),
            breached: Default::default(),
            breach_rule: Default::default(),
            breach_at: Default::default(),
            breach_pc: Default::default(),
            breach_insn: Default::default(),
            breach_want: Default::default(),
            breach_got: Default::default(),
            status: Default::default(),
            control_word: Default::default(),
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
            ring: match identity.plain {
                true => LogRing::without_keeping(),
                false => LogRing::default(),
            },
            framer: if identity.saves_block_ram() {
                Framer::default().of_luts()
            } else {
                Framer::default()
            },
            sum: Default::default(),
            message: Default::default(),
            control: Control::new(identity),
            command: Default::default(),
            poking_ff: Default::default(),
            poked_number_ff: Default::default(),
            poked_value_ff: Default::default(),
            strap_ff: Default::default(),
            strapped_ff: Default::default(),
            number: Default::default(),
            index: Default::default(),
            is_clock: Default::default(),
            is_base: Default::default(),
            is_mask: Default::default(),
            clock_number: Constant::new(4.into()),
            base_number: Constant::new(5.into()),
            mask_number: Constant::new(6.into()),
            started_ff: Default::default(),
            settings: Default::default(),
            keep: Default::default(),
            is_sum: Default::default(),
            starting: Default::default(),
            clear: Default::default(),
            has_keep: Constant::new(!identity.plain),
            groups: Constant::new(identity.version >> 16 & 0xff == 2),
            recording_bit: Constant::new(0b00_0001.into()),
            ended_bit: Constant::new(0b00_0010.into()),
            triggered_bit: Constant::new(0b00_0100.into()),
            lost_bit: Constant::new(0b00_1000.into()),
            sent_bit: Constant::new(0b01_0000.into()),
            breach_bit: Constant::new(0b10_0000.into()),
        }
    }
}

impl<const RING_BITS: usize> Logic for DrainCore<RING_BITS> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, ring, framer, sum, message, control, command);
        dff_setup!(
            self,
            clock,
            started_ff,
            poking_ff,
            poked_number_ff,
            poked_value_ff
        );
        dff_setup!(self, clock, strap_ff, strapped_ff);
        self.ring.reset.next = self.reset.val();
        self.framer.reset.next = self.reset.val();
        self.message.reset.next = self.reset.val();
        self.control.reset.next = self.reset.val();
        self.command.reset.next = self.reset.val();

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
        self.key.next = self.control.key.val();
        self.watch.next = self.control.watch.val();
        self.watch_lo.next = self.control.watch_lo.val();
        self.watch_hi.next = self.control.watch_hi.val();
        self.order_mode.next = self.control.order_mode.val();

        // On an acknowledged link what was sent stays, and each piece follows its offset.
        self.keep.next = self.settings.val().get_bit(5) & self.has_keep.val();
        self.ring.keep.next = self.keep.val();
        self.ring.value.next = self.command.value.val();
        self.ring.acknowledge.next = self.message.set_kept.val() & self.keep.val();
        self.ring.again.next = self.message.set_sent.val() & self.keep.val();
        self.message.repeated.next = self.ring.repeated.val();
        self.ring.which.next = self.message.which.val();
        self.ring.index.next = self.message.index.val();
        self.ring.used.next = self.framer.message_shift.val();
        self.is_sum.next = self.message.which.val().all();
        self.sum.clear.next = self.clear.val() | self.reset.val();
        self.sum.starts.next = self.framer.byte_begin.val();
        self.sum.fresh.next = self.ring.fresh.val();
        self.sum.shift.next = self.framer.piece_shift.val();
        self.sum.data.next = self.framer.piece_bit.val();
        self.sum.turn.next =
            self.framer.message_shift.val() & self.message.link_bit.val() & self.is_sum.val();
        self.command.hold.next = self.message.reply_ready.val();

        self.ring.clear.next = self.clear.val();
        self.ring.hold.next = self.settings.val().get_bit(2) & !self.ended.val();
        self.ring.byte_valid.next = self.byte_valid.val();
        self.ring.byte_data.next = self.byte_data.val();
        self.ring.byte_last.next = self.byte_last.val();
        self.byte_ready.next = self.ring.byte_ready.val();
        self.ring.groups.next = self.groups.val();
        self.cut.next = self.ring.cut.val();
        self.ring.piece_start.next = self.framer.piece_start.val();
        self.ring.piece_take.next = self.framer.piece_take.val();

        self.framer.pause.next = self.starting.val() | self.ring.dropping.val();
        self.framer.placed.next = self.keep.val();
        self.framer.piece_ready.next = self.ring.piece_ready.val();
        self.framer.piece_first.next = self.ring.piece_first.val() & !self.keep.val();
        self.framer.piece_last.next = self.ring.piece_last.val();
        self.framer.piece_data.next = self.ring.piece_data.val();
        self.framer.piece_more.next = self.ring.piece_more.val();
        self.framer.reply_ready.next = self.message.reply_ready.val();
        self.framer.end_ready.next = self.message.end_due.val() & self.ring.empty.val();
        self.framer.message_data.next = self.message.data.val();
        self.framer.message_more.next = self.message.more.val();
        self.framer.tx_ready.next = self.tx_ready.val();
        self.tx_valid.next = self.framer.tx_valid.val();
        self.tx_data.next = self.framer.tx_data.val();

        self.message.clear.next = self.clear.val();
        self.message.fire.next =
            (self.command.fire.val() & !self.poking_ff.q.val()) | self.ask.val();
        self.message.register.next = self.command.register.val();
        if self.ask.val() {
            self.message.register.next = self.bus_register.val();
        }
        self.message.write.next = self.command.write.val() & !self.ask.val();
        self.message.breached.next = self.breached.val();
        self.message.ended.next = self.ended.val();
        self.message.end_reason.next =
            self.end_reason.val() | (bit_cast::<8, 5>(self.fired.val()) << 3);
        self.message.start_place.next = self.framer.piece_start.val() & self.keep.val();
        self.message.start.next =
            self.framer.message_start.val() | (self.framer.piece_start.val() & self.keep.val());
        self.message.start_end.next =
            self.framer.message_end.val() & self.framer.message_start.val();
        self.message.take.next = self.framer.message_take.val();
        self.message.bit_index.next = self.framer.message_bit.val();
        self.message.word.next = self.control.word.val();
        self.number.next = self.message.number.val();
        self.index.next = self.message.index.val();
        self.is_clock.next = self.number.val() == self.clock_number.val();
        self.is_base.next = self.number.val() == self.base_number.val();
        self.is_mask.next = self.number.val() == self.mask_number.val();
        self.strapped_ff.d.next = self.strapped.val()
            & !self.message.setting.val()
            & (self.is_clock.val() | self.is_base.val() | self.is_mask.val());
        self.strap_ff.d.next = (self.is_clock.val()
            & self.clock_hz.val().get_bit(self.index.val().index()))
            | (self.is_base.val() & self.mem_base.val().get_bit(self.index.val().index()))
            | (self.is_mask.val() & self.mem_mask.val().get_bit(self.index.val().index()));
        self.message.stored_bit.next = self.control.stored_bit.val();
        if self.strapped_ff.q.val() {
            self.message.stored_bit.next = self.strap_ff.q.val();
        }
        if self.message.link.val() {
            self.message.stored_bit.next = self.ring.offset_bit.val() & self.has_keep.val();
            if self.is_sum.val() {
                self.message.stored_bit.next = self.sum.out.val() & self.has_keep.val();
            }
        }
        if self.message.board.val() {
            self.message.stored_bit.next = self.board_bit.val();
        }
        self.board_fire.next = self.message.obey.val() & !self.ask.val();
        self.board_write.next = self.command.write.val();
        self.board_register.next = self.command.register.val();
        self.board_value.next = self.command.value.val();
        self.board_index.next = self.index.val();

        self.status.next = bit_cast::<11, 5>(self.fired.val()) << 6;
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
        if self.breached.val() {
            self.status.next = self.status.val() | self.breach_bit.val();
        }
        self.control.status.next = self.status.val();
        self.control_word.next = self.settings.val();

        // The host's commands and the bus's.
        self.quiet.next = !self.message.reply_ready.val()
            & !self.control.copying.val()
            & !self.poking_ff.q.val()
            & !self.command.fire.val();
        self.poking_ff.d.next =
            self.poke.val() | (self.poking_ff.q.val() & self.control.copying.val());
        if self.poke.val() {
            self.poked_number_ff.d.next = self.bus_register.val().get_bits::<4>(0);
            self.poked_value_ff.d.next = self.bus_value.val();
        } else if self.control.copying.val() {
            self.poked_value_ff.d.next = self.poked_value_ff.q.val() >> 1;
        }
        self.control.write.next =
            (self.message.obey.val() & self.command.write.val() & !self.ask.val())
                | self.poke.val();
        self.control.register.next = self.command.register.val();
        self.control.value.next = self.command.value.val();
        if self.poking_ff.q.val() {
            self.control.value.next = self.poked_value_ff.q.val();
        }
        if self.poke.val() {
            self.control.register.next = self.bus_register.val();
            self.control.value.next = self.bus_value.val();
        }
        self.control.pick.next = self.message.pick.val();
        self.control.setting.next = self.message.setting.val();
        self.control.number.next = self.number.val();
        if self.poking_ff.q.val() {
            self.control.number.next = self.poked_number_ff.q.val();
        }
        self.control.index.next = self.index.val();
        self.control.retired_lo.next = self.retired_lo.val();
        self.control.retired_hi.next = self.retired_hi.val();
        self.control.cycles_lo.next = self.cycles_lo.val();
        self.control.cycles_hi.next = self.cycles_hi.val();
        self.control.stalls_lo.next = self.stalls_lo.val();
        self.control.stalls_hi.next = self.stalls_hi.val();
        self.control.lost_lo.next = self.lost_lo.val();
        self.control.lost_hi.next = self.lost_hi.val();
        self.control.run_code.next = self.run_code.val();
        self.control.breach_rule.next = self.breach_rule.val();
        self.control.breach_at.next = self.breach_at.val();
        self.control.breach_pc.next = self.breach_pc.val();
        self.control.breach_insn.next = self.breach_insn.val();
        self.control.breach_want.next = self.breach_want.val();
        self.control.breach_got.next = self.breach_got.val();

        self.command.next_bit.next = self.control.copying.val() & !self.poking_ff.q.val();
        self.command.bit_valid.next = self.rx_bit_valid.val();
        self.command.bit_data.next = self.rx_bit_data.val();
        self.command.byte_valid.next = self.rx_byte_valid.val();
        self.command.byte_data.next = self.rx_byte_data.val();
        if self.reset.val() {
            self.poking_ff.d.next = false;
        }
    }
}

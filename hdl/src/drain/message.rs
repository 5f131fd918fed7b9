//! Composes the payloads of REPLY and END, bit by bit: one byte, then words of the register file; and
//! the offset before a piece of the log.
//!
//! ```text
//!  fire register ─► reply_ready ─┐
//!  ended ─────────► end_due ─────┼─► start, end ─► pick ─► (control) ─► word, identity
//!                                                                │
//!                                            bit_index ─► data, more ◄─┘  ◄─ take
//! ```
//! A setting or an identification comes bit by bit from where it is stored, and so do the link's and
//! the board's registers; of the rest a word is
//! captured and shifted out by bytes. A counter's word is captured whole, so that one that runs is not torn. END's counters are several
//! words: the front holds them still once it has `ended`.
//! A written offset takes effect when its REPLY begins, which is between two frames (`set_kept`,
//! `set_sent`); the command's value stands still until then.
//! A command that comes before the reply to the one before it was composed is not obeyed: `obey`
//! is the command that is. A host waits for each REPLY.

use rust_hdl::prelude::*;

/// The composer.
#[derive(LogicBlock)]
pub struct Message {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// A recording starts: its END is not sent yet.
    pub clear: Signal<In, Bit>,
    /// A command came.
    pub fire: Signal<In, Bit>,
    /// Its register.
    pub register: Signal<In, Bits<8>>,
    /// It is a WRITE.
    pub write: Signal<In, Bit>,
    /// The command is to be carried out now.
    pub obey: Signal<Out, Bit>,
    /// The front has ended a recording; low for a cycle at least between two recordings.
    pub ended: Signal<In, Bit>,
    /// Why it ended.
    pub end_reason: Signal<In, Bits<8>>,
    /// Bytes are sent again, and END after them if it was sent.
    pub repeated: Signal<In, Bit>,
    /// KEPT is to become the command's value.
    pub set_kept: Signal<Out, Bit>,
    /// SENT is to become it.
    pub set_sent: Signal<Out, Bit>,
    /// The core broke a rule: END tells which.
    pub breached: Signal<In, Bit>,
    /// A REPLY is to be sent.
    pub reply_ready: Signal<Out, Bit>,
    /// An END is to be sent when everything else was.
    pub end_due: Signal<Out, Bit>,
    /// The END was composed.
    pub end_sent: Signal<Out, Bit>,
    /// Begin a message.
    pub start: Signal<In, Bit>,
    /// With `start`: END, not REPLY.
    pub start_end: Signal<In, Bit>,
    /// With `start`: the offset of a piece, not REPLY.
    pub start_place: Signal<In, Bit>,
    /// Which bit of the next byte is wanted in the next cycle; right from three cycles after
    /// `start` on and two after `take`.
    pub bit_index: Signal<In, Bits<3>>,
    /// The bit that was wanted.
    pub data: Signal<Out, Bit>,
    /// There is a next byte.
    pub more: Signal<Out, Bit>,
    /// The byte was used.
    pub take: Signal<In, Bit>,
    /// The word wanted from the register file, see there.
    pub pick: Signal<Out, Bits<16>>,
    /// The word.
    pub word: Signal<In, Bits<32>>,
    /// The stored register wanted is a setting.
    pub setting: Signal<Out, Bit>,
    /// Its number.
    pub number: Signal<Out, Bits<4>>,
    /// The bit of it that will be wanted in the next cycle.
    pub index: Signal<Out, Bits<5>>,
    /// What is wanted is one of the link's registers.
    pub link: Signal<Out, Bit>,
    /// Which of them.
    pub which: Signal<Out, Bits<2>>,
    /// The bit at `data` is one of it.
    pub link_bit: Signal<Out, Bit>,
    /// What is wanted is one of the board's registers.
    pub board: Signal<Out, Bit>,
    /// The bit that was wanted.
    pub stored_bit: Signal<In, Bit>,
    reply_ff: DFF<Bit>,
    register_ff: DFF<Bits<8>>,
    write_ff: DFF<Bit>,
    /// The message under way is an offset.
    place_ff: DFF<Bit>,
    ended_ff: DFF<Bit>,
    due_ff: DFF<Bit>,
    sent_ff: DFF<Bit>,
    /// The message under way is END.
    end_ff: DFF<Bit>,
    more_ff: DFF<Bit>,
    /// The leading byte is next.
    lead_ff: DFF<Bit>,
    /// The byte of the word.
    slot_ff: DFF<Bits<2>>,
    pick_ff: DFF<Bits<16>>,
    load_ff: DFF<Bit>,
    word_ff: DFF<Bits<32>>,
    /// The bit, if it is not a stored one.
    data_ff: DFF<Bit>,
    /// It is a stored one.
    stored_ff: DFF<Bit>,
    group: Signal<Local, Bits<5>>,
    is_link: Signal<Local, Bit>,
    is_board: Signal<Local, Bit>,
    sets: Signal<Local, Bit>,
    low: Signal<Local, Bits<3>>,
    stored: Signal<Local, Bit>,
    counter: Signal<Local, Bit>,
    breach: Signal<Local, Bit>,
    asked: Signal<Local, Bits<16>>,
    word_end: Signal<Local, Bit>,
    message_end: Signal<Local, Bit>,
    word_byte: Signal<Local, Bits<8>>,
    lead_bit: Signal<Local, Bit>,
    leads: Signal<Local, Bits<8>>,
    reasons: Signal<Local, Bits<8>>,
    slot_step: Constant<Bits<2>>,
    counters: Constant<Bits<5>>,
    breaches: Constant<Bits<5>>,
    links: Constant<Bits<5>>,
    kept_number: Constant<Bits<3>>,
    sent_number: Constant<Bits<3>>,
    sent_which: Constant<Bits<2>>,
    status: Constant<Bits<3>>,
    lost: Constant<Bits<3>>,
    none: Constant<Bits<3>>,
    pick_run_code: Constant<Bits<16>>,
    pick_lost: Constant<Bits<16>>,
    pick_breach: Constant<Bits<16>>,
    pick_status: Constant<Bits<16>>,
}

impl Default for Message {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            clear: Default::default(),
            fire: Default::default(),
            register: Default::default(),
            write: Default::default(),
            obey: Default::default(),
            ended: Default::default(),
            end_reason: Default::default(),
            repeated: Default::default(),
            set_kept: Default::default(),
            set_sent: Default::default(),
            breached: Default::default(),
            reply_ready: Default::default(),
            end_due: Default::default(),
            end_sent: Default::default(),
            start: Default::default(),
            start_end: Default::default(),
            start_place: Default::default(),
            bit_index: Default::default(),
            data: Default::default(),
            more: Default::default(),
            take: Default::default(),
            pick: Default::default(),
            word: Default::default(),
            setting: Default::default(),
            number: Default::default(),
            index: Default::default(),
            link: Default::default(),
            which: Default::default(),
            link_bit: Default::default(),
            board: Default::default(),
            stored_bit: Default::default(),
            reply_ff: Default::default(),
            register_ff: Default::default(),
            write_ff: Default::default(),
            place_ff: Default::default(),
            ended_ff: Default::default(),
            due_ff: Default::default(),
            sent_ff: Default::default(),
            end_ff: Default::default(),
            more_ff: Default::default(),
            lead_ff: Default::default(),
            slot_ff: Default::default(),
            pick_ff: Default::default(),
            load_ff: Default::default(),
            word_ff: Default::default(),
            data_ff: Default::default(),
            stored_ff: Default::default(),
            group: Default::default(),
            is_link: Default::default(),
            is_board: Default::default(),
            sets: Default::default(),
            low: Default::default(),
            stored: Default::default(),
            counter: Default::default(),
            breach: Default::default(),
            asked: Default::default(),
            word_end: Default::default(),
            message_end: Default::default(),
            word_byte: Default::default(),
            lead_bit: Default::default(),
            leads: Default::default(),
            reasons: Default::default(),
            slot_step: Constant::new(1.into()),
            counters: Constant::new(4.into()),
            breaches: Constant::new(5.into()),
            links: Constant::new(6.into()),
            kept_number: Constant::new(0.into()),
            sent_number: Constant::new(1.into()),
            sent_which: Constant::new(1.into()),
            status: Constant::new(0.into()),
            lost: Constant::new(6.into()),
            none: Constant::new(7.into()),
            pick_run_code: Constant::new(1.into()),
            pick_lost: Constant::new((1u64 << 7).into()),
            pick_breach: Constant::new((1u64 << 9).into()),
            pick_status: Constant::new((1u64 << 15).into()),
        }
    }
}

impl Logic for Message {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            reply_ff,
            register_ff,
            ended_ff,
            due_ff,
            sent_ff,
            end_ff
        );
        dff_setup!(self, clock, more_ff, lead_ff, slot_ff, pick_ff, load_ff, word_ff);
        dff_setup!(self, clock, data_ff, stored_ff, write_ff, place_ff);
        self.reply_ready.next = self.reply_ff.q.val();
        self.end_due.next = self.due_ff.q.val();
        self.end_sent.next = self.sent_ff.q.val();
        self.more.next = self.more_ff.q.val();
        // Picked only to be captured: what is shifted is ORed with it.
        self.pick.next = 0.into();
        if self.load_ff.q.val() {
            self.pick.next = self.pick_ff.q.val();
        }

        self.obey.next = self.fire.val() & !self.reply_ff.q.val();
        if self.fire.val() & !self.reply_ff.q.val() {
            self.reply_ff.d.next = true;
            self.register_ff.d.next = self.register.val();
            self.write_ff.d.next = self.write.val();
        }
        self.ended_ff.d.next = self.ended.val();
        if self.ended.val() & !self.ended_ff.q.val() {
            self.due_ff.d.next = true;
        }

        self.group.next = self.register_ff.q.val().get_bits::<5>(3);
        self.low.next = self.register_ff.q.val().get_bits::<3>(0);
        // Sixteen of identification, sixteen settings; those that do not exist are stored as 0.
        self.stored.next = !self.group.val().get_bits::<3>(2).any();
        self.is_link.next = (self.group.val() == self.links.val()) & !self.low.val().get_bit(2);
        self.which.next = self.low.val().get_bits::<2>(0);
        self.is_board.next = self.group.val().get_bits::<2>(3).any() & !self.place_ff.q.val();
        self.board.next = self.is_board.val();
        if self.place_ff.q.val() {
            self.is_link.next = true;
            self.which.next = self.sent_which.val();
        }
        self.link.next = self.is_link.val();
        self.sets.next = self.start.val()
            & !self.start_end.val()
            & !self.start_place.val()
            & self.write_ff.q.val()
            & (self.group.val() == self.links.val());
        self.set_kept.next = self.sets.val() & (self.low.val() == self.kept_number.val());
        self.set_sent.next = self.sets.val() & (self.low.val() == self.sent_number.val());
        self.counter.next = self.group.val() == self.counters.val();
        self.breach.next = self.group.val() == self.breaches.val();
        self.setting.next = self.group.val().get_bit(1);
        self.number.next = self.register_ff.q.val().get_bits::<4>(0);
        self.asked.next = 0.into();
        if self.counter.val() {
            self.asked.next = self.pick_run_code.val() << self.low.val();
            if self.low.val() == self.status.val() {
                self.asked.next = self.pick_status.val();
            } else if self.low.val() == self.lost.val() {
                self.asked.next = self.pick_lost.val();
            } else if self.low.val() == self.none.val() {
                self.asked.next = 0.into();
            }
        }

        // The two registers after BREACH_GOT do not exist.
        if self.breach.val() & !self.low.val().get_bits::<2>(1).all() {
            self.asked.next = self.pick_breach.val() << self.low.val();
        }

        // A word is emptied, then loaded.
        self.word_end.next = self.take.val() & !self.lead_ff.q.val() & self.slot_ff.q.val().all();
        self.message_end.next = self.word_end.val()
            & (!self.end_ff.q.val()
                | (self.pick_ff.q.val().get_bit(8) & !self.breached.val())
                | self.pick_ff.q.val().get_bit(14));
        self.load_ff.d.next = self.start.val() | self.word_end.val();
        if self.load_ff.q.val() | (self.take.val() & !self.lead_ff.q.val()) {
            self.word_ff.d.next = (self.word_ff.q.val() >> 8) | self.word.val();
        }
        if self.start.val() | self.word_end.val() {
            self.word_ff.d.next = 0.into();
        }
        if self.take.val() {
            self.lead_ff.d.next = false;
        }
        if self.start.val() {
            self.lead_ff.d.next = !self.start_place.val();
            self.place_ff.d.next = self.start_place.val();
        }
        if self.take.val() & !self.lead_ff.q.val() {
            self.slot_ff.d.next = self.slot_ff.q.val() + self.slot_step.val();
        }
        if self.start.val() | self.word_end.val() {
            self.pick_ff.d.next = self.pick_ff.q.val() << 1;
            if self.start.val() {
                self.pick_ff.d.next = self.asked.val();
                if self.start_end.val() {
                    self.pick_ff.d.next = self.pick_run_code.val();
                }
            }
        }
        if self.start.val() {
            self.end_ff.d.next = self.start_end.val();
        }
        if self.message_end.val() {
            self.more_ff.d.next = false;
        }
        if self.start.val() {
            self.more_ff.d.next = true;
        }
        if self.message_end.val() & !self.end_ff.q.val() & !self.place_ff.q.val() {
            self.reply_ff.d.next = false;
        }
        if self.message_end.val() & self.end_ff.q.val() {
            self.due_ff.d.next = false;
            self.sent_ff.d.next = true;
        }

        // The bit.
        self.index.next =
            (bit_cast::<5, 2>(self.slot_ff.q.val()) << 3) | bit_cast::<5, 3>(self.bit_index.val());
        self.word_byte.next = self.word_ff.q.val().get_bits::<8>(0);
        self.leads.next = self.register_ff.q.val();
        self.reasons.next = self.end_reason.val();
        self.lead_bit.next = self.leads.val().get_bit(self.bit_index.val().index());
        if self.end_ff.q.val() {
            self.lead_bit.next = self.reasons.val().get_bit(self.bit_index.val().index());
        }
        self.data_ff.d.next = self.word_byte.val().get_bit(self.bit_index.val().index());
        if self.lead_ff.q.val() {
            self.data_ff.d.next = self.lead_bit.val();
        }
        self.stored_ff.d.next = (self.stored.val() | self.is_link.val() | self.is_board.val())
            & !self.lead_ff.q.val()
            & !self.end_ff.q.val();
        self.link_bit.next = self.stored_ff.q.val() & self.is_link.val();
        self.data.next = self.data_ff.q.val();
        if self.stored_ff.q.val() {
            self.data.next = self.stored_bit.val();
        }

        if self.repeated.val() & self.sent_ff.q.val() {
            self.due_ff.d.next = true;
            self.sent_ff.d.next = false;
        }
        if self.clear.val() {
            self.due_ff.d.next = false;
            self.sent_ff.d.next = false;
        }
        if self.reset.val() {
            self.reply_ff.d.next = false;
            self.ended_ff.d.next = false;
            self.due_ff.d.next = false;
            self.sent_ff.d.next = false;
            self.more_ff.d.next = false;
            self.slot_ff.d.next = 0.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::synthesises;
    use super::*;
    use crate::tick;

    #[test]
    fn synthesises_alone() {
        synthesises("drain_message", Message::default());
    }

    #[test]
    fn obeys_one_command_at_a_time() {
        let mut message = Message::default();
        message.connect_all();
        message.fire.next = true;
        message.register.next = 0x12u64.into();
        message.clock.next = Clock { clk: false };
        crate::harness::settle(&mut message);
        assert!(message.obey.val());
        tick!(message);
        assert!(message.reply_ready.val());
        assert!(!message.obey.val());
        message.fire.next = false;
        message.start.next = true;
        tick!(message);
        message.start.next = false;
        for byte in 0..5 {
            assert!(message.more.val(), "byte {byte}");
            tick!(message);
            tick!(message);
            message.take.next = true;
            tick!(message);
            message.take.next = false;
        }
        assert!(!message.more.val() && !message.reply_ready.val());
    }

    #[test]
    fn an_end_is_due_once_for_each_rise_of_ended() {
        let mut message = Message::default();
        message.connect_all();
        for _ in 0..2 {
            message.ended.next = true;
            tick!(message);
            assert!(message.end_due.val());
            message.clear.next = true;
            tick!(message);
            message.clear.next = false;
            tick!(message);
            tick!(message);
            assert!(!message.end_due.val());
            message.ended.next = false;
            tick!(message);
        }
    }
}

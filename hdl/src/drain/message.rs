//! Composes the payloads of REPLY and END, bit by bit: one byte, then words of the register file.
//!
//! ```text
//!  fire register ─► reply_ready ─┐
//!  ended ─────────► end_due ─────┼─► start, end ─► pick ─► (control) ─► counter, fixed
//!                                                                │
//!                                            bit_index ─► data, more ◄─┘  ◄─ take
//! ```
//! A counter's word is captured whole, so that one that runs is not torn. END's counters are several
//! words: the front holds them still once it has `ended`.
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
    /// The command is to be carried out now.
    pub obey: Signal<Out, Bit>,
    /// The front has ended a recording; low for a cycle at least between two recordings.
    pub ended: Signal<In, Bit>,
    /// Why it ended.
    pub end_reason: Signal<In, Bits<8>>,
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
    /// Which bit of the next byte is wanted.
    pub bit_index: Signal<In, Bits<3>>,
    /// The bit; a byte is there from three cycles after `start` on and two after `take`.
    pub data: Signal<Out, Bit>,
    /// There is a next byte.
    pub more: Signal<Out, Bit>,
    /// The byte was used.
    pub take: Signal<In, Bit>,
    /// The word wanted from the register file.
    pub pick: Signal<Out, Bits<5>>,
    /// The word, for picks from 16 on.
    pub counter: Signal<In, Bits<32>>,
    /// The bit of the word that is wanted.
    pub index: Signal<Out, Bits<5>>,
    /// The bit, for picks below 16.
    pub fixed: Signal<In, Bit>,
    reply_ff: DFF<Bit>,
    register_ff: DFF<Bits<8>>,
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
    pick_ff: DFF<Bits<5>>,
    load_ff: DFF<Bit>,
    word_ff: DFF<Bits<32>>,
    number: Signal<Local, Bits<3>>,
    group: Signal<Local, Bits<2>>,
    known: Signal<Local, Bit>,
    asked: Signal<Local, Bits<5>>,
    counter_number: Signal<Local, Bits<3>>,
    where_in_word: Signal<Local, Bits<5>>,
    lead: Signal<Local, Bits<8>>,
    last_word: Signal<Local, Bit>,
    high_next: Signal<Local, Bit>,
    run_code: Constant<Bits<5>>,
    high_words: Constant<Bits<5>>,
    counters: Constant<Bits<5>>,
    one: Constant<Bits<3>>,
    slot_step: Constant<Bits<2>>,
    lost: Constant<Bits<3>>,
}

impl Default for Message {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            clear: Default::default(),
            fire: Default::default(),
            register: Default::default(),
            obey: Default::default(),
            ended: Default::default(),
            end_reason: Default::default(),
            reply_ready: Default::default(),
            end_due: Default::default(),
            end_sent: Default::default(),
            start: Default::default(),
            start_end: Default::default(),
            bit_index: Default::default(),
            data: Default::default(),
            more: Default::default(),
            take: Default::default(),
            pick: Default::default(),
            counter: Default::default(),
            index: Default::default(),
            fixed: Default::default(),
            reply_ff: Default::default(),
            register_ff: Default::default(),
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
            number: Default::default(),
            group: Default::default(),
            known: Default::default(),
            asked: Default::default(),
            counter_number: Default::default(),
            where_in_word: Default::default(),
            lead: Default::default(),
            last_word: Default::default(),
            high_next: Default::default(),
            run_code: Constant::new(24.into()),
            high_words: Constant::new(8.into()),
            counters: Constant::new(16.into()),
            one: Constant::new(1.into()),
            slot_step: Constant::new(1.into()),
            lost: Constant::new(6.into()),
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
        self.reply_ready.next = self.reply_ff.q.val();
        self.end_due.next = self.due_ff.q.val();
        self.end_sent.next = self.sent_ff.q.val();
        self.more.next = self.more_ff.q.val();
        self.pick.next = self.pick_ff.q.val();

        self.obey.next = self.fire.val() & !self.reply_ff.q.val();
        if self.fire.val() & !self.reply_ff.q.val() {
            self.reply_ff.d.next = true;
            self.register_ff.d.next = self.register.val();
        }
        self.ended_ff.d.next = self.ended.val();
        if self.ended.val() & !self.ended_ff.q.val() {
            self.due_ff.d.next = true;
        }

        // The register numbers that exist: 0x00 to 0x06, 0x10 to 0x15, 0x20 to 0x26.
        self.number.next = self.register_ff.q.val().get_bits::<3>(0);
        self.group.next = self.register_ff.q.val().get_bits::<2>(4);
        self.known.next = !self.register_ff.q.val().get_bits::<2>(6).any()
            & !self.register_ff.q.val().get_bit(3)
            & !self.group.val().all()
            & !self.number.val().all()
            & !(self.group.val().get_bit(0) & (self.number.val() == self.lost.val()));
        self.asked.next =
            (bit_cast::<5, 2>(self.group.val()) << 3) | bit_cast::<5, 3>(self.number.val());

        // END's words: run code, RETIRED, CYCLES, STALLS, LOST, each low then high. The high words
        // of the last two have the numbers of the low ones in the group above.
        self.counter_number.next = self.pick_ff.q.val().get_bits::<3>(0);
        self.last_word.next = !self.end_ff.q.val()
            | (self.pick_ff.q.val().get_bit(3) & (self.counter_number.val() == self.lost.val()));
        self.high_next.next = !self.pick_ff.q.val().get_bit(3)
            & self.counter_number.val().get_bit(2)
            & self.counter_number.val().get_bits::<2>(0).any();
        self.load_ff.d.next = false;
        if self.load_ff.q.val() {
            self.word_ff.d.next = self.counter.val();
        }
        if self.take.val() {
            self.lead_ff.d.next = false;
            if !self.lead_ff.q.val() {
                self.slot_ff.d.next = self.slot_ff.q.val() + self.slot_step.val();
                if self.slot_ff.q.val().all() {
                    self.load_ff.d.next = true;
                    self.counter_number.next = self.counter_number.val() + self.one.val();
                    self.pick_ff.d.next =
                        self.counters.val() | bit_cast::<5, 3>(self.counter_number.val());
                    if self.high_next.val() {
                        self.pick_ff.d.next = self.pick_ff.q.val() | self.high_words.val();
                    }
                    if self.last_word.val() {
                        self.more_ff.d.next = false;
                        if self.end_ff.q.val() {
                            self.due_ff.d.next = false;
                            self.sent_ff.d.next = true;
                        } else {
                            self.reply_ff.d.next = false;
                        }
                    }
                }
            }
        }
        if self.start.val() {
            self.end_ff.d.next = self.start_end.val();
            self.more_ff.d.next = true;
            self.lead_ff.d.next = true;
            self.load_ff.d.next = true;
            self.pick_ff.d.next = self.asked.val();
            if self.start_end.val() {
                self.pick_ff.d.next = self.run_code.val();
            }
        }

        // The bit.
        self.where_in_word.next =
            (bit_cast::<5, 2>(self.slot_ff.q.val()) << 3) | bit_cast::<5, 3>(self.bit_index.val());
        self.index.next = self.where_in_word.val();
        self.lead.next = self.register_ff.q.val();
        if self.end_ff.q.val() {
            self.lead.next = self.end_reason.val();
        }
        if self.lead_ff.q.val() {
            self.data.next = self.lead.val().get_bit(self.bit_index.val().index());
        } else if !self.end_ff.q.val() & !self.known.val() {
            self.data.next = false;
        } else if self.pick_ff.q.val().get_bit(4) {
            self.data.next = self
                .word_ff
                .q
                .val()
                .get_bit(self.where_in_word.val().index());
        } else {
            self.data.next = self.fixed.val();
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
        }
    }
}

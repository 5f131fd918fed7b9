//! Between sequencer and event FIFO: what becomes of an event once the first-load tags have answered.
//!
//! ```text
//!  sequencer ─► event ─┬─ does not ask, or is not known ──► FIFO (an operation as one to be logged)
//!        tags ─► known ┴─ asks and is known ──► FIFO as an operation that is not logged,
//!                                               nothing at all for an instruction word
//! ```
//! The tags answer in the cycle after the event came. So neither the sequencer nor the FIFO waits for
//! them, and their comparison has a cycle to itself. If the FIFO is full, the event waits here with
//! its answer.

use rust_hdl::prelude::*;

circuit! {
    /// One event.
    pub struct Decision [] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// forget it
        pub clear: Signal<In, Bit>,
        /// take an event; not while `full`
        pub push: Signal<In, Bit>,
        /// the tags decide about it
        pub asks: Signal<In, Bit>,
        /// its kind, see `sequencer`: 2 or 4 if it asks
        pub kind: Signal<In, Bits<4>>,
        /// its position
        pub position: Signal<In, Bits<24>>,
        /// its value
        pub value: Signal<In, Bits<32>>,
        /// the tags' answer to the event that came in the cycle before
        pub known: Signal<In, Bit>,
        /// the FIFO takes nothing
        pub next_full: Signal<In, Bit>,
        /// no event can come
        pub full: Signal<Out, Bit>,
        /// nothing is in here
        pub empty: Signal<Out, Bit>,
        /// the FIFO gets an event
        pub next_push: Signal<Out, Bit>,
        /// its kind
        pub next_kind: Signal<Out, Bits<4>>,
        /// its position
        pub next_position: Signal<Out, Bits<24>>,
        /// its value
        pub next_value: Signal<Out, Bits<32>>,
        valid_ff: DFF<Bit>,
        asks_ff: DFF<Bit>,
        kind_ff: DFF<Bits<4>>,
        position_ff: DFF<Bits<24>>,
        value_ff: DFF<Bits<32>>,
        drops: Signal<Local, Bit>,
        logs: Signal<Local, Bit>,
    }
    constants {
        logged: 4 = 1,
    }
}

impl Logic for Decision {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            valid_ff,
            asks_ff,
            kind_ff,
            position_ff,
            value_ff
        );
        self.drops.next = self.asks_ff.q.val() & self.known.val() & self.kind_ff.q.val().get_bit(1);
        self.logs.next = self.asks_ff.q.val() & !self.known.val() & self.kind_ff.q.val().get_bit(2);
        self.next_kind.next = self.kind_ff.q.val();
        if self.logs.val() {
            self.next_kind.next = self.kind_ff.q.val() | self.logged.val();
        }
        self.next_position.next = self.position_ff.q.val();
        self.next_value.next = self.value_ff.q.val();
        self.next_push.next = self.valid_ff.q.val() & !self.drops.val() & !self.next_full.val();
        self.full.next = self.valid_ff.q.val() & self.next_full.val();
        self.empty.next = !self.valid_ff.q.val();

        if self.drops.val() | !self.next_full.val() {
            self.valid_ff.d.next = false;
        }
        self.asks_ff.d.next = false;
        self.kind_ff.d.next = self.next_kind.val();
        if self.push.val() {
            self.valid_ff.d.next = true;
            self.asks_ff.d.next = self.asks.val();
            self.kind_ff.d.next = self.kind.val();
            self.position_ff.d.next = self.position.val();
            self.value_ff.d.next = self.value.val();
        }
        if self.clear.val() {
            self.valid_ff.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::testing::{check_block, word};
    use crate::{harness::settle, tick};
    use lookback_model::stimulus::Random;
    use std::collections::VecDeque;

    #[test]
    fn synthesizes() {
        check_block(Decision::default(), "lookback_decision");
    }

    #[test]
    fn passes_every_event_with_its_answer() {
        let mut random = Random::new(17);
        let mut decision = Decision::default();
        decision.connect_all();
        let mut expected = VecDeque::new();
        // What the tags said of the event that came in the cycle before; anything otherwise.
        let mut answer = None;
        let (mut passed, mut dropped, mut held) = (0, 0, 0);
        for _ in 0..20_000 {
            decision.next_full.next = random.chance(400);
            decision.known.next = answer.take().unwrap_or_else(|| random.chance(500));
            settle(&mut decision);
            if decision.next_push.val() {
                assert!(!decision.next_full.val());
                let event = (
                    decision.next_kind.val().to_u32(),
                    decision.next_position.val().to_u32(),
                    decision.next_value.val().to_u32(),
                );
                assert_eq!(Some(event), expected.pop_front());
                passed += 1;
            }
            held += u32::from(decision.full.val());
            let push = !decision.full.val() && random.chance(700);
            decision.push.next = push;
            if push {
                let kind = random.pick(&[0u32, 1, 2, 2, 3, 4, 4, 5, 8]);
                let asks = kind == 2 || kind == 4;
                let asks = asks && random.chance(700);
                let known = random.chance(500);
                let (position, value) = (random.below(1 << 24), random.word());
                decision.kind.next = u64::from(kind).into();
                decision.asks.next = asks;
                decision.position.next = u64::from(position).into();
                decision.value.next = word(value);
                answer = Some(known);
                match (asks, known, kind) {
                    (true, true, 2) => dropped += 1,
                    (true, false, 4) => expected.push_back((5, position, value)),
                    _ => expected.push_back((kind, position, value)),
                }
            }
            tick!(decision);
        }
        assert!(passed > 5000 && dropped > 500 && held > 500);
        assert!(expected.len() <= 1);
    }
}

//! Events wait here for the dictionary and the link: `2^F` entries of block RAM, first in, first
//! out.
//!
//! The memory reads at the clock edge, so the word that will be the head next is addressed one
//! cycle ahead; an event is visible two cycles after it came.

use crate::memory::BlockRam;
use rust_hdl::prelude::*;

circuit! {
    /// Event FIFO that says early when it is about to fill: `RESERVE` entries before.
    pub struct EventFifo [F, RESERVE] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// forget everything
        pub clear: Signal<In, Bit>,
        /// take an event; not while `full`
        pub push: Signal<In, Bit>,
        /// what it is, see `sequencer`
        pub kind: Signal<In, Bits<4>>,
        /// position in the interval
        pub position: Signal<In, Bits<24>>,
        /// value, address or word
        pub value: Signal<In, Bits<32>>,
        /// drop the head
        pub pop: Signal<In, Bit>,
        /// there is a head
        pub valid: Signal<Out, Bit>,
        /// nothing is in here, visible or not
        pub empty: Signal<Out, Bit>,
        /// no place left
        pub full: Signal<Out, Bit>,
        /// fewer than `RESERVE` places left
        pub pressure: Signal<Out, Bit>,
        /// 16 or more events wait
        pub behind: Signal<Out, Bit>,
        /// the head's kind
        pub head_kind: Signal<Out, Bits<4>>,
        /// the head's position
        pub head_position: Signal<Out, Bits<24>>,
        /// the head's value
        pub head_value: Signal<Out, Bits<32>>,
        values: BlockRam<32, F>,
        kinds: BlockRam<28, F>,
        read_ff: DFF<Bits<F>>,
        write_ff: DFF<Bits<F>>,
        valid_ff: DFF<Bit>,
        full_ff: DFF<Bit>,
        read: Signal<Local, Bits<F>>,
        used: Signal<Local, Bits<F>>,
        beyond: Signal<Local, Bits<F>>,
        tag: Signal<Local, Bits<28>>,
        write: Signal<Local, Bits<F>>,
    }
    constants {
        zero: F = 0,
        limit: F = (1usize << F) - RESERVE,
        few: 3 = 4,
    }
    check {
        assert!(RESERVE < 1 << F, "the reserve must leave places");
    }
}

impl<const F: usize, const RESERVE: usize> Logic for EventFifo<F, RESERVE> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, read_ff, write_ff, valid_ff, full_ff);
        self.values.clock.next = self.clock.val();
        self.kinds.clock.next = self.clock.val();
        // Adding the bit itself takes a carry chain and no multiplexer.
        self.read.next = self.read_ff.q.val() + self.pop.val();
        self.write.next = self.write_ff.q.val() + self.push.val();
        self.values.read_address.next = self.read.val();
        self.kinds.read_address.next = self.read.val();
        self.values.write_address.next = self.write_ff.q.val();
        self.kinds.write_address.next = self.write_ff.q.val();
        self.values.write_enable.next = self.push.val();
        self.kinds.write_enable.next = self.push.val();
        self.values.write_data.next = self.value.val();
        self.kinds.write_data.next =
            bit_cast::<28, 24>(self.position.val()) | (bit_cast::<28, 4>(self.kind.val()) << 24);
        self.tag.next = self.kinds.read_data.val();
        self.head_kind.next = self.tag.val().get_bits::<4>(24);
        self.head_position.next = self.tag.val().get_bits::<24>(0);
        self.head_value.next = self.values.read_data.val();

        self.valid.next = self.valid_ff.q.val();
        self.full.next = self.full_ff.q.val();
        self.used.next = self.write_ff.q.val() - self.read_ff.q.val();
        self.empty.next = !self.used.val().any() & !self.full_ff.q.val();
        self.pressure.next = (self.used.val() > self.limit.val()) | self.full_ff.q.val();
        self.beyond.next = self.used.val() >> self.few.val();
        self.behind.next = self.beyond.val().any() | self.full_ff.q.val();
        // An event of this cycle can be read at the next edge, not at this one.
        self.valid_ff.d.next =
            (self.read.val() != self.write_ff.q.val()) | (self.full_ff.q.val() & !self.pop.val());
        if self.push.val() {
            self.full_ff.d.next = self.write.val() == self.read.val();
        } else if self.pop.val() {
            self.full_ff.d.next = false;
        }
        self.read_ff.d.next = self.read.val();
        self.write_ff.d.next = self.write.val();
        if self.clear.val() {
            self.read_ff.d.next = self.zero.val();
            self.write_ff.d.next = self.zero.val();
            self.valid_ff.d.next = false;
            self.full_ff.d.next = false;
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
        check_block(EventFifo::<9, 32>::default(), "lookback_event_fifo");
    }

    #[test]
    fn keeps_order_and_loses_nothing() {
        let mut random = Random::new(5);
        let mut fifo = EventFifo::<3, 4>::default();
        fifo.connect_all();
        let mut expected = VecDeque::new();
        let (mut filled, mut emptied) = (0, 0);
        for step in 0..6000 {
            let eager = step / 500 % 2 == 0;
            let push = !fifo.full.val() && random.chance(if eager { 800 } else { 200 });
            let pop = fifo.valid.val() && random.chance(if eager { 200 } else { 800 });
            let event = (random.below(16), random.below(1 << 24), random.word());
            fifo.push.next = push;
            fifo.kind.next = u64::from(event.0).into();
            fifo.position.next = u64::from(event.1).into();
            fifo.value.next = word(event.2);
            fifo.pop.next = pop;
            settle(&mut fifo);
            assert_eq!(fifo.empty.val(), expected.is_empty());
            assert_eq!(fifo.full.val(), expected.len() == 8);
            assert_eq!(fifo.pressure.val(), expected.len() > 4);
            assert_eq!(fifo.behind.val(), expected.len() == 8);
            filled += u32::from(fifo.full.val());
            emptied += u32::from(fifo.empty.val());
            if pop {
                let head = (
                    fifo.head_kind.val().to_u32(),
                    fifo.head_position.val().to_u32(),
                    fifo.head_value.val().to_u32(),
                );
                assert_eq!(Some(head), expected.pop_front());
            }
            if push {
                expected.push_back(event);
            }
            tick!(fifo);
        }
        assert!(filled > 100 && emptied > 100);
    }
}

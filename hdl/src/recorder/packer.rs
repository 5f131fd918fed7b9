//! Packs chunks of up to eight bits into bytes, least significant bit first, a chunk a cycle.
//!
//! ```text
//!  bits ──► rotate by the fill level ──┬─ from the fill level up ──► byte_data
//!                                      └─ below it ──► start of the next byte
//! ```
//! What does not yet make a byte is kept for each hart by itself.

use crate::memory::PerHart;
use rust_hdl::prelude::*;

circuit! {
    /// Bit packer of `N` harts with a byte stream at its end.
    pub struct Packer [N] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// forget everything of `hart`, and the byte
        pub clear: Signal<In, Bit>,
        /// whose chunk it is
        pub hart: Signal<In, Bits<2>>,
        /// take a chunk; only while `ready`
        pub load: Signal<In, Bit>,
        /// the chunk; bits above its size are zero
        pub bits: Signal<In, Bits<8>>,
        /// its size less one
        pub size: Signal<In, Bits<3>>,
        /// instead of a chunk (`bits` is zero): zero bits up to the next byte
        pub align: Signal<In, Bit>,
        /// the chunk ends a record (at a byte boundary)
        pub last: Signal<In, Bit>,
        /// a chunk is taken in this cycle
        pub ready: Signal<Out, Bit>,
        /// no whole byte is left in here
        pub idle: Signal<Out, Bit>,
        /// a byte is offered
        pub byte_valid: Signal<Out, Bit>,
        /// whose
        pub byte_hart: Signal<Out, Bits<2>>,
        /// the byte
        pub byte_data: Signal<Out, Bits<8>>,
        /// it ends an interval or a gap
        pub byte_last: Signal<Out, Bit>,
        /// it is taken
        pub byte_ready: Signal<In, Bit>,
        parts: PerHart<8, N>,
        fills: PerHart<3, N>,
        hart_ff: DFF<Bits<2>>,
        byte_ff: DFF<Bits<8>>,
        byte_valid_ff: DFF<Bit>,
        byte_last_ff: DFF<Bit>,
        by_one: Signal<Local, Bits<8>>,
        by_two: Signal<Local, Bits<8>>,
        rotated: Signal<Local, Bits<8>>,
        above: Signal<Local, Bits<8>>,
        joined: Signal<Local, Bits<8>>,
        part: Signal<Local, Bits<8>>,
        fill: Signal<Local, Bits<3>>,
        left: Signal<Local, Bits<8>>,
        level: Signal<Local, Bits<4>>,
        emits: Signal<Local, Bit>,
    }
    constants {
        all: 8 = 0xff,
        one_bit: 4 = 1,
        no_fill: 3 = 0,
    }
}

impl<const N: usize> Logic for Packer<N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, hart_ff, byte_ff, byte_valid_ff, byte_last_ff);
        self.parts.clock.next = self.clock.val();
        self.fills.clock.next = self.clock.val();
        self.parts.read_hart.next = self.hart.val();
        self.fills.read_hart.next = self.hart.val();
        self.part.next = self.parts.read_data.val();
        self.fill.next = self.fills.read_data.val();
        self.by_one.next = self.bits.val();
        if self.fill.val().get_bit(0) {
            self.by_one.next = (self.bits.val() << 1) | (self.bits.val() >> 7);
        }
        self.by_two.next = self.by_one.val();
        if self.fill.val().get_bit(1) {
            self.by_two.next = (self.by_one.val() << 2) | (self.by_one.val() >> 6);
        }
        self.rotated.next = self.by_two.val();
        if self.fill.val().get_bit(2) {
            self.rotated.next = (self.by_two.val() << 4) | (self.by_two.val() >> 4);
        }
        self.above.next = self.all.val() << self.fill.val();
        self.joined.next =
            (self.rotated.val() & self.above.val()) | (self.part.val() & !self.above.val());
        self.level.next = bit_cast::<4, 3>(self.fill.val())
            + bit_cast::<4, 3>(self.size.val())
            + self.one_bit.val();
        self.emits.next = self.level.val().get_bit(3);
        if self.align.val() {
            self.emits.next = self.fill.val().any();
        }

        self.ready.next = !self.byte_valid_ff.q.val() | self.byte_ready.val();
        if self.byte_ready.val() {
            self.byte_valid_ff.d.next = false;
        }
        self.parts.write_enable.next = self.load.val();
        self.parts.write_hart.next = self.hart.val();
        self.left.next = self.joined.val();
        if self.emits.val() {
            self.left.next = self.rotated.val() & !self.above.val();
        }
        self.parts.write_data.next = self.left.val();
        self.fills.write_enable.next = self.load.val() | self.clear.val();
        self.fills.write_hart.next = self.hart.val();
        self.fills.write_data.next = self.level.val().get_bits::<3>(0);
        if self.align.val() | self.clear.val() {
            self.fills.write_data.next = self.no_fill.val();
        }
        if self.load.val() {
            if self.emits.val() {
                self.byte_valid_ff.d.next = true;
            }
            self.hart_ff.d.next = self.hart.val();
            self.byte_ff.d.next = self.joined.val();
            self.byte_last_ff.d.next = self.last.val();
        }
        self.idle.next = !self.byte_valid_ff.q.val();
        self.byte_valid.next = self.byte_valid_ff.q.val();
        self.byte_hart.next = self.hart_ff.q.val();
        self.byte_data.next = self.byte_ff.q.val();
        self.byte_last.next = self.byte_last_ff.q.val();
        if self.clear.val() {
            self.byte_valid_ff.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::testing::check_block;
    use crate::{harness::settle, tick};
    use lookback_log_format::bits::BitWriter;
    use lookback_model::stimulus::Random;

    #[test]
    fn synthesizes() {
        check_block(Packer::<1>::default(), "lookback_packer");
        check_block(Packer::<2>::default(), "lookback_packer_2");
    }

    #[test]
    fn equals_the_bit_writer_under_back_pressure() {
        let mut random = Random::new(10);
        let mut packer = Packer::<1>::default();
        packer.connect_all();
        let (mut expected, mut bytes, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        for _record in 0..100 {
            let mut writer = BitWriter::new();
            // (bits, size, align)
            let mut chunks = Vec::new();
            for _ in 0..random.below(120) {
                let size = 1 + random.below(8);
                let value = random.word() & ((1 << size) - 1);
                writer.put(value, size);
                chunks.push((value, size, false));
            }
            expected.extend(writer.finish());
            chunks.push((0, 1 + random.below(8), true));
            for byte in [1, 2, 3, 4, 5] {
                expected.push(byte);
                chunks.push((u32::from(byte), 8, false));
            }
            ends.push(expected.len());
            chunks.reverse();
            while !chunks.is_empty() || !packer.idle.val() {
                packer.byte_ready.next = random.chance(600);
                settle(&mut packer);
                if packer.byte_valid.val() && packer.byte_ready.val() {
                    bytes.push(packer.byte_data.val().to_u8());
                    assert_eq!(packer.byte_last.val(), ends.contains(&bytes.len()));
                }
                packer.load.next = false;
                if packer.ready.val() && random.chance(900) {
                    if let Some((value, size, align)) = chunks.pop() {
                        packer.load.next = true;
                        packer.bits.next = u64::from(value).into();
                        packer.size.next = u64::from(size - 1).into();
                        packer.align.next = align;
                        packer.last.next = chunks.is_empty();
                    }
                }
                tick!(packer);
                packer.load.next = false;
                settle(&mut packer);
            }
        }
        assert_eq!(bytes, expected);
    }
}

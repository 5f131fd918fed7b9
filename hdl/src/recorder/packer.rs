//! Packs fields of up to 32 bits into bytes, least significant bit first, eight bits a cycle.
//!
//! ```text
//!  field ──► [ field_ff >> 8 ] ──8 bits──► [ at the fill level ] ──► byte_data
//! ```
//! A field of n bits takes n / 8 cycles, rounded up, and the next can follow without a pause.

use rust_hdl::prelude::*;

circuit! {
    /// Bit packer with a byte stream at its end.
    pub struct Packer [] {
        /// clock
        pub clock: Signal<In, Clock>,
        /// forget everything
        pub clear: Signal<In, Bit>,
        /// take a field; only while `ready`
        pub load: Signal<In, Bit>,
        /// the field; bits above its width do not matter
        pub field: Signal<In, Bits<32>>,
        /// its width, 1 to 32
        pub width: Signal<In, Bits<6>>,
        /// instead of a field: zero bits up to the next byte; only while `empty`
        pub align: Signal<In, Bit>,
        /// the field ends a record (at a byte boundary)
        pub last: Signal<In, Bit>,
        /// a field is taken in this cycle
        pub ready: Signal<Out, Bit>,
        /// no field is under way
        pub empty: Signal<Out, Bit>,
        /// no whole byte is left in here
        pub idle: Signal<Out, Bit>,
        /// a byte is offered
        pub byte_valid: Signal<Out, Bit>,
        /// the byte
        pub byte_data: Signal<Out, Bits<8>>,
        /// it ends an interval or a gap
        pub byte_last: Signal<Out, Bit>,
        /// it is taken
        pub byte_ready: Signal<In, Bit>,
        field_ff: DFF<Bits<32>>,
        left_ff: DFF<Bits<6>>,
        last_ff: DFF<Bit>,
        part_ff: DFF<Bits<8>>,
        fill_ff: DFF<Bits<3>>,
        byte_ff: DFF<Bits<8>>,
        byte_valid_ff: DFF<Bit>,
        byte_last_ff: DFF<Bit>,
        ends: Signal<Local, Bit>,
        amount: Signal<Local, Bits<4>>,
        beyond: Signal<Local, Bits<8>>,
        chunk: Signal<Local, Bits<8>>,
        joined: Signal<Local, Bits<16>>,
        level: Signal<Local, Bits<4>>,
        open_bits: Signal<Local, Bits<3>>,
        steps: Signal<Local, Bit>,
        emits: Signal<Local, Bit>,
    }
    constants {
        eight: 6 = 8,
        eight_bits: 4 = 8,
        none_left: 6 = 0,
        zero_field: 32 = 0,
        all: 8 = 0xff,
        no_part: 8 = 0,
        no_fill: 3 = 0,
    }
}

impl Logic for Packer {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            field_ff,
            left_ff,
            last_ff,
            part_ff,
            fill_ff,
            byte_ff,
            byte_valid_ff,
            byte_last_ff
        );
        // The next bits of the field and where they go.
        self.ends.next = self.left_ff.q.val() <= self.eight.val();
        self.amount.next = self.eight_bits.val();
        self.beyond.next = self.no_part.val();
        if self.ends.val() {
            self.amount.next = self.left_ff.q.val().get_bits::<4>(0);
            self.beyond.next = self.all.val() << self.amount.val();
        }
        self.chunk.next = self.field_ff.q.val().get_bits::<8>(0) & !self.beyond.val();
        self.joined.next = bit_cast::<16, 8>(self.chunk.val()) << self.fill_ff.q.val();
        self.joined.next = self.joined.val() | bit_cast::<16, 8>(self.part_ff.q.val());
        self.level.next = self.amount.val() + bit_cast::<4, 3>(self.fill_ff.q.val());
        self.emits.next = self.level.val().get_bit(3);
        self.empty.next = !self.left_ff.q.val().any();
        self.steps.next = !self.empty.val()
            & (!self.emits.val() | !self.byte_valid_ff.q.val() | self.byte_ready.val());
        self.ready.next = self.empty.val() | (self.steps.val() & self.ends.val());

        self.open_bits.next = self.no_fill.val() - self.fill_ff.q.val();

        if self.byte_ready.val() {
            self.byte_valid_ff.d.next = false;
        }
        if self.steps.val() {
            self.field_ff.d.next = self.field_ff.q.val() >> 8;
            self.left_ff.d.next = self.left_ff.q.val() - self.eight.val();
            if self.ends.val() {
                self.left_ff.d.next = self.none_left.val();
            }
            self.fill_ff.d.next = self.level.val().get_bits::<3>(0);
            self.part_ff.d.next = self.joined.val().get_bits::<8>(0);
            if self.emits.val() {
                self.part_ff.d.next = self.joined.val().get_bits::<8>(8);
                self.byte_ff.d.next = self.joined.val().get_bits::<8>(0);
                self.byte_valid_ff.d.next = true;
                self.byte_last_ff.d.next = self.last_ff.q.val() & self.ends.val();
            }
        }
        if self.load.val() {
            self.field_ff.d.next = self.field.val();
            self.left_ff.d.next = self.width.val();
            self.last_ff.d.next = self.last.val();
            if self.align.val() {
                self.field_ff.d.next = self.zero_field.val();
                self.left_ff.d.next = bit_cast::<6, 3>(self.open_bits.val());
            }
        }
        self.idle.next = self.empty.val() & !self.byte_valid_ff.q.val();
        self.byte_valid.next = self.byte_valid_ff.q.val();
        self.byte_data.next = self.byte_ff.q.val();
        self.byte_last.next = self.byte_last_ff.q.val();
        if self.clear.val() {
            self.left_ff.d.next = self.none_left.val();
            self.part_ff.d.next = self.no_part.val();
            self.fill_ff.d.next = self.no_fill.val();
            self.byte_valid_ff.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::testing::{check_block, word};
    use crate::{harness::settle, tick};
    use lookback_log_format::bits::BitWriter;
    use lookback_model::stimulus::Random;

    #[test]
    fn synthesizes() {
        check_block(Packer::default(), "lookback_packer");
    }

    #[test]
    fn equals_the_bit_writer_under_back_pressure() {
        let mut random = Random::new(10);
        let mut packer = Packer::default();
        packer.connect_all();
        let (mut expected, mut bytes, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        for _record in 0..100 {
            let mut writer = BitWriter::new();
            let mut fields: Vec<(u32, u32)> = (0..random.below(40))
                .map(|_| (random.word(), 1 + random.below(32)))
                .collect();
            for &(value, width) in &fields {
                let mask = (1u64 << width) - 1;
                writer.put((u64::from(value) & mask) as u32, width);
            }
            expected.extend(writer.finish());
            expected.extend([1, 2, 3, 4, 5]);
            ends.push(expected.len());
            fields.reverse();
            let mut tail = vec![(5, 8), (0x0403_0201, 32)];
            loop {
                packer.byte_ready.next = random.chance(600);
                packer.load.next = false;
                packer.align.next = false;
                packer.last.next = false;
                settle(&mut packer);
                if packer.byte_valid.val() && packer.byte_ready.val() {
                    bytes.push(packer.byte_data.val().to_u8());
                    assert_eq!(packer.byte_last.val(), ends.contains(&bytes.len()));
                }
                if let Some(&(value, width)) = fields.last() {
                    if packer.ready.val() {
                        packer.load.next = true;
                        packer.field.next = word(value);
                        packer.width.next = u64::from(width).into();
                        fields.pop();
                    }
                } else if tail.len() == 2 && packer.empty.val() {
                    packer.load.next = true;
                    packer.align.next = true;
                    tail.push((0, 0));
                } else if tail.len() == 3 && packer.ready.val() {
                    tail.pop();
                    packer.load.next = true;
                    packer.field.next = word(0x0403_0201);
                    packer.width.next = 32.into();
                    tail.pop();
                } else if tail.len() == 1 && packer.ready.val() {
                    packer.load.next = true;
                    packer.field.next = word(5);
                    packer.width.next = 8.into();
                    packer.last.next = true;
                    tail.pop();
                } else if tail.is_empty() && packer.idle.val() {
                    break;
                }
                tick!(packer);
            }
        }
        assert_eq!(bytes, expected);
    }
}

//! The registers: what the host sets for the front, and what it can read.
//!
//! ```text
//!  write register value ─► CONTROL … POST_TRIGGER ─► enable may_stall … post_trigger
//!  pick ─► word                       (of the settings and the front's status)
//!  number, index ─► identity_bit      (of the identification)
//! ```
//! `pick` has one bit for each word, all words gated by their bits are ORed: that maps to a third
//! fewer LUTs than a tree of choices. END's words come first and in its order, so that it picks
//! them by shifting:
//!
//! | bit | 0 | 1, 2 | 3, 4 | 5, 6 | 7, 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15 |
//! |---|---|---|---|---|---|---|---|---|---|---|---|---|
//! | word | run code | RETIRED | CYCLES | STALLS | LOST | STATUS | CONTROL | INTERVAL | COUNT_BITS | IMAGE_LO | IMAGE_HI | POST_TRIGGER |
//!
//! Only bits that a legal value can have are kept: 24 of INTERVAL (COUNT_BITS is at most 24), the
//! upper 26 of IMAGE_LO and IMAGE_HI (multiples of 64), 5 of COUNT_BITS, 4 of CONTROL.

use rust_hdl::prelude::*;

/// The read-only words that tell a host what recorder this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// VERSION: format version, codec, harts.
    pub version: u32,
    /// TAGS: shape of the first-load tags.
    pub tags: u32,
    /// SIZES: dictionary, dirty bitmap, ring, event FIFO.
    pub sizes: u32,
    /// CLOCK, in Hz.
    pub clock_hz: u32,
    /// MEM_BASE.
    pub mem_base: u32,
    /// MEM_MASK.
    pub mem_mask: u32,
}

/// "LOOK".
const ID: u64 = 0x4b4f_4f4c;

/// The register file.
#[derive(LogicBlock)]
pub struct Control {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset: all registers are 0.
    pub reset: Signal<In, Bit>,
    /// Write `value` to `register`; unknown and read-only ones stay as they are.
    pub write: Signal<In, Bit>,
    /// Register number as in the log format.
    pub register: Signal<In, Bits<8>>,
    /// What to write.
    pub value: Signal<In, Bits<32>>,
    /// Which word to give.
    pub pick: Signal<In, Bits<16>>,
    /// The word, 0 if none is picked.
    pub word: Signal<Out, Bits<32>>,
    /// Which identification register, 0 to 6, to give a bit of.
    pub number: Signal<In, Bits<3>>,
    /// Which bit.
    pub index: Signal<In, Bits<5>>,
    /// The bit.
    pub identity_bit: Signal<Out, Bit>,
    /// STATUS.
    pub status: Signal<In, Bits<5>>,
    /// RETIRED, low.
    pub retired_lo: Signal<In, Bits<32>>,
    /// RETIRED, high.
    pub retired_hi: Signal<In, Bits<32>>,
    /// CYCLES, low.
    pub cycles_lo: Signal<In, Bits<32>>,
    /// CYCLES, high.
    pub cycles_hi: Signal<In, Bits<32>>,
    /// STALLS, low.
    pub stalls_lo: Signal<In, Bits<32>>,
    /// Stalls, high.
    pub stalls_hi: Signal<In, Bits<32>>,
    /// LOST, low.
    pub lost_lo: Signal<In, Bits<32>>,
    /// Lost, high.
    pub lost_hi: Signal<In, Bits<32>>,
    /// The run's code.
    pub run_code: Signal<In, Bits<32>>,
    /// CONTROL: bit 0 record, 1 may stall, 2 ring, 3 trigger on trap.
    pub control: Signal<Out, Bits<4>>,
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
    control_ff: DFF<Bits<4>>,
    interval_ff: DFF<Bits<24>>,
    count_bits_ff: DFF<Bits<5>>,
    image_lo_ff: DFF<Bits<26>>,
    image_hi_ff: DFF<Bits<26>>,
    post_trigger_ff: DFF<Bits<32>>,
    picked: Signal<Local, Bits<32>>,
    id_word: Signal<Local, Bits<32>>,
    version_word: Signal<Local, Bits<32>>,
    tags_word: Signal<Local, Bits<32>>,
    sizes_word: Signal<Local, Bits<32>>,
    clock_hz_word: Signal<Local, Bits<32>>,
    mem_base_word: Signal<Local, Bits<32>>,
    mem_mask_word: Signal<Local, Bits<32>>,
    writable: Constant<Bits<5>>,
    id: Constant<Bits<32>>,
    version: Constant<Bits<32>>,
    tags: Constant<Bits<32>>,
    sizes: Constant<Bits<32>>,
    clock_hz: Constant<Bits<32>>,
    mem_base: Constant<Bits<32>>,
    mem_mask: Constant<Bits<32>>,
}

impl Control {
    /// A register file with these constants.
    pub fn new(identity: Identity) -> Self {
        let word = |value: u32| Constant::new(u64::from(value).into());
        Self {
            clock: Default::default(),
            reset: Default::default(),
            write: Default::default(),
            register: Default::default(),
            value: Default::default(),
            pick: Default::default(),
            word: Default::default(),
            number: Default::default(),
            index: Default::default(),
            identity_bit: Default::default(),
            status: Default::default(),
            retired_lo: Default::default(),
            retired_hi: Default::default(),
            cycles_lo: Default::default(),
            cycles_hi: Default::default(),
            stalls_lo: Default::default(),
            stalls_hi: Default::default(),
            lost_lo: Default::default(),
            lost_hi: Default::default(),
            run_code: Default::default(),
            control: Default::default(),
            interval: Default::default(),
            count_bits: Default::default(),
            image_lo: Default::default(),
            image_hi: Default::default(),
            post_trigger: Default::default(),
            control_ff: Default::default(),
            interval_ff: Default::default(),
            count_bits_ff: Default::default(),
            image_lo_ff: Default::default(),
            image_hi_ff: Default::default(),
            post_trigger_ff: Default::default(),
            picked: Default::default(),
            id_word: Default::default(),
            version_word: Default::default(),
            tags_word: Default::default(),
            sizes_word: Default::default(),
            clock_hz_word: Default::default(),
            mem_base_word: Default::default(),
            mem_mask_word: Default::default(),
            writable: Constant::new(0b00010.into()),
            id: Constant::new(ID.into()),
            version: word(identity.version),
            tags: word(identity.tags),
            sizes: word(identity.sizes),
            clock_hz: word(identity.clock_hz),
            mem_base: word(identity.mem_base),
            mem_mask: word(identity.mem_mask),
        }
    }
}

impl Logic for Control {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, control_ff, interval_ff, count_bits_ff);
        dff_setup!(self, clock, image_lo_ff, image_hi_ff, post_trigger_ff);
        self.control.next = self.control_ff.q.val();
        self.interval.next = bit_cast::<32, 24>(self.interval_ff.q.val());
        self.count_bits.next = self.count_bits_ff.q.val();
        self.image_lo.next = bit_cast::<32, 26>(self.image_lo_ff.q.val()) << 6;
        self.image_hi.next = bit_cast::<32, 26>(self.image_hi_ff.q.val()) << 6;
        self.post_trigger.next = self.post_trigger_ff.q.val();

        if self.write.val() & (self.register.val().get_bits::<5>(3) == self.writable.val()) {
            if self.register.val().get_bit(2) {
                if self.register.val().get_bit(1) {
                    self.control_ff.d.next = self.control_ff.q.val();
                } else if self.register.val().get_bit(0) {
                    self.post_trigger_ff.d.next = self.value.val();
                } else {
                    self.image_hi_ff.d.next = self.value.val().get_bits::<26>(6);
                }
            } else if self.register.val().get_bit(1) {
                if self.register.val().get_bit(0) {
                    self.image_lo_ff.d.next = self.value.val().get_bits::<26>(6);
                } else {
                    self.count_bits_ff.d.next = self.value.val().get_bits::<5>(0);
                }
            } else if self.register.val().get_bit(0) {
                self.interval_ff.d.next = self.value.val().get_bits::<24>(0);
            } else {
                self.control_ff.d.next = self.value.val().get_bits::<4>(0);
            }
        }

        self.picked.next = 0.into();
        if self.pick.val().get_bit(0) {
            self.picked.next = self.picked.val() | self.run_code.val();
        }
        if self.pick.val().get_bit(1) {
            self.picked.next = self.picked.val() | self.retired_lo.val();
        }
        if self.pick.val().get_bit(2) {
            self.picked.next = self.picked.val() | self.retired_hi.val();
        }
        if self.pick.val().get_bit(3) {
            self.picked.next = self.picked.val() | self.cycles_lo.val();
        }
        if self.pick.val().get_bit(4) {
            self.picked.next = self.picked.val() | self.cycles_hi.val();
        }
        if self.pick.val().get_bit(5) {
            self.picked.next = self.picked.val() | self.stalls_lo.val();
        }
        if self.pick.val().get_bit(6) {
            self.picked.next = self.picked.val() | self.stalls_hi.val();
        }
        if self.pick.val().get_bit(7) {
            self.picked.next = self.picked.val() | self.lost_lo.val();
        }
        if self.pick.val().get_bit(8) {
            self.picked.next = self.picked.val() | self.lost_hi.val();
        }
        if self.pick.val().get_bit(9) {
            self.picked.next = self.picked.val() | bit_cast::<32, 5>(self.status.val());
        }
        if self.pick.val().get_bit(10) {
            self.picked.next = self.picked.val() | bit_cast::<32, 4>(self.control_ff.q.val());
        }
        if self.pick.val().get_bit(11) {
            self.picked.next = self.picked.val() | self.interval.val();
        }
        if self.pick.val().get_bit(12) {
            self.picked.next = self.picked.val() | bit_cast::<32, 5>(self.count_bits_ff.q.val());
        }
        if self.pick.val().get_bit(13) {
            self.picked.next = self.picked.val() | self.image_lo.val();
        }
        if self.pick.val().get_bit(14) {
            self.picked.next = self.picked.val() | self.image_hi.val();
        }
        if self.pick.val().get_bit(15) {
            self.picked.next = self.picked.val() | self.post_trigger_ff.q.val();
        }
        self.word.next = self.picked.val();

        // Taking the bit of each constant before choosing makes a small read-only memory of them.
        self.id_word.next = self.id.val();
        self.version_word.next = self.version.val();
        self.tags_word.next = self.tags.val();
        self.sizes_word.next = self.sizes.val();
        self.clock_hz_word.next = self.clock_hz.val();
        self.mem_base_word.next = self.mem_base.val();
        self.mem_mask_word.next = self.mem_mask.val();
        self.identity_bit.next = self.mem_mask_word.val().get_bit(self.index.val().index());
        if self.number.val().get_bit(2) {
            if !self.number.val().get_bit(1) {
                self.identity_bit.next = self.clock_hz_word.val().get_bit(self.index.val().index());
                if self.number.val().get_bit(0) {
                    self.identity_bit.next =
                        self.mem_base_word.val().get_bit(self.index.val().index());
                }
            }
        } else if self.number.val().get_bit(1) {
            self.identity_bit.next = self.tags_word.val().get_bit(self.index.val().index());
            if self.number.val().get_bit(0) {
                self.identity_bit.next = self.sizes_word.val().get_bit(self.index.val().index());
            }
        } else {
            self.identity_bit.next = self.id_word.val().get_bit(self.index.val().index());
            if self.number.val().get_bit(0) {
                self.identity_bit.next = self.version_word.val().get_bit(self.index.val().index());
            }
        }

        if self.reset.val() {
            self.control_ff.d.next = 0.into();
            self.interval_ff.d.next = 0.into();
            self.count_bits_ff.d.next = 0.into();
            self.image_lo_ff.d.next = 0.into();
            self.image_hi_ff.d.next = 0.into();
            self.post_trigger_ff.d.next = 0.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::synthesises;
    use super::*;
    use crate::tick;

    const IDENTITY: Identity = Identity {
        version: 1,
        tags: 2,
        sizes: 3,
        clock_hz: 4,
        mem_base: 0x8000_0000,
        mem_mask: 0xf000_0000,
    };

    #[test]
    fn synthesises_alone() {
        synthesises("drain_control", Control::new(IDENTITY));
    }

    #[test]
    fn picks_the_words_it_says() {
        let mut control = Control::new(IDENTITY);
        control.connect_all();
        control.run_code.next = 100u64.into();
        control.retired_lo.next = 101u64.into();
        control.retired_hi.next = 102u64.into();
        control.cycles_lo.next = 103u64.into();
        control.cycles_hi.next = 104u64.into();
        control.stalls_lo.next = 105u64.into();
        control.stalls_hi.next = 106u64.into();
        control.lost_lo.next = 107u64.into();
        control.lost_hi.next = 108u64.into();
        control.status.next = 9u64.into();
        let settings = [0xa, 1000, 12, 0x8000_0040, 0x8000_1000, 0xffff_ffff];
        control.write.next = true;
        for (i, value) in settings.into_iter().enumerate() {
            control.register.next = (0x10 + i as u64).into();
            control.value.next = value.into();
            tick!(control);
        }
        control.write.next = false;
        let words: [u64; 10] = [100, 101, 102, 103, 104, 105, 106, 107, 108, 9];
        for (i, word) in words.into_iter().chain(settings).enumerate() {
            control.pick.next = (1u64 << i).into();
            tick!(control);
            assert_eq!(control.word.val().to_u64(), word, "pick {i}");
        }
        let identity = [ID, 1, 2, 3, 4, 0x8000_0000, 0xf000_0000];
        for (number, word) in identity.into_iter().enumerate() {
            control.number.next = (number as u64).into();
            let bits = (0..32u64).map(|i| {
                control.index.next = i.into();
                tick!(control);
                u64::from(control.identity_bit.val()) << i
            });
            assert_eq!(bits.sum::<u64>(), word, "number {number}");
        }
    }
}

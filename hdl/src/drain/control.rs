//! The registers: what the host sets for the front, and what it can read.
//!
//! ```text
//!  write register value ─► CONTROL … POST_TRIGGER ─► enable may_stall … post_trigger
//!                └─ copied bit by bit ─► (register_bits) ◄─ identification
//!  setting, number, index ─────────────────────┴─► stored_bit
//!  pick ─► word                       (of the front's status)
//! ```
//! `pick` has one bit for each word, all words gated by their bits are ORed: that maps to a third
//! fewer LUTs than a tree of choices. END's words come first and in its order, so that it picks
//! them by shifting:
//!
//! | bit | 0 | 1, 2 | 3, 4 | 5, 6 | 7, 8 | 9 to 14 | 15 |
//! |---|---|---|---|---|---|---|---|
//! | word | run code | RETIRED | CYCLES | STALLS | LOST | BREACH to GOT | STATUS |
//!
//! Only bits that a legal value can have are kept: 24 of INTERVAL (COUNT_BITS is at most 24), the
//! upper 26 of IMAGE_LO and IMAGE_HI (multiples of 64), 5 of COUNT_BITS, 6 of CONTROL, 16 of KEY, 6 of
//! TRIGGER, 2 of ORDER_MODE and of these those that ORDER names. STREAM is nothing but its copy: only the host wants it.
//! A `plain` register file has bits 0 and 1 of CONTROL, and neither TRIGGER nor POST_TRIGGER.
//! A reset empties the registers but not the memory of their copies: a setting is read as 0 until
//! it was written.

use rust_hdl::prelude::*;

use super::RegisterBits;

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
    /// PORT.
    pub port: u32,
    /// COMPACT, 0 with another codec.
    pub compact: u32,
    /// ORDER, 0 with one hart.
    pub order: u32,
    /// No acknowledged link, no ring mode and no triggers: their bits and registers read 0.
    pub plain: bool,
}

impl Identity {
    /// The drain has no block RAM to spare: that of codec `compact`, whose tags need most of it and
    /// which has LUTs left.
    pub fn saves_block_ram(&self) -> bool {
        self.version >> 16 & 0xff == 2
    }
}

/// "LOOK".
const ID: u32 = 0x4b4f_4f4c;

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
    /// The value is being copied: its next bit must be at bit 0 in the next cycle.
    pub copying: Signal<Out, Bit>,
    /// Which word to give.
    pub pick: Signal<In, Bits<16>>,
    /// The word, 0 if none is picked.
    pub word: Signal<Out, Bits<32>>,
    /// The register to give a bit of is a setting, not identification.
    pub setting: Signal<In, Bit>,
    /// Its number within the settings or identification. During a copy the register that was
    /// written.
    pub number: Signal<In, Bits<4>>,
    /// Which bit.
    pub index: Signal<In, Bits<5>>,
    /// The bit, a cycle later.
    pub stored_bit: Signal<Out, Bit>,
    /// STATUS.
    pub status: Signal<In, Bits<11>>,
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
    /// CONTROL: bit 0 record, 1 may stall, 2 ring, 3 trigger on trap, 4 log results, 5 acknowledged
    /// link.
    pub control: Signal<Out, Bits<6>>,
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
    /// ORDER_MODE, as far as ORDER says that there is something to log.
    pub order_mode: Signal<Out, Bits<2>>,
    control_ff: DFF<Bits<6>>,
    interval_ff: DFF<Bits<24>>,
    count_bits_ff: DFF<Bits<5>>,
    image_lo_ff: DFF<Bits<26>>,
    image_hi_ff: DFF<Bits<26>>,
    post_trigger_ff: DFF<Bits<32>>,
    control_set_ff: DFF<Bit>,
    interval_set_ff: DFF<Bit>,
    count_bits_set_ff: DFF<Bit>,
    image_lo_set_ff: DFF<Bit>,
    image_hi_set_ff: DFF<Bit>,
    post_trigger_set_ff: DFF<Bit>,
    key_ff: DFF<Bits<16>>,
    key_set_ff: DFF<Bit>,
    stream_set_ff: DFF<Bit>,
    watch_ff: DFF<Bits<6>>,
    watch_lo_ff: DFF<Bits<32>>,
    watch_hi_ff: DFF<Bits<32>>,
    watch_set_ff: DFF<Bit>,
    watch_lo_set_ff: DFF<Bit>,
    watch_hi_set_ff: DFF<Bit>,
    order_mode_ff: DFF<Bits<2>>,
    order_mode_set_ff: DFF<Bit>,
    bits: RegisterBits,
    copying_ff: DFF<Bit>,
    /// The bit that is being copied.
    place_ff: DFF<Bits<5>>,
    known: Signal<Local, Bit>,
    low: Signal<Local, Bits<4>>,
    above_6: Signal<Local, Bit>,
    above_4: Signal<Local, Bit>,
    above_8: Signal<Local, Bit>,
    kept: Signal<Local, Bit>,
    set: Signal<Local, Bit>,
    picked: Signal<Local, Bits<32>>,
    settings: Constant<Bits<4>>,
    control_number: Constant<Bits<4>>,
    interval_number: Constant<Bits<4>>,
    count_bits_number: Constant<Bits<4>>,
    image_lo_number: Constant<Bits<4>>,
    image_hi_number: Constant<Bits<4>>,
    post_trigger_number: Constant<Bits<4>>,
    key_number: Constant<Bits<4>>,
    stream_number: Constant<Bits<4>>,
    watch_number: Constant<Bits<4>>,
    watch_lo_number: Constant<Bits<4>>,
    watch_hi_number: Constant<Bits<4>>,
    order_mode_number: Constant<Bits<4>>,
    order_has: Constant<Bits<2>>,
    /// There is all of that.
    whole: Constant<Bit>,
    /// Bits of CONTROL, TRIGGER and POST_TRIGGER that there are.
    control_bits: Constant<Bits<6>>,
    watch_bits: Constant<Bits<6>>,
    post_trigger_bits: Constant<Bits<32>>,
    setting_row: Constant<Bits<10>>,
    step: Constant<Bits<5>>,
}

impl Control {
    /// A register file with these constants.
    pub fn new(identity: Identity) -> Self {
        let number = |register: u64| Constant::new(register.into());
        let bits = RegisterBits::new([
            ID,
            identity.version,
            identity.tags,
            identity.sizes,
            identity.clock_hz,
            identity.mem_base,
            identity.mem_mask,
            identity.port,
            identity.compact,
            identity.order,
        ]);
        let bits = if identity.saves_block_ram() {
            bits.of_luts()
        } else {
            bits
        };
        Self {
            clock: Default::default(),
            reset: Default::default(),
            write: Default::default(),
            register: Default::default(),
            value: Default::default(),
            copying: Default::default(),
            pick: Default::default(),
            word: Default::default(),
            setting: Default::default(),
            number: Default::default(),
            index: Default::default(),
            stored_bit: Default::default(),
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
            breach_rule: Default::default(),
            breach_at: Default::default(),
            breach_pc: Default::default(),
            breach_insn: Default::default(),
            breach_want: Default::default(),
            breach_got: Default::default(),
            control: Default::default(),
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
            control_ff: Default::default(),
            interval_ff: Default::default(),
            count_bits_ff: Default::default(),
            image_lo_ff: Default::default(),
            image_hi_ff: Default::default(),
            post_trigger_ff: Default::default(),
            control_set_ff: Default::default(),
            interval_set_ff: Default::default(),
            count_bits_set_ff: Default::default(),
            image_lo_set_ff: Default::default(),
            image_hi_set_ff: Default::default(),
            post_trigger_set_ff: Default::default(),
            key_ff: Default::default(),
            key_set_ff: Default::default(),
            stream_set_ff: Default::default(),
            watch_ff: Default::default(),
            watch_lo_ff: Default::default(),
            watch_hi_ff: Default::default(),
            watch_set_ff: Default::default(),
            watch_lo_set_ff: Default::default(),
            watch_hi_set_ff: Default::default(),
            order_mode_ff: Default::default(),
            order_mode_set_ff: Default::default(),
            bits,
            copying_ff: Default::default(),
            place_ff: Default::default(),
            known: Default::default(),
            low: Default::default(),
            above_6: Default::default(),
            above_4: Default::default(),
            above_8: Default::default(),
            kept: Default::default(),
            set: Default::default(),
            picked: Default::default(),
            settings: Constant::new(0b0001.into()),
            control_number: number(0),
            interval_number: number(1),
            count_bits_number: number(2),
            image_lo_number: number(3),
            image_hi_number: number(4),
            post_trigger_number: number(5),
            key_number: number(7),
            stream_number: number(6),
            watch_number: number(9),
            watch_lo_number: number(10),
            watch_hi_number: number(11),
            order_mode_number: number(8),
            order_has: Constant::new(u64::from(identity.order >> 24 & 3).into()),
            whole: Constant::new(!identity.plain),
            control_bits: Constant::new(if identity.plain { 0x03 } else { 0x3f }.into()),
            watch_bits: Constant::new(if identity.plain { 0 } else { 0x3f }.into()),
            post_trigger_bits: Constant::new(
                if identity.plain { 0 } else { 0xffff_ffffu64 }.into(),
            ),
            setting_row: Constant::new(0x200.into()),
            step: Constant::new(1.into()),
        }
    }
}

impl Logic for Control {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, control_ff, interval_ff, count_bits_ff);
        dff_setup!(self, clock, image_lo_ff, image_hi_ff, post_trigger_ff);
        dff_setup!(
            self,
            clock,
            control_set_ff,
            interval_set_ff,
            count_bits_set_ff
        );
        dff_setup!(
            self,
            clock,
            image_lo_set_ff,
            image_hi_set_ff,
            post_trigger_set_ff
        );
        dff_setup!(self, clock, copying_ff, place_ff, stream_set_ff);
        dff_setup!(
            self,
            clock,
            key_ff,
            key_set_ff,
            watch_ff,
            watch_lo_ff,
            watch_hi_ff
        );
        dff_setup!(self, clock, watch_set_ff, watch_lo_set_ff, watch_hi_set_ff);
        dff_setup!(self, clock, order_mode_ff, order_mode_set_ff);
        self.control.next = self.control_ff.q.val();
        self.interval.next = bit_cast::<32, 24>(self.interval_ff.q.val());
        self.count_bits.next = self.count_bits_ff.q.val();
        self.image_lo.next = bit_cast::<32, 26>(self.image_lo_ff.q.val()) << 6;
        self.image_hi.next = bit_cast::<32, 26>(self.image_hi_ff.q.val()) << 6;
        self.post_trigger.next = self.post_trigger_ff.q.val();
        self.key.next = self.key_ff.q.val();
        self.watch.next = self.watch_ff.q.val();
        self.watch_lo.next = self.watch_lo_ff.q.val();
        self.watch_hi.next = self.watch_hi_ff.q.val();
        self.order_mode.next = self.order_mode_ff.q.val();

        self.known.next =
            self.write.val() & (self.register.val().get_bits::<4>(4) == self.settings.val());
        self.low.next = self.register.val().get_bits::<4>(0);
        if self.known.val() & (self.low.val() == self.control_number.val()) {
            self.control_ff.d.next = self.value.val().get_bits::<6>(0) & self.control_bits.val();
            self.control_set_ff.d.next = true;
        }
        if self.known.val() & (self.low.val() == self.interval_number.val()) {
            self.interval_ff.d.next = self.value.val().get_bits::<24>(0);
            self.interval_set_ff.d.next = true;
        }
        if self.known.val() & (self.low.val() == self.count_bits_number.val()) {
            self.count_bits_ff.d.next = self.value.val().get_bits::<5>(0);
            self.count_bits_set_ff.d.next = true;
        }
        if self.known.val() & (self.low.val() == self.image_lo_number.val()) {
            self.image_lo_ff.d.next = self.value.val().get_bits::<26>(6);
            self.image_lo_set_ff.d.next = true;
        }
        if self.known.val() & (self.low.val() == self.image_hi_number.val()) {
            self.image_hi_ff.d.next = self.value.val().get_bits::<26>(6);
            self.image_hi_set_ff.d.next = true;
        }
        if self.known.val() & (self.low.val() == self.post_trigger_number.val()) {
            self.post_trigger_ff.d.next = self.value.val() & self.post_trigger_bits.val();
            self.post_trigger_set_ff.d.next = self.whole.val();
        }
        if self.known.val() & (self.low.val() == self.key_number.val()) {
            self.key_ff.d.next = self.value.val().get_bits::<16>(0);
            self.key_set_ff.d.next = true;
        }
        if self.known.val() & (self.low.val() == self.stream_number.val()) {
            self.stream_set_ff.d.next = true;
        }
        if self.known.val() & (self.low.val() == self.watch_number.val()) {
            self.watch_ff.d.next = self.value.val().get_bits::<6>(0) & self.watch_bits.val();
            self.watch_set_ff.d.next = self.whole.val();
        }
        if self.known.val() & (self.low.val() == self.watch_lo_number.val()) {
            self.watch_lo_ff.d.next = self.value.val();
            self.watch_lo_set_ff.d.next = self.whole.val();
        }
        if self.known.val() & (self.low.val() == self.watch_hi_number.val()) {
            self.watch_hi_ff.d.next = self.value.val();
            self.watch_hi_set_ff.d.next = self.whole.val();
        }
        if self.known.val() & (self.low.val() == self.order_mode_number.val()) {
            self.order_mode_ff.d.next = self.value.val().get_bits::<2>(0) & self.order_has.val();
            self.order_mode_set_ff.d.next = self.order_has.val().any();
        }

        // The copy; that of a register which does not exist is never read.
        self.copying.next = self.copying_ff.q.val();
        if self.copying_ff.q.val() {
            self.place_ff.d.next = self.place_ff.q.val() + self.step.val();
        }
        self.copying_ff.d.next =
            self.known.val() | (self.copying_ff.q.val() & !self.place_ff.q.val().all());
        self.above_4.next = self.place_ff.q.val().get_bits::<3>(2).any();
        self.above_8.next = self.place_ff.q.val().get_bits::<2>(3).any();
        self.above_6.next = self.above_8.val() | self.place_ff.q.val().get_bits::<2>(1).all();
        self.kept.next = true;
        if self.number.val() == self.key_number.val() {
            self.kept.next = !self.place_ff.q.val().get_bit(4);
        } else if self.number.val() == self.interval_number.val() {
            self.kept.next = !self.place_ff.q.val().get_bits::<2>(3).all();
        } else if self.number.val() == self.control_number.val() {
            // Without all of that there are bits 0 and 1.
            self.kept.next = (!self.above_4.val()
                | !(self.above_8.val() | self.place_ff.q.val().get_bit(1)))
                & (self.whole.val() | !(self.above_4.val() | self.place_ff.q.val().get_bit(1)));
        } else if self.number.val() == self.count_bits_number.val() {
            self.kept.next = !self.above_4.val()
                | !(self.above_8.val() | self.place_ff.q.val().get_bits::<2>(0).any());
        } else if (self.number.val() == self.image_lo_number.val())
            | (self.number.val() == self.image_hi_number.val())
        {
            self.kept.next = self.above_6.val();
        } else if self.number.val() == self.watch_number.val() {
            self.kept.next = !self.above_6.val();
        } else if self.number.val() == self.order_mode_number.val() {
            self.kept.next = !self.above_4.val()
                & !self.place_ff.q.val().get_bit(1)
                & ((self.order_has.val().get_bit(0) & !self.place_ff.q.val().get_bit(0))
                    | (self.order_has.val().get_bit(1) & self.place_ff.q.val().get_bit(0)));
        }
        self.bits.clock.next = self.clock.val();
        self.bits.write_enable.next = self.copying_ff.q.val();
        self.bits.write_address.next =
            (bit_cast::<9, 4>(self.number.val()) << 5) | bit_cast::<9, 5>(self.place_ff.q.val());
        self.bits.write_data.next = self.value.val().get_bit(0) & self.kept.val();
        self.bits.read_address.next =
            (bit_cast::<10, 4>(self.number.val()) << 5) | bit_cast::<10, 5>(self.index.val());
        if self.setting.val() {
            self.bits.read_address.next = self.setting_row.val()
                | (bit_cast::<10, 4>(self.number.val()) << 5)
                | bit_cast::<10, 5>(self.index.val());
        }
        self.set.next = false;
        if self.number.val() == self.control_number.val() {
            self.set.next = self.control_set_ff.q.val();
        } else if self.number.val() == self.interval_number.val() {
            self.set.next = self.interval_set_ff.q.val();
        } else if self.number.val() == self.count_bits_number.val() {
            self.set.next = self.count_bits_set_ff.q.val();
        } else if self.number.val() == self.image_lo_number.val() {
            self.set.next = self.image_lo_set_ff.q.val();
        } else if self.number.val() == self.image_hi_number.val() {
            self.set.next = self.image_hi_set_ff.q.val();
        } else if self.number.val() == self.post_trigger_number.val() {
            self.set.next = self.post_trigger_set_ff.q.val();
        } else if self.number.val() == self.key_number.val() {
            self.set.next = self.key_set_ff.q.val();
        } else if self.number.val() == self.stream_number.val() {
            self.set.next = self.stream_set_ff.q.val();
        } else if self.number.val() == self.watch_number.val() {
            self.set.next = self.watch_set_ff.q.val();
        } else if self.number.val() == self.watch_lo_number.val() {
            self.set.next = self.watch_lo_set_ff.q.val();
        } else if self.number.val() == self.watch_hi_number.val() {
            self.set.next = self.watch_hi_set_ff.q.val();
        } else if self.number.val() == self.order_mode_number.val() {
            self.set.next = self.order_mode_set_ff.q.val();
        }
        self.stored_bit.next = self.bits.read_data.val() & (self.set.val() | !self.setting.val());

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
            self.picked.next = self.picked.val() | bit_cast::<32, 4>(self.breach_rule.val());
        }
        if self.pick.val().get_bit(10) {
            self.picked.next = self.picked.val() | self.breach_at.val();
        }
        if self.pick.val().get_bit(11) {
            self.picked.next = self.picked.val() | self.breach_pc.val();
        }
        if self.pick.val().get_bit(12) {
            self.picked.next = self.picked.val() | self.breach_insn.val();
        }
        if self.pick.val().get_bit(13) {
            self.picked.next = self.picked.val() | self.breach_want.val();
        }
        if self.pick.val().get_bit(14) {
            self.picked.next = self.picked.val() | self.breach_got.val();
        }
        if self.pick.val().get_bit(15) {
            self.picked.next = self.picked.val() | bit_cast::<32, 11>(self.status.val());
        }
        self.word.next = self.picked.val();

        if self.reset.val() {
            self.control_ff.d.next = 0.into();
            self.interval_ff.d.next = 0.into();
            self.count_bits_ff.d.next = 0.into();
            self.image_lo_ff.d.next = 0.into();
            self.image_hi_ff.d.next = 0.into();
            self.post_trigger_ff.d.next = 0.into();
            self.control_set_ff.d.next = false;
            self.interval_set_ff.d.next = false;
            self.count_bits_set_ff.d.next = false;
            self.image_lo_set_ff.d.next = false;
            self.image_hi_set_ff.d.next = false;
            self.post_trigger_set_ff.d.next = false;
            self.key_ff.d.next = 0.into();
            self.key_set_ff.d.next = false;
            self.stream_set_ff.d.next = false;
            self.watch_ff.d.next = 0.into();
            self.watch_lo_ff.d.next = 0.into();
            self.watch_hi_ff.d.next = 0.into();
            self.watch_set_ff.d.next = false;
            self.watch_lo_set_ff.d.next = false;
            self.watch_hi_set_ff.d.next = false;
            self.order_mode_ff.d.next = 0.into();
            self.order_mode_set_ff.d.next = false;
            self.copying_ff.d.next = false;
            self.place_ff.d.next = 0.into();
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
        port: 1,
        compact: 0x60108,
        order: 0,
        plain: false,
    };

    #[test]
    fn synthesises_alone() {
        synthesises("drain_control", Control::new(IDENTITY));
    }

    /// The register, bit by bit.
    fn stored(control: &mut Control, setting: bool, number: u64) -> u64 {
        control.setting.next = setting;
        control.number.next = number.into();
        let bits = (0..32u64).map(|i| {
            control.index.next = i.into();
            tick!(*control);
            u64::from(control.stored_bit.val()) << i
        });
        bits.sum()
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
        control.breach_rule.next = 5u64.into();
        control.breach_at.next = 110u64.into();
        control.breach_pc.next = 111u64.into();
        control.breach_insn.next = 112u64.into();
        control.breach_want.next = 113u64.into();
        control.breach_got.next = 114u64.into();
        control.status.next = 9u64.into();
        let words: [u64; 16] = [
            100, 101, 102, 103, 104, 105, 106, 107, 108, 5, 110, 111, 112, 113, 114, 9,
        ];
        for (i, word) in words.into_iter().enumerate() {
            control.pick.next = (1u64 << i).into();
            tick!(control);
            assert_eq!(control.word.val().to_u64(), word, "pick {i}");
        }
    }

    #[test]
    fn stores_the_words_it_says() {
        let mut control = Control::new(IDENTITY);
        control.connect_all();
        tick!(control);
        let written = [
            0xfffa,
            1000,
            12,
            0x8000_0041,
            0x8000_1000,
            0xffff_ffff,
            0x8123_4567,
        ];
        let settings = [
            0x3a,
            1000,
            12,
            0x8000_0040,
            0x8000_1000,
            0xffff_ffff,
            0x8123_4567,
        ];
        for (i, value) in written.into_iter().enumerate() {
            let number = i as u64;
            assert_eq!(
                stored(&mut control, true, number),
                0,
                "setting {i} too early"
            );
            control.write.next = true;
            control.register.next = (0x10 + number).into();
            control.value.next = value.into();
            tick!(control);
            control.write.next = false;
            let mut copied = 0;
            while control.copying.val() {
                tick!(control);
                copied += 1;
                control.value.next = (value >> copied).into();
            }
            assert_eq!(copied, 32);
        }
        for (i, word) in settings.into_iter().enumerate() {
            assert_eq!(stored(&mut control, true, i as u64), word, "setting {i}");
        }
        let identity = [u64::from(ID), 1, 2, 3, 4, 0x8000_0000, 0xf000_0000, 1];
        for (number, word) in identity.into_iter().enumerate() {
            assert_eq!(
                stored(&mut control, false, number as u64),
                word,
                "number {number}"
            );
        }
        control.reset.next = true;
        tick!(control);
        control.reset.next = false;
        for number in 0..16 {
            assert_eq!(
                stored(&mut control, true, number),
                0,
                "setting {number} after reset"
            );
        }
        assert_eq!(stored(&mut control, false, 0), u64::from(ID));
        assert_eq!(stored(&mut control, false, 8), 0x60108);
        assert_eq!(stored(&mut control, false, 9), 0);
    }
}

//! The digest of the whole stream: CRC-32 of all bytes that were sent, each counted when it is sent
//! for the first time.
//!
//! ```text
//!  bit, shift ─► (fresh?) ─► CRC register ─► out, turned once round while it is read
//! ```
//! It is fed with the bits that the framer sends, and read the same way, bit by bit: the register
//! turns, and after 32 bits it is as before.

use rust_hdl::prelude::*;

use super::{Preset, CRC_POLYNOMIAL};

/// The digest.
#[derive(LogicBlock)]
pub struct StreamSum {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// A recording starts, or reset: the sum of no bytes.
    pub clear: Signal<In, Bit>,
    /// A byte begins after this cycle.
    pub starts: Signal<In, Bit>,
    /// With `starts`: the byte was never sent before.
    pub fresh: Signal<In, Bit>,
    /// A bit of a byte of the log is sent.
    pub shift: Signal<In, Bit>,
    /// The bit.
    pub data: Signal<In, Bit>,
    /// `out` was used.
    pub turn: Signal<In, Bit>,
    /// The next bit of the sum, lowest first.
    pub out: Signal<Out, Bit>,
    crc_ff: Preset<32>,
    fresh_ff: DFF<Bit>,
    counts: Signal<Local, Bit>,
    low: Signal<Local, Bit>,
    feedback: Signal<Local, Bit>,
    polynomial: Constant<Bits<32>>,
    top: Constant<Bits<32>>,
    ones: Constant<Bits<32>>,
}

impl Default for StreamSum {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            starts: Default::default(),
            fresh: Default::default(),
            shift: Default::default(),
            data: Default::default(),
            turn: Default::default(),
            out: Default::default(),
            crc_ff: Preset::new(u64::from(u32::MAX)),
            fresh_ff: Default::default(),
            counts: Default::default(),
            low: Default::default(),
            feedback: Default::default(),
            polynomial: Constant::new(u64::from(CRC_POLYNOMIAL).into()),
            top: Constant::new(0x8000_0000u64.into()),
            ones: Constant::new(u64::from(u32::MAX).into()),
        }
    }
}

impl Logic for StreamSum {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, fresh_ff);
        self.crc_ff.clock.next = self.clock.val();
        if self.starts.val() {
            self.fresh_ff.d.next = self.fresh.val();
        }
        self.low.next = self.crc_ff.q.val().get_bit(0);
        self.out.next = !self.low.val();
        self.counts.next = self.shift.val() & self.fresh_ff.q.val();
        self.feedback.next = (self.low.val() ^ self.data.val()) & !self.turn.val();
        self.crc_ff.d.next = self.crc_ff.q.val();
        if self.counts.val() | self.turn.val() {
            self.crc_ff.d.next = self.crc_ff.q.val() >> 1;
            if self.feedback.val() {
                self.crc_ff.d.next = (self.crc_ff.q.val() >> 1) ^ self.polynomial.val();
            }
            if self.turn.val() & self.low.val() {
                self.crc_ff.d.next = (self.crc_ff.q.val() >> 1) | self.top.val();
            }
        }
        if self.clear.val() {
            self.crc_ff.d.next = self.ones.val();
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
        synthesises("drain_stream_sum", StreamSum::default());
    }

    #[test]
    fn counts_new_bytes_and_is_read_twice() {
        let mut sum = StreamSum::default();
        sum.connect_all();
        for (fresh, byte) in [(true, b'1'), (false, 0x55), (true, b'2'), (true, b'3')] {
            sum.starts.next = true;
            sum.fresh.next = fresh;
            tick!(sum);
            sum.starts.next = false;
            sum.fresh.next = !fresh;
            sum.shift.next = true;
            for i in 0..8 {
                sum.data.next = byte >> i & 1 == 1;
                tick!(sum);
            }
            sum.shift.next = false;
        }
        for _ in 0..2 {
            let mut word = 0u32;
            for i in 0..32 {
                sum.turn.next = true;
                sum.clock.next = Clock { clk: false };
                crate::harness::settle(&mut sum);
                word |= u32::from(sum.out.val()) << i;
                tick!(sum);
            }
            sum.turn.next = false;
            let crc = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC);
            assert_eq!(word, crc.checksum(b"123"));
        }
    }
}

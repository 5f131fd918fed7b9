//! Takes READ and WRITE commands out of what the host sends.
//!
//! ```text
//!  bit_valid bit_data, byte_valid byte_data ─► COBS, CRC, length ─► fire write register value
//! ```
//! The bits of a byte go through the CRC while they arrive. COBS permits that: whether a byte is
//! data or a code, which stands for a zero, is known before it comes. The type, which is the first
//! byte, tells where the CRC's bits are; they are compared as they come.
//!
//! While `hold` is high the last command stands still, and what comes is in no command.
//!
//! Anything may arrive. Every zero byte starts afresh; what is not a command of the right length
//! with the right CRC changes nothing.

use rust_hdl::prelude::*;

use super::CRC_POLYNOMIAL;

/// Lengths of whole frames before COBS: header, payload, CRC.
const READ_BYTES: u64 = 4 + 1 + CRC_BYTES;
const WRITE_BYTES: u64 = 4 + 5 + CRC_BYTES;
const CRC_BYTES: u64 = 4;

/// The command decoder.
#[derive(LogicBlock)]
pub struct Command {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// A bit of a byte came.
    pub bit_valid: Signal<In, Bit>,
    /// The bit.
    pub bit_data: Signal<In, Bit>,
    /// A byte is complete, after its last bit.
    pub byte_valid: Signal<In, Bit>,
    /// The byte.
    pub byte_data: Signal<In, Bits<8>>,
    /// Show the next bit of the value at its bit 0.
    pub next_bit: Signal<In, Bit>,
    /// The last command is not carried out yet.
    pub hold: Signal<In, Bit>,
    /// A command came, for one cycle.
    pub fire: Signal<Out, Bit>,
    /// With `fire`: WRITE, not READ.
    pub write: Signal<Out, Bit>,
    /// With `fire`: the register.
    pub register: Signal<Out, Bits<8>>,
    /// With `fire` and `write`: the value.
    pub value: Signal<Out, Bits<32>>,
    /// Zero between frames: the CRC's usual start with ones is the same as a start with zeros and
    /// an inverted header.
    crc_ff: DFF<Bits<32>>,
    /// Bytes before the next code; a code that does not fit is in no command.
    left_ff: DFF<Bits<4>>,
    /// The first code of a frame was seen.
    inside_ff: DFF<Bit>,
    /// Decoded bytes.
    length_ff: DFF<Bits<4>>,
    /// The type was WRITE.
    write_ff: DFF<Bit>,
    /// What has come of the frame can be no command.
    bad_ff: DFF<Bit>,
    register_ff: DFF<Bits<8>>,
    value_ff: DFF<Bits<32>>,
    code: Signal<Local, Bit>,
    decoded: Signal<Local, Bit>,
    quarter: Signal<Local, Bits<2>>,
    header: Signal<Local, Bit>,
    wanted: Signal<Local, Bit>,
    checked: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
    difference: Signal<Local, Bit>,
    feedback: Signal<Local, Bit>,
    finish: Signal<Local, Bit>,
    whole: Signal<Local, Bit>,
    counted: Signal<Local, Bit>,
    read_type: Signal<Local, Bit>,
    write_type: Signal<Local, Bit>,
    countdown: Signal<Local, Bits<4>>,
    polynomial: Constant<Bits<32>>,
    top_of_value: Constant<Bits<32>>,
    top_of_register: Constant<Bits<8>>,
    one: Constant<Bits<4>>,
    read_code: Constant<Bits<8>>,
    write_code: Constant<Bits<8>>,
    register_index: Constant<Bits<2>>,
    last_wanted: Constant<Bits<4>>,
    read_body: Constant<Bits<4>>,
    write_body: Constant<Bits<4>>,
    read_bytes: Constant<Bits<4>>,
    write_bytes: Constant<Bits<4>>,
}

impl Default for Command {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            bit_valid: Default::default(),
            bit_data: Default::default(),
            byte_valid: Default::default(),
            byte_data: Default::default(),
            next_bit: Default::default(),
            hold: Default::default(),
            fire: Default::default(),
            write: Default::default(),
            register: Default::default(),
            value: Default::default(),
            crc_ff: Default::default(),
            left_ff: Default::default(),
            inside_ff: Default::default(),
            length_ff: Default::default(),
            write_ff: Default::default(),
            bad_ff: Default::default(),
            register_ff: Default::default(),
            value_ff: Default::default(),
            code: Default::default(),
            decoded: Default::default(),
            quarter: Default::default(),
            header: Default::default(),
            wanted: Default::default(),
            checked: Default::default(),
            taken: Default::default(),
            difference: Default::default(),
            feedback: Default::default(),
            finish: Default::default(),
            whole: Default::default(),
            counted: Default::default(),
            read_type: Default::default(),
            write_type: Default::default(),
            countdown: Default::default(),
            polynomial: Constant::new(u64::from(CRC_POLYNOMIAL).into()),
            top_of_value: Constant::new(0x8000_0000.into()),
            top_of_register: Constant::new(0x80.into()),
            one: Constant::new(1.into()),
            read_code: Constant::new(1.into()),
            write_code: Constant::new(2.into()),
            register_index: Constant::new(1.into()),
            last_wanted: Constant::new(8.into()),
            read_body: Constant::new((READ_BYTES - CRC_BYTES).into()),
            write_body: Constant::new((WRITE_BYTES - CRC_BYTES).into()),
            read_bytes: Constant::new(READ_BYTES.into()),
            write_bytes: Constant::new(WRITE_BYTES.into()),
        }
    }
}

impl Logic for Command {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, crc_ff, left_ff, inside_ff, length_ff);
        dff_setup!(self, clock, write_ff, bad_ff, register_ff, value_ff);
        self.write.next = self.write_ff.q.val();
        self.register.next = self.register_ff.q.val();
        self.value.next = self.value_ff.q.val();
        self.code.next = !self.left_ff.q.val().any();
        self.finish.next = self.byte_valid.val() & !self.byte_data.val().any();

        // Bits. Register and value are one shift register of 40 bits, filled by the five bytes
        // after the header: a READ leaves its CRC in the value.
        self.decoded.next = self.bit_data.val() & !self.code.val();
        self.quarter.next = self.length_ff.q.val().get_bits::<2>(2);
        self.header.next = !self.quarter.val().any();
        self.wanted.next = (self.quarter.val() == self.register_index.val())
            | (self.length_ff.q.val() == self.last_wanted.val());
        if self.write_ff.q.val() {
            self.checked.next = (self.length_ff.q.val() >= self.write_body.val())
                & (self.length_ff.q.val() < self.write_bytes.val());
        } else {
            self.checked.next = (self.length_ff.q.val() >= self.read_body.val())
                & (self.length_ff.q.val() < self.read_bytes.val());
        }
        self.taken.next = self.bit_valid.val() & self.inside_ff.q.val() & !self.hold.val();
        self.difference.next = self.decoded.val() ^ self.crc_ff.q.val().get_bit(0);
        self.feedback.next = (self.difference.val() ^ self.header.val()) & !self.checked.val();
        if self.taken.val() {
            self.crc_ff.d.next = self.crc_ff.q.val() >> 1;
            if self.feedback.val() {
                self.crc_ff.d.next = (self.crc_ff.q.val() >> 1) ^ self.polynomial.val();
            }
        }
        if (self.taken.val() & self.wanted.val()) | self.next_bit.val() {
            self.value_ff.d.next = self.value_ff.q.val() >> 1;
            if self.decoded.val() {
                self.value_ff.d.next = (self.value_ff.q.val() >> 1) | self.top_of_value.val();
            }
            self.register_ff.d.next = self.register_ff.q.val() >> 1;
            if self.value_ff.q.val().get_bit(0) {
                self.register_ff.d.next =
                    (self.register_ff.q.val() >> 1) | self.top_of_register.val();
            }
        }

        // Bytes.
        self.whole.next = self.length_ff.q.val() == self.read_bytes.val();
        if self.write_ff.q.val() {
            self.whole.next = self.length_ff.q.val() == self.write_bytes.val();
        }
        self.fire.next = self.finish.val()
            & self.inside_ff.q.val()
            & self.code.val()
            & self.whole.val()
            & !self.bad_ff.q.val();
        self.countdown.next = self.left_ff.q.val();
        if self.code.val() {
            self.countdown.next = self.byte_data.val().get_bits::<4>(0);
        }
        self.counted.next = self.byte_valid.val() & self.inside_ff.q.val();
        self.read_type.next = !self.code.val() & (self.byte_data.val() == self.read_code.val());
        self.write_type.next = !self.code.val() & (self.byte_data.val() == self.write_code.val());
        if self.byte_valid.val() {
            self.inside_ff.d.next = true;
            self.left_ff.d.next = self.countdown.val() - self.one.val();
        }
        if self.counted.val() {
            self.length_ff.d.next = self.length_ff.q.val() + self.one.val();
        }
        if self.counted.val() & !self.length_ff.q.val().any() {
            self.write_ff.d.next = self.write_type.val();
        }
        if (self.taken.val() & self.checked.val() & !self.difference.val())
            | (self.byte_valid.val()
                & (self.hold.val()
                    | (self.code.val() & self.byte_data.val().get_bits::<4>(4).any())))
            | (self.counted.val()
                & (self.length_ff.q.val().all()
                    | (!self.length_ff.q.val().any()
                        & !self.read_type.val()
                        & !self.write_type.val())))
        {
            self.bad_ff.d.next = true;
        }

        if self.reset.val() | self.finish.val() {
            self.crc_ff.d.next = 0.into();
            self.inside_ff.d.next = false;
            self.left_ff.d.next = 0.into();
            self.length_ff.d.next = 0.into();
            self.bad_ff.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{synthesises, wire, Frame, Random};
    use super::*;
    use crate::tick;

    #[test]
    fn synthesises_alone() {
        synthesises("drain_command", Command::default());
    }

    /// The commands that bytes are taken for.
    fn commands(bytes: &[u8]) -> Vec<(bool, u8, u32)> {
        let mut command = Command::default();
        command.connect_all();
        let mut fired = Vec::new();
        for &byte in bytes {
            command.bit_valid.next = true;
            for i in 0..8 {
                command.bit_data.next = byte >> i & 1 == 1;
                tick!(command);
                assert!(!command.fire.val());
            }
            command.bit_valid.next = false;
            command.byte_valid.next = true;
            command.byte_data.next = u64::from(byte).into();
            command.clock.next = Clock { clk: false };
            crate::harness::settle(&mut command);
            if command.fire.val() {
                fired.push((
                    command.write.val(),
                    command.register.val().to_u64() as u8,
                    command.value.val().to_u64() as u32,
                ));
            }
            tick!(command);
            command.byte_valid.next = false;
            tick!(command);
        }
        fired
    }

    #[test]
    fn takes_commands() {
        let read = Frame::new(1, 0x0100, &[0x26]).wire();
        let write = Frame::new(2, 0, &[0, 0, 0x34, 0, 0x12]).wire();
        let [(false, 0x26, _)] = commands(&read)[..] else {
            panic!("READ");
        };
        assert_eq!(commands(&write), [(true, 0, 0x1200_3400)]);
        let mut both = vec![7, 7];
        both.extend([0, 0]);
        both.extend(&read);
        both.extend(&write);
        assert_eq!(commands(&both).len(), 2);
    }

    #[test]
    fn every_changed_bit_is_found() {
        let mut random = Random(9);
        let payload = [0x11, 0, random.byte(), 0, random.byte()];
        let plain = Frame::new(2, 0x1200, &payload).plain();
        for bit in 0..8 * plain.len() {
            let mut changed = plain.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(commands(&wire(&changed)), [], "plain bit {bit}");
        }
        let coded = wire(&plain);
        for bit in 0..8 * coded.len() {
            let mut changed = coded.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            changed.extend([0, 0]);
            assert_eq!(commands(&changed), [], "coded bit {bit}");
        }
    }

    #[test]
    fn noise_is_no_command_and_does_no_lasting_harm() {
        let mut random = Random(10);
        let read = Frame::new(1, 3, &[0x20]).wire();
        for _ in 0..50 {
            let length = random.below(40) as usize;
            let mut bytes = random.bytes(length);
            bytes.push(0);
            bytes.extend(&read);
            assert_eq!(commands(&bytes).len(), 1);
        }
        let mut long = vec![0xff; 700];
        long.push(0);
        long.extend(&read);
        assert_eq!(commands(&long).len(), 1);
    }
}

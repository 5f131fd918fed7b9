//! Makes frames of pieces of the log and of messages, and queues them for the UART.
//!
//! ```text
//!  piece_* (log) ──┐
//!                  ├─► type hart seq payload crc ─► COBS in a 512 byte queue ─► tx_valid tx_data
//!  message_* ──────┘
//! ```
//! Everything is serial: eight cycles take a byte bit by bit from its source through the CRC into
//! a shift register, a ninth puts it into the queue. The UART needs at least ten cycles a byte, so
//! with the queue between them the line never waits while there is something to send.
//! COBS replaces each zero by the distance to the next one, so a zero's place in the queue stays
//! open until that is known: `code_ff` is the open place, everything before it may be sent.
//! Frames are shorter than 254 bytes, so a code never reaches 0xff.
//!
//! On an acknowledged link a piece follows its offset, which is composed as a message is.
//!
//! A reply goes before the log, the END message after everything else. Once begun, a frame needs
//! nothing from outside to be finished: pieces and messages are offered whole.

use rust_hdl::prelude::*;

use super::{Preset, CRC_POLYNOMIAL};
use crate::memory::BlockRam;

/// Where the framer is in a frame.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum FramerState {
    /// Choose what to send and reserve the place of its first code.
    Idle,
    /// The bits of a byte go through the CRC.
    Shift,
    /// The byte goes into the queue.
    Store,
    /// Fill in the last code.
    Close,
    /// Write the zero that ends the frame.
    Terminate,
}

/// The framer.
#[derive(LogicBlock)]
pub struct Framer {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset: the queue is empty, the sequence starts at 0.
    pub reset: Signal<In, Bit>,
    /// Begin no frame: the ring is about to be emptied.
    pub pause: Signal<In, Bit>,
    /// No frame is under way.
    pub idle: Signal<Out, Bit>,
    /// A piece follows its offset, a message of four bytes that `piece_start` begins.
    pub placed: Signal<In, Bit>,
    /// A piece of the log is whole.
    pub piece_ready: Signal<In, Bit>,
    /// It begins an interval or gap.
    pub piece_first: Signal<In, Bit>,
    /// It ends an interval or gap.
    pub piece_last: Signal<In, Bit>,
    /// It begins now: its first byte is needed after the header, some 30 cycles later.
    pub piece_start: Signal<Out, Bit>,
    /// Its next byte, the one after it two cycles after `piece_take`. That comes with the last bit
    /// but one: a bit is chosen a cycle before it is used.
    pub piece_data: Signal<In, Bits<8>>,
    /// It has a next byte, valid the cycle after `piece_take`.
    pub piece_more: Signal<In, Bit>,
    /// `piece_data` was used.
    pub piece_take: Signal<Out, Bit>,
    /// A REPLY is to be sent.
    pub reply_ready: Signal<In, Bit>,
    /// An END is to be sent.
    pub end_ready: Signal<In, Bit>,
    /// A message begins now: its first byte is needed after the header, some 30 cycles later.
    pub message_start: Signal<Out, Bit>,
    /// With `message_start`: END, not REPLY.
    pub message_end: Signal<Out, Bit>,
    /// Which bit of the message's next byte is wanted in the next cycle.
    pub message_bit: Signal<Out, Bits<3>>,
    /// The bit that was wanted.
    pub message_data: Signal<In, Bit>,
    /// The message has a next byte.
    pub message_more: Signal<In, Bit>,
    /// `message_data` was used.
    pub message_take: Signal<Out, Bit>,
    /// A bit of a message is used.
    pub message_shift: Signal<Out, Bit>,
    /// A bit of a piece is used.
    pub piece_shift: Signal<Out, Bit>,
    /// The bit.
    pub piece_bit: Signal<Out, Bit>,
    /// The next byte of a frame begins after this cycle.
    pub byte_begin: Signal<Out, Bit>,
    /// A byte for the UART.
    pub tx_valid: Signal<Out, Bit>,
    /// The byte.
    pub tx_data: Signal<Out, Bits<8>>,
    /// The UART takes it.
    pub tx_ready: Signal<In, Bit>,
    queue: BlockRam<8, 9>,
    state_ff: DFF<FramerState>,
    /// The bytes under way are those of the piece or message; if neither this nor `check_ff`, the
    /// header's.
    payload_ff: DFF<Bit>,
    /// The bytes under way are the CRC's.
    check_ff: DFF<Bit>,
    /// Byte within the header or the CRC.
    slot_ff: DFF<Bits<2>>,
    /// Bit within the byte.
    bit_ff: DFF<Bits<3>>,
    log_ff: DFF<Bit>,
    /// The offset of a piece comes first.
    placing_ff: DFF<Bit>,
    end_ff: DFF<Bit>,
    first_ff: DFF<Bit>,
    last_ff: DFF<Bit>,
    /// The sequence number, rotated while it is sent: each bit comes back as that of the next one.
    seq_ff: DFF<Bits<16>>,
    /// Carry of that increment.
    carry_ff: DFF<Bit>,
    /// Zero between frames: the CRC's usual start with ones is the same as a start with zeros and
    /// an inverted header.
    crc_ff: DFF<Bits<32>>,
    byte_ff: DFF<Bits<8>>,
    /// The piece's bit.
    piece_bit_ff: DFF<Bit>,
    write_ff: DFF<Bits<9>>,
    code_ff: DFF<Bits<9>>,
    read_ff: DFF<Bits<9>>,
    /// Distance from the open place to the next byte.
    run_ff: Preset<8>,
    /// The queue's output is the byte at `read_ff`.
    valid_ff: DFF<Bit>,
    idling: Signal<Local, Bit>,
    storing: Signal<Local, Bit>,
    closing: Signal<Local, Bit>,
    terminating: Signal<Local, Bit>,
    header: Signal<Local, Bit>,
    begin_frame: Signal<Local, Bit>,
    shift: Signal<Local, Bit>,
    byte_end: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
    slots_end: Signal<Local, Bit>,
    fill_code: Signal<Local, Bit>,
    next_bit: Signal<Local, Bits<3>>,
    write_block: Signal<Local, Bits<3>>,
    full: Signal<Local, Bit>,
    more: Signal<Local, Bit>,
    frame_type: Signal<Local, Bits<8>>,
    numbering: Signal<Local, Bit>,
    piece_byte: Signal<Local, Bits<8>>,
    serial: Signal<Local, Bit>,
    feedback: Signal<Local, Bit>,
    zero: Signal<Local, Bit>,
    of_piece: Signal<Local, Bit>,
    sending: Signal<Local, Bit>,
    advance: Signal<Local, Bit>,
    log_type: Constant<Bits<8>>,
    first_type: Constant<Bits<8>>,
    placed_type: Constant<Bits<8>>,
    last_type: Constant<Bits<8>>,
    reply_type: Constant<Bits<8>>,
    end_type: Constant<Bits<8>>,
    top_bit: Constant<Bits<8>>,
    polynomial: Constant<Bits<32>>,
    place: Constant<Bits<9>>,
    step: Constant<Bits<8>>,
    slot_step: Constant<Bits<2>>,
    bit_step: Constant<Bits<3>>,
    last_but_one: Constant<Bits<3>>,
    top_of_seq: Constant<Bits<16>>,
    block_step: Constant<Bits<3>>,
}

impl Default for Framer {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            pause: Default::default(),
            idle: Default::default(),
            placed: Default::default(),
            piece_ready: Default::default(),
            piece_first: Default::default(),
            piece_last: Default::default(),
            piece_start: Default::default(),
            piece_data: Default::default(),
            piece_more: Default::default(),
            piece_take: Default::default(),
            reply_ready: Default::default(),
            end_ready: Default::default(),
            message_start: Default::default(),
            message_end: Default::default(),
            message_bit: Default::default(),
            message_data: Default::default(),
            message_more: Default::default(),
            message_take: Default::default(),
            message_shift: Default::default(),
            piece_shift: Default::default(),
            piece_bit: Default::default(),
            byte_begin: Default::default(),
            tx_valid: Default::default(),
            tx_data: Default::default(),
            tx_ready: Default::default(),
            queue: Default::default(),
            state_ff: Default::default(),
            payload_ff: Default::default(),
            check_ff: Default::default(),
            slot_ff: Default::default(),
            bit_ff: Default::default(),
            log_ff: Default::default(),
            placing_ff: Default::default(),
            end_ff: Default::default(),
            first_ff: Default::default(),
            last_ff: Default::default(),
            seq_ff: Default::default(),
            carry_ff: Default::default(),
            crc_ff: Default::default(),
            byte_ff: Default::default(),
            piece_bit_ff: Default::default(),
            write_ff: Default::default(),
            code_ff: Default::default(),
            read_ff: Default::default(),
            run_ff: Preset::new(1),
            valid_ff: Default::default(),
            idling: Default::default(),
            storing: Default::default(),
            closing: Default::default(),
            terminating: Default::default(),
            header: Default::default(),
            begin_frame: Default::default(),
            shift: Default::default(),
            byte_end: Default::default(),
            take: Default::default(),
            slots_end: Default::default(),
            fill_code: Default::default(),
            next_bit: Default::default(),
            write_block: Default::default(),
            full: Default::default(),
            more: Default::default(),
            frame_type: Default::default(),
            numbering: Default::default(),
            piece_byte: Default::default(),
            serial: Default::default(),
            feedback: Default::default(),
            zero: Default::default(),
            of_piece: Default::default(),
            sending: Default::default(),
            advance: Default::default(),
            log_type: Constant::new(0x10.into()),
            first_type: Constant::new(0x01.into()),
            placed_type: Constant::new(0x08.into()),
            last_type: Constant::new(0x02.into()),
            reply_type: Constant::new(0x20.into()),
            end_type: Constant::new(0x30.into()),
            top_bit: Constant::new(0x80.into()),
            polynomial: Constant::new(u64::from(CRC_POLYNOMIAL).into()),
            place: Constant::new(1.into()),
            step: Constant::new(1.into()),
            slot_step: Constant::new(1.into()),
            bit_step: Constant::new(1.into()),
            last_but_one: Constant::new(6.into()),
            top_of_seq: Constant::new(0x8000.into()),
            block_step: Constant::new(1.into()),
        }
    }
}

impl Framer {
    /// The same with its queue in LUT RAM: a quarter of a block RAM is all that it fills.
    pub fn of_luts(self) -> Self {
        Self {
            queue: self.queue.of_luts(),
            ..self
        }
    }
}

impl Logic for Framer {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state_ff, payload_ff, check_ff, slot_ff, bit_ff, seq_ff, carry_ff);
        dff_setup!(self, clock, log_ff, end_ff, first_ff, last_ff, crc_ff, byte_ff);
        dff_setup!(
            self,
            clock,
            write_ff,
            code_ff,
            read_ff,
            valid_ff,
            piece_bit_ff,
            placing_ff
        );

        // The UART empties the queue up to the open place. The memory's output follows the
        // pointer by a cycle, so the byte counts as valid a cycle later too.
        self.queue.clock.next = self.clock.val();
        self.queue.read_address.next = self.read_ff.q.val();
        self.tx_valid.next = self.valid_ff.q.val();
        self.tx_data.next = self.queue.read_data.val();
        self.valid_ff.d.next = (self.read_ff.q.val() != self.code_ff.q.val())
            & !(self.valid_ff.q.val() & self.tx_ready.val());
        if self.valid_ff.q.val() & self.tx_ready.val() {
            self.read_ff.d.next = self.read_ff.q.val() + self.place.val();
        }
        // Full by eighths of the queue: at least three quarters of it are used, a whole frame and
        // half of the next.
        self.write_block.next = self.write_ff.q.val().get_bits::<3>(6) + self.block_step.val();
        self.full.next = self.write_block.val() == self.read_ff.q.val().get_bits::<3>(6);

        // Where in the frame.
        self.idling.next = self.state_ff.q.val() == FramerState::Idle;
        self.storing.next = self.state_ff.q.val() == FramerState::Store;
        self.closing.next = self.state_ff.q.val() == FramerState::Close;
        self.terminating.next = self.state_ff.q.val() == FramerState::Terminate;
        self.header.next = !self.payload_ff.q.val() & !self.check_ff.q.val();
        self.begin_frame.next = self.idling.val()
            & !self.pause.val()
            & !self.full.val()
            & (self.reply_ready.val() | self.piece_ready.val() | self.end_ready.val());
        // The first bit waits for room, so that the byte never does.
        self.shift.next = (self.state_ff.q.val() == FramerState::Shift)
            & (self.bit_ff.q.val().any() | !self.full.val());
        self.byte_end.next = self.shift.val() & self.bit_ff.q.val().all();
        self.take.next = (self.bit_ff.q.val() == self.last_but_one.val()) & self.payload_ff.q.val();
        self.slots_end.next = self.slot_ff.q.val().all();
        match self.state_ff.q.val() {
            FramerState::Idle => {
                if self.begin_frame.val() {
                    self.state_ff.d.next = FramerState::Shift;
                }
            }
            FramerState::Shift => {
                if self.byte_end.val() {
                    self.state_ff.d.next = FramerState::Store;
                }
            }
            FramerState::Store => {
                self.state_ff.d.next = FramerState::Shift;
                if self.check_ff.q.val() & self.slots_end.val() {
                    self.state_ff.d.next = FramerState::Close;
                }
            }
            FramerState::Close => {
                self.state_ff.d.next = FramerState::Terminate;
            }
            FramerState::Terminate => {
                if !self.full.val() {
                    self.state_ff.d.next = FramerState::Idle;
                }
            }
            _ => {
                self.state_ff.d.next = FramerState::Idle;
            }
        }
        self.of_piece.next = self.log_ff.q.val() & !self.placing_ff.q.val();
        self.more.next = self.message_more.val() | self.log_ff.q.val();
        if self.of_piece.val() {
            self.more.next = self.piece_more.val();
        }
        if self.storing.val() & self.payload_ff.q.val() & !self.message_more.val() {
            self.placing_ff.d.next = false;
        }
        if self.storing.val() {
            self.payload_ff.d.next = (self.header.val() & self.slots_end.val())
                | (self.payload_ff.q.val() & self.more.val());
            self.check_ff.d.next = (self.payload_ff.q.val() & !self.more.val())
                | (self.check_ff.q.val() & !self.slots_end.val());
        }
        if self.storing.val() & !self.payload_ff.q.val() {
            self.slot_ff.d.next = self.slot_ff.q.val() + self.slot_step.val();
        }
        // A byte under way goes on: only its first bit needs to know more.
        self.next_bit.next = self.bit_ff.q.val();
        if self.shift.val() | self.bit_ff.q.val().any() {
            self.next_bit.next = self.bit_ff.q.val() + self.bit_step.val();
        }
        self.bit_ff.d.next = self.next_bit.val();

        // What goes into it.
        self.idle.next = self.idling.val();
        if self.idling.val() {
            self.log_ff.d.next = self.piece_ready.val() & !self.reply_ready.val();
            self.placing_ff.d.next = self.placed.val();
            self.end_ff.d.next = !self.reply_ready.val();
            self.first_ff.d.next = self.piece_first.val();
            self.last_ff.d.next = self.piece_last.val();
        }
        self.piece_start.next =
            self.begin_frame.val() & self.piece_ready.val() & !self.reply_ready.val();
        self.message_start.next =
            self.begin_frame.val() & (self.reply_ready.val() | !self.piece_ready.val());
        self.message_end.next = !self.reply_ready.val();
        self.message_bit.next = self.next_bit.val();
        self.piece_take.next = self.take.val() & self.of_piece.val();
        self.message_take.next = self.take.val() & !self.of_piece.val();

        // The next bit of the frame.
        self.frame_type.next = self.reply_type.val();
        if self.end_ff.q.val() {
            self.frame_type.next = self.end_type.val();
        }
        if self.log_ff.q.val() {
            self.frame_type.next = self.log_type.val();
            if self.first_ff.q.val() {
                self.frame_type.next = self.frame_type.val() | self.first_type.val();
            }
            if self.last_ff.q.val() {
                self.frame_type.next = self.frame_type.val() | self.last_type.val();
            }
            if self.placing_ff.q.val() {
                self.frame_type.next = self.frame_type.val() | self.placed_type.val();
            }
        }
        self.piece_byte.next = self.piece_data.val();
        self.piece_bit_ff.d.next = self.piece_byte.val().get_bit(self.next_bit.val().index());
        self.numbering.next = self.header.val() & self.slot_ff.q.val().get_bit(1);
        self.serial.next = !self.crc_ff.q.val().get_bit(0);
        if self.numbering.val() {
            self.serial.next = self.seq_ff.q.val().get_bit(0);
        } else if self.header.val() {
            self.serial.next = self.frame_type.val().get_bit(self.bit_ff.q.val().index())
                & !self.slot_ff.q.val().get_bit(0);
        } else if self.payload_ff.q.val() {
            self.serial.next = self.message_data.val();
            if self.of_piece.val() {
                self.serial.next = self.piece_bit_ff.q.val();
            }
        }
        self.sending.next = self.shift.val() & self.payload_ff.q.val();
        self.message_shift.next = self.sending.val() & !self.of_piece.val();
        self.piece_shift.next = self.sending.val() & self.of_piece.val();
        self.piece_bit.next = self.piece_bit_ff.q.val();
        self.byte_begin.next = self.storing.val();
        // The CRC's own bits leave its register without going through it.
        self.feedback.next =
            (self.serial.val() ^ self.crc_ff.q.val().get_bit(0) ^ self.header.val())
                & !self.check_ff.q.val();
        if self.shift.val() {
            self.crc_ff.d.next = self.crc_ff.q.val() >> 1;
            if self.feedback.val() {
                self.crc_ff.d.next = (self.crc_ff.q.val() >> 1) ^ self.polynomial.val();
            }
            self.byte_ff.d.next = self.byte_ff.q.val() >> 1;
            if self.serial.val() {
                self.byte_ff.d.next = (self.byte_ff.q.val() >> 1) | self.top_bit.val();
            }
        }
        if self.shift.val() & self.numbering.val() {
            self.seq_ff.d.next = self.seq_ff.q.val() >> 1;
            if self.seq_ff.q.val().get_bit(0) ^ self.carry_ff.q.val() {
                self.seq_ff.d.next = (self.seq_ff.q.val() >> 1) | self.top_of_seq.val();
            }
            self.carry_ff.d.next = self.carry_ff.q.val() & self.seq_ff.q.val().get_bit(0);
        }
        if self.idling.val() {
            self.carry_ff.d.next = true;
        }

        // The queue's writer.
        self.zero.next = !self.byte_ff.q.val().any();
        self.fill_code.next = self.closing.val() | (self.storing.val() & self.zero.val());
        self.queue.write_enable.next =
            self.storing.val() | self.closing.val() | self.terminating.val();
        self.queue.write_address.next = self.write_ff.q.val();
        self.queue.write_data.next = self.byte_ff.q.val();
        if self.fill_code.val() {
            self.queue.write_address.next = self.code_ff.q.val();
            self.queue.write_data.next = self.run_ff.q.val();
        } else if self.terminating.val() {
            self.queue.write_data.next = 0.into();
        }
        self.advance.next = self.begin_frame.val()
            | self.storing.val()
            | (self.terminating.val() & !self.full.val());
        if self.advance.val() {
            self.write_ff.d.next = self.write_ff.q.val() + self.place.val();
        }
        if self.idling.val() | self.fill_code.val() {
            self.code_ff.d.next = self.write_ff.q.val();
        }
        self.run_ff.clock.next = self.clock.val();
        self.run_ff.d.next = self.run_ff.q.val();
        if self.storing.val() {
            self.run_ff.d.next = self.run_ff.q.val() + self.step.val();
        }
        if self.idling.val() | self.fill_code.val() {
            self.run_ff.d.next = self.step.val();
        }

        if self.reset.val() {
            self.state_ff.d.next = FramerState::Idle;
            self.payload_ff.d.next = false;
            self.check_ff.d.next = false;
            self.slot_ff.d.next = 0.into();
            self.bit_ff.d.next = 0.into();
            self.seq_ff.d.next = 0.into();
            self.crc_ff.d.next = 0.into();
            self.write_ff.d.next = 0.into();
            self.code_ff.d.next = 0.into();
            self.read_ff.d.next = 0.into();
            self.valid_ff.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{frames, synthesises, Frame, Random};
    use super::*;
    use crate::tick;

    #[test]
    fn synthesises_alone() {
        synthesises("drain_framer", Framer::default());
        synthesises("drain_framer_luts", Framer::default().of_luts());
    }

    /// The frames made of pieces that are there from the beginning, at a UART's random pace.
    fn made_of(pieces: &[Vec<u8>], pace: u64) -> Vec<Frame> {
        let mut framer = Framer::default();
        framer.connect_all();
        let mut random = Random(pace);
        let (mut bytes, mut zeros) = (Vec::new(), 0);
        let (mut started, mut taken) = (0, 0);
        while zeros < pieces.len() {
            framer.piece_ready.next = started < pieces.len();
            framer.piece_first.next = started % 2 == 0;
            framer.piece_last.next = started % 3 == 0;
            let piece: &[u8] = pieces[..started].last().map_or(&[], |p| p);
            framer.piece_more.next = taken < piece.len();
            framer.piece_data.next = u64::from(*piece.get(taken).unwrap_or(&0)).into();
            framer.tx_ready.next = random.one_in(pace);
            framer.clock.next = Clock { clk: false };
            crate::harness::settle(&mut framer);
            if framer.tx_valid.val() && framer.tx_ready.val() {
                let byte = framer.tx_data.val().to_u64() as u8;
                bytes.push(byte);
                zeros += usize::from(byte == 0);
            }
            taken += usize::from(framer.piece_take.val());
            if framer.piece_start.val() {
                (started, taken) = (started + 1, 0);
            }
            tick!(framer);
        }
        frames(&bytes)
    }

    #[test]
    fn frames_pieces() {
        let mut random = Random(3);
        let pieces = [
            vec![0],
            vec![0; 240],
            vec![0xff; 240],
            vec![1, 0],
            random.bytes(17),
            random.bytes(239),
            vec![0, 2],
        ];
        for pace in [1, 10, 40] {
            let made = made_of(&pieces, pace);
            for (i, piece) in pieces.iter().enumerate() {
                let kind = 0x10 | u8::from(i % 2 == 0) | u8::from(i % 3 == 0) << 1;
                assert_eq!(made[i], Frame::new(kind, i as u16, piece));
            }
        }
    }
}

//! The offsets of the acknowledged link, and the digest of its stream: section 5.1 of the log format.

use crate::blocks::{seldom, word, Inputs, Lockstep};
use lookback_log_format::link::{distance, within};
use lookback_log_format::CRC;
use proptest::collection::vec;
use proptest::prelude::*;

/// Bytes of the ring.
const RING: u32 = 512;

/// KEPT, SENT, FURTHEST and WRITTEN of a ring of 512 bytes, whole.
#[derive(Default)]
pub struct Offsets {
    kept: u32,
    sent: u32,
    furthest: u32,
    written: u32,
    /// the bit that was wanted in the cycle before, and the offset that is being read
    index: u32,
    which: u32,
    /// nothing has moved since its first bit
    steady: bool,
}

/// What is wished for a cycle.
#[derive(Clone, Debug)]
pub enum Move {
    /// A byte is written, and one is sent if there is one.
    Bytes(bool, bool),
    /// The oldest byte goes.
    Drop,
    /// The host acknowledges, or wants again, from so far before FURTHEST.
    Host(bool, u32),
    /// The host names any offset.
    Wild(bool, u32),
    /// A look at a place so far behind KEPT.
    Look(u32),
    /// A bit of an offset is used, or only waited for.
    Read(bool),
    /// Another offset is read, from its first bit.
    Which(u32),
    /// A new recording, which keeps or does not.
    Clear,
}

/// Places go round between KEPT and FURTHEST, and then every offset is read as a whole.
fn around() -> impl Strategy<Value = Vec<Move>> {
    (490..510usize, 4..60u32, 30..200usize).prop_map(|(before, back, after)| {
        let bytes = |n| vec![Move::Bytes(true, true); n];
        let read = |which| [vec![Move::Which(which)], vec![Move::Read(true); 34]].concat();
        let acknowledged = vec![Move::Host(false, back)];
        let reads = (0..3).flat_map(read).collect();
        [bytes(before), acknowledged, bytes(after), reads].concat()
    })
}

impl Lockstep for Offsets {
    type Step = Move;

    fn runs() -> BoxedStrategy<Vec<Move>> {
        let step = prop_oneof![
            12 => any::<(bool, bool)>().prop_map(|(write, send)| Move::Bytes(write, send)),
            2 => Just(Move::Drop),
            3 => (any::<bool>(), 0..RING + 9).prop_map(|(again, back)| Move::Host(again, back)),
            1 => (any::<bool>(), word()).prop_map(|(again, value)| Move::Wild(again, value)),
            2 => (0..RING).prop_map(Move::Look),
            20 => prop_oneof![4 => Just(true), 1 => Just(false)].prop_map(Move::Read),
            1 => (0..3u32).prop_map(Move::Which),
        ];
        let step = prop_oneof![2000 => step, 1 => Just(Move::Clear)];
        // Bytes alone, often enough that places go round.
        let far = (200..900usize).prop_map(|n| vec![Move::Bytes(true, true); n]);
        prop_oneof![
            1 => vec(step.clone(), 1..700),
            1 => (far, vec(step.clone(), 1..400)).prop_map(|(far, steps)| [far, steps].concat()),
            1 => (around(), vec(step, 1..200)).prop_map(|(around, steps)| [around, steps].concat()),
        ]
        .boxed()
    }

    fn inputs(&self, step: &Move) -> Vec<(&'static str, u32)> {
        let room = distance(self.kept, self.written) < RING - 1;
        let mut inputs = vec![
            ("clear", 0),
            ("take", 0),
            ("drop", 0),
            ("acknowledge", 0),
            ("again", 0),
            ("value", 0),
            ("used", 0),
            ("keep", 1),
            ("written", self.written % RING),
            ("look", self.kept % RING),
            ("which", self.which),
            ("index", self.index),
        ];
        match *step {
            Move::Bytes(write, send) => {
                // The next byte is written only where the window's user has room.
                inputs.push(("written", (self.written + u32::from(write && room)) % RING));
                inputs.push(("take", (send && self.sent != self.written).into()));
            }
            Move::Drop => {
                let may = self.kept == self.furthest && self.furthest != self.written;
                inputs.push(("drop", may.into()));
            }
            Move::Host(again, back) => {
                inputs.push((["acknowledge", "again"][usize::from(again)], 1));
                inputs.push(("value", self.furthest.wrapping_add(4).wrapping_sub(back)));
            }
            Move::Wild(again, value) => {
                inputs.push((["acknowledge", "again"][usize::from(again)], 1));
                inputs.push(("value", value));
            }
            Move::Look(ahead) => {
                let ahead = ahead.min(distance(self.kept, self.written));
                inputs.push(("look", self.kept.wrapping_add(ahead) % RING));
            }
            Move::Read(_) if !self.steady => inputs.push(("index", 0)),
            Move::Read(used) => {
                inputs.push(("used", used.into()));
                inputs.push(("index", (self.index + u32::from(used)) % 32));
            }
            Move::Which(which) => inputs.extend([("which", which), ("index", 0)]),
            Move::Clear => inputs.extend([("clear", 1), ("written", 0)]),
        }
        inputs
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let value = inputs.get("value");
        let inside = within(self.kept, value, self.furthest);
        let again = inputs.is("again") && inside;
        let acknowledged = inputs.is("acknowledge") && inside;
        let passes = distance(self.kept, self.sent) < distance(self.kept, value);
        let moved = again || acknowledged && passes;
        let ahead = (inputs.get("look").wrapping_sub(self.kept)) % RING;
        let mut seen = vec![
            ("kept", self.kept % RING),
            ("sent", self.sent % RING),
            ("moved", moved.into()),
            ("repeated", again.into()),
            ("fresh", (self.sent == self.furthest).into()),
            ("released", (self.kept == self.furthest).into()),
            ("old", (ahead < distance(self.kept, self.furthest)).into()),
        ];
        if inputs.is("used") {
            let offset = [self.kept, self.sent, self.written][self.which as usize];
            seen.push(("offset_bit", offset >> self.index & 1));
        }
        // What moves while an offset is read makes it begin anew.
        let moves = ["take", "drop", "again", "acknowledge", "clear"];
        let moves = moves.iter().any(|port| inputs.is(port))
            || inputs.get("which") != self.which
            || inputs.get("written") != self.written % RING;
        self.index = inputs.get("index");
        self.steady = !moves && (self.steady || self.index == 0);
        self.which = inputs.get("which");
        let more = inputs.get("written").wrapping_sub(self.written) % RING;
        self.written = self.written.wrapping_add(more);
        if acknowledged {
            self.kept = value;
        }
        if moved {
            self.sent = value;
        }
        if inputs.is("take") {
            self.furthest += u32::from(self.sent == self.furthest);
            self.sent += 1;
        }
        if inputs.is("drop") {
            self.kept += 1;
            self.sent += 1;
            self.furthest += 1;
        }
        if inputs.is("clear") {
            *self = Self {
                index: self.index,
                which: self.which,
                ..Self::default()
            };
        }
        seen
    }
}

/// The digest of a stream.
#[derive(Default)]
pub struct Sum {
    bytes: Vec<u8>,
    /// the byte that is coming, if it counts
    fresh: bool,
    coming: Vec<bool>,
    /// bits of the sum that were read
    read: u32,
}

/// What the digest is told.
#[derive(Clone, Debug)]
pub enum Told {
    /// A byte begins, new or not.
    Begin(bool),
    /// A bit of it comes.
    Bit(bool),
    /// The next bit of the sum is used.
    Turn,
    /// Nothing.
    Wait,
    /// A new recording.
    Clear,
}

impl Lockstep for Sum {
    type Step = Told;

    fn runs() -> BoxedStrategy<Vec<Told>> {
        let byte = (any::<bool>(), any::<u8>(), seldom(200)).prop_map(|(fresh, byte, waits)| {
            let mut told = vec![Told::Begin(fresh)];
            told.extend((0..8).map(|bit| Told::Bit(byte >> bit & 1 == 1)));
            told.extend(waits.then_some(Told::Wait));
            told
        });
        let part = prop_oneof![
            20 => byte,
            2 => Just(vec![Told::Turn; 32]),
            1 => Just(vec![Told::Wait]),
        ];
        let part = prop_oneof![60 => part, 1 => Just(vec![Told::Clear])];
        vec(part, 1..60).prop_map(|parts| parts.concat()).boxed()
    }

    fn inputs(&self, step: &Told) -> Vec<(&'static str, u32)> {
        // What was begun is finished first, also in a run that was shrunk.
        let in_byte = !self.coming.is_empty();
        let set = match *step {
            Told::Bit(bit) if self.read == 0 => vec![("shift", 1), ("data", bit.into())],
            Told::Begin(fresh) if !in_byte => vec![("starts", 1), ("fresh", fresh.into())],
            Told::Turn if !in_byte => vec![("turn", 1), ("data", 1)],
            Told::Clear => vec![("clear", 1)],
            _ => vec![],
        };
        let ports = ["starts", "fresh", "shift", "data", "turn", "clear"];
        ports.map(|port| (port, 0)).into_iter().chain(set).collect()
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let mut seen = Vec::new();
        if inputs.is("turn") {
            seen.push(("out", CRC.checksum(&self.bytes) >> self.read & 1));
            self.read = (self.read + 1) % 32;
        }
        if inputs.is("starts") {
            self.fresh = inputs.is("fresh");
        }
        if inputs.is("shift") {
            self.coming.push(inputs.is("data"));
        }
        if self.coming.len() == 8 {
            let bits = self.coming.drain(..).enumerate();
            let byte = bits.fold(0, |byte, (n, bit)| byte | u8::from(bit) << n);
            self.bytes.extend(self.fresh.then_some(byte));
        }
        if inputs.is("clear") {
            // Which bytes count is not forgotten.
            *self = Self {
                fresh: self.fresh,
                ..Self::default()
            };
        }
        seen
    }
}

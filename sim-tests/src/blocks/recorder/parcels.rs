//! How the bytes of several harts come into one stream: the gatherer of one source, and the order of
//! parcels. What comes out is put together by `lookback_log_format::parcel`.

use crate::blocks::{seldom, word, Check, Inputs, Lockstep, Records};
use lookback_log_format::frame::{kind, Frame};
use lookback_log_format::parcel::{open, PARCEL_BYTES};
use lookback_model::stimulus::Random;
use lookback_sim::block::Dut;
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::VecDeque;

/// Whether a whole parcel lies in front.
fn whole(bytes: &VecDeque<(u8, bool)>) -> bool {
    bytes.len() >= PARCEL_BYTES || bytes.iter().any(|byte| byte.1)
}

/// The twin of `gather`: a queue of bytes that is emptied by whole parcels.
#[derive(Default)]
pub struct Gathered {
    bytes: VecDeque<(u8, bool)>,
    /// a parcel was whole in the cycle before, too
    settled: bool,
    /// bytes taken of the parcel that is being taken
    taken: usize,
}

/// What is wished for a cycle.
#[derive(Clone, Debug)]
pub struct Wish {
    clear: bool,
    valid: bool,
    data: u32,
    last: bool,
    take: bool,
}

impl Lockstep for Gathered {
    type Step = Wish;

    fn runs() -> BoxedStrategy<Vec<Wish>> {
        let stretch = prop_oneof![
            Just((900u32, 100u32)),
            Just((200, 900)),
            Just((1000, 0)),
            Just((600, 600))
        ];
        let ends = prop_oneof![Just(0u32), Just(4), Just(40)];
        let stretch = (stretch, ends, 20..500usize).prop_flat_map(|((put, take), ends, length)| {
            let wish = (seldom(1), seldom(put), word(), seldom(ends), seldom(take));
            let wish = wish.prop_map(|(clear, valid, data, last, take)| Wish {
                clear,
                valid,
                data: data & 0xff,
                last,
                take,
            });
            vec(wish, length)
        });
        vec(stretch, 1..6).prop_map(|parts| parts.concat()).boxed()
    }

    fn inputs(&self, step: &Wish) -> Vec<(&'static str, u32)> {
        let take = step.take && (self.taken > 0 || self.settled && whole(&self.bytes));
        vec![
            ("clear", step.clear.into()),
            ("byte_valid", step.valid.into()),
            ("byte_data", step.data),
            // No record is as short as this allows; more ends than fit need not be counted.
            (
                "byte_last",
                (step.last && self.bytes.iter().rev().take(25).all(|b| !b.1)).into(),
            ),
            ("take", take.into()),
        ]
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        let ready = self.bytes.len() < 511;
        let mut seen = vec![("byte_ready", ready.into())];
        let is_whole = whole(&self.bytes);
        if self.taken == 0 {
            seen.push(("available", is_whole.into()));
        }
        if let Some((data, last)) = self
            .bytes
            .front()
            .filter(|_| self.taken > 0 || is_whole && self.settled)
        {
            seen.push(("data", (*data).into()));
            seen.push(("last", (*last).into()));
        }
        self.settled = is_whole;
        if inputs.is("take") {
            let ended = self.bytes.pop_front().is_some_and(|byte| byte.1);
            self.taken += 1;
            if ended || self.taken == PARCEL_BYTES {
                self.taken = 0;
                self.settled = whole(&self.bytes);
            }
        }
        if inputs.is("byte_valid") && ready {
            self.bytes
                .push_back((inputs.get("byte_data") as u8, inputs.is("byte_last")));
        }
        if inputs.is("clear") {
            *self = Self::default();
        }
        seen
    }
}

/// Records of eight sources through `merge`.
pub struct Merged;

/// A record that a source sends.
#[derive(Clone, Debug)]
pub struct Sent {
    source: u8,
    length: usize,
    /// cycles before it is there
    pause: u32,
    /// how often the ring takes a byte from then on, in a thousand
    ready: u32,
    seed: u64,
}

impl Check for Merged {
    type Step = Sent;

    fn runs() -> BoxedStrategy<Vec<Sent>> {
        let length = prop_oneof![
            1..600usize,
            Just(PARCEL_BYTES),
            Just(2 * PARCEL_BYTES),
            Just(PARCEL_BYTES + 1),
            Just(PARCEL_BYTES - 1)
        ];
        let source = prop_oneof![0..4u8, Just(6), Just(7)];
        let ready = prop_oneof![Just(1000u32), Just(500), Just(100)];
        let sent = (source, length, 0..600u32, ready, any::<u64>());
        let sent = sent.prop_map(|(source, length, pause, ready, seed)| Sent {
            source,
            length,
            pause,
            ready,
            seed,
        });
        vec(sent, 1..30).boxed()
    }

    fn drive(run: &[Sent], dut: &mut dyn Dut, out: &mut Records) {
        let mut queues: Vec<VecDeque<(u8, bool)>> = vec![VecDeque::new(); 8];
        let mut parcels: Vec<Vec<u8>> = vec![Vec::new()];
        let mut coming = run.iter().peekable();
        let mut pause = run.first().map_or(0, |sent| sent.pause);
        let mut ready = 1000;
        let mut random = Random::new(run.first().map_or(0, |sent| sent.seed));
        // Parcels of others that began while a source had one waiting.
        let mut passed = [0u32; 8];
        dut.set("clear", 1);
        dut.cycle();
        dut.set("clear", 0);
        let mut idle = 0;
        while idle < 20 {
            if pause == 0 {
                if let Some(sent) = coming.next() {
                    let mut bytes = Random::new(sent.seed);
                    let queue = &mut queues[usize::from(sent.source)];
                    queue.extend((1..=sent.length).map(|n| (bytes.word() as u8, n == sent.length)));
                    ready = sent.ready;
                }
                pause = coming.peek().map_or(0, |sent| sent.pause);
            }
            pause = pause.saturating_sub(1);
            let available: Vec<bool> = queues.iter().map(whole).collect();
            let mask = (0..8).fold(0, |mask, n| mask | u32::from(available[n]) << n);
            dut.set("available", mask);
            let source = dut.get("source") as usize;
            let (data, last) = queues[source].front().copied().unwrap_or((0xa5, false));
            dut.set("data", data.into());
            dut.set("last", last.into());
            let takes = random.chance(ready);
            dut.set("byte_ready", takes.into());
            if takes && dut.get("byte_valid") == 1 {
                if let Some(parcel) = parcels.last_mut() {
                    // One without bytes belongs to the one before it.
                    if parcel.len() == 1 {
                        for (n, count) in passed.iter_mut().enumerate() {
                            *count = if n != source && available[n] {
                                *count + 1
                            } else {
                                0
                            };
                        }
                    }
                    parcel.push(dut.get("byte_data") as u8);
                }
                if dut.get("byte_last") == 1 {
                    parcels.push(Vec::new());
                }
            }
            if dut.get("take") == 1 {
                queues[source].pop_front();
            }
            if passed.iter().any(|count| *count > 7) {
                out.say("passed over", passed.iter().copied().max().unwrap_or(0));
            }
            let done = coming.peek().is_none() && mask == 0 && dut.get("idle") == 1;
            idle = if done { idle + 1 } else { 0 };
            dut.cycle();
        }
        told(&parcels, out);
        for source in 0..8u8 {
            for sent in run.iter().filter(|sent| sent.source == source) {
                let mut bytes = Random::new(sent.seed);
                let hart = if source > 3 { source | 0xf8 } else { source };
                out.want("hart", hart);
                out.want("length", sent.length as u32);
                (0..sent.length).for_each(|_| out.want("byte", bytes.word() as u8));
            }
        }
    }

    fn expect(_: &[Sent], _: &mut Records) {}
}

/// Says the records that parcels make, by their harts.
fn told(parcels: &[Vec<u8>], out: &mut Records) {
    for hart in [0, 1, 2, 3, 0xfe, 0xff] {
        let mut record: Option<Vec<u8>> = None;
        for parcel in parcels.iter().filter(|parcel| !parcel.is_empty()) {
            let frame = Frame {
                kind: kind::LOG | kind::LOG_FIRST | kind::LOG_LAST,
                hart: 0,
                seq: 0,
                payload: parcel.clone(),
            };
            let piece = match open(&frame) {
                Ok(piece) => piece,
                Err(_) => {
                    out.say("no parcel", parcel.len() as u32);
                    return;
                }
            };
            if piece.hart != hart {
                continue;
            }
            if (piece.kind & kind::LOG_FIRST != 0) != record.is_none() {
                out.say("begins where nothing ended", u32::from(hart));
            }
            record.get_or_insert_default().extend(&piece.payload);
            if piece.kind & kind::LOG_LAST != 0 {
                let bytes = record.take().unwrap_or_default();
                out.say("hart", hart);
                out.say("length", bytes.len() as u32);
                bytes.iter().for_each(|byte| out.say("byte", *byte));
            }
        }
    }
}

//! The tags of codec `compact`, of both kinds: accesses, others' writes and key groups.

use crate::blocks::recorder::value;
use crate::blocks::{seldom, Check, Records};
use lookback_hdl::recorder::config::{CLOCK_HZ, TINY};
use lookback_log_format::config::{Coder, Compact, TagKind};
use lookback_log_format::RecorderConfig;
use lookback_model::compact::tags::Tags as Model;
use lookback_sim::block::Dut;
use proptest::collection::vec;
use proptest::prelude::*;

/// Accesses to tags of `2^SETS` sets of `WAYS` lines of `2^ROWS` rows of `2^WORDS` words; they keep words
/// if it says so.
pub struct Tags<
    const WAYS: usize,
    const SETS: u32,
    const ROWS: u32,
    const WORDS: u32,
    const KEEPS: bool,
>;

/// What the tags are asked next.
#[derive(Clone, Debug)]
pub enum Access {
    /// The hart reads and writes bytes of a word.
    Hart {
        /// address
        addr: u32,
        /// bytes read
        rmask: u8,
        /// bytes written
        wmask: u8,
        /// the word read, and the one written
        words: (u32, u32),
        /// the reader would take it from the image
        in_image: bool,
        /// it takes effect
        commit: bool,
    },
    /// Somebody else writes.
    Other(u32),
    /// A key group begins.
    Advance,
    /// Nothing happens for some cycles.
    Pause(u8),
    /// A new recording.
    Wipe,
}

/// Section 10.3 from step 2 on, inside the memory region. Returns whether every byte read is held, and
/// whether the reader must be told something.
fn look_up(
    tags: &mut Model,
    addr: u32,
    (rmask, read): (u8, u32),
    (wmask, written): (u8, u32),
    in_image: bool,
) -> (bool, bool) {
    let reads = rmask != 0;
    let mut escape = reads && in_image && !tags.row_is_valid(addr);
    if reads && tags.is_out_of_date(addr, rmask, read) {
        escape = true;
        tags.drop_row(addr);
    }
    let known = tags.access(addr, rmask, wmask, read);
    if wmask != 0 {
        tags.access(addr, 0, wmask, written);
    }
    (known, escape)
}

impl<const WAYS: usize, const SETS: u32, const ROWS: u32, const WORDS: u32, const KEEPS: bool> Check
    for Tags<WAYS, SETS, ROWS, WORDS, KEEPS>
{
    type Step = Access;

    fn runs() -> BoxedStrategy<Vec<Access>> {
        // Three lines for each set, and some that differ from them in a high bit only.
        let words = 3u32 << (SETS + ROWS + WORDS);
        let anywhere = (0..words, seldom(60), 5..31u32)
            .prop_map(|(word, far, bit)| (0x8000_0000 + 4 * word) ^ (u32::from(far) << bit));
        // One line and its neighbours, so that rows fill and rot.
        let near =
            (0..1u32 << (ROWS + WORDS), seldom(200), 0..3u32).prop_map(|(word, else_, way)| {
                let set = u32::from(else_) * (way << (SETS + ROWS + WORDS));
                0x8000_0000 + 4 * (word + set)
            });
        let addr = prop_oneof![anywhere, near].boxed();
        let mask = prop_oneof![2 => Just(15u8), 3 => 0..16u8, 1 => (0..4u8).prop_map(|n| 1 << n)];
        let mask = mask.boxed();
        let masks = prop_oneof![
            3 => (mask.clone(), Just(0)),
            2 => (Just(0), mask.clone()),
            1 => (mask.clone(), mask.clone()),
        ];
        let words = (value(), value());
        let hart = (addr.clone(), masks, words, seldom(300), seldom(930)).prop_map(
            |(addr, (rmask, wmask), words, in_image, commit)| Access::Hart {
                addr,
                words,
                // An access that touches nothing is none.
                rmask: rmask | u8::from(rmask | wmask == 0),
                wmask,
                in_image,
                commit,
            },
        );
        let step = |ends: u32| {
            prop_oneof![
                200 => hart.clone(),
                40 => addr.clone().prop_map(Access::Other),
                ends => Just(Access::Advance),
                20 => (1..4u8).prop_map(Access::Pause),
                1 => Just(Access::Wipe),
            ]
        };
        prop_oneof![
            vec(step(2), 1..400),
            vec(step(40), 1..300),
            vec(step(150), 1..200)
        ]
        .boxed()
    }

    fn drive(run: &[Access], dut: &mut dyn Dut, out: &mut Records) {
        wipe::<SETS>(dut);
        for access in run {
            match *access {
                Access::Hart {
                    addr,
                    rmask,
                    wmask,
                    words: (read, written),
                    in_image,
                    commit,
                } => {
                    dut.set("address", addr >> 2);
                    dut.set("rmask", rmask.into());
                    dut.set("wmask", wmask.into());
                    dut.set("read_word", read);
                    dut.set("written_word", written);
                    dut.set("in_image", in_image.into());
                    dut.set("snoop", 0);
                    dut.cycle();
                    dut.set("commit", commit.into());
                    out.say("known", dut.get("known"));
                    out.say("escape", dut.get("escape"));
                    dut.cycle();
                    dut.set("commit", 0);
                }
                Access::Other(addr) => {
                    dut.set("address", addr >> 2);
                    dut.set("rmask", 0);
                    dut.set("snoop", 1);
                    dut.cycle();
                    dut.set("commit", 1);
                    dut.cycle();
                    dut.set("commit", 0);
                }
                Access::Advance => {
                    dut.set("advance", 1);
                    dut.cycle();
                    dut.set("advance", 0);
                }
                Access::Pause(cycles) => (0..cycles).for_each(|_| dut.cycle()),
                Access::Wipe => wipe::<SETS>(dut),
            }
        }
    }

    fn expect(run: &[Access], out: &mut Records) {
        let compact = Compact {
            tags: match KEEPS {
                true => TagKind::Words,
                false => TagKind::Bits,
            },
            row_words: 1 << WORDS,
            coder: Coder::Arithmetic,
            last_bits: 4,
            key: 1,
        };
        let config = RecorderConfig {
            tag_set_bits: SETS as u8,
            tag_ways: WAYS as u8,
            tag_words: 1 << (ROWS + WORDS),
            ..TINY.config(CLOCK_HZ)
        };
        let mut tags = Model::new(&config, &compact);
        for access in run {
            match *access {
                Access::Hart {
                    addr,
                    rmask,
                    wmask,
                    words: (read, written),
                    in_image,
                    commit,
                } => {
                    let (read, written) = ((rmask, read), (wmask, written));
                    let mut untouched = tags.clone();
                    let tags = if commit { &mut tags } else { &mut untouched };
                    let (known, escape) = look_up(tags, addr, read, written, in_image);
                    out.say("known", known);
                    out.say("escape", escape);
                }
                Access::Other(addr) => tags.snoop(addr),
                Access::Advance | Access::Wipe => tags.forget(),
                Access::Pause(_) => {}
            }
        }
    }
}

/// For as many cycles as there are sets, or more: the longest memory decides in the recorder.
fn wipe<const SETS: u32>(dut: &mut dyn Dut) {
    dut.set("advance", 1);
    (0..(1 << SETS) + 3).for_each(|_| dut.cycle());
    dut.set("advance", 0);
}

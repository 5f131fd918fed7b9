//! What logs the order of several harts, block by block and as a whole: `lookback_model`'s twins say
//! which strata are taken and which chunks end, `lookback_log_format` which bytes that makes.

use crate::blocks::{seldom, Check, Records};
use lookback_hdl::recorder::config::{OrderSizes, ORDER, TINY_ORDER};
use lookback_log_format::interval::{EndReason, Record};
use lookback_log_format::order::{
    encode, OrderElement, OrderKind, OrderMode, OrderRecord, OrderSettings, Pace, MAX_HARTS,
};
use lookback_log_format::Retire;
use lookback_model::chunk_counter::{Access, ChunkCounter};
use lookback_model::order::Order;
use lookback_model::stimulus::Random;
use lookback_model::strata_arbiter::{fold, StrataArbiter, Strides, EXTERNAL};
use lookback_sim::block::Dut;
use proptest::collection::vec;
use proptest::prelude::*;

/// Cycles that anything takes at most.
const PATIENCE: usize = 4000;

/// Blocks that share places in small tables, and any.
fn block() -> BoxedStrategy<u32> {
    prop_oneof![
        8 => (0..12u32).prop_map(|block| 0x1000_0000 + block),
        3 => (0..6u32, 0..4u32).prop_map(|(low, high)| low | high << 27),
        2 => (0..16u32).prop_map(|block| 0x0008_0000 + (block << 4)),
        1 => 0..1u32 << 30,
    ]
    .boxed()
}

/// The place of a block.
pub struct Places;

impl Check for Places {
    type Step = u32;

    fn runs() -> BoxedStrategy<Vec<u32>> {
        vec(block(), 1..40).boxed()
    }

    fn drive(run: &[u32], dut: &mut dyn Dut, out: &mut Records) {
        for &block in run {
            dut.set("block", block);
            out.say("place", dut.get("place"));
            dut.cycle();
        }
    }

    fn expect(run: &[u32], out: &mut Records) {
        for &block in run {
            out.say("place", fold(block, 10) as u32);
        }
    }
}

fn tiny() -> OrderSettings {
    TINY_ORDER.settings()
}

fn clear(dut: &mut dyn Dut) {
    dut.set("clear", 1);
    (0..32).for_each(|_| dut.cycle());
    dut.set("clear", 0);
}

/// Plays something to its end; what came before that is up to `watch`.
fn until_done(
    dut: &mut dyn Dut,
    out: &mut Records,
    mut watch: impl FnMut(&mut dyn Dut, &mut Records),
) {
    let done = (0..PATIENCE).any(|_| {
        watch(dut, out);
        let done = dut.get("done") == 1;
        dut.cycle();
        done
    });
    if !done {
        out.say("not done", true);
    }
}

/// Strata of three harts.
pub struct Strata;

/// Something that an arbiter is asked.
#[derive(Clone, Debug)]
pub enum Asked {
    /// An access, or an external write by 3.
    Access(u8, u32, bool),
    /// Accesses of one hart, so many that its counter may be full.
    Many(u8, u32),
    /// A stratum whatever there is.
    Take,
    /// Another recording begins.
    Clear,
}

/// A stratum that is taken for an access is told at once if no stride is above 3.
fn tell(strides: Strides, for_access: bool, out: &mut Records) {
    for stride in &strides[..3] {
        out.say("stride", *stride);
    }
    if for_access && strides.iter().all(|stride| *stride <= 3) {
        out.say("not its harts", false);
    }
}

impl Check for Strata {
    type Step = Asked;

    fn runs() -> BoxedStrategy<Vec<Asked>> {
        let access = (0..4u8, block(), any::<bool>());
        let asked = prop_oneof![
            60 => access.prop_map(|(writer, block, writes)| Asked::Access(writer, block, writes)),
            2 => Just(Asked::Take),
            1 => Just(Asked::Clear),
        ];
        let many = (0..3u8, 65_530..65_540u32).prop_map(|(hart, count)| Asked::Many(hart, count));
        (vec(asked, 1..160), proptest::option::weighted(0.01, many))
            .prop_map(|(mut run, many)| {
                run.extend(many);
                run
            })
            .boxed()
    }

    fn drive(run: &[Asked], dut: &mut dyn Dut, out: &mut Records) {
        let watch = |dut: &mut dyn Dut, out: &mut Records| {
            if dut.get("stride_valid") == 1 {
                out.say("stride", dut.get("stride") - 1);
            }
            if dut.get("short_valid") == 1 {
                let short = dut.get("short");
                (0..3).for_each(|hart| out.say("stride", short >> (2 * hart) & 3));
                out.say("not its harts", short >> 6);
            }
        };
        clear(dut);
        let access = |dut: &mut dyn Dut, out: &mut Records, writer: u8, block, writes: bool| {
            let external = writer == 3;
            dut.set("writer", if external { 4 } else { writer.into() });
            dut.set("block", block);
            dut.set("writes", (writes || external).into());
            dut.set("ask", 1);
            until_done(dut, out, watch);
            dut.set("ask", 0);
            out.say("done", writer);
            if block % 5 == 0 {
                dut.cycle();
            }
        };
        for asked in run {
            match *asked {
                Asked::Access(writer, block, writes) => access(dut, out, writer, block, writes),
                Asked::Many(hart, count) => {
                    (0..count).for_each(|_| access(dut, out, hart, 1, false));
                }
                Asked::Take => {
                    dut.set("take", 1);
                    until_done(dut, out, watch);
                    dut.set("take", 0);
                    out.say("done", true);
                }
                Asked::Clear => clear(dut),
            }
        }
    }

    fn expect(run: &[Asked], out: &mut Records) {
        let mut twin = StrataArbiter::new(tiny());
        let access = |twin: &mut StrataArbiter, out: &mut Records, writer: u8, block, writes| {
            let external = writer == 3;
            let who = if external { EXTERNAL } else { writer };
            if let Some(strides) = twin.access(who, block, writes || external) {
                tell(strides, true, out);
            }
            out.say("done", writer);
        };
        for asked in run {
            match *asked {
                Asked::Access(writer, block, writes) => {
                    access(&mut twin, out, writer, block, writes)
                }
                Asked::Many(hart, count) => {
                    (0..count).for_each(|_| access(&mut twin, out, hart, 1, false));
                }
                Asked::Take => {
                    tell(twin.take(), false, out);
                    out.say("done", true);
                }
                Asked::Clear => twin = StrataArbiter::new(tiny()),
            }
        }
    }
}

/// Chunks of four harts.
pub struct Chunks;

/// Something that a counter is asked.
#[derive(Clone, Debug)]
pub enum Counted {
    /// A retirement: hart, block, what it does (0 nothing, 1 reads, 2 writes, 3 both, 4 traps).
    Retire(u8, u32, u8),
    /// So many without an access.
    Plain(u8, u16),
    /// An external write.
    External(u32),
    /// All harts read a block and somebody else writes it; at once this hart does something without an
    /// access.
    Storm(u32, u8, u8),
    /// All chunks end.
    Close,
    /// Another recording begins.
    Clear,
}

fn access_of(block: u32, does: u8) -> Option<Access> {
    (1..4).contains(&does).then_some(Access {
        block,
        reads: does & 1 != 0,
        writes: does & 2 != 0,
    })
}

impl Check for Chunks {
    type Step = Counted;

    fn runs() -> BoxedStrategy<Vec<Counted>> {
        let does = prop_oneof![6 => 1..3u8, 2 => Just(3u8), 2 => Just(0u8)];
        let does = (does, seldom(15)).prop_map(|(does, traps)| if traps { 4 } else { does });
        let counted = prop_oneof![
            60 => (0..4u8, block(), does).prop_map(|(hart, at, does)| Counted::Retire(hart, at, does)),
            4 => (0..4u8, 1..300u16).prop_map(|(hart, count)| Counted::Plain(hart, count)),
            4 => block().prop_map(Counted::External),
            2 => (block(), 0..4u8, prop_oneof![Just(0u8), Just(4u8)])
                .prop_map(|(at, hart, does)| Counted::Storm(at, hart, does)),
            2 => Just(Counted::Close),
            1 => Just(Counted::Clear),
        ];
        vec(counted, 1..160).boxed()
    }

    fn drive(run: &[Counted], dut: &mut dyn Dut, out: &mut Records) {
        // Chunks are told behind what ended them.
        let watch = |dut: &mut dyn Dut, out: &mut Records| {
            if dut.get("ended") == 1 {
                out.say("hart", dut.get("ended_hart"));
                out.say("size", dut.get("ended_size"));
            }
        };
        let rest = |dut: &mut dyn Dut, out: &mut Records| {
            while dut.get("telling") == 1 {
                watch(dut, out);
                dut.cycle();
            }
        };
        clear(dut);
        let ask = |dut: &mut dyn Dut, out: &mut Records, port: &str| {
            dut.set(port, 1);
            until_done(dut, out, watch);
            dut.set(port, 0);
        };
        let retire = |dut: &mut dyn Dut, out: &mut Records, hart: u8, block: u32, does: u8| {
            dut.set("retires", 1);
            dut.set("hart", hart.into());
            dut.set("block", block);
            dut.set("reads", (does == 1 || does == 3).into());
            dut.set("writes", (does == 2 || does == 3).into());
            dut.set("trap", (does == 4).into());
            ask(dut, out, "ask");
            dut.set("retires", 0);
            if block % 5 == 0 {
                rest(dut, out);
            }
        };
        let external = |dut: &mut dyn Dut, out: &mut Records, block: u32| {
            dut.set("block", block);
            dut.set("reads", 0);
            dut.set("writes", 1);
            dut.set("trap", 0);
            ask(dut, out, "ask");
        };
        for counted in run {
            match *counted {
                Counted::Retire(hart, block, does) => retire(dut, out, hart, block, does),
                Counted::Plain(hart, count) => {
                    (0..count).for_each(|_| retire(dut, out, hart, 5, 0));
                }
                Counted::External(block) => external(dut, out, block),
                Counted::Storm(block, hart, does) => {
                    (0..4).for_each(|reader| retire(dut, out, reader, block, 1));
                    external(dut, out, block);
                    retire(dut, out, hart, 1, does);
                }
                Counted::Close => {
                    ask(dut, out, "close");
                    out.say("telling", dut.get("telling"));
                }
                Counted::Clear => {
                    rest(dut, out);
                    clear(dut);
                }
            }
        }
        rest(dut, out);
    }

    fn expect(run: &[Counted], out: &mut Records) {
        let fresh = || ChunkCounter::new(tiny(), 4);
        let mut twin = fresh();
        for counted in run {
            let times = if let Counted::Plain(_, count) = counted {
                *count
            } else {
                1
            };
            for _ in 0..times {
                let ended = match *counted {
                    Counted::Retire(hart, block, does) => {
                        twin.retire(hart.into(), access_of(block, does), does == 4)
                    }
                    Counted::Plain(hart, _) => twin.retire(hart.into(), None, false),
                    Counted::External(block) => twin.external(block),
                    Counted::Storm(block, hart, does) => {
                        let mut ended = Vec::new();
                        for reader in 0..4 {
                            ended.extend(twin.retire(reader, access_of(block, 1), false));
                        }
                        ended.extend(twin.external(block));
                        ended.extend(twin.retire(hart.into(), None, does == 4));
                        ended
                    }
                    Counted::Close => twin.close(),
                    Counted::Clear => {
                        twin = fresh();
                        continue;
                    }
                };
                for chunk in ended {
                    out.say("hart", chunk.hart);
                    out.say("size", chunk.size);
                }
                if matches!(counted, Counted::Close) {
                    out.say("telling", false);
                }
            }
        }
    }
}

/// Records of three harts, word by word: of chunks, or of strata.
pub struct Written<const CHUNKS: bool>;

/// A record.
#[derive(Clone, Debug)]
pub struct Whole {
    index: u32,
    retired: [u32; 3],
    elements: Vec<(u8, [u16; 3], u32)>,
    reason: u8,
    /// in a thousand, how often: a word is there, a byte is taken, many words wait
    offered: u32,
    ready: u32,
    behind: u32,
    seed: u64,
}

impl Whole {
    fn elements(&self, kind: OrderKind) -> Vec<OrderElement> {
        let elements = self.elements.iter().map(|&(what, strides, address)| {
            let mut all = [0; MAX_HARTS];
            all[..3].copy_from_slice(&strides.map(|stride| stride.min(65534)));
            match (what, kind) {
                (0, _) => OrderElement::External(address >> 2),
                (_, OrderKind::Strata) => OrderElement::Stratum(all),
                (_, OrderKind::Chunks) => OrderElement::Chunk {
                    hart: what % 3,
                    size: u32::from(strides[0]).max(1),
                },
            }
        });
        elements.collect()
    }

    /// The stratum with this number comes as one word.
    fn is_short(&self, number: usize) -> bool {
        let (what, strides, _) = self.elements[number];
        what % 5 != 0 && strides.iter().all(|stride| *stride <= 3)
    }

    fn record(&self, kind: OrderKind) -> OrderRecord {
        OrderRecord {
            kind,
            index: self.index,
            retired: self.retired.to_vec(),
            elements: encode(3, kind, &self.elements(kind)),
            never_hurries: false,
            reason: EndReason::from_code(self.reason).unwrap_or(EndReason::Length),
        }
    }

    /// Kinds and values as `order_writer` and `chunk_writer` name them.
    fn words(&self, kind: OrderKind) -> Vec<(u32, u32)> {
        let mut words = vec![(0, self.index)];
        words.extend(self.retired.map(|count| (1, count)));
        for (number, element) in self.elements(kind).into_iter().enumerate() {
            match element {
                OrderElement::External(address) => words.push((2, address)),
                OrderElement::Chunk { hart, size } => words.push((1, size << 2 | u32::from(hart))),
                OrderElement::Stratum(strides) if self.is_short(number) => {
                    let harts = strides[..3].iter().enumerate();
                    let short = harts.map(|(hart, stride)| u32::from(*stride) << (2 * hart));
                    words.push((6, short.sum()));
                }
                OrderElement::Stratum(strides) => {
                    for (hart, stride) in strides[..3].iter().enumerate() {
                        words.push((if hart == 0 { 4 } else { 5 }, u32::from(*stride) + 1));
                    }
                }
            }
        }
        words.push((3, self.reason.into()));
        words
    }

    /// Which strata are hurried is the writer's choice, within limits.
    fn judge(&self, kind: OrderKind, bytes: &[u8], out: &mut Records) {
        let mut wanted = self.record(kind);
        let sent = Record::from_bytes(bytes);
        if let (Ok(Record::Order(sent)), OrderKind::Strata) = (sent, kind) {
            wanted = wanted.at_paces_of(&sent);
            for (number, pace) in sent.paces().into_iter().enumerate() {
                let hurried = pace != Pace::Calm;
                let short = number < self.elements.len()
                    && self.is_short(number)
                    && self.elements[number].1.iter().any(|stride| *stride > 0);
                let may = short && self.behind > 0;
                let must = short && self.behind == 1000;
                out.say("hurried as it may", hurried <= may && hurried >= must);
                out.want("hurried as it may", true);
            }
        }
        bytes.iter().for_each(|byte| out.say("byte", *byte));
        for byte in wanted.to_bytes() {
            out.want("byte", byte);
        }
    }
}

fn stride() -> BoxedStrategy<u16> {
    prop_oneof![8 => 0..6u16, 3 => 0..300u16, 1 => any::<u16>(), 1 => Just(65534u16)].boxed()
}

impl<const CHUNKS: bool> Check for Written<CHUNKS> {
    type Step = Whole;

    fn runs() -> BoxedStrategy<Vec<Whole>> {
        let number = || prop_oneof![3 => 0..300u32, 1 => any::<u32>()];
        let strides = prop_oneof![
            1 => [stride(), stride(), stride()],
            1 => [0..4u16, 0..4u16, 0..4u16],
        ];
        let element = (
            prop_oneof![1 => Just(0u8), 12 => 1..10u8],
            strides,
            any::<u32>(),
        );
        let often = || prop_oneof![3 => Just(1000u32), 1 => Just(600), 1 => Just(150)];
        let behind = prop_oneof![Just(0u32), Just(1000), Just(500), Just(30)];
        let parts = (
            number(),
            [number(), number(), number()],
            vec(element, 0..80),
            1..6u8,
        );
        let whole = (parts, often(), often(), behind, any::<u64>()).prop_map(
            |((index, retired, elements, reason), offered, ready, behind, seed)| Whole {
                index,
                retired,
                elements,
                reason,
                offered,
                ready,
                behind,
                seed,
            },
        );
        vec(whole, 1..10).boxed()
    }

    fn drive(run: &[Whole], dut: &mut dyn Dut, out: &mut Records) {
        let kind = if CHUNKS {
            OrderKind::Chunks
        } else {
            OrderKind::Strata
        };
        dut.set("reset", 1);
        dut.cycle();
        dut.set("reset", 0);
        for whole in run {
            let mut random = Random::new(whole.seed);
            let mut words = whole.words(kind).into_iter();
            let mut next = words.next();
            let mut quiet = 0;
            let mut bytes = Vec::new();
            let mut lasts = 0u32;
            // A word that is there stays until it is used.
            let mut there = false;
            // 1024 cycles of clearing may come first.
            for _ in 0..200_000 {
                there |= random.chance(whole.offered);
                let offered = next.filter(|_| there);
                let (word_kind, value) = offered.unwrap_or((random.word() & 7, random.word()));
                dut.set("word_valid", offered.is_some().into());
                dut.set("word_kind", word_kind & if CHUNKS { 3 } else { 7 });
                dut.set("word_value", value);
                if !CHUNKS {
                    dut.set("behind", random.chance(whole.behind).into());
                }
                let ready = random.chance(whole.ready);
                dut.set("byte_ready", ready.into());
                if ready && dut.get("byte_valid") == 1 {
                    bytes.push(dut.get("byte_data") as u8);
                    lasts += dut.get("byte_last");
                }
                if offered.is_some() && dut.get("word_pop") == 1 {
                    next = words.next();
                    there = false;
                }
                quiet = if next.is_none() && dut.get("idle") == 1 {
                    quiet + 1
                } else {
                    0
                };
                dut.cycle();
                if quiet > 3 {
                    break;
                }
            }
            whole.judge(kind, &bytes, out);
            out.say("ends", lasts);
            out.want("ends", true);
            out.say("over", quiet > 3);
            out.want("over", true);
        }
    }

    fn expect(_: &[Whole], _: &mut Records) {}
}

/// The order of `N` harts from the port to bytes.
pub struct Logged<const N: usize, const IS_TINY: bool>;

/// A recording of the order.
#[derive(Clone, Debug)]
pub struct Session {
    /// ORDER_MODE
    mode: u32,
    seed: u64,
    /// cycles and, in a thousand, how often something happens and bytes are taken
    stretches: Vec<(u16, u32, u32)>,
    /// words that are accessed
    words: u32,
    interval_ends: u32,
    reason: u8,
    /// nobody waits for it
    drops: bool,
}

/// The records of a byte stream.
#[derive(Default)]
struct Stream {
    open: Vec<u8>,
    records: Vec<Vec<u8>>,
}

impl<const N: usize, const IS_TINY: bool> Check for Logged<N, IS_TINY> {
    type Step = Session;

    fn runs() -> BoxedStrategy<Vec<Session>> {
        let often = || prop_oneof![3 => Just(1000u32), 2 => Just(400), 1 => Just(100)];
        let stretch = (1..1500u16, often(), often());
        let session = (
            prop_oneof![6 => Just(3u32), 2 => Just(1u32), 2 => Just(2u32), 1 => Just(0u32)],
            any::<u64>(),
            vec(stretch, 1..4),
            prop_oneof![Just(4u32), Just(24), Just(400)],
            prop_oneof![Just(0u32), Just(3), Just(60)],
            prop_oneof![Just(2u8), Just(3), Just(5)],
            seldom(150),
        )
            .prop_map(
                |(mode, seed, stretches, words, interval_ends, reason, drops)| Session {
                    mode,
                    seed,
                    stretches,
                    words,
                    interval_ends,
                    reason,
                    drops,
                },
            );
        vec(session, 1..4).boxed()
    }

    fn drive(run: &[Session], dut: &mut dyn Dut, out: &mut Records) {
        dut.set("reset", 1);
        dut.cycle();
        dut.set("reset", 0);
        for session in run {
            dut.set("clear", 1);
            let sizes = if IS_TINY { TINY_ORDER } else { ORDER };
            let places = sizes.filter_bits.max(sizes.signature_bits);
            (0..1 << places).for_each(|_| dut.cycle());
            dut.set("clear", 0);
            LogBench::<N> {
                dut,
                random: Random::new(session.seed),
                streams: Default::default(),
                order: Order::new(settings(&sizes, session.mode), N),
            }
            .record(session, out);
        }
    }

    fn expect(_: &[Session], _: &mut Records) {}
}

/// The sizes with this ORDER_MODE.
pub fn settings(sizes: &OrderSizes, mode: u32) -> OrderSettings {
    OrderSettings {
        mode: OrderMode::from_register(mode),
        ..sizes.settings()
    }
}

struct LogBench<'a, const N: usize> {
    dut: &'a mut dyn Dut,
    random: Random,
    streams: [Stream; 2],
    order: Order,
}

impl<const N: usize> LogBench<'_, N> {
    fn cycle(&mut self, ready: u32) {
        for (number, name) in ["strata", "chunks"].into_iter().enumerate() {
            let is_ready = self.random.chance(ready);
            self.dut.set(&format!("{name}_ready"), is_ready.into());
            if is_ready && self.dut.get(&format!("{name}_valid")) == 1 {
                let stream = &mut self.streams[number];
                stream
                    .open
                    .push(self.dut.get(&format!("{name}_data")) as u8);
                if self.dut.get(&format!("{name}_last")) == 1 {
                    stream.records.push(std::mem::take(&mut stream.open));
                }
            }
        }
        self.dut.cycle();
        for port in ["retires", "external", "stop"] {
            self.dut.set(port, 0);
        }
    }

    fn happens(&mut self, session: &Session) {
        let addr = 0x8000_0000 + 4 * self.random.below(session.words);
        let hart = self.random.below(N as u32);
        let (external, retires) = match self.random.below(100) {
            0..4 => (true, false),
            4..8 => (true, true),
            _ => (false, true),
        };
        let trap = retires && self.random.chance(8);
        let does = match self.random.below(10) {
            _ if external || trap => 0,
            0..4 => 0,
            4..7 => 1,
            7..9 => 2,
            _ => 3,
        };
        let ends = retires && self.random.chance(session.interval_ends);
        let flags = [
            ("retires", retires),
            ("external", external),
            ("trap", trap),
            ("reads", does & 1 == 1),
            ("writes", does & 2 == 2),
            ("ends", ends),
        ];
        for (port, value) in flags {
            self.dut.set(port, value.into());
        }
        self.dut.set("hart", hart);
        self.dut.set("address", addr);
        if retires {
            let retire = Retire {
                trap,
                mem_addr: addr,
                mem_rmask: if does & 1 == 1 { 15 } else { 0 },
                mem_wmask: if does & 2 == 2 { 15 } else { 0 },
                ..Retire::default()
            };
            self.order.retire(hart as usize, &retire);
            if ends {
                self.order.interval_ended();
            }
        }
        if external {
            self.order.external(addr);
        }
    }

    fn record(mut self, session: &Session, out: &mut Records) {
        self.dut.set("strata", session.mode & 1);
        self.dut.set("chunks", session.mode >> 1);
        for &(cycles, often, ready) in &session.stretches {
            for _ in 0..cycles {
                let waits = self.dut.get("pressure") == 1 && !session.drops;
                if !waits && self.random.chance(often) {
                    self.happens(session);
                }
                self.cycle(ready);
            }
        }
        self.dut.set("reason", session.reason.into());
        self.dut.set("stop", 1);
        self.cycle(1000);
        let over = (0..60_000).any(|_| {
            self.cycle(1000);
            self.dut.get("idle") == 1
        });
        out.say("over", over);
        out.want("over", true);
        let reason = EndReason::from_code(session.reason).unwrap_or(EndReason::Stopped);
        self.order.stop(reason);
        if self.dut.get("lost") == 1 {
            return self.judge_loss(out);
        }
        judge_order(
            &mut self.order,
            [&self.streams[0].records, &self.streams[1].records],
            out,
        );
    }

    /// What was lost is the block's own choice: records go on to where they end for it, and that is the
    /// last of them.
    fn judge_loss(mut self, out: &mut Records) {
        let wanted = self.order.take_records();
        for stream in &self.streams {
            let last = stream.records.len().saturating_sub(1);
            for (number, bytes) in stream.records.iter().enumerate() {
                let Ok(Record::Order(record)) = Record::from_bytes(bytes) else {
                    return out.say("no record", number as u32);
                };
                let same = wanted
                    .iter()
                    .any(|wanted| wanted.at_paces_of(&record) == record);
                let elements = record.elements().all(|element| element.is_ok());
                let overflow = record.reason == EndReason::Overflow;
                out.say("fits", (overflow || same) && elements);
                out.want("fits", true);
                out.say("ends for it", overflow);
                out.want("ends for it", number == last);
            }
        }
    }
}

/// Compares records of strata and of chunks with what the model says.
pub fn judge_order(order: &mut Order, sent: [&Vec<Vec<u8>>; 2], out: &mut Records) {
    let wanted = order.take_records();
    for (kind, sent) in [OrderKind::Strata, OrderKind::Chunks].into_iter().zip(sent) {
        let name = if kind == OrderKind::Strata {
            "strata"
        } else {
            "chunks"
        };
        for bytes in sent {
            bytes.iter().for_each(|byte| out.say(name, *byte));
            out.say("end of a record", true);
        }
        let wanted = wanted.iter().filter(|record| record.kind == kind);
        for (number, record) in wanted.enumerate() {
            let bytes = sent.get(number).map_or(&[][..], Vec::as_slice);
            let record = match Record::from_bytes(bytes) {
                Ok(Record::Order(sent)) => record.at_paces_of(&sent),
                _ => record.clone(),
            };
            record
                .to_bytes()
                .iter()
                .for_each(|byte| out.want(name, *byte));
            out.want("end of a record", true);
        }
    }
}

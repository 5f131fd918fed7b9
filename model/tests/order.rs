//! From the logged order of a random run of several harts, every dependence between them can be told.

use lookback_log_format::interval::EndReason;
use lookback_log_format::order::{OrderElement, OrderKind, OrderMode, OrderRecord, OrderSettings};
use lookback_log_format::Retire;
use lookback_model::order::Order;
use lookback_model::stimulus::Random;
use proptest::prelude::*;

/// One element of the order in which things happened.
#[derive(Debug, Clone, Copy)]
struct Event {
    /// `None`: somebody other than the harts.
    hart: Option<usize>,
    retire: Retire,
}

impl Event {
    fn is_access(&self) -> bool {
        !self.retire.trap && (self.retire.mem_rmask | self.retire.mem_wmask) != 0
    }
}

fn run(seed: u64, harts: usize, length: usize, words: u32) -> Vec<Event> {
    let mut random = Random::new(seed);
    // Two external writes to one block may be logged as one: here all are logged.
    let mut external_block = None;
    let event = |_| {
        let addr = 0x8000_0000 + 4 * random.below(words);
        let external = random.chance(20) && external_block != Some(addr >> 4);
        if external {
            external_block = Some(addr >> 4);
        }
        let kind = random.below(100);
        let (rmask, wmask) = match kind {
            _ if external => (0, 15),
            0..30 => (0, 0),
            30..70 => (15, 0),
            70..92 => (0, 1 << random.below(4)),
            _ => (15, 15),
        };
        let retire = Retire {
            trap: !external && random.chance(5),
            mem_addr: addr,
            mem_rmask: rmask,
            mem_wmask: wmask,
            ..Retire::default()
        };
        let hart = (!external).then(|| random.below(harts as u32) as usize);
        Event { hart, retire }
    };
    (0..length).map(event).collect()
}

fn records(events: &[Event], settings: OrderSettings, harts: usize) -> Vec<OrderRecord> {
    let mut order = Order::new(settings, harts);
    for (number, event) in events.iter().enumerate() {
        match event.hart {
            Some(hart) => order.retire(hart, &event.retire),
            None => order.external(event.retire.mem_addr),
        }
        if number % 97 == 0 {
            order.interval_ended();
        }
    }
    order.stop(EndReason::RunEnded);
    order.take_records()
}

/// The number of each event's region or chunk, in the order of the log.
fn places(events: &[Event], records: &[OrderRecord], kind: OrderKind, harts: usize) -> Vec<usize> {
    let mut queues: Vec<Vec<usize>> = vec![Vec::new(); harts + 1];
    let counted = |event: &Event| kind == OrderKind::Chunks || event.is_access();
    for (number, event) in events.iter().enumerate() {
        if event.hart.is_none() || counted(event) {
            queues[event.hart.unwrap_or(harts)].push(number);
        }
    }
    let mut queues: Vec<_> = queues.into_iter().map(Vec::into_iter).collect();
    let mut places = vec![usize::MAX; events.len()];
    let mut place = 0;
    let of_kind = records.iter().filter(|record| record.kind == kind);
    for element in of_kind.flat_map(|record| record.elements().collect::<Vec<_>>()) {
        match element.unwrap() {
            OrderElement::Stratum(strides) => {
                for hart in 0..harts {
                    for _ in 0..strides[hart] {
                        places[queues[hart].next().expect("the hart has so many")] = place;
                    }
                }
                place += 1;
            }
            OrderElement::Chunk { hart, size } => {
                for _ in 0..size {
                    places[queues[usize::from(hart)].next().expect("so many")] = place;
                }
                place += 1;
            }
            OrderElement::External(block) => {
                let number = queues[harts].next().expect("somebody wrote");
                assert_eq!(events[number].retire.mem_addr >> 4, block);
                places[number] = place;
                place += usize::from(kind == OrderKind::Chunks);
            }
        }
    }
    for (hart, queue) in queues.into_iter().enumerate() {
        assert_eq!(queue.count(), 0, "all of hart {hart} is in the log");
    }
    places
}

fn check(seed: u64, harts: usize, words: u32, settings: OrderSettings) {
    let events = run(seed, harts, 1500, words);
    let records = records(&events, settings, harts);
    for kind in [OrderKind::Strata, OrderKind::Chunks] {
        let places = places(&events, &records, kind, harts);
        for (second, later) in events.iter().enumerate() {
            for (first, earlier) in events[..second].iter().enumerate() {
                if !earlier.is_access() || !later.is_access() || earlier.hart == later.hart {
                    continue;
                }
                if earlier.retire.mem_addr != later.retire.mem_addr {
                    continue;
                }
                let (a, b) = (places[first], places[second]);
                match (earlier.retire.mem_wmask != 0, later.retire.mem_wmask != 0) {
                    (true, _) => assert!(a < b, "{kind:?}: {first} before {second}"),
                    (false, true) if kind == OrderKind::Strata => assert!(a <= b),
                    (false, true) => assert!(a < b, "chunks: {first} before {second}"),
                    (false, false) => {}
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_dependence_is_in_the_log(
        seed in any::<u64>(),
        harts in 2usize..=4,
        words in prop_oneof![Just(8u32), Just(64), Just(2000)],
        tracked in 0u8..6,
        filter in 4u8..8,
        signature in 4u8..9,
    ) {
        let mode = OrderMode { strata: true, chunks: true };
        let settings = OrderSettings {
            block_bits: 4,
            tracked_bits: tracked,
            filter_bits: filter,
            signature_bits: signature,
            chunk_bits: 8,
            has: mode,
            mode,
        };
        check(seed, harts, words, settings);
    }
}

#[test]
fn records_start_where_the_one_before_ended() {
    let events = run(7, 3, 20_000, 64);
    let records = records(&events, OrderSettings::default(), 3);
    for kind in [OrderKind::Strata, OrderKind::Chunks] {
        let of_kind: Vec<_> = records.iter().filter(|r| r.kind == kind).collect();
        assert!(of_kind.len() > 10);
        for (number, record) in of_kind.iter().enumerate() {
            assert_eq!(record.index as usize, number);
            // One element more than it is full with, or as many as one event adds; and the closing.
            assert!(record.elements().count() <= 1024 + 8);
        }
        let chunks = of_kind.windows(2).filter(|_| kind == OrderKind::Chunks);
        for pair in chunks {
            let mut at: Vec<u32> = pair[0].retired.clone();
            for element in pair[0].elements() {
                if let OrderElement::Chunk { hart, size } = element.unwrap() {
                    at[usize::from(hart)] += size;
                }
            }
            assert_eq!(at, pair[1].retired);
        }
    }
}

//! The rules of the format one by one, on runs of a few instructions.

mod support;

use lookback_log_format::entry::{Entry, EntryReader, Escape, Value, Widths};
use lookback_log_format::interval::{EndReason, Interval, Record};
use lookback_log_format::{registers, RecorderConfig, Retire};
use lookback_model::{Event, Recorder, Stimulus};
use support::config;

const CODE: u32 = 0x8000_0000;
const BESIDE: u32 = 0x8000_2000;
const DATA: u32 = 0x8000_8000;
const DEVICE: u32 = 0x1000_0000;

const NOP: u32 = 0x0000_0013;
const MRET: u32 = 0x3020_0073;
const WFI: u32 = 0x1050_0073;
const LW: u32 = 0x0005_2503;
const SW: u32 = 0x00a5_2023;
const SC: u32 = 0x18a5_252f;
const CSRR_A0: u32 = 0xc000_2573;

fn at(pc: u32, insn: u32) -> Retire {
    Retire {
        insn,
        mode: 3,
        pc_rdata: pc,
        pc_wdata: pc + 4,
        ..Retire::default()
    }
}

fn load(pc: u32, addr: u32, mask: u8, word: u32) -> Retire {
    Retire {
        rd_addr: 10,
        rd_wdata: word,
        mem_addr: addr,
        mem_rmask: mask,
        mem_rdata: word,
        ..at(pc, LW)
    }
}

fn store(pc: u32, addr: u32, mask: u8, word: u32) -> Retire {
    Retire {
        mem_addr: addr,
        mem_wmask: mask,
        mem_wdata: word,
        ..at(pc, SW)
    }
}

fn trap(pc: u32, vector: u32) -> Retire {
    Retire {
        trap: true,
        pc_wdata: vector,
        ..at(pc, 0)
    }
}

fn word(skipped: u32, word: u32) -> Entry {
    Entry::Operation {
        skipped,
        value: Value::Word(word),
    }
}

fn escape(position: u32, escape: Escape) -> Entry {
    Entry::Escape { position, escape }
}

fn intervals(records: Vec<Record>) -> Vec<Interval> {
    let interval = |record| match record {
        Record::Interval(interval) => interval,
        other => panic!("nothing was lost, and one hart has no order: {other:?}"),
    };
    records.into_iter().map(interval).collect()
}

fn entries_of(interval: &Interval) -> Vec<Entry> {
    let mut reader = EntryReader::new(&interval.entries, Widths::from(&config()));
    std::iter::from_fn(|| reader.next_entry().unwrap()).collect()
}

/// The entries of a run that fits one interval.
fn entries(run: &[Retire]) -> Vec<Entry> {
    let mut recorder = Recorder::new(&config());
    run.iter().for_each(|r| recorder.retire(r, 0));
    recorder.stop(EndReason::Stopped, 0);
    let all = intervals(recorder.take_records());
    assert_eq!(all.len(), 1);
    entries_of(&all[0])
}

#[test]
fn known_code_costs_nothing() {
    assert_eq!(entries(&[at(CODE, NOP), at(CODE + 4, NOP)]), []);
}

#[test]
fn a_load_is_logged_once() {
    let run = [
        load(CODE, DATA, 0b1111, 5),
        load(CODE + 4, DATA, 0b1111, 5),
        load(CODE + 8, DATA + 4, 0b1111, 6),
    ];
    assert_eq!(entries(&run), [word(0, 5), word(1, 6)]);
}

#[test]
fn a_value_is_shifted_down_and_freed_of_other_lanes() {
    let run = [
        load(CODE, DATA, 0b0100, 0x1122_3344),
        load(CODE + 4, DATA, 0b0011, 0x1122_3344),
    ];
    assert_eq!(entries(&run), [word(0, 0x22), word(0, 0x3344)]);
}

#[test]
fn devices_are_read_anew_each_time() {
    let run = [
        store(CODE, DEVICE, 0b1111, 1),
        load(CODE + 4, DEVICE, 0b0001, 2),
        load(CODE + 8, DEVICE, 0b0001, 3),
    ];
    assert_eq!(entries(&run), [word(0, 2), word(0, 3)]);
}

#[test]
fn csr_reads_and_store_conditionals_are_always_logged() {
    let csr = |pc, rd_addr| Retire {
        rd_addr,
        rd_wdata: 77,
        ..at(
            pc,
            if rd_addr == 0 {
                CSRR_A0 & !0xf80
            } else {
                CSRR_A0
            },
        )
    };
    let sc = |pc, mem_wmask| Retire {
        mem_addr: DATA,
        mem_wmask,
        ..at(pc, SC)
    };
    let run = [
        csr(CODE, 10),
        csr(CODE + 4, 0),
        sc(CODE + 8, 15),
        sc(CODE + 12, 0),
        load(CODE + 16, DATA, 15, 9),
        sc(CODE + 20, 15),
    ];
    // The load knows what the first sc stored, but the last sc counts it as skipped. The value 0
    // of a success is in the dictionary by then: below 77 it went in, and 1 and 9 came above.
    assert_eq!(
        entries(&run),
        [
            word(0, 77),
            word(0, 0),
            word(0, 1),
            Entry::Operation {
                skipped: 1,
                value: Value::Index(14)
            },
        ]
    );
}

#[test]
fn the_next_pc_is_logged_when_the_instruction_does_not_tell_it() {
    let run = [
        at(CODE, NOP),
        at(CODE + 64, NOP), // an interrupt
        Retire {
            pc_wdata: CODE + 4,
            ..at(CODE + 68, MRET)
        },
        at(CODE + 4, WFI),
        trap(CODE + 8, CODE + 64),
        at(CODE + 64, NOP),
        at(CODE + 68, NOP),
    ];
    assert_eq!(
        entries(&run),
        [
            escape(1, Escape::Redirect(CODE + 64)),
            escape(3, Escape::Redirect(CODE + 4)),
            escape(4, Escape::Redirect(CODE + 8)),
            escape(4, Escape::Trap),
            escape(5, Escape::Redirect(CODE + 64)),
        ]
    );
}

#[test]
fn code_beside_the_image_is_logged_once_and_outside_memory_always() {
    let jump = |pc, target| Retire {
        pc_wdata: target,
        ..at(pc, 0x6f)
    };
    let run = [
        jump(BESIDE, BESIDE),
        jump(BESIDE, DEVICE),
        jump(DEVICE, DEVICE),
        at(DEVICE, NOP),
    ];
    assert_eq!(
        entries(&run),
        [
            escape(0, Escape::Fetch(0x6f)),
            escape(2, Escape::Fetch(0x6f)),
            escape(3, Escape::Fetch(NOP)),
        ]
    );
}

#[test]
fn a_fetch_teaches_the_tags_and_they_teach_it() {
    let run = [
        load(BESIDE, BESIDE, 0b1111, LW), // reads itself: the fetch came first
        store(BESIDE + 4, BESIDE + 8, 0b1111, NOP),
        at(BESIDE + 8, NOP),
    ];
    assert_eq!(
        entries(&run),
        [escape(0, Escape::Fetch(LW)), escape(1, Escape::Fetch(SW)),]
    );
}

#[test]
fn written_code_is_no_longer_the_image() {
    let run = [
        store(CODE, CODE + 4, 0b0001, 0x93),
        at(CODE + 4, 0x93),
        at(CODE + 8, NOP),
        at(CODE + 12, NOP),
    ];
    // Of the first word one byte is known, of the others in this block nothing.
    assert_eq!(
        entries(&run),
        [
            escape(1, Escape::Fetch(0x93)),
            escape(2, Escape::Fetch(NOP)),
            escape(3, Escape::Fetch(NOP)),
        ]
    );
}

#[test]
fn an_instruction_that_overwrites_itself_was_known() {
    let run = [store(CODE, CODE, 0b1111, NOP), at(CODE + 64, NOP)];
    assert_eq!(entries(&run), [escape(1, Escape::Redirect(CODE + 64))]);
}

#[test]
fn other_writers_make_a_load_and_code_unknown() {
    let mut recorder = Recorder::new(&config());
    recorder.retire(&load(CODE, DATA, 0b1111, 5), 0);
    recorder.snoop(DATA, 0b1000);
    recorder.snoop(CODE + 64, 0b0001);
    recorder.retire(&load(CODE + 4, DATA, 0b0111, 5), 0);
    recorder.retire(&load(CODE + 8, DATA, 0b1111, 6), 0);
    recorder.retire(&at(CODE + 64, NOP), 0);
    recorder.stop(EndReason::RunEnded, 0);
    let all = intervals(recorder.take_records());
    assert_eq!(
        entries_of(&all[0]),
        [
            word(0, 5),
            word(1, 6),
            escape(3, Escape::Redirect(CODE + 64)),
            escape(3, Escape::Fetch(NOP)),
        ]
    );
}

#[test]
fn fetch_and_trap_stand_in_order_and_a_trap_is_no_operation() {
    let mut faulting = trap(BESIDE, CODE);
    faulting.insn = LW;
    assert_eq!(
        entries(&[at(CODE, NOP), faulting]),
        [
            escape(1, Escape::Redirect(BESIDE)),
            escape(1, Escape::Fetch(LW)),
            escape(1, Escape::Trap),
        ]
    );
}

#[test]
fn intervals_have_the_state_before_them() {
    let mut recorder = Recorder::new(&config());
    for n in 0..450u32 {
        let mut r = load(CODE + 4 * n, DATA, 0b1111, n);
        r.mode = if n < 200 { 3 } else { 0 };
        recorder.retire(&r, 1000 + u64::from(n));
    }
    recorder.stop(EndReason::RunEnded, 5000);
    let all = intervals(recorder.take_records());
    let seen: Vec<_> = all
        .iter()
        .map(|i| {
            let h = &i.header;
            let t = &i.trailer;
            let state = (h.mode, h.index, h.retired, h.cycle, h.pc, h.registers[10]);
            (state, t.instructions, t.reason)
        })
        .collect();
    let length = EndReason::Length;
    assert_eq!(
        seen,
        [
            ((3, 0, 0, 1000, CODE, 0), 200, length),
            ((0, 1, 200, 1200, CODE + 800, 199), 200, length),
            ((0, 2, 400, 1400, CODE + 1600, 399), 50, EndReason::RunEnded),
        ]
    );
}

#[test]
fn a_stop_between_intervals_closes_nothing() {
    let mut recorder = Recorder::new(&config());
    (0..200).for_each(|n| recorder.retire(&at(CODE + 4 * n, NOP), 0));
    recorder.stop(EndReason::Stopped, 9);
    assert_eq!(recorder.take_records().len(), 1);
    let end = recorder.end(0x5555, 9, 0).unwrap();
    assert_eq!((end.reason, end.retired), (EndReason::Stopped, 200));
    recorder.retire(&at(CODE, NOP), 10);
    recorder.stop(EndReason::RunEnded, 11);
    assert_eq!(recorder.take_records(), []);
    assert_eq!(recorder.retired(), 200);
}

#[test]
fn an_overflow_costs_what_it_costs_and_no_more() {
    let mut recorder = Recorder::new(&config());
    recorder.retire(&load(CODE, DATA, 15, 1), 1);
    recorder.overflow();
    recorder.lose(&load(CODE + 4, DATA + 4, 15, 2));
    recorder.lose(&store(CODE + 8, CODE + 64, 15, NOP));
    recorder.resume(40);
    recorder.retire(&load(CODE + 12, DATA, 15, 1), 50);
    recorder.retire(&at(CODE + 64, NOP), 51);
    recorder.stop(EndReason::RunEnded, 60);
    let records = recorder.take_records();
    let [Record::Interval(first), Record::Gap(gap), Record::Interval(second)] = &records[..] else {
        panic!("{records:?}");
    };
    assert_eq!(first.trailer.reason, EndReason::Overflow);
    assert_eq!((gap.index, gap.retired, gap.cycle, gap.lost), (1, 1, 40, 2));
    assert_eq!((second.header.index, second.header.retired), (2, 3));
    assert_eq!(second.header.registers[10], 2, "lost writes are followed");
    assert_eq!(
        entries_of(second),
        [
            word(0, 1),
            escape(1, Escape::Redirect(CODE + 64)),
            escape(1, Escape::Fetch(NOP)),
        ]
    );
    assert_eq!(recorder.end(0, 60, 0).unwrap().lost, 2);
}

#[test]
fn a_run_that_ends_in_a_gap_says_so() {
    let mut recorder = Recorder::new(&config());
    recorder.lose(&at(CODE, NOP));
    recorder.stop(EndReason::RunEnded, 7);
    let records = recorder.take_records();
    assert!(matches!(&records[..], [Record::Gap(gap)] if gap.lost == 1 && gap.cycle == 7));
}

#[test]
fn a_trigger_ends_the_recording() {
    let mut recorder = Recorder::new(&RecorderConfig {
        control: registers::CONTROL_RECORD | registers::CONTROL_TRIGGER_ON_TRAP,
        post_trigger: 2,
        ..config()
    });
    recorder.retire(&at(CODE, NOP), 0);
    recorder.retire(&trap(CODE + 4, CODE + 64), 0);
    assert!(recorder.triggered());
    (0..5).for_each(|n| recorder.retire(&at(CODE + 64 + 4 * n, NOP), 0));
    let all = intervals(recorder.take_records());
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].trailer.instructions, 4);
    assert_eq!(recorder.ended(), Some(EndReason::Trigger));
}

#[test]
fn a_stimulus_is_the_same_every_time_and_has_everything() {
    let run = || Stimulus::new(7, &config()).take(20_000);
    assert!(run().eq(run()));
    assert!(!run().eq(Stimulus::new(8, &config()).take(20_000)));
    let retired = run().filter_map(|event| match event {
        Event::Retire(r) => Some(r),
        Event::Snoop { .. } => None,
    });
    let retired: Vec<Retire> = retired.collect();
    let some = |what: fn(&Retire) -> bool| {
        let count = retired.iter().filter(|r| what(r)).count();
        assert!(count > 20, "{count}");
    };
    some(|r| r.trap);
    some(|r| r.mode == 0);
    some(|r| r.intr);
    some(|r| r.mem_rmask != 0 && r.mem_wmask != 0);
    some(|r| r.mem_rmask.count_ones() == 1);
    some(|r| r.mem_rmask == 0b1100);
    some(|r| r.insn & 0x7f == 0x2f && r.insn >> 27 == 3 && r.mem_wmask == 0);
    some(|r| r.insn & 0x7f == 0x73 && r.insn & 0x7000 != 0 && r.rd_addr != 0);
    some(|r| r.insn == MRET);
    some(|r| r.mem_rmask != 0 && !config().is_memory(r.mem_addr));
    some(|r| r.mem_wmask != 0 && (CODE..CODE + 0x1000).contains(&r.mem_addr));
    some(|r| !config().is_memory(r.pc_rdata));
    assert!(retired.len() < 20_000, "others write too");
}

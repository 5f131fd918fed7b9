//! What is not known is not shown, what is damaged is told, and what costs time is counted.

mod support;

use lookback_debugger::core_file::core_file;
use lookback_debugger::gdb::{crash_of, Session};
use lookback_debugger::timeline::run::Distance;
use lookback_debugger::timeline::stops::{Stop, Stops, Watch, WatchKind};
use lookback_debugger::{Symbols, Timeline};
use lookback_log_format::interval::{Gap, Record};
use lookback_replay::Recording;
use support::{gdb, gdb_at, gdb_with, long_loop, recorded, served, MEMORY};

fn timeline(recording: &Recording) -> Timeline<'_> {
    let image = recording.image(None).unwrap();
    Timeline::new(recording, &image, &recording.harts[0], MEMORY).unwrap()
}

#[test]
fn unknown_memory_is_no_zeros() {
    let recording = recorded("heap_overflow", 2000);
    let said = gdb(
        &recording,
        "print $sp\nprint/x *(int *)0x90000000\nprint/x *(int *)0x8000f000\nx/1xw 0x100000\n",
    );
    assert!(
        said.contains("Cannot access memory at address 0x90000000"),
        "{said}"
    );
    let said = gdb(&recording, "print/x *(int *)0x8000f000\n");
    assert!(
        said.contains("Cannot access memory at address 0x8000f000"),
        "{said}"
    );
    // .data of the ELF that this window never touched is what the ELF says.
    let mut late = recording.clone();
    late.harts[0].records.drain(..8);
    let said = gdb(&late, "print visitors\nprint sensors\nbt\n");
    assert!(said.contains("to_physical"), "{said}");
}

/// Of an attached core a register is not known before it was written; afterwards it is.
#[test]
fn unknown_registers_are_unavailable() {
    let mut recording = recorded("hello", 200);
    recording.config.attached = true;
    let said = gdb(
        &recording,
        "info registers s11\ninfo registers sp\nmonitor goto start\n\
         maintenance flush register-cache\ninfo registers sp\ninfo registers s11\n",
    );
    let values: Vec<&str> = said
        .lines()
        .filter(|line| line.starts_with("sp ") || line.starts_with("s11 "))
        .collect();
    assert_eq!(values.len(), 4, "{said}");
    assert!(values[1].contains("0x80010000"), "{said}");
    assert!(values[2].contains("<unavailable>"), "{said}");
    assert!(values[3].contains("<unavailable>"), "{said}");
}

#[test]
fn writes_are_refused_in_gdb() {
    let recording = recorded("heap_overflow", 2000);
    let said = gdb(&recording, "set var noise_state = 1\n");
    assert!(said.contains("Cannot access memory"), "{said}");
    let said = gdb(&recording, "set $a0 = 1\n");
    assert!(said.contains("recording of the past"), "{said}");
    // gdb writes to the stack before it calls, and has no place for the reason in its message.
    let call = |port| gdb_at(&recording, port, "print noise(1)\n");
    let (said, told) = served(&recording, call);
    assert!(said.contains("Cannot access memory"), "{said}");
    assert!(
        told.iter()
            .any(|text| text.contains("no function can be called")),
        "{told:?}"
    );
}

/// A hole is told on both sides, and there is life on both.
fn hole_is_told(recording: &Recording, why: &str) {
    let said = gdb(
        recording,
        "reverse-continue\nmonitor when\nreverse-continue\nmonitor when\nreverse-stepi\n\
         continue\nmonitor when\ncontinue\nmonitor when\n",
    );
    assert!(said.contains(why), "no {why:?} in {said}");
    assert!(
        said.matches("the recording has a hole here").count() >= 2,
        "{said}"
    );
    let moments: Vec<u64> = said
        .lines()
        .filter_map(|line| line.strip_prefix("hart 0, instruction "))
        .map(|rest| rest.split(',').next().unwrap().parse().unwrap())
        .collect();
    assert_eq!(moments.len(), 4, "{said}");
    assert!(moments[0] > 10_000 && moments[0] <= 12_000, "{said}");
    assert_eq!(moments[1], 0, "{said}");
    assert!(moments[2] >= 8_000 && moments[2] < 12_000, "{said}");
    assert!(moments[3] > 20_000, "{said}");
    let said = gdb(
        recording,
        "monitor intervals\nmonitor goto 9000\nmonitor stats\n",
    );
    assert!(said.contains("recording "), "{said}");
}

#[test]
fn missing_intervals_are_told() {
    let mut recording = recorded("heap_overflow", 2000);
    recording.harts[0].records.drain(4..6);
    hole_is_told(&recording, "intervals 4 to 5 are missing");
}

#[test]
fn gaps_are_told() {
    let mut recording = recorded("heap_overflow", 2000);
    let records = &mut recording.harts[0].records;
    let (index, retired, cycle) = (records[5].index(), 10_000, 0);
    let lost = 2000;
    records[5] = Record::Gap(Gap {
        index,
        retired,
        cycle,
        lost,
    });
    hole_is_told(&recording, "2000 instructions were not recorded");
}

#[test]
fn damaged_intervals_are_told() {
    let mut recording = recorded("heap_overflow", 2000);
    let Record::Interval(interval) = &mut recording.harts[0].records[5] else {
        panic!("an interval");
    };
    let middle = interval.entries.len() / 2;
    interval.entries.truncate(middle);
    hole_is_told(&recording, "interval 5 is damaged");
}

/// Whatever is flipped in a log, nothing panics and the other intervals stay in reach.
#[test]
fn any_damage_leaves_the_rest() {
    let whole = recorded("heap_overflow", 2000);
    for bit in 0..400u32 {
        let mut recording = whole.clone();
        let Record::Interval(interval) = &mut recording.harts[0].records[5] else {
            panic!("an interval");
        };
        let at = bit as usize * 7919 % (interval.entries.len() * 8);
        interval.entries[at / 8] ^= 1 << (at % 8);
        let mut timeline = timeline(&recording);
        let (stops, mut never) = (Stops::default(), || false);
        crash_of(&mut timeline, &recording);
        assert!(timeline.now() > 12_000);
        let mut seen = Vec::new();
        for _ in 0..4 {
            let stop = timeline.backward(&stops, &mut never);
            seen.push(stop.clone());
            if stop == Stop::Begin {
                break;
            }
        }
        assert_eq!(
            (timeline.now(), seen.last()),
            (0, Some(&Stop::Begin)),
            "bit {bit}"
        );
        for _ in 0..4 {
            if timeline.forward(&stops, &Distance::Far, &mut never) == Stop::End {
                break;
            }
        }
        assert!(timeline.now() > 20_000, "bit {bit}");
    }
}

#[test]
fn an_elf_without_debug_information_works_by_address() {
    let recording = recorded("heap_overflow", 2000);
    let dir = tempfile::tempdir().unwrap();
    let (full, stripped) = (dir.path().join("full.elf"), dir.path().join("stripped.elf"));
    std::fs::write(&full, &recording.elf.as_ref().unwrap().bytes).unwrap();
    let strip = std::process::Command::new("riscv64-unknown-elf-strip")
        .args(["--strip-all", "-o"])
        .args([&stripped, &full])
        .status();
    assert!(strip
        .expect("riscv64-unknown-elf-strip is installed")
        .success());
    let mut bare = recording.clone();
    bare.elf.as_mut().unwrap().bytes = std::fs::read(&stripped).unwrap();
    let said = gdb(
        &bare,
        "print/x $pc\nstepi\nreverse-stepi\nreverse-stepi\nprint/x $pc\n\
         watch *(int *)0x80000e70\nreverse-continue\nprint/x $pc\n\
         monitor last-write 0x80000e70\nmonitor last-write sensors\n",
    );
    assert!(said.contains("0x80000800"), "{said}");
    assert!(said.contains("0x80000754"), "{said}");
    assert!(said.contains("neither an address nor a variable"), "{said}");
}

#[test]
fn a_core_file_opens_in_plain_gdb() {
    let recording = recorded("heap_overflow", 2000);
    let image = recording.image(None).unwrap();
    let mut harts = [timeline(&recording)];
    assert!(crash_of(&mut harts[0], &recording));
    let core = core_file(&mut harts, &image, None);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("core.elf");
    std::fs::write(&path, core).unwrap();
    let script = format!(
        "core-file {}\nbt\ninfo threads\nprint noise_state\nprint/x *(int *)0x8000f000\n",
        path.display()
    );
    let said = gdb_with(&recording.elf.as_ref().unwrap().bytes, &script);
    assert!(said.contains("#1  0x80000864 in average"), "{said}");
    assert!(said.contains("in main ()"), "{said}");
    assert!(said.contains("$1 = 1760613790"), "{said}");
    assert!(
        said.contains("Cannot access memory at address 0x8000f000"),
        "{said}"
    );
}

#[test]
fn monitor_commands_help_themselves() {
    let recording = recorded("traps", 500);
    let image = recording.image(None).unwrap();
    let symbols = Symbols::load(&recording.elf.as_ref().unwrap().bytes);
    let mut session = Session::open(&recording, &image, &symbols, MEMORY, true).unwrap();
    for (command, answer) in [
        ("", "monitor commands:"),
        ("help", "last-write ADDRESS [LENGTH]"),
        ("help goto", "goto N | crash | start | end"),
        ("help nonsense", "there is no command `nonsense`"),
        ("nonsense", "there is no command `nonsense`"),
        ("goto", "usage: monitor goto"),
        ("goto x", "`x` is no instruction number"),
        ("goto -1", "`-1` is no instruction number"),
        ("goto 99999999999", "the recording has instructions 0 to"),
        ("goto 100", "hart 0, instruction 100, interval 0"),
        ("goto crash", "there was no crash"),
        ("when", "in the interval, cycle"),
        ("when now", "usage: monitor when"),
        ("last-write", "usage: monitor last-write"),
        ("last-write 0x80000000 x", "`x` is no length"),
        ("last-write 0x80000000 0", "`0` is no length"),
        ("last-write 0x800f0000", "no instruction writes it"),
        ("next-read 0x800f0000", "no instruction reads it"),
        ("irqs 3", "trap of"),
        ("irqs many", "`many` is no number"),
        ("stats", "replayed"),
        ("intervals", "from instruction"),
        ("intervals all", "from instruction"),
    ] {
        let said = session.monitor(command);
        assert!(said.contains(answer), "monitor {command}: {said}");
    }
    session.monitor("goto start");
    assert!(session.monitor("irqs").contains("no interrupts or traps"));
}

/// One step back replays at most the distance of the snapshots around it, counted in instructions.
#[test]
fn a_step_back_is_short() {
    let recording = long_loop();
    let mut timeline = timeline(&recording);
    let mut never = || false;
    timeline.goto_end(&mut never).unwrap();
    let longest = 1 << 19;
    let mut total = 0;
    for step in 0..20_000 {
        let distance = timeline.snapshot_distance(timeline.now() - 1).unwrap();
        let before = timeline.replayed();
        assert_eq!(timeline.back_step(&mut never), Stop::Step);
        let replayed = timeline.replayed() - before;
        assert!(
            replayed <= 2 * distance && distance <= longest,
            "{replayed} > 2 x {distance}"
        );
        if step > 0 {
            total += replayed;
        }
    }
    // Snapshots are near: on average a step costs hundreds of instructions, not an interval.
    assert!(total / 20_000 < 2000, "{} a step", total / 20_000);
}

/// A run backwards to a watchpoint replays little more than the instructions that it goes over.
#[test]
fn a_run_backwards_replays_once() {
    let recording = long_loop();
    let mut timeline = timeline(&recording);
    let mut never = || false;
    timeline.goto_end(&mut never).unwrap();
    let end = timeline.now();
    let mut stops = Stops::default();
    // The first instruction of the program, which runs again and again.
    stops.add_breakpoint(0x8000_0000);
    stops.add_watch(Watch {
        addr: 0x8000_f000,
        len: 4,
        kind: WatchKind::Access,
    });
    let before = timeline.replayed();
    assert_eq!(timeline.backward(&stops, &mut never), Stop::Breakpoint);
    let (over, replayed) = (end - timeline.now(), timeline.replayed() - before);
    assert!(replayed <= over + 2 * (1 << 19), "{replayed} for {over}");
    stops.clear();
    let before = (timeline.replayed(), timeline.now());
    assert_eq!(timeline.backward(&stops, &mut never), Stop::Begin);
    assert_eq!(timeline.replayed() - before.0, before.1 - timeline.now());
}

#[test]
fn opening_replays_at_most_one_interval() {
    let recording = long_loop();
    let image = recording.image(None).unwrap();
    let symbols = Symbols::load(&recording.elf.as_ref().unwrap().bytes);
    let mut session = Session::open(&recording, &image, &symbols, MEMORY, true).unwrap();
    assert!(session.timeline().row().len() > 4);
    assert!(session.timeline().replayed() <= 1 << 19);
}

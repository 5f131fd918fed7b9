//! Every program that crashes, at every optimisation level: a real gdb starts at the crash, goes
//! backwards, and ends at the line to blame.

mod support;

use lookback_debugger::gdb::Session;
use lookback_debugger::{report, Symbols};
use lookback_firmware::{crash_programs, programs, Expect, Program};
use support::{gdb, recorded_program, MEMORY};

/// The line to blame, as it stands in the source.
const BLAMED: [(&str, &str); 6] = [
    ("assertion", "if (fee > 1) {"),
    ("corrupt_jump", "machine->stack[machine->depth++] = value;"),
    ("dangling", "sessions[number] = 0;"),
    ("heap_overflow", "sensor->samples[sensor->next++] = sample;"),
    ("long_name", "while ((*to++ = *from++)) {"),
    ("null_function", "device->operations.write = write_any;"),
];

fn crashing() -> Vec<Program> {
    let mut all = programs().unwrap();
    all.retain(|p| matches!(p.header.expect, Expect::CrashIn(..) | Expect::CrashFrom(..)));
    all.extend(crash_programs().unwrap());
    all
}

/// `file:line` of the line to blame in a program.
fn blamed(program: &Program) -> String {
    let (_, text) = BLAMED
        .iter()
        .find(|(name, _)| *name == program.name)
        .unwrap();
    let source = std::fs::read_to_string(&program.source).unwrap();
    let line = source
        .lines()
        .position(|line| line.trim() == *text)
        .unwrap();
    format!("firmware/programs/{}.c:{}", program.name, line + 1)
}

fn culprits_are_found(interval: u32) {
    for program in crashing() {
        let recording = recorded_program(&program, interval);
        let script = format!("tests/sessions/{}.gdb", program.name);
        let script = std::fs::read_to_string(script).unwrap();
        let said = gdb(&recording, &(script + "echo \\n=====\\n\nframe\n"));
        let (_, last) = said.split_once("=====").unwrap_or(("", ""));
        let expected = blamed(&program);
        let level = program.level.unwrap_or("usual");
        assert!(
            last.contains(&expected),
            "{} ({level}): not at {expected}\n{said}",
            program.name
        );
    }
}

#[test]
fn culprits_are_found_across_intervals() {
    culprits_are_found(1000);
}

#[test]
fn culprits_are_found_in_one_interval() {
    culprits_are_found(1 << 20);
}

/// The quick look at the log finds the crash that the report works out by replaying everything.
#[test]
fn sessions_start_at_the_crash() {
    for program in crashing().iter().chain(&programs().unwrap()) {
        for interval in [100, 1 << 20] {
            let recording = recorded_program(program, interval);
            let image = recording.image(None).unwrap();
            let symbols = Symbols::load(&recording.elf.as_ref().unwrap().bytes);
            let mut session = Session::open(&recording, &image, &symbols, MEMORY, true).unwrap();
            let report = report(&recording, &image, &symbols).unwrap();
            let now = session.timeline().now();
            match report.crash {
                Some(crash) => assert_eq!(now, crash.place.retired, "{}", program.name),
                None => {
                    let end = session.timeline().last();
                    assert_eq!(now, end, "{}", program.name);
                }
            }
            let longest = recording.harts[0].intervals();
            let longest = longest.map(|i| i.trailer.instructions).max().unwrap();
            assert!(
                session.timeline().replayed() <= u64::from(longest),
                "{}: {} instructions replayed, {longest} in an interval",
                program.name,
                session.timeline().replayed()
            );
        }
    }
}

/// Everything that gdb does forwards it does backwards, and comes back to where it was.
#[test]
fn every_command_goes_both_ways() {
    let recording = recorded_program(&crashing()[0], 1000);
    let said = gdb(
        &recording,
        "monitor goto start\nmaintenance flush register-cache\nmaintenance flush dcache\n\
         tbreak trade\ncontinue\nprintf \"A %x\\n\", $pc\n\
         next\nnext\nstep\nprintf \"B %x\\n\", $pc\n\
         reverse-step\nreverse-next\nreverse-next\nreverse-next\nprintf \"A %x\\n\", $pc\n\
         tbreak transfer\ncontinue\nfinish\nreverse-finish\nstepi\nreverse-stepi\n\
         printf \"B %x\\n\", $pc\n\
         delete\ncontinue\nreverse-continue\nprintf \"B %x\\n\", $pc\n",
    );
    assert_eq!(
        said.matches("No more reverse-execution history").count(),
        2,
        "{said}"
    );
    let marked = |mark: &str| -> Vec<String> {
        let lines = said.lines().filter_map(|line| line.strip_prefix(mark));
        lines.map(str::to_owned).collect()
    };
    let (a, b) = (marked("A "), marked("B "));
    assert_eq!((a.len(), b.len()), (2, 3), "{said}");
    assert!(
        b[2].trim() == "80000000",
        "not at the start of the recording: {said}"
    );
}

/// A watchpoint stops right behind the store going forwards, and right at it going backwards.
#[test]
fn watchpoints_stop_where_gdb_expects() {
    let program = crashing()
        .into_iter()
        .find(|p| p.name == "heap_overflow")
        .unwrap();
    let recording = recorded_program(&program, 2000);
    let said = gdb(
        &recording,
        "watch noise_state\nreverse-continue\nprintf \"B %x\\n\", *(int *)$pc & 0x7f\n\
         reverse-continue\nprintf \"B %x\\n\", *(int *)$pc & 0x7f\n\
         continue\nprintf \"F %x\\n\", *(int *)($pc - 4) & 0x7f\n\
         continue\nprintf \"F %x\\n\", *(int *)($pc - 4) & 0x7f\n\
         delete\nrwatch noise_state\nreverse-continue\nprintf \"R %x\\n\", *(int *)$pc & 0x7f\n",
    );
    assert_eq!(said.matches("B 23").count(), 2, "{said}");
    assert_eq!(said.matches("F 23").count(), 2, "{said}");
    assert_eq!(said.matches("R 3\n").count(), 1, "{said}");
    assert_eq!(said.matches("Old value").count(), 4, "{said}");
}

/// What editors send: gdb's machine interface, with `--reverse`.
#[test]
fn editors_go_backwards() {
    let program = crashing()
        .into_iter()
        .find(|p| p.name == "heap_overflow")
        .unwrap();
    let recording = recorded_program(&program, 2000);
    let (said, _) = support::served(&recording, |port| support::gdb_mi(&recording, port));
    let lines: Vec<u32> = said
        .lines()
        .filter(|line| line.starts_with("*stopped"))
        .filter_map(|line| {
            line.split("line=\"")
                .nth(1)?
                .split('"')
                .next()?
                .parse()
                .ok()
        })
        .collect();
    let blamed = blamed(&program);
    assert_eq!(lines.len(), 3, "{said}");
    assert_eq!(lines[0], 110, "{said}");
    assert_ne!(lines[1], 110, "{said}");
    assert!(blamed.ends_with(&format!(":{}", lines[2])), "{said}");
}

//! The crash report of every crash program names the cause, the function and the call stack that
//! the program's head promises.

use lookback_debugger::{report, Report, Symbols};
use lookback_firmware::{programs, Expect, Program};
use lookback_sim::EngineChoice;
use lookback_sim_tests::{run_recorded, Options};

fn report_of(program: &Program) -> Report {
    let elf = std::fs::read(&program.elf).expect("the prebuilt ELF is committed");
    let mut options = Options::new(EngineChoice::Verilator, "bugnet");
    options.stdin.clone_from(&program.header.stdin);
    let outcome = run_recorded(&elf, &options).expect("it records");
    let image = outcome.recording.image(None).expect("the ELF is inside");
    report(&outcome.recording, &image, &Symbols::load(&elf)).expect("there is something to report")
}

#[test]
fn crash_reports_say_what_the_programs_promise() {
    let mut crashes = 0;
    for program in programs().expect("firmware is there") {
        let name = &program.name;
        let report = report_of(&program);
        assert_eq!(report.matched, report.intervals, "{name}");
        let (cause, function, from) = match &program.header.expect {
            Expect::CrashIn(cause, function) => (cause, function, false),
            Expect::CrashFrom(cause, function) => (cause, function, true),
            Expect::Lockup => continue,
            Expect::Pass | Expect::Fail(_) => {
                assert!(report.crash.is_none(), "{name}: {report}");
                continue;
            }
        };
        crashes += 1;
        let crash = report.crash.as_ref().expect("it crashed");
        assert_eq!(crash.mcause, Some(cause.number()), "{name}: {report}");
        let place = if from {
            crash.jumped_from.as_ref()
        } else {
            Some(&crash.place.at)
        };
        let found = place.and_then(|place| place.function.as_deref());
        assert_eq!(found, Some(function.as_str()), "{name}: {report}");
        let stack: Vec<&str> = crash
            .place
            .stack
            .iter()
            .filter_map(|frame| frame.function.as_deref())
            .collect();
        // A tail call leaves no frame behind, so at -O2 a promised caller may be gone.
        let tail_calls = program.header.build.iter().any(|option| option == "-O2");
        for frame in program.header.stack.iter().filter(|_| !tail_calls) {
            assert!(
                stack.contains(&frame.as_str()),
                "{name}: no {frame} in\n{report}"
            );
        }
        assert!(crash.place.at.line.is_some() || from, "{name}: {report}");
    }
    assert!(crashes >= 6, "only {crashes} programs crash");
}

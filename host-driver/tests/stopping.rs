//! Ctrl-C and SIGTERM: whoever is asked to stop, the recording ends whole.

mod common;

use common::{firmware, json, lookback, Run, Running, Scratch};

/// It waits for input that never comes.
const ENDLESS: &str = "console_input";

/// The ELF alone has fewer bytes: beyond them there are intervals.
const SOME: u64 = 16_000;

fn is_whole(scratch: &Scratch, run: &Run) {
    assert_eq!(run.status, Some(0), "{run:?}");
    run.says("stopped by the host");
    let verify = lookback(scratch, &["verify", "run.lbk", "--json"]);
    assert_eq!(verify.status, Some(0), "{verify:?}");
    let totals = &json(&verify)["report"]["totals"];
    assert!(totals["intervals"].as_u64() > Some(1), "{totals}");
}

fn record<'a>(from: &[&'a str], elf: &'a str) -> Vec<&'a str> {
    let always = ["--elf", elf, "--interval", "500", "-o", "run.lbk"];
    [&["record"], from, &always].concat()
}

#[test]
fn a_simulated_recording_ends_whole() {
    let scratch = Scratch::new();
    let elf = firmware(ENDLESS);
    let mut run = Running::start(&scratch, &record(&["--sim"], &elf));
    run.wait_for_bytes(&scratch.path("run.lbk"), SOME);
    run.signal("TERM");
    is_whole(&scratch, &run.wait());
}

#[test]
fn a_recording_over_a_port_ends_whole_and_the_board_runs_on() {
    let scratch = Scratch::new();
    let elf = firmware(ENDLESS);
    let (sim, port) = Running::sim(&scratch, &["--elf", &elf]);
    let mut run = Running::start(&scratch, &record(&["--port", &port], &elf));
    run.wait_for_bytes(&scratch.path("run.lbk"), SOME);
    run.signal("INT");
    is_whole(&scratch, &run.wait());
    sim.signal("INT");
    let sim = sim.wait();
    assert_eq!(sim.status, Some(0), "{sim:?}");
    sim.says("stopped by the host");
}

#[test]
fn a_board_that_is_stopped_ends_its_recording_first() {
    let scratch = Scratch::new();
    let elf = firmware(ENDLESS);
    let (sim, port) = Running::sim(&scratch, &["--elf", &elf, "--json"]);
    let mut run = Running::start(&scratch, &record(&["--port", &port], &elf));
    run.wait_for_bytes(&scratch.path("run.lbk"), SOME);
    sim.signal("TERM");
    is_whole(&scratch, &run.wait());
    let sim = sim.wait();
    assert_eq!(sim.status, Some(0), "{sim:?}");
    assert_eq!(json(&sim)["ended"]["how"], "stopped");
}

#[test]
fn a_board_with_a_limit_ends_its_recording_first() {
    let scratch = Scratch::new();
    let elf = firmware(ENDLESS);
    let (sim, port) = Running::sim(&scratch, &["--elf", &elf, "--max-instructions", "3000"]);
    let run = Running::start(&scratch, &record(&["--port", &port], &elf)).wait();
    is_whole(&scratch, &run);
    let sim = sim.wait();
    assert_eq!(sim.status, Some(0), "{sim:?}");
}

#[test]
fn a_board_that_waits_stops_at_once() {
    let scratch = Scratch::new();
    let (sim, _) = Running::sim(&scratch, &["--elf", &firmware(ENDLESS), "--json"]);
    sim.signal("TERM");
    let sim = sim.wait();
    assert_eq!(sim.status, Some(0), "{sim:?}");
    assert_eq!(json(&sim)["instructions"], 0);
}

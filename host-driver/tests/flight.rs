//! The flight recorder on simulated boards: what it waits for, what it keeps, and what it says.

mod common;

use common::{firmware, json, lookback, Run, Scratch};
use serde_json::Value;

/// Records with a trigger, and verifies what the ring held; the recording's `info`.
fn fly(scratch: &Scratch, elf: &str, more: &[&str]) -> (Run, Value) {
    let elf = firmware(elf);
    let mut args = vec!["record", "--sim", "--arm", "--json", "-o", "f.lbk", "--elf"];
    args.push(&elf);
    args.extend(more);
    let run = lookback(scratch, &args);
    assert_eq!(run.status, Some(0), "{run:?}");
    let verify = lookback(scratch, &["verify", "f.lbk"]);
    assert_eq!(verify.status, Some(0), "{verify:?}");
    let info = json(&lookback(scratch, &["info", "f.lbk", "--json"]));
    assert_eq!(info["fine"], true, "{info}");
    (run, info)
}

/// The last instructions, with what they are.
fn last(scratch: &Scratch, count: &str) -> Vec<Value> {
    let listing = lookback(scratch, &["replay", "f.lbk", "--last", count, "--json"]);
    json(&listing).as_array().expect("a list").clone()
}

#[test]
fn the_firmware_calls() {
    let scratch = Scratch::new();
    let more = ["--trigger", "call", "--after", "50", "--interval", "200"];
    let (run, info) = fly(&scratch, "flight", &more);
    for state in ["armed", "frozen"] {
        assert!(
            run.stderr.contains(&format!("{{\"state\":\"{state}\"")),
            "{run:?}"
        );
    }
    assert_eq!(json(&run)["trigger"]["cause"], "call");
    let steps = last(&scratch, "51");
    assert_eq!(steps[0]["insn"], 0x0010_2013, "{}", steps[0]);
    assert_eq!(info["trigger"]["instruction"], steps[0]["retired"]);
    assert_eq!(info["ended"]["how"], "trigger");
    lookback(&scratch, &["info", "f.lbk"]).says("the firmware's call at instruction");
}

#[test]
fn a_small_ring_keeps_the_last_instructions_whole() {
    let scratch = Scratch::new();
    let more = [
        "--preset",
        "tiny",
        "--trigger",
        "write=worst",
        "--after",
        "0",
    ];
    let (run, info) = fly(
        &scratch,
        "flight",
        &[&more[..], &["--interval", "100"]].concat(),
    );
    assert!(json(&run)["gave_way"].as_u64() > Some(0), "{run:?}");
    assert_eq!(info["trigger"]["cause"], "access");
    let steps = last(&scratch, "1");
    assert_eq!(info["trigger"]["instruction"], steps[0]["retired"]);
    lookback(&scratch, &["info", "f.lbk"]).says("held the last");
}

#[test]
fn codec_compact_and_a_trap() {
    let scratch = Scratch::new();
    let more = ["--codec", "compact", "--interval", "300"];
    let (_, info) = fly(&scratch, "heap_overflow", &more);
    assert_eq!(info["trigger"]["cause"], "trap");
    let more = [
        "--codec",
        "compact",
        "--trigger",
        "pc=exit_with",
        "--after",
        "3",
        "--force",
    ];
    let (_, info) = fly(&scratch, "flight", &more);
    assert_eq!(info["trigger"]["cause"], "pc");
    assert_eq!(
        last(&scratch, "4")[0]["retired"],
        info["trigger"]["instruction"]
    );
}

/// More than the ring holds: whole key groups give way, and everything that is left replays.
#[test]
fn a_full_ring_of_codec_compact_begins_with_a_key_interval() {
    let scratch = Scratch::new();
    // Short intervals: their headers alone fill the ring several times over.
    let more = [
        "--codec",
        "compact",
        "--interval",
        "64",
        "--trigger",
        "write=product",
        "--after",
        "400000",
    ];
    let (run, info) = fly(&scratch, "benches/mix", &more);
    let run = json(&run);
    let (gone, held) = (run["gave_way"].as_u64(), run["instructions"].as_u64());
    let (gone, held) = (gone.unwrap(), held.unwrap());
    assert!(gone > 50_000 && held > 50_000, "{run}");
    assert_eq!(info["trigger"]["cause"], "access");
    assert_eq!(last(&scratch, "1")[0]["retired"], gone + held - 1);
}

#[test]
fn several_harts_share_a_trigger() {
    let scratch = Scratch::new();
    let more = [
        "--harts",
        "2",
        "--trigger",
        "pc=main",
        "--after",
        "200",
        "--interval",
        "500",
    ];
    let (_, info) = fly(&scratch, "harts2/spin_lock", &more);
    assert_eq!(info["trigger"]["cause"], "pc");
}

#[test]
fn what_cannot_be_waited_for_is_refused() {
    let scratch = Scratch::new();
    let elf = firmware("flight");
    let refused = |more: &[&str], why: &str| {
        let mut args = vec!["record", "--sim", "--elf", &elf];
        args.extend(more);
        lookback(&scratch, &args).fails_with(why);
    };
    refused(&["--arm", "--trigger", "pc=nowhere"], "neither a symbol");
    refused(&["--trigger", "trap"], "--arm");
}

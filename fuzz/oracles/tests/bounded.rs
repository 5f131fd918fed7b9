//! Every target, a bounded number of times: all seeds, then seeds with changes.

use lookback_fuzz_oracles::mutate::{mutate, Random};
use lookback_fuzz_oracles::{seeds, Target, TARGETS};
use std::panic::catch_unwind;

fn run(name: &str) {
    let target = TARGETS.iter().find(|target| target.name == name).unwrap();
    let Target { check, .. } = *target;
    let seeds = seeds(name).unwrap();
    assert!(!seeds.is_empty(), "{name} has no seeds");
    seeds.iter().for_each(|seed| check(seed));
    let first = std::env::var("LOOKBACK_SEED").map_or(1, |seed| seed.parse().unwrap());
    for n in 0..target.executions {
        let seed = first + n;
        let input = mutate(&seeds, &mut Random::new(seed));
        if catch_unwind(|| check(&input)).is_err() {
            let file = std::env::temp_dir().join(format!("lookback-fuzz-{name}-{seed}"));
            std::fs::write(&file, &input).unwrap();
            panic!("{name} fails with LOOKBACK_SEED={seed}: {}", file.display());
        }
    }
}

#[test]
fn frame() {
    run("frame");
}

#[test]
fn record() {
    run("record");
}

#[test]
fn compact() {
    run("compact");
}

#[test]
fn order() {
    run("order");
}

#[test]
fn container() {
    run("container");
}

#[test]
fn elf() {
    run("elf");
}

#[test]
fn gdb() {
    run("gdb");
}

#[test]
fn command() {
    run("command");
}

/// A target that nobody runs finds nothing.
#[test]
fn every_target_can_be_fuzzed() {
    let manifest = include_str!("../../Cargo.toml");
    for Target { name, .. } in TARGETS {
        assert!(
            manifest.contains(&format!("path = \"fuzz_targets/{name}.rs\"")),
            "{name}"
        );
    }
}

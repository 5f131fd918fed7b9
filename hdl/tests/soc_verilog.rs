//! The Verilog of the SoC: no finding of the guards, and it synthesises without latches.

use lookback_hdl::guard;
use lookback_hdl::soc::Soc;
use rust_hdl::prelude::*;
use std::process::Command;

#[test]
fn guards_find_nothing() {
    let mut soc = Soc::default();
    soc.connect_all();
    check_all(&soc).expect("a connected circuit without loops");
    let findings: Vec<String> = guard::lint_top(&soc)
        .iter()
        .map(|f| f.to_string())
        .collect();
    assert!(findings.is_empty(), "{}", findings.join("\n"));
}

#[test]
fn synthesises() {
    if Command::new("yosys").arg("-V").output().is_err() {
        eprintln!("skipped: yosys is not installed");
        return;
    }
    let mut soc = Soc::default();
    soc.connect_all();
    yosys_validate("soc", &generate_verilog(&soc)).expect("yosys accepts the SoC");
}

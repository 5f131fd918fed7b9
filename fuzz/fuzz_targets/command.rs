//! `cargo fuzz run command`: see `oracles/src/command.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lookback_fuzz_oracles::command::check(bytes));

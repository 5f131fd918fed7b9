//! `cargo fuzz run compact`: see `oracles/src/compact.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lookback_fuzz_oracles::compact::check(bytes));

//! `cargo fuzz run record`: see `oracles/src/record.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lookback_fuzz_oracles::record::check(bytes));

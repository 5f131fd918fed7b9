//! `cargo fuzz run frame`: see `oracles/src/frame.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lookback_fuzz_oracles::frame::check(bytes));

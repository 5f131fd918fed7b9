//! `cargo fuzz run container`: see `oracles/src/container.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lookback_fuzz_oracles::container::check(bytes));

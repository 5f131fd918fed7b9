//! `cargo fuzz run order`: see `oracles/src/order.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lookback_fuzz_oracles::order::check(bytes));

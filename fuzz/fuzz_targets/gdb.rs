//! `cargo fuzz run gdb`: see `oracles/src/gdb.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lookback_fuzz_oracles::gdb::check(bytes));

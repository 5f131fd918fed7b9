//! `cargo fuzz run elf`: see `oracles/src/elf.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lookback_fuzz_oracles::elf::check(bytes));

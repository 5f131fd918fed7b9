//! What the tests of the recorder's blocks share.

use super::config::{Sizes, CLOCK_HZ, TINY};
use crate::guard::lint;
use lookback_log_format::{RecorderConfig, Retire};
use lookback_model::stimulus::{Event, Stimulus};
use rust_hdl::prelude::*;

/// A block must pass the guard, rust-hdl's checks and yosys.
pub(crate) fn check_block<B: Block>(mut block: B, name: &str) {
    block.connect_all();
    let findings = lint(&block);
    assert!(findings.is_empty(), "{findings:#?}");
    check_all(&block).expect("rust-hdl's checks pass");
    yosys_validate(name, &generate_verilog(&block)).expect("yosys takes the Verilog");
}

/// A 32-bit signal value.
pub(crate) fn word(value: u32) -> Bits<32> {
    u64::from(value).into()
}

/// The configuration that a recorder of these sizes would report, with settings for tests.
pub(crate) fn config_of(sizes: &Sizes) -> RecorderConfig {
    RecorderConfig {
        control: 3,
        interval: 100,
        image_lo: 0x8000_0000,
        image_hi: 0x8000_0400,
        ..sizes.config(CLOCK_HZ)
    }
}

/// That of the preset `tiny`.
pub(crate) fn config_tiny() -> RecorderConfig {
    config_of(&TINY)
}

/// Random retirements.
pub(crate) fn retirements(seed: u64, count: usize) -> Vec<Retire> {
    Stimulus::new(seed, &config_tiny())
        .filter_map(|event| match event {
            Event::Retire(r) => Some(r),
            Event::Snoop { .. } => None,
        })
        .take(count)
        .collect()
}

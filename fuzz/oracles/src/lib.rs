//! What must hold for any bytes that reach Lookback: from a cable, a file, a debugger.
//!
//! One module for each way in, each with a `check` that panics when something does not hold. The
//! same checks run under `cargo fuzz` (folder `fuzz/`), which finds new inputs, and in the ordinary
//! tests, which change seeds at random a bounded number of times.

pub mod command;
pub mod compact;
pub mod container;
pub mod elf;
pub mod frame;
pub mod gdb;
pub mod mutate;
pub mod order;
pub mod record;

use std::path::{Path, PathBuf};

/// A way in.
pub struct Target {
    /// The name of its fuzz target and of its folder of seeds.
    pub name: &'static str,
    /// Panics if something does not hold for these bytes.
    pub check: fn(&[u8]),
    /// How many inputs an ordinary test run tries.
    pub executions: u64,
}

/// All ways in.
pub const TARGETS: [Target; 8] = [
    Target {
        name: "frame",
        check: frame::check,
        executions: 20_000,
    },
    Target {
        name: "record",
        check: record::check,
        executions: 20_000,
    },
    Target {
        name: "compact",
        check: compact::check,
        executions: 10_000,
    },
    Target {
        name: "order",
        check: order::check,
        executions: 2_000,
    },
    Target {
        name: "container",
        check: container::check,
        executions: 3_000,
    },
    Target {
        name: "elf",
        check: elf::check,
        executions: 3_000,
    },
    Target {
        name: "gdb",
        check: gdb::check,
        executions: 200,
    },
    Target {
        name: "command",
        check: command::check,
        executions: 20_000,
    },
];

/// The folder of seeds, one folder for each target.
pub fn seed_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../seeds")
}

/// The seeds of a target, in the order of their names.
pub fn seeds(name: &str) -> std::io::Result<Vec<Vec<u8>>> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(seed_folder().join(name))? {
        paths.push(entry?.path());
    }
    paths.sort();
    paths.into_iter().map(std::fs::read).collect()
}

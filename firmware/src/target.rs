//! The cores other than the project's own that programs are built for, and how.
//!
//! A program for such a core is the same C file with the same runtime; where a core needs another
//! start or other traps, `runtime/<core>/` has a file that stands in for the one of the same name.

/// A core that programs are built for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// What it is called, as in `lookback sim --core`.
    pub name: &'static str,
    /// Its instruction set, as the compiler names it.
    pub march: &'static str,
    /// What the runtime has to do without, as macros.
    pub defines: &'static [&'static str],
}

/// All of them.
pub const TARGETS: &[Target] = &[
    Target {
        name: "picorv32",
        march: "rv32im",
        defines: &["NO_FENCE_I"],
    },
    Target {
        name: "serv",
        march: "rv32i",
        defines: &["MACHINE_MODE_ONLY"],
    },
    Target {
        name: "ibex",
        march: "rv32im",
        defines: &[],
    },
];

/// The core of this name.
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

//! The cores other than the project's own that programs are built for, and how.
//!
//! A program for such a core is the same C file with the same runtime; where a core needs another
//! start or other traps, `runtime/<core>/` has a file that stands in for the one of the same name.

/// A core that programs are built for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// What the builds for it are called.
    pub name: &'static str,
    /// The core, as in `lookback sim --core`; its runtime has this name, too.
    pub core: &'static str,
    /// Its instruction set, as the compiler names it.
    pub march: &'static str,
    /// What the runtime has to do without, as macros.
    pub defines: &'static [&'static str],
}

/// All of them.
pub const TARGETS: &[Target] = &[
    Target {
        name: "picorv32",
        core: "picorv32",
        march: "rv32im",
        defines: &["NO_FENCE_I"],
    },
    Target {
        name: "serv",
        core: "serv",
        march: "rv32i",
        defines: &["MACHINE_MODE_ONLY"],
    },
    Target {
        name: "ibex",
        core: "ibex",
        march: "rv32im",
        defines: &[],
    },
    // The same cores with compressed instructions.
    Target {
        name: "picorv32-c",
        core: "picorv32",
        march: "rv32imc",
        defines: &["NO_FENCE_I"],
    },
    Target {
        name: "ibex-c",
        core: "ibex",
        march: "rv32imc",
        defines: &[],
    },
];

/// The target of this name.
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

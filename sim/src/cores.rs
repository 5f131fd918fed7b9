//! Boards around cores that are not this project's: the core's own Verilog, a board around it, and
//! the emitted recorder, wired as on an FPGA.
//!
//! ```text
//!  sim/cores/NAME_board.v ─┬─ the core, from PyPI ($LOOKBACK_CORES, the cache, or fetched)
//!                          ├─ bus.v   RAM outside, devices, end of the run
//!                          └─ tap.v   lookback_recorder and lookback_uart, as emitted
//! ```
//! All have the ports of the project's own simulated boards, so that engine and shim do not know
//! the difference. Only Verilator can run them.

mod fetch;
mod folder;

use std::path::{Path, PathBuf};

use lookback_hdl::recorder::config::CLOCK_HZ;
use lookback_rtl_gen::Port;

use crate::catalog::KEPT;
use crate::sources::Sources;
use crate::{Error, Result};

/// Whose core a board has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum CoreChoice {
    /// The project's own SoC.
    #[default]
    Own,
    /// A well-known core; see [`core_names`].
    Named(String),
    /// The user's: a folder with `board.v` or `board.sv`, whose module `board` has the ports of a
    /// simulated board, and `board.f` with the names of its other files.
    Folder(PathBuf),
}

impl CoreChoice {
    /// Whether it may have compressed instructions: of the user's own core nobody knows.
    pub fn takes_compressed(&self) -> bool {
        match self {
            Self::Own => false,
            Self::Named(name) => find(name).is_ok_and(|core| core.compressed),
            Self::Folder(_) => true,
        }
    }
}

/// A core that is known by name.
struct Core {
    name: &'static str,
    package: fetch::Package,
    board: &'static str,
    /// Folder of the core's files within its package.
    root: &'static str,
    files: &'static [&'static str],
    include: &'static [&'static str],
    defines: &'static [&'static str],
    /// It has compressed instructions on its board.
    compressed: bool,
    /// It keeps its port while it waits, so that the smallest recorder will do.
    kept: bool,
}

const BUS: &str = include_str!("../cores/bus.v");
const TAP: &str = include_str!("../cores/tap.v");

const CORES: &[Core] = &[
    Core {
        name: "picorv32",
        package: fetch::Package {
            name: "pythondata-cpu-picorv32",
            module: "pythondata_cpu_picorv32",
            version: "1.0.post218",
        },
        board: include_str!("../cores/picorv32_board.v"),
        root: "verilog",
        files: &["picorv32.v"],
        include: &[],
        defines: &["RISCV_FORMAL"],
        compressed: true,
        // It fetches the next instruction before it retires this one.
        kept: false,
    },
    Core {
        name: "serv",
        package: fetch::Package {
            name: "pythondata-cpu-serv",
            module: "pythondata_cpu_serv",
            version: "1.2.0.post146",
        },
        board: include_str!("../cores/serv_board.v"),
        root: "verilog/rtl",
        files: &[
            "serv_aligner.v",
            "serv_alu.v",
            "serv_bufreg.v",
            "serv_bufreg2.v",
            "serv_compdec.v",
            "serv_csr.v",
            "serv_ctrl.v",
            "serv_decode.v",
            "serv_immdec.v",
            "serv_mem_if.v",
            "serv_rf_if.v",
            "serv_rf_ram.v",
            "serv_rf_ram_if.v",
            "serv_state.v",
            "serv_top.v",
        ],
        include: &[],
        defines: &["RISCV_FORMAL"],
        compressed: false,
        kept: true,
    },
    Core {
        name: "ibex",
        package: fetch::Package {
            name: "pythondata-cpu-ibex",
            module: "pythondata_cpu_ibex",
            version: "0.0.post2937",
        },
        board: include_str!("../cores/ibex_board.sv"),
        root: "system_verilog",
        // Packages; modules are found by their names.
        files: &[
            "dv/uvm/core_ibex/common/prim/prim_pkg.sv",
            "vendor/lowrisc_ip/ip/prim/rtl/prim_util_pkg.sv",
            "vendor/lowrisc_ip/ip/prim/rtl/prim_ram_1p_pkg.sv",
            "vendor/lowrisc_ip/ip/prim/rtl/prim_secded_pkg.sv",
            "vendor/lowrisc_ip/ip/prim/rtl/prim_mubi_pkg.sv",
            "vendor/lowrisc_ip/ip/prim/rtl/prim_count_pkg.sv",
            "vendor/lowrisc_ip/ip/prim/rtl/prim_cipher_pkg.sv",
            "rtl/ibex_pkg.sv",
        ],
        include: &[
            "rtl",
            "dv/uvm/core_ibex/common/prim",
            "vendor/lowrisc_ip/dv/sv/dv_utils",
            "vendor/lowrisc_ip/ip/prim/rtl",
            "vendor/lowrisc_ip/ip/prim_generic/rtl",
        ],
        // SYNTHESIS leaves out what only its authors' test benches use.
        defines: &["RVFI", "SYNTHESIS"],
        compressed: true,
        kept: false,
    },
];

/// The cores that a board can be had with, besides the project's own.
pub fn core_names() -> Vec<&'static str> {
    CORES.iter().map(|core| core.name).collect()
}

/// Makes sure that a core's Verilog is on this machine, and says where.
pub fn fetch_core(name: &str, progress: &mut dyn FnMut(&str)) -> Result<PathBuf> {
    fetch::find(&find(name)?.package, progress)
}

/// The Verilog of a board with somebody else's core and the recorder of a preset, if any; `None` for
/// the project's own.
pub(crate) fn sources(
    choice: &CoreChoice,
    recorder: Option<&str>,
    progress: &mut dyn FnMut(&str),
) -> Result<Option<Sources>> {
    let mut sources = match choice {
        CoreChoice::Own => return Ok(None),
        CoreChoice::Named(name) => named(find(name)?, progress)?,
        CoreChoice::Folder(path) => folder::sources(path, board_ports()?)?,
    };
    check_kept(choice, recorder)?;
    surround(&mut sources, recorder, CLOCK_HZ)?;
    Ok(Some(sources))
}

/// The Verilog of a board with a well-known core, for an FPGA with this clock: with the recorder of a
/// preset of rtl-gen, or with none.
pub fn core_sources(
    name: &str,
    recorder: Option<&str>,
    clock_hz: u32,
    progress: &mut dyn FnMut(&str),
) -> Result<Sources> {
    let mut sources = named(find(name)?, progress)?;
    check_kept(&CoreChoice::Named(name.to_owned()), recorder)?;
    surround(&mut sources, recorder, clock_hz)?;
    Ok(sources)
}

/// Fails where the smallest recorder is asked for beside a core that does not keep its port.
fn check_kept(choice: &CoreChoice, recorder: Option<&str>) -> Result<()> {
    let keeps = match choice {
        CoreChoice::Named(name) => find(name)?.kept,
        _ => false,
    };
    if recorder == Some(KEPT) && !keeps {
        let kept = CORES.iter().filter(|core| core.kept);
        return Err(Error::PortNotKept {
            known: kept.map(|core| core.name).collect::<Vec<_>>().join(", "),
        });
    }
    Ok(())
}

/// Adds what every core has around it.
fn surround(sources: &mut Sources, recorder: Option<&str>, clock_hz: u32) -> Result<()> {
    sources.texts.push(("bus.v".to_owned(), BUS.to_owned()));
    sources.texts.push(("tap.v".to_owned(), TAP.to_owned()));
    if recorder == Some(KEPT) {
        let design = lookback_rtl_gen::kept_recorder(clock_hz)?;
        sources.defines.push("LOOKBACK_KEPT".to_owned());
        sources
            .texts
            .push((format!("{}.v", design.top), design.verilog));
    } else if let Some(recorder) = recorder {
        for preset in [recorder, "uart"] {
            let design = lookback_rtl_gen::find(preset)?.generate()?;
            if preset == recorder {
                sources
                    .defines
                    .push(format!("LOOKBACK_RECORDER={}", design.top));
            }
            sources
                .texts
                .push((format!("{}.v", design.top), design.verilog));
        }
        sources
            .defines
            .push(format!("LOOKBACK_CLOCK_HZ=32'd{clock_hz}"));
    }
    Ok(())
}

fn find(name: &str) -> Result<&'static Core> {
    let found = CORES.iter().find(|core| core.name == name);
    found.ok_or_else(|| Error::UnknownCore {
        name: name.to_owned(),
        known: core_names().join(", "),
    })
}

fn named(core: &Core, progress: &mut dyn FnMut(&str)) -> Result<Sources> {
    let root = fetch::find(&core.package, progress)?.join(core.root);
    let inside = |names: &[&str]| {
        names
            .iter()
            .map(|name| root.join(Path::new(name)))
            .collect()
    };
    Ok(Sources {
        top: format!("lookback_{}_board", core.name),
        ports: board_ports()?,
        texts: vec![(format!("{}_board.sv", core.name), core.board.to_owned())],
        files: inside(core.files),
        include: inside(core.include),
        defines: core.defines.iter().map(|&define| define.into()).collect(),
    })
}

/// The ports that every simulated board has.
fn board_ports() -> Result<Vec<Port>> {
    Ok(lookback_rtl_gen::find("sim-soc")?.generate()?.ports)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_have_the_ports_of_every_simulated_board() {
        for core in CORES {
            let head = core.board.split_once(");").expect("a port list").0;
            let declared: Vec<&str> = head
                .lines()
                .filter_map(|line| {
                    let line = line.trim().trim_end_matches(',');
                    let port = line.starts_with("input ") || line.starts_with("output ");
                    port.then(|| line.rsplit(' ').next())?
                })
                .collect();
            let wanted = board_ports().unwrap();
            let names: Vec<&str> = wanted.iter().map(|port| port.name.as_str()).collect();
            let sorted = |mut list: Vec<&str>| {
                list.sort_unstable();
                list.join(" ")
            };
            assert_eq!(sorted(declared), sorted(names), "{}", core.name);
        }
    }

    #[test]
    fn an_unknown_core_is_told_the_known_ones() {
        let error = find("z80").err().expect("no RISC-V").to_string();
        assert!(error.contains("z80") && error.contains("picorv32, serv"));
    }
}

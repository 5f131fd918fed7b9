//! `cargo xtask setup`: installs the tools that the tests need, by package name.
//!
//! A tool that is already there is left alone, whatever its origin. One that cannot be had is an
//! error: a test that is skipped because a tool is missing proves nothing.

use anyhow::{bail, ensure, Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A command that tests call, and the Debian package that has it.
struct Tool {
    command: &'static str,
    package: &'static str,
}

const TOOLS: &[Tool] = &[
    Tool {
        command: "verilator",
        package: "verilator",
    },
    Tool {
        command: "yosys",
        package: "yosys",
    },
    Tool {
        command: "yosys-smtbmc",
        package: "yosys",
    },
    Tool {
        command: "yosys-abc",
        package: "yosys",
    },
    Tool {
        command: "z3",
        package: "z3",
    },
    Tool {
        command: "riscv64-unknown-elf-gcc",
        package: "gcc-riscv64-unknown-elf",
    },
    Tool {
        command: "gdb-multiarch",
        package: "gdb-multiarch",
    },
    Tool {
        command: "g++",
        package: "g++",
    },
    Tool {
        command: "make",
        package: "make",
    },
    Tool {
        command: "pip3",
        package: "python3-pip",
    },
];

const QEMU: &str = "qemu-system-riscv32";
/// Debian's packages of [`QEMU`] itself; the libraries that it needs come with them.
const QEMU_PACKAGES: [&str; 3] = ["qemu-system-misc", "qemu-system-common", "qemu-system-data"];

/// Installs what is missing and gives the environment that tests need.
pub fn run() -> Result<()> {
    let missing: Vec<&Tool> = TOOLS
        .iter()
        .filter(|tool| find(tool.command).is_none())
        .collect();
    if !missing.is_empty() {
        let packages: Vec<&str> = missing.iter().map(|tool| tool.package).collect();
        eprintln!("setup: installing {}", packages.join(", "));
        apt(&["update", "-qq"])?;
        install(&packages)?;
        for tool in missing {
            ensure!(
                find(tool.command).is_some(),
                "{} is still missing after installing {}",
                tool.command,
                tool.package
            );
        }
    }
    ensure_qemu()?;
    ensure_cores()
}

/// Fetches the cores that boards are simulated with from PyPI, as `lookback sim --core` does.
fn ensure_cores() -> Result<()> {
    for core in lookback_sim::core_names() {
        lookback_sim::fetch_core(core, &mut |step| eprintln!("setup: {step}"))?;
    }
    Ok(())
}

/// Where `qemu-system-riscv32` is, if it is anywhere.
pub fn qemu() -> Option<PathBuf> {
    std::env::var_os("LOOKBACK_QEMU_SYSTEM")
        .map(PathBuf::from)
        .or_else(|| find(QEMU))
        .or_else(|| Some(unpacked_qemu()).filter(|path| path.exists()))
}

fn tools_folder() -> PathBuf {
    crate::root().join("target/tools")
}

fn unpacked_qemu() -> PathBuf {
    tools_folder().join("qemu/usr/bin").join(QEMU)
}

/// Installs QEMU; where a newer `qemu-utils` from elsewhere would have to go for it, unpacks the
/// packages beside instead, so that nothing is removed from the machine.
fn ensure_qemu() -> Result<()> {
    if qemu().is_some() {
        return Ok(());
    }
    eprintln!("setup: installing {QEMU}");
    apt(&["update", "-qq"])?;
    if install(&QEMU_PACKAGES[..1]).is_ok() && find(QEMU).is_some() {
        return Ok(());
    }
    let folder = tools_folder().join("qemu");
    std::fs::create_dir_all(&folder)?;
    let status = Command::new("apt-get")
        .current_dir(&folder)
        .args(["download", "-qq"])
        .args(QEMU_PACKAGES)
        .status()
        .context("cannot run apt-get")?;
    ensure!(
        status.success(),
        "apt-get could not download {QEMU_PACKAGES:?}"
    );
    for entry in std::fs::read_dir(&folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "deb") {
            let status = Command::new("dpkg")
                .arg("-x")
                .arg(&path)
                .arg(&folder)
                .status()?;
            ensure!(status.success(), "dpkg could not unpack {}", path.display());
            std::fs::remove_file(&path)?;
        }
    }
    let libraries = dependencies(QEMU_PACKAGES[0])?;
    install(&libraries.iter().map(String::as_str).collect::<Vec<_>>())?;
    ensure!(
        Command::new(unpacked_qemu())
            .arg("--version")
            .output()?
            .status
            .success(),
        "{QEMU} was unpacked into {} and does not run there",
        folder.display()
    );
    Ok(())
}

/// The packages that a package depends on, without QEMU's own.
fn dependencies(package: &str) -> Result<Vec<String>> {
    let output = Command::new("apt-cache")
        .args(["depends", package])
        .output()?;
    Ok(String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| line.trim().strip_prefix("Depends: "))
        .filter(|name| !name.starts_with("qemu") && !name.starts_with('<'))
        .map(str::to_owned)
        .collect())
}

/// Installs Debian's packages.
pub fn install_packages(packages: &[&str]) -> Result<()> {
    apt(&["update", "-qq"])?;
    install(packages)
}

fn install(packages: &[&str]) -> Result<()> {
    let mut arguments = vec![
        "install",
        "-y",
        "-qq",
        "--no-install-recommends",
        "--no-remove",
    ];
    arguments.extend(packages);
    apt(&arguments)
}

fn apt(arguments: &[&str]) -> Result<()> {
    let mut command = if is_root() {
        Command::new("apt-get")
    } else {
        let mut sudo = Command::new("sudo");
        sudo.args(["-n", "apt-get"]);
        sudo
    };
    let output = command
        .env("DEBIAN_FRONTEND", "noninteractive")
        .args(arguments)
        .output()
        .context("cannot run apt-get; install the tools listed in README.md by hand")?;
    if !output.status.success() {
        bail!(
            "apt-get {} failed:\n{}",
            arguments.join(" "),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(())
}

fn is_root() -> bool {
    Command::new("id")
        .arg("-u")
        .output()
        .is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

/// A command on the PATH.
pub fn find(command: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(command))
        .find(|candidate| is_file(candidate))
}

fn is_file(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.is_file())
}

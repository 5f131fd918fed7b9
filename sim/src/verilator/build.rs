//! From Verilog to a shared library: Verilator, then the C++ compiler, no `make`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use lookback_rtl_gen::{verilator_command, verilator_version};
use sha2::{Digest, Sha256};

use crate::sources::Sources;
use crate::{Error, Result};

/// The shim, with a mark where the ports of the design go.
const SHIM: &str = include_str!("shim.cpp");
const SNAPSHOT_MARK: &str = "// @SNAPSHOT@";

/// Flags of Verilator. The warnings were judged when the Verilog was made; `0` for unknown values
/// is what rust-hdl's simulator has.
const VERILATOR_FLAGS: &[&str] = &[
    "--cc",
    "-O3",
    "-Wno-fatal",
    "-Wno-lint",
    "-Wno-style",
    "--x-assign",
    "0",
    "--x-initial",
    "0",
    "--noassert",
    "--output-split",
    "20000",
    "--prefix",
    "Vboard",
];

/// Flags of the C++ compiler for everything that goes into a library.
pub(crate) const COMPILER_FLAGS: &[&str] = &[
    "-std=c++17",
    "-fPIC",
    "-fvisibility=hidden",
    "-w",
    "-pthread",
];

/// All that a library is made from.
pub(super) struct Recipe {
    sources: Sources,
    shim: String,
    compiler: OsString,
    key: String,
}

impl Recipe {
    /// Fails when Verilator or the compiler is missing.
    pub(super) fn new(sources: &Sources) -> Result<Self> {
        let snapshot: String = sources
            .ports
            .iter()
            .enumerate()
            .map(|(index, port)| format!("out[{index}] = pins.{};\n    ", port.name))
            .collect();
        let mut shim = SHIM.replace(SNAPSHOT_MARK, snapshot.trim_end());
        if sources.ports.iter().any(|port| port.name == "hold_back") {
            shim.insert_str(0, "#define SEVERAL\n");
        }
        let version = compiler_version()?;
        let fingerprint = sources.fingerprint()?;
        let mut parts = vec![fingerprint.as_str(), &shim, &version];
        parts.extend(VERILATOR_FLAGS.iter().chain(COMPILER_FLAGS));
        let key = key_of(&parts)?;
        Ok(Recipe {
            sources: sources.clone(),
            shim,
            compiler: compiler(),
            key,
        })
    }

    /// Names the library by all that it is made from.
    pub(super) fn key(&self) -> &str {
        &self.key
    }

    /// Builds `library` with `folder` for everything between.
    pub(super) fn build(
        &self,
        folder: &Path,
        library: &Path,
        progress: &mut dyn FnMut(&str),
    ) -> Result<()> {
        let objects = folder.join("obj");
        progress("translating the board with Verilator");
        self.translate(folder, &objects)?;
        let shim = objects.join("shim.cpp");
        std::fs::write(&shim, &self.shim).map_err(Error::file(&shim))?;
        let include = include_folder()?;
        let mut sources = cpp_files(&objects)?;
        for name in ["verilated.cpp", "verilated_threads.cpp"] {
            let path = include.join(name);
            if path.exists() {
                sources.push(path);
            }
        }
        let compiled = self.compile_all(&sources, &objects, &include, progress)?;
        progress("linking the board");
        run(
            Command::new(&self.compiler)
                .args(["-shared", "-pthread", "-o"])
                .arg(library)
                .args(&compiled),
            Error::file(library),
        )?;
        Ok(())
    }

    fn translate(&self, folder: &Path, objects: &Path) -> Result<()> {
        let sources = &self.sources;
        let mut command = Command::new(verilator_command());
        command
            .args(VERILATOR_FLAGS)
            .args(["--top-module", &sources.top, "--Mdir"])
            .arg(objects);
        for define in &sources.defines {
            command.arg(format!("-D{define}"));
        }
        for include in &sources.include {
            let mut option = OsString::from("-I");
            option.push(include);
            command.arg(option);
        }
        // Packages, which others need, come before the board that is made around them.
        command.args(&sources.files);
        for (name, text) in &sources.texts {
            let path = folder.join(name);
            std::fs::write(&path, text).map_err(Error::file(&path))?;
            command.arg(path);
        }
        run(&mut command, |source| no_verilator(source).into())?;
        Ok(())
    }

    /// Compiles on all processors; the files are independent.
    fn compile_all(
        &self,
        sources: &[PathBuf],
        objects: &Path,
        include: &Path,
        progress: &mut dyn FnMut(&str),
    ) -> Result<Vec<PathBuf>> {
        progress(&format!(
            "compiling the board ({} files, once; it is kept in the cache)",
            sources.len()
        ));
        let waiting = Mutex::new(sources.iter());
        let next = || waiting.lock().ok().and_then(|mut sources| sources.next());
        let worker = || -> Result<Vec<PathBuf>> {
            let mut done = Vec::new();
            while let Some(source) = next() {
                done.push(self.compile(source, objects, include)?);
            }
            Ok(done)
        };
        let count = std::thread::available_parallelism().map_or(1, |n| n.get());
        let results: Vec<Result<Vec<PathBuf>>> = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..count).map(|_| scope.spawn(worker)).collect();
            workers
                .into_iter()
                .map(|w| w.join().expect("a compiling thread does not panic"))
                .collect()
        });
        let mut all = Vec::new();
        for result in results {
            all.extend(result?);
        }
        all.sort();
        Ok(all)
    }

    fn compile(&self, source: &Path, objects: &Path, include: &Path) -> Result<PathBuf> {
        let name = source.file_stem().unwrap_or_default().to_string_lossy();
        // What runs in every cycle is worth optimising; start-up code and the library are not.
        let hot = name.starts_with("Vboard") && !name.ends_with("__Slow") || name == "shim";
        let target = objects.join(format!("{name}.o"));
        run(
            Command::new(&self.compiler)
                .args(COMPILER_FLAGS)
                .arg(if hot { "-O2" } else { "-O1" })
                .arg("-I")
                .arg(objects)
                .arg("-I")
                .arg(include)
                .arg("-I")
                .arg(include.join("vltstd"))
                .args(["-c", "-o"])
                .arg(&target)
                .arg(source),
            Error::file(source),
        )?;
        Ok(target)
    }
}

/// Names a library by what it is made from and by what Verilator is there.
pub(crate) fn key_of(parts: &[&str]) -> Result<String> {
    let verilator = verilator_version()?;
    let mut hash = Sha256::new();
    for part in parts.iter().copied().chain([verilator.as_str()]) {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    Ok(format!("{:x}", hash.finalize()))
}

/// How the C++ compiler names itself.
pub(crate) fn compiler_version() -> Result<String> {
    let compiler = compiler();
    run(Command::new(&compiler).arg("--version"), |source| {
        Error::NoCompiler {
            command: compiler.to_string_lossy().into_owned(),
            source,
        }
    })
}

/// Where Verilator's runtime lies.
pub(crate) fn include_folder() -> Result<PathBuf> {
    let root = run(
        Command::new(verilator_command()).args(["--getenv", "VERILATOR_ROOT"]),
        |source| no_verilator(source).into(),
    )?;
    Ok(PathBuf::from(root.trim()).join("include"))
}

/// `$CXX`, or `g++`.
pub(crate) fn compiler() -> OsString {
    std::env::var_os("CXX")
        .filter(|command| !command.is_empty())
        .unwrap_or_else(|| "g++".into())
}

pub(crate) fn no_verilator(source: std::io::Error) -> lookback_rtl_gen::Error {
    lookback_rtl_gen::Error::NoVerilator {
        command: verilator_command().to_string_lossy().into_owned(),
        source,
    }
}

pub(crate) fn cpp_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(Error::file(folder))? {
        let path = entry.map_err(Error::file(folder))?.path();
        if path.extension().is_some_and(|e| e == "cpp") {
            found.push(path);
        }
    }
    // The biggest first, so that no long one is left for the end.
    found.sort_by_key(|path| {
        let size = std::fs::metadata(path).map_or(0, |m| m.len());
        (std::cmp::Reverse(size), path.clone())
    });
    Ok(found)
}

/// What a command prints; the end of its messages is the error.
pub(crate) fn run(
    command: &mut Command,
    not_started: impl FnOnce(std::io::Error) -> Error,
) -> Result<String> {
    let output = command.output().map_err(not_started)?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = text.lines().collect();
    Err(Error::Build {
        command: command.get_program().to_string_lossy().into_owned(),
        details: lines[lines.len().saturating_sub(20)..].join("\n"),
    })
}

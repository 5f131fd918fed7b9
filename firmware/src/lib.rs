//! The firmware programs as Rust sees them: which there are, where their prebuilt ELFs lie, and
//! what each must do. The expectations stand in the head of each program's own C file, so this
//! crate is a parser of those heads ([`header`]) and a directory listing.
//!
//! Programs are found in the source tree, which only tests and tasks have; the one that `lookback
//! demo` runs on machines without it is inside this library ([`DEMO_ELF`]).

pub mod header;
pub mod target;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub use header::{Cause, Expect, Header};
pub use target::{target, Target, TARGETS};

/// Name of the program that the demo runs.
pub const DEMO_NAME: &str = "heap_overflow";

/// The ELF that the demo runs.
pub const DEMO_ELF: &[u8] = include_bytes!("../prebuilt/heap_overflow.elf");

/// What can be wrong with the programs' folder.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A folder or file could not be read.
    #[error("cannot read {path}")]
    Read {
        /// What was to be read.
        path: PathBuf,
        /// Why it could not be.
        source: io::Error,
    },
    /// A program's head does not follow the syntax.
    #[error("{path}:{line}: {problem}")]
    Header {
        /// The program's file.
        path: PathBuf,
        /// Line number, from 1.
        line: usize,
        /// What is wrong there.
        problem: String,
    },
}

/// Optimisation levels that programs which crash are built with besides their usual one, since a
/// debugger has to cope with both.
pub const LEVELS: [&str; 2] = ["O0", "O2"];

/// The memory that benchmarks are linked for; the other programs fit the smallest board.
pub const BENCH_RAM_BYTES: u32 = 256 << 10;

/// One program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Its name: the C file's without `.c`.
    pub name: String,
    /// Its C file.
    pub source: PathBuf,
    /// The core that it is built for, `None` for the project's own.
    pub target: Option<&'static Target>,
    /// The optimisation level that it is built with in place of its usual one: one of [`LEVELS`].
    pub level: Option<&'static str>,
    /// Harts that it is built for.
    pub harts: u8,
    /// A benchmark: longer than others, with [`BENCH_RAM_BYTES`] to live in.
    pub bench: bool,
    /// Its prebuilt ELF.
    pub elf: PathBuf,
    /// What its head says.
    pub header: Header,
}

/// The firmware folder of the source tree that this library was built in.
pub fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All programs of the source tree for the project's own board, sorted by name.
pub fn programs() -> Result<Vec<Program>, Error> {
    programs_in(folder())
}

/// All programs of a firmware folder for the project's own board, sorted by name.
pub fn programs_in(folder: &Path) -> Result<Vec<Program>, Error> {
    let mut programs = every_program(folder)?;
    programs.retain(|p| p.target.is_none() && p.level.is_none() && !p.bench && p.harts == 1);
    Ok(programs)
}

/// The benchmarks of the source tree, sorted by name: they run millions of instructions.
pub fn benches() -> Result<Vec<Program>, Error> {
    let mut programs = every_program(folder())?;
    programs.retain(|program| program.bench);
    Ok(programs)
}

/// The programs of the source tree for so many harts, sorted by name.
pub fn parallel_programs(harts: u8) -> Result<Vec<Program>, Error> {
    let mut programs = every_program(folder())?;
    programs.retain(|program| program.harts == harts && harts > 1);
    Ok(programs)
}

/// The programs of the source tree that crash, once for each of [`LEVELS`].
pub fn crash_programs() -> Result<Vec<Program>, Error> {
    let mut programs = every_program(folder())?;
    programs.retain(|program| program.level.is_some());
    Ok(programs)
}

/// All programs of the source tree that are built for this target, sorted by name.
pub fn core_programs(core: &str) -> Result<Vec<Program>, Error> {
    let mut programs = every_program(folder())?;
    programs.retain(|program| program.target.is_some_and(|target| target.name == core));
    Ok(programs)
}

/// All programs of a firmware folder, once for each core that they are built for, and all of its
/// benchmarks, sorted by name.
pub fn every_program(folder: &Path) -> Result<Vec<Program>, Error> {
    let mut found = Vec::new();
    for (name, source, header) in sources(&folder.join("programs"))? {
        let own = header.board.then_some(None);
        let others = header.cores.iter().map(|name| target(name));
        let targets: Vec<_> = own.into_iter().chain(others).collect();
        let levels: &[&str] = match header.expect {
            Expect::CrashIn(..) | Expect::CrashFrom(..) => &LEVELS,
            _ => &[],
        };
        let builds = targets.into_iter().map(|target| (target, None));
        let builds = builds.chain(levels.iter().map(|&level| (None, Some(level))));
        found.extend(builds.map(|(target, level)| Program {
            name: name.clone(),
            source: source.clone(),
            target,
            level,
            harts: 1,
            bench: false,
            elf: elf_path(folder, target.map(|target| target.name).or(level), &name),
            header: header.clone(),
        }));
    }
    for (name, source, header) in sources(&folder.join("benches"))? {
        found.push(Program {
            elf: elf_path(folder, Some("benches"), &name),
            name,
            source,
            target: None,
            level: None,
            harts: 1,
            bench: true,
            header,
        });
    }
    for (name, source, header) in sources(&folder.join("parallel"))? {
        found.extend(header.harts.iter().map(|&harts| Program {
            elf: elf_path(folder, Some(&format!("harts{harts}")), &name),
            name: name.clone(),
            source: source.clone(),
            target: None,
            level: None,
            harts,
            bench: false,
            header: header.clone(),
        }));
    }
    let core = |program: &Program| program.target.map(|target| target.name);
    let key = |program: &'_ Program| (core(program), program.level, program.harts);
    found.sort_by(|a, b| a.name.cmp(&b.name).then(key(a).cmp(&key(b))));
    Ok(found)
}

/// The C files of a folder: name, path and head.
fn sources(folder: &Path) -> Result<Vec<(String, PathBuf, Header)>, Error> {
    let read_error = |path: &Path, source| Error::Read {
        path: path.to_owned(),
        source,
    };
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(|e| read_error(folder, e))? {
        let source = entry.map_err(|e| read_error(folder, e))?.path();
        let name = match (source.extension(), source.file_stem()) {
            (Some(extension), Some(stem)) if extension == "c" => {
                stem.to_string_lossy().into_owned()
            }
            _ => continue,
        };
        let text = fs::read_to_string(&source).map_err(|e| read_error(&source, e))?;
        let header = Header::parse(&text).map_err(|(line, problem)| Error::Header {
            path: source.clone(),
            line,
            problem,
        })?;
        found.push((name, source, header));
    }
    Ok(found)
}

fn elf_path(folder: &Path, subfolder: Option<&str>, name: &str) -> PathBuf {
    let mut path = folder.join("prebuilt");
    path.extend(subfolder);
    path.join(format!("{name}.elf"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_has_a_head_and_an_elf() {
        let programs = every_program(folder()).unwrap();
        assert!(programs.iter().any(|p| p.name == DEMO_NAME));
        for program in programs {
            assert!(
                program.elf.is_file(),
                "{} has no prebuilt ELF",
                program.name
            );
        }
    }
}

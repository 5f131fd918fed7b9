//! `cargo xtask firmware`: builds the programs of `firmware/` into `firmware/prebuilt/`, or checks
//! that what is there is what the sources give.
//!
//! The ELFs are the same bytes wherever they are built with the same compiler: it is called from
//! the repository's root with relative paths, and the root's own path is mapped away.

use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{bail, ensure, Context, Result};
use lookback_firmware::Program;

const COMPILER: &str = "riscv64-unknown-elf-gcc";

/// Of the compiler whose output is committed; another gives other bytes.
const COMPILER_VERSION: &str = "12.2.0";

/// Optimisation for programs that ask for nothing else: the best to debug.
const USUAL_OPTIMISATION: &str = "-Og";

/// Memory that the linker script gives by itself.
const USUAL_RAM_BYTES: u32 = 64 << 10;

/// Instruction set of the project's own hart.
const OWN_MARCH: &str = "rv32ima";

/// For the compiler and for the linker, with -march.
const ARCHITECTURE_OPTIONS: &[&str] = &[
    "-mabi=ilp32",
    // The older specification has the CSR instructions and fence.i in the base set; naming them
    // in -march would miss Debian's libgcc for rv32.
    "-misa-spec=2.2",
];

const COMPILE_OPTIONS: &[&str] = &[
    "-std=gnu11",
    "-g",
    "-ffreestanding",
    "-fno-builtin",
    // Without this gcc turns the loop in memset into a call of memset.
    "-fno-tree-loop-distribute-patterns",
    "-ffunction-sections",
    "-fdata-sections",
    "-msmall-data-limit=0",
    "-Wall",
    "-Wextra",
    "-Werror",
];

const LINK_OPTIONS: &[&str] = &[
    "-nostdlib",
    "-Wl,--gc-sections",
    "-Wl,--build-id=sha1",
    // Nothing pages here: no padding in the file.
    "-Wl,-z,max-page-size=64",
    "-Wl,--no-warn-rwx-segments",
    "-T",
    "firmware/link.ld",
];

/// Options of `cargo xtask firmware`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Write nothing; fail if a prebuilt ELF is not what its sources give.
    #[arg(long)]
    check: bool,
    /// Only these programs; all when none is named.
    #[arg(value_name = "PROGRAM")]
    programs: Vec<String>,
}

/// Fails if any prebuilt ELF is not what its sources give.
pub fn check_all() -> Result<()> {
    run(&Arguments {
        check: true,
        programs: Vec::new(),
    })
}

/// Runs the task.
pub fn run(arguments: &Arguments) -> Result<()> {
    let programs = chosen(&arguments.programs)?;
    check_compiler()?;
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    if arguments.check {
        return check(&programs, scratch.path(), arguments.programs.is_empty());
    }
    for program in &programs {
        let built = build(program, scratch.path(), None)?;
        write_elf(&program.elf, &built)?;
        println!("{:7} bytes  {}", built.len(), shown(&program.elf));
    }
    Ok(())
}

fn chosen(names: &[String]) -> Result<Vec<Program>> {
    let mut all = lookback_firmware::every_program(lookback_firmware::folder())?;
    if names.is_empty() {
        return Ok(all);
    }
    for name in names {
        ensure!(
            all.iter().any(|program| program.name == *name),
            "there is no {name}.c in firmware/programs, firmware/benches or firmware/parallel"
        );
    }
    all.retain(|program| names.contains(&program.name));
    Ok(all)
}

fn check_compiler() -> Result<()> {
    let output = match Command::new(COMPILER).arg("-dumpfullversion").output() {
        Err(error) if error.kind() == ErrorKind::NotFound => bail!(
            "{COMPILER} is not installed, and the firmware is C and assembly.\n\
             On Debian 12: apt-get install --no-install-recommends gcc-riscv64-unknown-elf"
        ),
        other => other.with_context(|| format!("cannot run {COMPILER}"))?,
    };
    let version = String::from_utf8_lossy(&output.stdout);
    if version.trim() != COMPILER_VERSION {
        eprintln!(
            "warning: {COMPILER} is {}, the committed ELFs are from {COMPILER_VERSION} (Debian 12): \
             the bytes will differ",
            version.trim()
        );
    }
    Ok(())
}

fn check(programs: &[Program], scratch: &Path, all: bool) -> Result<()> {
    let mut wrong = Vec::new();
    for program in programs {
        let built = build(program, scratch, None)?;
        match fs::read(&program.elf) {
            Ok(committed) if committed == built => {}
            Ok(_) => wrong.push(format!("{} differs from its sources", shown(&program.elf))),
            Err(_) => wrong.push(format!("{} is missing", shown(&program.elf))),
        }
    }
    if all {
        wrong.extend(strays(programs)?);
    }
    ensure!(
        wrong.is_empty(),
        "{}\n`cargo xtask firmware` rebuilds what differs; delete what has no source.",
        wrong.join("\n")
    );
    println!(
        "{} prebuilt ELFs are what their sources give",
        programs.len()
    );
    Ok(())
}

/// Prebuilt files that no program stands behind.
fn strays(programs: &[Program]) -> Result<Vec<String>> {
    let top = lookback_firmware::folder().join("prebuilt");
    let mut folders = vec![top.clone()];
    folders.extend(
        lookback_firmware::TARGETS
            .iter()
            .map(|target| top.join(target.name)),
    );
    folders.extend(lookback_firmware::LEVELS.map(|level| top.join(level)));
    folders.push(top.join("benches"));
    folders.extend(["harts2", "harts4"].map(|folder| top.join(folder)));
    let mut strays = Vec::new();
    for folder in &folders {
        let entries =
            fs::read_dir(folder).with_context(|| format!("cannot read {}", shown(folder)))?;
        for entry in entries {
            let path = entry?.path();
            if !programs.iter().any(|program| program.elf == path) && !folders.contains(&path) {
                strays.push(format!("{} belongs to no program", shown(&path)));
            }
        }
    }
    strays.sort();
    Ok(strays)
}

/// Compiles and links one program together with the whole runtime; what it does not use is left
/// out by the linker.
fn build(program: &Program, scratch: &Path, ram_bytes: Option<u32>) -> Result<Vec<u8>> {
    let path_maps = path_maps()?;
    let architecture = architecture(program);
    let mut objects = Vec::new();
    for source in runtime_sources(program)?.iter().chain([&program.source]) {
        let object = scratch.join(format!("{}.o", file_name(source)));
        let mut command = compiler();
        command.args(&architecture).args(COMPILE_OPTIONS);
        command.args(target_options(program));
        match program.level {
            Some(level) => command.arg(format!("-{level}")),
            None if program.header.build.is_empty() => command.arg(USUAL_OPTIMISATION),
            None => command.args(&program.header.build),
        };
        command.args(&path_maps);
        command
            .arg("-c")
            .arg(from_root(source))
            .arg("-o")
            .arg(&object);
        succeed(&mut command, source)?;
        objects.push(object);
    }
    let elf = scratch.join(file_name(&program.elf));
    let mut command = compiler();
    command
        .args(&architecture)
        .args(memory_options(program, ram_bytes))
        .args(LINK_OPTIONS)
        .args(&objects)
        .arg("-lgcc")
        .arg("-o")
        .arg(&elf);
    succeed(&mut command, &program.source)?;
    fs::read(&elf).with_context(|| format!("cannot read {}", elf.display()))
}

/// Another size of memory than the linker script gives by itself: for a board, or a benchmark.
fn memory_options(program: &Program, ram_bytes: Option<u32>) -> Option<String> {
    let bench = program.bench.then_some(lookback_firmware::BENCH_RAM_BYTES);
    let bytes = ram_bytes.or(bench)?;
    Some(format!("-Wl,--defsym=ram_bytes={bytes:#x}"))
}

/// A program's ELF for a core, linked for a board's memory; the prebuilt one where that fits.
pub fn for_board(name: &str, core: &str, ram_bytes: u32) -> Result<Vec<u8>> {
    let programs = lookback_firmware::every_program(lookback_firmware::folder())?;
    let wanted = |program: &&Program| {
        let target = program.target.map_or("lookback", |target| target.name);
        program.name == name && target == core && program.level.is_none()
    };
    let program = programs
        .iter()
        .find(wanted)
        .with_context(|| format!("there is no program {name} for the core {core}"))?;
    if ram_bytes == USUAL_RAM_BYTES {
        return fs::read(&program.elf)
            .with_context(|| format!("cannot read {}", shown(&program.elf)));
    }
    check_compiler()?;
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    build(program, scratch.path(), Some(ram_bytes))
}

fn architecture(program: &Program) -> Vec<String> {
    let march = program.target.map_or(OWN_MARCH, |target| target.march);
    let mut options = vec![format!("-march={march}")];
    options.extend(ARCHITECTURE_OPTIONS.iter().map(|&option| option.into()));
    options
}

/// What the runtime is without on this core, and where its headers are.
fn target_options(program: &Program) -> Vec<String> {
    let mut options = Vec::new();
    if let Some(target) = program.target {
        options.extend(target.defines.iter().map(|define| format!("-D{define}")));
        options.push(format!("-Ifirmware/runtime/{}", target.core));
    }
    if program.harts > 1 {
        options.push(format!("-DHARTS={}", program.harts));
        options.push("-Ifirmware/runtime/several".to_owned());
    }
    options.push("-Ifirmware/runtime".to_owned());
    options
}

/// The runtime's files; one of a core's own, or of several harts, stands in for the common one of the same name.
fn runtime_sources(program: &Program) -> Result<Vec<PathBuf>> {
    let common = lookback_firmware::folder().join("runtime");
    let mut sources = sources_in(&common)?;
    let several = (program.harts > 1).then_some("several");
    let own = program.target.map(|target| target.core).or(several);
    let own = own.map(|folder| common.join(folder));
    if let Some(own) = own.filter(|folder| folder.is_dir()) {
        let replacements = sources_in(&own)?;
        sources.retain(|path| {
            !replacements
                .iter()
                .any(|own| own.file_name() == path.file_name())
        });
        sources.extend(replacements);
    }
    // The order of linking is the order of the code in memory.
    sources.sort_by(|a, b| a.file_name().cmp(&b.file_name()));
    Ok(sources)
}

fn sources_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut sources = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", shown(folder)))? {
        let path = entry?.path();
        if matches!(path.extension().and_then(OsStr::to_str), Some("c" | "S")) {
            sources.push(path);
        }
    }
    Ok(sources)
}

/// Options that keep this machine's paths out of the debug information: files of the repository
/// are named from its root, the compiler's own headers from `gcc/`.
fn path_maps() -> Result<[String; 3]> {
    let output = compiler()
        .arg("-print-file-name=include")
        .output()
        .context("cannot run gcc")?;
    let headers = String::from_utf8(output.stdout).context("gcc's folder is not UTF-8")?;
    let root = root().display();
    Ok([
        format!("-ffile-prefix-map={root}="),
        // gcc does not hand its own map on for assembly.
        format!("-Wa,--debug-prefix-map={root}="),
        format!("-ffile-prefix-map={}=gcc/include", headers.trim()),
    ])
}

fn compiler() -> Command {
    let mut command = Command::new(COMPILER);
    command.current_dir(root());
    // Variables that change what gcc does, from whoever calls us, must not change the bytes.
    for variable in [
        "CPATH",
        "C_INCLUDE_PATH",
        "LIBRARY_PATH",
        "SOURCE_DATE_EPOCH",
    ] {
        command.env_remove(variable);
    }
    command
}

fn succeed(command: &mut Command, source: &Path) -> Result<()> {
    let status = command
        .status()
        .with_context(|| format!("cannot run {COMPILER}"))?;
    ensure!(status.success(), "{COMPILER} failed on {}", shown(source));
    Ok(())
}

/// Writes beside and renames, so that an interrupted build leaves the old file.
fn write_elf(path: &Path, bytes: &[u8]) -> Result<()> {
    let beside = path.with_extension("elf.new");
    let folder = path.parent().context("an ELF lies in a folder")?;
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(&beside, bytes))
        .and_then(|()| fs::rename(&beside, path))
        .with_context(|| format!("cannot write {}", path.display()))
}

fn root() -> &'static Path {
    lookback_firmware::folder()
        .parent()
        .expect("firmware/ lies in the repository's root")
}

fn from_root(path: &Path) -> &Path {
    path.strip_prefix(root()).unwrap_or(path)
}

fn shown(path: &Path) -> impl std::fmt::Display + '_ {
    from_root(path).display()
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

//! A block's Verilog, compiled by Verilator: one library a block, any number of instances of it.
//!
//! What does not depend on the block, Verilator's runtime and its headers, is compiled once; a small
//! block then takes a fraction of a second. The library lies in the cache beside the boards.

use std::ffi::c_void;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use libloading::Library;
use lookback_rtl_gen::{verilator_command, Design, Direction};

use super::{find, Dut};
use crate::verilator::build::{
    compiler, compiler_version, cpp_files, include_folder, key_of, no_verilator, run,
    COMPILER_FLAGS,
};
use crate::verilator::cache::{self, Built, Shelf};
use crate::verilator::symbol;
use crate::{Error, Result};

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
    "--prefix",
    "Vblock",
];

/// Blocks run short: compiling them is most of the time.
const OPTIMISATION: &str = "-O1";

type New = unsafe extern "C" fn() -> *mut c_void;
type Free = unsafe extern "C" fn(*mut c_void);
type Set = unsafe extern "C" fn(*mut c_void, u32, u32);
type Get = unsafe extern "C" fn(*mut c_void, u32) -> u32;
type Eval = unsafe extern "C" fn(*mut c_void, u32) -> u32;

/// A compiled block, from which instances are made.
#[derive(Clone)]
pub struct VerilatedLibrary(Arc<Loaded>);

struct Loaded {
    new: New,
    free: Free,
    set: Set,
    get: Get,
    eval: Eval,
    clocked: bool,
    inputs: Vec<(String, u32)>,
    outputs: Vec<(String, u32)>,
    // After the pointers into it; the temporary folder, if any, goes last.
    _library: Library,
    _built: Built,
}

impl VerilatedLibrary {
    /// Compiles the design, or takes it from the cache.
    pub fn new(design: &Design) -> Result<Self> {
        let shim = shim(design);
        let version = compiler_version()?;
        let mut parts = vec![design.verilog.as_str(), &shim, &version, OPTIMISATION];
        parts.extend(VERILATOR_FLAGS.iter().chain(COMPILER_FLAGS));
        let key = key_of(&parts)?;
        let mut build = |folder: &Path, library: &Path| compile(design, &shim, folder, library);
        match load(cache::get(Shelf::Blocks, &key, &mut build)?, design) {
            // A library that does not load was damaged in the cache: build it once more.
            Err(Error::Load { path, .. }) => {
                cache::discard(&path);
                load(cache::get(Shelf::Blocks, &key, &mut build)?, design)
            }
            other => other,
        }
    }

    /// A fresh instance, as after power-up.
    pub fn instance(&self) -> VerilatedBlock {
        VerilatedBlock {
            // SAFETY: it takes nothing; the model is freed in `drop`, before the library is closed.
            model: unsafe { (self.0.new)() },
            library: self.0.clone(),
            moved: true,
        }
    }
}

/// Prepares what all blocks share, so that several threads do not do it at once.
pub fn prepare() -> Result<()> {
    runtime().map(drop)
}

/// Gives each port a number, that of its place in the list.
fn shim(design: &Design) -> String {
    let mut set = String::new();
    let mut get = String::new();
    for (index, port) in design.ports.iter().enumerate() {
        if port.direction == Direction::Input {
            let mask = u32::MAX >> (32 - port.width.clamp(1, 32));
            set.push_str(&format!(
                "    case {index}: pins.p{index} = value & {mask:#x}u; break;\n"
            ));
        } else {
            get.push_str(&format!("    case {index}: return pins.p{index};\n"));
        }
    }
    let clock = design.ports.iter().position(|port| port.name == "clock");
    let clock = clock.map_or(String::new(), |index| format!("pins.p{index} = level;"));
    format!(
        r#"#include "Vblock.h"
#define API extern "C" __attribute__((visibility("default")))
double sc_time_stamp() {{ return 0; }}
// A model that does not settle must not end the process.
void vl_fatal(const char*, int, const char*, const char*) {{ throw 1; }}
struct Block {{
    VerilatedContext context;
    Vblock pins{{&context, "block"}};
}};
API void* lookback_block_new() {{ return new Block; }}
API void lookback_block_free(void* block) {{
    Block* own = static_cast<Block*>(block);
    own->pins.final();
    delete own;
}}
API void lookback_block_set(void* block, uint32_t port, uint32_t value) {{
    Vblock& pins = static_cast<Block*>(block)->pins;
    switch (port) {{
{set}    }}
}}
API uint32_t lookback_block_get(void* block, uint32_t port) {{
    Vblock& pins = static_cast<Block*>(block)->pins;
    switch (port) {{
{get}    }}
    return 0;
}}
API uint32_t lookback_block_eval(void* block, uint32_t level) {{
    Vblock& pins = static_cast<Block*>(block)->pins;
    {clock}
    try {{
        pins.eval();
    }} catch (int) {{
        return 0;
    }}
    return 1;
}}
"#
    )
}

/// The name of the module around the block.
const SHELL: &str = "lookback_shell";

/// A module around the block whose ports are called by their numbers: C++ has words that Verilog does
/// not have, and Verilator has names of its own.
fn shell(design: &Design) -> String {
    let mut ports = Vec::new();
    let mut pins = Vec::new();
    for (index, port) in design.ports.iter().enumerate() {
        let way = match port.direction {
            Direction::Input => "input",
            Direction::Output => "output",
            Direction::Inout => "inout",
        };
        ports.push(format!("{way} wire [{}:0] p{index}", port.width.max(1) - 1));
        pins.push(format!(".{}(p{index})", port.name));
    }
    let (ports, pins) = (ports.join(", "), pins.join(", "));
    format!(
        "\nmodule {SHELL}({ports});\n{} block({pins});\nendmodule\n",
        design.top
    )
}

fn is_clocked(design: &Design) -> bool {
    design.ports.iter().any(|port| port.name == "clock")
}

/// Verilator's runtime as one object, its headers precompiled beside it.
fn runtime() -> Result<Built> {
    let version = compiler_version()?;
    let mut parts = vec!["runtime", &version, OPTIMISATION];
    parts.extend(COMPILER_FLAGS);
    let key = key_of(&parts)?;
    let mut build = |folder: &Path, library: &Path| -> Result<()> {
        let include = include_folder()?;
        let objects = ["verilated", "verilated_threads"]
            .into_iter()
            .filter(|name| include.join(format!("{name}.cpp")).exists())
            .map(|name| {
                let object = folder.join(format!("{name}.o"));
                let source = include.join(format!("{name}.cpp"));
                compile_file(&source, &object, &include, &[])?;
                Ok(object)
            })
            .collect::<Result<Vec<_>>>()?;
        run(
            Command::new(compiler())
                .args(["-r", "-nostdlib", "-o"])
                .arg(library)
                .args(&objects),
            Error::file(library),
        )?;
        let header = library.with_file_name(HEADER);
        std::fs::write(&header, "#include \"verilated.h\"\n").map_err(Error::file(&header))?;
        let precompiled = library.with_file_name(format!("{HEADER}.gch"));
        compile_file(&header, &precompiled, &include, &["-x", "c++-header"])
    };
    cache::get(Shelf::Blocks, &key, &mut build)
}

const HEADER: &str = "runtime.h";

fn compile_file(source: &Path, target: &Path, include: &Path, more: &[&str]) -> Result<()> {
    let mut command = Command::new(compiler());
    command.args(COMPILER_FLAGS).arg(OPTIMISATION);
    command.arg("-DVL_USER_FATAL");
    command.args(more).arg("-I").arg(include);
    command.arg("-I").arg(include.join("vltstd"));
    command.arg("-c").arg("-o").arg(target).arg(source);
    run(&mut command, Error::file(source)).map(drop)
}

fn compile(design: &Design, shim: &str, folder: &Path, library: &Path) -> Result<()> {
    let runtime = runtime()?;
    let source = folder.join("block.v");
    let verilog = format!("{}{}", design.verilog, shell(design));
    std::fs::write(&source, verilog).map_err(Error::file(&source))?;
    let objects = folder.join("obj");
    run(
        Command::new(verilator_command())
            .args(VERILATOR_FLAGS)
            .args(["--top-module", SHELL, "--Mdir"])
            .arg(&objects)
            .arg(&source),
        |source| no_verilator(source).into(),
    )?;
    // One unit: reading the headers is most of the work of each.
    let mut all = String::new();
    for file in cpp_files(&objects)? {
        all.push_str(&format!("#include \"{}\"\n", file.display()));
    }
    all.push_str(shim);
    let unit = folder.join("block.cpp");
    std::fs::write(&unit, all).map_err(Error::file(&unit))?;
    let header = runtime.library().with_file_name(HEADER);
    let header = header.to_string_lossy();
    let objects = objects.to_string_lossy();
    let object = folder.join("block.o");
    compile_file(
        &unit,
        &object,
        &include_folder()?,
        &["-include", &header, "-I", &objects],
    )?;
    run(
        Command::new(compiler())
            .args(["-shared", "-pthread", "-o"])
            .arg(library)
            .arg(&object)
            // The runtime's name in the cache does not tell the linker what it is.
            .arg(runtime.library()),
        Error::file(library),
    )?;
    Ok(())
}

fn load(built: Built, design: &Design) -> Result<VerilatedLibrary> {
    let path = built.library().to_owned();
    // SAFETY: the library is the one that `compile` made from `shim`; loading it runs no code but
    // the C++ runtime's own initialisers.
    let library = unsafe { Library::new(&path) }.map_err(|error| Error::Load {
        path: path.clone(),
        details: error.to_string(),
    })?;
    let ports = |direction: Direction| -> Vec<(String, u32)> {
        let numbered = design.ports.iter().zip(0..);
        numbered
            .filter(|(port, _)| port.direction == direction && port.name != "clock")
            .map(|(port, index)| (port.name.clone(), index))
            .collect()
    };
    // SAFETY: the types are those of the functions in `shim`.
    let loaded = unsafe {
        Loaded {
            new: symbol(&library, "lookback_block_new", &path)?,
            free: symbol(&library, "lookback_block_free", &path)?,
            set: symbol(&library, "lookback_block_set", &path)?,
            get: symbol(&library, "lookback_block_get", &path)?,
            eval: symbol(&library, "lookback_block_eval", &path)?,
            clocked: is_clocked(design),
            inputs: ports(Direction::Input),
            outputs: ports(Direction::Output),
            _library: library,
            _built: built,
        }
    };
    Ok(VerilatedLibrary(Arc::new(loaded)))
}

/// One instance of a compiled block.
pub struct VerilatedBlock {
    model: *mut c_void,
    library: Arc<Loaded>,
    /// an input was set or the clock rose since the block last settled
    moved: bool,
}

impl VerilatedBlock {
    fn eval(&mut self, level: u32) {
        // SAFETY: `model` came from this library's `new` and is not freed yet.
        let settled = unsafe { (self.library.eval)(self.model, level) };
        assert!(settled != 0, "combinational logic did not settle");
    }

    fn settle(&mut self) {
        if self.moved {
            self.eval(0);
            self.moved = false;
        }
    }

    fn read(&self, index: u32) -> u32 {
        // SAFETY: as in `eval`; the shim takes any port number.
        unsafe { (self.library.get)(self.model, index) }
    }
}

impl Dut for VerilatedBlock {
    fn set(&mut self, port: &str, value: u32) {
        let index = *find(&self.library.inputs, port);
        // SAFETY: as in `eval`; the shim takes any port number.
        unsafe { (self.library.set)(self.model, index, value) }
        self.moved = true;
    }

    fn get(&mut self, port: &str) -> u32 {
        self.settle();
        self.read(*find(&self.library.outputs, port))
    }

    fn cycle(&mut self) {
        self.settle();
        if self.library.clocked {
            self.eval(1);
            self.moved = true;
        }
    }

    fn outputs(&mut self) -> Vec<u32> {
        self.settle();
        let library = self.library.clone();
        library
            .outputs
            .iter()
            .map(|port| self.read(port.1))
            .collect()
    }
}

impl Drop for VerilatedBlock {
    fn drop(&mut self) {
        // SAFETY: `model` came from the same library's `new` and is not used afterwards.
        unsafe { (self.library.free)(self.model) }
    }
}

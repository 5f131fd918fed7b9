//! Addresses to functions, files and lines.
//!
//! Debug information is a help, never a must: an ELF without it, or with damaged DWARF, still gives
//! function names from its symbol table, and one without symbols still gives addresses.

use addr2line::gimli::{Dwarf, EndianArcSlice, LittleEndian, SectionId};
use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};
use serde::Serialize;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

type Slice = EndianArcSlice<LittleEndian>;

/// Where an address lies in the program's text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Location {
    /// The address.
    pub address: u32,
    /// Function, if a symbol or DWARF covers the address.
    pub function: Option<String>,
    /// Bytes from the function's start.
    pub offset: u32,
    /// Source file, as the compiler was told it.
    pub file: Option<String>,
    /// Line in it, from 1.
    pub line: Option<u32>,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.function {
            Some(name) if self.offset == 0 => write!(f, "{name}")?,
            Some(name) => write!(f, "{name}+{:#x}", self.offset)?,
            None => write!(f, "{:#010x}", self.address)?,
        }
        match (&self.file, self.line) {
            (Some(file), Some(line)) => write!(f, " ({file}:{line})"),
            (Some(file), None) => write!(f, " ({file})"),
            _ => Ok(()),
        }
    }
}

#[derive(Debug)]
struct Function {
    start: u32,
    end: u32,
    name: String,
}

/// The names and lines of one ELF.
pub struct Symbols {
    functions: Vec<Function>,
    lines: Option<addr2line::Context<Slice>>,
    variables: HashMap<String, (u32, u32)>,
    pub(crate) debug_frame: Vec<u8>,
}

impl fmt::Debug for Symbols {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Symbols({} functions)", self.functions.len())
    }
}

impl Symbols {
    /// Reads what an ELF offers; whatever it does not offer is simply not there.
    pub fn load(elf: &[u8]) -> Self {
        let Ok(file) = object::File::parse(elf) else {
            return Self {
                functions: Vec::new(),
                lines: None,
                variables: HashMap::new(),
                debug_frame: Vec::new(),
            };
        };
        let section = |name: &str| {
            file.section_by_name(name)
                .and_then(|section| section.uncompressed_data().ok())
                .map(|data| data.into_owned())
                .unwrap_or_default()
        };
        let load = |id: SectionId| -> Result<Slice, addr2line::gimli::Error> {
            Ok(EndianArcSlice::new(
                Arc::from(section(id.name())),
                LittleEndian,
            ))
        };
        let lines = Dwarf::load(load)
            .and_then(addr2line::Context::from_dwarf)
            .ok();
        Self {
            functions: functions(&file),
            variables: variables(&file),
            lines,
            debug_frame: section(".debug_frame"),
        }
    }

    /// The function that covers an address: its name and start.
    pub fn function(&self, address: u32) -> Option<(&str, u32)> {
        let after = self.functions.partition_point(|f| f.start <= address);
        let function = self.functions[..after].last()?;
        (address < function.end).then_some((function.name.as_str(), function.start))
    }

    /// The address of a function by its name.
    pub fn address_of(&self, name: &str) -> Option<u32> {
        self.functions
            .iter()
            .find(|function| function.name == name)
            .map(|function| function.start)
    }

    /// Whether any symbol or line covers an address.
    pub fn is_code(&self, address: u32) -> bool {
        self.function(address).is_some()
    }

    /// Address and size of a variable.
    pub fn variable(&self, name: &str) -> Option<(u32, u32)> {
        self.variables.get(name).copied()
    }

    /// The address of a function.
    pub fn function_named(&self, name: &str) -> Option<u32> {
        let found = self.functions.iter().find(|f| f.name == name)?;
        Some(found.start)
    }

    /// Everything known about an address; of functions inlined into each other, the innermost.
    pub fn locate(&self, address: u32) -> Location {
        self.frames(address).swap_remove(0)
    }

    /// The functions that an address belongs to, innermost first: those inlined there, then the
    /// one that really is one. Never empty.
    pub fn frames(&self, address: u32) -> Vec<Location> {
        let symbol = self.function(address);
        let offset = symbol.map_or(0, |(_, start)| address - start);
        let mut frames = self.inlined(address, offset);
        // The symbol table knows a function's name better than DWARF does (clones, aliases).
        match (frames.last_mut(), symbol) {
            (Some(outermost), Some((name, _))) => outermost.function = Some(name.to_owned()),
            (Some(_), None) => {}
            (None, _) => frames.push(Location {
                address,
                function: symbol.map(|(name, _)| name.to_owned()),
                offset,
                file: None,
                line: None,
            }),
        }
        frames
    }

    fn inlined(&self, address: u32, offset: u32) -> Vec<Location> {
        let mut locations = Vec::new();
        let Some(lines) = &self.lines else {
            return locations;
        };
        let Ok(mut frames) = lines.find_frames(address.into()).skip_all_loads() else {
            return locations;
        };
        while let Ok(Some(frame)) = frames.next() {
            let name = frame
                .function
                .as_ref()
                .and_then(|name| name.raw_name().ok());
            let line = frame.location;
            locations.push(Location {
                address,
                function: name.map(|name| name.into_owned()),
                offset,
                file: line.as_ref().and_then(|l| l.file).map(tidy_path),
                line: line.and_then(|l| l.line),
            });
        }
        locations
    }
}

/// Drops the `./` that a relative compilation folder leaves in front.
fn tidy_path(path: &str) -> String {
    path.trim_start_matches("./").to_owned()
}

/// Functions by address; assembly labels without a size reach up to the next symbol.
fn functions(file: &object::File<'_>) -> Vec<Function> {
    let mut functions: Vec<Function> = file
        .symbols()
        .filter(|symbol| symbol.is_definition())
        .filter(|symbol| {
            matches!(
                symbol.kind(),
                SymbolKind::Text | SymbolKind::Label | SymbolKind::Unknown
            )
        })
        .filter(|symbol| in_code(file, symbol))
        .filter_map(|symbol| {
            let name = symbol.name().ok().filter(|name| is_name(name))?;
            let start = u32::try_from(symbol.address()).ok()?;
            let end = start.saturating_add(u32::try_from(symbol.size()).ok()?);
            Some(Function {
                start,
                end,
                name: name.to_owned(),
            })
        })
        .collect();
    functions.sort_by_key(|function| (function.start, function.end));
    functions.dedup_by(|later, earlier| {
        let same = later.start == earlier.start;
        if same && later.end > earlier.end {
            std::mem::swap(later, earlier);
        }
        same
    });
    let starts: Vec<u32> = functions.iter().map(|f| f.start).collect();
    for (i, function) in functions.iter_mut().enumerate() {
        if function.end == function.start {
            function.end = starts.get(i + 1).copied().unwrap_or(function.start + 4);
        }
    }
    functions
}

/// Variables by name; of several with the same name, the first.
fn variables(file: &object::File<'_>) -> HashMap<String, (u32, u32)> {
    let mut variables = HashMap::new();
    for symbol in file.symbols().filter(|s| s.kind() == SymbolKind::Data) {
        let place = (
            u32::try_from(symbol.address()),
            u32::try_from(symbol.size()),
        );
        if let (Ok(name), (Ok(addr), Ok(size))) = (symbol.name(), place) {
            variables.entry(name.to_owned()).or_insert((addr, size));
        }
    }
    variables
}

fn in_code(file: &object::File<'_>, symbol: &object::Symbol<'_, '_>) -> bool {
    symbol
        .section_index()
        .and_then(|index| file.section_by_index(index).ok())
        .is_some_and(|section| section.kind() == object::SectionKind::Text)
}

/// Mapping symbols (`$x`) and local labels are no names for people.
fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('$') && !name.starts_with(".L")
}

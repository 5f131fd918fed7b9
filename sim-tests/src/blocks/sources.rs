//! Finds the blocks that `hdl/src` has by reading it, so that none can be left out of the table.

use std::io;
use std::path::{Path, PathBuf};

/// Paths of all public block types, as `std::any::type_name` spells them without sizes.
pub fn block_types() -> io::Result<Vec<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../hdl/src");
    let mut found = Vec::new();
    collect(&root, "lookback_hdl", &mut found)?;
    found.sort();
    Ok(found)
}

/// The module at `folder` and those below it; test modules are none of it.
fn collect(folder: &Path, module: &str, found: &mut Vec<String>) -> io::Result<()> {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<_>>()?;
    entries.sort();
    let tests = test_modules(folder)?;
    for path in entries {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        if tests.iter().any(|test| *test == name) {
            continue;
        }
        let inner = match &*name {
            "lib" | "mod" => module.to_owned(),
            _ => format!("{module}::{name}"),
        };
        if path.is_dir() {
            collect(&path, &inner, found)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path)?;
            let names = blocks_of(&text).into_iter();
            found.extend(names.map(|block| format!("{inner}::{block}")));
        }
    }
    Ok(())
}

/// Modules that are compiled for tests only.
fn test_modules(folder: &Path) -> io::Result<Vec<String>> {
    let beside = folder.with_extension("rs");
    let mut found = Vec::new();
    for path in [folder.join("mod.rs"), folder.join("lib.rs"), beside] {
        if !path.is_file() {
            continue;
        }
        let text = std::fs::read_to_string(&path)?;
        for part in text.split("#[cfg(test)]").skip(1) {
            let declaration = part.trim_start().lines().next().unwrap_or_default();
            let name = declaration
                .strip_suffix(';')
                .and_then(|d| d.split("mod ").nth(1));
            found.extend(name.map(str::to_owned));
        }
    }
    Ok(found)
}

/// Names of the public structures that a file makes blocks, before its tests.
pub fn blocks_of(text: &str) -> Vec<String> {
    let text = text
        .split("\n#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or_default();
    let name_after = |rest: &str| -> Option<String> {
        let from = rest.find("pub struct ")? + "pub struct ".len();
        let name: String = rest[from..]
            .chars()
            .take_while(|c| c.is_alphanumeric())
            .collect();
        // A macro's own pattern is no block.
        (!name.is_empty()).then_some(name)
    };
    let mut found = Vec::new();
    for mark in ["\ncircuit! {", "\nalone! {", "#[derive(LogicBlock"] {
        let parts = text.split(mark).skip(1);
        found.extend(parts.filter_map(name_after));
    }
    for mark in ["Logic for ", "Block for "] {
        for part in text.split(mark).skip(1) {
            let name: String = part.chars().take_while(|c| c.is_alphanumeric()).collect();
            if text.contains(&format!("pub struct {name}")) && !name.is_empty() {
                found.push(name);
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

//! All that a Verilated board is made from, whoever wrote it.

use std::path::{Path, PathBuf};

use lookback_rtl_gen::{Design, Port};
use sha2::{Digest, Sha256};

use crate::{Error, Result};

/// The Verilog of a board.
#[derive(Clone, Debug)]
pub struct Sources {
    /// Name of the top module.
    pub top: String,
    /// Its ports, which are the same for every board.
    pub ports: Vec<Port>,
    /// Files that exist only here: name and text.
    pub texts: Vec<(String, String)>,
    /// Files on the disk.
    pub files: Vec<PathBuf>,
    /// Folders in which included files are looked for.
    pub include: Vec<PathBuf>,
    /// Macros, as `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
}

impl From<Design> for Sources {
    fn from(design: Design) -> Self {
        Sources {
            top: design.top,
            ports: design.ports,
            texts: vec![("board.v".to_owned(), design.verilog)],
            files: Vec::new(),
            include: Vec::new(),
            defines: Vec::new(),
        }
    }
}

impl Sources {
    /// Names everything that Verilator may read, by content: a board is built again when a file has
    /// changed, wherever it lies.
    pub(crate) fn fingerprint(&self) -> Result<String> {
        let mut hash = Sha256::new();
        let mut part = |bytes: &[u8]| {
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        };
        part(self.top.as_bytes());
        for (name, text) in &self.texts {
            part(name.as_bytes());
            part(text.as_bytes());
        }
        for define in &self.defines {
            part(define.as_bytes());
        }
        for file in &self.files {
            part(&read(file)?);
        }
        for folder in &self.include {
            for file in files_in(folder)? {
                part(file.to_string_lossy().as_bytes());
                part(&read(&file)?);
            }
        }
        Ok(format!("{:x}", hash.finalize()))
    }
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(Error::file(path))
}

fn files_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(Error::file(folder))? {
        let path = entry.map_err(Error::file(folder))?.path();
        if path.is_file() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

//! A user's own core: a folder with a board around it.
//!
//! `board.v` (or `board.sv`) has the module `board`; `board.f` lists what else there is, a line
//! each: a file, `+define+NAME` or `+define+NAME=VALUE`, `+incdir+FOLDER`, a comment after `#` or
//! `//`. Names are relative to the folder. `lookback_bus` and `lookback_tap` may be used and need
//! not be listed.

use std::path::Path;

use lookback_rtl_gen::{Direction, Port};

use crate::sources::Sources;
use crate::{Error, Result};

/// Stands between the board and the simulator, so that a port which the user's module lacks is
/// named by Verilator instead of by the C++ compiler.
const TOP: &str = "lookback_folder_board";

pub(super) fn sources(folder: &Path, ports: Vec<Port>) -> Result<Sources> {
    let board = ["board.v", "board.sv"]
        .map(|name| folder.join(name))
        .into_iter()
        .find(|path| path.is_file())
        .ok_or_else(|| Error::NoBoard(folder.to_owned()))?;
    let mut sources = Sources {
        top: TOP.to_owned(),
        texts: vec![("top.v".to_owned(), top(&ports))],
        ports,
        files: vec![board],
        include: vec![folder.to_owned()],
        defines: Vec::new(),
    };
    let list = folder.join("board.f");
    if list.exists() {
        let text = std::fs::read_to_string(&list).map_err(Error::file(&list))?;
        read_list(&text, folder, &mut sources).map_err(|(line, problem)| Error::FileList {
            path: list,
            line,
            problem,
        })?;
    }
    Ok(sources)
}

fn read_list(
    text: &str,
    folder: &Path,
    sources: &mut Sources,
) -> std::result::Result<(), (usize, String)> {
    for (index, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        let line = line.split("//").next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        if let Some(define) = line.strip_prefix("+define+") {
            sources.defines.push(define.to_owned());
        } else if let Some(include) = line.strip_prefix("+incdir+") {
            sources.include.push(folder.join(include));
        } else if line.starts_with(['+', '-']) {
            let known = "a file, +define+NAME or +incdir+FOLDER";
            return Err((index + 1, format!("`{line}` is not {known}")));
        } else {
            let path = folder.join(line);
            if !path.is_file() {
                return Err((index + 1, format!("there is no {}", path.display())));
            }
            sources.files.push(path);
        }
    }
    Ok(())
}

fn top(ports: &[Port]) -> String {
    let list =
        |each: &dyn Fn(&Port) -> String| ports.iter().map(each).collect::<Vec<_>>().join(",\n");
    let declarations = list(&|port| {
        let way = match port.direction {
            Direction::Input => "input",
            Direction::Output => "output",
            Direction::Inout => "inout",
        };
        format!("    {way} wire [{}:0] {}", port.width - 1, port.name)
    });
    let connections = list(&|port| format!("        .{0}({0})", port.name));
    format!(
        "module {TOP} (\n{declarations}\n);\n    board board (\n{connections}\n    );\nendmodule\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn empty() -> Sources {
        Sources {
            top: String::new(),
            ports: Vec::new(),
            texts: Vec::new(),
            files: Vec::new(),
            include: Vec::new(),
            defines: Vec::new(),
        }
    }

    #[test]
    fn reads_a_list_of_files() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("core.v"), "").unwrap();
        let mut found = empty();
        let text = "# my core\ncore.v // all of it\n\n+define+RISCV_FORMAL\n+incdir+rtl\n";
        read_list(text, folder.path(), &mut found).unwrap();
        assert_eq!(found.files, [folder.path().join("core.v")]);
        assert_eq!(found.defines, ["RISCV_FORMAL"]);
        assert_eq!(found.include, [folder.path().join("rtl")]);
        for (text, line) in [("core.v\nmissing.v\n", 2), ("-y rtl\n", 1)] {
            let error = read_list(text, folder.path(), &mut empty()).unwrap_err();
            assert_eq!(error.0, line);
        }
    }

    #[test]
    fn a_folder_without_a_board_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let error = sources(folder.path(), Vec::new()).unwrap_err().to_string();
        assert!(error.contains("board.v"), "{error}");
    }
}

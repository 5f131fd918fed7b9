//! The lines with which a proof file begins: what it proves, how deep, and what it assumes. They
//! say how the proof is run, so what is printed of a proof cannot differ from what was done.

use super::verilog::Memories;
use anyhow::{bail, ensure, Context, Result};
use std::path::{Path, PathBuf};

/// How a proof is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// For ever: induction over so many cycles.
    Induction(u32),
    /// For so many cycles after reset, and so many in the long run.
    Bounded(u32, u32),
    /// For ever: from the structure of the netlists that the yosys script writes.
    Netlist,
}

/// A block of a preset, as a design of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Preset that has it.
    pub preset: String,
    /// Path of instances below the top; empty for the top itself.
    pub path: String,
    /// The module's name in the proof.
    pub name: String,
}

/// A fault in the block's Verilog that the proof must find.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong.
    pub name: String,
    /// Text that occurs exactly once.
    pub old: String,
    /// What it is replaced with.
    pub new: String,
}

/// A proof file.
#[derive(Clone, Debug)]
pub struct Proof {
    /// File name without its extension.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// The sentence.
    pub proves: String,
    /// The line about the depth, for people.
    pub depth_text: String,
    /// How it is done.
    pub depth: Depth,
    /// What it takes for granted.
    pub assumes: String,
    /// Cycles within which every `cover` must be reached and every fault found.
    pub witnesses: u32,
    /// Blocks that it is about.
    pub blocks: Vec<Block>,
    /// Signals of the first block that may have any value in any cycle: what is proved then holds
    /// whatever drives them.
    pub free: Vec<String>,
    /// What memories keep.
    pub memories: Memories,
    /// Other files of the folder that it needs.
    pub uses: Vec<String>,
    /// Faults that it must find.
    pub faults: Vec<Fault>,
}

/// All proofs of a folder, by name.
pub fn read_all(folder: &Path) -> Result<Vec<Proof>> {
    let mut proofs = Vec::new();
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    for entry in entries {
        let path = entry?.path();
        let extension = path.extension().unwrap_or_default();
        // Checkers are parts of proofs and prove nothing alone.
        let checker = path.to_string_lossy().ends_with("_checker.sv");
        if (extension == "sv" || extension == "ys") && !checker {
            proofs.push(read(&path)?);
        }
    }
    proofs.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(proofs)
}

/// Reads the header of one file.
fn read(path: &Path) -> Result<Proof> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let name = path
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned())
        .unwrap_or_default();
    parse(&name, path, &text).with_context(|| format!("header of {}", path.display()))
}

fn parse(name: &str, path: &Path, text: &str) -> Result<Proof> {
    let lines: Vec<(&str, &str)> = text
        .lines()
        .map_while(|line| line.strip_prefix("//").or_else(|| line.strip_prefix('#')))
        .map(|line| {
            line.trim()
                .split_once(": ")
                .with_context(|| format!("\"{}\" is not \"Key: text\"", line.trim()))
        })
        .collect::<Result<_>>()?;
    let keys = [
        "Proves",
        "Depth",
        "Assumes",
        "Witnesses",
        "Block",
        "Free",
        "Memories",
        "Uses",
        "Fault",
    ];
    if let Some((key, _)) = lines.iter().find(|(key, _)| !keys.contains(key)) {
        bail!("\"{key}\" is unknown; there are {}", keys.join(", "));
    }
    let all = |wanted: &str| -> Vec<&str> {
        let found = lines.iter().filter(|(key, _)| *key == wanted);
        found.map(|(_, value)| *value).collect()
    };
    let one = |wanted: &str| -> Result<String> {
        match all(wanted)[..] {
            [value] => Ok(value.to_owned()),
            _ => bail!("there must be exactly one line \"{wanted}: …\""),
        }
    };
    let depth_text = one("Depth")?;
    let proof = Proof {
        name: name.to_owned(),
        path: path.to_owned(),
        proves: one("Proves")?,
        depth: parse_depth(&depth_text)?,
        depth_text,
        assumes: one("Assumes")?,
        witnesses: numbers(&one("Witnesses")?)
            .first()
            .copied()
            .context("\"Witnesses\" names no number of cycles")?,
        blocks: all("Block")
            .into_iter()
            .map(|line| parse_block(line, name))
            .collect::<Result<_>>()?,
        free: all("Free").into_iter().map(str::to_owned).collect(),
        memories: match all("Memories")[..] {
            [] => Memories::TwoWords,
            ["give anything"] => Memories::Forget,
            _ => bail!("the one thing to say of memories is \"give anything\""),
        },
        uses: all("Uses").into_iter().map(str::to_owned).collect(),
        faults: all("Fault")
            .into_iter()
            .map(parse_fault)
            .collect::<Result<_>>()?,
    };
    ensure!(!proof.blocks.is_empty(), "no line \"Block: …\"");
    ensure!(
        !proof.faults.is_empty(),
        "no line \"Fault: …\": a proof that cannot fail proves nothing"
    );
    Ok(proof)
}

/// `unbounded, by induction over 2 cycles` and the like.
fn parse_depth(text: &str) -> Result<Depth> {
    Ok(match (text, &numbers(text)[..]) {
        (_, [cycles]) if text.starts_with("unbounded, by induction over") => {
            Depth::Induction(*cycles)
        }
        (_, [cycles, long]) if text.starts_with("bounded,") => Depth::Bounded(*cycles, *long),
        ("unbounded, from the structure of the netlist", []) => Depth::Netlist,
        _ => bail!("the depth \"{text}\" is of no known form"),
    })
}

fn numbers(text: &str) -> Vec<u32> {
    text.split(|c: char| !c.is_ascii_digit())
        .filter_map(|word| word.parse().ok())
        .collect()
}

/// `preset path`, `preset path as name` or `preset as name`.
fn parse_block(line: &str, proof: &str) -> Result<Block> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (preset, path, name) = match words[..] {
        [preset, path] => (preset, path, proof),
        [preset, "as", name] => (preset, "", name),
        [preset, path, "as", name] => (preset, path, name),
        _ => bail!("\"{line}\" is not \"preset path as name\""),
    };
    Ok(Block {
        preset: preset.to_owned(),
        path: path.to_owned(),
        name: name.to_owned(),
    })
}

/// `what is wrong | old text => new text`.
fn parse_fault(line: &str) -> Result<Fault> {
    let parts = line
        .split_once(" | ")
        .and_then(|(name, edit)| Some((name, edit.split_once(" => ")?)));
    let (name, (old, new)) = parts.context("a fault is \"name | old => new\"")?;
    Ok(Fault {
        name: name.to_owned(),
        old: old.to_owned(),
        new: new.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "// Proves: it works.\n// Depth: bounded, 20 cycles; 40 with --long\n\
        // Assumes: nothing.\n// Witnesses: within 8 cycles\n// Block: tiny a$b as c\n\
        // Fault: broken | x + 1 => x\nmodule proof; // Depth: of something else\n";

    fn header(text: &str) -> Result<Proof> {
        parse("name", Path::new("name.sv"), text)
    }

    #[test]
    fn reads_what_is_there() {
        let proof = header(GOOD).expect("complete");
        assert_eq!(proof.depth, Depth::Bounded(20, 40));
        assert_eq!(proof.witnesses, 8);
        assert_eq!(proof.blocks[0].name, "c");
        assert_eq!(proof.faults[0].new, "x");
    }

    #[test]
    fn refuses_what_is_incomplete() {
        for line in GOOD.lines().filter(|line| line.starts_with("//")) {
            let text = GOOD.replace(&format!("{line}\n"), "");
            assert!(header(&text).is_err(), "without {line}");
        }
        assert!(header(&GOOD.replace("bounded, 20 cycles", "deep")).is_err());
        assert!(header(&GOOD.replace("// Block", "// Blok")).is_err());
    }
}

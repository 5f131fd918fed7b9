//! The firmware as initial contents of a board's RAM.

use anyhow::{bail, Context, Result};
use lookback_hdl::boards::board::Board;
use lookback_replay::{Error, Image};
use lookback_sim::RAM_BASE;
use std::fmt::Write;
use std::path::Path;

/// The words of a board's RAM with an ELF in it, as far as they have initial contents.
pub fn words(name: &str, elf: &[u8], board: &Board) -> Result<Vec<u32>> {
    let Board {
        ram_bytes,
        initial_bytes,
        ..
    } = *board;
    let image = Image::parse(elf).with_context(|| format!("cannot use {name}"))?;
    let ram = u64::from(RAM_BASE)..u64::from(RAM_BASE) + u64::from(ram_bytes);
    let segments = match image.segments(ram.clone()) {
        Ok(segments) => segments,
        Err(Error::OutsideRam { start, end, .. }) if start >= ram.start => bail!(
            "{name} does not fit: it ends {} bytes after the board's RAM, which has {} KB at \
             {RAM_BASE:#010x}; link it with less, or take a board with more",
            end - ram.end,
            ram_bytes >> 10
        ),
        Err(error) => bail!("{name} does not fit: {error}"),
    };
    let mut bytes = vec![0; ram_bytes as usize];
    for segment in &segments {
        let from = (segment.addr - RAM_BASE) as usize;
        bytes[from..from + segment.bytes.len()].copy_from_slice(&segment.bytes);
    }
    if bytes[..4] == [0; 4] {
        bail!("{name} has nothing at {RAM_BASE:#010x}, where the board's hart begins");
    }
    let behind = bytes.split_off(initial_bytes as usize);
    if let Some(last) = behind.iter().rposition(|byte| *byte != 0) {
        bail!(
            "{name} does not fit: what it brings along ends {} bytes after the {} KB of the board's RAM \
             that have initial contents; `lookback load` puts it into all of its {} KB",
            last + 1,
            initial_bytes >> 10,
            ram_bytes >> 10
        );
    }
    let words = bytes.chunks_exact(4);
    Ok(words
        .map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]))
        .collect())
}

/// Words that stand for any firmware while a design is placed: all different, and the same each time,
/// so that a tool finds them again in the bitstream.
pub fn filling(ram_bytes: u32) -> Vec<u32> {
    let mut state = 0x1234_5678_u64;
    let mut next = || {
        // splitmix64
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as u32
    };
    (0..ram_bytes / 4).map(|_| next()).collect()
}

/// Writes words as `$readmemh` reads them.
pub fn write_hex(path: &Path, words: &[u32]) -> Result<()> {
    let mut text = String::with_capacity(words.len() * 9);
    for word in words {
        writeln!(text, "{word:08x}")?;
    }
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookback_hdl::boards::board::BOARDS;

    #[test]
    fn an_elf_that_is_too_large_says_by_how_much() {
        let elf = lookback_firmware::folder().join("prebuilt/hello.elf");
        let elf = std::fs::read(elf).unwrap();
        let with = |ram_kb: u32, initial_kb: u32| {
            let board = Board {
                ram_bytes: ram_kb << 10,
                initial_bytes: initial_kb << 10,
                ..BOARDS[0]
            };
            words("hello.elf", &elf, &board).map_err(|error| error.to_string())
        };
        assert_eq!(with(8, 8).unwrap().len(), 2048);
        let error = with(1, 1).unwrap_err();
        assert!(
            error.contains("bytes after the board's RAM, which has 1 KB"),
            "{error}"
        );
        assert_eq!(with(64, 8).unwrap().len(), 2048);
        let error = with(64, 1).unwrap_err();
        assert!(
            error.contains("bytes after the 1 KB of the board's RAM that have initial contents"),
            "{error}"
        );
    }

    #[test]
    fn the_filling_is_the_same_each_time_and_not_uniform() {
        let words = filling(64 << 10);
        assert_eq!(words, filling(64 << 10));
        let mut sorted = words.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert!(sorted.len() > words.len() - 8);
    }
}

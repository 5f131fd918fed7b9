//! Runs the prebuilt firmware on the SoC alone: how each program ends.

mod soc_support;

use soc_support::*;
use std::path::Path;

/// Words of the ELF's loadable segments, at their place in RAM.
fn image(name: &str) -> Vec<u32> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../firmware/prebuilt/{name}.elf"));
    let file = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap());
    let half = |at: usize| u16::from_le_bytes(file[at..at + 2].try_into().unwrap()) as usize;
    let mut ram = vec![0u8; 0x10000];
    for n in 0..half(44) {
        let header = word(28) as usize + n * half(42);
        let (offset, size) = (word(header + 4) as usize, word(header + 16) as usize);
        if word(header) == 1 && size > 0 {
            let place = (word(header + 12) - RAM) as usize;
            ram[place..place + size].copy_from_slice(&file[offset..offset + size]);
        }
    }
    ram.chunks(4)
        .map(|w| u32::from_le_bytes(w.try_into().unwrap()))
        .collect()
}

fn ends(name: &str, code: u32) -> Board {
    let mut board = Board::new(&image(name));
    if name == "console_input" {
        board.input = b"one line\nanother\n\x04".to_vec();
    }
    assert_eq!(board.run(1_000_000), code, "{name}: {}", board.console);
    board
}

#[test]
fn programs_that_pass() {
    for name in [
        "hello",
        "user_mode",
        "atomics",
        "csrs",
        "misaligned",
        "self_modify",
        "gpio",
    ] {
        ends(name, 0x5555);
    }
}

#[test]
fn programs_with_devices_pass() {
    for name in ["dma_overwrite", "dma_code"] {
        ends(name, 0x5555);
    }
    let board = ends("console_input", 0x5555);
    assert!(board.console.contains("ONE LINE"), "{}", board.console);
}

#[test]
fn programs_that_fail_say_so() {
    ends("exit_code", 0x0005_3333);
    ends("lockup", 0xdead_0000);
    ends("null_function", 0x0081_3333);
    ends("dangling", 0x0087_3333);
}

//! Compares the memory of two machines after a batch of programs, and says in the program's words
//! where it differs: a register, a CSR, a trap, a byte of data, an instruction.

use super::image::{Image, Place, TrapEntry, FINAL_CSRS, LOG_ENTRIES, RAM, SIGNATURE_WORDS};

/// A difference in a program's memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Which program; `None` for code that all share.
    pub program: Option<usize>,
    /// The address of the word that differs.
    pub addr: u32,
    /// What it is, in general.
    pub kind: &'static str,
    /// What it is.
    pub what: String,
    /// In the one machine and in the other.
    pub values: [u32; 2],
}

/// The trap log of a program, up to its last entry.
pub fn traps(ram: &[u32], place: &Place) -> Vec<TrapEntry> {
    let end = word(ram, place.signature() + 12).min(place.signature());
    let entries = end.saturating_sub(place.log()) as usize / 32;
    (0..entries.min(LOG_ENTRIES))
        .map(|index| {
            let field = |n: u32| word(ram, place.log() + 32 * index as u32 + 4 * n);
            TrapEntry {
                cause: field(0),
                epc: field(1),
                value: field(2),
                status: field(3),
                vector: field(4),
                pending: field(5),
                enables: field(6),
                scratch: field(7),
            }
        })
        .collect()
}

fn word(ram: &[u32], addr: u32) -> u32 {
    let at = addr.wrapping_sub(RAM) as usize / 4;
    ram.get(at).copied().unwrap_or_default()
}

/// The first difference that matters, traps before everything else because they say most.
/// `lenient` allows what QEMU does in its own way (see `allowed`).
pub fn first(image: &Image, rams: [&[u32]; 2], lenient: bool) -> Option<Difference> {
    for (program, place) in image.places.iter().enumerate() {
        let found = in_log(place, rams, lenient)
            .or_else(|| in_signature(place, rams))
            .or_else(|| in_words(place.data..place.log(), "data", rams))
            .or_else(|| in_words(place.code.clone(), "code", rams));
        if let Some(found) = found {
            return Some(Difference {
                program: Some(program),
                ..found
            });
        }
    }
    in_words(RAM..image.places.first()?.code.start, "shared code", rams)
}

fn in_words(
    range: std::ops::Range<u32>,
    kind: &'static str,
    rams: [&[u32]; 2],
) -> Option<Difference> {
    range.step_by(4).find_map(|addr| {
        let values = rams.map(|ram| word(ram, addr));
        (values[0] != values[1]).then(|| Difference {
            program: None,
            addr,
            kind,
            what: format!("{kind} at {addr:#x}"),
            values,
        })
    })
}

fn in_signature(place: &Place, rams: [&[u32]; 2]) -> Option<Difference> {
    (0..SIGNATURE_WORDS).find_map(|index| {
        let addr = place.signature() + 4 * index as u32;
        let values = rams.map(|ram| word(ram, addr));
        (values[0] != values[1]).then(|| Difference {
            program: None,
            addr,
            kind: "signature",
            what: match index {
                0..=31 => format!("x{index} at the end"),
                _ => format!("CSR {:#x} at the end", FINAL_CSRS[index - 32]),
            },
            values,
        })
    })
}

fn in_log(place: &Place, rams: [&[u32]; 2], lenient: bool) -> Option<Difference> {
    const FIELDS: [&str; 8] = [
        "mcause", "mepc", "mtval", "mstatus", "vector", "mip", "mie", "mscratch",
    ];
    (0..8 * LOG_ENTRIES).find_map(|index| {
        let (trap, field) = (index / 8, index % 8);
        let addr = place.log() + 4 * index as u32;
        let mut values = rams.map(|ram| word(ram, addr));
        if lenient && field == 2 {
            let cause = word(rams[0], addr - 8);
            let epc = word(rams[0], addr - 4);
            values = values.map(|value| allowed(cause, word(rams[0], epc), value));
        }
        (values[0] != values[1]).then(|| Difference {
            program: None,
            addr,
            kind: FIELDS[field],
            what: format!("{} of trap {trap}", FIELDS[field]),
            values,
        })
    })
}

/// `mtval` as far as QEMU 7.2 agrees with the specification: for a misaligned jump it gives the
/// address of a block instead of the target, and for a word that would be a compressed instruction
/// only that half.
fn allowed(cause: u32, insn: u32, value: u32) -> u32 {
    match cause {
        0 => 0,
        2 if insn & 3 != 3 => value & 0xffff,
        _ => value,
    }
}

//! A moment as an ELF core file, which plain gdb opens without a server.
//!
//! Every known byte is in it, and no other: where gdb finds nothing in the core file it looks into the
//! firmware's ELF, and else says that it cannot. A core file has no way to say that a register is not
//! known; such a register is 0 in it.

use crate::timeline::Timeline;
use lookback_replay::image::PAGE_BYTES;
use lookback_replay::order::Shared;
use lookback_replay::Image;

const EHDR: usize = 52;
const PHDR: usize = 32;
/// Layout of `struct elf_prstatus` for RV32.
const PRSTATUS: usize = 204;
const PR_CURSIG: usize = 12;
const PR_PID: usize = 24;
const PR_REG: usize = 72;
const SIGTRAP: u16 = 5;
const NT_PRSTATUS: u32 = 1;
const PT_LOAD: u32 = 1;
const PT_NOTE: u32 = 4;
const ET_CORE: u16 = 4;
const EM_RISCV: u16 = 243;
const PF_RWX: u32 = 7;

/// Known memory from an address on.
#[derive(Debug, PartialEq, Eq)]
struct Piece {
    addr: u32,
    bytes: Vec<u8>,
}

/// The core file of the present moments of some harts. The memory is the one that they share, where that
/// is known, else the first one's.
pub fn core_file(harts: &mut [Timeline<'_>], image: &Image, shared: Option<&Shared>) -> Vec<u8> {
    let notes: Vec<u8> = harts.iter_mut().flat_map(|hart| prstatus(hart)).collect();
    let mut pages = image.page_numbers();
    match shared {
        Some(_) => pages.extend(harts.iter_mut().flat_map(Timeline::known_pages)),
        None => pages.extend(
            harts
                .first_mut()
                .into_iter()
                .flat_map(Timeline::known_pages),
        ),
    }
    let pieces = known_memory(pages, |addr| match (shared, harts.first_mut()) {
        (Some(shared), _) => shared.byte(addr),
        (None, Some(hart)) => {
            let mut byte = [0];
            (hart.read(addr, &mut byte) != 0).then_some(byte[0])
        }
        (None, None) => None,
    });
    let mut file = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    half(&mut file, ET_CORE);
    half(&mut file, EM_RISCV);
    for value in [1, 0, EHDR as u32, 0, 0] {
        word(&mut file, value);
    }
    let headers = 1 + pieces.len();
    for value in [EHDR, PHDR, headers, 0, 0, 0] {
        half(&mut file, value as u16);
    }
    let mut offset = EHDR + PHDR * headers;
    program_header(&mut file, PT_NOTE, offset, 0, notes.len(), 0);
    offset += notes.len();
    for piece in &pieces {
        let length = piece.bytes.len();
        program_header(&mut file, PT_LOAD, offset, piece.addr, length, PF_RWX);
        offset += length;
    }
    file.extend(notes);
    pieces.iter().for_each(|piece| file.extend(&piece.bytes));
    file
}

fn half(file: &mut Vec<u8>, value: u16) {
    file.extend(value.to_le_bytes());
}

fn word(file: &mut Vec<u8>, value: u32) {
    file.extend(value.to_le_bytes());
}

fn program_header(
    file: &mut Vec<u8>,
    kind: u32,
    offset: usize,
    addr: u32,
    length: usize,
    flags: u32,
) {
    let (offset, length) = (offset as u32, length as u32);
    for value in [kind, offset, addr, addr, length, length, flags, 1] {
        word(file, value);
    }
}

/// A note with a hart's registers.
fn prstatus(hart: &mut Timeline<'_>) -> Vec<u8> {
    let mut note = Vec::new();
    for value in [5, PRSTATUS as u32, NT_PRSTATUS] {
        word(&mut note, value);
    }
    note.extend(b"CORE\0\0\0\0");
    let mut status = [0; PRSTATUS];
    let mut put = |at: usize, value: u32| status[at..at + 4].copy_from_slice(&value.to_le_bytes());
    put(PR_CURSIG, SIGTRAP.into());
    put(PR_PID, u32::from(hart.hart()) + 1);
    put(PR_REG, hart.pc());
    for number in 1..32 {
        let value = hart.register(number).unwrap_or(0);
        put(PR_REG + 4 * usize::from(number), value);
    }
    note.extend(status);
    note
}

/// More program headers than the file's header can count must not be.
const MOST_PIECES: usize = 0xfff0;

/// All memory that is known, in pieces without holes.
fn known_memory(mut pages: Vec<u32>, mut read: impl FnMut(u32) -> Option<u8>) -> Vec<Piece> {
    pages.sort_unstable();
    pages.dedup();
    let mut pieces: Vec<Piece> = Vec::new();
    for page in pages {
        for addr in (page << 12)..=(page << 12 | (PAGE_BYTES - 1)) {
            let Some(byte) = read(addr) else {
                continue;
            };
            let count = pieces.len();
            match pieces.last_mut() {
                Some(last) if u64::from(last.addr) + last.bytes.len() as u64 == addr.into() => {
                    last.bytes.push(byte);
                }
                _ if count == MOST_PIECES => return pieces,
                _ => pieces.push(Piece {
                    addr,
                    bytes: vec![byte],
                }),
            }
        }
    }
    pieces
}

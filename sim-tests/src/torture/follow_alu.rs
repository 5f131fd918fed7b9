//! Arithmetic of the reference machine: no state, only operands and results.

/// Extends the sign of a number of so many bits.
pub(super) fn sign(value: u32, bits: u32) -> u32 {
    ((value << (32 - bits)) as i32 >> (32 - bits)) as u32
}

/// The offset of `jal`.
pub(super) fn offset_j(w: u32) -> u32 {
    let low = (w >> 20 & 0x7fe) | (w >> 20 & 1) << 11;
    sign(w >> 31 << 20 | w & 0xf_f000 | low, 21)
}

/// The offset of a branch.
pub(super) fn offset_b(w: u32) -> u32 {
    let low = (w >> 25 & 0x3f) << 5 | w >> 7 & 0x1e;
    sign(w >> 31 << 12 | (w >> 7 & 1) << 11 | low, 13)
}

/// Whether a branch is taken; `None` if it is none.
pub(super) fn taken(f3: u32, a: u32, b: u32) -> Option<bool> {
    Some(match f3 {
        0 => a == b,
        1 => a != b,
        4 => (a as i32) < b as i32,
        5 => a as i32 >= b as i32,
        6 => a < b,
        7 => a >= b,
        _ => return None,
    })
}

/// The operations of the base set that take `funct7` 0.
pub(super) fn arithmetic(f3: u32, a: u32, b: u32) -> u32 {
    match f3 {
        0 => a.wrapping_add(b),
        1 => a << (b & 31),
        2 => ((a as i32) < b as i32).into(),
        3 => (a < b).into(),
        4 => a ^ b,
        5 => a >> (b & 31),
        6 => a | b,
        _ => a & b,
    }
}

/// What an atomic operation, by its `funct5`, makes of a word.
pub(super) fn modified(operation: u32, old: u32, b: u32) -> u32 {
    let (signed_old, signed_b) = (old as i32, b as i32);
    match operation {
        0 => old.wrapping_add(b),
        1 => b,
        4 => old ^ b,
        8 => old | b,
        12 => old & b,
        16 => signed_old.min(signed_b) as u32,
        20 => signed_old.max(signed_b) as u32,
        24 => old.min(b),
        _ => old.max(b),
    }
}

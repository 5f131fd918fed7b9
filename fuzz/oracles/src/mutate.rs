//! Changes inputs at random, for runs without a fuzzer.

/// Numbers that look random and are the same for the same seed.
pub struct Random(u64);

impl Random {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(2).wrapping_add(1))
    }

    /// A number below `end`; 0 if that is 0.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        let high = (self.0 >> 33) as usize;
        high.checked_rem(end).unwrap_or(0)
    }
}

/// Values at which lengths and counts go wrong.
const EDGES: [u32; 8] = [
    0,
    1,
    0x7f,
    0xff,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
];

/// An input made of one or two seeds, with a few changes.
pub fn mutate(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let pick = |random: &mut Random| seeds.get(random.below(seeds.len())).cloned();
    let mut bytes = pick(random).unwrap_or_default();
    for _ in 0..1 + random.below(6) {
        let at = random.below(bytes.len());
        match random.below(7) {
            0 if !bytes.is_empty() => bytes[at] ^= 1 << random.below(8),
            1 if !bytes.is_empty() => bytes[at] = random.below(256) as u8,
            2 => bytes.insert(at, random.below(256) as u8),
            3 => drop(bytes.drain(at..(at + 1 + random.below(40)).min(bytes.len()))),
            4 => {
                let edge = EDGES[random.below(EDGES.len())].to_le_bytes();
                bytes
                    .iter_mut()
                    .skip(at)
                    .zip(edge)
                    .for_each(|(byte, edge)| *byte = edge);
            }
            5 => bytes.truncate(at),
            _ => {
                let other = pick(random).unwrap_or_default();
                let from = random.below(other.len());
                let upto = (from + random.below(300)).min(other.len());
                bytes.splice(at..at, other[from..upto].iter().copied());
            }
        }
    }
    bytes
}

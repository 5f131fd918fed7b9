//! A program as a list of pieces that can each be left out, which is what makes a failing program
//! shrink: no piece knows the address of another.

use super::asm::{addi, branch, jal, jalr, with_offset, Reg, AUIPC};

/// Counts loops down, and is used for nothing else, so that every loop ends whatever is left out
/// and wherever it is entered.
pub const COUNTER: Reg = 31;
/// Where pieces put addresses; after a jump to nowhere it says where to go on.
pub const LINK: Reg = 30;

/// A piece of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// Words that work at any address.
    Words(Vec<u32>),
    /// A branch or `jal`, given with offset 0, over so many following pieces.
    Forward(u32, usize),
    /// Pieces that are repeated. A loop contains no other.
    Loop {
        /// How often.
        count: u32,
        /// How it goes back.
        back: Back,
        /// What is repeated.
        body: Vec<Item>,
    },
}

/// How a loop goes back to its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Back {
    /// A conditional branch.
    Branch,
    /// `jal`.
    Jal,
    /// `auipc`, `jalr`.
    Jalr,
}

impl Item {
    /// One word.
    pub fn word(word: u32) -> Self {
        Self::Words(vec![word])
    }
}

/// Pieces without the tree.
enum Flat<'a> {
    Words(&'a [u32]),
    Forward(u32, usize),
    Begin(u32),
    Back(Back, usize),
}

impl Flat<'_> {
    fn words(&self) -> usize {
        match self {
            Self::Words(words) => words.len(),
            Self::Forward(..) | Self::Begin(_) => 1,
            Self::Back(Back::Branch, _) => 2,
            Self::Back(Back::Jal, _) => 3,
            Self::Back(Back::Jalr, _) => 4,
        }
    }
}

fn flatten<'a>(items: &'a [Item], into: &mut Vec<Flat<'a>>) {
    for item in items {
        match item {
            Item::Words(words) => into.push(Flat::Words(words)),
            Item::Forward(word, over) => into.push(Flat::Forward(*word, *over)),
            Item::Loop { count, back, body } => {
                into.push(Flat::Begin(*count));
                let start = into.len();
                flatten(body, into);
                into.push(Flat::Back(*back, start));
            }
        }
    }
}

/// The words of a program.
pub fn lay_out(items: &[Item]) -> Vec<u32> {
    let mut flat = Vec::new();
    flatten(items, &mut flat);
    let mut starts = vec![0];
    for piece in &flat {
        starts.push(starts[starts.len() - 1] + piece.words());
    }
    let mut words = Vec::new();
    for (index, piece) in flat.iter().enumerate() {
        let offset = |piece: usize, from: usize| 4 * (starts[piece] as i32 - from as i32);
        let here = words.len();
        match *piece {
            Flat::Words(plain) => words.extend_from_slice(plain),
            Flat::Forward(word, over) => {
                let target = (index + 1 + over).min(flat.len());
                words.push(with_offset(word, offset(target, here)));
            }
            Flat::Begin(count) => words.push(addi(COUNTER, 0, count as i32)),
            Flat::Back(back, start) => {
                words.push(addi(COUNTER, COUNTER, -1));
                match back {
                    Back::Branch => words.push(branch(4, 0, COUNTER, offset(start, here + 1))),
                    Back::Jal => {
                        words.push(branch(5, 0, COUNTER, 8));
                        words.push(jal(0, offset(start, here + 2)));
                    }
                    Back::Jalr => {
                        words.push(branch(5, 0, COUNTER, 12));
                        words.push(AUIPC | LINK << 7);
                        words.push(jalr(LINK, LINK, offset(start, here + 2)));
                    }
                }
            }
        }
    }
    words
}

/// How many pieces there are, those inside loops included.
pub fn count(items: &[Item]) -> usize {
    let inside = |item: &Item| match item {
        Item::Loop { body, .. } => 1 + count(body),
        _ => 1,
    };
    items.iter().map(inside).sum()
}

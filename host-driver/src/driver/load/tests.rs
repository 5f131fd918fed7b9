//! Loading into the twin of a board, over good cables and bad ones.

use super::*;
use crate::driver::fault_tests::identity;
use crate::transport::faults::{Fault, Faults, Random};
use crate::transport::faulty::Faulty;
use lookback_model::link::Link as Twin;
use std::io;

/// Seeded runs over bad cables.
const RUNS: u64 = 600;
/// Bytes of a REPLY: a command that comes meanwhile is passed over.
const REPLY: u32 = 15;
const WORDS: usize = 1024;

/// A board that takes its time to answer, as a UART does.
struct Board {
    twin: Twin,
    /// Bytes until the REPLY under way is out.
    busy: u32,
    /// The frame that is coming began too early.
    spoiled: bool,
    out: Vec<u8>,
    now: Duration,
}

impl Board {
    fn new(words: usize) -> Self {
        Self {
            twin: Twin::with_ram(&identity(1, 9), vec![0xa5a5_a5a5; words]),
            busy: 0,
            spoiled: false,
            out: Vec::new(),
            now: Duration::ZERO,
        }
    }

    fn byte_passes(&mut self) {
        self.now += Duration::from_micros(3);
        match self.busy {
            0 if self.twin.reply_due() => self.busy = REPLY,
            0 => {}
            1 => {
                self.busy = 0;
                let frame = self.twin.speak().map(|frame| frame.to_wire());
                self.out.extend(frame.into_iter().flatten());
            }
            _ => self.busy -= 1,
        }
    }
}

impl Link for Board {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        for &byte in bytes {
            self.spoiled |= self.busy > 0;
            self.spoiled &= byte != 0;
            if !self.spoiled {
                self.twin.hear(byte);
            }
            self.byte_passes();
        }
        Ok(())
    }

    fn receive(&mut self, into: &mut Vec<u8>, patience: Duration) -> io::Result<()> {
        (0..=REPLY).for_each(|_| self.byte_passes());
        if self.out.is_empty() {
            self.now += patience;
        }
        into.append(&mut self.out);
        Ok(())
    }

    fn reset_board(&mut self) -> io::Result<()> {
        self.twin.reset();
        self.busy = 0;
        Ok(())
    }

    fn now(&self) -> Duration {
        self.now
    }

    fn name(&self) -> String {
        "the twin".into()
    }
}

/// Three stretches of words, with holes between them.
fn program(random: &mut Random) -> Words {
    let mut words = Words::new();
    for start in [0, 200, 600] {
        let count = 1 + random.below(180) as u32;
        words.extend((start..start + count).map(|n| (4 * n, random.below(1 << 32) as u32)));
    }
    words
}

fn attempt(link: &mut dyn Link, words: &Words, force: bool) -> Result<Loaded> {
    let image = |ram_bytes| {
        assert_eq!(ram_bytes, 4 * WORDS as u32);
        Ok(words.clone())
    };
    load(
        link,
        image,
        force,
        Duration::from_secs(4),
        &mut |_, _, _| {},
    )
}

fn is_loaded(board: &Board, words: &Words) -> bool {
    let mut wanted = vec![0xa5a5_a5a5; WORDS];
    for (offset, word) in words {
        wanted[*offset as usize / 4] = *word;
    }
    board.twin.ram() == wanted
}

#[test]
fn words_get_where_they_belong_without_a_single_repetition() {
    let words = program(&mut Random::new(1));
    let mut board = Board::new(WORDS);
    let loaded = attempt(&mut board, &words, false).unwrap();
    assert!(is_loaded(&board, &words));
    assert_eq!((board.twin.restarts(), board.twin.held()), (1, false));
    assert_eq!(loaded.repeated, 0);
    assert_eq!(loaded.bytes, 4 * words.len() as u64);
    let bytes: Vec<u8> = words
        .iter()
        .flat_map(|(_, word)| word.to_le_bytes())
        .collect();
    assert_eq!(loaded.crc, CRC.checksum(&bytes));
    // Padding that is too short costs time, nothing else.
    let mut slow = Board::new(WORDS);
    let mut loader = Loader {
        wire: Wire::new(&mut slow, Duration::from_secs(4)),
        padding: 2,
        slowest: Duration::ZERO,
        repeated: 0,
        rounds: 0,
    };
    loader.wire.write(reg::BOOT, 1, 1).unwrap();
    let written = loader.windows(&words, true, &mut |_| {}).unwrap();
    assert!(loader.repeated > 0 && loader.padding > 2);
    loader.same(&words, &written).unwrap();
    assert!(is_loaded(&slow, &words));
}

#[test]
fn a_recording_is_not_lost_by_accident() {
    let words = program(&mut Random::new(2));
    let mut board = Board::new(WORDS);
    Wire::new(&mut board, Duration::from_secs(1))
        .write(reg::CONTROL, reg::CONTROL_RECORD, 1)
        .unwrap();
    let error = attempt(&mut board, &words, false).unwrap_err().to_string();
    assert!(
        error.contains("is recording") && error.contains("--force"),
        "{error}"
    );
    assert!(!board.twin.held() && board.twin.recording());
    attempt(&mut board, &words, true).unwrap();
    assert!(is_loaded(&board, &words) && !board.twin.recording());
}

#[test]
fn a_board_without_a_loader_is_told_apart() {
    let error = attempt(&mut Board::new(0), &Words::new(), false).unwrap_err();
    assert!(error.to_string().contains("has no loader"), "{error}");
}

#[test]
fn whatever_the_cable_does_ram_is_right_or_an_error_says_so() {
    let mut whole = 0;
    let first = std::env::var("LOOKBACK_SEED").map_or(0, |seed| seed.parse().unwrap());
    for seed in first..first + RUNS {
        let mut random = Random::new(seed);
        let mut faults = Faults::default();
        for (fault, most) in [
            (Fault::Flip, 2e-3),
            (Fault::Drop, 2e-3),
            (Fault::Dup, 2e-3),
            (Fault::Swap, 2e-3),
            (Fault::Burst, 3e-4),
            (Fault::Stall, 3e-4),
            (Fault::Disconnect, 1e-4),
            (Fault::Reset, 8e-6),
        ] {
            if random.below(2) == 0 {
                faults = faults.with(fault, most * random.fraction());
            }
        }
        let words = program(&mut random);
        let mut link = Faulty::new(Board::new(WORDS), faults, seed);
        let result = attempt(&mut link, &words, false);
        let board = link.into_inner();
        match result {
            Ok(_) => {
                whole += 1;
                assert!(is_loaded(&board, &words), "seed {seed}");
                assert!(
                    board.twin.restarts() > 0 && !board.twin.held(),
                    "seed {seed}"
                );
            }
            Err(error) => {
                let text = format!("{error:#}");
                let known = ["reset", "broke", "breaks", "answer", "does not accept"];
                assert!(
                    known.iter().any(|part| text.contains(part)),
                    "seed {seed}: {text}"
                );
            }
        }
    }
    println!("{whole} of {RUNS} runs were whole");
    // A reset in between cannot be mended.
    assert!(whole > RUNS * 3 / 4, "{whole}");
}

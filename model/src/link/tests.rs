//! The board's end against the words of section 5.1.

use super::*;
use crate::testing::config;
use lookback_log_format::interval::EndReason;
use proptest::prelude::*;

/// Small, so that it is often full.
const RING: usize = 1 << 9;

fn board(control: u32) -> Link {
    let mut identity = config();
    identity.ring_bits = 9;
    let mut board = Link::new(&identity);
    write(&mut board, reg::CONTROL, control);
    write(&mut board, reg::CONTROL, control | reg::CONTROL_RECORD);
    board
}

fn hear(board: &mut Link, frame: &Frame) -> u32 {
    frame.to_wire().iter().for_each(|&byte| board.hear(byte));
    let reply = board.speak().unwrap().reply().unwrap();
    assert_eq!(reply.0, frame.payload[0]);
    reply.1
}

fn write(board: &mut Link, register: u8, value: u32) -> u32 {
    hear(board, &Frame::write(0, register, value))
}

fn read(board: &mut Link, register: u8) -> u32 {
    hear(board, &Frame::read(0, register))
}

/// Writes a record of `length` equal bytes, as far as it goes.
fn put(board: &mut Link, byte: u8, length: usize) -> usize {
    (0..length)
        .take_while(|&n| board.write(byte, n + 1 == length))
        .count()
}

fn end() -> End {
    End {
        reason: EndReason::RunEnded,
        code: 0x5555,
        retired: 7,
        cycles: 0,
        stalls: 0,
        lost: 0,
        fired: None,
        breach: None,
    }
}

/// The stream of what is sent from now on, and whether END came.
fn collect(board: &mut Link) -> (Vec<(u32, Vec<u8>)>, bool) {
    let (mut pieces, mut ended) = (Vec::new(), false);
    while let Some(frame) = board.speak() {
        match Placed::of(&frame) {
            Some(piece) => pieces.push((piece.offset, piece.bytes.to_vec())),
            None => ended = frame.kind == kind::END,
        }
    }
    (pieces, ended)
}

#[test]
fn what_is_not_acknowledged_stays_and_is_sent_again() {
    let mut board = board(link::CONTROL_ACKNOWLEDGED);
    assert_eq!(put(&mut board, 1, 300), 300);
    assert_eq!(put(&mut board, 2, 300), RING - 1 - 300);
    let (first, _) = collect(&mut board);
    let places: Vec<_> = first.iter().map(|p| (p.0, p.1.len())).collect();
    assert_eq!(places, [(0, 240), (240, 60)]);
    assert!(!board.write(0, false), "sent is not enough");
    assert_eq!(write(&mut board, link::SENT, 0), 0);
    assert_eq!(collect(&mut board).0, first);
    assert_eq!(write(&mut board, link::KEPT, 240), 240);
    assert!(board.write(2, false));
    assert_eq!(write(&mut board, link::SENT, 0), 300, "it is gone");
    assert_eq!(write(&mut board, link::KEPT, 500), 240, "it was not sent");
}

#[test]
fn end_comes_again_after_what_is_sent_again() {
    let mut board = board(link::CONTROL_ACKNOWLEDGED);
    put(&mut board, 9, 250);
    board.end(end());
    assert!(collect(&mut board).1);
    assert_eq!(
        read(&mut board, reg::STATUS) & reg::STATUS_END_SENT,
        reg::STATUS_END_SENT
    );
    assert_eq!(collect(&mut board), (vec![], false));
    write(&mut board, link::SENT, 240);
    assert_eq!(collect(&mut board), (vec![(240, vec![9; 10])], true));
    write(&mut board, link::SENT, 250);
    assert_eq!(collect(&mut board), (vec![], true));
    assert_eq!(read(&mut board, link::SUM), CRC.checksum(&[9; 250]));
    assert_eq!(read(&mut board, link::WRITTEN), 250);
}

#[test]
fn a_frozen_ring_is_dumped_by_offset() {
    let mut board = board(link::CONTROL_ACKNOWLEDGED | reg::CONTROL_RING);
    for n in 0..10 {
        assert_eq!(put(&mut board, n, 100), 100);
    }
    assert_eq!(collect(&mut board).0, []);
    board.end(end());
    let kept = read(&mut board, link::KEPT);
    assert_eq!(kept, 500);
    let (pieces, ended) = collect(&mut board);
    assert!(ended);
    assert_eq!(pieces[0], (500, vec![5; 100]));
    assert_eq!(pieces[4], (900, vec![9; 100]));
    let all: Vec<u8> = pieces.iter().flat_map(|piece| piece.1.clone()).collect();
    assert_eq!(read(&mut board, link::SUM), CRC.checksum(&all));
    write(&mut board, link::SENT, 700);
    assert_eq!(collect(&mut board).0[..], pieces[2..]);
}

#[test]
fn a_reset_forgets_who_it_was() {
    let mut board = board(link::CONTROL_ACKNOWLEDGED);
    write(&mut board, link::STREAM, 77);
    assert_eq!(read(&mut board, link::STREAM), 77);
    board.reset();
    assert_eq!(read(&mut board, link::STREAM), 0);
    assert_eq!(write(&mut board, link::SENT, 5), 0);
}

#[test]
fn without_the_bit_it_is_the_old_link() {
    let mut board = board(0);
    put(&mut board, 1, 300);
    let kinds: Vec<u8> = std::iter::from_fn(|| board.speak())
        .map(|frame| frame.kind)
        .collect();
    assert_eq!(kinds, [0x11, 0x12]);
    assert_eq!(board.room(), RING - 1);
    assert_eq!(write(&mut board, link::SENT, 0), 300);
}

proptest! {
    /// Whatever is acknowledged, sent again and asked, in whatever order: the offsets stay in
    /// order, and every piece holds the bytes of its place.
    #[test]
    fn pieces_are_what_their_offset_says(
        steps in prop::collection::vec((0u8..4, any::<u32>()), 1..300),
        ring: bool,
    ) {
        let ring = if ring { reg::CONTROL_RING } else { 0 };
        let mut board = board(link::CONTROL_ACKNOWLEDGED | ring);
        let mut stream = Vec::new();
        for (step, value) in steps {
            let kept = board.kept;
            match step {
                0 => {
                    for n in 0..value % 400 {
                        let byte = (stream.len() % 251) as u8;
                        if !board.write(byte, n == 90 || n == 350) {
                            break;
                        }
                        stream.push(byte);
                    }
                }
                1 => drop(write(&mut board, link::KEPT, kept.wrapping_add(value % 600).wrapping_sub(40))),
                2 => drop(write(&mut board, link::SENT, kept.wrapping_add(value % 600).wrapping_sub(40))),
                _ => {
                    if let Some(frame) = board.speak() {
                        let piece = Placed::of(&frame).unwrap();
                        let at = piece.offset as usize;
                        prop_assert_eq!(piece.bytes, &stream[at..at + piece.bytes.len()]);
                    }
                }
            }
            prop_assert!(board.kept <= board.sent && board.sent <= board.furthest);
            prop_assert!(board.furthest <= board.written);
            prop_assert!((board.written - board.kept) < RING as u32);
        }
    }
}

#[test]
fn a_program_is_loaded_and_the_board_restarts_with_it() {
    let mut identity = config();
    identity.ring_bits = 9;
    let mut board = Link::with_ram(&identity, vec![9; 256]);
    assert_eq!(read(&mut board, reg::BOARD), 1024);
    assert_eq!(write(&mut board, reg::LOAD + 1, 5), 0);
    write(&mut board, reg::INTERVAL, 100);
    assert_eq!(write(&mut board, reg::BOOT, 1), 1);
    assert!(board.held());
    assert_eq!(write(&mut board, reg::LOAD_BASE, 512), 512);
    assert_eq!(write(&mut board, reg::LOAD + 1, 5), 5);
    assert_eq!(read(&mut board, reg::LOAD), 9);
    let stop = Frame::write(0, reg::BOOT, 0).to_wire();
    stop.iter().for_each(|&byte| board.hear(byte));
    assert_eq!(board.speak(), None);
    assert_eq!((board.restarts(), board.held()), (1, false));
    assert_eq!(read(&mut board, reg::INTERVAL), 0);
    assert_eq!((board.ram()[128], board.ram()[129]), (9, 5));
}

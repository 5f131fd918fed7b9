//! Bytes from the cable, at the board's end.

use lookback_log_format::config::{Codec, TagKind};
use lookback_log_format::frame::Frame;
use lookback_log_format::link::{self, distance};
use lookback_log_format::{registers as reg, RecorderConfig};
use lookback_model::link::Link;

/// A board, of which only the link matters.
fn board() -> Link {
    Link::new(&RecorderConfig {
        codec: Codec::Bugnet,
        harts: 1,
        tag_set_bits: 3,
        tag_ways: 2,
        tag_words: 4,
        epoch_bits: 4,
        tag_kind: TagKind::Bits,
        dict_bits: 4,
        dirty_bits: 6,
        ring_bits: 9,
        fifo_bits: 4,
        clock_hz: 1,
        mem_base: 0,
        mem_mask: 0,
        attached: false,
        compressed: false,
        control: 0,
        interval: 64,
        count_bits: 7,
        image_lo: 0,
        image_hi: 0,
        post_trigger: 0,
        trigger: Default::default(),
        order: None,
    })
}

fn read(board: &mut Link, register: u8) -> u32 {
    let wire = Frame::read(0, register).to_wire();
    std::iter::once(0)
        .chain(wire)
        .for_each(|byte| board.hear(byte));
    let reply = board.speak().and_then(|frame| frame.reply());
    let (about, value) = reply.expect("a board answers");
    assert_eq!(about, register, "it answers another question");
    value
}

/// Whatever the host says, the board answers the next question, and its offsets stay in order.
pub fn check(bytes: &[u8]) {
    let mut board = board();
    for (n, &byte) in bytes.iter().enumerate() {
        board.hear(byte);
        board.write(byte, n % 37 == 0);
        if byte == 0 {
            board.speak();
        }
    }
    // An answer that is due goes first.
    board.hear(0);
    board.speak();
    assert_eq!(read(&mut board, reg::ID), reg::ID_VALUE);
    let kept = read(&mut board, link::KEPT);
    let sent = distance(kept, read(&mut board, link::SENT));
    let written = distance(kept, read(&mut board, link::WRITTEN));
    assert!(sent <= written && written < 512, "{sent} {written}");
}

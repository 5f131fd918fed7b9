//! Bytes from the cable, at the host's end.

use lookback_log_format::frame::{End, Frame, FrameDecoder, MAX_WIRE};
use lookback_log_format::link::Placed;
use lookback_log_format::stream::Assembler;

/// Frames are found, what is none does no harm, and after any garbage the next frame is found.
pub fn check(bytes: &[u8]) {
    let mut decoder = FrameDecoder::new();
    let mut assembler = Assembler::new();
    for &byte in bytes {
        if let Some(Ok(frame)) = decoder.push(byte) {
            let wire = frame.to_wire();
            assert!(wire.len() <= MAX_WIRE + 1, "a frame grew");
            let again = Frame::from_wire(&wire[..wire.len() - 1]);
            assert_eq!(again.as_ref(), Ok(&frame), "a frame does not survive");
            if let Some(piece) = Placed::of(&frame) {
                assert_eq!(piece.to_frame(frame.hart, frame.seq), frame);
            }
            if let Ok(end) = End::from_bytes(&frame.payload) {
                assert_eq!(end.to_bytes(), frame.payload);
            }
            assembler.push(&frame);
        }
    }
    let known = Frame::write(7, 0x10, 3);
    let mut found = None;
    for byte in [0].into_iter().chain(known.to_wire()) {
        found = decoder.push(byte).or(found);
    }
    assert_eq!(found, Some(Ok(known)), "it is out of step");
}

//! A file that says it is firmware.

use lookback_debugger::Symbols;
use lookback_replay::Image;

/// It is refused, or what it loads lies where it says.
pub fn check(bytes: &[u8]) {
    let Ok(image) = Image::parse(bytes) else {
        return;
    };
    let window = image.window();
    assert!(window.start <= window.end && window.start % 64 == 0 && window.end % 64 == 0);
    if let Ok(segments) = image.segments(0x8000_0000..0x8100_0000) {
        for segment in segments {
            let end = u64::from(segment.addr) + segment.bytes.len() as u64;
            assert!(
                segment.addr >= 0x8000_0000 && end <= 0x8100_0000,
                "outside RAM"
            );
        }
    }
    image.byte(image.entry());
    Symbols::load(bytes);
}

//! What a log says by itself, without replaying an instruction: where execution was redirected,
//! trapped, or ran words that the firmware's file does not have. Cheap enough to look at a whole
//! recording when it is opened.

use lookback_log_format::entry::{Entry, EntryReader, Escape, Widths};
use lookback_log_format::interval::Interval;
use lookback_log_format::RecorderConfig;

/// The escapes of an interval, with the positions of their instructions; up to the first entry that
/// cannot be read.
pub fn escapes<'a>(
    config: &RecorderConfig,
    interval: &'a Interval,
) -> impl Iterator<Item = (u32, Escape)> + 'a {
    let mut entries = EntryReader::new(&interval.entries, Widths::from(config));
    let length = interval.trailer.instructions;
    std::iter::from_fn(move || loop {
        match entries.next_entry() {
            Ok(Some(Entry::Escape { position, escape })) if position < length => {
                return Some((position, escape));
            }
            Ok(Some(Entry::Operation { .. })) => {}
            _ => return None,
        }
    })
}

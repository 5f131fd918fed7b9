//! One error for everything that can be wrong with log bytes.

use alloc::string::String;

/// Shorthand for results of this crate.
pub type Result<T> = core::result::Result<T, Error>;

/// What is wrong with log bytes, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file does not start with the container's signature.
    #[error("not a Lookback recording: it does not begin with the bytes \"LBK\\x1a\"")]
    NotARecording,
    /// The format is newer than this program.
    #[error(
        "format version {found} is newer than version {known}, the newest this program knows; \
         use a newer lookback"
    )]
    NewerVersion {
        /// The version in the file or on the board.
        found: u16,
        /// The newest version that this crate reads.
        known: u16,
    },
    /// The codec number is unknown.
    #[error("unknown codec number {0}; this program knows 1 (bugnet) and 2 (compact)")]
    UnknownCodec(u8),
    /// A configuration value is outside what the format allows.
    #[error("recorder configuration: {field} is {value}, but {rule}")]
    BadConfig {
        /// The name of the field.
        field: &'static str,
        /// Its value.
        value: u64,
        /// What the format asks for.
        rule: &'static str,
    },
    /// A configuration lacks a register.
    #[error("recorder configuration: register {0:#04x} is missing")]
    MissingRegister(u8),
    /// Entries end in the middle.
    #[error("entries end at bit {bit}, where {wanted} more bits are needed")]
    EntriesEnd {
        /// Bit offset in the entries of the interval.
        bit: u64,
        /// Bits that the reader wanted.
        wanted: u32,
    },
    /// An escape of a kind that the format reserves.
    #[error("reserved escape kind {kind} at bit {bit} of the entries")]
    ReservedEscape {
        /// Bit offset of the entry.
        bit: u64,
        /// The kind found.
        kind: u32,
    },
    /// An interval or gap is shorter than its fixed parts.
    #[error("an interval of {len} bytes is too short: its header and trailer take {needed}")]
    IntervalTooShort {
        /// Bytes there are.
        len: usize,
        /// Bytes that the fixed parts need.
        needed: usize,
    },
    /// The first byte of an interval is not a known kind.
    #[error("unknown kind of log record: {0}")]
    UnknownRecord(u8),
    /// A field of an interval has an impossible value.
    #[error("interval: {field} is {value}, which cannot be")]
    BadInterval {
        /// The name of the field.
        field: &'static str,
        /// Its value.
        value: u64,
    },
    /// An element of a record of the order that no recorder writes.
    #[error("{what}, at byte {offset} of the elements")]
    BadElement {
        /// Byte offset in the elements of the record.
        offset: u64,
        /// What is wrong with it.
        what: &'static str,
    },
    /// A frame that cannot be decoded.
    #[error("damaged frame of {len} bytes: {why}")]
    BadFrame {
        /// Length on the wire, without the delimiter.
        len: usize,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A breach names a rule that there is not.
    #[error("unknown rule {0} of the retirement port; this program knows rules 1 to 9")]
    UnknownRule(u32),
    /// A chunk of the container has a payload that does not parse.
    #[error("chunk at byte {offset}: {why}")]
    BadChunk {
        /// Byte offset of the chunk in the file.
        offset: u64,
        /// What is wrong with it.
        why: String,
    },
}

//! Where a replay stopped agreeing with its log, and in what.

use serde::Serialize;

/// The first place in an interval at which replay and log disagree.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize)]
#[error("hart {hart}, interval {interval}, instruction {position} at pc {pc:#010x}: {what}")]
pub struct Divergence {
    /// Which hart.
    pub hart: u8,
    /// Index of the interval in the recording.
    pub interval: u32,
    /// Instructions of the interval that were replayed before.
    pub position: u32,
    /// Address of the instruction.
    pub pc: u32,
    /// What is wrong.
    pub what: What,
}

/// What replay and log disagree in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum What {
    /// The digest of the whole interval.
    #[error(
        "the digest of the interval is {found:#010x}, but the recorder's was {expected:#010x}"
    )]
    Digest {
        /// As recorded.
        expected: u32,
        /// As replayed.
        found: u32,
    },
    /// The entries cannot be read.
    #[error("the log cannot be read on: {0}")]
    Entries(String),
    /// A small count is written in the long form.
    #[error("the log's next entry says in the long form that {0} operations are skipped")]
    LongForm(u32),
    /// Entries are left after the last instruction.
    #[error("the log has entries left after the interval's last instruction")]
    EntriesLeft,
    /// The trailer claims more instructions than an interval can have.
    #[error("the interval claims {claimed} instructions, more than the {most} it can have")]
    TooLong {
        /// As recorded.
        claimed: u32,
        /// The largest number that its positions can express.
        most: u32,
    },
    /// An entry belongs to an instruction or operation that has passed.
    #[error("the log's next entry belongs to an instruction that has passed")]
    EntryPassed,
    /// Escapes of one instruction are in an order that the format does not allow.
    #[error("escapes that do not belong at this instruction, or in the wrong order")]
    BadEscape,
    /// A logged value needs more bits than the operation has.
    #[error("the log has the value {0:#x} for a narrower read")]
    ValueTooWide(u32),
    /// A logged index names an empty entry of the dictionary.
    #[error("the log names dictionary entry {0}, which is empty")]
    EmptyIndex(u32),
    /// An operation that is always logged has no entry.
    #[error("the log has no value for {0}, which is always logged")]
    NotLogged(&'static str),
    /// A read that is not logged, of memory that the interval has not seen.
    #[error(
        "memory at {0:#010x} is read, but neither log nor earlier instructions tell what it is"
    )]
    UnknownMemory(u32),
    /// The instruction word is not known.
    #[error("the instruction here is neither in the ELF nor in the log")]
    UnknownCode,
    /// No such instruction, and yet the log has no trap.
    #[error("the instruction word {0:#010x} always traps, but the log has no trap here")]
    NoTrap(u32),
    /// An access or a jump to an address that is not aligned, and yet the log has no trap.
    #[error("{0:#010x} is misaligned, but the log has no trap here")]
    Misaligned(u32),
    /// Only the log can say where execution goes on, and it does not.
    #[error("the log does not say where execution goes on after a trap or return")]
    NoRedirect,
    /// The core computed something else.
    #[error(
        "the core's result is {core:#010x}, but the instruction computes {replay:#010x} (rule `result`)"
    )]
    Result {
        /// What the core reported.
        core: u32,
        /// What the replay computes.
        replay: u32,
    },
    /// The log ends before the interval does.
    #[error("the log ends in the middle of an item")]
    LogEnds,
    /// A need after the last item.
    #[error("the log has no value for this instruction, nor anything else for the interval")]
    NothingLeft,
    /// Bytes that no recorder makes.
    #[error("the log cannot be decoded here: no recorder writes this")]
    BadCode,
    /// An escape of a type that the format reserves.
    #[error("the log has an escape of the unknown type {0}")]
    UnknownEscape(u32),
    /// An escape for an instruction that the interval does not have.
    #[error("the log has an escape for instruction {0}, which the interval does not have")]
    EscapeBeyondEnd(u32),
    /// The check over all values of the interval.
    #[error("the values of the log are not those that were written: their check differs")]
    Check,
    /// An interval that goes on from another one, which was not replayed before it.
    #[error(
        "the interval goes on from the one before it, which is missing or does not replay: it can \
         only be replayed from its key interval on"
    )]
    NotAlone,
    /// The interval is of another codec than the configuration says.
    #[error("the interval is not of the codec that the recording's configuration names")]
    OtherCodec,
    /// In the order of all harts something else was there.
    #[error(
        "it read {seen:#04x} at {addr:#010x}, but in the logged order of all harts {shared:#04x} is \
         there, {by}"
    )]
    OtherValue {
        /// Address of the byte.
        addr: u32,
        /// As the hart's own log says.
        seen: u8,
        /// As the order says.
        shared: u8,
        /// Where that comes from.
        by: String,
    },
    /// Two harts write the same byte, and no stratum is between them.
    #[error("it writes what hart {0} writes in the same strata region: a stratum is missing")]
    TwoWriters(u8),
    /// Accesses of a region wait for each other.
    #[error("the accesses of this strata region wait for each other: a stratum is missing")]
    NoOrder,
    /// The log asks for more memory than any board has.
    #[error("the interval touches more than {0} MB of memory")]
    TooMuchMemory(u32),
}

//! Numbers and bits of the recorder's registers: section 6 of the format.

/// Reads 0x4b4f4f4c.
pub const ID: u8 = 0x00;
/// Format version, codec, harts.
pub const VERSION: u8 = 0x01;
/// Geometry of the first-load tags.
pub const TAGS: u8 = 0x02;
/// Dictionary, bitmap, ring and event FIFO sizes.
pub const SIZES: u8 = 0x03;
/// Clock of the recorder in Hz.
pub const CLOCK: u8 = 0x04;
/// Memory region: `addr & MEM_MASK == MEM_BASE`.
pub const MEM_BASE: u8 = 0x05;
/// Memory region: `addr & MEM_MASK == MEM_BASE`.
pub const MEM_MASK: u8 = 0x06;
/// What the retirement port is attached to.
pub const PORT: u8 = 0x07;
/// Parameters of codec `compact`.
pub const COMPACT: u8 = 0x08;
/// How the order across harts is found out.
pub const ORDER: u8 = 0x09;
/// Start, stop and policy bits.
pub const CONTROL: u8 = 0x10;
/// Instructions an interval.
pub const INTERVAL: u8 = 0x11;
/// Width of a full L-count and of a position.
pub const COUNT_BITS: u8 = 0x12;
/// First address of the image window.
pub const IMAGE_LO: u8 = 0x13;
/// First address after the image window.
pub const IMAGE_HI: u8 = 0x14;
/// Instructions still recorded after a trigger.
pub const POST_TRIGGER: u8 = 0x15;
/// Intervals a key group, codec `compact`.
pub const KEY: u8 = 0x17;
/// What is logged of the order across harts.
pub const ORDER_MODE: u8 = 0x18;
/// What fires a trigger besides traps.
pub const TRIGGER: u8 = 0x19;
/// First address of the trigger's window.
pub const TRIGGER_LO: u8 = 0x1a;
/// First address after the trigger's window.
pub const TRIGGER_HI: u8 = 0x1b;
/// State bits.
pub const STATUS: u8 = 0x20;
/// Retirements since recording began, low word.
pub const RETIRED_LO: u8 = 0x21;
/// Retirements since recording began, high word.
pub const RETIRED_HI: u8 = 0x22;
/// Cycles since recording began, low word.
pub const CYCLES_LO: u8 = 0x23;
/// Cycles since recording began, high word.
pub const CYCLES_HI: u8 = 0x24;
/// Cycles in which the recorder held the hart, low word.
pub const STALLS: u8 = 0x25;
/// Retirements lost, low word.
pub const LOST: u8 = 0x26;

/// Rule that the core broke first, 0 for none.
pub const BREACH: u8 = 0x28;
/// Retirements before that instruction since recording began, low word.
pub const BREACH_AT: u8 = 0x29;
/// Its address.
pub const BREACH_PC: u8 = 0x2a;
/// Its word.
pub const BREACH_INSN: u8 = 0x2b;
/// What the rule wanted.
pub const BREACH_WANT: u8 = 0x2c;
/// What the core said.
pub const BREACH_GOT: u8 = 0x2d;

/// Bytes of RAM that the host can load, 0 if there is no loader.
pub const BOARD: u8 = 0x40;
/// Holds the SoC in reset; its fall restarts the board.
pub const BOOT: u8 = 0x41;
/// Offset in RAM of the window.
pub const LOAD_BASE: u8 = 0x42;
/// First word of the window into RAM.
pub const LOAD: u8 = 0x80;
/// Words of the window.
pub const LOAD_WORDS: u32 = 128;
/// The bits of [`LOAD_BASE`] that are kept.
pub const LOAD_BASE_MASK: u32 = 0x00ff_fe00;

/// What [`ID`] reads: "LOOK".
pub const ID_VALUE: u32 = u32::from_le_bytes(*b"LOOK");

/// [`PORT`]: a core of the user's, whose opaque instructions are logged and whose retirement port is
/// checked.
pub const PORT_ATTACHED: u32 = 1 << 0;
/// [`PORT`]: its compressed instructions are recorded.
pub const PORT_COMPRESSED: u32 = 1 << 1;

/// [`CONTROL`]: a recording runs.
pub const CONTROL_RECORD: u32 = 1 << 0;
/// [`CONTROL`]: the recorder may hold the hart when it cannot keep up.
pub const CONTROL_MAY_STALL: u32 = 1 << 1;
/// [`CONTROL`]: the oldest interval gives way instead of being sent.
pub const CONTROL_RING: u32 = 1 << 2;
/// [`CONTROL`]: a trap is a trigger.
pub const CONTROL_TRIGGER_ON_TRAP: u32 = 1 << 3;
/// [`CONTROL`]: of an attached core, log the results of multiplications and divisions, too, so that the
/// replayer compares each with its own.
pub const CONTROL_LOG_RESULTS: u32 = 1 << 4;

/// [`STATUS`]: recording.
pub const STATUS_RECORDING: u32 = 1 << 0;
/// [`STATUS`]: the recording has ended.
pub const STATUS_ENDED: u32 = 1 << 1;
/// [`STATUS`]: a trigger has fired.
pub const STATUS_TRIGGERED: u32 = 1 << 2;
/// [`STATUS`]: something was lost.
pub const STATUS_LOST: u32 = 1 << 3;
/// [`STATUS`]: END has been sent.
pub const STATUS_END_SENT: u32 = 1 << 4;
/// [`STATUS`]: the core broke a rule of the retirement port.
pub const STATUS_BREACH: u32 = 1 << 5;

/// [`STATUS`]: the lowest of the bits that tell which trigger fired, see [`crate::trigger::Fired`].
pub const STATUS_FIRED: u32 = 6;

/// [`TRIGGER`]: an `ebreak`.
pub const TRIGGER_EBREAK: u32 = 1 << 0;
/// [`TRIGGER`]: the firmware's call.
pub const TRIGGER_CALL: u32 = 1 << 1;
/// [`TRIGGER`]: an instruction in the window.
pub const TRIGGER_PC: u32 = 1 << 2;
/// [`TRIGGER`]: a read of a word in the window.
pub const TRIGGER_READ: u32 = 1 << 3;
/// [`TRIGGER`]: a write of a word in the window.
pub const TRIGGER_WRITE: u32 = 1 << 4;
/// [`TRIGGER`]: the host pulls it.
pub const TRIGGER_NOW: u32 = 1 << 5;

/// [`ORDER_MODE`]: log strata.
pub const ORDER_MODE_STRATA: u32 = 1 << 0;
/// [`ORDER_MODE`]: log chunks.
pub const ORDER_MODE_CHUNKS: u32 = 1 << 1;

//! What tools see of a replayed instruction.

use lookback_log_format::retire::lanes;
use serde::Serialize;
use std::ops::ControlFlow;

/// How execution came to an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Entered {
    /// The instruction before it led here.
    #[default]
    Next,
    /// First of its interval: only the interval before it tells.
    Start,
    /// The instruction before it trapped.
    Trap,
    /// The instruction before it returned from a trap (or from an interrupt straight into the
    /// next one).
    Return,
    /// An interrupt.
    Interrupt,
}

/// One replayed instruction.
///
/// Memory is seen as on the retirement port: `mem_addr` is word-aligned, bit *i* of a mask stands
/// for the byte at `mem_addr + i`, and data is in its lanes, zero outside the mask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Step {
    /// Instructions before it in its interval.
    pub position: u32,
    /// Instructions before it since recording began.
    pub retired: u64,
    /// Its address.
    pub pc: u32,
    /// Its word.
    pub insn: u32,
    /// How execution came here.
    pub entered: Entered,
    /// It trapped and had no other effect.
    pub trap: bool,
    /// Value of its first source register, 0 if it has none.
    pub rs1_value: u32,
    /// Value of its second source register, 0 if it has none.
    pub rs2_value: u32,
    /// Destination register, 0 for none.
    pub rd: u8,
    /// The value written to it.
    pub rd_value: u32,
    /// Word-aligned address of its memory access, 0 for none.
    pub mem_addr: u32,
    /// Bytes read.
    pub mem_rmask: u8,
    /// What was read.
    pub mem_rdata: u32,
    /// Bytes written.
    pub mem_wmask: u8,
    /// What was written.
    pub mem_wdata: u32,
    /// Its operation's value came from the log.
    pub logged: bool,
    /// Its word came from the log.
    pub fetched: bool,
    /// Where execution goes on; `None` after a trap or return, when only the log can tell.
    pub next_pc: Option<u32>,
}

/// Bytes of an access: where it starts, how many bytes it has, and their value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Access {
    /// Address of the first byte.
    pub addr: u32,
    /// Bytes.
    pub len: u32,
    /// The bytes, the first one lowest.
    pub value: u32,
}

fn access(addr: u32, mask: u8, data: u32) -> Option<Access> {
    let lane = (mask != 0).then(|| mask.trailing_zeros())?;
    Some(Access {
        addr: addr.wrapping_add(lane),
        len: mask.count_ones(),
        value: (data & lanes(mask)) >> (8 * lane),
    })
}

impl Step {
    /// What it read from memory.
    pub fn read(&self) -> Option<Access> {
        access(self.mem_addr, self.mem_rmask, self.mem_rdata)
    }

    /// What it wrote to memory.
    pub fn write(&self) -> Option<Access> {
        access(self.mem_addr, self.mem_wmask, self.mem_wdata)
    }
}

/// Watches a replay. [`Silent`] costs nothing.
pub trait Observer {
    /// Whether it wants to see steps at all.
    const WATCHES: bool;
    /// Whether it wants to see every instruction, with its word and source values. Otherwise it sees
    /// traps and memory accesses only, with 0 for those, and the replay is faster.
    const DETAILS: bool = true;
    /// Whether it wants to be asked before each instruction.
    const ASKS: bool = false;

    /// Sees an instruction, after it was replayed; `Break` stops the replay behind it.
    fn step(&mut self, step: &Step) -> ControlFlow<()>;

    /// Sees where the next instruction is; `Break` stops the replay before it.
    #[inline(always)]
    fn before(&mut self, position: u32, pc: u32) -> ControlFlow<()> {
        let _ = (position, pc);
        ControlFlow::Continue(())
    }
}

/// Sees nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {
    const WATCHES: bool = false;

    #[inline(always)]
    fn step(&mut self, _: &Step) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl<F: FnMut(&Step) -> ControlFlow<()>> Observer for F {
    const WATCHES: bool = true;

    #[inline(always)]
    fn step(&mut self, step: &Step) -> ControlFlow<()> {
        self(step)
    }
}

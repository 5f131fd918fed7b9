//! The raw first loads, squeezed by zstd: what software could do without any thought of hardware.
//!
//! Every value that a reader could not know by itself is a 32-bit word: first loads of an interval,
//! with tags that forget nothing, and what devices, CSRs and store-conditionals gave. No positions,
//! no registers, no code.

use super::scheme::Scheme;
use super::squeeze::Squeezer;
use super::stream::Event;
use anyhow::Result;
use lookback_log_format::RecorderConfig;
use lookback_model::recorder::Operation;
use std::collections::HashMap;

/// Words of the open interval.
pub struct FirstLoads {
    config: RecorderConfig,
    interval: u32,
    position: u32,
    seen: SeenBytes,
    words: Vec<u8>,
    squeezer: Squeezer,
}

impl FirstLoads {
    /// For a run that was recorded with `recorded`, with intervals of this length.
    pub fn new(recorded: &RecorderConfig, interval: u32) -> Result<Self> {
        Ok(Self {
            config: recorded.clone(),
            interval,
            position: 0,
            seen: SeenBytes::default(),
            words: Vec::new(),
            squeezer: Squeezer::new()?,
        })
    }

    fn close(&mut self) -> Result<u64> {
        self.position = 0;
        self.seen.forget();
        if self.words.is_empty() {
            return Ok(0);
        }
        let bits = self.squeezer.add(&self.words)?;
        self.words.clear();
        Ok(bits)
    }
}

impl Scheme for FirstLoads {
    fn event(&mut self, event: Event<'_>) -> Result<u64> {
        let retire = match event {
            Event::Retire(retire) => retire,
            Event::Snoop { addr, mask } => {
                self.seen.remove(addr, mask);
                return Ok(0);
            }
        };
        let memory = !retire.trap && self.config.is_memory(retire.mem_addr);
        let accessed = retire.mem_rmask | retire.mem_wmask;
        let known = memory && accessed != 0 && {
            let before = self.seen.add(retire.mem_addr, accessed);
            before & retire.mem_rmask == retire.mem_rmask
        };
        match Operation::of(retire) {
            Some(Operation::MemoryRead(_)) if known => {}
            Some(
                Operation::MemoryRead(value)
                | Operation::CsrRead(value)
                | Operation::StoreConditional(value)
                | Operation::Opaque(value),
            ) => self.words.extend(value.to_le_bytes()),
            None => {}
        }
        self.position += 1;
        if self.position == self.interval {
            return self.close();
        }
        Ok(0)
    }

    fn finish(&mut self) -> Result<u64> {
        self.close()
    }
}

/// Which bytes were seen, for all of memory.
#[derive(Default)]
struct SeenBytes {
    /// By word address: the interval that the mask is of, and the mask.
    words: HashMap<u32, (u32, u8)>,
    interval: u32,
}

impl SeenBytes {
    /// Adds bytes of a word; returns those that were seen before.
    fn add(&mut self, addr: u32, mask: u8) -> u8 {
        let entry = self.words.entry(addr).or_default();
        if entry.0 != self.interval {
            *entry = (self.interval, 0);
        }
        let before = entry.1;
        entry.1 |= mask;
        before
    }

    fn remove(&mut self, addr: u32, mask: u8) {
        if let Some((_, seen)) = self.words.get_mut(&addr) {
            *seen &= !mask;
        }
    }

    fn forget(&mut self) {
        self.interval += 1;
    }
}

//! A replay along a log of codec `compact`: what each instruction asks the log.

use super::items::{Next, Predictor, Wanted};
use super::{sources, Known};
use crate::log::NEVER;
use crate::machine::{Before, Machine, Pause};
use crate::step::{Entered, Observer};
use crate::What;
use lookback_log_format::entry::Escape;
use lookback_log_format::isa;

impl<const TRACK: bool> Machine<'_, TRACK> {
    /// Replays until `stop`: each instruction about which the log has something to say by itself,
    /// those between as many at a time as possible.
    pub(crate) fn advance_compact<O: Observer>(
        &mut self,
        stop: u32,
        observer: &mut O,
    ) -> Result<(), What> {
        while self.position < stop {
            // The observer was asked already where the log had the word.
            if O::ASKS && self.compact.fetched.is_none() {
                let pc = self.upcoming_pc().unwrap_or(self.pc);
                if observer.before(self.position, pc).is_break() {
                    break;
                }
            }
            if self.one_instruction(observer)? == Pause::Observer {
                self.settle()?;
                break;
            }
            self.settle()?;
            if self.before != Before::Plain || self.limit(stop) <= self.position {
                continue;
            }
            let pause = self.execute(stop, Entered::Next, observer)?;
            self.settle()?;
            if pause == Pause::Observer {
                break;
            }
        }
        Ok(())
    }

    /// From now on escapes are noted.
    pub(crate) fn watch_escapes(&mut self) {
        self.compact.escapes = Some(Vec::new());
    }

    /// From now on it is noted which values the recorder hurried.
    pub fn watch_hurries(&mut self) {
        self.compact.items.hurries = Some(Vec::new());
    }

    /// The values that were noted, in the order of the log: whether each was hurried.
    pub fn take_hurries(&mut self) -> Vec<bool> {
        self.compact.items.hurries.take().unwrap_or_default()
    }

    /// The escapes that were noted.
    pub(crate) fn take_escapes(&mut self) -> Vec<(u32, Escape)> {
        self.compact.escapes.take().unwrap_or_default()
    }

    /// One instruction, with everything that can come before it.
    fn one_instruction<O: Observer>(&mut self, observer: &mut O) -> Result<Pause, What> {
        let entered = self.arrive()?;
        let logged = match self.compact.fetched.take() {
            Some(word) => Some(word),
            None => self.fetch_from_log(self.pc, self.position)?,
        };
        self.compact.note(self.position, logged.map(Escape::Fetch));
        if self.compact.items.take_escape(self.position, Next::Trap)? {
            self.compact.note(self.position, Some(Escape::Trap));
            let word = match logged {
                Some(word) => word,
                None => self.memory.code_word(self.pc)?,
            };
            let word = match self.memory.compressed() {
                true => isa::expand(word),
                false => word,
            };
            self.tell(sources(word), self.position)?;
            self.compact.items.resume = self.pc.wrapping_add(4);
            return self.trap(logged, entered, observer);
        }
        match logged {
            Some(word) => self.execute_word(word, true, entered, observer),
            None => {
                let word = self.memory.code_word(self.pc)?;
                self.execute_word(word, false, entered, observer)
            }
        }
    }

    /// After one or more instructions: no escape may be left behind, and where execution goes on
    /// after a trap or return is asked at once, for those who look ahead.
    fn settle(&mut self) -> Result<(), What> {
        let items = &mut self.compact.items;
        if items.escape_at != NEVER && items.escape_at < self.position {
            return Err(What::BadEscape);
        }
        if self.position < self.instructions && self.compact.arrival.is_none() {
            let predictor = match self.before {
                Before::Plain => return Ok(()),
                Before::Trap => Predictor::Pc(self.pc),
                Before::Return | Before::Wait => Predictor::Resume,
            };
            let wanted = Wanted {
                class: 7,
                size: 4,
                predictor,
            };
            self.compact.arrival = Some(items.take(self.position, wanted)?);
        }
        Ok(())
    }

    /// Finds out where the next instruction is and how execution comes to it.
    fn arrive(&mut self) -> Result<Entered, What> {
        let natural = self.pc;
        let before = std::mem::replace(&mut self.before, Before::Plain);
        if self.position == 0 {
            return match self.memory.is_between(self.pc) {
                false => Ok(Entered::Start),
                true => Err(What::Misaligned(self.pc)),
            };
        }
        let redirect = match before {
            Before::Plain => self.compact.items.take_redirect(self.position, natural)?,
            _ => Some(self.compact.arrival.take().ok_or(What::NoRedirect)?),
        };
        self.pc = redirect.unwrap_or(natural);
        self.compact
            .note(self.position, redirect.map(Escape::Redirect));
        if self.memory.is_between(self.pc) {
            return Err(What::Misaligned(self.pc));
        }
        let entered = match before {
            Before::Trap => Entered::Trap,
            Before::Return => Entered::Return,
            Before::Wait if self.pc == natural => Entered::Next,
            Before::Plain if redirect.is_none() => Entered::Next,
            Before::Plain | Before::Wait => Entered::Interrupt,
        };
        Ok(self.entered(entered))
    }

    /// The word of the instruction at `pc` if the log has it; memory has it from then on, unless the
    /// core may have compressed instructions.
    pub(crate) fn fetch_from_log(&mut self, pc: u32, position: u32) -> Result<Option<u32>, What> {
        let memory = self.memory.is_memory(pc);
        if self.memory.compressed() {
            if self.compact.has_halves(pc)
                && !self.compact.items.take_escape(position, Next::Code)?
            {
                return Ok(None);
            }
        } else if self.compact.read(position, (pc, 0xf), memory, Next::Code)? != Known::No {
            self.compact.remember(pc);
            return Ok(None);
        }
        let wanted = Wanted {
            class: 6,
            size: 4,
            predictor: Predictor::Pc(pc),
        };
        let word = self.compact.items.take(position, wanted)?;
        if !self.memory.compressed() {
            self.memory.write(pc, 0xf, word)?;
        }
        Ok(Some(word))
    }

    /// Asks for the registers among these that were not told yet.
    #[inline(never)]
    pub(crate) fn tell(&mut self, registers: [u8; 2], position: u32) -> Result<(), What> {
        for register in registers {
            let register = usize::from(register % 32);
            if self.told >> register & 1 == 0 {
                let wanted = Wanted {
                    class: 0,
                    size: 4,
                    predictor: Predictor::Slot(0),
                };
                let value = self.compact.items.take(position, wanted)?;
                self.told |= 1 << register;
                self.registers[register] = value;
                let (mask, values) = &mut self.compact.first_reads;
                *mask |= 1 << register;
                values[register] = value;
            }
        }
        Ok(())
    }

    /// A read of `mask` of the word at `addr`, by the instruction at `pc`: the word, and whether the
    /// log had it.
    #[inline]
    pub(crate) fn read_along(
        &mut self,
        (addr, mask): (u32, u8),
        position: u32,
        pc: u32,
    ) -> Result<(u32, bool), What> {
        let memory = self.memory.is_memory(addr);
        match self
            .compact
            .read(position, (addr, mask), memory, Next::Data)?
        {
            Known::Held => Ok((self.memory.read(addr, mask)?, false)),
            Known::Image => Ok((self.memory.read_image(addr, mask)?, false)),
            Known::No => self.logged_word((addr, mask), memory, position, pc),
        }
    }

    #[inline(never)]
    fn logged_word(
        &mut self,
        (addr, mask): (u32, u8),
        memory: bool,
        position: u32,
        pc: u32,
    ) -> Result<(u32, bool), What> {
        let (class, size) = match mask.count_ones() {
            1 => (1, 1),
            2 => (2, 2),
            _ => (3, 4),
        };
        let wanted = Wanted {
            class: if memory { class } else { 4 },
            size,
            predictor: Predictor::Pc(pc),
        };
        let value = self.compact.items.take(position, wanted)?;
        let data = value << (8 * mask.trailing_zeros());
        self.memory.write(addr, mask, data)?;
        Ok((data, true))
    }

    /// The value of an operation that is always logged.
    pub(crate) fn result_along(&mut self, position: u32, pc: u32) -> Result<u32, What> {
        let wanted = Wanted {
            class: 5,
            size: 4,
            predictor: Predictor::Pc(pc),
        };
        self.compact.items.take(position, wanted)
    }
}

//! A simulated board in this process. Every byte still crosses the UART pins of its RTL.

use super::Link;
use crate::console_input::ConsoleInput;
use lookback_sim::Board;
use std::io;
use std::time::{Duration, Instant};

/// Cycles between two looks at the link: few, since the slow engine takes its time for them.
const SLICE: u64 = 512;
/// A look at the link ends after this even if the simulation is slow, so that Ctrl-C is soon seen.
const LONGEST_LOOK: Duration = Duration::from_millis(100);
/// Time on the link is counted as if it ran at this speed: a slow simulation is no silent board.
const NOMINAL_BAUD: f64 = 115_200.0;

/// A board and whoever types at its console.
pub struct SimLink {
    board: Board,
    bit_clocks: u16,
    input: Option<ConsoleInput>,
}

impl SimLink {
    /// Talks to `board`, whose link takes `bit_clocks` cycles a bit.
    pub fn new(board: Board, bit_clocks: u16, input: Option<ConsoleInput>) -> Self {
        Self {
            board,
            bit_clocks,
            input,
        }
    }

    /// The board.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Gives the board back, when nothing is left to be said to it.
    pub fn into_board(self) -> Board {
        self.board
    }
}

impl Link for SimLink {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.board.link_send(bytes);
        Ok(())
    }

    fn receive(&mut self, into: &mut Vec<u8>, patience: Duration) -> io::Result<()> {
        let began = Instant::now();
        let deadline = self.now() + patience;
        loop {
            if let Some(input) = &mut self.input {
                self.board.console_send(&input.take());
            }
            self.board.run(SLICE).map_err(io::Error::other)?;
            into.extend(self.board.link_take());
            if !into.is_empty() || self.now() >= deadline || began.elapsed() > LONGEST_LOOK {
                return Ok(());
            }
        }
    }

    fn reset_board(&mut self) -> io::Result<()> {
        self.board.reset().map_err(io::Error::other)
    }

    fn now(&self) -> Duration {
        let bits = self.board.total_cycles() / u64::from(self.bit_clocks);
        Duration::from_secs_f64(bits as f64 / NOMINAL_BAUD)
    }

    fn take_console(&mut self) -> Vec<u8> {
        self.board.console_take()
    }

    fn retired(&self) -> Option<u64> {
        Some(self.board.retired())
    }

    fn cycles(&self) -> Option<(u64, u64)> {
        let byte = 10 * u64::from(self.bit_clocks);
        Some((self.board.total_cycles(), byte))
    }

    fn name(&self) -> String {
        "the simulated board".into()
    }
}

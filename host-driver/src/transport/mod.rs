//! The ways in which bytes reach a board. The driver above knows only [`Link`], so a serial
//! adapter, a simulated board behind a pty and one in this very process are driven by the same code.

pub mod capture;
pub mod faults;
pub mod faulty;
pub mod serial;
pub mod sim;

use std::io;
use std::time::Duration;

/// A byte pipe to a board, with a clock of its own.
pub trait Link {
    /// Sends all bytes.
    fn send(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Waits at most `patience` for bytes and appends what came; nothing appended means that
    /// nothing came. An error means that the link is gone.
    fn receive(&mut self, into: &mut Vec<u8>, patience: Duration) -> io::Result<()>;

    /// Makes the connection anew after an error, where that can be done.
    fn reopen(&mut self) -> io::Result<()> {
        Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "this connection cannot be made again",
        ))
    }

    /// Resets the board, where the link can.
    fn reset_board(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Time as deadlines count it. A simulation is slower than its board would be, so its links
    /// count simulated time.
    fn now(&self) -> Duration;

    /// Console output of the firmware since the last call, where the link sees it.
    fn take_console(&mut self) -> Vec<u8> {
        Vec::new()
    }

    /// Instructions that the board has retired so far, where the link sees it.
    fn retired(&self) -> Option<u64> {
        None
    }

    /// Clock cycles of the board so far, and those of a byte on the line, where the link sees them.
    fn cycles(&self) -> Option<(u64, u64)> {
        None
    }

    /// What to call the board in messages, such as the path of its port.
    fn name(&self) -> String;

    /// Bits a second, if they can be wrong.
    fn baud(&self) -> Option<u32> {
        None
    }
}

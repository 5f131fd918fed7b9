//! Any link, over a bad cable.

use super::faults::{Cable, Fault, Faults};
use super::Link;
use std::io;
use std::time::Duration;

/// How a faulty link is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Up,
    Down,
    /// The host's program is dead.
    HostReset,
}

/// A link with faults in both directions.
pub struct Faulty<L> {
    inner: L,
    cable: Cable,
    state: State,
    stalled_until: Duration,
    late_in: Vec<u8>,
    late_out: Vec<u8>,
}

impl<L: Link> Faulty<L> {
    /// Puts faults upon `inner`.
    pub fn new(inner: L, faults: Faults, seed: u64) -> Self {
        Self {
            inner,
            cable: Cable::new(faults, seed),
            state: State::Up,
            stalled_until: Duration::ZERO,
            late_in: Vec::new(),
            late_out: Vec::new(),
        }
    }

    /// The link below, without its faults.
    pub fn into_inner(self) -> L {
        self.inner
    }

    /// What has gone wrong so far, in words.
    pub fn told(&self) -> String {
        self.cable.told()
    }

    /// Whether the host's program was reset, and begins anew with this.
    pub fn restart_host(&mut self) -> bool {
        let reset = self.state == State::HostReset;
        if reset {
            self.state = State::Down;
        }
        reset
    }

    fn pass(&mut self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut big = Vec::new();
        let out = self.cable.pass(bytes, &mut big);
        for fault in big {
            match fault {
                Fault::Stall => self.stalled_until = self.inner.now() + self.cable.pause(),
                Fault::Reset if self.cable.random().below(2) == 0 => self.inner.reset_board()?,
                Fault::Reset => self.state = State::HostReset,
                _ => self.state = State::Down,
            }
        }
        Ok(out)
    }

    fn check(&self) -> io::Result<()> {
        match self.state {
            State::Up => Ok(()),
            State::Down => Err(io::Error::new(
                io::ErrorKind::NotConnected,
                "the connection broke (a fault that was asked for)",
            )),
            State::HostReset => Err(io::Error::new(
                io::ErrorKind::ConnectionAborted,
                "the host was reset (a fault that was asked for)",
            )),
        }
    }

    fn stalled(&self) -> bool {
        self.inner.now() < self.stalled_until
    }
}

impl<L: Link> Link for Faulty<L> {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.check()?;
        let arriving = self.pass(bytes)?;
        self.late_out.extend(arriving);
        if self.stalled() {
            return Ok(());
        }
        let late = std::mem::take(&mut self.late_out);
        self.inner.send(&late)
    }

    fn receive(&mut self, into: &mut Vec<u8>, patience: Duration) -> io::Result<()> {
        self.check()?;
        let mut bytes = Vec::new();
        self.inner.receive(&mut bytes, patience)?;
        let arriving = self.pass(&bytes)?;
        self.late_in.extend(arriving);
        if !self.stalled() {
            into.append(&mut self.late_in);
            let late = std::mem::take(&mut self.late_out);
            if !late.is_empty() {
                self.inner.send(&late)?;
            }
        }
        Ok(())
    }

    fn reopen(&mut self) -> io::Result<()> {
        if self.state == State::HostReset {
            return self.check();
        }
        self.state = State::Up;
        self.late_in.clear();
        self.late_out.clear();
        self.stalled_until = Duration::ZERO;
        Ok(())
    }

    fn reset_board(&mut self) -> io::Result<()> {
        self.inner.reset_board()
    }

    fn now(&self) -> Duration {
        self.inner.now()
    }

    fn take_console(&mut self) -> Vec<u8> {
        self.inner.take_console()
    }

    fn retired(&self) -> Option<u64> {
        self.inner.retired()
    }

    fn name(&self) -> String {
        self.inner.name()
    }

    fn baud(&self) -> Option<u32> {
        self.inner.baud()
    }
}

//! A board's log link as a serial device: a pseudo terminal that a program opens as it would open
//! a USB serial adapter.
//!
//! A terminal has no wire, so two things of a wire are imitated: bytes that nobody listens to are
//! gone, and a program that set another speed than the board's reads and writes garbage, made by
//! sampling one side's bits at the other side's rate.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::event::{poll, PollFd, PollFlags};
use rustix::fs::OFlags;
use rustix::pty::{grantpt, openpt, ptsname, unlockpt, OpenptFlags};
use rustix::termios::{tcgetattr, tcsetattr, OptionalActions};

use crate::{Board, Error, Result};

/// Speed of the link unless told otherwise.
pub const NOMINAL_BAUD: u32 = 3_000_000;

/// Bytes that may wait for the program at the other end before [`Pty::exchange`] asks for patience.
const PATIENCE: usize = 64 * 1024;

/// A pseudo terminal, seen from the board's side.
pub struct Pty {
    board_side: File,
    path: PathBuf,
    baud: u32,
    /// Bytes that the program at the other end has not read yet.
    waiting: Vec<u8>,
}

impl Pty {
    /// Opens a terminal whose board talks at `baud`.
    pub fn open(baud: u32) -> Result<Pty> {
        Self::try_open(baud).map_err(Error::Pty)
    }

    fn try_open(baud: u32) -> io::Result<Pty> {
        let board_side = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&board_side)?;
        unlockpt(&board_side)?;
        let name = ptsname(&board_side, Vec::new())?;
        let path = PathBuf::from(name.into_string().map_err(io::Error::other)?);
        // Opened once and closed again: from then on a hang-up tells that nobody is there.
        let other_side = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(OFlags::NOCTTY.bits() as i32)
            .open(&path)?;
        let mut settings = tcgetattr(&other_side)?;
        settings.make_raw();
        settings.set_speed(baud)?;
        tcsetattr(&other_side, OptionalActions::Now, &settings)?;
        let flags = rustix::fs::fcntl_getfl(&board_side)?;
        rustix::fs::fcntl_setfl(&board_side, flags | OFlags::NONBLOCK)?;
        Ok(Pty {
            board_side: File::from(board_side),
            path,
            baud,
            waiting: Vec::new(),
        })
    }

    /// The device that a program opens.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether a program has the device open.
    pub fn peer_present(&self) -> bool {
        let mut fds = [PollFd::new(&self.board_side, PollFlags::OUT)];
        let now = rustix::event::Timespec::default();
        poll(&mut fds, Some(&now)).is_ok() && !fds[0].revents().contains(PollFlags::HUP)
    }

    /// The speed that the program at the other end has set.
    pub fn peer_baud(&self) -> u32 {
        tcgetattr(&self.board_side).map_or(self.baud, |settings| settings.output_speed())
    }

    /// Bytes that wait for the program at the other end.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// The bytes that the program has sent, as they arrive at the board.
    pub fn receive(&mut self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut buffer = [0; 4096];
        loop {
            match self.board_side.read(&mut buffer) {
                Ok(0) => break,
                Ok(length) => bytes.extend_from_slice(&buffer[..length]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if nobody_there(&error) => break,
                Err(error) => return Err(Error::Pty(error)),
            }
        }
        Ok(on_wire(&bytes, self.peer_baud(), self.baud))
    }

    /// Sends bytes from the board to the program. What it has no room for waits here.
    pub fn send(&mut self, bytes: &[u8]) -> Result<()> {
        if !self.peer_present() {
            self.waiting.clear();
            return Ok(());
        }
        let arriving = on_wire(bytes, self.baud, self.peer_baud());
        self.waiting.extend_from_slice(&arriving);
        while !self.waiting.is_empty() {
            match self.board_side.write(&self.waiting) {
                Ok(length) => drop(self.waiting.drain(..length)),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if nobody_there(&error) => break,
                Err(error) => return Err(Error::Pty(error)),
            }
        }
        Ok(())
    }

    /// Moves what has arrived in both directions. `false` asks not to run the board for a moment:
    /// the program at the other end is behind, and a terminal, unlike a wire, can wait. `see` is
    /// shown what the board sends.
    pub fn exchange(&mut self, board: &mut Board, see: impl FnOnce(&[u8])) -> Result<bool> {
        let to_board = self.receive()?;
        board.link_send(&to_board);
        let from_board = board.link_take();
        see(&from_board);
        self.send(&from_board)?;
        Ok(self.waiting.len() < PATIENCE)
    }
}

/// No data, no room, or no program at the other end (`EIO`): nothing to do now.
fn nobody_there(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::WouldBlock
        || error.raw_os_error() == Some(rustix::io::Errno::IO.raw_os_error())
}

/// What a receiver at one speed makes of bytes sent back to back at another.
fn on_wire(bytes: &[u8], from_baud: u32, to_baud: u32) -> Vec<u8> {
    if from_baud == to_baud || bytes.is_empty() {
        return bytes.to_vec();
    }
    if from_baud == 0 || to_baud == 0 {
        return Vec::new();
    }
    // Time runs in units of 1 / (2 · from · to) s: a sent bit lasts 2 · to, a received one 2 · from.
    let (sent, read) = (2 * u64::from(to_baud), 2 * u64::from(from_baud));
    let bits: Vec<bool> = bytes
        .iter()
        .flat_map(|byte| {
            let frame = u16::from(*byte) << 1 | 1 << 9;
            (0..10).map(move |bit| frame >> bit & 1 != 0)
        })
        .collect();
    let level = |time: u64| bits.get((time / sent) as usize).copied().unwrap_or(true);
    let mut out = Vec::new();
    let mut bit = 0;
    let mut free = 0;
    while bit < bits.len() {
        let start = bit as u64 * sent;
        let falls = !bits[bit] && (bit == 0 || bits[bit - 1]);
        bit += 1;
        if !falls || start < free {
            continue;
        }
        let middle = |n: u64| start + n * read + read / 2;
        if level(middle(0)) {
            continue;
        }
        // Adapters deliver a byte even when its stop bit is wrong.
        out.push((0..8).fold(0, |byte, n| byte | u8::from(level(middle(n + 1))) << n));
        free = middle(9);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn bytes() -> Vec<u8> {
        (0..=255).collect()
    }

    #[test]
    fn a_wire_forgives_two_percent_and_no_more() {
        for to in [3_000_000, 2_950_000, 3_050_000] {
            assert_eq!(on_wire(&bytes(), 3_000_000, to), bytes(), "{to}");
        }
        for to in [
            115_200, 1_000_000, 1_500_000, 2_000_000, 2_500_000, 6_000_000,
        ] {
            let there = on_wire(&bytes(), 3_000_000, to);
            let back = on_wire(&bytes(), to, 3_000_000);
            assert_ne!(there, bytes(), "{to}");
            assert_ne!(back, bytes(), "{to}");
        }
        assert!(on_wire(&bytes(), 0, 9600).is_empty());
    }

    fn open(pty: &Pty, baud: u32) -> serialport::TTYPort {
        serialport::new(pty.path().to_str().unwrap(), baud)
            .timeout(Duration::from_secs(5))
            .open_native()
            .unwrap()
    }

    #[test]
    fn a_serial_port_talks_to_it() {
        let mut pty = Pty::open(NOMINAL_BAUD).unwrap();
        assert!(!pty.peer_present());
        pty.send(b"into the void").unwrap();
        let mut port = open(&pty, NOMINAL_BAUD);
        assert!(pty.peer_present());
        assert_eq!(pty.peer_baud(), NOMINAL_BAUD);

        port.write_all(&bytes()).unwrap();
        let mut arrived = Vec::new();
        while arrived.len() < 256 {
            arrived.extend(pty.receive().unwrap());
        }
        assert_eq!(arrived, bytes());

        pty.send(&bytes()).unwrap();
        let mut buffer = [0; 256];
        port.read_exact(&mut buffer).unwrap();
        assert_eq!(buffer[..], bytes()[..]);

        drop(port);
        assert!(!pty.peer_present());
        let _again = open(&pty, NOMINAL_BAUD);
        assert!(pty.peer_present());
    }

    #[test]
    fn a_wrong_speed_garbles() {
        let mut pty = Pty::open(NOMINAL_BAUD).unwrap();
        let mut port = open(&pty, 115_200);
        assert_eq!(pty.peer_baud(), 115_200);
        pty.send(&bytes()).unwrap();
        let mut buffer = [0; 1024];
        let length = port.read(&mut buffer).unwrap();
        assert!(length > 0 && length < 64, "{length}");
        port.write_all(b"LOOK").unwrap();
        let mut arrived = Vec::new();
        while arrived.is_empty() {
            arrived = pty.receive().unwrap();
        }
        assert!(!arrived.starts_with(b"LOOK"));
    }

    #[test]
    fn a_slow_reader_is_waited_for() {
        let mut pty = Pty::open(NOMINAL_BAUD).unwrap();
        let mut port = open(&pty, NOMINAL_BAUD);
        let many: Vec<u8> = (0..200_000_u32).map(|n| (n % 251) as u8).collect();
        pty.send(&many).unwrap();
        assert!(pty.waiting() > 0);
        let mut got = Vec::new();
        let mut buffer = [0; 4096];
        while got.len() < many.len() {
            let length = port.read(&mut buffer).unwrap();
            got.extend_from_slice(&buffer[..length]);
            pty.send(&[]).unwrap();
        }
        assert_eq!(got, many);
    }
}

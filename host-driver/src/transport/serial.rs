//! Serial adapters, and the ptys of `lookback sim`, which look the same.

use super::Link;
use crate::driver::wire::Wire;
use anyhow::{anyhow, bail, Context, Result};
use serialport::{SerialPort, SerialPortType};
use std::io::{self, Read, Write};
use std::str::FromStr;
use std::time::{Duration, Instant};

/// How long a port that `auto` tries may take to say who it is.
const PROBE_PATIENCE: Duration = Duration::from_secs(1);

/// Paths that `auto` tries instead of the USB adapters, separated by colons.
pub const PORTS_VARIABLE: &str = "LOOKBACK_PORTS";

/// Rates that boards have, the likeliest first; `auto` tries them.
pub const RATES: [u32; 9] = [
    3_000_000, 2_000_000, 1_500_000, 1_000_000, 921_600, 460_800, 230_400, 115_200, 57_600,
];

/// How long a board may take to answer at a rate that `auto` tries.
const RATE_PATIENCE: Duration = Duration::from_millis(600);

/// How long a port may take nothing, as one does whose line is slow.
const SEND_PATIENCE: Duration = Duration::from_secs(5);

/// Bits a second on the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Baud {
    /// Whichever of [`RATES`] a recorder answers at.
    Auto,
    /// This one.
    Rate(u32),
}

impl FromStr for Baud {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(rate) if rate > 0 => Ok(Self::Rate(rate)),
            _ if text == "auto" => Ok(Self::Auto),
            _ => Err(format!(
                "`{text}` is no speed; write bits a second, like 115200, or `auto`"
            )),
        }
    }
}

/// An open serial port.
pub struct Serial {
    port: Box<dyn SerialPort>,
    path: String,
    baud: u32,
    opened: Instant,
}

impl Serial {
    /// Opens a port, `auto` for the one that a recorder answers at.
    pub fn open(path: &str, baud: Baud) -> Result<Self> {
        if path == "auto" {
            return Self::find(baud);
        }
        match baud {
            Baud::Rate(baud) => Self::open_at(path, baud),
            Baud::Auto => Self::try_rates(path),
        }
    }

    /// Looks for the rate at which a recorder answers.
    fn try_rates(path: &str) -> Result<Self> {
        let mut garbled = Vec::new();
        for baud in RATES {
            let mut serial = Self::open_at(path, baud)?;
            let mut wire = Wire::new(&mut serial, RATE_PATIENCE);
            if wire.identify().is_ok() {
                return Ok(serial);
            }
            if wire.traffic().bytes > 0 {
                garbled.push(baud.to_string());
            }
        }
        let heard = match garbled.as_slice() {
            [] => "nothing came back at any of them".into(),
            rates => format!("bytes that make no frame came at {}", rates.join(", ")),
        };
        let tried: Vec<_> = RATES.iter().map(u32::to_string).collect();
        bail!(
            "no recorder answers at {path} at any rate that was tried ({}): {heard}. Is the board \
             powered, its bitstream loaded, its rate another one (--baud N)?",
            tried.join(", ")
        )
    }

    fn open_at(path: &str, baud: u32) -> Result<Self> {
        let port = open(path, baud).map_err(|error| explain(path, baud, &error))?;
        Ok(Self {
            port,
            path: path.into(),
            baud,
            opened: Instant::now(),
        })
    }

    /// All ports at which a recorder answers; an error if there is none.
    pub fn find_all(baud: Baud) -> Result<Vec<Self>> {
        let candidates = candidates()?;
        if candidates.is_empty() {
            bail!(
                "no USB serial adapter found ({}); connect the board, or name its port: --port PATH",
                others()
            );
        }
        let mut answering = Vec::new();
        let mut silent = Vec::new();
        for path in &candidates {
            let serial = Self::open(path, baud).and_then(|mut serial| {
                // At a rate that was looked for, it has answered already.
                if let Baud::Rate(baud) = baud {
                    let mut wire = Wire::new(&mut serial, PROBE_PATIENCE);
                    if wire.identify().is_err() {
                        bail!("{path}: no recorder answers at {baud} baud");
                    }
                }
                Ok(serial)
            });
            match serial {
                Ok(serial) => answering.push(serial),
                Err(error) => silent.push(format!("{error:#}")),
            }
        }
        if answering.is_empty() {
            bail!(
                "no recorder found.\n  {}\nCheck the cable and the bitstream, try --baud auto, or name \
                 the port: --port PATH",
                silent.join("\n  ")
            );
        }
        Ok(answering)
    }

    /// The board's serial number, or its port's name where it has none.
    pub fn serial_number(&self) -> String {
        let ports = serialport::available_ports().unwrap_or_default();
        let port = ports.into_iter().find(|port| port.port_name == self.path);
        let number = port.and_then(|port| match port.port_type {
            SerialPortType::UsbPort(usb) => usb.serial_number,
            _ => None,
        });
        number
            .filter(|number| !number.is_empty())
            .unwrap_or_else(|| {
                let path = self.path.trim_start_matches("/dev/");
                path.replace('/', "-")
            })
    }

    fn find(baud: Baud) -> Result<Self> {
        let mut answering = Self::find_all(baud)?;
        match answering.len() {
            1 => Ok(answering.swap_remove(0)),
            _ => {
                let paths: Vec<_> = answering.iter().map(|s| s.path.as_str()).collect();
                bail!(
                    "{} recorders answer: {}; choose one with --port PATH, or take --all",
                    paths.len(),
                    paths.join(", ")
                )
            }
        }
    }
}

fn open(path: &str, baud: u32) -> serialport::Result<Box<dyn SerialPort>> {
    let port = serialport::new(path, baud);
    port.timeout(Duration::from_millis(50)).open()
}

/// Ports that may lead to a board: USB adapters, or what the environment names.
fn candidates() -> Result<Vec<String>> {
    if let Ok(list) = std::env::var(PORTS_VARIABLE) {
        return Ok(list
            .split(':')
            .filter(|path| !path.is_empty())
            .map(String::from)
            .collect());
    }
    let ports = serialport::available_ports().context("cannot list the serial ports")?;
    Ok(ports
        .into_iter()
        .filter(|port| matches!(port.port_type, SerialPortType::UsbPort(_)))
        .map(|port| port.port_name)
        .collect())
}

/// What else there is, for messages about what is not.
fn others() -> String {
    match serialport::available_ports() {
        Ok(ports) if !ports.is_empty() => {
            let names: Vec<_> = ports.into_iter().map(|port| port.port_name).collect();
            format!("serial ports here: {}", names.join(", "))
        }
        _ => "there are no serial ports here".into(),
    }
}

fn explain(path: &str, baud: u32, error: &serialport::Error) -> anyhow::Error {
    use serialport::ErrorKind as Serial;
    match error.kind() {
        // An absent path and a locked one are reported alike; only the file system tells.
        _ if !std::path::Path::new(path).exists() => {
            anyhow!(
                "no such port: {path} ({}); --port auto looks for the board",
                others()
            )
        }
        Serial::Io(io::ErrorKind::PermissionDenied) => anyhow!(
            "no permission to open {path}; on Linux add yourself to its group \
             (sudo usermod -aG dialout $USER, then log in again)"
        ),
        Serial::NoDevice => {
            anyhow!(
                "cannot open {path}: another program has it open, or it is gone; only one can talk to \
                 a board at a time"
            )
        }
        Serial::InvalidInput => anyhow!("{path} does not take {baud} baud; try another --baud"),
        _ => anyhow!("cannot open {path} as a serial port: {error}"),
    }
}

impl Link for Serial {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        // What was waited for last says nothing about sending.
        let patience = self.port.set_timeout(SEND_PATIENCE);
        patience.map_err(io::Error::other)?;
        self.port.write_all(bytes)?;
        self.port.flush()
    }

    fn receive(&mut self, into: &mut Vec<u8>, patience: Duration) -> io::Result<()> {
        self.port
            .set_timeout(patience.max(Duration::from_millis(1)))
            .map_err(io::Error::other)?;
        let mut buffer = [0; 4096];
        match self.port.read(&mut buffer) {
            Ok(0) => Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                "the port was closed at its other end",
            )),
            Ok(count) => {
                into.extend_from_slice(&buffer[..count]);
                Ok(())
            }
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::TimedOut | io::ErrorKind::Interrupted
                ) =>
            {
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    fn reopen(&mut self) -> io::Result<()> {
        self.port = open(&self.path, self.baud)?;
        Ok(())
    }

    fn now(&self) -> Duration {
        self.opened.elapsed()
    }

    fn name(&self) -> String {
        self.path.clone()
    }

    fn baud(&self) -> Option<u32> {
        Some(self.baud)
    }
}

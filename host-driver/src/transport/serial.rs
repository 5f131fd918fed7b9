//! Serial adapters, and the ptys of `lookback sim`, which look the same.

use super::Link;
use crate::driver::wire::Wire;
use anyhow::{anyhow, bail, Context, Result};
use serialport::{SerialPort, SerialPortType};
use std::io::{self, Read, Write};
use std::time::{Duration, Instant};

/// How long a port that `auto` tries may take to say who it is.
const PROBE_PATIENCE: Duration = Duration::from_secs(1);

/// Paths that `auto` tries instead of the USB adapters, separated by colons.
pub const PORTS_VARIABLE: &str = "LOOKBACK_PORTS";

/// An open serial port.
pub struct Serial {
    port: Box<dyn SerialPort>,
    path: String,
    baud: u32,
    opened: Instant,
}

impl Serial {
    /// Opens a port, `auto` for the one that a recorder answers at.
    pub fn open(path: &str, baud: u32) -> Result<Self> {
        if path == "auto" {
            return Self::find(baud);
        }
        let port = serialport::new(path, baud)
            .timeout(Duration::from_millis(50))
            .open()
            .map_err(|error| explain(path, baud, &error))?;
        Ok(Self {
            port,
            path: path.into(),
            baud,
            opened: Instant::now(),
        })
    }

    fn find(baud: u32) -> Result<Self> {
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
            match Self::open(path, baud) {
                Ok(mut serial) => {
                    if Wire::new(&mut serial, PROBE_PATIENCE).identify().is_ok() {
                        answering.push(serial);
                    } else {
                        silent.push(format!("{path}: no recorder answers at {baud} baud"));
                    }
                }
                Err(error) => silent.push(format!("{error:#}")),
            }
        }
        match answering.len() {
            1 => Ok(answering.swap_remove(0)),
            0 => bail!(
                "no recorder found.\n  {}\nCheck the cable and the bitstream, try --baud, or name the port: --port PATH",
                silent.join("\n  ")
            ),
            _ => {
                let paths: Vec<_> = answering.iter().map(|s| s.path.as_str()).collect();
                bail!(
                    "{} recorders answer: {}; choose one with --port PATH",
                    paths.len(),
                    paths.join(", ")
                )
            }
        }
    }
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
            anyhow!("cannot open {path}: another program has it open, or it is gone")
        }
        Serial::InvalidInput => anyhow!("{path} does not take {baud} baud; try another --baud"),
        _ => anyhow!("cannot open {path} as a serial port: {error}"),
    }
}

impl Link for Serial {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
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

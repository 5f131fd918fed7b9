//! Waves of a board's ports, in the format that GTKWave and its like read.
//!
//! Both engines give the same ports in the same cycles, so both give the same file.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use lookback_rtl_gen::Port;

use crate::{Error, Result};

/// Nanoseconds of a clock cycle in the file, whatever the real clock is.
const PERIOD: u64 = 10;

/// A file that grows with every cycle.
pub(crate) struct Waves {
    path: PathBuf,
    out: BufWriter<File>,
    ports: Vec<Port>,
    last: Vec<Option<u32>>,
}

impl Waves {
    pub(crate) fn create(path: &Path, top: &str, ports: &[Port]) -> Result<Self> {
        let file = File::create(path).map_err(Error::file(path))?;
        let mut waves = Waves {
            path: path.to_owned(),
            out: BufWriter::new(file),
            ports: ports.to_vec(),
            last: vec![None; ports.len()],
        };
        waves.header(top).map_err(Error::file(path))?;
        Ok(waves)
    }

    fn header(&mut self, top: &str) -> std::io::Result<()> {
        writeln!(self.out, "$timescale 1 ns $end\n$scope module {top} $end")?;
        for (index, port) in self.ports.iter().enumerate() {
            let (width, name) = (port.width, &port.name);
            writeln!(self.out, "$var wire {width} {} {name} $end", code(index))?;
        }
        writeln!(self.out, "$upscope $end\n$enddefinitions $end")
    }

    /// Writes what changed in a cycle; the clock rises at its start and falls in its middle.
    pub(crate) fn cycle(&mut self, cycle: u64, values: &[u32]) -> Result<()> {
        self.write_cycle(cycle, values)
            .map_err(Error::file(&self.path))
    }

    fn write_cycle(&mut self, cycle: u64, values: &[u32]) -> std::io::Result<()> {
        writeln!(self.out, "#{}", cycle * PERIOD)?;
        let mut clock = None;
        for (index, (port, value)) in self.ports.iter().zip(values).enumerate() {
            if port.name == "clock" {
                writeln!(self.out, "1{}", code(index))?;
                clock = Some(index);
            } else if self.last[index] != Some(*value) {
                self.last[index] = Some(*value);
                if port.width == 1 {
                    writeln!(self.out, "{value}{}", code(index))?;
                } else {
                    writeln!(self.out, "b{value:b} {}", code(index))?;
                }
            }
        }
        if let Some(index) = clock {
            let middle = cycle * PERIOD + PERIOD / 2;
            writeln!(self.out, "#{middle}\n0{}", code(index))?;
        }
        Ok(())
    }

    /// Makes sure that everything is in the file.
    pub(crate) fn flush(&mut self) -> Result<()> {
        self.out.flush().map_err(Error::file(&self.path))
    }
}

/// A short name of printable characters, as the format wants it.
fn code(mut index: usize) -> String {
    let mut text = String::new();
    loop {
        text.push(char::from(b'!' + (index % 94) as u8));
        index /= 94;
        if index == 0 {
            return text;
        }
    }
}

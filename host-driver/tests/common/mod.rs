//! Runs the command in a folder of its own and looks at what it says.

// Each test file is a program of its own and uses another part of this.
#![allow(dead_code)]

use lookback_log_format::container::{Chunk, Elf, Writer};
use lookback_log_format::frame::End;
use lookback_log_format::interval::{EndReason, Header, Interval, Layout, Record, Trailer};
use lookback_log_format::RecorderConfig;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// No test takes so long, even if Verilator has to build its board first on a busy machine.
const HANG: Duration = Duration::from_secs(600);

/// A folder that is gone after the test.
pub struct Scratch(tempfile::TempDir);

impl Scratch {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file and gives its path.
    pub fn file(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.path(name);
        std::fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    }

    pub fn has_no(&self, name: &str) {
        assert!(!self.path(name).exists(), "{name} was left behind");
    }
}

/// What a run of the command came to.
#[derive(Debug)]
pub struct Run {
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    /// It could not run, and says why.
    pub fn fails_with(&self, text: &str) {
        assert_eq!(self.status, Some(2), "{self:?}");
        assert!(self.stderr.contains(text), "no \"{text}\" in {self:?}");
        assert!(!self.stderr.contains("panicked"), "{self:?}");
    }

    /// It says something, anywhere.
    pub fn says(&self, text: &str) {
        assert!(
            self.stderr.contains(text) || self.stdout.contains(text),
            "no \"{text}\" in {self:?}"
        );
    }
}

/// The path of a prebuilt program.
pub fn firmware(name: &str) -> String {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../firmware/prebuilt/{name}.elf"));
    path.to_str().unwrap().to_owned()
}

pub fn lookback(scratch: &Scratch, args: &[&str]) -> Run {
    lookback_with(scratch, args, &[])
}

pub fn lookback_with(scratch: &Scratch, args: &[&str], environment: &[(&str, &str)]) -> Run {
    let environment = environment.iter().copied();
    let output = command(scratch, args).envs(environment).output();
    output.unwrap().into()
}

/// The command, ready to start.
pub fn command(scratch: &Scratch, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lookback"));
    command
        .args(args)
        .current_dir(scratch.0.path())
        .stdin(Stdio::null());
    command
}

/// What the command said as JSON.
pub fn json(run: &Run) -> serde_json::Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:?}"))
}

/// A command that runs beside the test; ended if the test fails.
pub struct Running(Option<Child>);

impl Running {
    pub fn start(scratch: &Scratch, args: &[&str]) -> Self {
        let mut command = command(scratch, args);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Self(Some(command.spawn().unwrap()))
    }

    /// Starts `lookback sim` and waits for its port.
    pub fn sim(scratch: &Scratch, more: &[&str]) -> (Self, String) {
        let _ = std::fs::remove_file(scratch.path("port"));
        let mut args = vec!["sim", "--port-file", "port", "--wait", "forever"];
        args.extend(more);
        let mut sim = Self::start(scratch, &args);
        sim.wait_until(|| scratch.path("port").exists());
        let port = std::fs::read_to_string(scratch.path("port")).unwrap();
        (sim, port.trim().to_owned())
    }

    /// Waits for something that the command does while it runs.
    pub fn wait_until(&mut self, done: impl Fn() -> bool) {
        let began = Instant::now();
        while !done() {
            assert!(began.elapsed() < HANG, "it hangs");
            let child = self.0.as_mut().unwrap();
            if child.try_wait().unwrap().is_some() && !done() {
                let child = self.0.take().unwrap();
                panic!(
                    "it ended: {:?}",
                    Run::from(child.wait_with_output().unwrap())
                );
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until a recording has so many bytes.
    pub fn wait_for_bytes(&mut self, file: &Path, bytes: u64) {
        self.wait_until(|| std::fs::metadata(file).is_ok_and(|m| m.len() >= bytes));
    }

    pub fn signal(&self, name: &str) {
        let pid = self.0.as_ref().unwrap().id().to_string();
        let kill = Command::new("kill").args(["-s", name, &pid]).status();
        assert!(kill.unwrap().success());
    }

    pub fn wait(mut self) -> Run {
        let child = self.0.take().unwrap();
        child.wait_with_output().unwrap().into()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The recording of a crash in some ten intervals, from a simulated board that runs once.
pub fn crash() -> &'static [u8] {
    static RECORDING: OnceLock<Vec<u8>> = OnceLock::new();
    RECORDING.get_or_init(|| {
        let scratch = Scratch::new();
        let elf = firmware("heap_overflow");
        // The larger log: enough bytes to cut, lose and damage.
        let codec = ["--codec", "bugnet"];
        let args = ["record", "--sim", "--elf", &elf, "--interval", "2000"];
        let args = [&args[..], &codec].concat();
        let run = lookback(&scratch, &args);
        assert_eq!(run.status, Some(0), "{run:?}");
        std::fs::read(scratch.path("heap_overflow.lbk")).unwrap()
    })
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Run {
            status: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// An interval of 100 instructions that replays nothing.
pub fn interval(index: u32) -> Record {
    Record::Interval(Interval {
        header: Header {
            layout: Layout::Full,
            mode: 3,
            index,
            retired: u64::from(index) * 100,
            cycle: 0,
            pc: 0x8000_0000,
            registers: [0; 32],
        },
        entries: vec![0; 200],
        trailer: Trailer {
            instructions: 100,
            digest: 0,
            reason: EndReason::Length,
        },
    })
}

/// A recording of the right form: `hello` in intervals as [`interval`] makes them.
pub fn sample(intervals: u32) -> Vec<u8> {
    let registers = [
        (0x00, 0x4b4f_4f4c),
        (0x01, 0x0101_0001),
        (0x02, 0x0808_0207),
        (0x03, 0x0810_0a06),
        (0x04, 25_000_000),
        (0x05, 0x8000_0000),
        (0x06, 0xff00_0000),
        (0x11, 100),
        (0x12, 7),
        (0x13, 0x8000_0000),
        (0x14, 0x8000_0400),
        (0x15, 0),
        (0x10, 2),
    ];
    let config = RecorderConfig::from_registers(|number| {
        registers.iter().find(|r| r.0 == number).map(|r| r.1)
    });
    let mut file = Writer::new(Vec::new()).unwrap();
    file.put(&Chunk::Config(config.unwrap())).unwrap();
    let bytes = std::fs::read(firmware("hello")).unwrap();
    let name = "hello.elf".into();
    file.put(&Chunk::Elf(Elf { name, bytes })).unwrap();
    for index in 0..intervals {
        let record = interval(index);
        file.put(&Chunk::Record { hart: 0, record }).unwrap();
    }
    let end = End {
        reason: EndReason::RunEnded,
        code: 0x5555,
        retired: u64::from(intervals) * 100,
        cycles: 1000,
        stalls: 0,
        lost: 0,
        fired: None,
        breach: None,
    };
    file.put(&Chunk::End(end)).unwrap();
    std::mem::take(file.get_mut())
}

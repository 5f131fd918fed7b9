//! Runs the command in a folder of its own and looks at what it says.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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
    let output = Command::new(env!("CARGO_BIN_EXE_lookback"))
        .args(args)
        .current_dir(scratch.0.path())
        .envs(environment.iter().copied())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    Run {
        status: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

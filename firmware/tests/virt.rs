//! Every program that claims to run on QEMU's `virt` machine does there what its head says: so the
//! expectations hold on a machine that this project did not make.

use std::env;
use std::io::Write;
use std::process::{Command, Stdio};

use lookback_firmware::{programs, Program};

/// The emulator to use, or none when it is not installed.
fn qemu() -> Option<String> {
    let command = env::var("LOOKBACK_QEMU_SYSTEM").unwrap_or("qemu-system-riscv32".to_owned());
    let runs = Command::new(&command)
        .arg("--version")
        .stdout(Stdio::null())
        .status()
        .is_ok();
    runs.then_some(command)
}

/// What comes out of the console, and the code that the finisher got.
fn run(qemu: &str, program: &Program) -> (Vec<u8>, i32) {
    let mut child = Command::new(qemu)
        .args([
            "-M", "virt", "-bios", "none", "-display", "none", "-monitor", "none",
        ])
        .args(["-serial", "stdio", "-kernel"])
        .arg(&program.elf)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // Held open while the machine runs: at the end of its input QEMU may stop reading the console.
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&program.header.stdin).unwrap();
    let output = child.wait_with_output().unwrap();
    (output.stdout, output.status.code().unwrap())
}

#[test]
fn programs_do_on_virt_what_their_heads_say() {
    let Some(qemu) = qemu() else {
        eprintln!("SKIPPED: qemu-system-riscv32 is not installed");
        return;
    };
    for program in programs()
        .unwrap()
        .iter()
        .filter(|program| program.header.virt)
    {
        let (console, code) = run(&qemu, program);
        assert!(
            program.header.console_matches(&console),
            "{} printed:\n{}",
            program.name,
            String::from_utf8_lossy(&console)
        );
        let expected = match program.header.expect.finish_code() {
            0x5555 => 0,
            fail => fail >> 16,
        };
        assert_eq!(code as u32, expected, "{}", program.name);
    }
}

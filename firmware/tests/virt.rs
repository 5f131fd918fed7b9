//! Every program that claims to run on QEMU's `virt` machine does there what its head says: so the
//! expectations hold on a machine that this project did not make.

use std::env;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use lookback_firmware::{benches, parallel_programs, programs, Program};

/// Far more than any program takes: one that has not ended by then never will.
const PATIENCE: Duration = Duration::from_secs(120);

/// The emulator to use, or none when it is not installed.
fn qemu() -> Option<String> {
    let command = env::var("LOOKBACK_QEMU_SYSTEM").unwrap_or("qemu-system-riscv32".to_owned());
    let version = Command::new(&command)
        .arg("--version")
        .stdout(Stdio::null())
        .status();
    version.is_ok().then_some(command)
}

/// Waits for the machine to end by itself; its exit status is the finisher's code.
fn wait(child: &mut Child, name: &str) -> i32 {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code().unwrap();
        }
        if start.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("{name} does not end");
        }
        thread::sleep(Duration::from_millis(10));
    }
}

/// What comes out of the console, and the code that the finisher got.
fn run(qemu: &str, program: &Program) -> (Vec<u8>, i32) {
    let mut child = Command::new(qemu)
        .args(["-M", "virt", "-bios", "none", "-display", "none"])
        .args(["-smp", &program.harts.to_string()])
        .args(["-monitor", "none", "-serial", "stdio", "-kernel"])
        .arg(&program.elf)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // Held until the end, so that the console stays open while the program runs.
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&program.header.stdin).unwrap();
    // All programs print less than a pipe holds, so reading can wait.
    let code = wait(&mut child, &program.name);
    let mut console = Vec::new();
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_to_end(&mut console).unwrap();
    (console, code)
}

#[test]
fn programs_do_on_virt_what_their_heads_say() {
    let Some(qemu) = qemu() else {
        assert!(
            env::var_os("LOOKBACK_REQUIRE_TOOLS").is_none(),
            "qemu-system-riscv32 is not installed"
        );
        eprintln!("SKIPPED: qemu-system-riscv32 is not installed");
        return;
    };
    // Four harts that wait for each other take minutes where the host has fewer cores.
    let several = parallel_programs(2).unwrap();
    let all = [programs().unwrap(), benches().unwrap(), several].concat();
    for program in all.iter().filter(|program| program.header.virt) {
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

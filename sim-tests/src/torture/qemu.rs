//! QEMU's `virt` machine as the machine that this project did not make.
//!
//! Its CPU is told to have the extensions of ours and no other, so that what is illegal here is
//! illegal there. Its RAM is a file, so that all of it can be compared when the program has ended.

use anyhow::{bail, ensure, Context, Result};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// RAM of the machine, as the board has it.
pub const RAM_BYTES: u32 = 16 << 20;

/// Far more than any batch takes.
const PATIENCE: Duration = Duration::from_secs(120);

/// RV32IMA with M and U mode; identification registers read zero.
const CPU: &str = "rv32,c=false,f=false,d=false,s=false,h=false,zba=false,zbb=false,zbc=false,\
                   zbs=false,mmu=false,marchid=0,mimpid=0";

/// The emulator: `$LOOKBACK_QEMU_SYSTEM`, else the one in the path.
fn command() -> String {
    std::env::var("LOOKBACK_QEMU_SYSTEM").unwrap_or_else(|_| "qemu-system-riscv32".to_owned())
}

/// Runs an ELF to its end through the test finisher and gives the RAM in words.
pub fn run(elf: &[u8]) -> Result<Vec<u32>> {
    let folder = tempfile::tempdir()?;
    let (file, ram) = (folder.path().join("program.elf"), folder.path().join("ram"));
    std::fs::write(&file, elf)?;
    let backend = format!(
        "memory-backend-file,id=ram,size={RAM_BYTES},share=on,mem-path={}",
        ram.display()
    );
    let command = command();
    let mut child = Command::new(&command)
        .args(["-M", "virt,memory-backend=ram", "-cpu", CPU, "-m"])
        .args([&format!("{}M", RAM_BYTES >> 20), "-object", &backend])
        .args(["-bios", "none", "-display", "none", "-monitor", "none"])
        .args(["-serial", "null", "-kernel"])
        .arg(&file)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| {
            format!(
                "cannot run {command}: install QEMU (`cargo xtask setup`) or name it in \
                 LOOKBACK_QEMU_SYSTEM"
            )
        })?;
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if start.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            bail!("the programs do not end on QEMU");
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    if !status.success() {
        let mut said = String::new();
        if let Some(mut stderr) = child.stderr.take() {
            std::io::Read::read_to_string(&mut stderr, &mut said)?;
        }
        bail!("QEMU ended with {status}: {said}");
    }
    let bytes = std::fs::read(&ram).context("QEMU left no RAM")?;
    ensure!(
        bytes.len() == RAM_BYTES as usize,
        "QEMU's RAM has another size"
    );
    let words = bytes.chunks_exact(4);
    Ok(words
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect())
}

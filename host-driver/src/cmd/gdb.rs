//! `lookback gdb`: a recording in gdb, forwards and backwards.

use super::open::{flaws, tell_flaws, OpenArgs, Opened, Unusable};
use super::Outcome;
use crate::stop;
use crate::text::parse_memory;
use anyhow::{bail, Context, Result};
use lookback_debugger::gdb::server::News;
use lookback_debugger::gdb::{serve, Session};
use lookback_debugger::Symbols;
use std::ffi::OsStr;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

/// Debuggers that are looked for, in this order.
const DEBUGGERS: [&str; 6] = [
    "gdb-multiarch",
    "riscv32-unknown-elf-gdb",
    "riscv64-unknown-elf-gdb",
    "riscv-none-elf-gdb",
    "riscv64-elf-gdb",
    "gdb",
];

/// What gdb is told before anything else. After `monitor goto` it must not believe what it read
/// before, and a question about memory may take a replay of the whole recording. That nothing can be
/// changed it says better when it knows.
const INIT: &str = "\
set remotetimeout 600
set may-call-functions off
set may-write-memory off
define hookpost-monitor
pipe maintenance flush register-cache | cat >/dev/null
pipe maintenance flush dcache | cat >/dev/null
end
";

/// Options of `lookback gdb`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The recording.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The firmware; refused unless it is the one that was recorded.
    #[arg(long, value_name = "FILE")]
    elf: Option<PathBuf>,
    /// Only serve, for a gdb that connects by itself: PORT or HOST:PORT. A port alone is one of this
    /// machine only.
    #[arg(long, value_name = "ADDRESS", conflicts_with = "script")]
    listen: Option<String>,
    /// Run a file of gdb commands and end.
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    /// Memory for snapshots, which make going backwards fast.
    #[arg(long, value_name = "SIZE", default_value = "512M", value_parser = parse_memory)]
    memory: usize,
    /// The gdb to start.
    #[arg(long, value_name = "PROGRAM", conflicts_with = "listen")]
    gdb: Option<PathBuf>,
}

pub(super) fn run(args: &Args) -> Result<Outcome> {
    let file = args.file.display().to_string();
    let open = OpenArgs {
        file: args.file.clone(),
        elf: args.elf.clone(),
        json: false,
    };
    let opened = open.open()?;
    let image = opened.replayable(&file)?;
    let Opened { recording, elf, .. } = opened;
    let debugger = match args.listen {
        Some(_) => None,
        None => find_debugger(args.gdb.as_deref())?,
    };
    if debugger.is_none() && args.script.is_some() {
        bail!("no gdb for RISC-V is installed; on Debian: apt install gdb-multiarch");
    }
    let flaws = flaws(&recording);
    tell_flaws(&file, &recording, &flaws);
    let symbols = Symbols::load(&elf);
    let mut session = Session::open(
        &recording,
        &image,
        &symbols,
        args.memory,
        debugger.is_some(),
    )
    .map_err(|error| Unusable::new(&file, error.to_string()))?;
    let listener = listen(args.listen.as_deref().unwrap_or("0"))?;
    let address = listener.local_addr()?;
    stop::listen();
    match debugger {
        Some(debugger) => {
            let name = recording.elf.as_ref().map(|elf| elf.name.as_str());
            let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
            let elf = match &args.elf {
                Some(path) => path.clone(),
                None => unpack(folder.path(), name.unwrap_or("firmware.elf"), &elf)?,
            };
            let init = folder.path().join("lookback.gdb");
            std::fs::write(&init, format!("{INIT}target remote {address}\n"))
                .with_context(|| format!("cannot write {}", init.display()))?;
            let child = start(&debugger, &init, args.script.as_deref(), &elf)?;
            let status = serve_child(&listener, &mut session, child)?;
            if args.script.is_some() && !status.success() {
                bail!("the script failed: gdb ended with {status}");
            }
        }
        None => {
            announce(&args.listen, address, &session);
            let tell = |news: News<'_>| eprintln!("lookback: {news}");
            serve(&listener, &mut session, &tell, &|| stop::asked() > 0)?;
        }
    }
    Ok(Outcome::fine_if(flaws.is_empty()))
}

fn announce(listen: &Option<String>, address: SocketAddr, session: &Session<'_>) {
    if listen.is_none() {
        eprintln!(
            "lookback: no gdb for RISC-V is installed (on Debian: apt install gdb-multiarch), so \
             this only serves"
        );
    }
    if !address.ip().is_loopback() {
        eprintln!("lookback: whoever can reach {address} can read the recording");
    }
    eprintln!("lookback: {}", session.describe());
    eprintln!("lookback: in gdb, with the firmware's ELF: target remote {address}");
    eprintln!("lookback: Ctrl-C ends the server");
}

/// Listens at PORT or HOST:PORT.
fn listen(text: &str) -> Result<TcpListener> {
    let port = text.strip_prefix(':').unwrap_or(text);
    let address = match port.parse::<u16>() {
        Ok(port) => format!("127.0.0.1:{port}"),
        Err(_) => text.to_owned(),
    };
    let addresses: Vec<SocketAddr> = address
        .to_socket_addrs()
        .with_context(|| format!("`{text}` is no address; write it like 1234 or 127.0.0.1:1234"))?
        .collect();
    TcpListener::bind(addresses.as_slice()).with_context(|| format!("cannot listen at {address}"))
}

/// A gdb that knows RISC-V; the one that the user named must.
fn find_debugger(named: Option<&Path>) -> Result<Option<PathBuf>> {
    if let Some(named) = named {
        if !knows_riscv(named.as_os_str()) {
            bail!(
                "{} cannot be run, or does not know RISC-V; try gdb-multiarch",
                named.display()
            );
        }
        return Ok(Some(named.to_owned()));
    }
    let found = DEBUGGERS.iter().find(|name| knows_riscv(OsStr::new(name)));
    Ok(found.map(PathBuf::from))
}

fn knows_riscv(program: &OsStr) -> bool {
    let asked = Command::new(program)
        .args(["-nx", "-batch", "-ex", "set architecture riscv:rv32"])
        .stdin(Stdio::null())
        .output();
    asked.is_ok_and(|output| {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        output.status.success() && !said.contains("Undefined item")
    })
}

/// Writes the ELF that is inside the recording, under its own name.
fn unpack(folder: &Path, name: &str, elf: &[u8]) -> Result<PathBuf> {
    let name = Path::new(name)
        .file_name()
        .unwrap_or("firmware.elf".as_ref());
    // In a folder of its own, where it can take the place of nothing that gdb is given.
    let folder = folder.join("firmware");
    let path = folder.join(name);
    std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::write(&path, elf))
        .with_context(|| format!("cannot write {}", path.display()))?;
    Ok(path)
}

fn start(gdb: &Path, init: &Path, script: Option<&Path>, elf: &Path) -> Result<Child> {
    let mut command = Command::new(gdb);
    // An ELF can bring scripts for gdb. This one came with a recording, from anybody.
    command.args(["-q", "-iex", "set auto-load no"]);
    if script.is_some() {
        command.arg("-batch").stdin(Stdio::null());
    }
    command.arg("-x").arg(init);
    if let Some(script) = script {
        std::fs::metadata(script).with_context(|| format!("cannot read {}", script.display()))?;
        command.arg("-x").arg(script);
    }
    let child = command.arg(elf).spawn();
    child.with_context(|| format!("cannot start {}", gdb.display()))
}

/// Serves until gdb ends. Ctrl-C is gdb's: it interrupts a run, and the server lives on.
fn serve_child(
    listener: &TcpListener,
    session: &mut Session<'_>,
    mut child: Child,
) -> Result<ExitStatus> {
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            let status = child.wait();
            over.store(true, Ordering::Release);
            status
        });
        let tell = |news: News<'_>| {
            if let News::Note(text) = news {
                eprintln!("lookback: {text}");
            }
        };
        serve(listener, session, &tell, &|| over.load(Ordering::Acquire))?;
        match waiting.join() {
            Ok(status) => Ok(status?),
            Err(_) => bail!("gdb could not be waited for"),
        }
    })
}

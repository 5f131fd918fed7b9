//! `lookback sim`: a simulated board that looks like a real one from outside: a serial port for its
//! log, stdin and stdout for its console.

use super::board::{self, BoardArgs, LinkSpeed};
use super::{print_json, Outcome};
use crate::console_input::ConsoleInput;
use crate::driver::ending::Ending;
use crate::firmware::Firmware;
use crate::stop;
use crate::text::{count, rate};
use crate::transport::faults::{Cable, Fault, Faults};
use crate::ui::Ui;
use anyhow::{Context, Result};
use lookback_log_format::frame::{kind, Frame, FrameDecoder};
use lookback_log_format::link::{Placed, CONTROL_ACKNOWLEDGED, KEPT};
use lookback_log_format::registers::{CONTROL, CONTROL_RECORD};
use lookback_sim::pty::{Pty, NOMINAL_BAUD};
use lookback_sim::{Board, BoardOptions};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{Duration, Instant};

/// Cycles between two looks at the port: few, since the slow engine takes its time for them.
const SLICE: u64 = 512;
/// A pause when there is nothing to do but wait for the other end of the port.
const NAP: Duration = Duration::from_millis(5);
/// A host that keeps the port open after the end gets this long to read what it was sent.
const LINGER: Duration = Duration::from_secs(5);

/// A host that is away for so long is missed.
const NOTICE: Duration = Duration::from_secs(1);

/// A recorder that goes on recording is told to stop again after this.
const RETELL: Duration = Duration::from_secs(1);

/// How long a board waits for its host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wait {
    AtMost(Duration),
    Forever,
}

impl FromStr for Wait {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "forever" {
            return Ok(Self::Forever);
        }
        text.parse()
            .map(|seconds: u32| Self::AtMost(Duration::from_secs(seconds.into())))
            .map_err(|_| format!("`{text}` is no time; write seconds, or `forever`"))
    }
}

/// Options of `lookback sim`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The firmware.
    #[arg(long, value_name = "FILE")]
    elf: PathBuf,
    #[command(flatten)]
    board: BoardArgs,
    /// Stop after about so many instructions.
    #[arg(long, value_name = "N")]
    max_instructions: Option<u64>,
    /// Leave the recorder out: the firmware begins at once.
    #[arg(long)]
    no_recorder: bool,
    /// How long the firmware waits for a recording to be started.
    #[arg(long, value_name = "SECONDS|forever", default_value = "10")]
    wait: Wait,
    /// Write the path of the log link's port into this file.
    #[arg(long, value_name = "FILE", conflicts_with = "no_recorder")]
    port_file: Option<PathBuf>,
    /// Print the summary, and the firmware's console in it, as JSON.
    #[arg(long)]
    json: bool,
    /// What goes wrong on the link, as rates per byte: flip=1e-4,drop=1e-5,dup=1e-5,swap=1e-5,
    /// burst=1e-6:64,stall=1e-5,disconnect=1e-7,reset=1e-7 (a reset is the board's).
    #[arg(long, value_name = "SPEC", conflicts_with = "no_recorder")]
    faults: Option<Faults>,
    /// Which faults, and which interleaving of several harts: the same number brings the same ones, 0
    /// the interleaving of the hardware alone.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

/// What a run came to.
#[derive(Serialize)]
struct Summary {
    engine: &'static str,
    instructions: u64,
    cycles: u64,
    stall_cycles: u64,
    ended: Ending,
    seconds: f64,
}

pub(super) fn run(args: &Args) -> Result<Outcome> {
    let firmware = Firmware::read(&args.elf)?;
    let mut ui = Ui::new(args.json);
    let options = BoardOptions {
        recorder: !args.no_recorder,
        hold: !args.no_recorder,
        seed: board::interleaving(args.seed),
        ..args.board.options()?
    };
    if let Some(note) = args.board.note().filter(|_| options.recorder) {
        ui.tell(&note);
    }
    let board = board::power_up(&options, &firmware, &mut ui)?;
    let pty = match args.no_recorder {
        true => None,
        false => Some(open_port(args, &mut ui)?),
    };
    stop::listen();
    let mut desk = Desk {
        board,
        pty,
        input: ConsoleInput::from_stdin(),
        held: options.hold,
        told_stop: None,
        quiet_since: None,
        faults: BadCable::new(args),
        held_log: HeldLog::default(),
        absent_since: None,
        told_absence: false,
    };
    let began = Instant::now();
    let ended = desk.run(args, &mut ui)?;
    ui.finish();
    if let Some(BadCable { cable, .. }) = &desk.faults {
        ui.tell(&format!("faults on the link: {}", cable.told()));
    }
    report(&desk.board, ended, began.elapsed().as_secs_f64(), args, &ui)?;
    Ok(Outcome::Fine)
}

fn open_port(args: &Args, ui: &mut Ui) -> Result<Pty> {
    let baud = match args.board.link_speed {
        Some(LinkSpeed::Baud(baud)) => baud,
        Some(LinkSpeed::Max) | None => NOMINAL_BAUD,
    };
    let pty = Pty::open(baud)?;
    if let Some(file) = &args.port_file {
        write_port(file, pty.path())?;
    }
    let wait = match args.wait {
        Wait::AtMost(time) => format!("at most {} s", time.as_secs()),
        Wait::Forever => "as long as it takes".into(),
    };
    let option = if baud == NOMINAL_BAUD {
        String::new()
    } else {
        format!(" --baud {baud}")
    };
    ui.tell(&format!(
        "the board's log link is {port}; it waits {wait} for\n  \
         lookback record --port {port}{option} --elf {elf}",
        port = pty.path().display(),
        elf = args.elf.display(),
    ));
    Ok(pty)
}

/// Whoever waits for the file must never see half of it.
fn write_port(file: &Path, port: &Path) -> Result<()> {
    let cannot = || format!("cannot write {}", file.display());
    let mut name = file.as_os_str().to_owned();
    name.push(".part");
    let part = PathBuf::from(name);
    std::fs::write(&part, format!("{}\n", port.display())).with_context(cannot)?;
    std::fs::rename(&part, file).with_context(cannot)
}

/// A board with everything that is plugged into it.
struct Desk {
    board: Board,
    pty: Option<Pty>,
    input: ConsoleInput,
    /// The firmware waits for a recording.
    held: bool,
    /// When the recorder was last told to stop, if it was.
    told_stop: Option<Instant>,
    quiet_since: Option<Instant>,
    faults: Option<BadCable>,
    held_log: HeldLog,
    /// When the host went, if it may come back for what the board still holds.
    absent_since: Option<Instant>,
    told_absence: bool,
}

/// What the board still holds for its host, as its own frames tell: a host that was killed can come
/// back for it.
#[derive(Default)]
struct HeldLog {
    decoder: FrameDecoder,
    /// CONTROL while it records.
    control: u32,
    ended: bool,
    kept: u32,
    sent: u32,
}

impl HeldLog {
    fn see(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            let Some(Ok(frame)) = self.decoder.push(byte) else {
                continue;
            };
            if let Some(piece) = Placed::of(&frame) {
                self.sent = piece.offset.wrapping_add(piece.bytes.len() as u32);
            } else if frame.kind == kind::END {
                self.ended = true;
            }
            match frame.reply() {
                Some((KEPT, value)) => self.kept = value,
                Some((CONTROL, value)) if value & CONTROL_RECORD != 0 => {
                    self.control = value;
                    self.ended = false;
                }
                _ => {}
            }
        }
    }

    fn is_wanted(&self) -> bool {
        let acknowledged = self.control & CONTROL_ACKNOWLEDGED != 0;
        acknowledged && !(self.ended && self.kept == self.sent)
    }
}

/// The cable between board and port, when it is a bad one.
struct BadCable {
    cable: Cable,
    /// Until then nothing arrives, or what is under way is lost.
    until: Instant,
    broken: bool,
    to_board: Vec<u8>,
    to_host: Vec<u8>,
}

impl BadCable {
    fn new(args: &Args) -> Option<Self> {
        let faults = args.faults.clone()?;
        Some(Self {
            cable: Cable::new(faults, args.seed),
            until: Instant::now(),
            broken: false,
            to_board: Vec::new(),
            to_host: Vec::new(),
        })
    }

    /// Moves what has arrived in both directions, with what happens to it.
    fn exchange(&mut self, pty: &mut Pty, board: &mut Board, log: &mut HeldLog) -> Result<()> {
        let mut big = Vec::new();
        let from_host = self.cable.pass(&pty.receive()?, &mut big);
        let sent = board.link_take();
        log.see(&sent);
        let from_board = self.cable.pass(&sent, &mut big);
        self.to_board.extend(from_host);
        self.to_host.extend(from_board);
        for fault in big {
            match fault {
                Fault::Reset => board.reset()?,
                _ => {
                    self.until = Instant::now() + self.cable.pause();
                    self.broken |= fault == Fault::Disconnect;
                }
            }
        }
        if self.broken {
            self.to_board.clear();
            self.to_host.clear();
        }
        if Instant::now() >= self.until {
            self.broken = false;
            board.link_send(&std::mem::take(&mut self.to_board));
            pty.send(&std::mem::take(&mut self.to_host))?;
        }
        Ok(())
    }
}

impl Desk {
    /// Runs until the end; `None` when it was stopped before.
    fn run(&mut self, args: &Args, ui: &mut Ui) -> Result<Option<u32>> {
        let began = Instant::now();
        loop {
            let enough = args
                .max_instructions
                .is_some_and(|most| self.board.retired() >= most);
            let host_present = self.pty.as_ref().is_some_and(Pty::peer_present);
            // A host that was killed may come back for what the board holds; a user at the board may not.
            let awaited = host_present || stop::asked() == 0 && self.held_log.is_wanted();
            if stop::asked() > 1 || (stop::asked() > 0 || enough) && !self.stops(awaited, ui) {
                return Ok(self.board.finished());
            }
            if self.waits(host_present) {
                if matches!(args.wait, Wait::AtMost(time) if began.elapsed() >= time) {
                    ui.tell("nobody records; the firmware runs by itself");
                    self.board.set_hold(false);
                    self.held = false;
                } else {
                    std::thread::sleep(NAP);
                }
                continue;
            }
            if !self.cycle(ui)? {
                std::thread::sleep(NAP);
            }
            if self.over(args.wait, host_present) || self.is_left(args.wait, host_present, ui) {
                return Ok(self.board.finished());
            }
        }
    }

    /// Ends the recording that a host may be making, as that host would: a board that is gone
    /// would leave it without its last interval. `false` if there is none.
    fn stops(&mut self, host_present: bool, ui: &mut Ui) -> bool {
        if self.board.finished().is_some() || self.quiet_since.is_some() {
            return host_present;
        }
        if self.told_stop.is_none() && !host_present {
            return false;
        }
        // More than once, since the host may be just about to start.
        if self.told_stop.is_none_or(|last| last.elapsed() > RETELL) {
            if self.told_stop.replace(Instant::now()).is_none() {
                ui.tell("stopping; the recording ends first (Ctrl-C again to abort)");
            }
            // The host may be in the middle of a frame, which the first zero ends.
            let mut bytes = vec![0];
            // How the log is sent must not change.
            let control = self.held_log.control & !CONTROL_RECORD;
            bytes.extend(Frame::write(0, CONTROL, control).to_wire());
            self.board.link_send(&bytes);
        }
        true
    }

    /// Whether the firmware has not begun and nobody is there to begin it.
    fn waits(&self, host_present: bool) -> bool {
        self.held && !host_present && self.board.cycles() == 0
    }

    /// Some cycles, with all that goes in and out; `false` if the host is too slow just now.
    fn cycle(&mut self, ui: &mut Ui) -> Result<bool> {
        let room = match (&mut self.pty, &mut self.faults) {
            (Some(pty), Some(cable)) => {
                cable.exchange(pty, &mut self.board, &mut self.held_log)?;
                true
            }
            (Some(pty), None) => {
                let (held_log, board) = (&mut self.held_log, &mut self.board);
                pty.exchange(board, |bytes| held_log.see(bytes))?
            }
            (None, _) => true,
        };
        if !room {
            return Ok(false);
        }
        self.board.console_send(&self.input.take());
        let status = self.board.run(SLICE)?;
        ui.show_console(&self.board.console_take());
        let drained = self.pty.as_ref().is_none_or(|pty| pty.waiting() == 0);
        let ended = status.finished.is_some() || self.told_stop.is_some();
        if ended && status.quiet && drained {
            self.quiet_since.get_or_insert_with(Instant::now);
        } else {
            self.quiet_since = None;
        }
        if status.finished.is_none() {
            let board = &self.board;
            ui.show_progress(|| {
                format!(
                    "{} instructions, {} cycles",
                    count(board.retired()),
                    count(board.cycles())
                )
            });
        }
        // A board that has nothing to do but answer need not heat the room.
        Ok(self.quiet_since.is_none())
    }

    /// Whether the firmware has ended and nobody needs the board any more.
    fn over(&self, wait: Wait, host_present: bool) -> bool {
        let Some(since) = self.quiet_since else {
            return false;
        };
        // A host may be there and still look for the right speed.
        match (self.held_log.is_wanted(), wait) {
            (false, _) => !host_present || since.elapsed() > LINGER,
            (true, Wait::AtMost(time)) => host_present && since.elapsed() > time.max(LINGER),
            (true, Wait::Forever) => false,
        }
    }

    /// Whether a host that went without everything stays away for too long.
    fn is_left(&mut self, wait: Wait, host_present: bool, ui: &mut Ui) -> bool {
        if host_present || !self.held_log.is_wanted() {
            self.absent_since = None;
            self.told_absence = false;
            return false;
        }
        let since = *self.absent_since.get_or_insert_with(Instant::now);
        // Its last word may still be under way.
        if !self.told_absence && since.elapsed() >= NOTICE {
            self.told_absence = true;
            ui.tell("the host is gone; the board keeps what it has not acknowledged (--resume)");
        }
        let left = matches!(wait, Wait::AtMost(time) if since.elapsed() >= time);
        if left {
            ui.tell("nobody came back for the rest of the log");
        }
        left
    }
}

fn report(board: &Board, finished: Option<u32>, seconds: f64, args: &Args, ui: &Ui) -> Result<()> {
    let summary = Summary {
        engine: board::engine_name(board),
        instructions: board.retired(),
        cycles: board.cycles(),
        stall_cycles: board.stall_cycles(),
        ended: finished.map_or(Ending::Stopped, Ending::from_finish_code),
        seconds,
    };
    if args.json {
        let mut value = serde_json::to_value(&summary)?;
        value["console"] = ui.kept_console().into();
        return print_json(&value);
    }
    let text = format!(
        "{} instructions in {} cycles, {} of them held by the recorder; {seconds:.1} s, {} cycles \
         a second ({})\n  end: {}",
        count(summary.instructions),
        count(summary.cycles),
        count(summary.stall_cycles),
        rate(board.total_cycles() as f64 / seconds.max(1e-9)),
        summary.engine,
        summary.ended,
    );
    // Stdout belongs to the firmware's console.
    eprintln!("lookback: {text}");
    Ok(())
}

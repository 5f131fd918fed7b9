//! One client, from its first packet to its last.
//!
//! `gdbstub` answers packets; what it would take for the end of the session (a packet of the wrong
//! form, an action that makes no sense) is answered with an error here, and it starts anew, with the
//! few packets that it has to remember.

use super::arch::Rv32;
use super::server::{News, Tell};
use super::session::Session;
use super::target::tid;
use super::wire::{error, framed, Event, Wire, MAX_PACKET};
use crate::timeline::stops::{Stop, WatchKind};
use gdbstub::arch::Arch;
use gdbstub::common::Signal;
use gdbstub::conn::Connection;
use gdbstub::stub::state_machine::GdbStubStateMachine as Machine;
use gdbstub::stub::{GdbStub, MultiThreadStopReason};
use gdbstub::target::ext::base::reverse_exec::ReplayLogPosition;
use gdbstub::target::ext::breakpoints::WatchKind as GdbWatchKind;
use std::convert::Infallible;
use std::time::{Duration, Instant};

/// Why nothing can be changed.
const PAST: &str = "this is a recording of the past: registers and memory can be read, but not \
                    changed, and no function can be called";

/// What `gdbstub` writes, until it is sent.
#[derive(Debug, Default)]
struct Replies(Vec<u8>);

impl Connection for Replies {
    type Error = Infallible;

    fn write(&mut self, byte: u8) -> Result<(), Infallible> {
        self.0.push(byte);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

type Stub<'a> = Machine<'static, Session<'a>, Replies>;

/// What became of a packet.
enum Fed<'a> {
    /// It was answered, or the client wants to go.
    Stub(Stub<'a>),
    /// It made no sense.
    Refused,
}

/// A gdb that evaluates a breakpoint's condition resumes by itself, and Ctrl-C may come in between: it is
/// meant for a resumption that follows so soon.
const STILL_MEANT: Duration = Duration::from_secs(1);

/// A client and what it has said.
pub struct Conversation<'c, 'a> {
    wire: Wire,
    session: &'c mut Session<'a>,
    /// Packets that a new stub has to be told: what the client can, and which threads it means.
    remembered: Vec<Vec<u8>>,
    /// When Ctrl-C came while nothing ran.
    interrupted: Option<Instant>,
    tell: Tell<'c>,
}

impl<'c, 'a> Conversation<'c, 'a> {
    /// Starts with a client; `tell` is told what the user of the server should know.
    pub fn new(wire: Wire, session: &'c mut Session<'a>, tell: Tell<'c>) -> Self {
        Self {
            wire,
            session,
            remembered: Vec::new(),
            interrupted: None,
            tell,
        }
    }

    /// Answers until the client goes, or `ended` says so.
    pub fn hold(mut self, ended: &dyn Fn() -> bool) {
        let mut stub = self.stub();
        loop {
            let packet = match self.wire.receive_event() {
                Event::Packet(packet) => packet,
                Event::Gone => return,
                Event::Quiet if ended() => return,
                Event::Quiet => continue,
                Event::Interrupt => {
                    self.interrupted = Some(Instant::now());
                    continue;
                }
            };
            if packet.starts_with(b"vKill") {
                self.wire.reply(b"OK");
                return;
            }
            if self.answer(&packet) {
                continue;
            }
            self.remember(&packet);
            let Some(current) = stub.take() else {
                return;
            };
            stub = match self.feed(current, &shortened(&packet)) {
                Fed::Stub(Machine::Disconnected(_)) => return,
                Fed::Stub(stub) => Some(stub),
                Fed::Refused => {
                    let shown = String::from_utf8_lossy(&packet[..packet.len().min(60)]);
                    let text = format!("a packet makes no sense and is ignored: {shown:?}");
                    (self.tell)(News::Note(&text));
                    self.wire.reply(&error("the packet makes no sense here"));
                    self.stub()
                }
            };
        }
    }

    /// A stub that knows what it has to.
    fn stub(&mut self) -> Option<Stub<'a>> {
        let mut builder = GdbStub::builder(Replies::default());
        builder = builder.packet_buffer_size(MAX_PACKET + 64);
        let mut stub = builder.build().ok()?.run_state_machine(self.session).ok()?;
        for packet in self.remembered.clone() {
            if let Fed::Stub(mut fed) = push(stub, self.session, &packet) {
                replies(&mut fed).clear();
                stub = fed;
            } else {
                return None;
            }
        }
        Some(stub)
    }

    fn remember(&mut self, packet: &[u8]) {
        let kind = match packet {
            [b'H', which, ..] => vec![b'H', *which],
            _ if packet.starts_with(b"qSupported") => b"qSupported".to_vec(),
            _ => return,
        };
        self.remembered.retain(|known| !known.starts_with(&kind));
        self.remembered.push(packet.to_vec());
    }

    /// Answers what `gdbstub` does not answer well.
    fn answer(&mut self, packet: &[u8]) -> bool {
        let resumes_elsewhere = matches!(packet, [b'c' | b's', rest @ ..]
            if !rest.is_empty() && rest.iter().all(u8::is_ascii_hexdigit));
        match packet {
            b"QStartNoAckMode" => {
                self.wire.reply(b"OK");
                self.wire.stop_acks();
            }
            [b'M' | b'X' | b'P' | b'G', ..] => {
                (self.tell)(News::Note(PAST));
                self.wire.reply(&error(PAST));
            }
            _ if resumes_elsewhere => self.wire.reply(&error(PAST)),
            _ => return false,
        }
        true
    }

    /// Gives a packet to the stub, sends its answer, and runs if that was asked for.
    fn feed(&mut self, stub: Stub<'a>, packet: &[u8]) -> Fed<'a> {
        let mut stub = match push(stub, self.session, packet) {
            Fed::Stub(stub) => stub,
            Fed::Refused => {
                forget(self.session, &mut self.remembered, packet);
                return Fed::Refused;
            }
        };
        while let Machine::Running(mut running) = stub {
            // The acknowledgement of the packet; there is no answer before the stop.
            running.borrow_conn().0.clear();
            let wire = &mut self.wire;
            let (stop, notes) = match self.interrupted.take() {
                Some(when) if when.elapsed() < STILL_MEANT => {
                    self.session.request = None;
                    (Stop::Interrupted, Vec::new())
                }
                _ => self.session.run(&mut || wire.wants_stop()),
            };
            for note in notes {
                self.wire.console(&format!("lookback: {note}\n"));
            }
            let reason = self.reason(&stop);
            stub = match running.report_stop(self.session, reason) {
                Ok(stub) => stub,
                Err(_) => return Fed::Refused,
            };
        }
        let sent = std::mem::take(replies(&mut stub));
        // Acknowledgements are the wire's business.
        let packets = sent.strip_prefix(b"+").unwrap_or(&sent);
        if !packets.is_empty() {
            self.wire.send_packets(packets.to_vec());
        }
        Fed::Stub(stub)
    }

    fn reason(&self, stop: &Stop) -> MultiThreadStopReason<<Rv32 as Arch>::Usize> {
        let tid = tid(self.session.current);
        let signal = |signal| MultiThreadStopReason::SignalWithThread { tid, signal };
        let edge = |pos| MultiThreadStopReason::ReplayLog {
            tid: Some(tid),
            pos,
        };
        match *stop {
            Stop::Step => signal(Signal::SIGTRAP),
            Stop::Breakpoint => MultiThreadStopReason::SwBreak(tid),
            Stop::Watch { kind, addr } => MultiThreadStopReason::Watch {
                tid,
                kind: match kind {
                    WatchKind::Write => GdbWatchKind::Write,
                    WatchKind::Read => GdbWatchKind::Read,
                    WatchKind::Access => GdbWatchKind::ReadWrite,
                },
                addr,
            },
            Stop::End => edge(ReplayLogPosition::End),
            // gdb has no word for a hole; this stops every command of its, and a note tells why.
            Stop::Begin | Stop::Hole(_) => edge(ReplayLogPosition::Begin),
            Stop::Interrupted => signal(Signal::SIGINT),
        }
    }
}

/// A thread that the stub does not take must not be told to the next stub either.
fn forget(session: &mut Session<'_>, remembered: &mut Vec<Vec<u8>>, packet: &[u8]) {
    session.request = None;
    remembered.retain(|known| known != packet);
}

fn replies<'s>(stub: &'s mut Stub<'_>) -> &'s mut Vec<u8> {
    match stub {
        Machine::Idle(inner) => &mut inner.borrow_conn().0,
        Machine::Running(inner) => &mut inner.borrow_conn().0,
        Machine::CtrlCInterrupt(inner) => &mut inner.borrow_conn().0,
        Machine::Disconnected(inner) => &mut inner.borrow_conn().0,
    }
}

/// Gives a packet to an idle stub.
fn push<'a>(mut stub: Stub<'a>, session: &mut Session<'a>, packet: &[u8]) -> Fed<'a> {
    for byte in framed(packet) {
        stub = match stub {
            Machine::Idle(idle) => match idle.incoming_data(session, byte) {
                Ok(stub) => stub,
                Err(_) => return Fed::Refused,
            },
            other => other,
        };
    }
    Fed::Stub(stub)
}

/// Reads of more memory than fits an answer are shortened, as the protocol allows; `gdbstub` would
/// run over the end of the address space.
fn shortened(packet: &[u8]) -> Vec<u8> {
    const MOST: u64 = (MAX_PACKET / 2 - 64) as u64;
    let parts = packet.strip_prefix(b"m").and_then(|rest| {
        let (addr, len) = std::str::from_utf8(rest).ok()?.split_once(',')?;
        let number = |text: &str| u64::from_str_radix(text, 16).ok();
        Some((number(addr)?, number(len)?))
    });
    match parts {
        Some((addr, len)) if addr <= u64::from(u32::MAX) => {
            let left = (1 << 32) - addr;
            format!("m{addr:x},{:x}", len.min(MOST).min(left)).into_bytes()
        }
        _ => packet.to_vec(),
    }
}

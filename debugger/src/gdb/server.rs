//! Clients, one at a time: who comes while another is there is told so.

use super::conversation::Conversation;
use super::session::Session;
use super::wire::{error, Event, Wire};
use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{channel, Sender};
use std::time::{Duration, Instant};

/// How often the listener is looked at.
const TICK: Duration = Duration::from_millis(20);
/// How long a client that is not wanted is listened to.
const REFUSAL: Duration = Duration::from_secs(5);

/// What the user of the server may want to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum News<'n> {
    /// A client came or went.
    Client(&'n str),
    /// Something else than gdb itself would tell.
    Note(&'n str),
}

impl fmt::Display for News<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Client(text) | Self::Note(text)) = self;
        f.write_str(text)
    }
}

/// Told the news.
pub type Tell<'t> = &'t (dyn Fn(News<'_>) + Sync);

/// Serves clients until `ended` says so.
pub fn serve(
    listener: &TcpListener,
    session: &mut Session<'_>,
    tell: Tell<'_>,
    ended: &(dyn Fn() -> bool + Sync),
) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let (busy, over) = (AtomicBool::new(false), AtomicBool::new(false));
    let (sender, clients) = channel();
    std::thread::scope(|scope| {
        scope.spawn(|| accept(listener, &busy, &over, tell, sender));
        while !ended() {
            let Ok((stream, address)) = clients.recv_timeout(TICK) else {
                continue;
            };
            match Wire::new(stream) {
                Ok(wire) => {
                    session.rewind();
                    let text = format!("{address} is connected; {}", session.describe());
                    tell(News::Client(&text));
                    Conversation::new(wire, session, tell).hold(ended);
                    tell(News::Client(&format!("{address} is gone")));
                }
                Err(why) => {
                    let text = format!("{address} cannot be spoken with: {why}");
                    tell(News::Note(&text));
                }
            }
            busy.store(false, Ordering::Release);
        }
        over.store(true, Ordering::Release);
    });
    Ok(())
}

fn accept(
    listener: &TcpListener,
    busy: &AtomicBool,
    over: &AtomicBool,
    tell: Tell<'_>,
    sender: Sender<(TcpStream, SocketAddr)>,
) {
    while !over.load(Ordering::Acquire) {
        match listener.accept() {
            Ok((stream, address)) if busy.swap(true, Ordering::AcqRel) => {
                std::thread::spawn(move || refuse(stream));
                let text = format!("{address} was refused: another client is connected");
                tell(News::Note(&text));
            }
            Ok(client) => {
                if sender.send(client).is_err() {
                    return;
                }
            }
            Err(why) => {
                if why.kind() != io::ErrorKind::WouldBlock {
                    tell(News::Note(&format!("a client could not connect: {why}")));
                }
                std::thread::sleep(TICK);
            }
        }
    }
}

/// Tells a client that another one is there, in the answer to whatever it asks.
fn refuse(stream: TcpStream) {
    let Ok(mut wire) = Wire::new(stream) else {
        return;
    };
    let began = Instant::now();
    while began.elapsed() < REFUSAL {
        match wire.receive_event() {
            Event::Packet(_) => {
                wire.reply(&error("another debugger is connected to this recording"));
            }
            Event::Gone => return,
            Event::Interrupt | Event::Quiet => {}
        }
    }
}

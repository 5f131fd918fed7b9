//! Bytes from a debugger, or from whoever found its port.

use lookback_debugger::gdb::conversation::Conversation;
use lookback_debugger::gdb::session::Session;
use lookback_debugger::gdb::wire::{checksum, framed, Framer, Wire};
use lookback_debugger::Symbols;
use lookback_replay::Recording;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// Memory for snapshots.
const MEMORY: usize = 4 << 20;
/// A conversation that is not over after this hangs.
const HANG: Duration = Duration::from_secs(60);

/// The server's answers end when the client goes, whatever it said, and the next one is served.
pub fn check(bytes: &[u8]) {
    let mut framer = Framer::default();
    for &byte in bytes {
        framer.take(byte);
    }
    let recording = Recording::from_bytes(include_bytes!("../../seeds/container/hello.lbk"));
    let recording = recording.expect("the seed is a recording");
    let image = recording.image(None).expect("the seed has its firmware");
    let symbols = Symbols::load(&[]);
    let session = Session::open(&recording, &image, &symbols, MEMORY, false);
    let mut session = session.expect("the seed can be debugged");
    talk(&mut session, bytes);
    session.rewind();
    let answer = talk(&mut session, &framed(b"qC"));
    assert!(answer.contains(&b'$'), "it no longer answers: {answer:?}");
    assert_eq!(checksum(b"OK"), b'O'.wrapping_add(b'K'));
}

/// Says something to the server, hangs up, and gives what came back.
fn talk(session: &mut Session<'_>, bytes: &[u8]) -> Vec<u8> {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("it has an address");
    let mut client = TcpStream::connect(address).expect("it listens");
    let (server, _) = listener.accept().expect("somebody called");
    let said = bytes.to_vec();
    let listening = std::thread::spawn(move || {
        // The server may hang up first, and that is its right.
        let _ = client.write_all(&said);
        let _ = client.shutdown(Shutdown::Write);
        let mut heard = Vec::new();
        let _ = client.read_to_end(&mut heard);
        heard
    });
    let began = Instant::now();
    let wire = Wire::new(server).expect("the connection is fresh");
    Conversation::new(wire, session, &|_| {}).hold(&|| began.elapsed() > HANG);
    assert!(began.elapsed() < HANG, "the conversation hangs");
    listening.join().expect("listening cannot fail")
}

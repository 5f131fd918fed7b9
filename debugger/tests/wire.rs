//! Clients that are no gdb: packets of the wrong form, bytes that are none, clients that vanish or
//! come twice. The server answers or ignores them, and serves on.

mod support;

use lookback_replay::Recording;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::OnceLock;
use std::time::Duration;
use support::{gdb_at, recorded, served};

fn recording() -> &'static Recording {
    static RECORDING: OnceLock<Recording> = OnceLock::new();
    RECORDING.get_or_init(|| recorded("heap_overflow", 2000))
}

struct Client(TcpStream);

impl Client {
    fn connect(port: u16) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        Self(stream)
    }

    fn send(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).unwrap();
    }

    fn packet(&mut self, body: &[u8]) {
        let sum = body.iter().fold(0u8, |sum, &byte| sum.wrapping_add(byte));
        self.send(b"$");
        self.send(body);
        self.send(format!("#{sum:02x}").as_bytes());
    }

    /// Bytes up to the end of the next packet that is not console output.
    fn reply(&mut self) -> String {
        loop {
            let reply = self.any_reply();
            if !reply.contains("$O") || reply.contains("$OK") {
                return reply;
            }
        }
    }

    fn any_reply(&mut self) -> String {
        let mut got = Vec::new();
        let mut byte = [0];
        loop {
            self.0.read_exact(&mut byte).expect("the server answers");
            got.push(byte[0]);
            if got.len() > 2 && got[got.len() - 3] == b'#' {
                return String::from_utf8_lossy(&got).into_owned();
            }
        }
    }

    fn ask(&mut self, body: &[u8]) -> String {
        self.packet(body);
        self.reply()
    }

    /// The server still makes sense.
    fn assert_fine(&mut self) {
        let reply = self.ask(b"qC");
        assert!(reply.contains('$'), "{reply}");
        let reply = self.ask(b"g");
        // 33 registers, some of them run-length encoded.
        assert!(reply.contains("$00") && reply.len() > 60, "{reply}");
    }
}

#[test]
fn odd_packets_are_answered() {
    served(recording(), |port| {
        let mut client = Client::connect(port);
        client.ask(b"qSupported:multiprocess+;swbreak+");
        let odd: [&[u8]; 40] = [
            b"",
            b"m",
            b"m,",
            b"m80000000",
            b"m80000000,",
            b"m80000000,zz",
            b"mffffffff,1000",
            b"m0,ffffffffffffffff",
            b"mffffffffffffffff,4",
            b"m80000000,0",
            b"Z",
            b"Z9,0,4",
            b"Z0",
            b"Z0,80000000",
            b"Z2,80000000,ffffffff",
            b"z2,1,1",
            b"Z0,123456789012,4",
            b"vCont",
            b"vCont;",
            b"vCont;x",
            b"vCont;s",
            b"vCont;t",
            b"vCont;r1",
            b"vCont;s:p9.9;c:zz",
            b"H",
            b"Hg",
            b"Hgzz",
            b"Hg-1",
            b"Hg99",
            b"T",
            b"T0",
            b"Tzz",
            b"p",
            b"pffffffff",
            b"P1=00",
            b"G00",
            b"qRcmd,zz",
            b"qRcmd,6",
            b"qXfer:features:read:target.xml:ffffffff,ffffffff",
            b"\xff\x00\x80}",
        ];
        for packet in odd {
            client.packet(packet);
            let reply = client.reply();
            assert!(reply.contains('$'), "{packet:?} {reply}");
        }
        client.ask(b"Hg0");
        client.assert_fine();
    });
}

#[test]
fn bytes_that_are_no_packets_are_skipped() {
    let (_, told) = served(recording(), |port| {
        let mut client = Client::connect(port);
        client.send(b"hello?\r\n\x03\x03+++---");
        client.send(b"$g#00");
        let mut nack = [0];
        client.0.read_exact(&mut nack).unwrap();
        assert_eq!(&nack, b"-");
        client.send(b"$never ended $g$g");
        client.send(&vec![b'x'; 100_000]);
        client.send(b"#zz");
        client.0.read_exact(&mut nack).unwrap();
        assert_eq!(&nack, b"-");
        client.assert_fine();
        // The last answer once more.
        let first = client.ask(b"?");
        client.send(b"-");
        assert_eq!(format!("+{}", client.reply()), first);
        // Pseudo-random bytes.
        let mut state = 1u32;
        for _ in 0..200_000 {
            state = state.wrapping_mul(1664525).wrapping_add(1013904223);
            client.send(&[(state >> 24) as u8]);
        }
    });
    assert!(told.iter().any(|text| text.contains("is gone")));
}

#[test]
fn writing_is_refused_with_an_explanation() {
    served(recording(), |port| {
        let mut client = Client::connect(port);
        for packet in [
            &b"M80000000,1:00"[..],
            b"X80000000,1:a",
            b"P0=00000000",
            b"G00",
            b"c80000000",
        ] {
            let reply = client.ask(packet);
            assert!(reply.contains("recording of the past"), "{reply}");
        }
        client.assert_fine();
    });
}

#[test]
fn clients_may_vanish_and_come_twice() {
    let (_, told) = served(recording(), |port| {
        for farewell in [
            &b""[..],
            b"$m8000",
            b"$bc#c5",
            b"$vCont;c#a8",
            b"$k#6b",
            b"$D#44",
        ] {
            let mut client = Client::connect(port);
            client.send(farewell);
        }
        let mut client = Client::connect(port);
        // Each of those before had its turn, so this one may be refused for a moment.
        while client.ask(b"?").contains("another debugger") {
            std::thread::sleep(Duration::from_millis(20));
            client = Client::connect(port);
        }
        let said = gdb_at(recording(), port, "info registers pc\n");
        assert!(said.contains("another debugger is connected"), "{said}");
        client.assert_fine();
        drop(client);
        let mut said = gdb_at(recording(), port, "info registers pc\n");
        while said.contains("another debugger") {
            said = gdb_at(recording(), port, "info registers pc\n");
        }
        assert!(said.contains("to_physical"), "{said}");
    });
    assert!(
        told.iter().any(|text| text.contains("was refused")),
        "{told:?}"
    );
}

#[test]
fn ctrl_c_interrupts_and_the_server_lives() {
    let recording = support::long_loop();
    served(&recording, |port| {
        let mut client = Client::connect(port);
        client.ask(b"qSupported:multiprocess+;swbreak+");
        // Never written, so that the run would go through all of it.
        assert!(client.ask(b"Z2,8000f000,4").contains("OK"));
        for run in [&b"bc"[..], b"vCont;c"] {
            client.packet(run);
            client.send(b"\x03");
            let reply = client.reply();
            assert!(
                reply.contains("T02") || reply.contains("replaylog"),
                "{reply}"
            );
            client.assert_fine();
        }
    });
}

/// As when gdb evaluates the condition of a breakpoint that is hit again and again.
#[test]
fn ctrl_c_between_two_runs_is_not_lost() {
    let recording = support::long_loop();
    served(&recording, |port| {
        let mut client = Client::connect(port);
        client.ask(b"qSupported:multiprocess+;swbreak+");
        client.send(b"\x03");
        client.assert_fine();
        let reply = client.ask(b"bc");
        assert!(reply.contains("T02"), "{reply}");
        // It is answered once.
        let reply = client.ask(b"bs");
        assert!(!reply.contains("T02"), "{reply}");
    });
}

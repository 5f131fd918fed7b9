//! A real gdb over several harts: what one hart does all of them see, in one order, forwards and
//! backwards.

mod support;

use lookback_log_format::order::OrderKind;
use lookback_replay::order::Schedule;
use lookback_replay::Recording;
use support::common::several::{parallel_config, record_parallel, ParallelRun};
use support::gdb;

fn run(name: &str, harts: u8, seed: u64) -> ParallelRun {
    let programs = lookback_firmware::parallel_programs(harts).unwrap();
    let program = programs
        .iter()
        .find(|program| program.name == name)
        .unwrap();
    let elf = std::fs::read(&program.elf).unwrap();
    record_parallel(name, &elf, parallel_config(harts, 3000), seed, 7, 1_000_000)
}

/// Every store to the counter, as hart and number of the instruction.
fn stores(run: &ParallelRun, addr: u32) -> Vec<(usize, u64)> {
    let mut counts = vec![0; usize::from(run.config.harts)];
    let mut stores = Vec::new();
    for (hart, retire) in &run.retires {
        if retire.mem_addr == addr && retire.mem_wmask != 0 {
            stores.push((*hart, counts[*hart]));
        }
        counts[*hart] += 1;
    }
    stores
}

const FLUSH: &str = "maintenance flush register-cache\nmaintenance flush dcache\n";

/// The numbers in `hart 0, instruction 123` of `info threads`, by hart.
fn positions(said: &str, harts: usize) -> Vec<u64> {
    let number = |hart: usize| {
        let (_, after) = said.split_once(&format!("hart {hart}, instruction "))?;
        let digits: String = after.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    };
    (0..harts).map(|hart| number(hart).expect(said)).collect()
}

fn schedule(recording: &Recording) -> Schedule {
    let image = recording.image(None).unwrap();
    Schedule::new(recording, &image, OrderKind::Strata).0
}

#[test]
fn a_counter_goes_up_and_down_whoever_counts() {
    let run = run("spin_lock", 2, 11);
    let recording = run.recording();
    let schedule = schedule(&recording);
    let script = format!(
        "monitor goto start\n{FLUSH}print &counter\nwatch counter\n{}{}",
        "continue\nprintf \"F %d by %d\\n\", counter, $_thread\ninfo threads\n".repeat(8),
        "reverse-continue\nprintf \"B %d by %d\\n\", counter, $_thread\ninfo threads\n".repeat(6)
    );
    let said = gdb(&recording, &script);
    let (_, address) = said.split_once("(uint32_t *) 0x").expect(&said);
    let digits: String = address
        .chars()
        .take_while(char::is_ascii_hexdigit)
        .collect();
    let stores = stores(&run, u32::from_str_radix(&digits, 16).unwrap());
    let zeroed = usize::from(stores[0].1 < 3000 && stores.len() > 600);
    let stops: Vec<&str> = said.split("\nF ").skip(1).collect();
    assert_eq!(stops.len(), 8, "{said}");
    for (number, stop) in stops.iter().enumerate() {
        let (hart, at) = stores[number + zeroed];
        let wanted = format!("{} by {}\n", number + 1, hart + 1);
        assert!(stop.starts_with(&wanted), "wanted {wanted} in {said}");
        // gdb goes over the store; the others are where the order has them.
        let moment = schedule.moment_after(hart as u8, at).unwrap();
        assert_eq!(positions(stop, 2), schedule.harts_at(moment), "{stop}");
    }
    let stops: Vec<&str> = said.split("\nB ").skip(1).collect();
    assert_eq!(stops.len(), 6, "{said}");
    for (number, stop) in stops.iter().enumerate() {
        // The stores are undone from the last one on; before the first stop the eighth was done.
        let undone = 7 - number;
        let (hart, at) = stores[undone + zeroed];
        let wanted = format!("{undone} by {}\n", hart + 1);
        assert!(stop.starts_with(&wanted), "wanted {wanted} in {said}");
        let moment = schedule.moment_before(hart as u8, at).unwrap();
        assert_eq!(positions(stop, 2), schedule.harts_at(moment), "{stop}");
    }
}

#[test]
fn a_step_and_back_leaves_every_hart_where_it_was() {
    let run = run("ticket_lock", 4, 3);
    let recording = run.recording();
    let steps = "stepi\nstepi\nstepi\n";
    let back = "reverse-stepi\nreverse-stepi\nreverse-stepi\n";
    let script = format!(
        "monitor goto 2000\n{FLUSH}echo \\n=A=\\n\ninfo threads\nthread 2\n\
         {steps}echo \\n=B=\\n\ninfo threads\n{back}echo \\n=C=\\n\ninfo threads\n\
         {steps}echo \\n=D=\\n\ninfo threads\n{back}echo \\n=E=\\n\ninfo threads\n"
    );
    let said = gdb(&recording, &script);
    let part = |from: &str, to: &str| {
        let (_, after) = said.split_once(from).expect(&said);
        positions(after.split_once(to).map_or(after, |(part, _)| part), 4)
    };
    let (a, b) = (part("=A=", "=B="), part("=B=", "=C="));
    let (c, d, e) = (part("=C=", "=D="), part("=D=", "=E="), part("=E=", "=F="));
    assert_eq!((b[1], c[1]), (a[1] + 3, a[1]), "{said}");
    assert_eq!((&b, &c), (&d, &e), "{said}");
    let schedule = schedule(&recording);
    let before = |hart, retired| schedule.harts_at(schedule.moment_before(hart, retired).unwrap());
    assert_eq!(a, before(0, 2000), "{said}");
    assert_eq!(c, before(1, a[1]), "{said}");
}

#[test]
fn an_overrun_by_another_hart_is_found_backwards() {
    let run = run("overrun", 2, 2);
    let recording = run.recording();
    let said = gdb(
        &recording,
        "watch port.on_packet\nreverse-continue\nthread\nbacktrace 1\n\
         print at\nprint/x port.packet[31]\n",
    );
    let (_, after) = said.split_once("Hardware watchpoint").expect(&said);
    assert!(after.contains("receive"), "{said}");
    assert!(after.contains("Current thread is 2"), "{said}");
    assert!(after.contains("= 0xbf"), "{said}");
}

//! Every program of the firmware folder, recorded by the golden recorder, replays to the very
//! retirements that were recorded.

mod common;

use common::{config, record, Run};
use lookback_firmware::{programs, Program};
use lookback_log_format::retire::lanes;
use lookback_log_format::Retire;
use lookback_replay::{Entered, Machine, Step};

fn run(program: &Program, config: lookback_log_format::RecorderConfig) -> Run {
    let elf = std::fs::read(&program.elf).unwrap();
    let header = &program.header;
    // Interrupts come at other moments than on the board, so leave room.
    let limit = header.limit * 4;
    record(&program.name, &elf, config, &header.stdin, limit, true)
}

/// The reference machine is worth something only if it does what the programs expect.
#[test]
fn programs_run_on_the_reference_machine() {
    for program in programs().unwrap() {
        let run = run(&program, config(1000));
        let console = String::from_utf8_lossy(&run.machine.console).into_owned();
        let code = run.machine.finished;
        let expected = Some(program.header.expect.finish_code());
        assert_eq!(code, expected, "{}: {console}", program.name);
        assert!(
            program.header.console_matches(&run.machine.console),
            "{}: {console}",
            program.name
        );
    }
}

fn assert_same(program: &str, step: &Step, retire: &Retire) {
    let context = || format!("{program}, {step:x?}\n{retire:x?}");
    assert_eq!(step.retired, retire.order, "{}", context());
    assert_eq!(step.pc, retire.pc_rdata, "{}", context());
    assert_eq!(step.insn, retire.insn, "{}", context());
    assert_eq!(step.trap, retire.trap, "{}", context());
    assert_eq!(step.rd, retire.rd_addr, "{}", context());
    assert_eq!(step.rd_value, retire.rd_wdata, "{}", context());
    assert_eq!(step.mem_rmask, retire.mem_rmask, "{}", context());
    assert_eq!(step.mem_wmask, retire.mem_wmask, "{}", context());
    if step.mem_rmask | step.mem_wmask != 0 {
        assert_eq!(step.mem_addr, retire.mem_addr, "{}", context());
    }
    let read = retire.mem_rdata & lanes(retire.mem_rmask);
    assert_eq!(step.mem_rdata, read, "{}", context());
    let written = retire.mem_wdata & lanes(retire.mem_wmask);
    assert_eq!(step.mem_wdata, written, "{}", context());
    if let Some(next) = step.next_pc {
        assert_eq!(next, retire.pc_wdata, "{}", context());
    }
    let decoded = lookback_replay::decode::decode(step.insn);
    if decoded.source1().is_some() {
        assert_eq!(step.rs1_value, retire.rs1_rdata, "{}", context());
    }
    if decoded.source2().is_some() {
        assert_eq!(step.rs2_value, retire.rs2_rdata, "{}", context());
    }
    if retire.intr {
        assert_ne!(step.entered, Entered::Next, "{}", context());
        assert_ne!(step.entered, Entered::Trap, "{}", context());
    }
    if step.entered == Entered::Interrupt {
        assert!(retire.intr, "{}", context());
    }
}

fn replays_exactly(interval: u32, dict_bits: u8, tag_ways: u8) {
    for program in programs().unwrap() {
        let mut config = config(interval);
        (config.dict_bits, config.tag_ways) = (dict_bits, tag_ways);
        let run = run(&program, config);
        let recording = run.recording();
        assert!(recording.is_whole());
        let image = recording.image(None).unwrap();
        let mut tracking = Machine::<true>::new(&recording.config, image.clone());
        let mut fast = Machine::<false>::new(&recording.config, image);
        let mut retires = run.retires.iter();
        for interval in recording.harts[0].intervals() {
            tracking.begin(0, interval).unwrap();
            while let Some(step) = tracking.step().unwrap() {
                assert_same(&program.name, &step, retires.next().unwrap());
            }
            fast.begin(0, interval).unwrap();
            fast.run().unwrap();
            assert_eq!(fast.registers(), tracking.registers());
        }
        assert!(retires.next().is_none(), "{}", program.name);
    }
}

#[test]
fn replays_exactly_in_short_intervals() {
    replays_exactly(64, 6, 2);
}

#[test]
fn replays_exactly_in_long_intervals() {
    replays_exactly(1 << 20, 6, 2);
}

#[test]
fn replays_exactly_with_a_tiny_recorder() {
    replays_exactly(1000, 1, 1);
}

#[test]
fn replays_exactly_with_a_large_dictionary() {
    replays_exactly(5000, 10, 2);
}

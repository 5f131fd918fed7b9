//! Thousands of random commands, forwards and backwards: after each of them registers, pc and memory
//! are those of a plain replay from the start, and runs stop where a look through the list of all
//! instructions says they must.

#[path = "../../replay/tests/common/mod.rs"]
mod common;

use common::{config, record};
use lookback_debugger::timeline::run::Distance;
use lookback_debugger::timeline::stops::{Stop, Stops, Watch, WatchKind};
use lookback_debugger::Timeline;
use lookback_replay::memory::Byte;
use lookback_replay::{Machine, Recording, Silent, Step};
use std::ops::ControlFlow;

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }
}

fn recorded(name: &str, interval: u32) -> Recording {
    let programs = lookback_firmware::programs().unwrap();
    let program = programs.iter().find(|p| p.name == name).unwrap();
    let elf = std::fs::read(&program.elf).unwrap();
    let header = &program.header;
    let limit = header.limit * 4;
    record(name, &elf, config(interval), &header.stdin, limit, false).recording()
}

/// The whole run by plain replay: each instruction, and the address after the last.
fn all_steps(recording: &Recording) -> Vec<Step> {
    let image = recording.image(None).unwrap();
    let mut machine = Machine::<true>::new(&recording.config, image);
    let mut steps = Vec::new();
    for interval in recording.harts[0].intervals() {
        machine.resume(0, interval).unwrap();
        machine
            .run_until(u32::MAX, &mut |step: &Step| {
                steps.push(*step);
                ControlFlow::Continue(())
            })
            .unwrap();
    }
    steps
}

/// A machine that went from the very start to a moment.
fn plain(recording: &Recording, moment: u64) -> Machine<'_, true> {
    let image = recording.image(None).unwrap();
    let mut machine = Machine::<true>::new(&recording.config, image);
    for interval in recording.harts[0].intervals() {
        let start = interval.header.retired;
        if start > moment || (start == moment && start > 0) {
            break;
        }
        machine.resume(0, interval).unwrap();
        let position = (moment - start).min(u32::MAX.into()) as u32;
        machine.run_until(position, &mut Silent).unwrap();
    }
    machine
}

fn assert_same(
    timeline: &mut Timeline<'_>,
    recording: &Recording,
    steps: &[Step],
    dice: &mut Dice,
) {
    let now = timeline.now();
    if let Some(step) = steps.get(now as usize) {
        assert_eq!(timeline.pc(), step.pc, "at {now}");
    }
    let expected = plain(recording, now);
    for register in 0..32 {
        let value = expected.registers()[usize::from(register)];
        assert_eq!(
            timeline.register(register),
            Some(value),
            "x{register} at {now}"
        );
    }
    for _ in 0..4 {
        // Where something happens, where nothing does, and outside of memory.
        let near = steps[dice.below(steps.len() as u64) as usize].mem_addr;
        let addr = match dice.below(8) {
            0 => 0x8000_0000 + dice.below(1 << 17) as u32,
            1 => dice.below(1 << 32) as u32,
            _ => near.wrapping_add(dice.below(64) as u32),
        };
        for addr in addr..addr.saturating_add(24) {
            let mut byte = [0];
            let got = (timeline.read(addr, &mut byte) == 1).then_some(byte[0]);
            let want = match expected.memory().byte(addr) {
                Byte::Seen(byte) | Byte::Image(byte) => Some(byte),
                Byte::Unknown => None,
            };
            assert_eq!(got, want, "memory at {addr:#x}, moment {now}");
        }
    }
}

fn random_stops(steps: &[Step], dice: &mut Dice) -> (Stops, Vec<u32>, Vec<Watch>) {
    let mut stops = Stops::default();
    let (mut breakpoints, mut watches) = (Vec::new(), Vec::new());
    for _ in 0..dice.below(3) {
        let pc = steps[dice.below(steps.len() as u64) as usize].pc;
        stops.add_breakpoint(pc);
        breakpoints.push(pc);
    }
    for _ in 0..dice.below(3) {
        let accesses = steps.iter().skip(dice.below(steps.len() as u64) as usize);
        let Some(step) = accesses.clone().find(|s| s.mem_rmask | s.mem_wmask != 0) else {
            continue;
        };
        let watch = Watch {
            addr: step.mem_addr + dice.below(4) as u32,
            len: 1 + dice.below(8) as u32,
            kind: [WatchKind::Write, WatchKind::Read, WatchKind::Access][dice.below(3) as usize],
        };
        stops.add_watch(watch);
        watches.push(watch);
    }
    (stops, breakpoints, watches)
}

fn walk(name: &str, interval: u32, budget: usize, commands: u32) {
    let recording = recorded(name, interval);
    let steps = all_steps(&recording);
    let image = recording.image(None).unwrap();
    let mut timeline = Timeline::new(&recording, &image, &recording.harts[0], budget).unwrap();
    let mut dice = Dice(u64::from(interval) ^ 0x5eed);
    let mut never = || false;
    timeline.goto_end(&mut never).unwrap();
    let end = timeline.now();
    assert!(end == steps.len() as u64 || end + 1 == steps.len() as u64);
    // The moment of a stop at a watchpoint, if the present has not moved since: forwards, backwards.
    let (mut ahead, mut behind) = (None, None);
    for _ in 0..commands {
        let now = timeline.now();
        let (was_ahead, was_behind) = (ahead.take() == Some(now), behind.take() == Some(now));
        let (stops, breakpoints, watches) = random_stops(&steps, &mut dice);
        let hit = |step: &Step| watches.iter().any(|watch| watch.hit(step).is_some());
        let breaks = |at: u64| {
            let step = steps.get(at as usize);
            step.is_some_and(|step| breakpoints.contains(&step.pc))
        };
        let expected = match dice.below(6) {
            0 => {
                timeline.forward(&Stops::default(), &Distance::Step, &mut never);
                (now + 1).min(end)
            }
            1 => {
                timeline.back_step(&mut never);
                now.saturating_sub(1)
            }
            2 => {
                let moment = dice.below(end + 1);
                timeline.goto(moment, &mut never).unwrap();
                moment
            }
            3 => {
                let stop = timeline.forward(&stops, &Distance::Far, &mut never);
                let meets = |at: u64| hit(&steps[at as usize]) && !(at == now && was_ahead);
                let found = (now..end).find(|&at| meets(at) || (at > now && breaks(at)));
                assert_eq!(
                    found.is_none(),
                    stop == Stop::End || timeline.now() == end,
                    "{stop:?}"
                );
                let expected = found.unwrap_or(end);
                ahead = matches!(stop, Stop::Watch { .. }).then_some(expected);
                expected
            }
            4 => {
                let stop = timeline.backward(&stops, &mut never);
                let watch = |at: u64| at > 0 && hit(&steps[at as usize - 1]);
                let here = watch(now) && !was_behind;
                let found = (0..now).rev().find(|&at| watch(at) || breaks(at));
                // A watchpoint that was just passed stops at once, without moving, and gdb goes back.
                let expected = if here { now } else { found.unwrap_or(0) };
                assert_eq!(stop == Stop::Begin, !here && found.is_none(), "{stop:?}");
                behind = matches!(stop, Stop::Watch { .. }).then_some(expected);
                expected
            }
            _ => {
                let (from, to) = (timeline.pc(), timeline.pc().wrapping_add(16));
                timeline.forward(&Stops::default(), &Distance::Range(from..to), &mut never);
                let outside = |at: u64| !(from..to).contains(&steps[at as usize].pc);
                (now + 1..end).find(|&at| outside(at)).unwrap_or(end)
            }
        };
        assert_eq!(
            timeline.now(),
            expected,
            "from {now}, with {breakpoints:x?} {watches:x?}"
        );
        assert_same(&mut timeline, &recording, &steps, &mut dice);
        let (_, bytes) = timeline.held();
        assert!(bytes <= budget + (1 << 16), "{bytes} bytes of {budget}");
    }
    assert!(timeline.take_notes().is_empty());
}

#[test]
fn short_intervals() {
    walk("heap_overflow", 500, 64 << 20, 600);
}

#[test]
fn one_long_interval() {
    walk("compute", 1 << 20, 64 << 20, 600);
}

#[test]
fn interrupts_and_traps() {
    walk("traps", 333, 64 << 20, 600);
    walk("user_mode", 1 << 16, 64 << 20, 300);
}

#[test]
fn code_that_changes() {
    walk("self_modify", 256, 64 << 20, 600);
    walk("dma_code", 64, 64 << 20, 300);
}

#[test]
fn hardly_any_memory() {
    walk("compute", 5000, 600 << 10, 400);
    walk("compute", 1 << 20, 0, 200);
}

//! The front against the model: every byte, under random runs and random back-pressure.

use super::super::config::{BugnetFront, Sizes, TinyFront, BUGNET, TINY};
use super::*;
use crate::harness::settle;
use crate::recorder::testing::{check_block, config_of, retirements, word};
use crate::tick;
use lookback_log_format::interval::EndReason;
use lookback_log_format::{RecorderConfig, Retire};
use lookback_model::register_shadow::RegisterShadow as Registers;
use lookback_model::stimulus::{Event, Mix, Random, Stimulus};
use lookback_model::Recorder as Model;

/// How a run is driven.
struct Plan {
    seed: u64,
    events: usize,
    /// cycles between retirements, at most
    pause: u32,
    /// how often the link takes a byte, in a thousand
    link: u32,
    may_stall: bool,
    mix: Mix,
    end: End,
}

#[derive(Clone, Copy, PartialEq)]
enum End {
    Host,
    Run,
    Trigger(u32),
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            seed: 1,
            events: 4000,
            pause: 8,
            link: 1000,
            may_stall: true,
            mix: Mix::default(),
            end: End::Host,
        }
    }
}

/// What a run gave.
struct Outcome {
    records: usize,
    lost: u64,
    stalls: u32,
    cycles: u64,
}

macro_rules! driver {
    ($name:ident, $front:ty) => {
        /// Runs the front beside the model and compares all bytes.
        fn $name(config: &RecorderConfig, plan: &Plan) -> Outcome {
            let mut u = <$front>::default();
            u.connect_all();
            u.interval.next = word(config.interval);
            u.count_bits.next = u64::from(config.count_bits).into();
            u.image_lo.next = word(config.image_lo);
            u.image_hi.next = word(config.image_hi);
            u.may_stall.next = plan.may_stall;
            u.hold.next = true;
            u.mem_base.next = word(config.mem_base);
            u.mem_mask.next = word(config.mem_mask);
            let mut config = config.clone();
            if let End::Trigger(post) = plan.end {
                config.post_trigger = post;
                config.control |= 8;
                u.trigger_on_trap.next = true;
                u.post_trigger.next = word(post);
            }
            let mut model = Model::new(&config);
            let mut stimulus = Stimulus::with_mix(plan.seed, &config, plan.mix).peekable();
            let mut random = Random::new(plan.seed ^ 0xf00d);
            tick!(u);
            assert!(u.stall.val() && !u.recording.val());
            u.enable.next = true;
            while !u.recording.val() {
                tick!(u);
                assert!(u.stall.val() || u.recording.val());
            }
            let mut seen = Vec::new();
            let mut ends = Vec::new();
            let mut events = 0;
            let mut pause = 0;
            // One instruction is under way when `stall` rises.
            let mut under_way = false;
            let mut stage: (Option<Retire>, Option<(u32, u8)>) = (None, None);
            let mut cycle = 0u64;
            let mut idle = 0;
            while !u.ended.val() {
                u.byte_ready.next = random.chance(plan.link);
                let mut port = (None, None);
                let over = events >= plan.events;
                if over {
                    match plan.end {
                        End::Host => u.enable.next = false,
                        _ => u.run_ended.next = true,
                    }
                }
                if u.recording.val() && !over {
                    if pause == 0 && (!u.stall.val() || under_way) {
                        if let Some(Event::Retire(r)) =
                            stimulus.next_if(|e| matches!(e, Event::Retire(_)))
                        {
                            port.0 = Some(r);
                            events += 1;
                            pause = random.below(plan.pause + 1);
                        }
                        under_way = !u.stall.val();
                    }
                    pause = pause.saturating_sub(u32::from(port.0.is_none()));
                    let next_is_snoop = matches!(stimulus.peek(), Some(Event::Snoop { .. }));
                    if next_is_snoop && random.chance(500) {
                        if let Some(Event::Snoop { addr, mask, .. }) = stimulus.next() {
                            port.1 = Some((addr, mask));
                        }
                    }
                }
                u.rvfi_valid.next = port.0.is_some();
                if let Some(r) = &port.0 {
                    u.rvfi_insn.next = word(r.insn);
                    u.rvfi_trap.next = r.trap;
                    u.rvfi_mode.next = u64::from(r.mode).into();
                    u.rvfi_rd_addr.next = u64::from(r.rd_addr).into();
                    u.rvfi_rd_wdata.next = word(r.rd_wdata);
                    u.rvfi_pc_rdata.next = word(r.pc_rdata);
                    u.rvfi_pc_wdata.next = word(r.pc_wdata);
                    u.rvfi_mem_addr.next = word(r.mem_addr);
                    u.rvfi_mem_rmask.next = u64::from(r.mem_rmask).into();
                    u.rvfi_mem_wmask.next = u64::from(r.mem_wmask).into();
                    u.rvfi_mem_rdata.next = word(r.mem_rdata);
                    u.rvfi_mem_wdata.next = word(r.mem_wdata);
                }
                u.snoop_valid.next = port.1.is_some();
                if let Some((addr, mask)) = port.1 {
                    u.snoop_addr.next = word(addr);
                    u.snoop_mask.next = u64::from(mask).into();
                }
                settle(&mut u);
                // What becomes of the retirement of the cycle before.
                if u.control.gap_start.val() {
                    model.overflow();
                }
                if let Some(r) = stage.0 {
                    if u.control.accept.val() {
                        model.retire(&r, cycle - 1);
                    } else if u.control.count_loss.val() {
                        model.lose(&r);
                    } else {
                        assert!(matches!(plan.end, End::Trigger(_)), "ignored {r:?}");
                    }
                }
                if let Some((addr, mask)) = stage.1 {
                    model.snoop(addr, mask);
                }
                if u.control.gap.val() && !u.control.accept.val() {
                    model.resume(cycle - 1);
                }
                if u.byte_valid.val() && u.byte_ready.val() {
                    seen.push(u.byte_data.val().to_u8());
                    if u.byte_last.val() {
                        ends.push(seen.len());
                    }
                    idle = 0;
                }
                idle += 1;
                assert!(idle < 40_000, "stuck in {:?}", u.control.recording.val());
                stage = port;
                tick!(u);
                cycle += 1;
            }
            let reason = match plan.end {
                End::Host => EndReason::Stopped,
                End::Run => EndReason::RunEnded,
                End::Trigger(_) => EndReason::Trigger,
            };
            model.stop(reason, 0);
            let records = model.take_records();
            let (mut expected, mut expected_ends) = (Vec::new(), Vec::new());
            for record in &records {
                expected.extend(record.to_bytes());
                expected_ends.push(expected.len());
            }
            let differs = seen.iter().zip(&expected).position(|(a, b)| a != b);
            if let Some(at) = differs {
                let index = expected_ends.iter().filter(|&&end| end <= at).count();
                let start = if index == 0 {
                    0
                } else {
                    expected_ends[index - 1]
                };
                panic!(
                    "byte {} of record {index}: {:02x?} instead of {:02x?}, {:?}",
                    at - start,
                    &seen[at..seen.len().min(at + 8)],
                    &expected[at..expected.len().min(at + 8)],
                    records[index]
                );
            }
            assert_eq!(seen.len(), expected.len());
            assert_eq!(ends, expected_ends);
            assert_eq!(u.end_reason.val().to_u8(), reason.code());
            assert_eq!(u64::from(u.retired_lo.val().to_u32()), model.retired());
            assert_eq!(u64::from(u.lost_lo.val().to_u32()), model.lost());
            assert_eq!(u.triggered.val(), model.triggered());
            Outcome {
                records: records.len(),
                lost: model.lost(),
                stalls: u.stalls_lo.val().to_u32(),
                cycles: cycle,
            }
        }
    };
}

driver!(run_tiny, TinyFront);
driver!(run_bugnet, BugnetFront);

fn config(sizes: &Sizes, interval: u32) -> RecorderConfig {
    let mut config = config_of(sizes);
    config.interval = interval;
    config.count_bits = lookback_log_format::config::count_bits_for(interval);
    config
}

#[test]
fn synthesizes() {
    check_block(TinyFront::default(), "lookback_front_tiny");
    check_block(BugnetFront::default(), "lookback_front_bugnet");
}

#[test]
fn equals_the_model_at_full_link_speed() {
    for seed in 0..4 {
        let outcome = run_tiny(
            &config(&TINY, 100),
            &Plan {
                seed,
                ..Plan::default()
            },
        );
        assert!(outcome.records >= 40 && outcome.lost == 0);
    }
}

#[test]
fn loses_nothing_when_it_may_stall() {
    for seed in 10..14 {
        let plan = Plan {
            seed,
            link: 150,
            pause: 3,
            end: End::Run,
            ..Plan::default()
        };
        let outcome = run_tiny(&config(&TINY, 64), &plan);
        assert!(outcome.lost == 0 && outcome.stalls > 1000);
    }
}

#[test]
fn takes_a_retirement_every_cycle() {
    for seed in 20..24 {
        let plan = Plan {
            seed,
            pause: 0,
            ..Plan::default()
        };
        let outcome = run_tiny(&config(&TINY, 200), &plan);
        assert_eq!(outcome.lost, 0);
    }
}

#[test]
fn closes_and_resumes_around_a_gap() {
    let mix = Mix {
        dma: 0,
        ..Mix::default()
    };
    for seed in 30..42 {
        let plan = Plan {
            seed,
            link: [30, 200, 600][seed as usize % 3],
            pause: [2, 8, 0][seed as usize / 3 % 3],
            may_stall: false,
            mix,
            end: if seed % 2 == 0 { End::Host } else { End::Run },
            ..Plan::default()
        };
        let outcome = run_tiny(&config(&TINY, 64 + seed as u32), &plan);
        assert!(outcome.lost > 0);
    }
}

#[test]
fn stops_at_a_trigger() {
    for seed in 50..60 {
        let plan = Plan {
            seed,
            end: End::Trigger([0, 1, 63, 64, 500][seed as usize % 5]),
            ..Plan::default()
        };
        let outcome = run_tiny(&config(&TINY, 64), &plan);
        assert!(outcome.records > 0);
    }
}

#[test]
fn keeps_up_with_the_hart_at_full_size() {
    let plan = Plan {
        seed: 60,
        events: 20_000,
        pause: 12,
        ..Plan::default()
    };
    let begin = std::time::Instant::now();
    let outcome = run_bugnet(&config(&BUGNET, 5000), &plan);
    println!(
        "{:.0} cycles a second",
        outcome.cycles as f64 / begin.elapsed().as_secs_f64()
    );
    assert_eq!((outcome.lost, outcome.stalls), (0, 0));
}

/// One cycle, in which an instruction retires or none; the byte of the log that is taken in it, and
/// whether it is a record's last.
fn step(u: &mut TinyFront, r: Option<&Retire>) -> Option<(u8, bool)> {
    u.rvfi_valid.next = r.is_some();
    if let Some(r) = r {
        u.rvfi_insn.next = word(r.insn);
        u.rvfi_trap.next = r.trap;
        u.rvfi_mode.next = u64::from(r.mode).into();
        u.rvfi_rd_addr.next = u64::from(r.rd_addr).into();
        u.rvfi_rd_wdata.next = word(r.rd_wdata);
        u.rvfi_pc_rdata.next = word(r.pc_rdata);
        u.rvfi_pc_wdata.next = word(r.pc_wdata);
        u.rvfi_mem_addr.next = word(r.mem_addr);
        u.rvfi_mem_rmask.next = u64::from(r.mem_rmask).into();
        u.rvfi_mem_wmask.next = u64::from(r.mem_wmask).into();
        u.rvfi_mem_rdata.next = word(r.mem_rdata);
        u.rvfi_mem_wdata.next = word(r.mem_wdata);
    }
    settle(u);
    let byte = (u.byte_valid.val() && u.byte_ready.val())
        .then(|| (u.byte_data.val().to_u8(), u.byte_last.val()));
    tick!(*u);
    byte
}

/// A core that is not held runs between the reset and the next recording: its registers are what
/// the first header shows, whatever was being written when the reset came.
#[test]
fn a_reset_in_a_header_leaves_nothing_behind() {
    let config = config(&TINY, 64);
    let run = retirements(70, 700);
    let mut u = TinyFront::default();
    u.connect_all();
    u.interval.next = word(config.interval);
    u.count_bits.next = u64::from(config.count_bits).into();
    u.image_lo.next = word(config.image_lo);
    u.image_hi.next = word(config.image_hi);
    u.mem_base.next = word(config.mem_base);
    u.mem_mask.next = word(config.mem_mask);
    u.may_stall.next = true;
    u.byte_ready.next = true;
    u.enable.next = true;
    while !u.recording.val() {
        step(&mut u, None);
    }
    let (before, run) = run.split_at(10);
    for r in before {
        step(&mut u, Some(r));
    }
    assert!(!u.shadow.live.val(), "a header is being written");
    u.enable.next = false;
    u.reset.next = true;
    step(&mut u, None);
    u.reset.next = false;

    let mut registers = Registers::default();
    let (between, run) = run.split_at(100);
    for r in between {
        registers.retire(r);
        step(&mut u, Some(r));
    }
    let mut model = Model::new(&config).with_registers(registers.values());
    let (mut records, mut record) = (Vec::new(), Vec::new());
    let mut taken = |byte: Option<(u8, bool)>| {
        let Some((byte, last)) = byte else { return };
        record.push(byte);
        if last {
            records.push(std::mem::take(&mut record));
        }
    };
    u.enable.next = true;
    while !u.recording.val() {
        taken(step(&mut u, None));
    }
    for r in run {
        let mut waited = 0;
        while u.stall.val() {
            taken(step(&mut u, None));
            waited += 1;
            assert!(waited < 10_000, "the hart is never let go");
        }
        taken(step(&mut u, Some(r)));
        model.retire(r, 0);
    }
    // The last one is still on its way to where it is accepted.
    taken(step(&mut u, None));
    u.enable.next = false;
    for _ in 0..10_000 {
        taken(step(&mut u, None));
    }
    assert!(u.ended.val() && !u.lost_any.val());
    model.stop(EndReason::Stopped, 0);
    let expected = model.take_records();
    assert_eq!(records.len(), expected.len());
    for (index, (bytes, record)) in records.iter().zip(&expected).enumerate() {
        let mut wanted = record.to_bytes();
        // Cycles are the hardware's own.
        wanted[14..22].copy_from_slice(&bytes[14..22]);
        assert_eq!(*bytes, wanted, "record {index}");
    }
}

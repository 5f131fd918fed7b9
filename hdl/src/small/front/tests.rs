//! The front against the model: every byte, under random runs of a hart that keeps its port, and random
//! back-pressure.

use super::*;
use crate::harness::settle;
use crate::recorder::config::{Sizes, CLOCK_HZ, SMALL};
use crate::recorder::testing::{check_block, config_of, word};
use crate::small_sized;
use crate::tick;
use lookback_log_format::interval::EndReason;
use lookback_log_format::{RecorderConfig, Retire};
use lookback_model::stimulus::{Event, Mix, Random, Stimulus};
use lookback_model::Recorder as Model;

type Front = small_sized!(SmallFront);

/// How a run is driven.
struct Plan {
    seed: u64,
    events: usize,
    /// how often the link takes a byte, in a thousand
    link: u32,
    /// cycles of an instruction beyond three, at most
    pause: u32,
    /// the run ends by itself
    ends: bool,
}

/// Shows the registers and masks of an instruction; one that trapped has none.
fn shown(mut r: Retire) -> Retire {
    if r.trap {
        (r.rd_addr, r.rd_wdata, r.mem_rmask, r.mem_wmask) = (0, 0, 0, 0);
    }
    if r.rd_addr == 0 {
        r.rd_wdata = 0;
    }
    r
}

fn keep(u: &mut Front, r: &Retire) {
    u.rvfi_insn.next = word(r.insn);
    u.rvfi_trap.next = r.trap;
    u.rvfi_mode.next = u64::from(r.mode).into();
    u.rvfi_pc_rdata.next = word(r.pc_rdata);
    u.rvfi_pc_wdata.next = word(r.pc_wdata);
    u.rvfi_mem_addr.next = word(r.mem_addr);
    u.rvfi_mem_rmask.next = u64::from(r.mem_rmask).into();
    u.rvfi_mem_wmask.next = u64::from(r.mem_wmask).into();
    u.rvfi_mem_rdata.next = word(r.mem_rdata);
    u.rvfi_mem_wdata.next = word(r.mem_wdata);
}

fn start(config: &RecorderConfig) -> Front {
    let mut u = Front::default();
    u.connect_all();
    u.interval.next = word(config.interval);
    u.count_bits.next = u64::from(config.count_bits).into();
    u.image_lo.next = word(config.image_lo);
    u.image_hi.next = word(config.image_hi);
    u.hold.next = true;
    u.reset.next = true;
    tick!(u);
    u.reset.next = false;
    (0..40).for_each(|_| {
        tick!(u);
        assert!(u.stall.val() && !u.recording.val());
    });
    u
}

/// Runs the front beside the model and compares all bytes; the number of records.
fn compare(plan: &Plan) -> usize {
    let config = RecorderConfig {
        interval: 100,
        ..config_of(&SMALL)
    };
    let mut u = start(&config);
    let mut model = Model::new(&config);
    let mix = Mix {
        dma: 0,
        ..Mix::default()
    };
    let mut stimulus =
        Stimulus::with_mix(plan.seed, &config, mix).filter_map(|event| match event {
            Event::Retire(r) => Some(shown(r)),
            Event::Snoop { .. } => None,
        });
    let mut random = Random::new(plan.seed ^ 0xf00d);
    u.enable.next = true;
    while !u.recording.val() {
        tick!(u);
    }
    let (mut seen, mut ends) = (Vec::new(), Vec::new());
    // The instruction under way, with the cycles until it retires.
    let mut under_way: Option<(Retire, u32)> = None;
    let (mut events, mut cycle, mut idle) = (0, 0u64, 0);
    while !u.ended.val() {
        u.byte_ready.next = random.chance(plan.link);
        if events >= plan.events && under_way.is_none() {
            u.enable.next = plan.ends;
            u.run_ended.next = plan.ends;
        }
        u.rvfi_valid.next = false;
        u.rvfi_rd_addr.next = u64::from(random.below(32)).into();
        u.rvfi_rd_wdata.next = word(random.word());
        let mut retires = None;
        if let Some((r, left)) = &mut under_way {
            u.rvfi_pc_rdata.next = word(r.pc_rdata);
            if *left < 2 {
                u.rvfi_insn.next = word(r.insn);
            }
            if *left == 0 {
                keep(&mut u, r);
                u.rvfi_valid.next = true;
                u.rvfi_rd_addr.next = u64::from(r.rd_addr).into();
                u.rvfi_rd_wdata.next = word(r.rd_wdata);
                retires = Some(*r);
            }
            *left = left.saturating_sub(1);
        }
        settle(&mut u);
        if let Some(r) = retires {
            assert!(u.control.accept.val(), "ignored {r:?}");
            model.retire(&r, cycle - 1);
            under_way = None;
        }
        assert!(!u.lost_any.val());
        if u.byte_valid.val() && u.byte_ready.val() {
            seen.push(u.byte_data.val().to_u8());
            if u.byte_last.val() {
                ends.push(seen.len());
            }
            idle = 0;
        }
        idle += 1;
        assert!(idle < 40_000, "stuck");
        if under_way.is_none() && !u.stall.val() && events < plan.events && u.recording.val() {
            events += 1;
            let pause = 2 + random.below(plan.pause + 1);
            under_way = stimulus.next().map(|r| (r, pause));
        }
        tick!(u);
        cycle += 1;
    }
    let reason = match plan.ends {
        true => EndReason::RunEnded,
        false => EndReason::Stopped,
    };
    model.stop(reason, 0);
    let records = model.take_records();
    let (mut expected, mut expected_ends) = (Vec::new(), Vec::new());
    for record in &records {
        expected.extend(record.to_bytes());
        expected_ends.push(expected.len());
    }
    if let Some(at) = seen.iter().zip(&expected).position(|(a, b)| a != b) {
        let index = expected_ends.iter().filter(|&&end| end <= at).count();
        let start = if index == 0 {
            0
        } else {
            expected_ends[index - 1]
        };
        panic!(
            "seed {}: byte {} of record {index}: {:02x?} instead of {:02x?}",
            plan.seed,
            at - start,
            &seen[at..seen.len().min(at + 8)],
            &expected[at..expected.len().min(at + 8)],
        );
    }
    assert_eq!(seen.len(), expected.len());
    assert_eq!(ends, expected_ends);
    assert_eq!(u.end_reason.val().to_u8(), reason.code());
    assert_eq!(u64::from(u.retired_lo.val().to_u32()), model.retired());
    records.len()
}

#[test]
fn synthesizes() {
    check_block(Front::default(), "lookback_small_front");
}

#[test]
fn sizes_are_those_that_are_told() {
    let config = Sizes { ..SMALL }.config(CLOCK_HZ);
    assert_eq!(
        (config.tag_ways, config.tag_words, config.dict_bits),
        (1, 2, 3)
    );
}

#[test]
fn equals_the_model() {
    for seed in 1..6 {
        let records = compare(&Plan {
            seed,
            events: 2500,
            link: [1000, 300, 100][seed as usize % 3],
            pause: seed as u32,
            ends: seed % 2 == 0,
        });
        assert!(records >= 25);
    }
}

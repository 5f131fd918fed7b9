//! The conformance check against its twin: conforming runs, and every kind of damage.

use super::*;
use crate::harness::settle;
use crate::recorder::testing::{check_block, word};
use crate::tick;
use lookback_log_format::Retire;
use lookback_model::attach::styles::{damage, Core, Style};
use lookback_model::attach::{conformance, Breach};
use lookback_model::stimulus::Random;
use std::collections::VecDeque;

#[test]
fn synthesizes() {
    check_block(Conformance::default(), "lookback_conformance");
}

/// Sets the retirement port.
fn drive(block: &mut Conformance, valid: bool, r: &Retire) {
    block.rvfi_valid.next = valid;
    block.rvfi_order.next = word(r.order as u32);
    block.rvfi_insn.next = word(r.insn);
    block.rvfi_trap.next = r.trap;
    block.rvfi_rs1_addr.next = u64::from(r.rs1_addr).into();
    block.rvfi_rs2_addr.next = u64::from(r.rs2_addr).into();
    block.rvfi_rs1_rdata.next = word(r.rs1_rdata);
    block.rvfi_rs2_rdata.next = word(r.rs2_rdata);
    block.rvfi_rd_addr.next = u64::from(r.rd_addr).into();
    block.rvfi_rd_wdata.next = word(r.rd_wdata);
    block.rvfi_pc_rdata.next = word(r.pc_rdata);
    block.rvfi_pc_wdata.next = word(r.pc_wdata);
    block.rvfi_mem_addr.next = word(r.mem_addr);
    block.rvfi_mem_rmask.next = u64::from(r.mem_rmask).into();
    block.rvfi_mem_wmask.next = u64::from(r.mem_wmask).into();
    block.rvfi_mem_rdata.next = word(r.mem_rdata);
    block.rvfi_mem_wdata.next = word(r.mem_wdata);
}

/// The block, its twin, and the recorder's counter beside them.
struct Bench {
    block: Conformance,
    twin: conformance::Conformance,
    /// What the stages after the raw port hold.
    stages: VecDeque<Option<Retire>>,
    retired: u32,
    recording: bool,
    random: Random,
}

impl Bench {
    fn new(seed: u64) -> Self {
        let mut block = Conformance::default();
        block.connect_all();
        Self {
            block,
            twin: conformance::Conformance::default(),
            stages: VecDeque::from([None, None]),
            retired: 0,
            recording: true,
            random: Random::new(seed),
        }
    }

    /// One cycle; the raw port shows `raw` if there is one, else noise.
    fn cycle(&mut self, raw: Option<Retire>, clear: bool) {
        let noise = Retire {
            insn: self.random.word(),
            rd_addr: 7,
            rd_wdata: self.random.word(),
            ..Retire::default()
        };
        let shown = raw.unwrap_or(noise);
        drive(&mut self.block, raw.is_some(), &shown);
        self.block.clear.next = clear;
        self.block.recording.next = self.recording;
        let held = self.stages.pop_front().expect("two stages");
        let index = if held.is_some() {
            self.retired
        } else {
            self.random.word()
        };
        self.block.retired_lo.next = word(index);
        self.stages.push_back(raw);
        settle(&mut self.block);
        tick!(self.block);
        // A retirement in the cycle in which a recording begins is its first.
        if clear {
            self.twin.clear();
        }
        if let Some(held) = held {
            self.twin.retire(&held, self.recording, self.retired);
            self.retired = self.retired.wrapping_add(1);
        }
        assert_eq!(self.breach(), self.twin.breach(), "{held:x?}");
    }

    /// A retirement, with idle cycles before it now and then.
    fn retire(&mut self, raw: Retire) {
        while self.random.chance(200) {
            self.cycle(None, false);
        }
        self.cycle(Some(raw), false);
    }

    fn drain(&mut self) {
        self.cycle(None, false);
        self.cycle(None, false);
    }

    fn breach(&self) -> Option<Breach> {
        let block = &self.block;
        assert_eq!(block.breach.val(), block.rule.val().any());
        block.breach.val().then(|| Breach {
            rule: block.rule.val().to_u8(),
            at: block.at.val().to_u32(),
            pc: block.pc.val().to_u32(),
            insn: block.insn.val().to_u32(),
            want: block.want.val().to_u32(),
            got: block.got.val().to_u32(),
        })
    }
}

#[test]
fn conforming_runs_break_no_rule() {
    for (seed, style) in (1..).zip(Style::ALL) {
        let mut bench = Bench::new(seed);
        for raw in Core::new(seed, style).take(3000) {
            bench.retire(raw);
        }
        bench.drain();
        assert_eq!(bench.breach(), None);
    }
}

/// Damage of every signal, found as the twin finds it: rule, index, place, values. After a breach
/// another recording begins, or the core is reset, and the copy has whatever the port said.
#[test]
fn equals_the_model_on_damaged_ports() {
    let mut found = [0; 10];
    for (seed, style) in (10..).zip([Style::ALL, Style::ALL, Style::ALL].concat()) {
        let mut bench = Bench::new(seed);
        let mut random = Random::new(seed);
        for mut raw in Core::new(seed, style).take(4000) {
            raw.trap = random.chance(5);
            if random.chance(100) {
                damage(&mut raw, &mut random);
            }
            bench.recording = random.chance(950);
            bench.retire(raw);
            if let Some(breach) = bench.breach() {
                found[usize::from(breach.rule)] += 1;
                // A recording may begin while retirements are under way.
                if random.chance(200) {
                    bench.drain();
                }
                bench.cycle(None, true);
            }
        }
    }
    assert!(found[1..].iter().all(|&count| count > 3), "{found:?}");
}

#[test]
fn old_rd_is_what_the_last_retirement_wrote() {
    let mut bench = Bench::new(5);
    let mut registers = [0u32; 32];
    for raw in Core::new(5, Style::WholeWord).take(2000) {
        drive(&mut bench.block, true, &raw);
        settle(&mut bench.block);
        let field = (lookback_log_format::isa::expand(raw.insn) >> 7 & 31) as usize;
        assert_eq!(bench.block.old_rd.val().to_u32(), registers[field]);
        bench.cycle(Some(raw), false);
        if raw.rd_addr != 0 {
            registers[usize::from(raw.rd_addr)] = raw.rd_wdata;
        }
    }
}

#[test]
fn reset_forgets_everything() {
    let mut bench = Bench::new(6);
    let mut run: Vec<_> = Core::new(6, Style::Aligned).take(300).collect();
    run[100].order = 7;
    for &raw in &run {
        bench.retire(raw);
    }
    assert!(bench.breach().is_some());
    bench.block.reset.next = true;
    bench.block.rvfi_valid.next = false;
    for _ in 0..2 {
        tick!(bench.block);
    }
    bench.block.reset.next = false;
    bench.twin.reset();
    bench.stages = VecDeque::from([None, None]);
    assert_eq!(bench.breach(), None);
    // The same program from the start: registers are unwritten again.
    for raw in Core::new(6, Style::Aligned).take(300) {
        bench.retire(raw);
    }
    bench.drain();
    assert_eq!(bench.breach(), None);
}

//! The adapter against its twin, in all styles of ports.

use super::*;
use crate::recorder::testing::{check_block, retirements, word};
use crate::tick;
use lookback_log_format::Retire;
use lookback_model::attach::styles::{damage, Core, Style};
use lookback_model::attach::Adapted;
use lookback_model::stimulus::Random;

#[test]
fn synthesizes() {
    check_block(Adapter::default(), "lookback_adapter");
}

/// Sets the retirement port.
fn drive(adapter: &mut Adapter, r: &Retire) {
    adapter.rvfi_insn.next = word(r.insn);
    adapter.rvfi_trap.next = r.trap;
    adapter.rvfi_mode.next = u64::from(r.mode).into();
    adapter.rvfi_rs1_addr.next = u64::from(r.rs1_addr).into();
    adapter.rvfi_rs1_rdata.next = word(r.rs1_rdata);
    adapter.rvfi_rd_addr.next = u64::from(r.rd_addr).into();
    adapter.rvfi_rd_wdata.next = word(r.rd_wdata);
    adapter.rvfi_pc_rdata.next = word(r.pc_rdata);
    adapter.rvfi_pc_wdata.next = word(r.pc_wdata);
    adapter.rvfi_mem_addr.next = word(r.mem_addr);
    adapter.rvfi_mem_rmask.next = u64::from(r.mem_rmask).into();
    adapter.rvfi_mem_wmask.next = u64::from(r.mem_wmask).into();
    adapter.rvfi_mem_rdata.next = word(r.mem_rdata);
    adapter.rvfi_mem_wdata.next = word(r.mem_wdata);
}

/// What the adapter shows, in the places of the raw retirement.
fn shown(adapter: &Adapter, raw: &Retire) -> Adapted {
    Adapted {
        retire: Retire {
            insn: adapter.insn.val().to_u32(),
            trap: adapter.trap.val(),
            mode: adapter.mode.val().to_u8(),
            rd_addr: adapter.rd_addr.val().to_u8(),
            rd_wdata: adapter.rd_wdata.val().to_u32(),
            pc_rdata: adapter.pc_rdata.val().to_u32(),
            pc_wdata: adapter.pc_wdata.val().to_u32(),
            mem_addr: adapter.mem_addr.val().to_u32(),
            mem_rmask: adapter.mem_rmask.val().to_u8(),
            mem_wmask: adapter.mem_wmask.val().to_u8(),
            mem_rdata: adapter.mem_rdata.val().to_u32(),
            mem_wdata: adapter.mem_wdata.val().to_u32(),
            ..*raw
        },
        opaque: adapter.opaque.val(),
        jumps: adapter.jumps.val(),
        loose: adapter.loose.val(),
    }
}

/// Compares a run with the twin; says how many instructions were opaque and how many of them jumped.
fn compare(run: impl IntoIterator<Item = Retire>) -> (u32, u32) {
    let mut adapter = Adapter::default();
    adapter.connect_all();
    let mut random = Random::new(8);
    let (mut opaque, mut jumps) = (0, 0);
    for raw in run {
        let (old_rd, valid) = (random.word(), random.chance(800));
        let (snoop, addr, mask) = (random.chance(200), random.word(), random.below(16));
        drive(&mut adapter, &raw);
        adapter.rvfi_valid.next = valid;
        adapter.old_rd.next = word(old_rd);
        let log_results = random.chance(300);
        adapter.log_results.next = log_results;
        adapter.snoop_valid.next = snoop;
        adapter.snoop_addr.next = word(addr);
        adapter.snoop_mask.next = u64::from(mask).into();
        tick!(adapter);
        let expected = Adapted::new(&raw, old_rd, log_results);
        assert_eq!(adapter.valid.val(), valid);
        assert_eq!(shown(&adapter, &raw), expected, "{raw:x?}");
        assert_eq!(adapter.snooped.val(), snoop);
        assert_eq!(adapter.snooped_addr.val().to_u32(), addr);
        assert_eq!(adapter.snooped_mask.val().to_u32(), mask);
        opaque += u32::from(expected.opaque);
        jumps += u32::from(expected.jumps);
    }
    (opaque, jumps)
}

#[test]
fn equals_the_model_on_the_recorders_own_style() {
    compare(retirements(6, 3000));
}

#[test]
fn equals_the_model_in_every_style() {
    for (seed, style) in (20..).zip(Style::ALL) {
        let (opaque, _) = compare(Core::new(seed, style).take(2000));
        assert!(opaque > 50);
    }
}

/// Whatever a port shows, right or wrong, trapped or not, the two agree.
#[test]
fn equals_the_model_on_damaged_ports() {
    let mut random = Random::new(30);
    let mut all = (0, 0);
    for (seed, style) in (40..).zip(Style::ALL) {
        let run = Core::new(seed, style).take(2000).map(|mut raw| {
            for _ in 0..random.below(4) {
                damage(&mut raw, &mut random);
            }
            raw.trap = random.chance(50);
            raw
        });
        let (opaque, jumps) = compare(run.collect::<Vec<_>>());
        all = (all.0 + opaque, all.1 + jumps);
    }
    assert!(all.0 > 500 && all.1 > 10, "{all:?}");
}

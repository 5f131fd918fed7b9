//! Several harts that share memory, the devices and one retirement port.
//!
//! ```text
//!  hart 0 ─ soon ─┐                       ┌─ granted (a register) ─► hart 0
//!  hart 1 ─ soon ─┼─► whose turn is next ─┤                          hart 1
//!  …              │                       └─► who may use the bus in the next cycle
//!  dma ───────────┘
//!
//!  hart i ─ retires ─► shown: one retirement a cycle ─► rvfi_*, rvfi_hart
//! ```
//! **Turns.** A hart says a cycle ahead that it may have something to ask of memory. The next one that
//! does, in a circle that the DMA engine closes, is granted the next cycle. So every cycle of memory
//! can be used, nothing is decided and used in the same cycle, and nobody waits for more than one
//! access of each of the others. `hold_back` keeps harts from being granted anything, which a
//! simulator uses to bring about other interleavings.
//!
//! **Order.** All accesses to data retire two cycles after they take effect (an AMO four after it
//! reads, one after it writes, and nobody accesses memory between the two), and one access takes
//! effect a cycle: so memory accesses retire one at a time, in the order in which they take effect.
//! What does not access memory is shown in cycles that are left. A write that goes to an instruction
//! which another hart has fetched and not yet retired waits until it has retired: so the order holds
//! for fetches, too. If that instruction waits itself, to write where others have fetched from, one
//! of the two is fetched once more, with whatever it is by then, and nobody fetches anything before
//! the other has had its turn: so nobody waits in a circle. Writes of the DMA engine are shown two
//! cycles after they take effect (`smp` does that), between the accesses before and after and never in
//! the same cycle as one of them.
//!
//! **End.** When a hart ends the run, all harts complete what is under way; then `ended` rises.

use super::hart::Hart;
use rust_hdl::prelude::*;

/// Two harts.
pub type PairOfHarts = Cluster<2>;

/// `N` harts, at most four, with the ports that one hart has towards bus and devices.
#[derive(LogicBlock)]
pub struct Cluster<const N: usize> {
    /// clock
    pub clock: Signal<In, Clock>,
    /// synchronous reset
    pub reset: Signal<In, Bit>,
    /// start no further instruction
    pub stall: Signal<In, Bit>,
    /// the run is to end
    pub ending: Signal<In, Bit>,
    /// it does, and everything that was under way has retired
    pub ended: Signal<Out, Bit>,
    /// harts that are granted nothing in the next cycle
    pub hold_back: Signal<In, Bits<4>>,
    /// time has begun: the first instruction was fetched
    pub running: Signal<Out, Bit>,
    /// the trap handler of a hart cannot run
    pub lockup: Signal<Out, Bit>,

    /// memory request in this cycle
    pub req: Signal<Out, Bit>,
    /// it is an instruction fetch
    pub req_fetch: Signal<Out, Bit>,
    /// it is a write
    pub req_write: Signal<Out, Bit>,
    /// byte address, aligned to the access
    pub req_addr: Signal<Out, Bits<32>>,
    /// lanes accessed
    pub req_mask: Signal<Out, Bits<4>>,
    /// data to write, in its lanes
    pub req_wdata: Signal<Out, Bits<32>>,
    /// word address of the request in the cycle before
    pub device_addr: Signal<Out, Bits<32>>,
    /// its lanes
    pub device_mask: Signal<Out, Bits<4>>,
    /// its data
    pub device_wdata: Signal<Out, Bits<32>>,
    /// nothing answers at this address, or not to a fetch (same cycle as `req`)
    pub fault: Signal<In, Bit>,
    /// word read from RAM, the cycle after `req`
    pub ram_rdata: Signal<In, Bits<32>>,
    /// word read from a device, the cycle after `req`
    pub device_rdata: Signal<In, Bits<32>>,
    /// the last request went to a device
    pub from_device: Signal<In, Bit>,

    /// the DMA engine wants to read
    pub dma_read: Signal<In, Bit>,
    /// the DMA engine wants to write
    pub dma_write: Signal<In, Bit>,
    /// where
    pub dma_addr: Signal<In, Bits<32>>,
    /// it may do so in this cycle
    pub dma_turn: Signal<Out, Bit>,

    /// software interrupts pending
    pub software: Signal<In, Bits<4>>,
    /// timer interrupts pending
    pub timer: Signal<In, Bits<4>>,
    /// external interrupt pending, for hart 0
    pub external: Signal<In, Bit>,
    /// `time`, low half
    pub time_low: Signal<In, Bits<32>>,
    /// `time`, high half
    pub time_high: Signal<In, Bits<32>>,

    /// an instruction retires
    pub rvfi_valid: Signal<Out, Bit>,
    /// on this hart
    pub rvfi_hart: Signal<Out, Bits<2>>,
    /// its word
    pub rvfi_insn: Signal<Out, Bits<32>>,
    /// it trapped
    pub rvfi_trap: Signal<Out, Bit>,
    /// it is the first of an interrupt handler
    pub rvfi_intr: Signal<Out, Bit>,
    /// privilege mode in which it ran
    pub rvfi_mode: Signal<Out, Bits<2>>,
    /// rs1
    pub rvfi_rs1_addr: Signal<Out, Bits<5>>,
    /// rs2
    pub rvfi_rs2_addr: Signal<Out, Bits<5>>,
    /// value of rs1
    pub rvfi_rs1_rdata: Signal<Out, Bits<32>>,
    /// value of rs2
    pub rvfi_rs2_rdata: Signal<Out, Bits<32>>,
    /// register written, or 0
    pub rvfi_rd_addr: Signal<Out, Bits<5>>,
    /// its new value, or 0
    pub rvfi_rd_wdata: Signal<Out, Bits<32>>,
    /// its address
    pub rvfi_pc_rdata: Signal<Out, Bits<32>>,
    /// where it went
    pub rvfi_pc_wdata: Signal<Out, Bits<32>>,
    /// word address of its memory access
    pub rvfi_mem_addr: Signal<Out, Bits<32>>,
    /// bytes read
    pub rvfi_mem_rmask: Signal<Out, Bits<4>>,
    /// bytes written
    pub rvfi_mem_wmask: Signal<Out, Bits<4>>,
    /// word read
    pub rvfi_mem_rdata: Signal<Out, Bits<32>>,
    /// word written
    pub rvfi_mem_wdata: Signal<Out, Bits<32>>,

    harts: [Hart; N],
    ids: [Constant<Bits<2>>; N],
    /// whose cycle this is
    granted_ff: [DFF<Bit>; N],
    dma_ff: DFF<Bit>,
    /// whose the last cycle was
    before_ff: [DFF<Bit>; N],
    /// harts that come after the one that was granted last, in the circle
    after_ff: [DFF<Bit>; N],
    /// whose retirement is shown in this cycle
    shown_ff: [DFF<Bit>; N],
    /// harts that come after the one that was shown last
    later_ff: [DFF<Bit>; N],
    /// fetch the waiting instruction once more
    restart_ff: [DFF<Bit>; N],
    /// waits for another's instruction, which was sent back for it
    urgent_ff: [DFF<Bit>; N],
    /// somebody wrote in the last cycle
    wrote_ff: DFF<Bit>,
    wrote_addr_ff: DFF<Bits<32>>,
    eligible: [Signal<Local, Bit>; N],
    chosen: [Signal<Local, Bit>; N],
    waiting: [Signal<Local, Bit>; N],
    show: [Signal<Local, Bit>; N],
    dma_eligible: Signal<Local, Bit>,
    dma_chosen: Signal<Local, Bit>,
    any: Signal<Local, Bit>,
    passed: Signal<Local, Bit>,
    locked: Signal<Local, Bit>,
    urgent: Signal<Local, Bit>,
    seen: Signal<Local, Bit>,
    busy: Signal<Local, Bit>,
    held_back: Signal<Local, Bit>,
    fetched: Signal<Local, Bit>,
    one_addr: Signal<Local, Bits<32>>,
    one_pc: Signal<Local, Bits<32>>,
    in_the_way: Signal<Local, Bit>,
    word_aligned: Constant<Bits<32>>,
    zero: Constant<Bits<32>>,
    no_lanes: Constant<Bits<4>>,
    no_register: Constant<Bits<5>>,
    no_mode: Constant<Bits<2>>,
    first_hart: Constant<Bits<2>>,
}

impl<const N: usize> Default for Cluster<N> {
    fn default() -> Self {
        assert!((2..=4).contains(&N), "`rvfi_hart` has two bits");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            stall: Default::default(),
            ending: Default::default(),
            ended: Default::default(),
            hold_back: Default::default(),
            running: Default::default(),
            lockup: Default::default(),
            req: Default::default(),
            req_fetch: Default::default(),
            req_write: Default::default(),
            req_addr: Default::default(),
            req_mask: Default::default(),
            req_wdata: Default::default(),
            device_addr: Default::default(),
            device_mask: Default::default(),
            device_wdata: Default::default(),
            fault: Default::default(),
            ram_rdata: Default::default(),
            device_rdata: Default::default(),
            from_device: Default::default(),
            dma_read: Default::default(),
            dma_write: Default::default(),
            dma_addr: Default::default(),
            dma_turn: Default::default(),
            software: Default::default(),
            timer: Default::default(),
            external: Default::default(),
            time_low: Default::default(),
            time_high: Default::default(),
            rvfi_valid: Default::default(),
            rvfi_hart: Default::default(),
            rvfi_insn: Default::default(),
            rvfi_trap: Default::default(),
            rvfi_intr: Default::default(),
            rvfi_mode: Default::default(),
            rvfi_rs1_addr: Default::default(),
            rvfi_rs2_addr: Default::default(),
            rvfi_rs1_rdata: Default::default(),
            rvfi_rs2_rdata: Default::default(),
            rvfi_rd_addr: Default::default(),
            rvfi_rd_wdata: Default::default(),
            rvfi_pc_rdata: Default::default(),
            rvfi_pc_wdata: Default::default(),
            rvfi_mem_addr: Default::default(),
            rvfi_mem_rmask: Default::default(),
            rvfi_mem_wmask: Default::default(),
            rvfi_mem_rdata: Default::default(),
            rvfi_mem_wdata: Default::default(),
            harts: std::array::from_fn(|_| Default::default()),
            ids: std::array::from_fn(|i| Constant::new(bits::<2>(i as u64))),
            granted_ff: std::array::from_fn(|_| Default::default()),
            dma_ff: Default::default(),
            before_ff: std::array::from_fn(|_| Default::default()),
            after_ff: std::array::from_fn(|_| Default::default()),
            shown_ff: std::array::from_fn(|_| Default::default()),
            later_ff: std::array::from_fn(|_| Default::default()),
            restart_ff: std::array::from_fn(|_| Default::default()),
            urgent_ff: std::array::from_fn(|_| Default::default()),
            wrote_ff: Default::default(),
            wrote_addr_ff: Default::default(),
            eligible: std::array::from_fn(|_| Default::default()),
            chosen: std::array::from_fn(|_| Default::default()),
            waiting: std::array::from_fn(|_| Default::default()),
            show: std::array::from_fn(|_| Default::default()),
            dma_eligible: Default::default(),
            dma_chosen: Default::default(),
            any: Default::default(),
            passed: Default::default(),
            locked: Default::default(),
            urgent: Default::default(),
            seen: Default::default(),
            busy: Default::default(),
            held_back: Default::default(),
            fetched: Default::default(),
            one_addr: Default::default(),
            one_pc: Default::default(),
            in_the_way: Default::default(),
            word_aligned: Constant::new(bits::<32>(0xffff_fffc)),
            zero: Constant::new(bits::<32>(0)),
            no_lanes: Constant::new(bits::<4>(0)),
            no_register: Constant::new(bits::<5>(0)),
            no_mode: Constant::new(bits::<2>(0)),
            first_hart: Constant::new(bits::<2>(0)),
        }
    }
}

impl<const N: usize> Logic for Cluster<N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, dma_ff, wrote_ff, wrote_addr_ff);
        for i in 0..N {
            self.granted_ff[i].clock.next = self.clock.val();
            self.before_ff[i].clock.next = self.clock.val();
            self.after_ff[i].clock.next = self.clock.val();
            self.shown_ff[i].clock.next = self.clock.val();
            self.later_ff[i].clock.next = self.clock.val();
            self.restart_ff[i].clock.next = self.clock.val();
            self.restart_ff[i].d.next = false;
            self.urgent_ff[i].clock.next = self.clock.val();
            self.urgent_ff[i].d.next = self.urgent_ff[i].q.val() & self.harts[i].waits.val();
            self.after_ff[i].d.next = self.after_ff[i].q.val();
            self.later_ff[i].d.next = self.later_ff[i].q.val();
        }

        // The harts.
        self.running.next = false;
        self.lockup.next = false;
        self.busy.next = false;
        self.locked.next = false;
        self.urgent.next = false;
        for i in 0..N {
            self.harts[i].clock.next = self.clock.val();
            self.harts[i].reset.next = self.reset.val();
            self.harts[i].stall.next = self.stall.val() | self.ending.val();
            self.harts[i].halt.next = false;
            self.harts[i].hart_id.next = self.ids[i].val();
            self.harts[i].several.next = true;
            self.harts[i].restart.next = self.restart_ff[i].q.val();
            self.harts[i].granted.next = self.granted_ff[i].q.val();
            self.harts[i].shown.next = self.shown_ff[i].q.val();
            self.harts[i].fault.next = self.fault.val();
            self.harts[i].ram_rdata.next = self.ram_rdata.val();
            self.harts[i].device_rdata.next = self.device_rdata.val();
            self.harts[i].from_device.next = self.from_device.val();
            self.harts[i].other_write.next = false;
            self.harts[i].others_write.next = self.wrote_ff.q.val() & !self.before_ff[i].q.val();
            self.harts[i].other_addr.next = self.wrote_addr_ff.q.val();
            self.harts[i].software.next = self.software.val().get_bit(i);
            self.harts[i].timer.next = self.timer.val().get_bit(i);
            self.harts[i].external.next =
                self.external.val() & (self.ids[i].val() == self.first_hart.val());
            self.harts[i].time_low.next = self.time_low.val();
            self.harts[i].time_high.next = self.time_high.val();
            if self.harts[i].running.val() {
                self.running.next = true;
            }
            if self.harts[i].lockup.val() {
                self.lockup.next = true;
            }
            if self.harts[i].under_way.val() {
                self.busy.next = true;
            }
            if self.harts[i].soon_lock.val() {
                self.locked.next = true;
            }
            if self.urgent_ff[i].q.val() {
                self.urgent.next = true;
            }
        }
        self.ended.next = self.ending.val() & !self.busy.val();

        // This cycle's request, and the last one's for devices.
        self.req.next = false;
        self.req_fetch.next = false;
        self.req_write.next = false;
        self.req_addr.next = self.zero.val();
        self.req_mask.next = self.no_lanes.val();
        self.req_wdata.next = self.zero.val();
        self.device_addr.next = self.zero.val();
        self.device_mask.next = self.no_lanes.val();
        self.device_wdata.next = self.zero.val();
        self.dma_turn.next = self.dma_ff.q.val();
        for i in 0..N {
            self.before_ff[i].d.next = self.granted_ff[i].q.val();
            if self.granted_ff[i].q.val() {
                self.req.next = self.harts[i].req.val();
                self.req_fetch.next = self.harts[i].req_fetch.val();
                self.req_write.next = self.harts[i].req_write.val();
                self.req_addr.next = self.harts[i].req_addr.val();
                self.req_mask.next = self.harts[i].req_mask.val();
                self.req_wdata.next = self.harts[i].req_wdata.val();
            }
            if self.before_ff[i].q.val() {
                self.device_addr.next = self.harts[i].rvfi_mem_addr.val();
                self.device_mask.next = self.harts[i].req_mask.val();
                self.device_wdata.next = self.harts[i].req_wdata.val();
            }
        }
        self.wrote_ff.d.next = self.req.val() & self.req_write.val();
        self.wrote_addr_ff.d.next = self.req_addr.val() & self.word_aligned.val();
        if self.dma_ff.q.val() {
            self.wrote_ff.d.next = self.dma_write.val();
            self.wrote_addr_ff.d.next = self.dma_addr.val();
        }

        // Who may have the next cycle. A write waits for instructions that others have fetched from
        // where it goes.
        for i in 0..N {
            self.held_back.next = self.hold_back.val().get_bit(i) & !self.harts[i].soon_lock.val();
            self.eligible[i].next = (self.harts[i].soon.val() & !self.held_back.val())
                & (!self.locked.val() | self.harts[i].soon_lock.val());
            if self.urgent.val() & !self.harts[i].soon_data.val() {
                self.eligible[i].next = false;
            }
            self.one_addr.next = self.harts[i].soon_addr.val() & self.word_aligned.val();
            for j in 0..N {
                self.fetched.next = self.harts[j].req.val() & self.harts[j].req_fetch.val();
                self.one_pc.next = self.harts[j].rvfi_pc_rdata.val();
                if self.fetched.val() {
                    self.one_pc.next = self.harts[j].req_addr.val();
                }
                self.in_the_way.next = (self.harts[j].under_way.val() | self.fetched.val())
                    & (self.ids[i].val() != self.ids[j].val());
                if (self.in_the_way.val() & self.harts[i].soon_write.val())
                    & (self.one_addr.val() == self.one_pc.val())
                {
                    self.eligible[i].next = false;
                    // Of two that wait for each other the later one begins again.
                    if (self.harts[i].waits.val() & self.harts[j].waits.val())
                        & (self.harts[j].soon_write.val() & (self.ids[i].val() < self.ids[j].val()))
                    {
                        self.restart_ff[j].d.next = true;
                        self.urgent_ff[i].d.next = true;
                    }
                }
            }
        }
        self.dma_eligible.next = ((self.dma_read.val()
            | (self.dma_write.val() & !self.stall.val()))
            & !self.dma_ff.q.val())
            & !self.locked.val();
        for j in 0..N {
            self.fetched.next = self.harts[j].req.val() & self.harts[j].req_fetch.val();
            self.one_pc.next = self.harts[j].rvfi_pc_rdata.val();
            if self.fetched.val() {
                self.one_pc.next = self.harts[j].req_addr.val();
            }
            self.in_the_way.next = self.harts[j].under_way.val() | self.fetched.val();
            if (self.in_the_way.val() & self.dma_write.val())
                & (self.dma_addr.val() == self.one_pc.val())
            {
                self.dma_eligible.next = false;
            }
        }

        // Whose turn it is: the harts after the last one, then the DMA engine, then the others.
        self.any.next = false;
        for i in 0..N {
            self.chosen[i].next = false;
            if (self.eligible[i].val() & self.after_ff[i].q.val()) & !self.any.val() {
                self.chosen[i].next = true;
                self.any.next = true;
            }
        }
        self.dma_chosen.next = self.dma_eligible.val() & !self.any.val();
        if self.dma_chosen.val() {
            self.any.next = true;
        }
        for i in 0..N {
            if self.eligible[i].val() & !self.any.val() {
                self.chosen[i].next = true;
                self.any.next = true;
            }
        }
        self.passed.next = self.dma_chosen.val();
        self.dma_ff.d.next = self.dma_chosen.val();
        for i in 0..N {
            self.granted_ff[i].d.next = self.chosen[i].val();
            if self.chosen[i].val() {
                self.urgent_ff[i].d.next = false;
            }
            if self.any.val() {
                self.after_ff[i].d.next = self.passed.val();
            }
            if self.chosen[i].val() {
                self.passed.next = true;
            }
        }

        // Whose retirement is shown in the next cycle: that of a memory access, else one in turn.
        self.seen.next = false;
        for i in 0..N {
            self.waiting[i].next = self.harts[i].soon_retire.val()
                | (self.harts[i].retires.val() & !self.shown_ff[i].q.val());
            self.show[i].next = self.harts[i].soon_access.val();
            if self.harts[i].soon_access.val() {
                self.seen.next = true;
            }
        }
        for i in 0..N {
            if (self.waiting[i].val() & self.later_ff[i].q.val()) & !self.seen.val() {
                self.show[i].next = true;
                self.seen.next = true;
            }
        }
        for i in 0..N {
            if self.waiting[i].val() & !self.seen.val() {
                self.show[i].next = true;
                self.seen.next = true;
            }
        }
        self.passed.next = false;
        for i in 0..N {
            self.shown_ff[i].d.next = self.show[i].val();
            if self.seen.val() {
                self.later_ff[i].d.next = self.passed.val();
            }
            if self.show[i].val() {
                self.passed.next = true;
            }
        }

        // The retirement port.
        self.rvfi_valid.next = false;
        self.rvfi_hart.next = self.first_hart.val();
        self.rvfi_insn.next = self.zero.val();
        self.rvfi_trap.next = false;
        self.rvfi_intr.next = false;
        self.rvfi_mode.next = self.no_mode.val();
        self.rvfi_rs1_addr.next = self.no_register.val();
        self.rvfi_rs2_addr.next = self.no_register.val();
        self.rvfi_rs1_rdata.next = self.zero.val();
        self.rvfi_rs2_rdata.next = self.zero.val();
        self.rvfi_rd_addr.next = self.no_register.val();
        self.rvfi_rd_wdata.next = self.zero.val();
        self.rvfi_pc_rdata.next = self.zero.val();
        self.rvfi_pc_wdata.next = self.zero.val();
        self.rvfi_mem_addr.next = self.zero.val();
        self.rvfi_mem_rmask.next = self.no_lanes.val();
        self.rvfi_mem_wmask.next = self.no_lanes.val();
        self.rvfi_mem_rdata.next = self.zero.val();
        self.rvfi_mem_wdata.next = self.zero.val();
        for i in 0..N {
            if self.shown_ff[i].q.val() {
                self.rvfi_valid.next = self.harts[i].rvfi_valid.val();
                self.rvfi_hart.next = self.ids[i].val();
                self.rvfi_insn.next = self.harts[i].rvfi_insn.val();
                self.rvfi_trap.next = self.harts[i].rvfi_trap.val();
                self.rvfi_intr.next = self.harts[i].rvfi_intr.val();
                self.rvfi_mode.next = self.harts[i].rvfi_mode.val();
                self.rvfi_rs1_addr.next = self.harts[i].rvfi_rs1_addr.val();
                self.rvfi_rs2_addr.next = self.harts[i].rvfi_rs2_addr.val();
                self.rvfi_rs1_rdata.next = self.harts[i].rvfi_rs1_rdata.val();
                self.rvfi_rs2_rdata.next = self.harts[i].rvfi_rs2_rdata.val();
                self.rvfi_rd_addr.next = self.harts[i].rvfi_rd_addr.val();
                self.rvfi_rd_wdata.next = self.harts[i].rvfi_rd_wdata.val();
                self.rvfi_pc_rdata.next = self.harts[i].rvfi_pc_rdata.val();
                self.rvfi_pc_wdata.next = self.harts[i].rvfi_pc_wdata.val();
                self.rvfi_mem_addr.next = self.harts[i].rvfi_mem_addr.val();
                self.rvfi_mem_rmask.next = self.harts[i].rvfi_mem_rmask.val();
                self.rvfi_mem_wmask.next = self.harts[i].rvfi_mem_wmask.val();
                self.rvfi_mem_rdata.next = self.harts[i].rvfi_mem_rdata.val();
                self.rvfi_mem_wdata.next = self.harts[i].rvfi_mem_wdata.val();
            }
        }

        if self.reset.val() {
            self.dma_ff.d.next = false;
            self.wrote_ff.d.next = false;
            for i in 0..N {
                self.granted_ff[i].d.next = false;
                self.before_ff[i].d.next = false;
                self.shown_ff[i].d.next = false;
                self.urgent_ff[i].d.next = false;
                self.restart_ff[i].d.next = false;
            }
        }
    }
}

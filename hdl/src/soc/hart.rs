//! One RV32IMA + Zicsr + Zifencei hart, in order, one instruction at a time, with its retirement port.
//!
//! ```text
//!  ALU, branch   Fetch Decode Execute                              3 cycles
//!  CSR           Fetch Decode Execute Csr                          4
//!  store, sc     Fetch Decode Execute Access                       4
//!  load, lr      Fetch Decode Execute Access Arrive                5
//!  AMO           Fetch Decode Execute Access Arrive Modify Update  7
//!  mul, div      Fetch Decode Execute Compute…                    36, 38
//!  trap          … Trap                                           +1, interrupt 2
//! ```
//! An instruction completes by setting `retire_ff`. The next cycle, the Fetch of its successor, writes
//! its result into the register file and shows it on the retirement port: `decode`, `pc_ff`, `addr_ff`
//! and the other registers still hold what belongs to it, and `next_ff` is where it went. So the port
//! costs hardly any registers, and every value on it is registered.
//!
//! Memory is accessed in Fetch, Access and Update alone, and Fetch and Access wait until they are
//! `granted`. `between` is high in Fetch while no access of the hart is under way: if others write to
//! memory only then, an instruction's fetch and its data accesses are one indivisible step for
//! everybody else (see `bus`). Several harts share memory by other rules (see `cluster`): each says a
//! cycle ahead that it may have something to ask, `soon`, and is granted its cycle from a register.
//! One of `several` harts spends a cycle more on a store, Settle, so that loads and stores retire
//! equally long after their access: the order of retirements is the order of accesses. Its other
//! instructions wait in Fetch until their retirement is `shown`, as one port shows those of all harts.
//! While `stall` is high no instruction starts. `wfi` retires at once; the sleep is spent in Fetch.

use super::control::{Control, HartState};
use super::csr::Csr;
use super::csr_select::CsrSelect;
use super::datapath::Datapath;
use super::decode::{Decode, Kind};
use super::immediate::Immediate;
use super::muldiv::MulDiv;
use super::operation::Operation;
use super::registers::Registers;
use rust_hdl::prelude::*;

circuit! {
    /// The hart.
    pub struct Hart {
        /// clock
        pub clock: Signal<In, Clock>,
        /// synchronous reset
        pub reset: Signal<In, Bit>,
        /// start no further instruction
        pub stall: Signal<In, Bit>,
        /// the run has ended
        pub halt: Signal<In, Bit>,
        /// `mhartid`
        pub hart_id: Signal<In, Bits<2>>,
        /// this is one of several harts
        pub several: Signal<In, Bit>,
        /// if the instruction waits for memory, fetch it once more
        pub restart: Signal<In, Bit>,
        /// an instruction has retired, and waits in Fetch until its retirement is seen
        pub retires: Signal<Out, Bit>,
        /// it is seen in this cycle, if there is one
        pub shown: Signal<In, Bit>,
        /// time has begun: the first instruction was fetched
        pub running: Signal<Out, Bit>,
        /// the trap handler itself cannot run
        pub lockup: Signal<Out, Bit>,

        /// there may be something to ask of memory in the next cycle
        pub soon: Signal<Out, Bit>,
        /// it is no fetch
        pub soon_data: Signal<Out, Bit>,
        /// it is a write, at once or, for an AMO, when it has read
        pub soon_write: Signal<Out, Bit>,
        /// nobody else may access memory in the next cycle
        pub soon_lock: Signal<Out, Bit>,
        /// the instruction waits for memory
        pub waits: Signal<Out, Bit>,
        /// an instruction retires in the next cycle
        pub soon_retire: Signal<Out, Bit>,
        /// one that has accessed memory
        pub soon_access: Signal<Out, Bit>,
        /// address of a write in the next cycle
        pub soon_addr: Signal<Out, Bits<32>>,
        /// memory answers in this cycle if it is asked
        pub granted: Signal<In, Bit>,
        /// memory request in this cycle
        pub req: Signal<Out, Bit>,
        /// it is an instruction fetch
        pub req_fetch: Signal<Out, Bit>,
        /// it is a write
        pub req_write: Signal<Out, Bit>,
        /// byte address, aligned to the access
        pub req_addr: Signal<Out, Bits<32>>,
        /// lanes accessed; held through the next cycle
        pub req_mask: Signal<Out, Bits<4>>,
        /// data to write, in its lanes; held through the next cycle
        pub req_wdata: Signal<Out, Bits<32>>,
        /// nobody else may access memory in this cycle
        pub lock: Signal<Out, Bit>,
        /// no instruction is under way, but one may be fetched
        pub between: Signal<Out, Bit>,
        /// the instruction at `rvfi_pc_rdata` was fetched, and its retirement was not seen before
        pub under_way: Signal<Out, Bit>,
        /// nothing answers at this address, or not to a fetch (same cycle as `req`)
        pub fault: Signal<In, Bit>,
        /// word read from RAM, the cycle after `req`
        pub ram_rdata: Signal<In, Bits<32>>,
        /// word read from a device, the cycle after `req`
        pub device_rdata: Signal<In, Bits<32>>,
        /// the last request went to a device
        pub from_device: Signal<In, Bit>,
        /// somebody else wants to write in this cycle: leave it to them if `between`
        pub other_write: Signal<In, Bit>,
        /// somebody else wrote in the last cycle, whatever this hart did
        pub others_write: Signal<In, Bit>,
        /// where, in either case
        pub other_addr: Signal<In, Bits<32>>,

        /// software interrupt pending
        pub software: Signal<In, Bit>,
        /// timer interrupt pending
        pub timer: Signal<In, Bit>,
        /// external interrupt pending
        pub external: Signal<In, Bit>,
        /// `time`, low half
        pub time_low: Signal<In, Bits<32>>,
        /// `time`, high half
        pub time_high: Signal<In, Bits<32>>,

        /// an instruction retires
        pub rvfi_valid: Signal<Out, Bit>,
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

        control: Control,
        datapath: Datapath,
        decode: Decode,
        immediate: Immediate,
        operation: Operation,
        csr_select: CsrSelect,
        registers: Registers,
        muldiv: MulDiv,
        csr: Csr,
        reserved_ff: DFF<Bit>,
        reservation_ff: DFF<Bits<32>>,
        insn: Signal<Local, Bits<32>>,
        state: Signal<Local, HartState>,
        kind: Signal<Local, Kind>,
        fetched: Signal<Local, Bits<32>>,
        reserved: Signal<Local, Bit>,
        taken_away: Signal<Local, Bit>,
        amo: Signal<Local, Bit>,
        rd: Signal<Local, Bits<5>>,
    }
    constants {
        zero: 32 = 0,
        word_aligned: 32 = 0xffff_fffc,
        no_register: 5 = 0,
        mode_user: 2 = 0,
        mode_machine: 2 = 3,
    }
}

impl Logic for Hart {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, reserved_ff, reservation_ff);
        self.insn.next = self.decode.insn.val();
        self.kind.next = self.decode.kind.val();
        self.state.next = self.control.state.val();
        self.amo.next = self.kind.val() == Kind::Amo;

        // Decode: all decoders see the word when it arrives.
        self.fetched.next = self.zero.val();
        if self.state.val() == HartState::Decode {
            self.fetched.next = self.ram_rdata.val();
        }
        self.decode.clock.next = self.clock.val();
        self.decode.load.next = self.control.load.val();
        self.decode.word.next = self.fetched.val();
        self.immediate.clock.next = self.clock.val();
        self.immediate.load.next = self.control.load.val();
        self.immediate.word.next = self.fetched.val();
        self.operation.clock.next = self.clock.val();
        self.operation.load.next = self.control.load.val();
        self.operation.word.next = self.fetched.val();
        self.csr_select.clock.next = self.clock.val();
        self.csr_select.load.next = self.control.load.val();
        self.csr_select.word.next = self.fetched.val();

        // Registers: read when the word arrives, written when the retirement is seen. At the start
        // they are cleared, with the result register, which is zero then.
        self.registers.clock.next = self.clock.val();
        self.registers.read_insn.next = self.insn.val();
        if self.state.val() == HartState::Decode {
            self.registers.read_insn.next = self.ram_rdata.val();
        }
        self.rd.next = self.no_register.val();
        if self.control.writeback.val() & self.shown.val() {
            self.rd.next = self.decode.rd.val();
        }
        self.registers.write.next = self.rd.val().any();
        self.registers.write_address.next = self.rd.val();
        self.registers.write_data.next = self.datapath.result.val();
        if self.state.val() == HartState::Start {
            self.registers.write.next = true;
            self.registers.write_address.next = self.control.sweep.val();
        }

        // Reservation of lr.w: lost by sc.w, by a trap, and by somebody else's write to it.
        self.taken_away.next =
            self.others_write.val() & (self.other_addr.val() == self.reservation_ff.q.val());
        self.reserved.next = (self.reserved_ff.q.val() & !self.taken_away.val())
            & (self.reservation_ff.q.val() == self.datapath.addr.val());
        if (self.state.val() == HartState::Arrive) & (self.kind.val() == Kind::LoadReserved) {
            self.reserved_ff.d.next = true;
            self.reservation_ff.d.next = self.datapath.addr.val();
        }
        if ((((self.state.val() == HartState::Access)
            & (self.kind.val() == Kind::StoreConditional))
            & (self.granted.val() | !self.reserved.val()))
            | ((self.state.val() == HartState::Trap) | self.reset.val()))
            | (self.taken_away.val()
                | ((self.other_write.val() & (self.state.val() == HartState::Fetch))
                    & (self.other_addr.val() == self.reservation_ff.q.val())))
        {
            self.reserved_ff.d.next = false;
        }

        // Memory.
        self.req.next = self.control.req.val();
        self.req_write.next = self.control.req_write.val();
        self.req_fetch.next = self.control.begins.val();
        self.req_addr.next = self.datapath.addr.val();
        if self.state.val() == HartState::Fetch {
            self.req_addr.next = self.datapath.next_pc.val();
        }
        self.req_mask.next = self.datapath.mask.val();
        self.req_wdata.next = self.datapath.wdata.val();
        self.lock.next = self.amo.val()
            & ((self.state.val() == HartState::Arrive) | (self.state.val() == HartState::Modify));
        self.soon.next = self.control.soon.val();
        self.soon_data.next = self.control.soon_data.val();
        self.soon_write.next = self.control.soon_write.val();
        self.soon_lock.next = self.control.soon_lock.val();
        self.waits.next = self.control.waits.val();
        self.soon_retire.next = self.control.soon_retire.val();
        self.soon_access.next = self.control.soon_access.val();
        self.soon_addr.next = self.datapath.addr.val();
        if self.state.val() == HartState::Execute {
            self.soon_addr.next = self.datapath.target_addr.val();
        }
        self.under_way.next = self.control.under_way.val();
        self.between.next = (self.state.val() == HartState::Fetch) & !self.stall.val();
        self.running.next = self.control.running.val();
        self.lockup.next = self.control.lockup.val();

        self.control.clock.next = self.clock.val();
        self.control.reset.next = self.reset.val();
        self.control.stall.next = self.stall.val();
        self.control.halt.next = self.halt.val();
        self.control.kind.next = self.kind.val();
        self.control.fault.next = self.fault.val();
        self.control.other_write.next = self.other_write.val();
        self.control.granted.next = self.granted.val();
        self.control.several.next = self.several.val();
        self.control.restart.next = self.restart.val();
        self.control.shown.next = self.shown.val();
        self.control.misaligned_target.next = self.datapath.misaligned_target.val();
        self.control.misaligned.next = self.datapath.misaligned.val();
        self.control.mask.next = self.datapath.mask.val();
        self.control.reserved.next = self.reserved.val();
        self.control.computed.next = self.muldiv.done.val();
        self.control.csr_illegal.next = self.csr.illegal.val();
        self.control.machine.next = self.csr.machine.val();
        self.control.timeout_wait.next = self.csr.timeout_wait.val();
        self.control.request.next = self.csr.request.val();
        self.control.request_cause.next = self.csr.request_cause.val();
        self.control.wake.next = self.csr.wake.val();
        self.control.same_pc.next = self.csr.mepc.val() == self.datapath.pc.val();

        self.datapath.clock.next = self.clock.val();
        self.datapath.reset.next = self.reset.val();
        self.datapath.state.next = self.state.val();
        self.datapath.begins.next = self.control.begins.val();
        self.datapath.restarts.next = self.control.restarts.val();
        self.datapath.kind.next = self.kind.val();
        self.datapath.alu_op.next = self.operation.alu_op.val();
        self.datapath.insn.next = self.insn.val();
        self.datapath.funct3.next = self.decode.funct3.val();
        self.datapath.imm.next = self.immediate.imm.val();
        self.datapath.rs1.next = self.registers.left.val();
        self.datapath.rs2.next = self.registers.right.val();
        self.datapath.ram_rdata.next = self.ram_rdata.val();
        self.datapath.device_rdata.next = self.device_rdata.val();
        self.datapath.from_device.next = self.from_device.val();
        self.datapath.computed.next = self.muldiv.result.val();
        self.datapath.csr_rdata.next = self.csr.rdata.val();
        self.datapath.trap_target.next = self.csr.target.val();
        self.datapath.reserved.next = self.reserved.val();

        self.muldiv.clock.next = self.clock.val();
        self.muldiv.reset.next = self.reset.val();
        self.muldiv.start.next =
            (self.state.val() == HartState::Execute) & (self.kind.val() == Kind::MulDiv);
        self.muldiv.funct3.next = self.decode.funct3.val();
        self.muldiv.a.next = self.registers.left.val();
        self.muldiv.b.next = self.registers.right.val();

        self.csr.clock.next = self.clock.val();
        self.csr.reset.next = self.reset.val();
        self.csr.access.next = self.state.val() == HartState::Csr;
        self.csr.name.next = self.csr_select.name.val();
        self.csr.insn.next = self.insn.val();
        self.csr.rs1.next = self.registers.left.val();
        self.csr.trap.next = self.state.val() == HartState::Trap;
        self.csr.trap_interrupt.next = self.control.interrupt.val();
        self.csr.trap_cause.next = self.control.cause.val();
        self.csr.trap_value.next = self.datapath.addr.val();
        self.csr.trap_pc.next = self.datapath.pc.val();
        if self.control.interrupt.val() {
            self.csr.trap_pc.next = self.datapath.next_pc.val();
        }
        self.csr.mret.next = ((self.state.val() == HartState::Execute)
            & (self.kind.val() == Kind::Mret))
            & self.csr.machine.val();
        self.csr.hart_id.next = self.hart_id.val();
        self.csr.running.next = self.control.running.val();
        self.csr.retire.next = self.control.complete.val();
        self.csr.software.next = self.software.val();
        self.csr.timer.next = self.timer.val();
        self.csr.external.next = self.external.val();
        self.csr.time_low.next = self.time_low.val();
        self.csr.time_high.next = self.time_high.val();

        // Retirement port.
        self.retires.next = self.control.retire.val();
        self.rvfi_valid.next = self.control.retire.val() & self.shown.val();
        self.rvfi_insn.next = self.insn.val();
        self.rvfi_trap.next = self.control.trapped.val();
        self.rvfi_intr.next = self.control.intr.val();
        self.rvfi_mode.next = self.mode_user.val();
        if self.control.ran_in_machine.val() {
            self.rvfi_mode.next = self.mode_machine.val();
        }
        self.rvfi_rs1_addr.next = self.decode.rs1.val();
        self.rvfi_rs2_addr.next = self.decode.rs2.val();
        self.rvfi_rs1_rdata.next = self.registers.left.val();
        self.rvfi_rs2_rdata.next = self.registers.right.val();
        self.rvfi_rd_addr.next = self.rd.val();
        self.rvfi_rd_wdata.next = self.zero.val();
        if self.rd.val().any() {
            self.rvfi_rd_wdata.next = self.datapath.result.val();
        }
        self.rvfi_pc_rdata.next = self.datapath.pc.val();
        self.rvfi_pc_wdata.next = self.datapath.next_pc.val();
        self.rvfi_mem_addr.next = self.datapath.addr.val() & self.word_aligned.val();
        self.rvfi_mem_rmask.next = self.control.rmask.val();
        self.rvfi_mem_wmask.next = self.control.wmask.val();
        self.rvfi_mem_rdata.next = self.datapath.word.val();
        self.rvfi_mem_wdata.next = self.datapath.wdata.val();
    }
}

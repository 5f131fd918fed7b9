//! In which step an instruction is, and what that step asks of memory, CSRs and the retirement port.

use super::decode::Kind;
use rust_hdl::prelude::*;

/// What the hart does in this cycle.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum HartState {
    /// clears the registers, one a cycle
    Start,
    /// retires the last instruction and requests the next
    Fetch,
    /// the instruction word is there
    Decode,
    /// arithmetic, branches, address
    Execute,
    /// memory request
    Access,
    /// the loaded word is there
    Arrive,
    /// AMO: computes the new word
    Modify,
    /// AMO: writes it
    Update,
    /// among several harts: a store retires as long after its access as a load
    Settle,
    /// multiplication or division under way
    Compute,
    /// CSR access
    Csr,
    /// trap entry
    Trap,
    /// for good
    Halt,
}

circuit! {
    /// State machine of the hart.
    pub struct Control {
        /// clock
        pub clock: Signal<In, Clock>,
        /// synchronous reset
        pub reset: Signal<In, Bit>,
        /// start no further instruction
        pub stall: Signal<In, Bit>,
        /// the run has ended
        pub halt: Signal<In, Bit>,
        /// what the instruction does
        pub kind: Signal<In, Kind>,
        /// the next instruction's address, or the memory address, has no answer
        pub fault: Signal<In, Bit>,
        /// somebody else wants to write to memory
        pub other_write: Signal<In, Bit>,
        /// memory answers in this cycle if it is asked
        pub granted: Signal<In, Bit>,
        /// this is one of several harts
        pub several: Signal<In, Bit>,
        /// if the instruction waits in Access, fetch it once more
        pub restart: Signal<In, Bit>,
        /// the retirement is seen in this cycle, if there is one
        pub shown: Signal<In, Bit>,
        /// a jump goes where no instruction can be
        pub misaligned_target: Signal<In, Bit>,
        /// a memory address does not fit its access
        pub misaligned: Signal<In, Bit>,
        /// lanes of a memory access
        pub mask: Signal<In, Bits<4>>,
        /// the reservation holds
        pub reserved: Signal<In, Bit>,
        /// product or quotient is there
        pub computed: Signal<In, Bit>,
        /// the CSR access is not allowed
        pub csr_illegal: Signal<In, Bit>,
        /// M mode
        pub machine: Signal<In, Bit>,
        /// `wfi` traps in U mode
        pub timeout_wait: Signal<In, Bit>,
        /// an interrupt is to be taken
        pub request: Signal<In, Bit>,
        /// which
        pub request_cause: Signal<In, Bits<4>>,
        /// an enabled interrupt is pending
        pub wake: Signal<In, Bit>,
        /// the pc of this trap is that of the trap before
        pub same_pc: Signal<In, Bit>,
        /// step of the instruction
        pub state: Signal<Out, HartState>,
        /// a fetch starts in this cycle
        pub begins: Signal<Out, Bit>,
        /// memory request
        pub req: Signal<Out, Bit>,
        /// it writes
        pub req_write: Signal<Out, Bit>,
        /// there may be something to ask of memory in the next cycle
        pub soon: Signal<Out, Bit>,
        /// it is no fetch
        pub soon_data: Signal<Out, Bit>,
        /// it writes, at once or, for an AMO, when it has read
        pub soon_write: Signal<Out, Bit>,
        /// nobody else may access memory in the next cycle
        pub soon_lock: Signal<Out, Bit>,
        /// the instruction waits in Access
        pub waits: Signal<Out, Bit>,
        /// it is to be fetched once more
        pub restarts: Signal<Out, Bit>,
        /// an instruction retires in the next cycle
        pub soon_retire: Signal<Out, Bit>,
        /// one that has accessed memory
        pub soon_access: Signal<Out, Bit>,
        /// an instruction was fetched, and its retirement was not seen before
        pub under_way: Signal<Out, Bit>,
        /// decode the word that arrives
        pub load: Signal<Out, Bit>,
        /// an instruction completes in this cycle and did not trap
        pub complete: Signal<Out, Bit>,
        /// cause of the trap
        pub cause: Signal<Out, Bits<4>>,
        /// the trap is an interrupt
        pub interrupt: Signal<Out, Bit>,
        /// time has begun
        pub running: Signal<Out, Bit>,
        /// the trap handler itself cannot run
        pub lockup: Signal<Out, Bit>,
        /// retirement port: an instruction retires
        pub retire: Signal<Out, Bit>,
        /// its result goes to rd
        pub writeback: Signal<Out, Bit>,
        /// it trapped
        pub trapped: Signal<Out, Bit>,
        /// first of an interrupt handler
        pub intr: Signal<Out, Bit>,
        /// bytes read
        pub rmask: Signal<Out, Bits<4>>,
        /// bytes written
        pub wmask: Signal<Out, Bits<4>>,
        /// it ran in M mode
        pub ran_in_machine: Signal<Out, Bit>,
        /// register being cleared
        pub sweep: Signal<Out, Bits<5>>,
        state_ff: DFF<HartState>,
        sweep_ff: DFF<Bits<5>>,
        running_ff: DFF<Bit>,
        sleep_ff: DFF<Bit>,
        lockup_ff: DFF<Bit>,
        retire_ff: DFF<Bit>,
        writeback_ff: DFF<Bit>,
        trapped_ff: DFF<Bit>,
        after_trap_ff: DFF<Bit>,
        intr_ff: DFF<Bit>,
        machine_ff: DFF<Bit>,
        rmask_ff: DFF<Bits<4>>,
        wmask_ff: DFF<Bits<4>>,
        cause_ff: DFF<Bits<4>>,
        interrupt_ff: DFF<Bit>,
        done: Signal<Local, Bit>,
        result: Signal<Local, Bit>,
        exception: Signal<Local, Bit>,
        reads: Signal<Local, Bit>,
        unseen: Signal<Local, Bit>,
        accesses: Signal<Local, Bit>,
        /// another attempt to fetch is due
        again: Signal<Local, Bit>,
    }
    constants {
        first_register: 5 = 0,
        next_register: 5 = 1,
        no_lanes: 4 = 0,
        fetch_misaligned: 4 = 0,
        fetch_fault: 4 = 1,
        illegal: 4 = 2,
        breakpoint: 4 = 3,
        load_misaligned: 4 = 4,
        load_fault: 4 = 5,
        store_misaligned: 4 = 6,
        store_fault: 4 = 7,
        user_call: 4 = 8,
        machine_call: 4 = 11,
    }
}

impl Logic for Control {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            state_ff,
            sweep_ff,
            running_ff,
            sleep_ff,
            lockup_ff,
            retire_ff,
            writeback_ff,
            trapped_ff,
            after_trap_ff,
            intr_ff,
            machine_ff,
            rmask_ff,
            wmask_ff,
            cause_ff,
            interrupt_ff
        );
        self.state.next = self.state_ff.q.val();
        self.cause.next = self.cause_ff.q.val();
        self.interrupt.next = self.interrupt_ff.q.val();
        self.running.next = self.running_ff.q.val();
        self.lockup.next = self.lockup_ff.q.val();
        self.retire.next = self.retire_ff.q.val();
        self.writeback.next = self.writeback_ff.q.val();
        self.trapped.next = self.trapped_ff.q.val();
        self.intr.next = self.intr_ff.q.val();
        self.rmask.next = self.rmask_ff.q.val();
        self.wmask.next = self.wmask_ff.q.val();
        self.ran_in_machine.next = self.machine_ff.q.val();
        self.sweep.next = self.sweep_ff.q.val();
        self.begins.next = false;
        self.soon.next = false;
        self.soon_lock.next = false;
        self.waits.next = false;
        self.restarts.next = false;
        self.again.next = false;
        self.req.next = false;
        self.req_write.next = false;
        self.unseen.next = self.retire_ff.q.val() & !self.shown.val();
        self.under_way.next = self.retire_ff.q.val()
            | !(((self.state_ff.q.val() == HartState::Start)
                | (self.state_ff.q.val() == HartState::Fetch))
                | (self.state_ff.q.val() == HartState::Halt));
        self.load.next = false;
        self.done.next = false;
        self.result.next = false;
        self.exception.next = false;
        self.reads.next = (self.kind.val() == Kind::Load) | (self.kind.val() == Kind::LoadReserved);
        self.soon_write.next = (self.kind.val() == Kind::Store)
            | (self.kind.val() == Kind::StoreConditional)
            | (self.kind.val() == Kind::Amo);
        self.accesses.next = self.reads.val() | self.soon_write.val();
        if !((self.state_ff.q.val() == HartState::Execute)
            | (self.state_ff.q.val() == HartState::Access))
        {
            self.soon_write.next = false;
        }
        match self.state_ff.q.val() {
            HartState::Start => {
                self.sweep_ff.d.next = self.sweep_ff.q.val() + self.next_register.val();
                if self.sweep_ff.q.val().all() {
                    self.state_ff.d.next = HartState::Fetch;
                }
            }
            HartState::Fetch => {
                if self.retire_ff.q.val() & self.shown.val() {
                    self.intr_ff.d.next = false;
                    self.after_trap_ff.d.next = self.trapped_ff.q.val();
                }
                if self.unseen.val() {
                    self.state_ff.d.next = HartState::Fetch;
                } else if self.request.val() {
                    self.cause_ff.d.next = self.request_cause.val();
                    self.interrupt_ff.d.next = true;
                    self.sleep_ff.d.next = false;
                    self.state_ff.d.next = HartState::Trap;
                } else if self.sleep_ff.q.val() {
                    self.sleep_ff.d.next = !self.wake.val();
                } else if !((self.stall.val() | self.other_write.val()) | !self.granted.val()) {
                    self.begins.next = true;
                    self.req.next = true;
                    self.running_ff.d.next = true;
                    self.machine_ff.d.next = self.machine.val();
                    self.rmask_ff.d.next = self.no_lanes.val();
                    self.wmask_ff.d.next = self.no_lanes.val();
                    self.state_ff.d.next = HartState::Decode;
                    if self.fault.val() {
                        // The word of an instruction that cannot be fetched is shown as zero.
                        self.load.next = true;
                        self.exception.next = true;
                        self.cause_ff.d.next = self.fetch_fault.val();
                    }
                }
                self.again.next = !self.stall.val()
                    & !(self.begins.val() | (!self.unseen.val() & self.request.val()));
                if !self.unseen.val() & self.sleep_ff.q.val() {
                    self.again.next = false;
                }
            }
            HartState::Decode => {
                self.load.next = true;
                self.state_ff.d.next = HartState::Execute;
            }
            HartState::Execute => {
                self.cause_ff.d.next = self.illegal.val();
                self.soon.next = self.accesses.val();
                match self.kind.val() {
                    Kind::Load => self.state_ff.d.next = HartState::Access,
                    Kind::Store => self.state_ff.d.next = HartState::Access,
                    Kind::Amo => self.state_ff.d.next = HartState::Access,
                    Kind::LoadReserved => self.state_ff.d.next = HartState::Access,
                    Kind::StoreConditional => self.state_ff.d.next = HartState::Access,
                    Kind::MulDiv => self.state_ff.d.next = HartState::Compute,
                    Kind::Csr => self.state_ff.d.next = HartState::Csr,
                    Kind::Illegal => self.exception.next = true,
                    Kind::Fence => self.done.next = true,
                    Kind::Ecall => {
                        self.exception.next = true;
                        self.cause_ff.d.next = self.user_call.val();
                        if self.machine.val() {
                            self.cause_ff.d.next = self.machine_call.val();
                        }
                    }
                    Kind::Ebreak => {
                        self.exception.next = true;
                        self.cause_ff.d.next = self.breakpoint.val();
                    }
                    Kind::Mret => {
                        self.done.next = self.machine.val();
                        self.exception.next = !self.machine.val();
                    }
                    Kind::Wfi => {
                        self.done.next = self.machine.val() | !self.timeout_wait.val();
                        self.exception.next = !self.machine.val() & self.timeout_wait.val();
                        self.sleep_ff.d.next = self.machine.val() | !self.timeout_wait.val();
                    }
                    _ => {
                        self.done.next = !self.misaligned_target.val();
                        self.result.next = self.kind.val() != Kind::Branch;
                        self.exception.next = self.misaligned_target.val();
                        if self.misaligned_target.val() {
                            self.cause_ff.d.next = self.fetch_misaligned.val();
                        }
                    }
                }
            }
            HartState::Access => {
                self.result.next = self.kind.val() == Kind::StoreConditional;
                if self.misaligned.val() {
                    self.exception.next = true;
                    self.cause_ff.d.next = self.store_misaligned.val();
                    if self.reads.val() {
                        self.cause_ff.d.next = self.load_misaligned.val();
                    }
                } else if (self.kind.val() == Kind::StoreConditional) & !self.reserved.val() {
                    self.done.next = true;
                } else {
                    self.soon.next = !self.granted.val();
                    self.waits.next = !self.granted.val();
                    self.restarts.next = self.restart.val() & !self.granted.val();
                    if self.restarts.val() {
                        self.state_ff.d.next = HartState::Fetch;
                    }
                    if self.granted.val() {
                        self.req.next = true;
                        self.soon_lock.next = (self.kind.val() == Kind::Amo)
                            | (self.kind.val() == Kind::LoadReserved);
                        self.state_ff.d.next = HartState::Arrive;
                        if (self.kind.val() == Kind::Store)
                            | (self.kind.val() == Kind::StoreConditional)
                        {
                            self.req_write.next = true;
                            self.done.next = !(self.fault.val() | self.several.val());
                            self.state_ff.d.next = HartState::Settle;
                            self.wmask_ff.d.next = self.mask.val();
                        }
                        if self.fault.val() {
                            self.exception.next = true;
                            self.wmask_ff.d.next = self.no_lanes.val();
                            self.cause_ff.d.next = self.store_fault.val();
                            if self.reads.val() {
                                self.cause_ff.d.next = self.load_fault.val();
                            }
                        }
                    }
                }
            }
            HartState::Arrive => {
                self.rmask_ff.d.next = self.mask.val();
                self.state_ff.d.next = HartState::Modify;
                self.done.next = self.kind.val() != Kind::Amo;
                self.soon_lock.next = self.kind.val() == Kind::Amo;
                self.result.next = true;
            }
            HartState::Modify => {
                self.soon.next = true;
                self.soon_lock.next = true;
                self.state_ff.d.next = HartState::Update;
            }
            HartState::Settle => {
                self.done.next = true;
                self.result.next = self.kind.val() == Kind::StoreConditional;
            }
            HartState::Update => {
                self.req.next = true;
                self.req_write.next = true;
                self.wmask_ff.d.next = self.mask.val();
                self.done.next = true;
                self.result.next = true;
            }
            HartState::Compute => {
                self.done.next = self.computed.val();
                self.result.next = true;
            }
            HartState::Csr => {
                self.done.next = !self.csr_illegal.val();
                self.exception.next = self.csr_illegal.val();
                self.result.next = true;
            }
            _ => self.lockup_ff.d.next = self.lockup_ff.q.val(),
        }
        self.soon_data.next = self.soon.val();
        self.complete.next = self.done.val();
        self.soon_retire.next = self.done.val()
            | ((self.state_ff.q.val() == HartState::Trap) & !self.interrupt_ff.q.val());
        self.soon_access.next = self.done.val()
            & (((self.state_ff.q.val() == HartState::Arrive)
                | (self.state_ff.q.val() == HartState::Settle))
                | (self.state_ff.q.val() == HartState::Update));
        if (self.done.val() | self.again.val()) | (self.state_ff.q.val() == HartState::Trap) {
            self.soon.next = true;
        }
        self.retire_ff.d.next = self.done.val() | self.unseen.val();
        self.writeback_ff.d.next =
            (self.done.val() & self.result.val()) | (self.unseen.val() & self.writeback_ff.q.val());
        self.trapped_ff.d.next = self.unseen.val() & self.trapped_ff.q.val();
        if self.done.val() {
            self.state_ff.d.next = HartState::Fetch;
        }
        if self.exception.val() {
            self.interrupt_ff.d.next = false;
            self.state_ff.d.next = HartState::Trap;
        }
        if self.state_ff.q.val() == HartState::Trap {
            self.state_ff.d.next = HartState::Fetch;
            self.retire_ff.d.next = !self.interrupt_ff.q.val();
            self.trapped_ff.d.next = !self.interrupt_ff.q.val();
            if self.interrupt_ff.q.val() {
                self.intr_ff.d.next = true;
            } else if self.after_trap_ff.q.val() & self.same_pc.val() {
                self.lockup_ff.d.next = true;
                self.state_ff.d.next = HartState::Halt;
            }
        }
        if self.halt.val() {
            self.state_ff.d.next = HartState::Halt;
            self.retire_ff.d.next = false;
        }
        if self.reset.val() {
            self.state_ff.d.next = HartState::Start;
            self.sweep_ff.d.next = self.first_register.val();
            self.running_ff.d.next = false;
            self.sleep_ff.d.next = false;
            self.lockup_ff.d.next = false;
            self.retire_ff.d.next = false;
            self.writeback_ff.d.next = false;
            self.after_trap_ff.d.next = false;
            self.intr_ff.d.next = false;
        }
    }
}

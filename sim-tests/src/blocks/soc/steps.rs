//! In which step an instruction is: the table in the hart's header, cycle by cycle.

use crate::blocks::{seldom, Inputs, Lockstep};
use lookback_hdl::soc::control::HartState as State;
use lookback_hdl::soc::decode::Kind;
use lookback_sim::block::stepped::PinValue;
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::VecDeque;

/// The hart's control.
pub struct Steps {
    state: State,
    /// steps that the instruction still has
    left: VecDeque<State>,
    kind: Kind,
    mask: u32,
    /// register that is being cleared
    sweep: u32,
    running: bool,
    asleep: bool,
    lockup: bool,
    halted: bool,
    /// the mode, as the CSRs say
    machine: bool,
    /// the instruction under way, as far as it is known
    own: Retired,
    /// what is shown in this cycle
    retired: Option<Retired>,
    last_trapped: bool,
    /// an interrupt was taken and nothing has retired since
    intr: bool,
    cause: u32,
    interrupt: bool,
}

/// What the retirement port says of an instruction.
#[derive(Clone, Copy, Default)]
struct Retired {
    writes_rd: bool,
    trapped: bool,
    intr: bool,
    rmask: u32,
    wmask: u32,
    machine: bool,
}

impl Default for Steps {
    fn default() -> Self {
        Self {
            state: State::Start,
            left: VecDeque::new(),
            kind: Kind::Illegal,
            mask: 0,
            sweep: 0,
            running: false,
            asleep: false,
            lockup: false,
            halted: false,
            machine: true,
            own: Retired::default(),
            retired: None,
            last_trapped: false,
            intr: false,
            cause: 0,
            interrupt: false,
        }
    }
}

/// One cycle's wishes.
#[derive(Clone, Debug)]
pub struct Cycle {
    stall: bool,
    other_write: bool,
    granted: bool,
    several: bool,
    shown: bool,
    restart: bool,
    halt: bool,
    kind: u32,
    mask: u32,
    fault: bool,
    /// of a jump's target, of an access
    misaligned: bool,
    reserved: bool,
    computed: bool,
    illegal: bool,
    machine: bool,
    timeout_wait: bool,
    request: Option<u32>,
    wake: bool,
    same_pc: bool,
    reset: bool,
}

/// Steps after Execute.
fn after_execute(kind: Kind) -> &'static [State] {
    match kind {
        Kind::Csr => &[State::Csr],
        Kind::Store | Kind::StoreConditional => &[State::Access],
        Kind::Load | Kind::LoadReserved => &[State::Access, State::Arrive],
        Kind::Amo => &[State::Access, State::Arrive, State::Modify, State::Update],
        Kind::MulDiv => &[State::Compute],
        _ => &[],
    }
}

fn writes_rd(kind: Kind) -> bool {
    let without = matches!(
        kind,
        Kind::Branch | Kind::Store | Kind::Fence | Kind::Mret | Kind::Wfi
    );
    !without
}

impl Steps {
    /// What the instruction raises in this cycle.
    fn exception(&self, inputs: &Inputs) -> Option<u32> {
        let machine = inputs.is("machine");
        let reads = matches!(self.kind, Kind::Load | Kind::LoadReserved);
        let jumps = matches!(self.kind, Kind::Jal | Kind::Jalr | Kind::Branch);
        let waits = inputs.is("timeout_wait");
        match (self.state, self.kind) {
            (State::Execute, Kind::Illegal) => Some(2),
            (State::Execute, Kind::Ecall) => Some(if machine { 11 } else { 8 }),
            (State::Execute, Kind::Ebreak) => Some(3),
            (State::Execute, Kind::Mret) if !machine => Some(2),
            (State::Execute, Kind::Wfi) if !machine && waits => Some(2),
            (State::Execute, _) if jumps && inputs.is("misaligned_target") => Some(0),
            (State::Access, _) if inputs.is("misaligned") => Some(if reads { 4 } else { 6 }),
            (State::Access, Kind::StoreConditional) if !inputs.is("reserved") => None,
            (State::Access, _) if inputs.is("granted") && inputs.is("fault") => {
                Some(if reads { 5 } else { 7 })
            }
            (State::Csr, _) if inputs.is("csr_illegal") => Some(2),
            _ => None,
        }
    }

    /// The fetch, or what comes in its place.
    fn fetch(&mut self, inputs: &Inputs, seen: &mut Vec<(&'static str, u32)>) {
        // What has retired stays until it is seen.
        let unseen = self.retired.is_some();
        let wants = !unseen && !inputs.is("request") && !self.asleep && !inputs.is("stall");
        let begins = wants && inputs.is("granted") && !inputs.is("other_write");
        let fault = begins && inputs.is("fault");
        seen.extend([
            (
                "soon",
                (unseen && !inputs.is("stall") || wants && !begins).into(),
            ),
            ("soon_data", 0),
            ("soon_write", 0),
            ("soon_lock", 0),
            ("begins", begins.into()),
            ("req", begins.into()),
            ("req_write", 0),
            // The word of an instruction that cannot be fetched is shown as zero.
            ("load", fault.into()),
            ("complete", 0),
        ]);
        if unseen {
            self.state = State::Fetch;
        } else if inputs.is("request") {
            (self.cause, self.interrupt) = (inputs.get("request_cause"), true);
            self.asleep = false;
            self.state = State::Trap;
        } else if self.asleep {
            self.asleep = !inputs.is("wake");
        } else if begins {
            self.running = true;
            self.own = Retired {
                machine: inputs.is("machine"),
                ..Retired::default()
            };
            self.state = State::Decode;
            if fault {
                self.raise(1);
            }
        }
    }

    fn raise(&mut self, cause: u32) {
        (self.cause, self.interrupt) = (cause, false);
        self.state = State::Trap;
    }

    /// A step between Decode and the instruction's end.
    fn work(&mut self, inputs: &Inputs, seen: &mut Vec<(&'static str, u32)>) {
        if self.state == State::Execute {
            self.kind = Kind::from_word(inputs.get("kind"));
            self.left = after_execute(self.kind).iter().copied().collect();
        }
        if self.state == State::Access {
            self.mask = inputs.get("mask");
        }
        let exception = self.exception(inputs);
        let fails = self.kind == Kind::StoreConditional && !inputs.is("reserved");
        let wants = match self.state {
            State::Access => !inputs.is("misaligned") && !fails,
            State::Update => true,
            _ => false,
        };
        let requests = wants && (inputs.is("granted") || self.state == State::Update);
        let is_store = matches!(self.kind, Kind::Store | Kind::StoreConditional);
        let is_read = matches!(self.kind, Kind::Load | Kind::LoadReserved);
        if self.state == State::Access && requests && is_store && inputs.is("several") {
            self.left.push_back(State::Settle);
        }
        let writes = requests && (is_store || self.state == State::Update);
        if requests && exception.is_none() {
            if writes {
                self.own.wmask = self.mask;
            } else {
                self.own.rmask = self.mask;
            }
        }
        let is_held = wants && !requests;
        let restarts = is_held && inputs.is("restart");
        let waits = self.state == State::Compute && !inputs.is("computed") || is_held;
        let done = exception.is_none() && !waits && self.left.is_empty();
        let accesses = is_store || is_read || self.kind == Kind::Amo;
        let soon = match self.state {
            State::Execute => accesses,
            State::Access => wants && !requests,
            state => state == State::Modify,
        };
        let has_accessed = matches!(self.state, State::Arrive | State::Settle | State::Update);
        let may_write = matches!(self.state, State::Execute | State::Access);
        let lock = match self.state {
            State::Access => requests && matches!(self.kind, Kind::Amo | Kind::LoadReserved),
            State::Arrive => self.kind == Kind::Amo,
            state => state == State::Modify,
        };
        seen.extend([
            ("soon", (soon || done).into()),
            ("soon_data", soon.into()),
            ("soon_write", (may_write && accesses && !is_read).into()),
            ("soon_lock", lock.into()),
            ("waits", is_held.into()),
            ("restarts", restarts.into()),
            ("soon_retire", done.into()),
            ("soon_access", (done && has_accessed).into()),
            ("begins", 0),
            ("req", requests.into()),
            ("req_write", writes.into()),
            ("load", (self.state == State::Decode).into()),
            ("complete", done.into()),
        ]);
        if let Some(cause) = exception {
            self.raise(cause);
        } else if done {
            self.own.writes_rd = writes_rd(self.kind);
            self.asleep = self.kind == Kind::Wfi;
            self.retire(self.own);
        } else if restarts {
            self.state = State::Fetch;
        } else if !waits {
            self.state = self.left.pop_front().unwrap_or(State::Fetch);
        }
    }

    fn retire(&mut self, own: Retired) {
        self.state = State::Fetch;
        self.last_trapped = own.trapped;
        let intr = std::mem::take(&mut self.intr);
        self.retired = Some(Retired { intr, ..own });
    }

    /// Trap entry: the instruction retires, unless the trap is an interrupt.
    fn trap(&mut self, inputs: &Inputs, seen: &mut Vec<(&'static str, u32)>) {
        seen.extend([
            ("soon", 1),
            ("soon_retire", (!self.interrupt).into()),
            ("soon_access", 0),
            ("begins", 0),
            ("req", 0),
            ("req_write", 0),
            ("load", 0),
            ("complete", 0),
            ("cause", self.cause),
            ("interrupt", self.interrupt.into()),
        ]);
        self.state = State::Fetch;
        if self.interrupt {
            self.intr = true;
            return;
        }
        // Twice in a row at one pc: the handler itself cannot run.
        let again = self.last_trapped && inputs.is("same_pc");
        self.retire(Retired {
            trapped: true,
            machine: self.own.machine,
            ..Retired::default()
        });
        if again {
            self.lockup = true;
            self.state = State::Halt;
        }
    }

    fn shown(&mut self, is_seen: bool) -> Vec<(&'static str, u32)> {
        let retired = self.retired;
        if is_seen {
            self.retired = None;
        }
        let idle = matches!(self.state, State::Start | State::Fetch | State::Halt);
        let mut seen = vec![
            ("state", self.state as u32),
            ("under_way", (!idle || retired.is_some()).into()),
            ("running", self.running.into()),
            ("lockup", self.lockup.into()),
            ("retire", retired.is_some().into()),
        ];
        // What was under way when the run ended may still reach a register that nobody reads.
        if !self.halted {
            let writes = retired.is_some_and(|retired| retired.writes_rd);
            seen.push(("writeback", writes.into()));
        }
        if let Some(retired) = retired {
            seen.extend([
                ("trapped", retired.trapped.into()),
                ("intr", retired.intr.into()),
                ("rmask", retired.rmask),
                ("wmask", retired.wmask),
                ("ran_in_machine", retired.machine.into()),
            ]);
        }
        seen
    }
}

impl Lockstep for Steps {
    type Step = Cycle;

    fn runs() -> BoxedStrategy<Vec<Cycle>> {
        let request = (seldom(40), prop_oneof![Just(3u32), Just(7), Just(11)])
            .prop_map(|(is, cause)| is.then_some(cause));
        let waits = (
            seldom(150),
            seldom(150),
            seldom(800),
            any::<bool>(),
            (seldom(800), seldom(100)),
            seldom(2),
        );
        let what = (0..19u32, 0..16u32, seldom(100), seldom(150));
        let how = (
            any::<bool>(),
            seldom(300),
            seldom(200),
            any::<bool>(),
            any::<bool>(),
        );
        let around = (request, seldom(300), seldom(400), seldom(3));
        let cycle = (waits, what, how, around).prop_map(|(waits, what, how, around)| {
            let (stall, other_write, granted, several, (shown, restart), halt) = waits;
            let (kind, mask, fault, misaligned) = what;
            let (reserved, computed, illegal, machine, timeout_wait) = how;
            let (request, wake, same_pc, reset) = around;
            Cycle {
                stall,
                other_write,
                granted,
                several,
                shown,
                restart,
                halt,
                kind,
                mask,
                fault,
                misaligned,
                reserved,
                computed,
                illegal,
                machine,
                timeout_wait,
                request,
                wake,
                same_pc,
                reset,
            }
        });
        vec(cycle, 33..400).boxed()
    }

    fn inputs(&self, step: &Cycle) -> Vec<(&'static str, u32)> {
        // What belongs to an instruction stays while it is under way.
        let fresh = matches!(
            self.state,
            State::Start | State::Fetch | State::Decode | State::Execute
        );
        let kind = if fresh { step.kind } else { self.kind as u32 };
        let mask = match self.state {
            State::Arrive | State::Modify | State::Update => self.mask,
            _ => step.mask,
        };
        let machine = match self.state {
            State::Fetch => step.machine,
            _ => self.machine,
        };
        vec![
            ("reset", step.reset.into()),
            ("stall", step.stall.into()),
            ("halt", (step.halt || self.halted).into()),
            ("kind", kind),
            ("fault", step.fault.into()),
            ("other_write", step.other_write.into()),
            ("granted", step.granted.into()),
            ("several", step.several.into()),
            ("shown", step.shown.into()),
            ("restart", step.restart.into()),
            ("misaligned_target", (step.misaligned && jumps(kind)).into()),
            ("misaligned", step.misaligned.into()),
            ("mask", mask),
            ("reserved", step.reserved.into()),
            ("computed", step.computed.into()),
            ("csr_illegal", step.illegal.into()),
            ("machine", machine.into()),
            ("timeout_wait", step.timeout_wait.into()),
            ("request", step.request.is_some().into()),
            ("request_cause", step.request.unwrap_or(5)),
            ("wake", (step.wake || step.request.is_some()).into()),
            ("same_pc", step.same_pc.into()),
        ]
    }

    fn cycle(&mut self, inputs: &Inputs) -> Vec<(&'static str, u32)> {
        self.machine = inputs.is("machine");
        let mut seen = self.shown(inputs.is("shown"));
        match self.state {
            State::Start => {
                seen.push(("sweep", self.sweep));
                seen.extend([
                    ("soon", 0),
                    ("begins", 0),
                    ("req", 0),
                    ("load", 0),
                    ("complete", 0),
                ]);
                self.sweep += 1;
                if self.sweep == 32 {
                    self.state = State::Fetch;
                }
            }
            State::Fetch => self.fetch(inputs, &mut seen),
            State::Decode => {
                seen.extend([
                    ("soon", 0),
                    ("begins", 0),
                    ("req", 0),
                    ("load", 1),
                    ("complete", 0),
                ]);
                self.state = State::Execute;
            }
            State::Trap => self.trap(inputs, &mut seen),
            State::Halt => seen.extend([("soon", 0), ("begins", 0), ("req", 0), ("complete", 0)]),
            _ => self.work(inputs, &mut seen),
        }
        if inputs.is("halt") {
            self.halted = true;
            self.state = State::Halt;
            self.retired = None;
        }
        if inputs.is("reset") {
            *self = Self::default();
        }
        seen
    }
}

/// A jump, by its kind's number.
fn jumps(kind: u32) -> bool {
    matches!(Kind::from_word(kind), Kind::Jal | Kind::Jalr | Kind::Branch)
}

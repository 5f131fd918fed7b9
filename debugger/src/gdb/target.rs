//! The session as `gdbstub` wants to see it. Harts are threads, numbered from 1.

use super::arch::{Rv32, Rv32Registers};
use super::session::{Request, Session};
use crate::timeline::run::Distance;
use crate::timeline::stops::{Watch, WatchKind};
use gdbstub::common::{Signal, Tid};
use gdbstub::outputln;
use gdbstub::target::ext::base::multithread::{
    MultiThreadBase, MultiThreadRangeStepping, MultiThreadRangeSteppingOps, MultiThreadResume,
    MultiThreadResumeOps, MultiThreadSchedulerLocking, MultiThreadSchedulerLockingOps,
    MultiThreadSingleStep, MultiThreadSingleStepOps,
};
use gdbstub::target::ext::base::reverse_exec::{
    ReverseCont, ReverseContOps, ReverseStep, ReverseStepOps,
};
use gdbstub::target::ext::base::BaseOps;
use gdbstub::target::ext::breakpoints::{
    Breakpoints, BreakpointsOps, HwBreakpoint, HwBreakpointOps, HwWatchpoint, HwWatchpointOps,
    SwBreakpoint, SwBreakpointOps, WatchKind as GdbWatchKind,
};
use gdbstub::target::ext::monitor_cmd::{ConsoleOutput, MonitorCmd, MonitorCmdOps};
use gdbstub::target::ext::thread_extra_info::{ThreadExtraInfo, ThreadExtraInfoOps};
use gdbstub::target::{Target, TargetError, TargetResult};
use std::convert::Infallible;

/// "Bad address".
const EFAULT: u8 = 14;
/// "Read-only file system".
const EROFS: u8 = 30;

/// The thread of a hart, by its place among the timelines.
pub(super) fn tid(hart: usize) -> Tid {
    Tid::new(hart + 1).unwrap_or(Tid::MIN)
}

impl Session<'_> {
    fn hart_of(&self, tid: Tid) -> Option<usize> {
        let hart = tid.get() - 1;
        (hart < self.timelines.len()).then_some(hart)
    }

    /// Memory as all harts see it at the present moment; where nobody has touched it yet, and without
    /// an order, as one hart knows it. Gives the number of bytes up to the first unknown one.
    fn read_memory(&mut self, hart: usize, start: u32, data: &mut [u8]) -> usize {
        let own = self.timelines[hart].read(start, data);
        let together = self.together.as_mut();
        let Some(shared) = together.and_then(|together| together.memory(self.recording)) else {
            return own;
        };
        for (offset, byte) in data.iter_mut().enumerate() {
            let addr = start.checked_add(offset as u32);
            match addr.and_then(|addr| shared.byte(addr)) {
                Some(known) => *byte = known,
                None if offset < own => {}
                None => return offset,
            }
        }
        data.len()
    }

    fn ask(&mut self, tid: Tid, request: Request) {
        if let Some(hart) = self.hart_of(tid) {
            self.current = hart;
        }
        self.request = Some(request);
    }
}

impl Target for Session<'_> {
    type Arch = Rv32;
    type Error = Infallible;

    fn base_ops(&mut self) -> BaseOps<'_, Rv32, Infallible> {
        BaseOps::MultiThread(self)
    }

    fn support_breakpoints(&mut self) -> Option<BreakpointsOps<'_, Self>> {
        Some(self)
    }

    fn support_monitor_cmd(&mut self) -> Option<MonitorCmdOps<'_, Self>> {
        Some(self)
    }
}

impl MultiThreadBase for Session<'_> {
    fn read_registers(&mut self, regs: &mut Rv32Registers, tid: Tid) -> TargetResult<(), Self> {
        let hart = self.hart_of(tid).ok_or(TargetError::NonFatal)?;
        let timeline = &mut self.timelines[hart];
        for number in 0..32 {
            regs.x[usize::from(number)] = timeline.register(number);
        }
        regs.pc = timeline.pc();
        Ok(())
    }

    fn write_registers(&mut self, _: &Rv32Registers, _: Tid) -> TargetResult<(), Self> {
        Err(TargetError::Errno(EROFS))
    }

    fn read_addrs(&mut self, start: u32, data: &mut [u8], tid: Tid) -> TargetResult<usize, Self> {
        let hart = self.hart_of(tid).ok_or(TargetError::NonFatal)?;
        match self.read_memory(hart, start, data) {
            0 if !data.is_empty() => Err(TargetError::Errno(EFAULT)),
            known => Ok(known),
        }
    }

    fn write_addrs(&mut self, _: u32, _: &[u8], _: Tid) -> TargetResult<(), Self> {
        Err(TargetError::Errno(EROFS))
    }

    fn list_active_threads(&mut self, active: &mut dyn FnMut(Tid)) -> Result<(), Infallible> {
        // The one that stopped last comes first: gdb takes it for the present one.
        active(tid(self.current));
        (0..self.timelines.len())
            .filter(|&hart| hart != self.current)
            .for_each(|hart| active(tid(hart)));
        Ok(())
    }

    fn support_resume(&mut self) -> Option<MultiThreadResumeOps<'_, Self>> {
        Some(self)
    }

    fn support_thread_extra_info(&mut self) -> Option<ThreadExtraInfoOps<'_, Self>> {
        Some(self)
    }
}

impl ThreadExtraInfo for Session<'_> {
    fn thread_extra_info(&self, tid: Tid, buf: &mut [u8]) -> Result<usize, Infallible> {
        let timeline = self.hart_of(tid).map(|hart| &self.timelines[hart]);
        let text = timeline.map_or(String::new(), |timeline| {
            format!("hart {}, instruction {}", timeline.hart(), timeline.now())
        });
        let length = text.len().min(buf.len());
        buf[..length].copy_from_slice(&text.as_bytes()[..length]);
        Ok(length)
    }
}

impl MultiThreadResume for Session<'_> {
    fn resume(&mut self) -> Result<(), Infallible> {
        self.request.get_or_insert(Request::Forward(Distance::Far));
        Ok(())
    }

    fn clear_resume_actions(&mut self) -> Result<(), Infallible> {
        self.request = None;
        Ok(())
    }

    fn set_resume_action_continue(
        &mut self,
        tid: Tid,
        _: Option<Signal>,
    ) -> Result<(), Infallible> {
        // A step of one hart is asked for first, and counts.
        if self.request.is_none() {
            self.ask(tid, Request::Forward(Distance::Far));
        }
        Ok(())
    }

    fn support_single_step(&mut self) -> Option<MultiThreadSingleStepOps<'_, Self>> {
        Some(self)
    }

    fn support_range_step(&mut self) -> Option<MultiThreadRangeSteppingOps<'_, Self>> {
        Some(self)
    }

    fn support_reverse_step(&mut self) -> Option<ReverseStepOps<'_, Tid, Self>> {
        Some(self)
    }

    fn support_reverse_cont(&mut self) -> Option<ReverseContOps<'_, Tid, Self>> {
        Some(self)
    }

    fn support_scheduler_locking(&mut self) -> Option<MultiThreadSchedulerLockingOps<'_, Self>> {
        Some(self)
    }
}

impl MultiThreadSchedulerLocking for Session<'_> {
    fn set_resume_action_scheduler_lock(&mut self) -> Result<(), Infallible> {
        // Only one hart moves in any case.
        Ok(())
    }
}

impl MultiThreadSingleStep for Session<'_> {
    fn set_resume_action_step(&mut self, tid: Tid, _: Option<Signal>) -> Result<(), Infallible> {
        self.ask(tid, Request::Forward(Distance::Step));
        Ok(())
    }
}

impl MultiThreadRangeStepping for Session<'_> {
    fn set_resume_action_range_step(
        &mut self,
        tid: Tid,
        start: u32,
        end: u32,
    ) -> Result<(), Infallible> {
        let distance = match start < end {
            true => Distance::Range(start..end),
            false => Distance::Step,
        };
        self.ask(tid, Request::Forward(distance));
        Ok(())
    }
}

impl ReverseStep<Tid> for Session<'_> {
    fn reverse_step(&mut self, tid: Tid) -> Result<(), Infallible> {
        self.ask(tid, Request::BackStep);
        Ok(())
    }
}

impl ReverseCont<Tid> for Session<'_> {
    fn reverse_cont(&mut self) -> Result<(), Infallible> {
        self.request = Some(Request::Backward);
        Ok(())
    }
}

impl Breakpoints for Session<'_> {
    fn support_sw_breakpoint(&mut self) -> Option<SwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_breakpoint(&mut self) -> Option<HwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_watchpoint(&mut self) -> Option<HwWatchpointOps<'_, Self>> {
        Some(self)
    }
}

impl SwBreakpoint for Session<'_> {
    fn add_sw_breakpoint(&mut self, addr: u32, _: usize) -> TargetResult<bool, Self> {
        self.stops.add_breakpoint(addr);
        Ok(true)
    }

    fn remove_sw_breakpoint(&mut self, addr: u32, _: usize) -> TargetResult<bool, Self> {
        Ok(self.stops.remove_breakpoint(addr))
    }
}

impl HwBreakpoint for Session<'_> {
    fn add_hw_breakpoint(&mut self, addr: u32, _: usize) -> TargetResult<bool, Self> {
        self.stops.add_breakpoint(addr);
        Ok(true)
    }

    fn remove_hw_breakpoint(&mut self, addr: u32, _: usize) -> TargetResult<bool, Self> {
        Ok(self.stops.remove_breakpoint(addr))
    }
}

fn watch(addr: u32, len: u32, kind: GdbWatchKind) -> Watch {
    let kind = match kind {
        GdbWatchKind::Write => WatchKind::Write,
        GdbWatchKind::Read => WatchKind::Read,
        GdbWatchKind::ReadWrite => WatchKind::Access,
    };
    Watch { addr, len, kind }
}

impl HwWatchpoint for Session<'_> {
    fn add_hw_watchpoint(
        &mut self,
        addr: u32,
        len: u32,
        kind: GdbWatchKind,
    ) -> TargetResult<bool, Self> {
        self.stops.add_watch(watch(addr, len, kind));
        Ok(true)
    }

    fn remove_hw_watchpoint(
        &mut self,
        addr: u32,
        len: u32,
        kind: GdbWatchKind,
    ) -> TargetResult<bool, Self> {
        Ok(self.stops.remove_watch(watch(addr, len, kind)))
    }
}

impl MonitorCmd for Session<'_> {
    fn handle_monitor_cmd(
        &mut self,
        cmd: &[u8],
        mut out: ConsoleOutput<'_>,
    ) -> Result<(), Infallible> {
        let line = String::from_utf8_lossy(cmd).into_owned();
        let answer = self.monitor(&line);
        outputln!(out, "{}", answer.trim_end());
        Ok(())
    }
}

//! The pins of a simulated board, behind a trait: a simulator drives any board without knowing its
//! type, so that the circuits are compiled here and nowhere else.

use super::alone::SimSoc;
use super::compact::{FullBoard, FullPlainBoard, FullWordsBoard, FullWordsPlainBoard};
use super::sim::{BugnetBoard, TinyBoard, WordsBoard};
use super::small::SmallBoardSim;
use super::smp::{
    BugnetBoard2, BugnetBoard4, SimSmp2, SimSmp4, TinyBoard2, TinyBoard4, WordsBoard2, WordsBoard4,
};
use rust_hdl::prelude::*;

/// A retirement or a snooped write, in the words of a C structure that simulators fill as well.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct PortRecord {
    /// 0: retirement, 1: snoop.
    pub kind: u32,
    /// `insn`
    pub insn: u32,
    /// trap 0, intr 1, mode 3:2, hart 5:4.
    pub flags: u32,
    /// rs1 7:0, rs2 15:8, rd 23:16.
    pub registers: u32,
    /// `rs1_rdata`
    pub rs1_rdata: u32,
    /// `rs2_rdata`
    pub rs2_rdata: u32,
    /// `rd_wdata`
    pub rd_wdata: u32,
    /// `pc_rdata`
    pub pc_rdata: u32,
    /// `pc_wdata`
    pub pc_wdata: u32,
    /// `mem_addr`
    pub mem_addr: u32,
    /// read 3:0, write 7:4.
    pub masks: u32,
    /// `mem_rdata`
    pub mem_rdata: u32,
    /// `mem_wdata`
    pub mem_wdata: u32,
}

/// Inputs of a cycle, by the names of their ports.
#[derive(Clone, Copy, Debug, Default)]
pub struct CycleInputs {
    /// `reset`
    pub reset: bool,
    /// `hold`
    pub hold: bool,
    /// `ram_bytes`
    pub ram_bytes: u32,
    /// `bit_clocks`
    pub bit_clocks: u16,
    /// `gpio_in`
    pub gpio_in: u32,
    /// `ram_rdata`
    pub ram_rdata: u32,
    /// `log_rx`
    pub log_rx: bool,
    /// `console_rx`
    pub console_rx: Option<u8>,
    /// `hold_back`, of boards with several harts
    pub hold_back: u8,
}

/// Outputs that matter in every cycle, by the names of their ports; the retirement port is read only
/// when it is valid.
#[derive(Clone, Copy, Debug, Default)]
pub struct CycleOutputs {
    /// `ram_req`
    pub ram_req: bool,
    /// `ram_addr`
    pub ram_addr: u32,
    /// `ram_wdata`
    pub ram_wdata: u32,
    /// `ram_wstrb`
    pub ram_wstrb: u8,
    /// `console_tx`
    pub console_tx: Option<u8>,
    /// `console_rx_ready`
    pub console_rx_ready: bool,
    /// `gpio_out`
    pub gpio_out: u32,
    /// `finished`
    pub finished: bool,
    /// `finish_code`
    pub finish_code: u32,
    /// `log_tx`
    pub log_tx: bool,
    /// `stalled`
    pub stalled: bool,
    /// `rvfi_valid`
    pub rvfi_valid: bool,
    /// `snoop_valid`
    pub snoop_valid: bool,
}

/// The ports that all simulated boards have.
pub trait BoardPins: Block {
    /// Drives the clock.
    fn set_clock(&mut self, level: bool);
    /// Drives all other inputs.
    fn set_inputs(&mut self, inputs: &CycleInputs);
    /// Reads what matters in every cycle.
    fn outputs(&self) -> CycleOutputs;
    /// Reads the retirement port.
    fn retirement(&self) -> PortRecord;
    /// Reads the snoop port.
    fn snoop(&self) -> PortRecord;
}

/// Implements [`BoardPins`] for a block with the ports of a simulated board.
#[macro_export]
macro_rules! board_pins {
    ($board:ty) => {
        $crate::board_pins!($board, |_board, _hold_back| (), |_board| 0);
    };
    (several $board:ty) => {
        $crate::board_pins!(
            $board,
            |board, hold_back| board.hold_back.next = u64::from(hold_back).into(),
            |board| board.rvfi_hart.val().to_u32()
        );
    };
    ($board:ty, |$own:ident, $mask:ident| $hold_back:expr, |$same:ident| $hart:expr) => {
        impl $crate::boards::pins::BoardPins for $board {
            fn set_clock(&mut self, level: bool) {
                self.clock.next = rust_hdl::prelude::Clock { clk: level };
            }

            fn set_inputs(&mut self, inputs: &$crate::boards::pins::CycleInputs) {
                self.reset.next = inputs.reset;
                self.hold.next = inputs.hold;
                self.ram_bytes.next = u64::from(inputs.ram_bytes).into();
                self.bit_clocks.next = u64::from(inputs.bit_clocks).into();
                self.gpio_in.next = u64::from(inputs.gpio_in).into();
                self.ram_rdata.next = u64::from(inputs.ram_rdata).into();
                self.log_rx.next = inputs.log_rx;
                self.console_rx_valid.next = inputs.console_rx.is_some();
                self.console_rx_data.next = u64::from(inputs.console_rx.unwrap_or(0)).into();
                let ($own, $mask) = (self, inputs.hold_back);
                $hold_back
            }

            fn outputs(&self) -> $crate::boards::pins::CycleOutputs {
                let console = self.console_tx_data.val().to_u8();
                $crate::boards::pins::CycleOutputs {
                    ram_req: self.ram_req.val(),
                    ram_addr: self.ram_addr.val().to_u32(),
                    ram_wdata: self.ram_wdata.val().to_u32(),
                    ram_wstrb: self.ram_wstrb.val().to_u8(),
                    console_tx: self.console_tx_valid.val().then_some(console),
                    console_rx_ready: self.console_rx_ready.val(),
                    gpio_out: self.gpio_out.val().to_u32(),
                    finished: self.finished.val(),
                    finish_code: self.finish_code.val().to_u32(),
                    log_tx: self.log_tx.val(),
                    stalled: self.stalled.val(),
                    rvfi_valid: self.rvfi_valid.val(),
                    snoop_valid: self.snoop_valid.val(),
                }
            }

            fn retirement(&self) -> $crate::boards::pins::PortRecord {
                let hart: u32 = {
                    let $same = self;
                    $hart
                };
                $crate::boards::pins::PortRecord {
                    kind: 0,
                    insn: self.rvfi_insn.val().to_u32(),
                    flags: u32::from(self.rvfi_trap.val())
                        | u32::from(self.rvfi_intr.val()) << 1
                        | self.rvfi_mode.val().to_u32() << 2
                        | hart << 4,
                    registers: self.rvfi_rs1_addr.val().to_u32()
                        | self.rvfi_rs2_addr.val().to_u32() << 8
                        | self.rvfi_rd_addr.val().to_u32() << 16,
                    rs1_rdata: self.rvfi_rs1_rdata.val().to_u32(),
                    rs2_rdata: self.rvfi_rs2_rdata.val().to_u32(),
                    rd_wdata: self.rvfi_rd_wdata.val().to_u32(),
                    pc_rdata: self.rvfi_pc_rdata.val().to_u32(),
                    pc_wdata: self.rvfi_pc_wdata.val().to_u32(),
                    mem_addr: self.rvfi_mem_addr.val().to_u32(),
                    masks: self.rvfi_mem_rmask.val().to_u32()
                        | self.rvfi_mem_wmask.val().to_u32() << 4,
                    mem_rdata: self.rvfi_mem_rdata.val().to_u32(),
                    mem_wdata: self.rvfi_mem_wdata.val().to_u32(),
                }
            }

            fn snoop(&self) -> $crate::boards::pins::PortRecord {
                $crate::boards::pins::PortRecord {
                    kind: 1,
                    mem_addr: self.snoop_addr.val().to_u32(),
                    masks: self.snoop_mask.val().to_u32() << 4,
                    ..$crate::boards::pins::PortRecord::default()
                }
            }
        }
    };
}

board_pins!(BugnetBoard);
board_pins!(TinyBoard);
board_pins!(FullBoard);
board_pins!(FullPlainBoard);
board_pins!(FullWordsBoard);
board_pins!(FullWordsPlainBoard);
board_pins!(SmallBoardSim);
board_pins!(SimSoc);
board_pins!(several SimSmp2);
board_pins!(several SimSmp4);
board_pins!(several BugnetBoard2);
board_pins!(several BugnetBoard4);
board_pins!(WordsBoard);
board_pins!(several WordsBoard2);
board_pins!(several WordsBoard4);
board_pins!(several TinyBoard2);
board_pins!(several TinyBoard4);

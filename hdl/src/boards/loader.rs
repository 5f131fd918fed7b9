//! The board's registers: how the host puts a program into RAM, over the recorder's link.
//!
//! ```text
//!  recorder ─ fire write register value index ─►┌────────┐─► soc_reset, recorder_reset
//!           ◄──────────────────────── out_bit ──│        │
//!       SoC ─ soc_req addr wdata wstrb ────────►│        │─► ram_req addr wdata wstrb
//!                                               └────────┘◄─ ram_rdata
//! ```
//! Section 6.2 of docs/log-format.md. While BOOT is 1 the SoC is in reset and RAM belongs to the host;
//! otherwise the RAM port is the SoC's, in the same cycle. A word is written two cycles after its
//! command was obeyed at the latest and then read, so that the REPLY tells what RAM has. Register and
//! value stand still until the REPLY has gone, so nothing is kept here. RAM keeps the word that it
//! read last: while the SoC is held, that is the one asked for.
//!
//! When BOOT falls the resets stay high for fifteen cycles more. Only `reset`, the board's own, resets
//! this block. With `ram_bytes` 0 there is no loader.
//!
//! Its twin is `lookback_model::loader`.

use rust_hdl::prelude::*;

/// Cycles of a restart.
const RESTART: u64 = 15;

/// The loader.
#[derive(LogicBlock)]
pub struct Loader {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The board's reset: power-up, or its button.
    pub reset: Signal<In, Bit>,
    /// Size of the RAM.
    pub ram_bytes: Signal<In, Bits<32>>,
    /// A command of the host is obeyed.
    pub fire: Signal<In, Bit>,
    /// With `fire`: WRITE, not READ.
    pub write: Signal<In, Bit>,
    /// Its register; stands still from `fire` on until the REPLY has gone.
    pub register: Signal<In, Bits<8>>,
    /// Its value, likewise.
    pub value: Signal<In, Bits<32>>,
    /// The bit of the register that is wanted in the next cycle, from eight cycles after `fire` on.
    pub index: Signal<In, Bits<5>>,
    /// The bit that was wanted.
    pub out_bit: Signal<Out, Bit>,
    /// The SoC accesses RAM.
    pub soc_req: Signal<In, Bit>,
    /// Its address.
    pub soc_addr: Signal<In, Bits<32>>,
    /// Its word to write.
    pub soc_wdata: Signal<In, Bits<32>>,
    /// Its bytes to write.
    pub soc_wstrb: Signal<In, Bits<4>>,
    /// The word of the last read, from the cycle after it on.
    pub ram_rdata: Signal<In, Bits<32>>,
    /// RAM is accessed at this edge.
    pub ram_req: Signal<Out, Bit>,
    /// Byte offset within RAM, word aligned.
    pub ram_addr: Signal<Out, Bits<32>>,
    /// Word to write.
    pub ram_wdata: Signal<Out, Bits<32>>,
    /// Bytes to write, 0 reads.
    pub ram_wstrb: Signal<Out, Bits<4>>,
    /// Reset of the SoC.
    pub soc_reset: Signal<Out, Bit>,
    /// Reset of the recorder.
    pub recorder_reset: Signal<Out, Bit>,
    boot_ff: DFF<Bit>,
    base_ff: DFF<Bits<15>>,
    /// A word is written now.
    store_ff: DFF<Bit>,
    /// A word is read now.
    look_ff: DFF<Bit>,
    /// Cycles of a restart that are left.
    left_ff: DFF<Bits<4>>,
    bit_ff: DFF<Bit>,
    here: Signal<Local, Bit>,
    sets: Signal<Local, Bit>,
    window: Signal<Local, Bit>,
    is_board: Signal<Local, Bit>,
    is_boot: Signal<Local, Bit>,
    is_base: Signal<Local, Bit>,
    base: Signal<Local, Bits<32>>,
    restarting: Signal<Local, Bit>,
    one: Constant<Bits<4>>,
    restart: Constant<Bits<4>>,
    no_lanes: Constant<Bits<4>>,
    all_lanes: Constant<Bits<4>>,
    board_number: Constant<Bits<8>>,
    boot_number: Constant<Bits<8>>,
    base_number: Constant<Bits<8>>,
}

impl Default for Loader {
    fn default() -> Self {
        use lookback_log_format::registers as reg;
        Self {
            clock: Default::default(),
            reset: Default::default(),
            ram_bytes: Default::default(),
            fire: Default::default(),
            write: Default::default(),
            register: Default::default(),
            value: Default::default(),
            index: Default::default(),
            out_bit: Default::default(),
            soc_req: Default::default(),
            soc_addr: Default::default(),
            soc_wdata: Default::default(),
            soc_wstrb: Default::default(),
            ram_rdata: Default::default(),
            ram_req: Default::default(),
            ram_addr: Default::default(),
            ram_wdata: Default::default(),
            ram_wstrb: Default::default(),
            soc_reset: Default::default(),
            recorder_reset: Default::default(),
            boot_ff: Default::default(),
            base_ff: Default::default(),
            store_ff: Default::default(),
            look_ff: Default::default(),
            left_ff: Default::default(),
            bit_ff: Default::default(),
            here: Default::default(),
            sets: Default::default(),
            window: Default::default(),
            is_board: Default::default(),
            is_boot: Default::default(),
            is_base: Default::default(),
            base: Default::default(),
            restarting: Default::default(),
            one: Constant::new(1.into()),
            restart: Constant::new(RESTART.into()),
            no_lanes: Constant::new(0.into()),
            all_lanes: Constant::new(15.into()),
            board_number: Constant::new(u64::from(reg::BOARD).into()),
            boot_number: Constant::new(u64::from(reg::BOOT).into()),
            base_number: Constant::new(u64::from(reg::LOAD_BASE).into()),
        }
    }
}

impl Logic for Loader {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, boot_ff, base_ff, store_ff, look_ff, left_ff, bit_ff);
        self.here.next = self.ram_bytes.val().any();
        self.window.next = self.register.val().get_bit(7) & self.boot_ff.q.val();
        self.is_board.next = self.register.val() == self.board_number.val();
        self.is_boot.next = self.register.val() == self.boot_number.val();
        self.is_base.next = self.register.val() == self.base_number.val();
        self.base.next = bit_cast::<32, 15>(self.base_ff.q.val()) << 9;

        // Commands.
        self.sets.next = self.fire.val() & self.write.val() & self.here.val();
        self.store_ff.d.next = self.sets.val() & self.window.val();
        self.look_ff.d.next =
            self.store_ff.q.val() | (self.fire.val() & !self.write.val() & self.window.val());
        if self.left_ff.q.val().any() {
            self.left_ff.d.next = self.left_ff.q.val() - self.one.val();
        }
        if self.sets.val() & self.is_boot.val() {
            self.boot_ff.d.next = self.value.val().get_bit(0);
            if self.boot_ff.q.val() & !self.value.val().get_bit(0) {
                self.left_ff.d.next = self.restart.val();
            }
        }
        if self.sets.val() & self.is_base.val() {
            self.base_ff.d.next = self.value.val().get_bits::<15>(9);
        }

        // Answers.
        self.bit_ff.d.next = (self.window.val()
            & self.ram_rdata.val().get_bit(self.index.val().index()))
            | (self.is_board.val() & self.ram_bytes.val().get_bit(self.index.val().index()))
            | (self.is_boot.val() & self.boot_ff.q.val() & !self.index.val().any())
            | (self.is_base.val() & self.base.val().get_bit(self.index.val().index()));
        self.out_bit.next = self.bit_ff.q.val();

        // RAM is the SoC's, or the host's while the SoC is held.
        self.ram_req.next = self.soc_req.val();
        self.ram_addr.next = self.soc_addr.val();
        self.ram_wdata.next = self.soc_wdata.val();
        self.ram_wstrb.next = self.soc_wstrb.val();
        if self.boot_ff.q.val() {
            self.ram_req.next = self.store_ff.q.val() | self.look_ff.q.val();
            self.ram_addr.next =
                self.base.val() | (bit_cast::<32, 7>(self.register.val().get_bits::<7>(0)) << 2);
            self.ram_wdata.next = self.value.val();
            self.ram_wstrb.next = self.no_lanes.val();
            if self.store_ff.q.val() {
                self.ram_wstrb.next = self.all_lanes.val();
            }
        }

        self.restarting.next = self.left_ff.q.val().any();
        self.soc_reset.next = self.reset.val() | self.restarting.val() | self.boot_ff.q.val();
        self.recorder_reset.next = self.reset.val() | self.restarting.val();
        if self.reset.val() {
            self.boot_ff.d.next = false;
            self.base_ff.d.next = 0.into();
            self.store_ff.d.next = false;
            self.look_ff.d.next = false;
            self.left_ff.d.next = 0.into();
        }
    }
}

impl crate::recorder::circuit::Pending for Loader {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::testing::check_block;

    #[test]
    fn synthesizes() {
        check_block(Loader::default(), "lookback_loader");
    }
}

//! The registers through which an instruction's values go: pc, result, address, data.
//!
//! `control` says in which step an instruction is; this block says what that step does to values.
//! Everything it shows is registered except `misaligned_target`, `target_addr`, `misaligned` and `mask`.

use super::alu::{Alu, AluOp};
use super::control::HartState;
use super::decode::Kind;
use super::lanes::Lanes;
use rust_hdl::prelude::*;

circuit! {
    /// Values of the instruction under way.
    pub struct Datapath {
        /// clock
        pub clock: Signal<In, Clock>,
        /// synchronous reset, of the result alone
        pub reset: Signal<In, Bit>,
        /// step of the instruction
        pub state: Signal<In, HartState>,
        /// a fetch starts in this cycle
        pub begins: Signal<In, Bit>,
        /// the instruction is to be fetched once more
        pub restarts: Signal<In, Bit>,
        /// what the instruction does
        pub kind: Signal<In, Kind>,
        /// what the arithmetic unit does
        pub alu_op: Signal<In, AluOp>,
        /// instruction word
        pub insn: Signal<In, Bits<32>>,
        /// its funct3
        pub funct3: Signal<In, Bits<3>>,
        /// immediate
        pub imm: Signal<In, Bits<32>>,
        /// rs1
        pub rs1: Signal<In, Bits<32>>,
        /// rs2
        pub rs2: Signal<In, Bits<32>>,
        /// word loaded from RAM
        pub ram_rdata: Signal<In, Bits<32>>,
        /// word loaded from a device
        pub device_rdata: Signal<In, Bits<32>>,
        /// which of the two counts
        pub from_device: Signal<In, Bit>,
        /// product, quotient or remainder
        pub computed: Signal<In, Bits<32>>,
        /// old value of a CSR
        pub csr_rdata: Signal<In, Bits<32>>,
        /// where a trap or `mret` goes
        pub trap_target: Signal<In, Bits<32>>,
        /// `sc.w` holds its reservation
        pub reserved: Signal<In, Bit>,
        /// address of this instruction
        pub pc: Signal<Out, Bits<32>>,
        /// address of the next
        pub next_pc: Signal<Out, Bits<32>>,
        /// value for rd
        pub result: Signal<Out, Bits<32>>,
        /// memory address, or after `raise` the value for `mtval`
        pub addr: Signal<Out, Bits<32>>,
        /// lanes of a memory access
        pub mask: Signal<Out, Bits<4>>,
        /// word to write
        pub wdata: Signal<Out, Bits<32>>,
        /// word read
        pub word: Signal<Out, Bits<32>>,
        /// a jump goes where no instruction can be
        pub misaligned_target: Signal<Out, Bit>,
        /// what `addr` becomes with this Execute, but for jumps
        pub target_addr: Signal<Out, Bits<32>>,
        /// a memory address does not fit the size of its access
        pub misaligned: Signal<Out, Bit>,
        alu: Alu,
        lanes: Lanes,
        pc_ff: DFF<Bits<32>>,
        next_ff: DFF<Bits<32>>,
        result_ff: DFF<Bits<32>>,
        addr_ff: DFF<Bits<32>>,
        wdata_ff: DFF<Bits<32>>,
        word_ff: DFF<Bits<32>>,
        base: Signal<Local, Bits<32>>,
        target: Signal<Local, Bits<32>>,
        following: Signal<Local, Bits<32>>,
        condition: Signal<Local, Bit>,
        jumps: Signal<Local, Bit>,
        arrived: Signal<Local, Bits<32>>,
    }
    constants {
        zero: 32 = 0,
        one: 32 = 1,
        four: 32 = 4,
        start_pc: 32 = 0x8000_0000,
        even: 32 = 0xffff_fffe,
    }
}

impl Logic for Datapath {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, pc_ff, next_ff, result_ff, addr_ff, wdata_ff, word_ff);
        self.pc.next = self.pc_ff.q.val();
        self.next_pc.next = self.next_ff.q.val();
        self.result.next = self.result_ff.q.val();
        self.addr.next = self.addr_ff.q.val();
        self.wdata.next = self.wdata_ff.q.val();
        self.word.next = self.word_ff.q.val();
        self.arrived.next = self.ram_rdata.val();
        if self.from_device.val() {
            self.arrived.next = self.device_rdata.val();
        }
        self.lanes.size.next = self.funct3.val();
        self.lanes.offset.next = bit_cast::<2, 32>(self.addr_ff.q.val());
        self.lanes.value.next = self.rs2.val();
        self.lanes.stores.next =
            (self.kind.val() == Kind::Store) & (self.state.val() == HartState::Execute);
        self.lanes.loads.next =
            (self.kind.val() == Kind::Load) & (self.state.val() == HartState::Arrive);
        self.lanes.word.next = self.arrived.val();
        self.mask.next = self.lanes.mask.val();
        self.misaligned.next = self.lanes.misaligned.val();
        self.alu.op.next = self.alu_op.val();
        self.alu.a.next = self.rs1.val();
        self.alu.b.next = self.rs2.val();
        if self.kind.val() == Kind::AluImmediate {
            self.alu.b.next = self.imm.val();
        }
        if self.state.val() == HartState::Modify {
            self.alu.a.next = self.word_ff.q.val();
        }
        self.following.next = self.pc_ff.q.val() + self.four.val();
        self.base.next = self.rs1.val();
        if ((self.kind.val() == Kind::Branch) | (self.kind.val() == Kind::Jal))
            | (self.kind.val() == Kind::Auipc)
        {
            self.base.next = self.pc_ff.q.val();
        }
        self.target.next = self.base.val() + self.imm.val();
        self.target_addr.next = self.target.val();
        self.condition.next = self.alu.equal.val();
        if self.funct3.val().get_bit(2) {
            self.condition.next = self.alu.less.val();
            if self.funct3.val().get_bit(1) {
                self.condition.next = self.alu.less_unsigned.val();
            }
        }
        self.jumps.next = (self.kind.val() == Kind::Jal) | (self.kind.val() == Kind::Jalr);
        if self.kind.val() == Kind::Branch {
            self.jumps.next = self.condition.val() ^ self.funct3.val().get_bit(0);
        }
        self.misaligned_target.next = self.jumps.val() & self.target.val().get_bit(1);
        match self.state.val() {
            HartState::Start => self.next_ff.d.next = self.start_pc.val(),
            HartState::Fetch => {
                if self.begins.val() {
                    self.pc_ff.d.next = self.next_ff.q.val();
                    self.addr_ff.d.next = self.next_ff.q.val();
                }
            }
            HartState::Execute => {
                self.next_ff.d.next = self.following.val();
                self.addr_ff.d.next = self.target.val();
                self.wdata_ff.d.next = self.lanes.stored.val();
                self.result_ff.d.next = self.alu.y.val();
                if self.jumps.val() {
                    self.next_ff.d.next = self.target.val() & self.even.val();
                    self.addr_ff.d.next = self.target.val() & self.even.val();
                }
                match self.kind.val() {
                    Kind::Auipc => self.result_ff.d.next = self.target.val(),
                    Kind::Jal => self.result_ff.d.next = self.following.val(),
                    Kind::Jalr => self.result_ff.d.next = self.following.val(),
                    Kind::Mret => {
                        self.next_ff.d.next = self.trap_target.val();
                        self.addr_ff.d.next = self.insn.val();
                    }
                    Kind::Wfi => self.addr_ff.d.next = self.insn.val(),
                    Kind::Illegal => self.addr_ff.d.next = self.insn.val(),
                    Kind::Ecall => self.addr_ff.d.next = self.zero.val(),
                    Kind::Ebreak => self.addr_ff.d.next = self.zero.val(),
                    _ => self.word_ff.d.next = self.word_ff.q.val(),
                }
            }
            HartState::Access => {
                self.result_ff.d.next = self.zero.val();
                if !self.reserved.val() {
                    self.result_ff.d.next = self.one.val();
                }
                if self.restarts.val() {
                    self.next_ff.d.next = self.pc_ff.q.val();
                }
            }
            HartState::Arrive => {
                self.word_ff.d.next = self.arrived.val();
                self.result_ff.d.next = self.lanes.loaded.val();
            }
            HartState::Modify => self.wdata_ff.d.next = self.alu.y.val(),
            HartState::Compute => self.result_ff.d.next = self.computed.val(),
            HartState::Csr => {
                self.result_ff.d.next = self.csr_rdata.val();
                self.addr_ff.d.next = self.insn.val();
            }
            HartState::Trap => self.next_ff.d.next = self.trap_target.val(),
            _ => self.next_ff.d.next = self.next_ff.q.val(),
        }
        if self.reset.val() {
            self.result_ff.d.next = self.zero.val();
        }
    }
}

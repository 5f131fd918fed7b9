//! Says what kind of instruction a word is, once, in registers that hold until the next instruction.
//!
//! ```text
//!  load, word ──► decode ──► insn, kind   (from the next cycle on)
//! ```
//! Everything that is no instruction of RV32IMA + Zicsr + Zifencei becomes [`Kind::Illegal`]; whether
//! the privilege mode allows `mret`, `wfi` or a CSR is decided where it executes.

use rust_hdl::prelude::*;

/// What the hart has to do with an instruction.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Kind {
    /// trap
    Illegal,
    /// rd = pc + imm
    Auipc,
    /// jump to pc + imm
    Jal,
    /// jump to rs1 + imm
    Jalr,
    /// conditional jump to pc + imm
    Branch,
    /// rd = memory
    Load,
    /// memory = rs2
    Store,
    /// rd = rs1 op imm; `lui` too, whose operation takes imm alone
    AluImmediate,
    /// rd = rs1 op rs2
    AluRegister,
    /// the M extension
    MulDiv,
    /// nothing to do: there are no caches and one access at a time
    Fence,
    /// rd = memory; memory = memory op rs2
    Amo,
    /// lr.w
    LoadReserved,
    /// sc.w
    StoreConditional,
    /// CSR access
    Csr,
    /// environment call
    Ecall,
    /// breakpoint
    Ebreak,
    /// return from a trap
    Mret,
    /// sleep until an interrupt is pending
    Wfi,
}

circuit! {
    /// Instruction decoder with registered outputs.
    pub struct Decode {
        /// clock
        pub clock: Signal<In, Clock>,
        /// decode `word` at the next edge
        pub load: Signal<In, Bit>,
        /// instruction word
        pub word: Signal<In, Bits<32>>,
        /// the instruction decoded last
        pub insn: Signal<Out, Bits<32>>,
        /// what to do with it
        pub kind: Signal<Out, Kind>,
        /// its rs1
        pub rs1: Signal<Out, Bits<5>>,
        /// its rs2
        pub rs2: Signal<Out, Bits<5>>,
        /// its rd
        pub rd: Signal<Out, Bits<5>>,
        /// its funct3
        pub funct3: Signal<Out, Bits<3>>,
        insn_ff: DFF<Bits<32>>,
        kind_ff: DFF<Kind>,
        rs1_ff: DFF<Bits<5>>,
        rs2_ff: DFF<Bits<5>>,
        rd_ff: DFF<Bits<5>>,
        funct3_ff: DFF<Bits<3>>,
        opcode: Signal<Local, Bits<7>>,
        minor: Signal<Local, Bits<3>>,
        funct5: Signal<Local, Bits<5>>,
        funct7: Signal<Local, Bits<7>>,
        shift: Signal<Local, Bit>,
        plain: Signal<Local, Bit>,
        alternate: Signal<Local, Bit>,
    }
    constants {
        op_lui: 7 = 0x37,
        op_auipc: 7 = 0x17,
        op_jal: 7 = 0x6f,
        op_jalr: 7 = 0x67,
        op_branch: 7 = 0x63,
        op_load: 7 = 0x03,
        op_store: 7 = 0x23,
        op_immediate: 7 = 0x13,
        op_register: 7 = 0x33,
        op_fence: 7 = 0x0f,
        op_amo: 7 = 0x2f,
        op_system: 7 = 0x73,
        funct7_plain: 7 = 0x00,
        funct7_muldiv: 7 = 0x01,
        funct7_alternate: 7 = 0x20,
        no_funct: 3 = 0,
        no_long_funct: 5 = 0,
        f0: 3 = 0,
        f1: 3 = 1,
        f2: 3 = 2,
        f3: 3 = 3,
        f5: 3 = 5,
        amo_swap: 5 = 0x01,
        amo_lr: 5 = 0x02,
        amo_sc: 5 = 0x03,
        rs2_field: 32 = 0x01f0_0000,
        insn_ecall: 32 = 0x0000_0073,
        insn_ebreak: 32 = 0x0010_0073,
        insn_mret: 32 = 0x3020_0073,
        insn_wfi: 32 = 0x1050_0073,
    }
}

impl Logic for Decode {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, insn_ff, kind_ff, rs1_ff, rs2_ff, rd_ff, funct3_ff);
        self.insn.next = self.insn_ff.q.val();
        self.kind.next = self.kind_ff.q.val();
        self.rs1.next = self.rs1_ff.q.val();
        self.rs2.next = self.rs2_ff.q.val();
        self.rd.next = self.rd_ff.q.val();
        self.funct3.next = self.funct3_ff.q.val();
        self.opcode.next = bit_cast::<7, 32>(self.word.val());
        self.minor.next = self.no_funct.val();
        self.funct5.next = self.no_long_funct.val();
        self.funct7.next = self.funct7_plain.val();
        self.shift.next = false;
        self.plain.next = false;
        self.alternate.next = false;
        // Slices are slow to simulate: they are taken only when they matter.
        if self.load.val() {
            self.minor.next = self.word.val().get_bits::<3>(12);
            self.funct5.next = self.word.val().get_bits::<5>(27);
            self.funct7.next = self.word.val().get_bits::<7>(25);
            self.shift.next =
                (self.minor.val() == self.f1.val()) | (self.minor.val() == self.f5.val());
            self.plain.next = self.funct7.val() == self.funct7_plain.val();
            self.alternate.next = (self.funct7.val() == self.funct7_alternate.val())
                & ((self.minor.val() == self.f0.val()) | (self.minor.val() == self.f5.val()));
            self.insn_ff.d.next = self.word.val();
            self.rs1_ff.d.next = self.word.val().get_bits::<5>(15);
            self.rs2_ff.d.next = self.word.val().get_bits::<5>(20);
            self.rd_ff.d.next = self.word.val().get_bits::<5>(7);
            self.funct3_ff.d.next = self.minor.val();
            self.kind_ff.d.next = Kind::Illegal;
            if self.opcode.val() == self.op_immediate.val() {
                if (!self.shift.val() | self.plain.val())
                    | (self.alternate.val() & self.shift.val())
                {
                    self.kind_ff.d.next = Kind::AluImmediate;
                }
            } else if self.opcode.val() == self.op_register.val() {
                if self.plain.val() | self.alternate.val() {
                    self.kind_ff.d.next = Kind::AluRegister;
                } else if self.funct7.val() == self.funct7_muldiv.val() {
                    self.kind_ff.d.next = Kind::MulDiv;
                }
            } else if self.opcode.val() == self.op_load.val() {
                if !(self.minor.val().get_bit(1)
                    & (self.minor.val().get_bit(0) | self.minor.val().get_bit(2)))
                {
                    self.kind_ff.d.next = Kind::Load;
                }
            } else if self.opcode.val() == self.op_store.val() {
                if (self.minor.val() != self.f3.val()) & !self.minor.val().get_bit(2) {
                    self.kind_ff.d.next = Kind::Store;
                }
            } else if self.opcode.val() == self.op_branch.val() {
                if self.minor.val().get_bit(2) | !self.minor.val().get_bit(1) {
                    self.kind_ff.d.next = Kind::Branch;
                }
            } else if self.opcode.val() == self.op_jal.val() {
                self.kind_ff.d.next = Kind::Jal;
            } else if self.opcode.val() == self.op_jalr.val() {
                if self.minor.val() == self.f0.val() {
                    self.kind_ff.d.next = Kind::Jalr;
                }
            } else if self.opcode.val() == self.op_lui.val() {
                self.kind_ff.d.next = Kind::AluImmediate;
            } else if self.opcode.val() == self.op_auipc.val() {
                self.kind_ff.d.next = Kind::Auipc;
            } else if self.opcode.val() == self.op_fence.val() {
                if !(self.minor.val().get_bit(2) | self.minor.val().get_bit(1)) {
                    self.kind_ff.d.next = Kind::Fence;
                }
            } else if self.opcode.val() == self.op_amo.val() {
                if self.minor.val() == self.f2.val() {
                    if self.funct5.val() == self.amo_sc.val() {
                        self.kind_ff.d.next = Kind::StoreConditional;
                    } else if self.funct5.val() == self.amo_lr.val() {
                        if !(self.word.val() & self.rs2_field.val()).any() {
                            self.kind_ff.d.next = Kind::LoadReserved;
                        }
                    } else if (self.funct5.val() == self.amo_swap.val())
                        | !(self.funct5.val().get_bit(0) | self.funct5.val().get_bit(1))
                    {
                        self.kind_ff.d.next = Kind::Amo;
                    }
                }
            } else if self.opcode.val() == self.op_system.val() {
                if self.minor.val().get_bit(0) | self.minor.val().get_bit(1) {
                    self.kind_ff.d.next = Kind::Csr;
                } else if self.word.val() == self.insn_ecall.val() {
                    self.kind_ff.d.next = Kind::Ecall;
                } else if self.word.val() == self.insn_ebreak.val() {
                    self.kind_ff.d.next = Kind::Ebreak;
                } else if self.word.val() == self.insn_mret.val() {
                    self.kind_ff.d.next = Kind::Mret;
                } else if self.word.val() == self.insn_wfi.val() {
                    self.kind_ff.d.next = Kind::Wfi;
                }
            }
        }
    }
}

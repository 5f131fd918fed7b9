//! Makes the full-size instruction of a compressed one, combinational. Twin of
//! `lookback_log_format::isa::expand`.
//!
//! ```text
//!  insn ──► by quadrant and funct3: fields moved to where a full-size word has them ──► word, short
//! ```
//! Most fields of a compressed word stand where the full-size word has them, or go there by one
//! shift; signs are masks.

use crate::recorder::circuit::circuit;
use rust_hdl::prelude::*;

circuit! {
    /// Expander of RV32C and Zcb.
    pub struct Expand [] {
        /// instruction as the port shows it; the upper half of a compressed one means nothing
        pub insn: Signal<In, Bits<32>>,
        /// the full-size instruction that it is or stands for
        pub word: Signal<Out, Bits<32>>,
        /// it is compressed
        pub short: Signal<Out, Bit>,
        funct3: Signal<Local, Bits<3>>,
        /// registers of five bits, in the places of rd, rs1 and rs2
        rd: Signal<Local, Bits<32>>,
        rs1: Signal<Local, Bits<32>>,
        rs2: Signal<Local, Bits<32>>,
        /// registers of three bits: the lower one as rd and rs2, the upper one as rd and rs1
        low_rd: Signal<Local, Bits<32>>,
        low_rs2: Signal<Local, Bits<32>>,
        high_rd: Signal<Local, Bits<32>>,
        high_rs1: Signal<Local, Bits<32>>,
        /// both of them as one
        both: Signal<Local, Bits<32>>,
        /// bit 12, which is bit 5 of most immediates
        bit_5: Signal<Local, Bits<32>>,
        /// immediates of loads and stores of words and doublewords
        load_word: Signal<Local, Bits<32>>,
        store_word: Signal<Local, Bits<32>>,
        load_double: Signal<Local, Bits<32>>,
        store_double: Signal<Local, Bits<32>>,
        signed_6: Signal<Local, Bits<32>>,
        sign: Signal<Local, Bit>,
        jump: Signal<Local, Bits<32>>,
        branch: Signal<Local, Bits<32>>,
        middle: Signal<Local, Bits<3>>,
        operation: Signal<Local, Bits<2>>,
        no_six: Signal<Local, Bit>,
        no_rd: Signal<Local, Bit>,
        no_rs2: Signal<Local, Bit>,
        is_sp: Signal<Local, Bit>,
        built: Signal<Local, Bits<32>>,
    }
    constants {
        reserved: 32 = lookback_log_format::isa::RESERVED,
        breaks: 32 = 0x0010_0073,
        none: 32 = 0,
        code_0: 3 = 0,
        code_1: 3 = 1,
        code_2: 3 = 2,
        code_3: 3 = 3,
        code_4: 3 = 4,
        code_5: 3 = 5,
        code_6: 3 = 6,
        two_0: 2 = 0,
        two_1: 2 = 1,
        two_2: 2 = 2,
        quadrant_0: 2 = 0,
        quadrant_1: 2 = 1,
        sp: 5 = 2,
        sp_rd: 32 = 0x0000_0100,
        sp_rs1: 32 = 0x0001_0000,
        ra_rd: 32 = 0x0000_0080,
        from_8_rd: 32 = 0x0000_0400,
        from_8_rs1: 32 = 0x0004_0000,
        from_8_rs2: 32 = 0x0080_0000u32,
        addi: 32 = 0x0000_0013,
        andi: 32 = 0x0000_7013,
        xori: 32 = 0x0000_4013,
        slli: 32 = 0x0000_1013,
        srli: 32 = 0x0000_5013,
        srai: 32 = 0x4000_5013,
        lui: 32 = 0x0000_0037,
        lw: 32 = 0x0000_2003,
        lh: 32 = 0x0000_1003,
        lhu: 32 = 0x0000_5003,
        lbu: 32 = 0x0000_4003,
        sw: 32 = 0x0000_2023,
        sh: 32 = 0x0000_1023,
        sb: 32 = 0x0000_0023,
        flw: 32 = 0x0000_2007,
        fld: 32 = 0x0000_3007,
        fsw: 32 = 0x0000_2027,
        fsd: 32 = 0x0000_3027,
        jal: 32 = 0x0000_006f,
        jalr: 32 = 0x0000_0067,
        beq: 32 = 0x0000_0063,
        bne: 32 = 0x0000_1063,
        add: 32 = 0x0000_0033,
        sub: 32 = 0x4000_0033,
        xor_word: 32 = 0x0000_4033,
        or_word: 32 = 0x0000_6033,
        and_word: 32 = 0x0000_7033,
        mul: 32 = 0x0200_0033,
        zext_b: 32 = 0x0ff0_7013,
        sext_b: 32 = 0x6040_1013,
        zext_h: 32 = 0x0800_4033,
        sext_h: 32 = 0x6050_1013,
        invert: 32 = 0xfff0_4013u32,
        sign_6: 32 = 0xfe00_0000u32,
        sign_16: 32 = 0xe000_0000u32,
        sign_lui: 32 = 0xfffe_0000u32,
        sign_jump: 32 = 0x801f_f000u32,
        sign_branch: 32 = 0xf000_0080u32,
        at_2: 32 = 0x0004,
        at_5: 32 = 0x0020,
        at_6: 32 = 0x0040,
        at_7: 32 = 0x0080,
        at_8: 32 = 0x0100,
        at_11: 32 = 0x0800,
        at_12: 32 = 0x1000,
        from_2_two: 32 = 0x000c,
        from_2_three: 32 = 0x001c,
        from_2_five: 32 = 0x007c,
        from_3_two: 32 = 0x0018,
        from_3_three: 32 = 0x0038,
        from_4_three: 32 = 0x0070,
        from_5_two: 32 = 0x0060,
        from_7_two: 32 = 0x0180,
        from_7_three: 32 = 0x0380,
        from_7_four: 32 = 0x0780,
        from_7_five: 32 = 0x0f80,
        from_9_two: 32 = 0x0600,
        from_9_three: 32 = 0x0e00,
        from_10_two: 32 = 0x0c00,
        from_10_three: 32 = 0x1c00,
        from_11_two: 32 = 0x1800,
    }
}

impl Logic for Expand {
    #[hdl_gen]
    fn update(&mut self) {
        self.short.next = !self.insn.val().get_bits::<2>(0).all();
        self.funct3.next = self.insn.val().get_bits::<3>(13);
        self.sign.next = self.insn.val().get_bit(12);
        self.rd.next = self.insn.val() & self.from_7_five.val();
        self.rs1.next = (self.insn.val() & self.from_7_five.val()) << 8;
        self.rs2.next = (self.insn.val() & self.from_2_five.val()) << 18;
        self.low_rd.next =
            ((self.insn.val() & self.from_2_three.val()) << 5) | self.from_8_rd.val();
        self.low_rs2.next =
            ((self.insn.val() & self.from_2_three.val()) << 18) | self.from_8_rs2.val();
        self.high_rd.next = (self.insn.val() & self.from_7_three.val()) | self.from_8_rd.val();
        self.high_rs1.next =
            ((self.insn.val() & self.from_7_three.val()) << 8) | self.from_8_rs1.val();
        self.both.next = self.high_rd.val() | self.high_rs1.val();
        self.no_six.next = !(self.sign.val() | self.insn.val().get_bits::<5>(2).any());
        self.no_rd.next = !self.insn.val().get_bits::<5>(7).any();
        self.no_rs2.next = !self.insn.val().get_bits::<5>(2).any();
        self.is_sp.next = self.insn.val().get_bits::<5>(7) == self.sp.val();

        // Immediates.
        self.bit_5.next = (self.insn.val() & self.at_12.val()) << 13;
        self.load_word.next = (((self.insn.val() & self.at_5.val()) << 21)
            | ((self.insn.val() & self.from_10_three.val()) << 13))
            | ((self.insn.val() & self.at_6.val()) << 16);
        self.store_word.next = ((((self.insn.val() & self.at_5.val()) << 21) | self.bit_5.val())
            | (self.insn.val() & self.from_10_two.val()))
            | ((self.insn.val() & self.at_6.val()) << 3);
        self.load_double.next = ((self.insn.val() & self.from_5_two.val()) << 21)
            | ((self.insn.val() & self.from_10_three.val()) << 13);
        self.store_double.next = (((self.insn.val() & self.from_5_two.val()) << 21)
            | self.bit_5.val())
            | (self.insn.val() & self.from_10_two.val());
        self.signed_6.next = self.rs2.val();
        self.jump.next = ((((self.insn.val() & self.at_11.val()) << 13)
            | ((self.insn.val() & self.from_9_two.val()) << 19))
            | (((self.insn.val() & self.at_8.val()) << 22)
                | ((self.insn.val() & self.at_7.val()) << 19)))
            | ((((self.insn.val() & self.at_6.val()) << 21)
                | ((self.insn.val() & self.from_3_three.val()) << 18))
                | (((self.insn.val() & self.at_2.val()) << 23) | self.jal.val()));
        self.branch.next = ((((self.insn.val() & self.from_5_two.val()) << 21)
            | ((self.insn.val() & self.at_2.val()) << 23))
            | ((self.insn.val() & self.from_10_two.val())
                | ((self.insn.val() & self.from_3_two.val()) << 5)))
            | self.high_rs1.val();
        if self.sign.val() {
            self.signed_6.next = self.rs2.val() | self.sign_6.val();
            self.jump.next = self.jump.val() | self.sign_jump.val();
            self.branch.next = self.branch.val() | self.sign_branch.val();
        }

        self.middle.next = self.insn.val().get_bits::<3>(10);
        self.operation.next = self.insn.val().get_bits::<2>(5);
        self.built.next = self.reserved.val();
        if self.insn.val().get_bits::<2>(0) == self.quadrant_0.val() {
            if self.funct3.val() == self.code_0.val() {
                if self.insn.val().get_bits::<8>(5).any() {
                    self.built.next = ((((self.insn.val() & self.from_7_four.val()) << 19)
                        | ((self.insn.val() & self.from_11_two.val()) << 13))
                        | (((self.insn.val() & self.at_5.val()) << 18)
                            | ((self.insn.val() & self.at_6.val()) << 16)))
                        | ((self.low_rd.val() | self.sp_rs1.val()) | self.addi.val());
                }
            } else if self.funct3.val() == self.code_1.val() {
                self.built.next = (self.load_double.val() | self.low_rd.val())
                    | (self.high_rs1.val() | self.fld.val());
            } else if self.funct3.val() == self.code_2.val() {
                self.built.next = (self.load_word.val() | self.low_rd.val())
                    | (self.high_rs1.val() | self.lw.val());
            } else if self.funct3.val() == self.code_3.val() {
                self.built.next = (self.load_word.val() | self.low_rd.val())
                    | (self.high_rs1.val() | self.flw.val());
            } else if self.funct3.val() == self.code_4.val() {
                // Zcb: bytes and halfwords.
                if self.middle.val() == self.code_0.val() {
                    self.built.next = ((((self.insn.val() & self.at_5.val()) << 16)
                        | ((self.insn.val() & self.at_6.val()) << 14))
                        | (self.low_rd.val() | self.high_rs1.val()))
                        | self.lbu.val();
                } else if self.middle.val() == self.code_1.val() {
                    self.built.next = (((self.insn.val() & self.at_5.val()) << 16)
                        | (self.low_rd.val() | self.high_rs1.val()))
                        | self.lhu.val();
                    if self.insn.val().get_bit(6) {
                        self.built.next = (((self.insn.val() & self.at_5.val()) << 16)
                            | (self.low_rd.val() | self.high_rs1.val()))
                            | self.lh.val();
                    }
                } else if self.middle.val() == self.code_2.val() {
                    self.built.next = ((((self.insn.val() & self.at_5.val()) << 3)
                        | ((self.insn.val() & self.at_6.val()) << 1))
                        | (self.low_rs2.val() | self.high_rs1.val()))
                        | self.sb.val();
                } else if (self.middle.val() == self.code_3.val()) & !self.insn.val().get_bit(6) {
                    self.built.next = (((self.insn.val() & self.at_5.val()) << 3)
                        | (self.low_rs2.val() | self.high_rs1.val()))
                        | self.sh.val();
                }
            } else if self.funct3.val() == self.code_5.val() {
                self.built.next = (self.store_double.val() | self.low_rs2.val())
                    | (self.high_rs1.val() | self.fsd.val());
            } else if self.funct3.val() == self.code_6.val() {
                self.built.next = (self.store_word.val() | self.low_rs2.val())
                    | (self.high_rs1.val() | self.sw.val());
            } else {
                self.built.next = (self.store_word.val() | self.low_rs2.val())
                    | (self.high_rs1.val() | self.fsw.val());
            }
        } else if self.insn.val().get_bits::<2>(0) == self.quadrant_1.val() {
            if self.funct3.val() == self.code_0.val() {
                self.built.next =
                    (self.signed_6.val() | self.rd.val()) | (self.rs1.val() | self.addi.val());
            } else if self.funct3.val() == self.code_1.val() {
                self.built.next = self.jump.val() | self.ra_rd.val();
            } else if self.funct3.val() == self.code_2.val() {
                self.built.next = (self.signed_6.val() | self.rd.val()) | self.addi.val();
            } else if self.funct3.val() == self.code_3.val() {
                if !self.no_six.val() {
                    self.built.next = (((self.insn.val() & self.from_2_five.val()) << 10)
                        | self.rd.val())
                        | self.lui.val();
                    if self.sign.val() {
                        self.built.next = self.built.val() | self.sign_lui.val();
                    }
                    if self.is_sp.val() {
                        self.built.next = (((((self.insn.val() & self.from_3_two.val()) << 24)
                            | ((self.insn.val() & self.at_5.val()) << 21))
                            | ((self.insn.val() & self.at_2.val()) << 23))
                            | ((self.insn.val() & self.at_6.val()) << 18))
                            | ((self.sp_rd.val() | self.sp_rs1.val()) | self.addi.val());
                        if self.sign.val() {
                            self.built.next = self.built.val() | self.sign_16.val();
                        }
                    }
                }
            } else if self.funct3.val() == self.code_4.val() {
                if self.insn.val().get_bits::<2>(10) == self.two_0.val() {
                    self.built.next =
                        (self.bit_5.val() | self.rs2.val()) | (self.both.val() | self.srli.val());
                } else if self.insn.val().get_bits::<2>(10) == self.two_1.val() {
                    self.built.next =
                        (self.bit_5.val() | self.rs2.val()) | (self.both.val() | self.srai.val());
                } else if self.insn.val().get_bits::<2>(10) == self.two_2.val() {
                    self.built.next = self.signed_6.val() | (self.both.val() | self.andi.val());
                } else if !self.sign.val() {
                    self.built.next = self.low_rs2.val() | (self.both.val() | self.and_word.val());
                    if self.operation.val() == self.two_0.val() {
                        self.built.next = self.low_rs2.val() | (self.both.val() | self.sub.val());
                    } else if self.operation.val() == self.two_1.val() {
                        self.built.next =
                            self.low_rs2.val() | (self.both.val() | self.xor_word.val());
                    } else if self.operation.val() == self.two_2.val() {
                        self.built.next =
                            self.low_rs2.val() | (self.both.val() | self.or_word.val());
                    }
                } else if self.operation.val() == self.two_2.val() {
                    self.built.next = self.low_rs2.val() | (self.both.val() | self.mul.val());
                } else if self.operation.val().all() {
                    // Zcb: one register.
                    if self.insn.val().get_bits::<3>(2) == self.code_0.val() {
                        self.built.next = self.both.val() | self.zext_b.val();
                    } else if self.insn.val().get_bits::<3>(2) == self.code_1.val() {
                        self.built.next = self.both.val() | self.sext_b.val();
                    } else if self.insn.val().get_bits::<3>(2) == self.code_2.val() {
                        self.built.next = self.both.val() | self.zext_h.val();
                    } else if self.insn.val().get_bits::<3>(2) == self.code_3.val() {
                        self.built.next = self.both.val() | self.sext_h.val();
                    } else if self.insn.val().get_bits::<3>(2) == self.code_5.val() {
                        self.built.next = self.both.val() | self.invert.val();
                    }
                }
            } else if self.funct3.val() == self.code_5.val() {
                self.built.next = self.jump.val();
            } else if self.funct3.val() == self.code_6.val() {
                self.built.next = self.branch.val() | self.beq.val();
            } else {
                self.built.next = self.branch.val() | self.bne.val();
            }
        } else if self.funct3.val() == self.code_0.val() {
            self.built.next = ((self.bit_5.val() | self.rs2.val()) | self.rd.val())
                | (self.rs1.val() | self.slli.val());
        } else if self.funct3.val() == self.code_1.val() {
            self.built.next = (((self.insn.val() & self.from_2_three.val()) << 24)
                | self.bit_5.val())
                | ((((self.insn.val() & self.from_5_two.val()) << 18) | self.rd.val())
                    | (self.sp_rs1.val() | self.fld.val()));
        } else if (self.funct3.val() == self.code_2.val()) & !self.no_rd.val() {
            self.built.next = (((self.insn.val() & self.from_2_two.val()) << 24)
                | self.bit_5.val())
                | ((((self.insn.val() & self.from_4_three.val()) << 18) | self.rd.val())
                    | (self.sp_rs1.val() | self.lw.val()));
        } else if self.funct3.val() == self.code_3.val() {
            self.built.next = (((self.insn.val() & self.from_2_two.val()) << 24)
                | self.bit_5.val())
                | ((((self.insn.val() & self.from_4_three.val()) << 18) | self.rd.val())
                    | (self.sp_rs1.val() | self.flw.val()));
        } else if self.funct3.val() == self.code_4.val() {
            if !self.no_rs2.val() {
                self.built.next = (self.rs2.val() | self.rd.val()) | self.add.val();
                if self.sign.val() {
                    self.built.next =
                        (self.rs2.val() | self.rd.val()) | (self.rs1.val() | self.add.val());
                }
            } else if !self.no_rd.val() {
                self.built.next = self.rs1.val() | self.jalr.val();
                if self.sign.val() {
                    self.built.next = (self.rs1.val() | self.jalr.val()) | self.ra_rd.val();
                }
            } else if self.sign.val() {
                self.built.next = self.breaks.val();
            }
        } else if self.funct3.val() == self.code_5.val() {
            self.built.next = (((self.insn.val() & self.from_7_three.val()) << 19)
                | self.bit_5.val())
                | (((self.insn.val() & self.from_10_two.val()) | self.rs2.val())
                    | (self.sp_rs1.val() | self.fsd.val()));
        } else if self.funct3.val() == self.code_6.val() {
            self.built.next = (((self.insn.val() & self.from_7_two.val()) << 19)
                | self.bit_5.val())
                | (((self.insn.val() & self.from_9_three.val()) | self.rs2.val())
                    | (self.sp_rs1.val() | self.sw.val()));
        } else if self.funct3.val().all() {
            self.built.next = (((self.insn.val() & self.from_7_two.val()) << 19)
                | self.bit_5.val())
                | (((self.insn.val() & self.from_9_three.val()) | self.rs2.val())
                    | (self.sp_rs1.val() | self.fsw.val()));
        }
        self.word.next = self.insn.val();
        if self.short.val() {
            self.word.next = self.built.val();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::settle;
    use crate::recorder::testing::{check_block, word};
    use lookback_log_format::isa::expand;

    #[test]
    fn synthesizes() {
        check_block(Expand::default(), "lookback_expand");
    }

    /// All compressed words, with noise above, and some that are full-size.
    #[test]
    fn equals_the_format() {
        let mut block = Expand::default();
        block.connect_all();
        for low in 0..=0xffffu32 {
            let insn = low | low.wrapping_mul(0x9e37) << 16;
            block.insn.next = word(insn);
            settle(&mut block);
            assert_eq!(block.word.val().to_u32(), expand(insn), "{insn:#010x}");
            assert_eq!(block.short.val(), low & 3 != 3);
        }
    }
}

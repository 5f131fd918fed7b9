//! Moves bytes and halfwords between a register and their lanes in a memory word, combinational.

use rust_hdl::prelude::*;

circuit! {
    /// Byte lanes of loads and stores.
    pub struct Lanes {
        /// funct3 of the load or store: bits 1:0 size, bit 2 zero-extend
        pub size: Signal<In, Bits<3>>,
        /// address bits 1:0
        pub offset: Signal<In, Bits<2>>,
        /// register value to store
        pub value: Signal<In, Bits<32>>,
        /// `stored` is wanted
        pub stores: Signal<In, Bit>,
        /// memory word read
        pub word: Signal<In, Bits<32>>,
        /// `loaded` is wanted
        pub loads: Signal<In, Bit>,
        /// `value` repeated so that it is in its lanes whatever the offset
        pub stored: Signal<Out, Bits<32>>,
        /// the addressed part of `word`, extended
        pub loaded: Signal<Out, Bits<32>>,
        /// lanes accessed
        pub mask: Signal<Out, Bits<4>>,
        /// the address is not a multiple of the size
        pub misaligned: Signal<Out, Bit>,
        low_byte: Signal<Local, Bits<32>>,
        low_half: Signal<Local, Bits<32>>,
        half: Signal<Local, Bits<16>>,
        octet: Signal<Local, Bits<8>>,
        is_half: Signal<Local, Bit>,
        is_byte: Signal<Local, Bit>,
    }
    constants {
        byte_mask: 32 = 0xff,
        half_mask: 32 = 0xffff,
        byte_sign: 32 = 0xffff_ff00,
        half_sign: 32 = 0xffff_0000,
        no_half: 16 = 0,
        no_octet: 8 = 0,
        lane_0: 4 = 1,
        lane_1: 4 = 2,
        lane_2: 4 = 4,
        lane_3: 4 = 8,
        low_lanes: 4 = 3,
        high_lanes: 4 = 12,
        all_lanes: 4 = 15,
    }
}

impl Logic for Lanes {
    #[hdl_gen]
    fn update(&mut self) {
        self.is_half.next = self.size.val().get_bit(0);
        self.is_byte.next = !(self.size.val().get_bit(0) | self.size.val().get_bit(1));
        self.mask.next = self.all_lanes.val();
        self.misaligned.next = self.offset.val().any();
        if self.is_half.val() {
            self.misaligned.next = self.offset.val().get_bit(0);
            self.mask.next = self.low_lanes.val();
            if self.offset.val().get_bit(1) {
                self.mask.next = self.high_lanes.val();
            }
        } else if self.is_byte.val() {
            self.misaligned.next = false;
            self.mask.next = self.lane_0.val();
            if self.offset.val().all() {
                self.mask.next = self.lane_3.val();
            } else if self.offset.val().get_bit(1) {
                self.mask.next = self.lane_2.val();
            } else if self.offset.val().get_bit(0) {
                self.mask.next = self.lane_1.val();
            }
        }
        // Shifts and slices are slow to simulate: they are done only when they matter.
        self.stored.next = self.value.val();
        self.low_byte.next = self.value.val() & self.byte_mask.val();
        self.low_half.next = self.value.val() & self.half_mask.val();
        if self.stores.val() {
            if self.is_half.val() {
                self.stored.next = self.low_half.val() | (self.low_half.val() << 16);
            } else if self.is_byte.val() {
                self.stored.next = (self.low_byte.val() | (self.low_byte.val() << 8))
                    | ((self.low_byte.val() << 16) | (self.low_byte.val() << 24));
            }
        }
        self.loaded.next = self.word.val();
        self.half.next = self.no_half.val();
        self.octet.next = self.no_octet.val();
        if self.loads.val() & (self.is_half.val() | self.is_byte.val()) {
            self.half.next = bit_cast::<16, 32>(self.word.val());
            if self.offset.val().get_bit(1) {
                self.half.next = self.word.val().get_bits::<16>(16);
            }
            self.octet.next = bit_cast::<8, 16>(self.half.val());
            if self.offset.val().get_bit(0) {
                self.octet.next = self.half.val().get_bits::<8>(8);
            }
            self.loaded.next = bit_cast::<32, 16>(self.half.val());
            if self.half.val().get_bit(15) & !self.size.val().get_bit(2) {
                self.loaded.next = bit_cast::<32, 16>(self.half.val()) | self.half_sign.val();
            }
            if self.is_byte.val() {
                self.loaded.next = bit_cast::<32, 8>(self.octet.val());
                if self.octet.val().get_bit(7) & !self.size.val().get_bit(2) {
                    self.loaded.next = bit_cast::<32, 8>(self.octet.val()) | self.byte_sign.val();
                }
            }
        }
    }
}

//! The place of a block in a filter or signature: its pieces of `F` bits, exclusive or. Section 11.2 of
//! the log format; twin of `lookback_model::strata_arbiter::fold`.

use rust_hdl::prelude::*;

circuit! {
    /// Combinational: 30 bits of block number to `F` bits.
    pub struct Fold [F] {
        /// number of the block
        pub block: Signal<In, Bits<30>>,
        /// its place
        pub place: Signal<Out, Bits<F>>,
        rest: Signal<Local, Bits<30>>,
        sum: Signal<Local, Bits<F>>,
    }
    constants {
        piece: 5 = F,
        none: F = 0,
    }
    check {
        assert!((4..=14).contains(&F), "eight pieces make a block number");
    }
}

impl<const F: usize> Logic for Fold<F> {
    #[hdl_gen]
    fn update(&mut self) {
        self.rest.next = self.block.val();
        self.sum.next = self.none.val();
        for _i in 0..8 {
            self.sum.next = self.sum.val() ^ self.rest.val().get_bits::<F>(0);
            self.rest.next = self.rest.val() >> self.piece.val();
        }
        self.place.next = self.sum.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::testing::check_block;

    #[test]
    fn synthesizes() {
        check_block(Fold::<10>::default(), "lookback_fold");
    }
}

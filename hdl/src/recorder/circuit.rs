//! Declares a block, its arrays, constants and parts that are built with arguments, and lets the
//! simulator skip it while nothing happens in it.
//!
//! Constants and arrays have no default, and a hand-written `Default` would repeat every port name.
//! rust-hdl's derived `Block` evaluates every block in every pass until nothing changes anywhere;
//! this one returns at once when no input changed and its last pass changed nothing, and otherwise
//! settles by itself. What it computes is the same: a block's `update` depends only on its inputs
//! and on the outputs of its children, and a clock edge reaches all children together with their
//! inputs from before the edge.

use crate::memory::{BlockRam, LutRam, MarkedRam, PerHart};
use rust_hdl::prelude::*;

/// Whether a field of a block was given a new value from outside since its last pass.
pub(crate) trait Pending {
    /// True for an input that is about to change.
    fn pending(&self) -> bool {
        false
    }
}

impl<T: Synth> Pending for Signal<In, T> {
    fn pending(&self) -> bool {
        self.next != self.val()
    }
}

impl<T: Synth> Pending for Signal<Out, T> {}
impl<T: Synth> Pending for Signal<Local, T> {}
impl<T: Synth> Pending for DFF<T> {}
impl<const W: usize, const N: usize> Pending for LutRam<W, N> {}
impl<const W: usize, const N: usize> Pending for BlockRam<W, N> {}
impl<const W: usize, const N: usize> Pending for PerHart<W, N> {}
impl<const W: usize, const E: usize, const N: usize> Pending for MarkedRam<W, E, N> {}

/// A block with const generics in square brackets; `constants` are sized, so that the Verilog
/// compares equal widths, and `check` runs when the block is built.
macro_rules! circuit {
    (
        $(#[$meta:meta])*
        pub struct $name:ident [$($generic:ident),*] {
            $($(#[$field_meta:meta])* $vis:vis $field:ident : $type:ty,)*
        }
        $(arrays { $($array:ident : $array_type:ty,)* })?
        $(built { $($built:ident : $built_type:ty = $build:expr,)* })?
        constants { $($constant:ident : $width:tt = $value:expr,)* }
        $(check { $($check:expr;)* })?
    ) => {
        $(#[$meta])*
        pub struct $name<$(const $generic: usize),*> {
            $($(#[$field_meta])* $vis $field: $type,)*
            $($($array: $array_type,)*)?
            $($($built: $built_type,)*)?
            $($constant: Constant<Bits<$width>>,)*
            /// the last pass changed something, so another is due
            _unsettled: bool,
            /// something changed since the parent last looked
            _changed: bool,
        }

        impl<$(const $generic: usize),*> Default for $name<$($generic),*> {
            fn default() -> Self {
                $($($check;)*)?
                Self {
                    $($field: Default::default(),)*
                    $($($array: std::array::from_fn(|_| Default::default()),)*)?
                    $($($built: $build,)*)?
                    $($constant: Constant::new(bits::<{ $width }>($value as u64)),)*
                    _unsettled: true,
                    _changed: false,
                }
            }
        }

        impl<$(const $generic: usize),*> $crate::recorder::circuit::Pending
            for $name<$($generic),*> {}

        impl<$(const $generic: usize),*> block::Block for $name<$($generic),*> {
            fn connect_all(&mut self) {
                self.connect();
                $(self.$field.connect_all();)*
                $($(self.$array.connect_all();)*)?
                $($(self.$built.connect_all();)*)?
            }

            fn update_all(&mut self) {
                #[allow(unused_imports)]
                use $crate::recorder::circuit::Pending;
                self._changed = false;
                // A combinational loop never settles: then the caller's own limit is to find it.
                for _ in 0..100 {
                    if !(self._unsettled $(|| self.$field.pending())*) {
                        break;
                    }
                    self.update();
                    $(self.$field.update_all();)*
                    $($(self.$array.update_all();)*)?
                    $($(self.$built.update_all();)*)?
                    self._unsettled = false
                        $(|| self.$field.has_changed())*
                        $($(|| self.$array.has_changed())*)?
                        $($(|| self.$built.has_changed())*)?;
                    self._changed |= self._unsettled;
                }
            }

            fn has_changed(&self) -> bool {
                self._changed
            }

            fn accept(&self, name: &str, probe: &mut dyn probe::Probe) {
                probe.visit_start_scope(name, self);
                $(self.$field.accept(stringify!($field), probe);)*
                $($(self.$array.accept(stringify!($array), probe);)*)?
                $($(self.$built.accept(stringify!($built), probe);)*)?
                $(self.$constant.accept(stringify!($constant), probe);)*
                probe.visit_end_scope(name, self);
            }
        }
    };
}

pub(crate) use circuit;

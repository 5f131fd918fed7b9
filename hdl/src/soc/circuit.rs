//! Declares a block with its constants, and lets the simulator skip it while nothing happens in it.
//!
//! rust-hdl's derived `Block` evaluates every block of a design in every pass until nothing changes
//! anywhere. Most blocks of a SoC have nothing to do most of the time, so this one returns at once when
//! no input changed and its last pass changed nothing, and otherwise settles by itself before it
//! returns. What it computes is the same: a block's `update` depends only on its inputs and on the
//! outputs of its children, and a clock edge reaches all children together with their inputs from
//! before the edge.

use rust_hdl::prelude::*;

/// Whether a field of a block was given a new value from outside since its last pass.
pub(super) trait Pending {
    /// True for an input that is about to change.
    fn pending(&self) -> bool;
}

impl<T: Synth> Pending for Signal<In, T> {
    fn pending(&self) -> bool {
        self.next != self.val()
    }
}

impl<T: Synth> Pending for Signal<Out, T> {
    fn pending(&self) -> bool {
        false
    }
}

impl<T: Synth> Pending for Signal<Local, T> {
    fn pending(&self) -> bool {
        false
    }
}

impl<T: Synth> Pending for DFF<T> {
    fn pending(&self) -> bool {
        false
    }
}

impl<T: Synth, const N: usize> Pending for RAM<T, N> {
    fn pending(&self) -> bool {
        false
    }
}

/// A block whose last section, after `constants`, gives named constants their values.
///
/// Constants are sized, so that the Verilog compares equal widths.
macro_rules! circuit {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $($(#[$field_meta:meta])* $vis:vis $field:ident : $type:ty,)*
        }
        constants {
            $($constant:ident : $width:literal = $value:expr,)*
        }
    ) => {
        $(#[$meta])*
        pub struct $name {
            $($(#[$field_meta])* $vis $field: $type,)*
            $($constant: Constant<Bits<$width>>,)*
            /// the last pass changed something, so another is due
            _unsettled: bool,
            /// something changed since the parent last looked
            _changed: bool,
        }

        impl Default for $name {
            fn default() -> Self {
                Self {
                    $($field: Default::default(),)*
                    $($constant: Constant::new(bits::<$width>($value)),)*
                    _unsettled: true,
                    _changed: false,
                }
            }
        }

        impl $crate::soc::circuit::Pending for $name {
            fn pending(&self) -> bool {
                false
            }
        }

        impl block::Block for $name {
            fn connect_all(&mut self) {
                self.connect();
                $(self.$field.connect_all();)*
            }

            fn update_all(&mut self) {
                use $crate::soc::circuit::Pending;
                self._changed = false;
                // A combinational loop never settles: then the caller's own limit is to find it.
                for _ in 0..100 {
                    if !(self._unsettled $(|| self.$field.pending())*) {
                        break;
                    }
                    self.update();
                    $(self.$field.update_all();)*
                    self._unsettled = false $(|| self.$field.has_changed())*;
                    self._changed |= self._unsettled;
                }
            }

            fn has_changed(&self) -> bool {
                self._changed
            }

            fn accept(&self, name: &str, probe: &mut dyn probe::Probe) {
                probe.visit_start_scope(name, self);
                $(self.$field.accept(stringify!($field), probe);)*
                $(self.$constant.accept(stringify!($constant), probe);)*
                probe.visit_end_scope(name, self);
            }
        }
    };
}

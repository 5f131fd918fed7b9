//! Declares a block together with its constants, because `Constant` has no default and a hand-written
//! `Default` would repeat every port name.

/// A `LogicBlock` whose last section, after `constants`, gives named constants their values.
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
        #[derive(LogicBlock)]
        pub struct $name {
            $($(#[$field_meta])* $vis $field: $type,)*
            $($constant: Constant<Bits<$width>>,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self {
                    $($field: Default::default(),)*
                    $($constant: Constant::new(bits::<$width>($value)),)*
                }
            }
        }
    };
}

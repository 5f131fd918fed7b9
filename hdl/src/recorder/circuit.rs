//! Declares a block together with its arrays, constants and parts that are built with arguments,
//! because none of these has a default and a hand-written `Default` would repeat every port name.

/// A `LogicBlock` with const generics in square brackets; `constants` are sized, so that the
/// Verilog compares equal widths, and `check` runs when the block is built.
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
        #[derive(LogicBlock)]
        pub struct $name<$(const $generic: usize),*> {
            $($(#[$field_meta])* $vis $field: $type,)*
            $($($array: $array_type,)*)?
            $($($built: $built_type,)*)?
            $($constant: Constant<Bits<$width>>,)*
        }

        impl<$(const $generic: usize),*> Default for $name<$($generic),*> {
            fn default() -> Self {
                $($($check;)*)?
                Self {
                    $($field: Default::default(),)*
                    $($($array: std::array::from_fn(|_| Default::default()),)*)?
                    $($($built: $build,)*)?
                    $($constant: Constant::new(bits::<{ $width }>($value as u64)),)*
                }
            }
        }
    };
}

pub(crate) use circuit;

//! Guards against what rust-hdl silently gets wrong.

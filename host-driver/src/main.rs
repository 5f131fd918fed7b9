//! The `lookback` command.
fn main() {}

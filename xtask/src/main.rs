//! The project own tasks.
fn main() {}

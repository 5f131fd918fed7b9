//! A small SoC to record when the user brings none.

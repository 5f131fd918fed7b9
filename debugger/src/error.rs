//! What can go wrong when a recording is shown to a person.

/// Shorthand for results of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Why something cannot be shown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The recording has nothing that could be replayed.
    #[error("the recording holds no complete interval, so there is nothing to report on")]
    Empty,
    /// Replay failed before anything could be shown.
    #[error(transparent)]
    Replay(#[from] lookback_replay::Error),
}

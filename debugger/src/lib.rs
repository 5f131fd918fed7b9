//! What a developer sees.

//! Tops: pins and wiring only.

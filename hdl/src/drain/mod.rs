//! From interval bytes to the wire and back: ring, framer, UART, control registers.

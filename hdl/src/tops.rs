//! Every circuit that is built elsewhere, as a trait object.
//!
//! A circuit's sizes are const generics, and rustc compiles a generic type again in every crate that
//! names it. The large ones are named here only: their users hold a `dyn Block` and compile in
//! seconds.

use crate::attach::recorder::{AttachedBugnet, AttachedTiny};
use crate::attach::stream::UartBridge;
use crate::boards::pins::BoardPins;
use crate::boards::sim::{BugnetBoard, SimSoc, TinyBoard};
use crate::recorder::config::{BugnetRecorder, TinyRecorder};
use rust_hdl::prelude::Block;

/// The recorder for any RVFI core with the sizes of the BugNet paper.
pub fn attached_bugnet() -> Box<dyn Block> {
    Box::new(AttachedBugnet::default())
}

/// The recorder for any RVFI core, so small that it overflows all the time.
pub fn attached_tiny() -> Box<dyn Block> {
    Box::new(AttachedTiny::default())
}

/// A UART between two byte streams and two pins.
pub fn uart_bridge() -> Box<dyn Block> {
    Box::new(UartBridge::default())
}

/// The recorder with the sizes of the BugNet paper.
pub fn recorder_bugnet() -> Box<dyn Block> {
    Box::new(BugnetRecorder::default())
}

/// The recorder so small that it overflows all the time.
pub fn recorder_tiny() -> Box<dyn Block> {
    Box::new(TinyRecorder::default())
}

/// The SoC with [`recorder_bugnet`].
pub fn board_bugnet() -> Box<dyn BoardPins> {
    Box::new(BugnetBoard::default())
}

/// The SoC with [`recorder_tiny`].
pub fn board_tiny() -> Box<dyn BoardPins> {
    Box::new(TinyBoard::default())
}

/// The SoC alone.
pub fn board_soc() -> Box<dyn BoardPins> {
    Box::new(SimSoc::default())
}

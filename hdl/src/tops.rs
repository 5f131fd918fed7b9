//! Every circuit that is built elsewhere, as a trait object.
//!
//! A circuit's sizes are const generics, and rustc compiles a generic type again in every crate that
//! names it. The large ones are named here only: their users hold a `dyn Block` and compile in
//! seconds.

use crate::attach::recorder::{AttachedBugnet, AttachedTiny};
use crate::attach::stream::UartBridge;
use crate::boards::alone::{SimSoc, SmallSimSoc};
use crate::boards::compact::{FullBoard, FullPlainBoard, FullWordsBoard, FullWordsPlainBoard};
use crate::boards::pins::BoardPins;
use crate::boards::sim::{
    Bugnet4kBoardAt, BugnetBoard, BugnetBoardAt, TinyBoard, TinyBoardAt, WordsBoard,
};
use crate::boards::small::{SmallBoardAt, SmallBoardSim};
use crate::boards::smp::{
    Bugnet4kBoard2At, BugnetBoard2, BugnetBoard4, SimSmp2, SimSmp4, TinyBoard2, TinyBoard4,
    WordsBoard2, WordsBoard4,
};
use crate::compact::config::{FullPlainRecorder, FullRecorder, FullWordsRecorder};
use crate::recorder::config::{
    BugnetPair, BugnetRecorder, PairOrder, SmallRecorderAt, TinyPair, TinyRecorder, CLOCK_HZ,
};
use crate::small::kept::KeptRecorderAt;
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

/// The recorder of codec `compact` with the best log.
pub fn recorder_full() -> Box<dyn Block> {
    Box::new(FullRecorder::default())
}

/// The same with tags that keep words.
pub fn recorder_full_words() -> Box<dyn Block> {
    Box::new(FullWordsRecorder::default())
}

/// The same as [`recorder_full`] with the plain coder.
pub fn recorder_full_plain() -> Box<dyn Block> {
    Box::new(FullPlainRecorder::default())
}

/// The smallest recorder, for one hart that waits.
pub fn recorder_small() -> Box<dyn Block> {
    Box::new(SmallRecorderAt::<{ CLOCK_HZ as usize }>::default())
}

/// [`recorder_small`] for somebody else's core, with a UART and a loader, for the board's clock.
pub fn recorder_kept(clock_hz: u32) -> Option<Box<dyn Block>> {
    Some(match clock_hz {
        50_000_000 => Box::new(KeptRecorderAt::<50_000_000>::default()),
        12_000_000 => Box::new(KeptRecorderAt::<12_000_000>::default()),
        _ => return None,
    })
}

/// The smallest SoC with [`recorder_small`].
pub fn board_small() -> Box<dyn BoardPins> {
    Box::new(SmallBoardSim::default())
}

/// The SoC with [`recorder_full`].
pub fn board_full() -> Box<dyn BoardPins> {
    Box::new(FullBoard::default())
}

/// The SoC with [`recorder_full_words`].
pub fn board_full_words() -> Box<dyn BoardPins> {
    Box::new(FullWordsBoard::default())
}

/// The SoC with [`recorder_full_plain`].
pub fn board_full_plain() -> Box<dyn BoardPins> {
    Box::new(FullPlainBoard::default())
}

/// The SoC with a recorder that has both: tags that keep words and the plain coder.
pub fn board_full_words_plain() -> Box<dyn BoardPins> {
    Box::new(FullWordsPlainBoard::default())
}

/// The SoC with [`recorder_bugnet`].
pub fn board_bugnet() -> Box<dyn BoardPins> {
    Box::new(BugnetBoard::default())
}

/// The SoC with [`recorder_tiny`].
pub fn board_tiny() -> Box<dyn BoardPins> {
    Box::new(TinyBoard::default())
}

/// The SoC with the recorder whose tags keep words.
pub fn board_words() -> Box<dyn BoardPins> {
    Box::new(WordsBoard::default())
}

/// The same with two harts.
pub fn board_words_2() -> Box<dyn BoardPins> {
    Box::new(WordsBoard2::default())
}

/// The same with four harts.
pub fn board_words_4() -> Box<dyn BoardPins> {
    Box::new(WordsBoard4::default())
}

/// The SoC alone.
pub fn board_soc() -> Box<dyn BoardPins> {
    Box::new(SimSoc::default())
}

/// The same as [`board_soc`], for those who only want its Verilog.
pub fn board_soc_block() -> Box<dyn Block> {
    Box::new(SimSoc::default())
}

/// The smallest SoC alone, for those who only want its Verilog.
pub fn board_small_soc_block() -> Box<dyn Block> {
    Box::new(SmallSimSoc::default())
}

/// The SoC with two harts alone, for those who only want its Verilog.
pub fn board_smp_2_block() -> Box<dyn Block> {
    Box::new(SimSmp2::default())
}

/// The SoC with a recorder for an FPGA board: a preset by its name, and the board's clock.
pub fn board_at(preset: &str, clock_hz: u32) -> Option<Box<dyn Block>> {
    Some(match (preset, clock_hz) {
        ("bugnet", 50_000_000) => Box::new(BugnetBoard::default()),
        ("bugnet", 48_000_000) => Box::new(BugnetBoardAt::<48_000_000>::default()),
        ("bugnet", 27_000_000) => Box::new(BugnetBoardAt::<27_000_000>::default()),
        ("bugnet", 12_000_000) => Box::new(BugnetBoardAt::<12_000_000>::default()),
        ("full", 50_000_000) => Box::new(FullBoard::default()),
        ("bugnet-4k-2", 25_000_000) => Box::new(Bugnet4kBoard2At::<25_000_000>::default()),
        ("bugnet-4k", 50_000_000) => Box::new(Bugnet4kBoardAt::<50_000_000>::default()),
        ("bugnet-4k", 48_000_000) => Box::new(Bugnet4kBoardAt::<48_000_000>::default()),
        ("bugnet-4k", 27_000_000) => Box::new(Bugnet4kBoardAt::<27_000_000>::default()),
        ("bugnet-4k", 12_000_000) => Box::new(Bugnet4kBoardAt::<12_000_000>::default()),
        ("small", 12_000_000) => Box::new(SmallBoardAt::<12_000_000>::default()),
        ("tiny", 50_000_000) => Box::new(TinyBoard::default()),
        ("tiny", 48_000_000) => Box::new(TinyBoardAt::<48_000_000>::default()),
        ("tiny", 27_000_000) => Box::new(TinyBoardAt::<27_000_000>::default()),
        ("tiny", 12_000_000) => Box::new(TinyBoardAt::<12_000_000>::default()),
        _ => return None,
    })
}

/// The recorder of two harts, with the sizes of the BugNet paper.
pub fn recorder_bugnet_2() -> Box<dyn Block> {
    Box::new(BugnetPair::default())
}

/// What logs the order of two harts, alone.
pub fn order_2() -> Box<dyn Block> {
    Box::new(PairOrder::default())
}

/// The recorder of two harts, so small that it overflows all the time.
pub fn recorder_tiny_2() -> Box<dyn Block> {
    Box::new(TinyPair::default())
}

/// The SoC with two harts and their recorder.
pub fn board_bugnet_2() -> Box<dyn BoardPins> {
    Box::new(BugnetBoard2::default())
}

/// The SoC with four harts and their recorder.
pub fn board_bugnet_4() -> Box<dyn BoardPins> {
    Box::new(BugnetBoard4::default())
}

/// The SoC with two harts and a recorder that overflows all the time.
pub fn board_tiny_2() -> Box<dyn BoardPins> {
    Box::new(TinyBoard2::default())
}

/// The SoC with four harts and a recorder that overflows all the time.
pub fn board_tiny_4() -> Box<dyn BoardPins> {
    Box::new(TinyBoard4::default())
}

/// The SoC with two harts alone.
pub fn board_smp_2() -> Box<dyn BoardPins> {
    Box::new(SimSmp2::default())
}

/// The SoC with four harts alone.
pub fn board_smp_4() -> Box<dyn BoardPins> {
    Box::new(SimSmp4::default())
}

//! The fast engine: the board's Verilog, compiled by Verilator into a shared library when it is
//! first needed and kept in the user's cache folder.

pub(crate) mod build;
pub(crate) mod cache;

use std::ffi::c_void;
use std::path::Path;

use libloading::Library;

use crate::engine::{Edge, Engine, Exchange, Inputs, Record, State, BUFFER};
use crate::sources::Sources;
use crate::{Error, Result};
use cache::{Built, Shelf};

pub(crate) use cache::cache_folder;

/// What one call of the shim reads and writes. `shim.cpp` has the same structure.
#[repr(C)]
struct Batch {
    inputs: Inputs,
    state: State,
    max_cycles: u64,
    ram: *mut u32,
    ram_words: u64,
    log_rx: *const Edge,
    log_rx_length: u64,
    log_rx_taken: u64,
    console_in: *const u8,
    console_in_length: u64,
    console_in_taken: u64,
    log_tx: *mut Edge,
    log_tx_length: u64,
    log_tx_capacity: u64,
    console_out: *mut u8,
    console_out_length: u64,
    console_out_capacity: u64,
    trace: *mut Record,
    trace_length: u64,
    trace_capacity: u64,
    snapshot: *mut u32,
}

type New = unsafe extern "C" fn() -> *mut c_void;
type Free = unsafe extern "C" fn(*mut c_void);
type Run = unsafe extern "C" fn(*mut c_void, *mut Batch);
type Size = unsafe extern "C" fn() -> u64;

/// A board that Verilator compiled.
pub(crate) struct Verilated {
    model: *mut c_void,
    run: Run,
    free: Free,
    ports: usize,
    // After the pointers into it; the temporary folder, if any, goes last.
    _library: Library,
    _built: Built,
}

impl Verilated {
    /// Compiles the design, or takes it from the cache, and powers a board up.
    pub(crate) fn new(sources: &Sources, progress: &mut dyn FnMut(&str)) -> Result<Self> {
        let recipe = build::Recipe::new(sources)?;
        let mut build = |folder: &Path, library: &Path| recipe.build(folder, library, progress);
        match Self::load(
            cache::get(Shelf::Boards, recipe.key(), &mut build)?,
            sources,
        ) {
            // A library that does not load was damaged in the cache: build it once more.
            Err(Error::Load { path, .. }) => {
                cache::discard(&path);
                Self::load(
                    cache::get(Shelf::Boards, recipe.key(), &mut build)?,
                    sources,
                )
            }
            other => other,
        }
    }

    fn load(built: Built, sources: &Sources) -> Result<Self> {
        let path = built.library().to_owned();
        let failed = |details: String| Error::Load {
            path: path.clone(),
            details,
        };
        // SAFETY: the library is the one that `build` made from `shim.cpp`; loading it runs no
        // code but the C++ runtime's own initialisers.
        let library = unsafe { Library::new(&path) }.map_err(|e| failed(e.to_string()))?;
        let (new, free, run, size);
        // SAFETY: the types are those of the functions in `shim.cpp`.
        unsafe {
            new = symbol::<New>(&library, "lookback_board_new", &path)?;
            free = symbol::<Free>(&library, "lookback_board_free", &path)?;
            run = symbol::<Run>(&library, "lookback_board_run", &path)?;
            size = symbol::<Size>(&library, "lookback_batch_size", &path)?;
        }
        // SAFETY: it takes nothing and returns a constant.
        let (theirs, ours) = (unsafe { size() }, std::mem::size_of::<Batch>() as u64);
        if theirs != ours {
            return Err(failed(format!(
                "its batches have {theirs} bytes instead of {ours}"
            )));
        }
        // SAFETY: it takes nothing; the model is freed in `drop`, before the library is closed.
        let model = unsafe { new() };
        Ok(Verilated {
            model,
            run,
            free,
            ports: sources.ports.len(),
            _library: library,
            _built: built,
        })
    }
}

/// # Safety
/// `T` must be the type of the symbol.
pub(crate) unsafe fn symbol<T: Copy>(library: &Library, name: &str, path: &Path) -> Result<T> {
    // SAFETY: the caller vouches for the type.
    let found = unsafe { library.get::<T>(name) };
    found.map(|symbol| *symbol).map_err(|error| Error::Load {
        path: path.to_owned(),
        details: error.to_string(),
    })
}

impl Drop for Verilated {
    fn drop(&mut self) {
        // SAFETY: `model` came from the same library's `new` and is not used afterwards.
        unsafe { (self.free)(self.model) }
    }
}

impl Engine for Verilated {
    fn run(&mut self, exchange: &mut Exchange, max_cycles: u64) {
        exchange.log_tx.reserve(BUFFER);
        exchange.console_out.reserve(BUFFER);
        let trace = match &mut exchange.trace {
            Some(trace) => {
                trace.reserve(BUFFER);
                trace.as_mut_ptr()
            }
            None => std::ptr::null_mut(),
        };
        let trace_length = exchange.trace.as_ref().map_or(0, Vec::len);
        let snapshot = match &mut exchange.snapshot {
            Some(snapshot) => {
                snapshot.resize(self.ports, 0);
                snapshot.as_mut_ptr()
            }
            None => std::ptr::null_mut(),
        };
        let mut batch = Batch {
            inputs: exchange.inputs,
            state: exchange.state,
            max_cycles,
            ram: exchange.ram.as_mut_ptr(),
            ram_words: exchange.ram.len() as u64,
            log_rx: exchange.log_rx.as_ptr(),
            log_rx_length: exchange.log_rx.len() as u64,
            log_rx_taken: 0,
            console_in: exchange.console_in.as_ptr(),
            console_in_length: exchange.console_in.len() as u64,
            console_in_taken: 0,
            log_tx: exchange.log_tx.as_mut_ptr(),
            log_tx_length: exchange.log_tx.len() as u64,
            log_tx_capacity: BUFFER as u64,
            console_out: exchange.console_out.as_mut_ptr(),
            console_out_length: exchange.console_out.len() as u64,
            console_out_capacity: BUFFER as u64,
            trace,
            trace_length: trace_length as u64,
            trace_capacity: BUFFER as u64,
            snapshot,
        };
        // SAFETY: all pointers are to buffers of `exchange`, which lives on, with room for the
        // capacities given; the shim stays within lengths and capacities.
        unsafe { (self.run)(self.model, &mut batch) };
        exchange.state = batch.state;
        // SAFETY: the shim has written all elements up to the new lengths, which are within the
        // capacities that were reserved.
        unsafe {
            exchange.log_tx.set_len(batch.log_tx_length as usize);
            exchange
                .console_out
                .set_len(batch.console_out_length as usize);
            if let Some(trace) = &mut exchange.trace {
                trace.set_len(batch.trace_length as usize);
            }
        }
        exchange.log_rx.drain(..batch.log_rx_taken as usize);
        exchange.console_in.drain(..batch.console_in_taken as usize);
    }
}

#[cfg(test)]
mod tests;

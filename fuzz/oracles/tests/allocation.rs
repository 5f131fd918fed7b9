//! Memory is bounded by what was read: a small file cannot ask for much.

use lookback_fuzz_oracles::mutate::{mutate, Random};
use lookback_fuzz_oracles::{container, elf, frame, seeds};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts what is taken, and the most of it.
struct Counting;

static TAKEN: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is left to the system's allocator; only sizes are added up.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let taken = TAKEN.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(taken, Ordering::Relaxed);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        TAKEN.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What any reader may take for itself, tables included.
const FIXED: usize = 1 << 20;
/// Deflate makes at most 1,032 bytes of one; everything else takes far less.
const FACTOR: usize = 3 * 1032;

fn most_while(check: impl FnOnce()) -> usize {
    let before = TAKEN.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    check();
    MOST.load(Ordering::Relaxed) - before
}

/// One test, so that no other takes memory meanwhile.
#[test]
fn memory_is_bounded_by_the_input() {
    for (name, check) in [
        ("container", container::check as fn(&[u8])),
        ("elf", elf::check),
        ("frame", frame::check),
    ] {
        let seeds = seeds(name).unwrap();
        for n in 0..1500 {
            let mut input = mutate(&seeds, &mut Random::new(n));
            if n % 2 == 0 {
                input.truncate(100);
            }
            let most = most_while(|| check(&input));
            let bound = FIXED + FACTOR * input.len();
            assert!(
                most <= bound,
                "{name}, input {n}: {most} bytes for {}",
                input.len()
            );
        }
    }
    claims();
}

/// Files of 100 bytes or less that claim to be huge.
fn claims() {
    let header = b"LBK\x1a\x01\0\0\0";
    for kind in 1..=8u8 {
        for length in [u32::MAX, 1 << 30, 64 << 20, 60] {
            let mut file = header.to_vec();
            file.extend([kind, 0, 0, 0]);
            file.extend(length.to_le_bytes());
            file.resize(100, 0xff);
            let most = most_while(|| container::check(&file));
            assert!(most <= FIXED, "kind {kind}, length {length}: {most} bytes");
        }
    }
}

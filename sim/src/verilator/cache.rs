//! Where compiled boards are kept: `$XDG_CACHE_HOME/lookback` or `~/.cache/lookback`, one folder
//! a board, named by all that it was made from.
//!
//! A library is built in a folder of its own beside the final one and renamed into place whole, so
//! that processes which build the same board at once do not meet. A checksum lies beside it, because
//! loading a damaged library would end the process. Where the cache cannot be written, the library
//! lives in a temporary folder, as long as its board does.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::{Error, Result};

const LIBRARY: &str = "board.so";
const CHECKSUM: &str = "board.sha256";

/// A library that is ready to be loaded.
pub(super) struct Built {
    library: PathBuf,
    /// Removes the folder when the board is gone.
    _temporary: Option<TempDir>,
}

impl Built {
    pub(super) fn library(&self) -> &Path {
        &self.library
    }
}

/// Makes the library at the second path, with the first for everything between.
pub(super) type Builder<'a> = &'a mut dyn FnMut(&Path, &Path) -> Result<()>;

/// Finds the library of this key in the user's cache folder, or builds it.
pub(super) fn get(key: &str, build: Builder<'_>) -> Result<Built> {
    get_in(cache_folder().as_deref(), key, build)
}

fn get_in(cache: Option<&Path>, key: &str, build: Builder<'_>) -> Result<Built> {
    if let Some(cache) = cache {
        let kept = Built {
            library: cache.join(key).join(LIBRARY),
            _temporary: None,
        };
        if is_whole(&cache.join(key)) {
            return Ok(kept);
        }
        if let Some(work) = work_folder(cache) {
            build_in(&work, build)?;
            if publish(&work, &cache.join(key)) {
                return Ok(kept);
            }
            return Ok(temporary(work));
        }
    }
    let work = tempfile::Builder::new()
        .prefix("lookback-")
        .tempdir()
        .map_err(Error::file(std::env::temp_dir()))?;
    build_in(&work, build)?;
    Ok(temporary(work))
}

/// Removes a library that turned out to be damaged; whether that works shows at the next attempt.
pub(super) fn discard(library: &Path) {
    if let Some(folder) = library.parent() {
        let _ = std::fs::remove_dir_all(folder);
    }
}

fn temporary(work: TempDir) -> Built {
    Built {
        library: work.path().join("done").join(LIBRARY),
        _temporary: Some(work),
    }
}

fn cache_folder() -> Option<PathBuf> {
    let set = |name| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let base = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")))?;
    Some(base.join("lookback"))
}

/// A fresh folder inside the cache, on the same file system, so that renaming is atomic.
fn work_folder(cache: &Path) -> Option<TempDir> {
    std::fs::create_dir_all(cache).ok()?;
    tempfile::Builder::new()
        .prefix(".building-")
        .tempdir_in(cache)
        .ok()
}

fn build_in(work: &TempDir, build: Builder<'_>) -> Result<()> {
    let done = work.path().join("done");
    std::fs::create_dir(&done).map_err(Error::file(&done))?;
    let (library, checksum) = (done.join(LIBRARY), done.join(CHECKSUM));
    build(work.path(), &library)?;
    let sum = checksum_of(&library).map_err(Error::file(&library))?;
    std::fs::write(&checksum, sum).map_err(Error::file(&checksum))
}

fn checksum_of(library: &Path) -> std::io::Result<String> {
    Ok(format!("{:x}\n", Sha256::digest(std::fs::read(library)?)))
}

fn is_whole(folder: &Path) -> bool {
    let wanted = std::fs::read_to_string(folder.join(CHECKSUM));
    let found = checksum_of(&folder.join(LIBRARY));
    matches!((wanted, found), (Ok(wanted), Ok(found)) if wanted == found)
}

/// Moves the finished folder to its name. Another process may have been faster: that is as good.
/// What is there and damaged gives way.
fn publish(work: &TempDir, target: &Path) -> bool {
    let rename = || std::fs::rename(work.path().join("done"), target).is_ok();
    if rename() || is_whole(target) {
        return true;
    }
    discard(&target.join(LIBRARY));
    rename() || is_whole(target)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Stands for Verilator and the compiler.
    fn build(count: &Cell<u32>) -> impl FnMut(&Path, &Path) -> Result<()> + '_ {
        |_, library| {
            count.set(count.get() + 1);
            std::fs::write(library, "library").map_err(Error::file(library))
        }
    }

    fn text(built: &Built) -> String {
        std::fs::read_to_string(built.library()).unwrap()
    }

    #[test]
    fn a_board_is_built_once() {
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path().join("deep/cache");
        let count = Cell::new(0);
        for key in ["a", "b", "a"] {
            let built = get_in(Some(&cache), key, &mut build(&count)).unwrap();
            assert_eq!(text(&built), "library");
        }
        assert_eq!(count.get(), 2);
        discard(&cache.join("a").join(LIBRARY));
        std::fs::write(cache.join("b").join(LIBRARY), "libr").unwrap();
        for key in ["a", "b", "b"] {
            let built = get_in(Some(&cache), key, &mut build(&count)).unwrap();
            assert_eq!(text(&built), "library");
        }
        assert_eq!(count.get(), 4, "a missing and a damaged one");
        let names = std::fs::read_dir(&cache).unwrap();
        assert_eq!(names.count(), 2, "no work folders are left");
    }

    #[test]
    fn the_slower_of_two_builders_takes_the_faster_ones() {
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path();
        let count = Cell::new(0);
        let mut slow = |_: &Path, library: &Path| {
            get_in(Some(cache), "key", &mut build(&count))?;
            std::fs::write(library, "late").map_err(Error::file(library))
        };
        let built = get_in(Some(cache), "key", &mut slow).unwrap();
        assert_eq!(text(&built), "library");
        assert_eq!(std::fs::read_dir(cache).unwrap().count(), 1);
    }

    #[test]
    fn without_a_cache_the_board_lives_in_a_temporary_folder() {
        let folder = tempfile::tempdir().unwrap();
        let blocked = folder.path().join("file");
        std::fs::write(&blocked, "").unwrap();
        for cache in [None, Some(blocked.join("cache"))] {
            let count = Cell::new(0);
            let built = get_in(cache.as_deref(), "key", &mut build(&count)).unwrap();
            let library = built.library().to_owned();
            assert_eq!(text(&built), "library");
            drop(built);
            assert!(!library.exists());
        }
    }

    #[test]
    fn a_failed_build_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let mut fail = |_: &Path, _: &Path| Err(Error::BitClocks);
        assert!(get_in(Some(folder.path()), "key", &mut fail).is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

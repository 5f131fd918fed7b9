//! Where compiled boards and blocks are kept: `$XDG_CACHE_HOME/lookback` or `~/.cache/lookback`, one
//! folder a board, named by all that it was made from, and `blocks` in it for those of the tests.
//!
//! A library is built in a folder of its own beside the final one and renamed into place whole, so
//! that processes which build the same board at once do not meet. A checksum lies beside it, because
//! loading a damaged library would end the process. Where the cache cannot be written, the library
//! lives in a temporary folder, as long as its board does.
//!
//! Every new version of a board is a new folder, so whoever adds one drops those that nobody uses.
//! A folder is moved away before it is deleted: others find it whole or not at all, and a library
//! that is loaded stays loaded. A process that was just about to load it builds it again.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::{Error, Result};

const LIBRARY: &str = "board.so";
const CHECKSUM: &str = "board.sha256";

/// Begins the name of a folder in which a library is built.
const BUILDING: &str = ".building-";
/// Begins the name of a folder that is being deleted.
const DROPPED: &str = ".dropped-";

const HOUR: Duration = Duration::from_secs(60 * 60);
/// A board that was not used for so long is dropped.
const UNUSED: Duration = HOUR.saturating_mul(24 * 30);
/// No build takes so long: its folder was left behind by a process that was killed.
const ABANDONED: Duration = HOUR.saturating_mul(24);

/// A part of the cache with its own limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shelf {
    /// Whole boards, which users run.
    Boards,
    /// Single blocks, which tests run: small, and many.
    Blocks,
}

impl Shelf {
    /// So many libraries are kept, and all that were used within the last hour.
    fn most(self) -> usize {
        match self {
            Shelf::Boards => 32,
            Shelf::Blocks => 256,
        }
    }
}

/// A library that is ready to be loaded.
pub(crate) struct Built {
    library: PathBuf,
    /// Removes the folder when the board is gone.
    _temporary: Option<TempDir>,
}

impl Built {
    pub(crate) fn library(&self) -> &Path {
        &self.library
    }
}

/// Makes the library at the second path, with the first for everything between.
pub(crate) type Builder<'a> = &'a mut dyn FnMut(&Path, &Path) -> Result<()>;

/// Finds the library of this key in the user's cache folder, or builds it.
pub(crate) fn get(shelf: Shelf, key: &str, build: Builder<'_>) -> Result<Built> {
    let folder = cache_folder().map(|folder| match shelf {
        Shelf::Boards => folder,
        Shelf::Blocks => folder.join("blocks"),
    });
    get_in(folder.as_deref(), shelf.most(), key, build)
}

fn get_in(cache: Option<&Path>, most: usize, key: &str, build: Builder<'_>) -> Result<Built> {
    if let Some(cache) = cache {
        let kept = Built {
            library: cache.join(key).join(LIBRARY),
            _temporary: None,
        };
        if is_whole(&cache.join(key)) {
            mark_used(&cache.join(key));
            return Ok(kept);
        }
        if let Some(work) = work_folder(cache) {
            build_in(&work, build)?;
            if publish(&work, &cache.join(key)) {
                prune(cache, most, SystemTime::now());
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
pub(crate) fn discard(library: &Path) {
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

/// The user's cache folder, if there is one.
pub(crate) fn cache_folder() -> Option<PathBuf> {
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
        .prefix(BUILDING)
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

/// Where this does not work, the board is dropped and built again one day.
fn mark_used(folder: &Path) {
    let checksum = File::options().append(true).open(folder.join(CHECKSUM));
    let _ = checksum.and_then(|file| file.set_modified(SystemTime::now()));
}

/// Drops what nobody uses; what cannot be dropped stays.
fn prune(cache: &Path, most: usize, now: SystemTime) {
    let Ok(entries) = std::fs::read_dir(cache) else {
        return;
    };
    let age = |path: &Path| -> Option<Duration> {
        let modified = std::fs::metadata(path).ok()?.modified().ok()?;
        // A time in the future is no reason to drop anything.
        Some(now.duration_since(modified).unwrap_or_default())
    };
    let mut boards = Vec::new();
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with(BUILDING) || name.starts_with(DROPPED) {
            if age(&path).is_some_and(|age| age > ABANDONED) {
                let _ = std::fs::remove_dir_all(&path);
            }
        } else if let Some(age) = age(&path.join(CHECKSUM)) {
            boards.push((age, path));
        }
    }
    boards.sort();
    for (rank, (age, path)) in boards.into_iter().enumerate() {
        if age > UNUSED || rank >= most && age > HOUR {
            drop_board(cache, &path);
        }
    }
}

fn drop_board(cache: &Path, board: &Path) {
    let Ok(grave) = tempfile::Builder::new().prefix(DROPPED).tempdir_in(cache) else {
        return;
    };
    // Deleted with the temporary folder; whoever else drops it at the same time may be faster.
    let _ = std::fs::rename(board, grave.path().join("board"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    const MOST: usize = 32;

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
            let built = get_in(Some(&cache), MOST, key, &mut build(&count)).unwrap();
            assert_eq!(text(&built), "library");
        }
        assert_eq!(count.get(), 2);
        discard(&cache.join("a").join(LIBRARY));
        std::fs::write(cache.join("b").join(LIBRARY), "libr").unwrap();
        for key in ["a", "b", "b"] {
            let built = get_in(Some(&cache), MOST, key, &mut build(&count)).unwrap();
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
            get_in(Some(cache), MOST, "key", &mut build(&count))?;
            std::fs::write(library, "late").map_err(Error::file(library))
        };
        let built = get_in(Some(cache), MOST, "key", &mut slow).unwrap();
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
            let built = get_in(cache.as_deref(), MOST, "key", &mut build(&count)).unwrap();
            let library = built.library().to_owned();
            assert_eq!(text(&built), "library");
            drop(built);
            assert!(!library.exists());
        }
    }

    fn set_age(path: &Path, age: Duration) {
        let file = File::open(path).unwrap();
        file.set_modified(SystemTime::now() - age).unwrap();
    }

    #[test]
    fn what_nobody_uses_is_dropped_by_the_next_build() {
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path();
        let count = Cell::new(0);
        let get = |key: &str| get_in(Some(cache), MOST, key, &mut build(&count)).unwrap();
        for key in ["old", "used", "fresh"] {
            get(key);
        }
        for key in ["old", "used"] {
            set_age(&cache.join(key).join(CHECKSUM), UNUSED + HOUR);
        }
        get("used");
        for name in [".building-left", ".building-now", "not ours"] {
            std::fs::create_dir(cache.join(name)).unwrap();
        }
        set_age(&cache.join(".building-left"), ABANDONED + HOUR);
        set_age(&cache.join("not ours"), UNUSED + HOUR);
        get("new");
        let mut names: Vec<_> = std::fs::read_dir(cache)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, [".building-now", "fresh", "new", "not ours", "used"]);
    }

    #[test]
    fn only_so_many_boards_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path();
        let count = Cell::new(0);
        for n in 0..MOST + 3 {
            let key = format!("{n}");
            get_in(Some(cache), MOST, &key, &mut build(&count)).unwrap();
            // The later ones were used longer ago, the very last ones just now.
            if n < MOST {
                let age = HOUR * (2 + n as u32);
                set_age(&cache.join(&key).join(CHECKSUM), age);
            }
        }
        assert_eq!(std::fs::read_dir(cache).unwrap().count(), MOST);
        for n in 0..MOST + 3 {
            let dropped = (MOST - 3..MOST).contains(&n);
            assert_ne!(cache.join(n.to_string()).exists(), dropped, "{n}");
        }
        // All were used within the hour: none is dropped.
        prune(cache, MOST, SystemTime::now() - HOUR * 100);
        assert_eq!(std::fs::read_dir(cache).unwrap().count(), MOST);
    }

    #[test]
    fn builders_and_pruners_do_not_harm_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for n in 0..50 {
                        let key = format!("{}", n % 5);
                        let count = Cell::new(0);
                        get_in(Some(cache), MOST, &key, &mut build(&count)).unwrap();
                        // As if a long time had passed: everything may go at any moment.
                        prune(cache, MOST, SystemTime::now() + ABANDONED - HOUR);
                        prune(cache, MOST, SystemTime::now() + HOUR);
                    }
                });
            }
            scope.spawn(|| {
                for n in 0..50 {
                    drop_board(cache, &cache.join(format!("{}", n % 5)));
                }
            });
        });
        let left = std::fs::read_dir(cache).unwrap();
        let names = left.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        for name in names {
            assert!(is_whole(&cache.join(&name)), "{name}");
        }
    }

    #[test]
    fn a_failed_build_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let mut fail = |_: &Path, _: &Path| Err(Error::BitClocks);
        assert!(get_in(Some(folder.path()), MOST, "key", &mut fail).is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

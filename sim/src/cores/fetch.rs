//! Where a core's Verilog comes from: a folder that the user names, the cache, or PyPI, once.
//!
//! Nothing of it is in the repository or in the program: its authors' files are used as they are
//! published, in the version that the boards were written for.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::verilator::cache_folder;
use crate::{Error, Result};

/// The variable that names a folder of unpacked packages.
const VARIABLE: &str = "LOOKBACK_CORES";

/// A package on PyPI.
pub(super) struct Package {
    /// What it is called there.
    pub name: &'static str,
    /// The folder in it.
    pub module: &'static str,
    /// The version that is used.
    pub version: &'static str,
}

/// The package's folder, which is fetched if it is nowhere.
pub(super) fn find(package: &Package, progress: &mut dyn FnMut(&str)) -> Result<PathBuf> {
    let given = std::env::var_os(VARIABLE).filter(|folder| !folder.is_empty());
    let cache = cache_folder().map(|cache| cache.join("cores"));
    let python = std::env::var_os("PYTHON").filter(|command| !command.is_empty());
    let python = python.unwrap_or_else(|| "python3".into());
    find_in(
        package,
        given.as_deref().map(Path::new),
        cache.as_deref(),
        &mut |folder| {
            progress(&format!(
                "fetching {} {} from PyPI (once; it is kept in the cache)",
                package.name, package.version
            ));
            install(package, Path::new(&python), folder)
        },
    )
}

fn find_in(
    package: &Package,
    given: Option<&Path>,
    cache: Option<&Path>,
    fetch: &mut dyn FnMut(&Path) -> Result<()>,
) -> Result<PathBuf> {
    if let Some(folder) = given.map(|folder| folder.join(package.module)) {
        if folder.is_dir() {
            return Ok(folder);
        }
    }
    let failed = |details: String| failure(package, details);
    let cache = cache.ok_or_else(|| failed("there is no cache folder: HOME is not set".into()))?;
    let kept = cache.join(format!("{}-{}", package.module, package.version));
    let folder = kept.join(package.module);
    if folder.is_dir() {
        return Ok(folder);
    }
    std::fs::create_dir_all(cache).map_err(Error::file(cache))?;
    // Fetched beside and renamed whole: who comes at the same time finds all of it or nothing.
    let work = tempfile::Builder::new()
        .prefix(".fetching-")
        .tempdir_in(cache)
        .map_err(Error::file(cache))?;
    let fresh = work.path().join("package");
    fetch(&fresh)?;
    if !fresh.join(package.module).is_dir() {
        return Err(failed(format!("it has no folder {}", package.module)));
    }
    match std::fs::rename(&fresh, &kept) {
        Err(error) if !folder.is_dir() => Err(Error::file(&kept)(error)),
        _ => Ok(folder),
    }
}

fn install(package: &Package, python: &Path, into: &Path) -> Result<()> {
    let output = Command::new(python)
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            "--no-compile",
        ])
        .args(["--disable-pip-version-check", "--no-input", "--target"])
        .arg(into)
        .arg(format!("{}=={}", package.name, package.version))
        .output()
        .map_err(|error| failure(package, format!("cannot run {}: {error}", python.display())))?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    Err(failure(
        package,
        format!(
            "`{} -m pip install` failed:\n{}",
            python.display(),
            lines[lines.len().saturating_sub(8)..].join("\n")
        ),
    ))
}

fn failure(package: &Package, details: String) -> Error {
    Error::NoCore {
        package: format!("{} {}", package.name, package.version),
        module: package.module.to_owned(),
        details,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    const PACKAGE: Package = Package {
        name: "a-core",
        module: "a_core",
        version: "1.0",
    };

    #[test]
    fn is_fetched_once() {
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path().join("cores");
        let count = Cell::new(0);
        let mut fetch = |into: &Path| {
            count.set(count.get() + 1);
            std::fs::create_dir_all(into.join("a_core")).map_err(Error::file(into))
        };
        for _ in 0..2 {
            let found = find_in(&PACKAGE, None, Some(&cache), &mut fetch).unwrap();
            assert_eq!(found, cache.join("a_core-1.0/a_core"));
        }
        assert_eq!(count.get(), 1);
        assert_eq!(std::fs::read_dir(&cache).unwrap().count(), 1);
    }

    #[test]
    fn the_users_folder_goes_first() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("a_core")).unwrap();
        let mut fetch = |_: &Path| -> Result<()> { panic!("it is there") };
        let found = find_in(&PACKAGE, Some(folder.path()), None, &mut fetch).unwrap();
        assert_eq!(found, folder.path().join("a_core"));
    }

    #[test]
    fn says_what_to_do_when_it_cannot_be_had() {
        let folder = tempfile::tempdir().unwrap();
        let mut fetch = |into: &Path| install(&PACKAGE, Path::new("no-such-python"), into);
        let error = find_in(&PACKAGE, None, Some(folder.path()), &mut fetch)
            .unwrap_err()
            .to_string();
        for part in ["a-core 1.0", "no-such-python", VARIABLE] {
            assert!(error.contains(part), "{error}");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

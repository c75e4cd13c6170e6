//! A private folder for the engine's compiled modules, gone when the process ends.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

const PREFIX: &str = "stdb-engine-";

pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new() -> io::Result<Self> {
        let parent = std::env::temp_dir();
        remove_orphans(&parent);
        let (process, unique) = (std::process::id(), uuid::Uuid::new_v4().simple());
        let path = parent.join(format!("{PREFIX}{process}-{unique}"));
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self(path))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

/// Removes the folders of engines that were killed and could not do it themselves.
fn remove_orphans(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        if owner(&entry.file_name()).is_some_and(is_dead) {
            fs::remove_dir_all(entry.path()).ok();
        }
    }
}

/// The process that made a folder of this name, if it is one of ours.
fn owner(name: &OsStr) -> Option<libc::pid_t> {
    let (process, unique) = name.to_str()?.strip_prefix(PREFIX)?.split_once('-')?;
    uuid::Uuid::try_parse(unique).ok()?;
    process.parse().ok()
}

fn is_dead(process: libc::pid_t) -> bool {
    // SAFETY: signal 0 is never delivered, it only asks whether the process could get one.
    let asked = unsafe { libc::kill(process, 0) };
    asked == -1 && io::Error::last_os_error().raw_os_error() == Some(libc::ESRCH)
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // The compiler's cache writes from a thread of its own, perhaps while we delete.
        for _ in 0..50 {
            match fs::remove_dir_all(&self.0) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                _ if self.0.exists() => {}
                _ => return,
            }
        }
        log::warn!("could not remove {}", self.0.display());
    }
}

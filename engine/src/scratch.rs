//! A private folder for the engine's compiled modules, gone when the process ends.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new() -> io::Result<Self> {
        let name = format!(
            "stdb-engine-{}-{}",
            std::process::id(),
            uuid::Uuid::new_v4().simple()
        );
        let path = std::env::temp_dir().join(name);
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self(path))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
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

//! Which databases exist, who owns them, what they are called.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use bytes::Bytes;
use stdb::Identity;
use stdb::messages::control_db::Database;

use crate::private::Crowd;

#[derive(Clone)]
pub struct Entry {
    pub database: Database,
    /// The engine's handle of the running instance: a reset database gets a new one.
    pub replica: u64,
    /// The module it was first published with: a reset without a body starts it again.
    pub program: Bytes,
    /// Those inside the engine; a reset database begins without any.
    pub subscribers: Arc<Crowd>,
}

#[derive(Default)]
pub struct Registry {
    databases: HashMap<Identity, Entry>,
    names: BTreeMap<String, Identity>,
    last_id: u64,
}

impl Registry {
    /// A number never given before: databases and replicas share the sequence.
    pub fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    pub fn insert(&mut self, entry: Entry) {
        self.databases
            .insert(entry.database.database_identity, entry);
    }

    pub fn remove(&mut self, database: Identity) {
        self.databases.remove(&database);
        self.names.retain(|_, named| *named != database);
    }

    pub fn get(&self, database: Identity) -> Option<&Entry> {
        self.databases.get(&database)
    }

    pub fn all(&self) -> impl Iterator<Item = &Entry> {
        self.databases.values()
    }

    pub fn named(&self, name: &str) -> Option<Identity> {
        self.names.get(name).copied()
    }

    pub fn names_of(&self, database: Identity) -> Vec<String> {
        let names = self.names.iter().filter(|(_, named)| **named == database);
        names.map(|(name, _)| name.clone()).collect()
    }

    pub fn name(&mut self, name: String, database: Identity) {
        self.names.insert(name, database);
    }

    /// Gives a database these names and no others.
    pub fn rename(&mut self, database: Identity, names: Vec<String>) {
        self.names.retain(|_, named| *named != database);
        self.names
            .extend(names.into_iter().map(|name| (name, database)));
    }
}

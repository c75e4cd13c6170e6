//! The tables of the database.

use spacetimedb::{ScheduleAt, SpacetimeType, table};

use crate::cards::Card;
use crate::play::play;

#[table(accessor = poker_table, public)]
pub struct PokerTable {
    #[primary_key]
    pub id: u64,
    pub small_blind: u64,
    pub big_blind: u64,
    /// Number of the seat that has it.
    pub button: u8,
    pub hands: u64,
}

#[table(accessor = player)]
pub struct Player {
    #[primary_key]
    pub id: u64,
    pub name: String,
    pub buy_in: u64,
    /// What a bot does before the flop: seven positions, 169 starting hands each.
    pub chart: Vec<u8>,
}

#[table(accessor = seat, public)]
pub struct Seat {
    #[primary_key]
    pub id: u64,
    #[index(btree)]
    pub table: u64,
    pub number: u8,
    pub player: u64,
    pub stack: u64,
    /// All chips that the player ever brought to the table.
    pub bought: u64,
}

/// The hand that a table plays, or has just played.
#[table(accessor = hand, public)]
pub struct Hand {
    #[primary_key]
    pub table: u64,
    pub number: u64,
    pub street: Street,
    pub board: Vec<Card>,
    pub pot: u64,
}

#[derive(SpacetimeType, Clone, Copy, PartialEq)]
pub enum Street {
    BeforeFlop,
    Flop,
    Turn,
    River,
    /// Its chips are paid out.
    Over,
}

/// A player's part in the hand, with the name, so that a spectator needs no join.
#[table(accessor = stake, public)]
pub struct Stake {
    #[primary_key]
    pub seat: u64,
    #[index(btree)]
    pub table: u64,
    /// In the order of play: the small blind is 0.
    pub position: u8,
    pub name: String,
    pub put_in: u64,
    pub folded: bool,
    pub won: u64,
}

/// Nobody may read these: what a player may see would be a view of its own.
#[table(accessor = hole_cards)]
pub struct HoleCards {
    #[primary_key]
    pub seat: u64,
    #[index(btree)]
    pub table: u64,
    pub first: Card,
    pub second: Card,
}

/// What is left of the deck after the deal; one row is inserted for each hand.
#[table(accessor = deck)]
pub struct Deck {
    #[primary_key]
    pub table: u64,
    pub cards: Vec<Card>,
}

/// What was done in the hand, the blinds first.
#[table(accessor = action, public)]
pub struct Action {
    #[index(btree)]
    pub table: u64,
    pub number: u32,
    pub seat: u64,
    pub folded: bool,
    pub chips: u64,
}

/// The clock of a table: one row, which every step moves on by `step_us`.
#[table(accessor = timer, scheduled(play))]
pub struct Timer {
    #[primary_key]
    pub table: u64,
    pub scheduled_at: ScheduleAt,
    pub step_us: u64,
}

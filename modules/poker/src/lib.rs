//! Poker tables: no-limit hold'em among eight bots, each table on a clock of its own. `open_tables`
//! is the one transaction that is measured; `play` is the scheduled loop that follows it.

use std::collections::BTreeMap;
use std::time::Duration;

use spacetimedb::{ReducerContext, Table, reducer};

mod betting;
mod bots;
mod cards;
mod play;
mod ranking;
mod rows;

use rows::*;

const SEATS: u8 = 8;
const BIG_BLIND: u64 = 20;
const BUY_IN: u64 = 100 * BIG_BLIND;
/// Steps of a hand that goes to the showdown: four streets and the next deal.
const STEPS: u64 = 5;

/// Makes so many tables, seats eight bots at each, deals the first hands and starts the clocks,
/// all in one transaction: 38 rows and 31 index seeks a table.
#[reducer]
fn open_tables(ctx: &ReducerContext, tables: u64, clock_ms: u64) -> Result<(), String> {
    let first = ctx.db.poker_table().count();
    for id in first..first + tables {
        ctx.db.poker_table().insert(PokerTable {
            id,
            small_blind: BIG_BLIND / 2,
            big_blind: BIG_BLIND,
            button: 0,
            hands: 0,
        });
        for bot in 0..SEATS {
            let player = ctx.db.player().insert(Player {
                id: ctx.db.player().count(),
                name: bots::NAMES[usize::from(bot)].into(),
                buy_in: BUY_IN,
                chart: bots::chart(bot),
            });
            take_seat(ctx, id, player)?;
        }
        play::deal(ctx, id)?;
        start_clock(ctx, id, clock_ms)?;
    }
    Ok(())
}

/// Gives every table another clock, counted from now.
#[reducer]
fn set_clock(ctx: &ReducerContext, clock_ms: u64) -> Result<(), String> {
    (0..ctx.db.poker_table().count()).try_for_each(|id| start_clock(ctx, id, clock_ms))
}

/// Fails when chips were made or lost at any table, or a card is missing or there twice.
#[reducer]
fn audit(ctx: &ReducerContext) -> Result<(), String> {
    let over = |table| {
        ctx.db
            .hand()
            .table()
            .find(table)
            .is_none_or(|hand| hand.street == Street::Over)
    };
    let mut there = BTreeMap::<u64, (u64, u64)>::new();
    for seat in ctx.db.seat().iter() {
        let (have, bought) = there.entry(seat.table).or_default();
        *have += seat.stack;
        *bought += seat.bought;
    }
    for stake in ctx.db.stake().iter().filter(|stake| !over(stake.table)) {
        there.entry(stake.table).or_default().0 += stake.put_in;
    }
    for (table, (have, bought)) in there {
        if have != bought {
            return Err(format!(
                "table {table} has {have} chips of {bought} brought to it"
            ));
        }
    }
    let mut decks = BTreeMap::<u64, Vec<cards::Card>>::new();
    for deck in ctx.db.deck().iter() {
        decks.entry(deck.table).or_default().extend(deck.cards);
    }
    for hole in ctx.db.hole_cards().iter() {
        decks
            .entry(hole.table)
            .or_default()
            .extend([hole.first, hole.second]);
    }
    for (table, mut deck) in decks {
        deck.sort_unstable();
        if !deck.into_iter().eq(0..52) {
            return Err(format!("the cards of table {table} are no deck"));
        }
    }
    Ok(())
}

/// The lowest free seat.
fn take_seat(ctx: &ReducerContext, table: u64, player: Player) -> Result<(), String> {
    ctx.db
        .poker_table()
        .id()
        .find(table)
        .ok_or("no such table")?;
    let taken: Vec<u8> = ctx
        .db
        .seat()
        .table()
        .filter(table)
        .map(|seat| seat.number)
        .collect();
    let number = (0..SEATS)
        .find(|number| !taken.contains(number))
        .ok_or("the table is full")?;
    ctx.db.seat().insert(Seat {
        id: table * u64::from(SEATS) + u64::from(number),
        table,
        number,
        player: player.id,
        stack: player.buy_in,
        bought: player.buy_in,
    });
    Ok(())
}

/// The first step comes at a random time of the first hand, so that tables do not all step at once.
fn start_clock(ctx: &ReducerContext, table: u64, clock_ms: u64) -> Result<(), String> {
    if clock_ms < STEPS {
        return Err(format!(
            "a clock of {clock_ms} ms is too short: it has {STEPS} steps"
        ));
    }
    let step_us = clock_ms * 1000 / STEPS;
    let first_us = step_us + play::random(ctx, table).below(step_us * STEPS);
    let scheduled_at = (ctx.timestamp + Duration::from_micros(first_us)).into();
    let timer = Timer {
        table,
        scheduled_at,
        step_us,
    };
    let timers = ctx.db.timer().table();
    match timers.find(table) {
        Some(_) => timers.update(timer),
        None => ctx.db.timer().insert(timer),
    };
    Ok(())
}

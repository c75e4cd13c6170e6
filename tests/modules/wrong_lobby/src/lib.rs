//! The lobby gone wrong: it looks one thing up twice, so each room costs five seeks, not four. The
//! ledger must notice.

use spacetimedb::{Identity, ReducerContext, Table, ViewContext, reducer, table, view};

#[table(accessor = room)]
#[derive(Clone)]
pub struct Room {
    #[primary_key]
    id: u64,
    pot: u64,
}

#[table(accessor = seating)]
pub struct Seating {
    #[primary_key]
    room: u64,
    taken: u32,
}

#[table(accessor = practice_room)]
pub struct PracticeRoom {
    #[primary_key]
    owner: Identity,
    pot: u64,
}

/// Four finds are declared: the room, its host, its stakes, its seating. Here are five.
#[view(accessor = active_game_per_sender, public)]
fn active_game_per_sender(ctx: &ViewContext) -> Vec<Room> {
    let practice = ctx.db.practice_room().owner().find(ctx.sender());
    let first = practice.map(|own| Room {
        id: u64::MAX,
        pot: own.pot,
    });
    let seats = |id: u64| ctx.db.seating().room().find(id).map(|seat| seat.taken);
    (0..ctx.db.room().count())
        .filter(|id| (0..4).all(|_| seats(*id).is_some()))
        .filter_map(|id| ctx.db.room().id().find(id))
        .chain(first)
        .collect()
}

#[reducer]
fn seed_rooms(ctx: &ReducerContext, n: u64) {
    for id in 0..n {
        ctx.db.room().insert(Room { id, pot: 0 });
        ctx.db.seating().insert(Seating { room: id, taken: 3 });
    }
}

#[reducer]
fn settle_street(ctx: &ReducerContext, room: u64) -> Result<(), String> {
    let rooms = ctx.db.room().id();
    let mut changed = rooms.find(room).ok_or_else(|| format!("no room {room}"))?;
    changed.pot += 10;
    rooms.update(changed);
    Ok(())
}

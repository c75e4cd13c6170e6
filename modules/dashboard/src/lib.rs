//! What dashboards look at: every room, one row of totals that the reducer keeps, and a per-sender
//! view of the rooms. One write, `settle_hand`, changes one room and the totals.

use spacetimedb::{ReducerContext, Table, ViewContext, reducer, table, view};

#[table(accessor = room, public)]
pub struct Room {
    #[primary_key]
    id: u64,
    pot: u64,
    hands: u64,
}

/// The aggregates a dashboard shows. One row, whose id is 0.
#[table(accessor = totals, public)]
pub struct Totals {
    #[primary_key]
    id: u8,
    rooms: u64,
    pot: u64,
    hands: u64,
}

/// One seek a room, for every dashboard that subscribes, on every write.
#[view(accessor = rooms_per_sender, public)]
fn rooms_per_sender(ctx: &ViewContext) -> Vec<Room> {
    (0..ctx.db.room().count())
        .filter_map(|id| ctx.db.room().id().find(id))
        .collect()
}

/// Makes the rooms 0..n, keeping those that exist, and counts them.
#[reducer]
fn seed_rooms(ctx: &ReducerContext, n: u64) {
    for id in ctx.db.room().count()..n {
        ctx.db.room().insert(Room {
            id,
            pot: 0,
            hands: 0,
        });
    }
    let rooms = ctx.db.room().count();
    let totals = ctx.db.totals().id();
    match totals.find(0) {
        Some(all) => totals.update(Totals { rooms, ..all }),
        None => ctx.db.totals().insert(Totals {
            id: 0,
            rooms,
            pot: 0,
            hands: 0,
        }),
    };
}

/// The write that is measured: two finds, two updates. Room and totals differ after every call.
#[reducer]
fn settle_hand(ctx: &ReducerContext, room: u64) -> Result<(), String> {
    let rooms = ctx.db.room().id();
    let mut settled = rooms.find(room).ok_or_else(|| format!("no room {room}"))?;
    settled.pot += 10;
    settled.hands += 1;
    rooms.update(settled);
    let totals = ctx.db.totals().id();
    let mut all = totals.find(0).ok_or("no rooms are seeded")?;
    all.pot += 10;
    all.hands += 1;
    totals.update(all);
    Ok(())
}

//! A poker lobby: rooms in play, shown by one view in several designs (per-sender, anonymous,
//! query-builder, parameterized, projection). One write, `settle_street`, changes one room; what
//! it costs is what the lobby is measured for.

use spacetimedb::{
    AnonymousViewContext, Identity, LocalReadOnly, Query, ReducerContext, Table, ViewContext,
    reducer, table, view,
};

#[table(accessor = room)]
pub struct Room {
    #[primary_key]
    id: u64,
    listed: bool,
    street: u32,
    pot: u64,
}

#[table(accessor = host)]
pub struct Host {
    #[primary_key]
    room: u64,
    name: String,
}

#[table(accessor = stakes)]
pub struct Stakes {
    #[primary_key]
    room: u64,
    small_blind: u32,
    big_blind: u32,
}

#[table(accessor = seating)]
pub struct Seating {
    #[primary_key]
    room: u64,
    taken: u32,
    capacity: u32,
}

/// A room as the lobby shows it: the row of the views, and of the table that replaces them.
#[table(accessor = lobby_projection, public)]
pub struct ActiveGame {
    #[primary_key]
    room: u64,
    host: String,
    big_blind: u32,
    taken: u32,
    street: u32,
    pot: u64,
}

/// A room that only its owner sees.
#[table(accessor = practice_room)]
pub struct PracticeRoom {
    #[primary_key]
    owner: Identity,
    game: ActiveGame,
}

/// Practice rooms are numbered from here, far above the rooms.
const FIRST_PRACTICE_ROOM: u64 = 1 << 32;

/// Four seeks.
fn active_game(db: &LocalReadOnly, id: u64) -> Option<ActiveGame> {
    let room = db.room().id().find(id).filter(|room| room.listed)?;
    let host = db.host().room().find(id)?;
    let stakes = db.stakes().room().find(id)?;
    let seating = db.seating().room().find(id)?;
    Some(ActiveGame {
        room: id,
        host: host.name,
        big_blind: stakes.big_blind,
        taken: seating.taken,
        street: room.street,
        pot: room.pot,
    })
}

/// The body both lobby views share: four seeks a room.
fn active_games(db: &LocalReadOnly) -> Vec<ActiveGame> {
    (0..db.room().count())
        .filter_map(|id| active_game(db, id))
        .collect()
}

/// Re-run for every connected identity on every write to a room.
#[view(accessor = active_game_per_sender, public)]
fn active_game_per_sender(ctx: &ViewContext) -> Vec<ActiveGame> {
    let mut games = active_games(&ctx.db);
    games.extend(my_practice_room(ctx));
    games
}

/// Re-run once per write, however many clients watch it.
#[view(accessor = active_game_anonymous, public)]
fn active_game_anonymous(ctx: &AnonymousViewContext) -> Vec<ActiveGame> {
    active_games(&ctx.db)
}

/// One instance for each room that somebody watches; a write wakes that of its own room.
#[view(accessor = active_game_in_room, public)]
fn active_game_in_room(ctx: &AnonymousViewContext, room: u64) -> Option<ActiveGame> {
    active_game(&ctx.db, room)
}

/// A query is all this returns: the engine runs it, anew for every client on every write.
#[view(accessor = listed_room_query_per_sender, public)]
fn listed_room_query_per_sender(ctx: &ViewContext) -> impl Query<Room> {
    ctx.from.room().filter(|room| room.listed.eq(true))
}

/// The same query, run anew once per write.
#[view(accessor = listed_room_query_anonymous, public)]
fn listed_room_query_anonymous(ctx: &AnonymousViewContext) -> impl Query<Room> {
    ctx.from.room().filter(|room| room.listed.eq(true))
}

/// The personal part of the lobby: one seek, and no write to a room wakes it.
#[view(accessor = my_practice_room, public)]
fn my_practice_room(ctx: &ViewContext) -> Option<ActiveGame> {
    let practice = ctx.db.practice_room().owner().find(ctx.sender())?;
    Some(practice.game)
}

/// Makes the rooms 0..n, keeping those that exist.
#[reducer]
fn seed_rooms(ctx: &ReducerContext, n: u64) {
    let reader = ctx.as_anonymous_read_only();
    for id in ctx.db.room().count()..n {
        ctx.db.room().insert(Room {
            id,
            listed: true,
            street: 0,
            pot: 0,
        });
        ctx.db.host().insert(Host {
            room: id,
            name: format!("host-{id}"),
        });
        ctx.db.stakes().insert(Stakes {
            room: id,
            small_blind: 1,
            big_blind: 2,
        });
        ctx.db.seating().insert(Seating {
            room: id,
            taken: 3,
            capacity: 6,
        });
        if let Some(game) = active_game(&reader.db, id) {
            ctx.db.lobby_projection().insert(game);
        }
    }
}

/// Opens the caller's practice room.
#[reducer]
fn open_practice_room(ctx: &ReducerContext) -> Result<(), String> {
    let rooms = ctx.db.practice_room();
    let game = ActiveGame {
        room: FIRST_PRACTICE_ROOM + rooms.count(),
        host: "practice".into(),
        big_blind: 2,
        taken: 1,
        street: 0,
        pot: 0,
    };
    let owner = ctx.sender();
    rooms.try_insert(PracticeRoom { owner, game })?;
    Ok(())
}

/// One find, one update. The pot grows, so the room differs after every call.
fn advance(ctx: &ReducerContext, id: u64) -> Result<Room, String> {
    let rooms = ctx.db.room().id();
    let mut room = rooms.find(id).ok_or_else(|| format!("no room {id}"))?;
    room.street = (room.street + 1) % 4;
    room.pot += 10;
    Ok(rooms.update(room))
}

/// The write that is measured.
#[reducer]
fn settle_street(ctx: &ReducerContext, room: u64) -> Result<(), String> {
    advance(ctx, room).map(drop)
}

/// The same write, which keeps the projection up to date itself: no view to run.
#[reducer]
fn settle_street_projected(ctx: &ReducerContext, room: u64) -> Result<(), String> {
    let Room { street, pot, .. } = advance(ctx, room)?;
    let games = ctx.db.lobby_projection().room();
    let game = games.find(room).ok_or_else(|| format!("no room {room}"))?;
    games.update(ActiveGame {
        street,
        pot,
        ..game
    });
    Ok(())
}

//! A tournament: two views of the whole field that never ask who is looking, in three designs
//! (per-sender, anonymous, projection). One write, `settle_hand`, changes one entrant's row in
//! both.

use spacetimedb::{
    AnonymousViewContext, LocalReadOnly, ReducerContext, Table, ViewContext, reducer, table, view,
};

/// The one tournament that is played.
const TOURNAMENT: u32 = 1;

#[table(accessor = entrant)]
#[derive(Clone)]
pub struct Entrant {
    #[primary_key]
    id: u64,
    #[index(btree)]
    tournament: u32,
    name: String,
    chips: u64,
    hands: u32,
}

/// Who has how many chips: the row of the views, and of the table that replaces them.
#[table(accessor = standings_projection, public)]
pub struct Standing {
    #[primary_key]
    entrant: u64,
    name: String,
    chips: u64,
}

/// Who sits where and has played how many hands: likewise.
#[table(accessor = field_projection, public)]
pub struct FieldEntry {
    #[primary_key]
    entrant: u64,
    name: String,
    table_number: u64,
    hands: u32,
}

impl From<Entrant> for Standing {
    fn from(entrant: Entrant) -> Self {
        Self {
            entrant: entrant.id,
            name: entrant.name,
            chips: entrant.chips,
        }
    }
}

impl From<Entrant> for FieldEntry {
    fn from(entrant: Entrant) -> Self {
        Self {
            entrant: entrant.id,
            name: entrant.name,
            table_number: entrant.id / 9,
            hands: entrant.hands,
        }
    }
}

/// The body all four views share: one seek, one row scanned per entrant.
fn entrants<Row: From<Entrant>>(db: &LocalReadOnly) -> Vec<Row> {
    let field = db.entrant().tournament().filter(TOURNAMENT);
    field.map(Row::from).collect()
}

#[view(accessor = standings_per_sender, public)]
fn standings_per_sender(ctx: &ViewContext) -> Vec<Standing> {
    entrants(&ctx.db)
}

#[view(accessor = field_per_sender, public)]
fn field_per_sender(ctx: &ViewContext) -> Vec<FieldEntry> {
    entrants(&ctx.db)
}

#[view(accessor = standings_anonymous, public)]
fn standings_anonymous(ctx: &AnonymousViewContext) -> Vec<Standing> {
    entrants(&ctx.db)
}

#[view(accessor = field_anonymous, public)]
fn field_anonymous(ctx: &AnonymousViewContext) -> Vec<FieldEntry> {
    entrants(&ctx.db)
}

/// Makes the entrants 0..n, keeping those that exist.
#[reducer]
fn seed_entrants(ctx: &ReducerContext, n: u64) {
    for id in ctx.db.entrant().count()..n {
        let entrant = Entrant {
            id,
            tournament: TOURNAMENT,
            name: format!("player-{id}"),
            chips: 10_000,
            hands: 0,
        };
        ctx.db.standings_projection().insert(entrant.clone().into());
        ctx.db.field_projection().insert(entrant.clone().into());
        ctx.db.entrant().insert(entrant);
    }
}

/// One find, one update. Chips and hands grow, so both rows of the entrant differ after every call.
fn play(ctx: &ReducerContext, id: u64) -> Result<Entrant, String> {
    let entrants = ctx.db.entrant().id();
    let mut entrant = entrants
        .find(id)
        .ok_or_else(|| format!("no entrant {id}"))?;
    entrant.chips += 10;
    entrant.hands += 1;
    Ok(entrants.update(entrant))
}

/// The write that is measured.
#[reducer]
fn settle_hand(ctx: &ReducerContext, entrant: u64) -> Result<(), String> {
    play(ctx, entrant).map(drop)
}

/// The same write, which keeps both projections up to date itself: no view to run.
#[reducer]
fn settle_hand_projected(ctx: &ReducerContext, entrant: u64) -> Result<(), String> {
    let entrant = play(ctx, entrant)?;
    let standings = ctx.db.standings_projection().entrant();
    standings.update(entrant.clone().into());
    ctx.db.field_projection().entrant().update(entrant.into());
    Ok(())
}

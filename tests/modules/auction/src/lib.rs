//! An auction house, as somebody who has never seen stdb-sweep would write it: listings, watch
//! lists, and a front page that every player sees.

use spacetimedb::{
    AnonymousViewContext, Identity, Query, ReducerContext, SpacetimeType, Table, ViewContext,
    reducer, table, view,
};

const CATEGORIES: u32 = 4;

#[table(accessor = listing, public)]
#[derive(Clone)]
pub struct Listing {
    #[primary_key]
    id: u32,
    #[index(btree)]
    category: u32,
    title: String,
    price: u64,
    last_note: Option<String>,
}

#[table(accessor = watch)]
pub struct Watch {
    #[primary_key]
    #[auto_inc]
    id: u64,
    #[index(btree)]
    who: Identity,
    listing: u32,
}

#[derive(SpacetimeType)]
pub enum Currency {
    Silver,
    Gold,
}

#[derive(SpacetimeType)]
pub struct Offer {
    raise: u32,
    currency: Currency,
}

/// The front page. It takes a caller and never asks who that is.
#[view(accessor = front_page, public)]
fn front_page(ctx: &ViewContext) -> Vec<Listing> {
    (0..CATEGORIES)
        .flat_map(|category| ctx.db.listing().category().filter(category))
        .collect()
}

/// The same page for everybody.
#[view(accessor = front_page_shared, public)]
fn front_page_shared(ctx: &AnonymousViewContext) -> Vec<Listing> {
    (0..CATEGORIES)
        .flat_map(|category| ctx.db.listing().category().filter(category))
        .collect()
}

#[view(accessor = one_category, public)]
fn one_category(ctx: &AnonymousViewContext, category: u32) -> Vec<Listing> {
    ctx.db.listing().category().filter(category).collect()
}

#[view(accessor = bargains, public)]
fn bargains(ctx: &AnonymousViewContext) -> impl Query<Listing> {
    ctx.from
        .listing()
        .filter(|listing| listing.price.lt(1_000_000u64))
}

/// What the caller watches.
#[view(accessor = my_watch_list, public)]
fn my_watch_list(ctx: &ViewContext) -> Vec<Listing> {
    let watched = ctx.db.watch().who().filter(ctx.sender());
    watched
        .filter_map(|watch| ctx.db.listing().id().find(watch.listing))
        .collect()
}

#[reducer]
fn stock(ctx: &ReducerContext, n: u32) {
    for id in 0..n {
        ctx.db.listing().insert(Listing {
            id,
            category: id % CATEGORIES,
            title: format!("lot {id}"),
            price: 100,
            last_note: None,
        });
    }
}

#[reducer]
fn watch_lot(ctx: &ReducerContext, listing: u32) {
    let who = ctx.sender();
    ctx.db.watch().insert(Watch {
        id: 0,
        who,
        listing,
    });
}

#[reducer]
fn bid(ctx: &ReducerContext, lot: u32, offer: Offer, note: Option<String>) -> Result<(), String> {
    let listings = ctx.db.listing().id();
    let mut listing = listings.find(lot).ok_or_else(|| format!("no lot {lot}"))?;
    let worth = match offer.currency {
        Currency::Silver => 1,
        Currency::Gold => 100,
    };
    listing.price += u64::from(offer.raise) * worth;
    listing.last_note = note;
    listings.update(listing);
    Ok(())
}

//! How a table plays: a step at every tick of its clock.

use std::time::Duration;

use spacetimedb::{ReducerContext, ScheduleAt, Table, reducer};

use crate::betting::{Part, live, payouts, round};
use crate::bots::{after_flop, before_flop};
use crate::cards::{Card, Random, shuffled};
use crate::ranking::strength;
use crate::rows::*;

/// One step of one table: a betting round and the next street, or the next hand.
#[reducer]
pub fn play(ctx: &ReducerContext, timer: Timer) -> Result<(), String> {
    let table = timer.table;
    wind(ctx, timer);
    let hand = ctx.db.hand().table().find(table).ok_or("no hand")?;
    if hand.street == Street::Over {
        clear(ctx, table);
        return deal(ctx, table);
    }
    play_street(ctx, hand)
}

/// Counts from the time that was set, so that the clock keeps its pace; a step that comes a whole
/// step late is not made up for.
fn wind(ctx: &ReducerContext, timer: Timer) {
    let step = Duration::from_micros(timer.step_us);
    let next = match timer.scheduled_at {
        ScheduleAt::Time(set) if set + step > ctx.timestamp => set + step,
        _ => ctx.timestamp + step,
    };
    let scheduled_at = next.into();
    ctx.db.timer().table().update(Timer {
        scheduled_at,
        ..timer
    });
}

/// Deals a hand and posts the blinds. Who cannot pay the big blind buys in again.
pub fn deal(ctx: &ReducerContext, table: u64) -> Result<(), String> {
    let tables = ctx.db.poker_table().id();
    let mut at = tables.find(table).ok_or("no such table")?;
    let mut seats: Vec<Seat> = ctx.db.seat().table().filter(table).collect();
    let count = seats.len() as u8;
    at.button = (at.button + 1) % count;
    at.hands += 1;
    // The small blind sits to the left of the button.
    seats.sort_unstable_by_key(|seat| (count + seat.number - at.button - 1) % count);
    let mut cards = shuffled(&mut random(ctx, table));
    let blinds = [seats[0].id, seats[1].id];
    for (position, mut seat) in (0..).zip(seats) {
        let player = ctx.db.player().id().find(seat.player).ok_or("no player")?;
        if let (Some(first), Some(second)) = (cards.pop(), cards.pop()) {
            ctx.db.hole_cards().insert(HoleCards {
                seat: seat.id,
                table,
                first,
                second,
            });
        }
        ctx.db.stake().insert(Stake {
            seat: seat.id,
            table,
            position,
            name: player.name,
            put_in: 0,
            folded: false,
            won: 0,
        });
        if seat.stack < at.big_blind {
            seat.stack += player.buy_in;
            seat.bought += player.buy_in;
            ctx.db.seat().id().update(seat);
        }
    }
    ctx.db.deck().insert(Deck { table, cards });
    for (number, (seat, chips)) in (0..).zip(blinds.into_iter().zip([at.small_blind, at.big_blind]))
    {
        act(
            ctx,
            Action {
                table,
                number,
                seat,
                folded: false,
                chips,
            },
        )?;
    }
    ctx.db.hand().insert(Hand {
        table,
        number: at.hands,
        street: Street::BeforeFlop,
        board: Vec::new(),
        pot: at.small_blind + at.big_blind,
    });
    tables.update(at);
    Ok(())
}

/// Chips go from the seat to the stake, or the player is out of the hand; either is logged.
fn act(ctx: &ReducerContext, action: Action) -> Result<(), String> {
    let (stakes, seats) = (ctx.db.stake().seat(), ctx.db.seat().id());
    let mut stake = stakes.find(action.seat).ok_or("no stake")?;
    let mut seat = seats.find(action.seat).ok_or("no seat")?;
    seat.stack = seat
        .stack
        .checked_sub(action.chips)
        .ok_or("more than the stack")?;
    stake.put_in += action.chips;
    stake.folded |= action.folded;
    stakes.update(stake);
    seats.update(seat);
    ctx.db.action().insert(action);
    Ok(())
}

/// A player dealt in, as the step began.
struct DealtIn {
    seat: Seat,
    stake: Stake,
    hole: [Card; 2],
}

fn play_street(ctx: &ReducerContext, mut hand: Hand) -> Result<(), String> {
    let table = hand.table;
    let dealt = dealt_in(ctx, table)?;
    let part = |at: &DealtIn| Part {
        stack: at.seat.stack,
        put_in: at.stake.put_in,
        bet: 0,
        folded: at.stake.folded,
    };
    let mut parts: Vec<Part> = dealt.iter().map(part).collect();
    bet(ctx, &hand, &dealt, &mut parts)?;
    hand.pot = parts.iter().map(|part| part.put_in).sum();
    if live(&parts) == 1 || hand.street == Street::River {
        pay(ctx, &hand, &dealt, &parts)?;
        hand.street = Street::Over;
    } else {
        let deck = ctx.db.deck().table().find(table).ok_or("no deck")?;
        let (street, shown) = match hand.street {
            Street::BeforeFlop => (Street::Flop, 3),
            Street::Flop => (Street::Turn, 4),
            _ => (Street::River, 5),
        };
        hand.street = street;
        hand.board = deck.cards[..shown].to_vec();
    }
    ctx.db.hand().table().update(hand);
    Ok(())
}

fn dealt_in(ctx: &ReducerContext, table: u64) -> Result<Vec<DealtIn>, String> {
    let mut stakes: Vec<Stake> = ctx.db.stake().table().filter(table).collect();
    stakes.sort_unstable_by_key(|stake| stake.position);
    let dealt = stakes.into_iter().map(|stake| {
        let seat = ctx.db.seat().id().find(stake.seat).ok_or("no seat")?;
        let hole = ctx
            .db
            .hole_cards()
            .seat()
            .find(stake.seat)
            .ok_or("no cards")?;
        let hole = [hole.first, hole.second];
        Ok(DealtIn { seat, stake, hole })
    });
    dealt.collect()
}

/// One betting round among bots.
fn bet(
    ctx: &ReducerContext,
    hand: &Hand,
    dealt: &[DealtIn],
    parts: &mut [Part],
) -> Result<(), String> {
    let at = ctx
        .db
        .poker_table()
        .id()
        .find(hand.table)
        .ok_or("no such table")?;
    let mut random = random(ctx, hand.table);
    let done = if hand.street == Street::BeforeFlop {
        let chart = |at: &DealtIn| {
            ctx.db
                .player()
                .id()
                .find(at.seat.player)
                .map(|player| player.chart)
        };
        let charts: Vec<_> = dealt
            .iter()
            .map(chart)
            .collect::<Option<_>>()
            .ok_or("no player")?;
        for part in parts.iter_mut() {
            part.bet = part.put_in;
        }
        // The blinds have acted already.
        round(parts, 2, at.big_blind, |part, spot| {
            before_flop(&charts[part], part, dealt.len(), dealt[part].hole, spot)
        })
    } else {
        round(parts, 0, at.big_blind, |part, spot| {
            after_flop(dealt[part].hole, &hand.board, spot, &mut random)
        })
    };
    let said = ctx.db.action().table().filter(hand.table).count() as u32;
    for (number, done) in (said..).zip(done) {
        let seat = dealt[done.part].seat.id;
        let (folded, chips) = (done.folded, done.chips);
        act(
            ctx,
            Action {
                table: hand.table,
                number,
                seat,
                folded,
                chips,
            },
        )?;
    }
    Ok(())
}

/// The showdown, or what the last player left takes without one.
fn pay(ctx: &ReducerContext, hand: &Hand, dealt: &[DealtIn], parts: &[Part]) -> Result<(), String> {
    let (stakes, seats) = (ctx.db.stake().seat(), ctx.db.seat().id());
    let strengths: Vec<u32> = dealt
        .iter()
        .map(|at| strength(&[&hand.board[..], &at.hole].concat()))
        .collect();
    for (at, won) in dealt.iter().zip(payouts(parts, &strengths)) {
        if won > 0 {
            let mut seat = seats.find(at.seat.id).ok_or("no seat")?;
            let mut stake = stakes.find(at.seat.id).ok_or("no stake")?;
            seat.stack += won;
            stake.won = won;
            seats.update(seat);
            stakes.update(stake);
        }
    }
    Ok(())
}

/// A finished hand goes when the next one is dealt.
fn clear(ctx: &ReducerContext, table: u64) {
    ctx.db.hand().table().delete(table);
    ctx.db.deck().table().delete(table);
    ctx.db.stake().table().delete(table);
    ctx.db.hole_cards().table().delete(table);
    ctx.db.action().table().delete(table);
}

/// Tables step at the same microsecond, so the table's number is part of the seed.
pub fn random(ctx: &ReducerContext, table: u64) -> Random {
    Random::new(ctx.timestamp.to_micros_since_unix_epoch() as u64 ^ table << 48)
}

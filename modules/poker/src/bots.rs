//! Bots: before the flop each plays by a chart of its own, afterwards by what it holds.

use crate::betting::{Move, Spot};
use crate::cards::{Card, Random, rank, suit};
use crate::ranking::{PAIR, TWO_PAIR, category, strength};

pub const NAMES: [&str; 8] = ["Ada", "Bo", "Cleo", "Dov", "Ewa", "Finn", "Gus", "Hana"];

/// Early (two seats), middle, hijack, cutoff, button, small blind, big blind.
const POSITIONS: usize = 7;
const HANDS: usize = 13 * 13;

const FOLD: u8 = 0;
const CALL: u8 = 1;
const RAISE: u8 = 2;

/// What a bot does with each of the 169 starting hands in each of seven positions. The looser the
/// bot and the later its position, the more hands it plays.
pub fn chart(bot: u8) -> Vec<u8> {
    let mut chart = Vec::with_capacity(POSITIONS * HANDS);
    for position in 0..POSITIONS as u8 {
        for at in 0..HANDS as u8 {
            let (row, column) = (at / 13, at % 13);
            let (high, low) = (row.max(column), row.min(column));
            let mut score = high + low;
            score += if high == low {
                12
            } else {
                4u8.saturating_sub(high - low)
            };
            // Suited hands lie above the diagonal of the chart, row by row.
            score += if column > row { 3 } else { 0 };
            chart.push(match score + position {
                score if score + bot / 2 >= 29 => RAISE,
                score if score + bot >= 18 => CALL,
                _ => FOLD,
            });
        }
    }
    chart
}

/// `part` in the order of play, the small blind first, of `parts` that were dealt in.
pub fn before_flop(chart: &[u8], part: usize, parts: usize, hole: [Card; 2], spot: &Spot) -> Move {
    let position = match part {
        0 | 1 => POSITIONS - 2 + part,
        // Counted from the button, which plays last.
        _ => (POSITIONS - 3).saturating_sub(parts - 1 - part),
    };
    let [a, b] = hole;
    let (high, low) = (rank(a).max(rank(b)), rank(a).min(rank(b)));
    let suited = suit(a) == suit(b);
    let (row, column) = if suited { (low, high) } else { (high, low) };
    match chart[position * HANDS + usize::from(row * 13 + column)] {
        RAISE if spot.raises < 2 => Move::RaiseTo(spot.highest * 3),
        FOLD => Move::Fold,
        // A marginal hand is not worth a large raise.
        CALL if spot.raises > 1 => Move::Fold,
        _ => Move::Call,
    }
}

/// Bets and raises with two pair or better, calls with a pair, and now and then bluffs or calls
/// with nothing. What the board alone makes does not count.
pub fn after_flop(hole: [Card; 2], board: &[Card], spot: &Spot, random: &mut Random) -> Move {
    let cards = [board, &hole].concat();
    let (ours, boards) = (category(strength(&cards)), category(strength(board)));
    let made = if ours > boards { ours } else { 0 };
    let half_pot = Move::RaiseTo(spot.highest + spot.pot / 2);
    match made {
        TWO_PAIR.. if spot.raises < 3 && random.below(3) > 0 => half_pot,
        TWO_PAIR.. => Move::Call,
        PAIR if spot.to_call == 0 && random.below(2) == 0 => half_pot,
        PAIR if spot.to_call <= spot.pot / 2 => Move::Call,
        _ if spot.to_call == 0 && random.below(12) == 0 => half_pot,
        _ if random.below(8) == 0 => Move::Call,
        _ => Move::Fold,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::betting::{Part, live, payouts, round};
    use crate::cards::shuffled;

    const PLAYERS: usize = 8;
    const BIG_BLIND: u64 = 20;

    /// Plays a hand to its end; returns the number of betting rounds it had.
    fn hand(stacks: &mut [u64], charts: &[Vec<u8>], random: &mut Random) -> usize {
        let deck = shuffled(random);
        let (board, holes) = (&deck[..5], deck[5..].as_chunks::<2>().0);
        let part = |&stack: &u64| Part {
            stack,
            put_in: 0,
            bet: 0,
            folded: false,
        };
        let mut parts: Vec<Part> = stacks.iter().map(part).collect();
        parts[0].put(BIG_BLIND / 2);
        parts[1].put(BIG_BLIND);
        let brought: u64 = stacks.iter().sum();
        let mut rounds = 0;
        for shown in [0, 3, 4, 5] {
            rounds += 1;
            let first = if shown == 0 { 2 } else { 0 };
            round(&mut parts, first, BIG_BLIND, |part, spot| match shown {
                0 => before_flop(&charts[part], part, PLAYERS, holes[part], spot),
                _ => after_flop(holes[part], &board[..shown], spot, random),
            });
            let there: u64 = parts.iter().map(|part| part.stack + part.put_in).sum();
            assert_eq!(there, brought);
            if live(&parts) == 1 {
                break;
            }
        }
        let strength_of = |hole: &[Card; 2]| strength(&[board, hole].concat());
        let strengths: Vec<u32> = holes[..PLAYERS].iter().map(strength_of).collect();
        for ((stack, part), won) in stacks
            .iter_mut()
            .zip(&parts)
            .zip(payouts(&parts, &strengths))
        {
            *stack = part.stack + won;
        }
        assert_eq!(stacks.iter().sum::<u64>(), brought);
        rounds
    }

    #[test]
    fn no_chip_is_made_or_lost_in_ten_thousand_hands() {
        let mut random = Random::new(1);
        let mut charts: Vec<Vec<u8>> = (0..PLAYERS as u8).map(chart).collect();
        let mut stacks = [100 * BIG_BLIND; PLAYERS];
        let mut ends = [0; 5];
        for _ in 0..10_000 {
            ends[hand(&mut stacks, &charts, &mut random)] += 1;
            stacks.rotate_left(1);
            charts.rotate_left(1);
            for stack in stacks.iter_mut().filter(|stack| **stack < BIG_BLIND) {
                *stack += 100 * BIG_BLIND;
            }
        }
        println!("{ends:?} {stacks:?}");
        assert!(
            ends[1..].iter().all(|&hands| hands > 0),
            "hands end on every street: {ends:?}"
        );
    }

    #[test]
    fn better_hands_and_later_positions_and_looser_bots_play_more() {
        let played = |bot, position: usize| {
            let chart = chart(bot);
            let hands = &chart[position * HANDS..][..HANDS];
            hands.iter().filter(|&&what| what != FOLD).count()
        };
        for bot in 1..8 {
            assert!(played(bot, 0) > played(bot - 1, 0));
        }
        for position in 1..POSITIONS {
            assert!(played(3, position) > played(3, position - 1));
        }
        println!(
            "{:?}",
            (0..8)
                .map(|bot| (played(bot, 0), played(bot, 4)))
                .collect::<Vec<_>>()
        );
        let raises = |hole: [Card; 2]| {
            let spot = Spot {
                to_call: 20,
                pot: 30,
                highest: 20,
                raises: 0,
            };
            matches!(before_flop(&chart(0), 2, 8, hole, &spot), Move::RaiseTo(60))
        };
        assert!(raises([48, 49]), "aces");
        assert!(raises([51, 47]), "ace king suited");
        assert!(!raises([20, 1]), "seven deuce");
    }
}

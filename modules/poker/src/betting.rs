//! No-limit betting: one round, and how the pots are shared.

/// A player's part in a hand. Parts stand in the order of play: the small blind first.
#[derive(Clone)]
pub struct Part {
    pub stack: u64,
    /// Chips put in over the whole hand.
    pub put_in: u64,
    /// Of these, in this round.
    pub bet: u64,
    pub folded: bool,
}

impl Part {
    /// Moves so many chips from the stack to the bet, at most all of them.
    pub fn put(&mut self, chips: u64) -> u64 {
        let chips = chips.min(self.stack);
        self.stack -= chips;
        self.bet += chips;
        self.put_in += chips;
        chips
    }

    fn can_act(&self) -> bool {
        !self.folded && self.stack > 0
    }
}

pub enum Move {
    /// A check where that costs nothing.
    Fold,
    /// A check where there is nothing to call.
    Call,
    /// Bet or raise to so much in this round; at least the smallest raise, at most all-in.
    RaiseTo(u64),
}

/// What the player to act is asked.
pub struct Spot {
    pub to_call: u64,
    pub pot: u64,
    pub highest: u64,
    pub raises: u32,
}

/// What was done. No chips and no fold is a check.
pub struct Done {
    pub part: usize,
    pub folded: bool,
    pub chips: u64,
}

/// Plays one round from `first` on, until all have answered the last raise.
pub fn round(
    parts: &mut [Part],
    first: usize,
    big_blind: u64,
    mut choose: impl FnMut(usize, &Spot) -> Move,
) -> Vec<Done> {
    let mut to_act: Vec<bool> = parts.iter().map(Part::can_act).collect();
    // Who has acted may raise again only after a full raise, not after a short all-in.
    let mut may_raise = vec![true; parts.len()];
    let mut highest = parts.iter().map(|part| part.bet).max().unwrap_or(0);
    let (mut least_raise, mut raises) = (big_blind, 0);
    let mut done = Vec::new();
    for at in (0..parts.len()).cycle().skip(first) {
        if live(parts) < 2 || !to_act.contains(&true) {
            break;
        }
        if !std::mem::take(&mut to_act[at]) {
            continue;
        }
        let to_call = highest - parts[at].bet;
        let opponent = (0..parts.len()).any(|other| other != at && parts[other].can_act());
        if to_call == 0 && !opponent {
            continue;
        }
        let pot = parts.iter().map(|part| part.put_in).sum();
        let spot = Spot {
            to_call,
            pot,
            highest,
            raises,
        };
        let wanted = match choose(at, &spot) {
            Move::Fold if to_call > 0 => None,
            Move::RaiseTo(bet) if may_raise[at] && opponent => {
                Some(bet.max(highest + least_raise) - parts[at].bet)
            }
            _ => Some(to_call),
        };
        may_raise[at] = false;
        parts[at].folded = wanted.is_none();
        let chips = wanted.map_or(0, |chips| parts[at].put(chips));
        done.push(Done {
            part: at,
            folded: wanted.is_none(),
            chips,
        });
        let bet = parts[at].bet;
        if bet > highest {
            let full = bet - highest >= least_raise;
            for other in (0..parts.len()).filter(|&other| other != at) {
                to_act[other] = parts[other].can_act();
                may_raise[other] |= full;
            }
            if full {
                least_raise = bet - highest;
            }
            highest = bet;
            raises += 1;
        }
    }
    for part in parts {
        part.bet = 0;
    }
    done
}

pub fn live(parts: &[Part]) -> usize {
    parts.iter().filter(|part| !part.folded).count()
}

/// What each part wins. Each pot goes to the best of those who paid into it in full; chips that
/// cannot be shared go to the winners first in the order of play.
pub fn payouts(parts: &[Part], strengths: &[u32]) -> Vec<u64> {
    let mut left: Vec<u64> = parts.iter().map(|part| part.put_in).collect();
    let mut won = vec![0; parts.len()];
    loop {
        let entitled: Vec<usize> = (0..parts.len())
            .filter(|&at| !parts[at].folded && left[at] > 0)
            .collect();
        let Some(level) = entitled.iter().map(|&at| left[at]).min() else {
            return won;
        };
        let mut pot = 0;
        for chips in &mut left {
            let paid = level.min(*chips);
            *chips -= paid;
            pot += paid;
        }
        let best = entitled.iter().map(|&at| strengths[at]).max();
        let winners = entitled.iter().filter(|&&at| Some(strengths[at]) == best);
        let count = winners.clone().count() as u64;
        for (nth, &at) in (0..).zip(winners) {
            won[at] += pot / count + u64::from(nth < pot % count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(stack: u64) -> Part {
        Part {
            stack,
            put_in: 0,
            bet: 0,
            folded: false,
        }
    }

    fn paid(put_in: u64, folded: bool) -> Part {
        Part {
            stack: 0,
            put_in,
            bet: 0,
            folded,
        }
    }

    /// Plays a round in which each player does the next of its moves.
    fn play(parts: &mut [Part], first: usize, moves: &[(usize, Move)]) -> Vec<u64> {
        let mut next = moves.iter();
        round(parts, first, 20, |at, _| {
            let (who, what) = next.next().expect("one move more than planned");
            assert_eq!(*who, at);
            match what {
                Move::Fold => Move::Fold,
                Move::Call => Move::Call,
                Move::RaiseTo(bet) => Move::RaiseTo(*bet),
            }
        });
        assert!(next.next().is_none(), "a move less than planned");
        parts.iter().map(|part| part.put_in).collect()
    }

    use Move::{Call, Fold, RaiseTo};

    #[test]
    fn the_big_blind_may_still_raise_when_all_have_called() {
        let mut parts = [part(1000), part(1000), part(1000)];
        parts[0].put(10);
        parts[1].put(20);
        let moves = [(2, Call), (0, Call), (1, RaiseTo(60)), (2, Fold), (0, Call)];
        assert_eq!(play(&mut parts, 2, &moves), [60, 60, 20]);
    }

    #[test]
    fn a_raise_is_at_least_as_large_as_the_last_one() {
        let mut parts = [part(1000), part(1000)];
        let moves = [(0, RaiseTo(100)), (1, RaiseTo(110)), (0, Call)];
        assert_eq!(play(&mut parts, 0, &moves), [200, 200]);
    }

    #[test]
    fn a_short_all_in_does_not_open_the_betting_again() {
        let mut parts = [part(1000), part(1000), part(130)];
        let moves = [
            (0, RaiseTo(100)),
            (1, Call),
            (2, RaiseTo(130)),
            (0, RaiseTo(900)), // no more than a call
            (1, RaiseTo(900)),
        ];
        assert_eq!(play(&mut parts, 0, &moves), [130, 130, 130]);
    }

    #[test]
    fn nobody_bets_against_players_who_are_all_in() {
        let mut parts = [part(1000), part(0), part(0)];
        assert_eq!(play(&mut parts, 0, &[]), [0, 0, 0]);
        let mut parts = [part(1000), part(50)];
        let moves = [(0, Call), (1, RaiseTo(50)), (0, RaiseTo(1000))];
        assert_eq!(play(&mut parts, 0, &moves), [50, 50]);
    }

    #[test]
    fn the_round_ends_when_all_others_have_folded() {
        let mut parts = [part(100), part(100), part(100)];
        assert_eq!(
            play(&mut parts, 0, &[(0, RaiseTo(40)), (1, Fold), (2, Fold)]),
            [40, 0, 0]
        );
    }

    #[test]
    fn a_fold_for_free_is_a_check() {
        let mut parts = [part(100), part(100)];
        play(&mut parts, 0, &[(0, Fold), (1, Call)]);
        assert_eq!(live(&parts), 2);
    }

    #[test]
    fn an_all_in_wins_from_each_no_more_than_it_put_in() {
        // The shortest is best, the next has the side pot, the last gets its surplus back.
        let parts = [
            paid(100, false),
            paid(300, false),
            paid(500, false),
            paid(50, true),
        ];
        assert_eq!(payouts(&parts, &[9, 5, 1, 99]), [350, 400, 200, 0]);
    }

    #[test]
    fn equals_share_and_the_odd_chip_goes_to_the_first() {
        let parts = [paid(51, false), paid(51, false), paid(1, true)];
        assert_eq!(payouts(&parts, &[4, 4, 9]), [52, 51, 0]);
    }

    #[test]
    fn who_is_left_alone_takes_everything() {
        let parts = [paid(10, true), paid(60, false), paid(20, true)];
        assert_eq!(payouts(&parts, &[9, 0, 9]), [0, 90, 0]);
    }
}

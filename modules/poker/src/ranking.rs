//! What a hand is worth: the best five of up to seven cards.

use crate::cards::{Card, rank, suit};

pub const PAIR: u32 = 1;
pub const TWO_PAIR: u32 = 2;
const TRIPS: u32 = 3;
const STRAIGHT: u32 = 4;
const FLUSH: u32 = 5;
const FULL_HOUSE: u32 = 6;
const QUADS: u32 = 7;
const STRAIGHT_FLUSH: u32 = 8;

/// The greater wins, equals share. The top digit (of 4 bits) is the category, five ranks follow.
pub fn strength(cards: &[Card]) -> u32 {
    let mut count = [0u8; 13];
    let mut suited = [0u16; 4];
    for &card in cards {
        count[usize::from(rank(card))] += 1;
        suited[usize::from(suit(card))] |= 1 << rank(card);
    }
    let all = suited.iter().fold(0, |all, bits| all | bits);
    let flush = suited.into_iter().find(|bits| bits.count_ones() >= 5);
    if let Some(top) = flush.and_then(straight) {
        return value(STRAIGHT_FLUSH, &[top], 0, 0);
    }
    // Ranks by how many there are of them, then by height.
    let mut ranks: Vec<u8> = (0..13).filter(|&r| count[usize::from(r)] > 0).collect();
    ranks.sort_unstable_by_key(|&r| std::cmp::Reverse((count[usize::from(r)], r)));
    let of = |at: usize| ranks.get(at).map_or(0, |&r| count[usize::from(r)]);
    match (of(0), of(1)) {
        (4, _) => value(QUADS, &ranks[..1], all, 1),
        (3, 2..) => value(FULL_HOUSE, &ranks[..2], 0, 0),
        _ if flush.is_some() => value(FLUSH, &[], flush.unwrap_or(0), 5),
        _ if straight(all).is_some() => value(STRAIGHT, &[straight(all).unwrap_or(0)], 0, 0),
        (3, _) => value(TRIPS, &ranks[..1], all, 2),
        (2, 2) => value(TWO_PAIR, &ranks[..2], all, 1),
        (2, _) => value(PAIR, &ranks[..1], all, 3),
        _ => value(0, &[], all, 5),
    }
}

pub fn category(strength: u32) -> u32 {
    strength >> 20
}

/// Rank of the top card; the ace also goes below the deuce.
fn straight(ranks: u16) -> Option<u8> {
    let with_low_ace = ranks << 1 | ranks >> 12;
    (3..13)
        .rev()
        .find(|top| with_low_ace >> (top - 3) & 0b11111 == 0b11111)
}

/// The leading ranks, then as many of the highest others as count for a kicker.
fn value(category: u32, leading: &[u8], ranks: u16, kickers: usize) -> u32 {
    let others = (0..13)
        .rev()
        .filter(|r| ranks >> r & 1 == 1 && !leading.contains(r))
        .take(kickers);
    let five = leading.iter().copied().chain(others);
    let digits = five.zip([16, 12, 8, 4, 0]);
    digits.fold(category << 20, |sum, (r, shift)| {
        sum | u32::from(r) << shift
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::cards;

    /// Each beats the next.
    const DESCENDING: [&str; 22] = [
        "Ah Kh Qh Jh Th 2c 2d",
        "9s 8s 7s 6s 5s Ac Ad",
        "5d 4d 3d 2d Ad Kd Qc", // the flush has an ace and a king, the straight flush is worth more
        "Ac Ad Ah As 2c 2d 2h",
        "2c 2d 2h 2s 5c 5d Ah",
        "2c 2d 2h 2s 5c 5d Kh",
        "Ac Ad Ah Kc Kd Kh 2s",
        "Ac Ad Ah Qc Qd 3h 3s",
        "Kc Kd Kh Ac Ad 2h 3s",
        "Ac Jc 9c 7c 3c 2c Kd",
        "Ac Jc 9c 7c 2c Kd Kh",
        "Ac Kd Qh Js Tc Th Td",
        "6c 5d 4h 3s 2c Ah Kd",
        "5d 4h 3s 2c Ah Kd Kc",
        "7c 7d 7h Ac Kd 3h 2s",
        "7c 7d 7h Ac Qd 3h 2s",
        "Ac Ad Kh Ks 2c 2d Qh", // the third pair is no kicker, the queen is
        "Ac Ad Kh Ks 2c 2d Jh",
        "Ac Ad Kc Jd 9h 3s 2c",
        "Ac Ad Kc Jd 8h 3s 2c",
        "Ac Kd Jh 9s 8c 3d 2h",
        "Ac Kd Jh 9s 7c 3d 2h",
    ];

    #[test]
    fn hands_rank_as_in_the_book() {
        for pair in DESCENDING.windows(2) {
            let [better, worse] = [pair[0], pair[1]].map(|text| strength(&cards(text)));
            assert!(better > worse, "{} must beat {}", pair[0], pair[1]);
        }
    }

    #[test]
    fn cards_beyond_the_best_five_do_not_matter() {
        for [one, other] in [
            ["Ac Kd Qh Js Tc 2h 2d", "Ad Kc Qs Jh Td 9h 3d"],
            ["Ac Kc Jc 9c 8c 3d 2h", "Ac Kc Jc 9c 8c 3c 2d"],
            ["Ac Ad Kh Ks Qc Qd 2h", "Ac Ad Kh Ks Qc Jd 9h"],
            ["Ac Ad Ah Kc Kd Kh 2s", "Ac Ad Ah Kc Kd Qh Qs"],
        ] {
            assert_eq!(strength(&cards(one)), strength(&cards(other)));
        }
    }

    #[test]
    fn all_five_card_hands_fall_into_categories_as_counted_in_the_book() {
        let mut counts = [0u32; 9];
        let mut hand = [0; 5];
        count_from(0, 0, &mut hand, &mut counts);
        let book = [
            1_302_540, 1_098_240, 123_552, 54_912, 10_200, 5_108, 3_744, 624, 40,
        ];
        assert_eq!(counts, book);
    }

    fn count_from(first: u8, held: usize, hand: &mut [u8; 5], counts: &mut [u32; 9]) {
        if held == 5 {
            counts[category(strength(hand)) as usize] += 1;
            return;
        }
        for card in first..52 {
            hand[held] = card;
            count_from(card + 1, held + 1, hand, counts);
        }
    }
}

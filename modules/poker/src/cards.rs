//! A deck, shuffled from a seed.

/// 0..52: rank times four plus suit; rank 0 is the deuce, 12 the ace.
pub type Card = u8;

pub fn rank(card: Card) -> u8 {
    card / 4
}

pub fn suit(card: Card) -> u8 {
    card % 4
}

pub fn shuffled(random: &mut Random) -> Vec<Card> {
    let mut deck: Vec<Card> = (0..52).collect();
    for last in (1..deck.len()).rev() {
        deck.swap(last, random.below(last as u64 + 1) as usize);
    }
    deck
}

/// SplitMix64: a few lines in the place of a crate. No secret against a player who knows the seed.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % end
    }
}

/// Cards from text such as `Ah Td 2c`.
#[cfg(test)]
pub fn cards(text: &str) -> Vec<Card> {
    let at = |names: &str, name| names.find(name).unwrap() as u8;
    text.split(' ')
        .map(|card| 4 * at("23456789TJQKA", &card[..1]) + at("cdhs", &card[1..]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffled_deck_has_every_card_once_and_depends_on_the_seed() {
        let mut deck = shuffled(&mut Random::new(7));
        assert_ne!(deck, shuffled(&mut Random::new(8)));
        assert_eq!(deck, shuffled(&mut Random::new(7)));
        deck.sort_unstable();
        assert!(deck.into_iter().eq(0..52));
    }
}

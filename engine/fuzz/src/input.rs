// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Reads choices out of an input. Past its end every choice is zero.

/// What is left of an input.
pub struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    /// All of an input.
    pub fn new(data: &'a [u8]) -> Input<'a> {
        Input(data)
    }

    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        match self.0.split_first() {
            Some((first, rest)) => {
                self.0 = rest;
                *first
            }
            None => 0,
        }
    }

    /// A number below 256, and below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        usize::from(self.byte()) % limit
    }

    /// One of these.
    pub fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// A length: most often short, sometimes some thousand bytes.
    pub fn length(&mut self) -> usize {
        match self.byte() {
            short @ 0..=199 => usize::from(short),
            blocks @ 200..=239 => 16 * usize::from(blocks - 180),
            more => 300 * usize::from(more - 239) + usize::from(self.byte()),
        }
    }

    /// So many bytes, made from one of the input.
    pub fn made(&mut self, count: usize) -> Vec<u8> {
        let seed = self.byte();
        (0..count)
            .map(|index| seed.wrapping_add((index * 7) as u8))
            .collect()
    }

    /// As [`Input::made`], of any length.
    pub fn text(&mut self) -> Vec<u8> {
        let bytes = self.length();
        self.made(bytes)
    }

    /// The next bytes, so many at most.
    pub fn bytes(&mut self, most: usize) -> &'a [u8] {
        let (first, rest) = self.0.split_at(most.min(self.0.len()));
        self.0 = rest;
        first
    }
}

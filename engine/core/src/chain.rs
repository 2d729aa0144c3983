// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! IVs of the pieces into which one message is cut (SP 800-38A, section 6).

use crate::{BLOCK_BYTES, Direction, Mode};

/// The IV of a message's next piece.
#[derive(Debug, Clone)]
pub(crate) struct Chain {
    mode: Mode,
    direction: Direction,
    next: [u8; BLOCK_BYTES],
}

impl Chain {
    /// A message that begins with this IV (CTR: first counter block).
    pub(crate) fn new(mode: Mode, direction: Direction, iv: [u8; BLOCK_BYTES]) -> Chain {
        Chain {
            mode,
            direction,
            next: iv,
        }
    }

    /// Whether a piece needs the previous piece's output, so that only one can be in flight.
    pub(crate) fn is_serial(&self) -> bool {
        (self.mode, self.direction) == (Mode::Cbc, Direction::Encrypt)
    }

    /// The IV of the piece with this input; moves on to the next one. Pieces are
    /// whole blocks, except the last of a message in CTR.
    pub(crate) fn begin(&mut self, input: &[u8]) -> [u8; BLOCK_BYTES] {
        let iv = self.next;
        match (self.mode, self.direction) {
            (Mode::Ctr, _) => {
                let blocks = input.len().div_ceil(BLOCK_BYTES) as u128;
                self.next = u128::from_be_bytes(iv).wrapping_add(blocks).to_be_bytes();
            }
            (Mode::Cbc, Direction::Decrypt) => self.follow(input),
            _ => {}
        }
        iv
    }

    /// The piece's output is there.
    pub(crate) fn end(&mut self, output: &[u8]) {
        if self.is_serial() {
            self.follow(output);
        }
    }

    fn follow(&mut self, ciphertext: &[u8]) {
        if let Some(block) = ciphertext.last_chunk() {
            self.next = *block;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counter_carries_over_the_whole_block() {
        let mut chain = Chain::new(Mode::Ctr, Direction::Encrypt, [0xff; 16]);
        assert_eq!(chain.begin(&[0; 32]), [0xff; 16]);
        let mut expected = [0; 16];
        expected[15] = 1;
        assert_eq!(chain.begin(&[0; 16]), expected);
    }

    #[test]
    fn cbc_follows_the_ciphertext() {
        let mut decrypt = Chain::new(Mode::Cbc, Direction::Decrypt, [1; 16]);
        assert_eq!(decrypt.begin(&[2; 32]), [1; 16]);
        assert_eq!(decrypt.begin(&[3; 16]), [2; 16]);
        let mut encrypt = Chain::new(Mode::Cbc, Direction::Encrypt, [1; 16]);
        assert_eq!(encrypt.begin(&[2; 32]), [1; 16]);
        encrypt.end(&[4; 32]);
        assert_eq!(encrypt.begin(&[3; 16]), [4; 16]);
    }
}

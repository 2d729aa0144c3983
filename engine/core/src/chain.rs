// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! IVs of the chunks into which one message is cut (SP 800-38A, section 6).

use crate::{BLOCK_BYTES, CipherRequest, DataUnits, Direction, Mode};

/// The IV of a message's next chunk.
///
/// ```
/// use ciphermill::{Chain, Direction, Key, Mode, CipherRequest};
/// let key = Key::new(&[0; 16]).unwrap();
/// let mut chain = Chain::new(&CipherRequest::new(Mode::Cbc, Direction::Decrypt, key, [7; 16]));
/// assert_eq!(chain.begin(&[8; 32]), [7; 16]);
/// assert_eq!(chain.begin(&[9; 32]), [8; 16]);
/// ```
#[derive(Debug, Clone)]
pub struct Chain {
    mode: Mode,
    direction: Direction,
    data_units: Option<DataUnits>,
    block_bytes: usize,
    next: [u8; BLOCK_BYTES],
}

impl Chain {
    /// A message with this request's mode and direction that begins with its IV.
    pub fn new(request: &CipherRequest) -> Chain {
        Chain {
            mode: request.mode,
            direction: request.direction,
            data_units: request.data_units.clone(),
            block_bytes: request.algorithm().block_bytes,
            next: request.iv,
        }
    }

    /// Whether a chunk needs the previous chunk's output, so that only one can be in flight.
    pub fn is_serial(&self) -> bool {
        (self.mode, self.direction) == (Mode::Cbc, Direction::Encrypt)
    }

    /// The IV from which the next chunk goes on.
    pub fn next(&self) -> [u8; BLOCK_BYTES] {
        self.next
    }

    /// Continue from this IV: at another place, or in another message.
    pub fn set_next(&mut self, iv: [u8; BLOCK_BYTES]) {
        self.next = iv;
    }

    /// The longest chunk of at most so many bytes at which a message can be cut: whole
    /// blocks, and in XTS whole data units; one of them at least.
    pub fn chunk_bytes(&self, preferred: usize) -> usize {
        let unit = self
            .data_units
            .as_ref()
            .map_or(self.block_bytes, |units| units.bytes.max(1));
        (preferred / unit).max(1) * unit
    }

    /// The IV of the chunk with this input; moves on to the next one. Chunks can be cut
    /// at [`Chain::chunk_bytes`]; a message's last one has any length that its mode takes.
    pub fn begin(&mut self, input: &[u8]) -> [u8; BLOCK_BYTES] {
        let iv = self.next;
        match (self.mode, self.direction) {
            (Mode::Ctr, _) => {
                let blocks = input.len().div_ceil(self.block_bytes) as u128;
                // A shorter block is at the beginning.
                let blocks = blocks << (8 * (BLOCK_BYTES - self.block_bytes));
                self.next = u128::from_be_bytes(iv).wrapping_add(blocks).to_be_bytes();
            }
            (Mode::Cbc, Direction::Decrypt) => self.follow(input),
            (Mode::Xts, _) => {
                if let Some(units) = &self.data_units {
                    self.next = units.following(iv, input.len());
                }
            }
            _ => {}
        }
        iv
    }

    /// Take note of a chunk's output.
    pub fn end(&mut self, output: &[u8]) {
        if self.is_serial() {
            self.follow(output);
        }
    }

    fn follow(&mut self, ciphertext: &[u8]) {
        if let Some(start) = ciphertext.len().checked_sub(self.block_bytes) {
            self.next[..self.block_bytes].copy_from_slice(&ciphertext[start..]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Key, PRESENT};

    fn chain(mode: Mode, direction: Direction, iv: [u8; 16]) -> Chain {
        let key = Key::new(&[0; 16]).unwrap();
        Chain::new(&CipherRequest::new(mode, direction, key, iv))
    }

    #[test]
    fn counter_carries_over_the_whole_block() {
        let mut chain = chain(Mode::Ctr, Direction::Encrypt, [0xff; 16]);
        assert_eq!(chain.begin(&[0; 32]), [0xff; 16]);
        let mut expected = [0; 16];
        expected[15] = 1;
        assert_eq!(chain.begin(&[0; 16]), expected);
        assert_eq!(chain.chunk_bytes(40), 32);
    }

    #[test]
    fn cbc_follows_the_ciphertext() {
        let mut decrypt = chain(Mode::Cbc, Direction::Decrypt, [1; 16]);
        assert_eq!(decrypt.begin(&[2; 32]), [1; 16]);
        assert_eq!(decrypt.begin(&[3; 16]), [2; 16]);
        let mut encrypt = chain(Mode::Cbc, Direction::Encrypt, [1; 16]);
        assert_eq!(encrypt.begin(&[2; 32]), [1; 16]);
        encrypt.end(&[4; 32]);
        assert_eq!(encrypt.next(), [4; 16]);
        encrypt.set_next([5; 16]);
        assert_eq!(encrypt.begin(&[3; 16]), [5; 16]);
    }

    #[test]
    fn blocks_of_eight_bytes_are_at_the_beginning_of_the_iv() {
        let chain = |mode, direction, iv: u64| {
            let key = Key::of(&PRESENT, &[0; 10]).unwrap();
            let iv = u128::from(iv) << 64;
            Chain::new(&CipherRequest::new(mode, direction, key, iv.to_be_bytes()))
        };
        let place = |block: u64| (u128::from(block) << 64).to_be_bytes();
        let mut counter = chain(Mode::Ctr, Direction::Encrypt, u64::MAX);
        assert_eq!(counter.chunk_bytes(30), 24);
        assert_eq!(counter.begin(&[0; 24]), place(u64::MAX));
        assert_eq!(counter.begin(&[0; 9]), place(2));
        assert_eq!(counter.next(), place(4));
        let mut decrypt = chain(Mode::Cbc, Direction::Decrypt, 1);
        let ciphertext = [[5; 8], [6; 8]].concat();
        assert_eq!(decrypt.begin(&ciphertext), place(1));
        assert_eq!(decrypt.next(), place(0x0606_0606_0606_0606));
        let mut encrypt = chain(Mode::Cbc, Direction::Encrypt, 1);
        encrypt.end(&ciphertext);
        assert_eq!(encrypt.next(), place(0x0606_0606_0606_0606));
    }

    #[test]
    fn data_units_are_counted_and_not_cut() {
        let key = |byte| Key::new(&[byte; 16]).unwrap();
        let request = CipherRequest::xts(Direction::Decrypt, key(1), key(2), 0xff, 40).unwrap();
        let mut chain = Chain::new(&request);
        assert_eq!((chain.chunk_bytes(100), chain.chunk_bytes(39)), (80, 40));
        assert_eq!(chain.begin(&[0; 80]), 0xff_u128.to_le_bytes());
        assert_eq!(chain.begin(&[0; 16]), 0x101_u128.to_le_bytes());
        assert_eq!(chain.next(), 0x102_u128.to_le_bytes());
    }
}

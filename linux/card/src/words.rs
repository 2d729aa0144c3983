// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Accesses of the host to BAR 0, which have any width, as accesses to registers of 32 bits.

/// Read bytes: each word is read once, as some registers change by it. There is none beyond 2^32.
pub(crate) fn read(address: u64, data: &mut [u8], mut register: impl FnMut(u32) -> u32) {
    let mut word = None;
    for (place, byte) in (address..=u64::MAX).zip(data) {
        let at = u32::try_from(place & !3).ok();
        let value = match word {
            Some((known, value)) if known == at => value,
            _ => at.map_or(0, &mut register),
        };
        word = Some((at, value));
        *byte = value.to_le_bytes()[(place & 3) as usize];
    }
}

/// Write words; what is no whole word changes nothing.
pub(crate) fn write(address: u64, data: &[u8], mut register: impl FnMut(u32, u32)) {
    if !address.is_multiple_of(4) {
        return;
    }
    for (at, word) in (address..).step_by(4).zip(data.as_chunks::<4>().0) {
        if let Ok(at) = u32::try_from(at) {
            register(at, u32::from_le_bytes(*word));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_those_of_their_words() {
        let mut asked = vec![];
        let mut data = [0; 6];
        read(0x1003, &mut data, |at| {
            asked.push(at);
            at | 0x0403_0000
        });
        assert_eq!(data, [4, 4, 0x10, 3, 4, 8]);
        assert_eq!(asked, [0x1000, 0x1004, 0x1008]);
        let mut data = [1; 4];
        read(1 << 32, &mut data, |_| 7);
        assert_eq!(data, [0; 4]);
    }

    #[test]
    fn only_whole_words_are_written() {
        let mut written = vec![];
        let mut put = |at, word| written.push((at, word));
        write(0x10, &[1, 0, 0, 0, 2, 0, 0, 0, 3], &mut put);
        write(0x21, &[1, 0, 0, 0], &mut put);
        write(0x22, &[1, 0], &mut put);
        write(1 << 32, &[1, 0, 0, 0], &mut put);
        assert_eq!(written, [(0x10, 1), (0x14, 2)]);
    }
}

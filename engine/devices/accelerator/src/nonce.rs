// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Nonces of ECDSA that follow from private key and digest (RFC 6979, 3.2).

use hmac::digest::block_api::EagerHash;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Sha224, Sha256, Sha384, Sha512};
use zeroize::Zeroizing;

/// Candidates for the nonce of a signature, one after the other: the first one is right unless
/// it is zero or not below the curve's order, which the device finds. Zeroised when dropped.
pub(crate) struct Nonces {
    hash: Hash,
    order_bits: usize,
    /// K and V of the standard.
    key: Zeroizing<Vec<u8>>,
    value: Zeroizing<Vec<u8>>,
    begun: bool,
}

/// HMAC of parts with a key.
type Hash = fn(&[u8], &[&[u8]]) -> Zeroizing<Vec<u8>>;

impl Nonces {
    /// For a private key and a number, the digest modulo the curve's order. Both are as long as
    /// the order, which has so many bits. The hash is the one of SHA-2 whose digests are as long
    /// as this one, SHA-512 where there is none.
    pub fn new(
        order_bits: usize,
        private_key: &[u8],
        number: &[u8],
        digest_bytes: usize,
    ) -> Nonces {
        let (hash, bytes): (Hash, usize) = match digest_bytes {
            28 => (authenticated::<Sha224>, 28),
            32 => (authenticated::<Sha256>, 32),
            48 => (authenticated::<Sha384>, 48),
            _ => (authenticated::<Sha512>, 64),
        };
        let mut nonces = Nonces {
            hash,
            order_bits,
            key: Zeroizing::new(vec![0; bytes]),
            value: Zeroizing::new(vec![1; bytes]),
            begun: false,
        };
        nonces.absorb(&[&[0], private_key, number]);
        nonces.absorb(&[&[1], private_key, number]);
        nonces
    }

    /// The next candidate, as long as the curve's order.
    pub fn next(&mut self) -> Zeroizing<Vec<u8>> {
        if self.begun {
            self.absorb(&[&[0]]);
        }
        self.begun = true;
        let bytes = self.order_bits.div_ceil(8);
        let mut nonce = Zeroizing::new(Vec::with_capacity(bytes));
        while nonce.len() < bytes {
            self.value = (self.hash)(&self.key, &[&self.value]);
            let missing = bytes - nonce.len();
            nonce.extend_from_slice(&self.value[..missing.min(self.value.len())]);
        }
        // The first bits, as many as the order has.
        let shift = 8 * bytes - self.order_bits;
        let mut above = 0;
        for byte in nonce.iter_mut() {
            let shifted = (u16::from(above) << 8 | u16::from(*byte)) >> shift;
            above = *byte;
            *byte = shifted as u8;
        }
        nonce
    }

    fn absorb(&mut self, parts: &[&[u8]]) {
        let parts = [&[&self.value[..]], parts].concat();
        self.key = (self.hash)(&self.key, &parts);
        self.value = (self.hash)(&self.key, &[&self.value]);
    }
}

fn authenticated<D: EagerHash>(key: &[u8], parts: &[&[u8]]) -> Zeroizing<Vec<u8>>
where
    Hmac<D>: KeyInit + Mac,
{
    let mut mac = <Hmac<D> as KeyInit>::new_from_slice(key).expect("HMAC takes any key");
    for part in parts {
        mac.update(part);
    }
    let mut code = mac.finalize().into_bytes();
    let copy = Zeroizing::new(code.to_vec());
    zeroize::Zeroize::zeroize(code.as_mut_slice());
    copy
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SHA-256 and SHA-512 of "sample".
    const SAMPLE_256: &str = "af2bdbe1aa9b6ec1e2ade1d694f41fc71a831d0268e9891562113d8a62add1bf";
    const SAMPLE_512: &str = "39a5e04aaff7455d9850c605364f514c11324ce64016960d23d5dc57d3ffd8f4\
                              9a739468ab8049bf18eef820cdb1ad6c9015f838556bc7fad4138b23fdf986c7";
    const KEY_OF_P_256: &str = "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721";
    const KEY_OF_P_521: &str = "00fad06daa62ba3b25d2fb40133da757205de67f5bb0018fee8c86e1b68c7e75\
                                caa896eb32f1f47c70855836a6d16fcc1466f6d8fbec67db89ec0c08b0e996b8\
                                3538";

    fn hexadecimal(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn octets(text: &str) -> Vec<u8> {
        let pairs = text.as_bytes().chunks_exact(2);
        let pairs = pairs.map(|pair| std::str::from_utf8(pair).unwrap());
        pairs
            .map(|pair| u8::from_str_radix(pair, 16).unwrap())
            .collect()
    }

    #[test]
    fn nonces_are_those_of_rfc_6979() {
        let (key, number) = (octets(KEY_OF_P_256), octets(SAMPLE_256));
        let mut nonces = Nonces::new(256, &key, &number, 32);
        let published = "a6e3c57dd01abe90086538398355dd4c3b17aa873382b0f24d6129493d8aad60";
        assert_eq!(hexadecimal(&nonces.next()), published);
        // What Python's hmac gives by section 3.2, step h.3.
        let other = "8e83dc490bc5fc4d5992bd63cd87f254adffcb930f8a8011702a88870f638fdb";
        assert_eq!(hexadecimal(&nonces.next()), other);
    }

    #[test]
    fn a_nonce_has_as_many_bits_as_the_order() {
        let (key, digest) = (octets(KEY_OF_P_521), octets(SAMPLE_512));
        let number = [&[0; 2], &digest[..]].concat();
        let published = "01dae2ea071f8110dc26882d4d5eae0621a3256fc8847fb9022e2b7d28e6f101\
                         98b1574fdd03a9053c08a1854a168aa5a57470ec97dd5ce090124ef52a2f7ecb\
                         ffd3";
        let mut nonces = Nonces::new(521, &key, &number, 64);
        assert_eq!(hexadecimal(&nonces.next()), published);
    }
}

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The elliptic curves that devices may have.

use ciphermill::{Algorithm, Error, P_256, P_384, P_521, SecretKey};

use crate::registers::*;

/// A curve that devices may have.
pub(crate) struct Curve {
    pub algorithm: &'static Algorithm,
    /// Its bit of CAPABILITY.
    pub present: u32,
    /// CONFIGURATION.curve.
    pub number: u32,
    /// The order n, where a digest may be above it.
    order: Option<&'static [u8]>,
}

pub(crate) static CURVES: [Curve; 3] = [
    Curve {
        algorithm: &P_256,
        present: CAPABILITY_P_256_MASK,
        number: CONFIGURATION_CURVE_P_256,
        order: Some(&ORDER_OF_P_256),
    },
    Curve {
        algorithm: &P_384,
        present: CAPABILITY_P_384_MASK,
        number: CONFIGURATION_CURVE_P_384,
        order: Some(&ORDER_OF_P_384),
    },
    Curve {
        algorithm: &P_521,
        present: CAPABILITY_P_521_MASK,
        number: CONFIGURATION_CURVE_P_521,
        order: None,
    },
];

/// SP 800-186, 3.2.1.3.
const ORDER_OF_P_256: [u8; 32] = [
    0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51,
];

/// SP 800-186, 3.2.1.4.
const ORDER_OF_P_384: [u8; 48] = [
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xc7, 0x63, 0x4d, 0x81, 0xf4, 0x37, 0x2d, 0xdf,
    0x58, 0x1a, 0x0d, 0xb2, 0x48, 0xb0, 0xa7, 0x7a, 0xec, 0xec, 0x19, 0x6a, 0xcc, 0xc5, 0x29, 0x73,
];

impl Curve {
    /// The number that is signed for a digest (FIPS 186-5, 6.4.1): its first bytes, as many as
    /// the order has, or zeros in front of it.
    pub fn number_of(&self, digest: &[u8]) -> Vec<u8> {
        let bytes = self.algorithm.key_bytes();
        let taken = digest.len().min(bytes);
        let mut number = vec![0; bytes];
        number[bytes - taken..].copy_from_slice(&digest[..taken]);
        number
    }

    /// That number modulo the order.
    pub fn reduced(&self, mut number: Vec<u8>) -> Vec<u8> {
        let Some(order) = self.order.filter(|order| number[..] >= order[..]) else {
            return number;
        };
        let mut borrow = false;
        for (digit, subtracted) in number.iter_mut().zip(order).rev() {
            let (one, under) = digit.overflowing_sub(*subtracted);
            let (other, again) = one.overflowing_sub(u8::from(borrow));
            *digit = other;
            borrow = under || again;
        }
        number
    }

    /// The error of an operation that ended so, but for outcomes that are answers.
    pub fn refusal(&self, outcome: u32, private_key: Option<&SecretKey>) -> Error {
        let name = self.algorithm.name;
        let zero = private_key.is_some_and(|key| key.as_bytes().iter().all(|byte| *byte == 0));
        Error::invalid(match outcome {
            STATUS_OUTCOME_PRIVATE_KEY if zero => {
                format!("the private key is zero, which is none of {name}")
            }
            STATUS_OUTCOME_PRIVATE_KEY => {
                format!("the private key is not below the order of {name}")
            }
            STATUS_OUTCOME_COORDINATE => {
                format!("a coordinate of the public key is not below the prime of {name}")
            }
            STATUS_OUTCOME_INFINITY => format!("the public key is the point at infinity of {name}"),
            STATUS_OUTCOME_OFF_CURVE => format!("the public key is not a point of {name}"),
            other => {
                return Error::device(format!(
                    "the accelerator ended an operation on {name} with outcome {other}"
                ));
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_cut_or_filled_and_taken_modulo_the_order() {
        for curve in &CURVES {
            let bytes = curve.algorithm.key_bytes();
            let number = curve.number_of(&[7; 20]);
            assert_eq!(number[..bytes - 20], vec![0; bytes - 20]);
            assert_eq!(number[bytes - 20..], [7; 20]);
            assert_eq!(curve.number_of(&[7; 80]), vec![7; bytes]);
            let Some(order) = curve.order else { continue };
            let mut above = order.to_vec();
            above[bytes - 1] += 1;
            let mut one = vec![0; bytes];
            one[bytes - 1] = 1;
            assert_eq!(curve.reduced(above), one);
            let mut below = order.to_vec();
            below[bytes - 1] -= 1;
            assert_eq!(curve.reduced(below.clone()), below);
            let complement: Vec<u8> = order.iter().map(|byte| !byte).collect();
            assert_eq!(curve.reduced(vec![0xff; bytes]), complement);
        }
    }

    #[test]
    fn a_borrow_goes_through_equal_bytes() {
        // 2^256 - 2^128 modulo the order of P-256.
        let number = [[0xff; 16], [0; 16]].concat();
        let wanted = [
            0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
            0xff, 0xff, 0x43, 0x19, 0x05, 0x52, 0x58, 0xe8, 0x61, 0x7b, 0x0c, 0x46, 0x35, 0x3d,
            0x03, 0x9c, 0xda, 0xaf,
        ];
        assert_eq!(CURVES[0].reduced(number), wanted);
    }
}

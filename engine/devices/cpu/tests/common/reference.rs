// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! What the devices are compared with: RustCrypto, one message at a time.

use aes::{Aes128, Aes192, Aes256};
use aes_gcm::aead::consts::U12;
use aes_gcm::{AeadInOut, AesGcm};
use cipher::{
    Array, BlockCipherDecrypt, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt, KeyInit,
    KeyIvInit, StreamCipher,
};
use ciphermill::{Direction, Mode};

macro_rules! with_cipher {
    ($key:expr, $cipher:ident => $body:expr) => {
        match $key.len() {
            16 => {
                type $cipher = Aes128;
                $body
            }
            24 => {
                type $cipher = Aes192;
                $body
            }
            _ => {
                type $cipher = Aes256;
                $body
            }
        }
    };
}

/// ECB, CBC and CTR.
pub fn unauthenticated(
    mode: Mode,
    direction: Direction,
    key: &[u8],
    iv: &[u8; 16],
    data: &[u8],
) -> Vec<u8> {
    let mut data = data.to_vec();
    with_cipher!(key, Aes => {
        if mode == Mode::Ctr {
            let mut cipher = ctr::Ctr128BE::<Aes>::new_from_slices(key, iv).unwrap();
            cipher.apply_keystream(&mut data);
            return data;
        }
        let (blocks, rest) = Array::slice_as_chunks_mut(&mut data);
        assert!(rest.is_empty());
        match (mode, direction) {
            (Mode::Ecb, Direction::Encrypt) => {
                Aes::new_from_slice(key).unwrap().encrypt_blocks(blocks);
            }
            (Mode::Ecb, Direction::Decrypt) => {
                Aes::new_from_slice(key).unwrap().decrypt_blocks(blocks);
            }
            (Mode::Cbc, Direction::Encrypt) => {
                let mut cipher = cbc::Encryptor::<Aes>::new_from_slices(key, iv).unwrap();
                cipher.encrypt_blocks(blocks);
            }
            (Mode::Cbc, Direction::Decrypt) => {
                let mut cipher = cbc::Decryptor::<Aes>::new_from_slices(key, iv).unwrap();
                cipher.decrypt_blocks(blocks);
            }
            _ => unreachable!("GCM is below"),
        }
    });
    data
}

/// GCM encryption: ciphertext and tag.
#[allow(dead_code)]
pub fn gcm(key: &[u8], iv: &[u8; 16], associated: &[u8], data: &[u8]) -> (Vec<u8>, [u8; 16]) {
    let mut data = data.to_vec();
    let nonce: &Array<u8, U12> = iv[..12].try_into().unwrap();
    let tag = with_cipher!(key, Aes => {
        AesGcm::<Aes, U12>::new_from_slice(key)
            .unwrap()
            .encrypt_inout_detached(nonce, associated, data.as_mut_slice().into())
            .unwrap()
    });
    (data, tag.into())
}

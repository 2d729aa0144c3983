// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Published vectors: SP 800-38A, appendix F, and "The Galois/Counter Mode of
//! Operation (GCM)" by McGrew and Viega, appendix B.

use ciphermill::Mode;

/// One message.
pub struct Vector {
    pub mode: Mode,
    pub key: Vec<u8>,
    pub iv: [u8; 16],
    pub associated_data: Vec<u8>,
    pub plaintext: Vec<u8>,
    pub ciphertext: Vec<u8>,
    pub tag: [u8; 16],
}

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text
        .chars()
        .filter_map(|character| character.to_digit(16))
        .map(|digit| digit as u8)
        .collect();
    digits
        .chunks(2)
        .map(|pair| pair[0] << 4 | pair[1])
        .collect()
}

fn block(text: &str) -> [u8; 16] {
    let mut block = [0; 16];
    let bytes = hex(text);
    block[..bytes.len()].copy_from_slice(&bytes);
    block
}

const KEYS: [&str; 3] = [
    "2b7e151628aed2a6abf7158809cf4f3c",
    "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
    "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
];

const PLAINTEXT: &str = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
     30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710";

/// F.1 (ECB), F.2 (CBC) and F.5 (CTR), each key size.
pub fn sp_800_38a() -> Vec<Vector> {
    let modes = [
        (
            Mode::Ecb,
            "",
            [
                "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf\
                 43b1cd7f598ece23881b00e3ed0306887b0c785e27e8ad3f8223207104725dd4",
                "bd334f1d6e45f25ff712a214571fa5cc974104846d0ad3ad7734ecb3ecee4eef\
                 ef7afd2270e2e60adce0ba2face6444e9a4b41ba738d6c72fb16691603c18e0e",
                "f3eed1bdb5d2a03c064b5a7e3db181f8591ccb10d410ed26dc5ba74a31362870\
                 b6ed21b99ca6f4f9f153e7b1beafed1d23304b7a39f9f3ff067d8d8f9e24ecc7",
            ],
        ),
        (
            Mode::Cbc,
            "000102030405060708090a0b0c0d0e0f",
            [
                "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2\
                 73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7",
                "4f021db243bc633d7178183a9fa071e8b4d9ada9ad7dedf4e5e738763f69145a\
                 571b242012fb7ae07fa9baac3df102e008b0e27988598881d920a9e64f5615cd",
                "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d\
                 39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b",
            ],
        ),
        (
            Mode::Ctr,
            "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
            [
                "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff\
                 5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee",
                "1abc932417521ca24f2b0459fe7e6e0b090339ec0aa6faefd5ccc2c6f4ce8e94\
                 1e36b26bd1ebc670d1bd1d665620abf74f78a7f6d29809585a97daec58c6b050",
                "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5\
                 2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6",
            ],
        ),
    ];
    let mut vectors = Vec::new();
    for (mode, iv, ciphertexts) in modes {
        for (key, ciphertext) in KEYS.iter().zip(ciphertexts) {
            vectors.push(Vector {
                mode,
                key: hex(key),
                iv: block(iv),
                associated_data: Vec::new(),
                plaintext: hex(PLAINTEXT),
                ciphertext: hex(ciphertext),
                tag: [0; 16],
            });
        }
    }
    vectors
}

const GCM_KEY: &str = "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308";
const GCM_IV: &str = "cafebabefacedbaddecaf888";
const GCM_ASSOCIATED_DATA: &str = "feedfacedeadbeeffeedfacedeadbeefabaddad2";
const GCM_PLAINTEXT: &str = "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72\
     1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39";

/// Test cases 1, 4, 7, 10, 13 and 16: empty messages, and messages with
/// associated data.
pub fn gcm() -> Vec<Vector> {
    let cases = [
        (16, "", "58e2fccefa7e3061367f1d57a4e7455a"),
        (24, "", "cd33b28ac773f74ba00ed1f312572435"),
        (32, "", "530f8afbc74536b9a963b4f1c4cb738b"),
        (
            16,
            "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e\
             21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091",
            "5bc94fbc3221a5db94fae95ae7121a47",
        ),
        (
            24,
            "3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c\
             7d773d00c144c525ac619d18c84a3f4718e2448b2fe324d9ccda2710",
            "2519498e80f1478f37ba55bd6d27618c",
        ),
        (
            32,
            "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa\
             8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
            "76fc6ece0f4e1768cddf8853bb2d551b",
        ),
    ];
    cases
        .into_iter()
        .map(|(key_bytes, ciphertext, tag)| {
            let empty = ciphertext.is_empty();
            let or_zeros = |text: &str| if empty { hex("") } else { hex(text) };
            Vector {
                mode: Mode::Gcm,
                key: if empty {
                    vec![0; key_bytes]
                } else {
                    hex(GCM_KEY)[..key_bytes].to_vec()
                },
                iv: if empty { [0; 16] } else { block(GCM_IV) },
                associated_data: or_zeros(GCM_ASSOCIATED_DATA),
                plaintext: or_zeros(GCM_PLAINTEXT),
                ciphertext: hex(ciphertext),
                tag: block(tag),
            }
        })
        .collect()
}

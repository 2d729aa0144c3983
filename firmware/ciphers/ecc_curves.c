// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Constants of the curves (SP 800-186, section 3.2.1), in words of 64 bits, the lowest one
// first.
#include "ecc.h"

#if ECC_LIMB_BITS == 64
#define W(word) word##ull
#else
#define W(word) (uint32_t)word##ull, (uint32_t)(word##ull >> 32)
#endif

#define LIMBS(bits) (((bits) + ECC_LIMB_BITS - 1) / ECC_LIMB_BITS)

const struct ecc_curve ecc_p256 = {
    .bits = 256,
    .bytes = 32,
    .p = {
        .limbs = LIMBS(256),
        .factor = (ecc_limb)0x1ull,
        .modulus = {
            W(0xffffffffffffffff), W(0x00000000ffffffff), W(0x0000000000000000),
            W(0xffffffff00000001),
        },
        .square = {
            W(0x0000000000000003), W(0xfffffffbffffffff), W(0xfffffffffffffffe),
            W(0x00000004fffffffd),
        },
    },
    .n = {
        .limbs = LIMBS(256),
        .factor = (ecc_limb)0xccd1c8aaee00bc4full,
        .modulus = {
            W(0xf3b9cac2fc632551), W(0xbce6faada7179e84), W(0xffffffffffffffff),
            W(0xffffffff00000000),
        },
        .square = {
            W(0x83244c95be79eea2), W(0x4699799c49bd6fa6), W(0x2845b2392b6bec59),
            W(0x66e12d94f3d95620),
        },
    },
    .b = {
        W(0x3bce3c3e27d2604b), W(0x651d06b0cc53b0f6), W(0xb3ebbd55769886bc),
        W(0x5ac635d8aa3a93e7),
    },
    .gx = {
        W(0xf4a13945d898c296), W(0x77037d812deb33a0), W(0xf8bce6e563a440f2),
        W(0x6b17d1f2e12c4247),
    },
    .gy = {
        W(0xcbb6406837bf51f5), W(0x2bce33576b315ece), W(0x8ee7eb4a7c0f9e16),
        W(0x4fe342e2fe1a7f9b),
    },
};

const struct ecc_curve ecc_p384 = {
    .bits = 384,
    .bytes = 48,
    .p = {
        .limbs = LIMBS(384),
        .factor = (ecc_limb)0x100000001ull,
        .modulus = {
            W(0x00000000ffffffff), W(0xffffffff00000000), W(0xfffffffffffffffe),
            W(0xffffffffffffffff), W(0xffffffffffffffff), W(0xffffffffffffffff),
        },
        .square = {
            W(0xfffffffe00000001), W(0x0000000200000000), W(0xfffffffe00000000),
            W(0x0000000200000000), W(0x0000000000000001), W(0x0000000000000000),
        },
    },
    .n = {
        .limbs = LIMBS(384),
        .factor = (ecc_limb)0x6ed46089e88fdc45ull,
        .modulus = {
            W(0xecec196accc52973), W(0x581a0db248b0a77a), W(0xc7634d81f4372ddf),
            W(0xffffffffffffffff), W(0xffffffffffffffff), W(0xffffffffffffffff),
        },
        .square = {
            W(0x2d319b2419b409a9), W(0xff3d81e5df1aa419), W(0xbc3e483afcb82947),
            W(0xd40d49174aab1cc5), W(0x3fb05b7a28266895), W(0x0c84ee012b39bf21),
        },
    },
    .b = {
        W(0x2a85c8edd3ec2aef), W(0xc656398d8a2ed19d), W(0x0314088f5013875a),
        W(0x181d9c6efe814112), W(0x988e056be3f82d19), W(0xb3312fa7e23ee7e4),
    },
    .gx = {
        W(0x3a545e3872760ab7), W(0x5502f25dbf55296c), W(0x59f741e082542a38),
        W(0x6e1d3b628ba79b98), W(0x8eb1c71ef320ad74), W(0xaa87ca22be8b0537),
    },
    .gy = {
        W(0x7a431d7c90ea0e5f), W(0x0a60b1ce1d7e819d), W(0xe9da3113b5f0b8c0),
        W(0xf8f41dbd289a147c), W(0x5d9e98bf9292dc29), W(0x3617de4a96262c6f),
    },
};

const struct ecc_curve ecc_p521 = {
    .bits = 521,
    .bytes = 66,
    .p = {
        .limbs = LIMBS(521),
        .factor = (ecc_limb)0x1ull,
        .modulus = {
            W(0xffffffffffffffff), W(0xffffffffffffffff), W(0xffffffffffffffff),
            W(0xffffffffffffffff), W(0xffffffffffffffff), W(0xffffffffffffffff),
            W(0xffffffffffffffff), W(0xffffffffffffffff), W(0x00000000000001ff),
        },
#if ECC_LIMB_BITS == 64
        .square = {
            W(0x0000000000000000), W(0x0000400000000000), W(0x0000000000000000),
            W(0x0000000000000000), W(0x0000000000000000), W(0x0000000000000000),
            W(0x0000000000000000), W(0x0000000000000000), W(0x0000000000000000),
        },
#else
        .square = {
            W(0x0000400000000000), W(0x0000000000000000), W(0x0000000000000000),
            W(0x0000000000000000), W(0x0000000000000000), W(0x0000000000000000),
            W(0x0000000000000000), W(0x0000000000000000), W(0x0000000000000000),
        },
#endif
    },
    .n = {
        .limbs = LIMBS(521),
        .factor = (ecc_limb)0x1d2f5ccd79a995c7ull,
        .modulus = {
            W(0xbb6fb71e91386409), W(0x3bb5c9b8899c47ae), W(0x7fcc0148f709a5d0),
            W(0x51868783bf2f966b), W(0xfffffffffffffffa), W(0xffffffffffffffff),
            W(0xffffffffffffffff), W(0xffffffffffffffff), W(0x00000000000001ff),
        },
#if ECC_LIMB_BITS == 64
        .square = {
            W(0x137cd04dcf15dd04), W(0xf707badce5547ea3), W(0x12a78d38794573ff),
            W(0xd3721ef557f75e06), W(0xdd6e23d82e49c7db), W(0xcff3d142b7756e3e),
            W(0x5bcc6d61a8e567bc), W(0x2d8e03d1492d0d45), W(0x000000000000003d),
        },
#else
        .square = {
            W(0x1163115a61c64ca7), W(0x18354a564374a642), W(0x5d4dd6d30791d9dc),
            W(0x4fb35b72d3402705), W(0xcff3d142b7756e3a), W(0x5bcc6d61a8e567bc),
            W(0x2d8e03d1492d0d45), W(0x5b5a3afe8c44383d), W(0x000000000000019a),
        },
#endif
    },
    .b = {
        W(0xef451fd46b503f00), W(0x3573df883d2c34f1), W(0x1652c0bd3bb1bf07),
        W(0x56193951ec7e937b), W(0xb8b489918ef109e1), W(0xa2da725b99b315f3),
        W(0x929a21a0b68540ee), W(0x953eb9618e1c9a1f), W(0x0000000000000051),
    },
    .gx = {
        W(0xf97e7e31c2e5bd66), W(0x3348b3c1856a429b), W(0xfe1dc127a2ffa8de),
        W(0xa14b5e77efe75928), W(0xf828af606b4d3dba), W(0x9c648139053fb521),
        W(0x9e3ecb662395b442), W(0x858e06b70404e9cd), W(0x00000000000000c6),
    },
    .gy = {
        W(0x88be94769fd16650), W(0x353c7086a272c240), W(0xc550b9013fad0761),
        W(0x97ee72995ef42640), W(0x17afbd17273e662c), W(0x98f54449579b4468),
        W(0x5c8a5fb42c7d1bd9), W(0x39296a789a3bc004), W(0x0000000000000118),
    },
};

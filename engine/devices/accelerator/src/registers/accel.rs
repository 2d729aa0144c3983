// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
// Generated from hw/accel/accel.rdl by `make generate`; do not edit.

//! Register offsets (bytes), field masks and shifts of the accelerator.

#![allow(dead_code)] // not every field has a reader here

/// Offset. Identification.
pub const IDENTIFICATION: u32 = 0x00;
/// What [`IDENTIFICATION`] reads as.
pub const IDENTIFICATION_MAGIC_VALUE: u32 = 0x4C49_4D43;

/// Offset. Version of this register map.
pub const VERSION: u32 = 0x04;
/// Mask in [`VERSION`]. Raised by a change that no host can see.
pub const VERSION_PATCH_MASK: u32 = 0x0000_00FF;
/// Lowest bit of [`VERSION_PATCH_MASK`].
pub const VERSION_PATCH_SHIFT: u32 = 0;
/// What [`VERSION_PATCH_MASK`] reads as, shifted down.
pub const VERSION_PATCH_VALUE: u32 = 0x0000_0000;
/// Mask in [`VERSION`]. Raised by an addition.
pub const VERSION_MINOR_MASK: u32 = 0x0000_FF00;
/// Lowest bit of [`VERSION_MINOR_MASK`].
pub const VERSION_MINOR_SHIFT: u32 = 8;
/// What [`VERSION_MINOR_MASK`] reads as, shifted down.
pub const VERSION_MINOR_VALUE: u32 = 0x0000_0003;
/// Mask in [`VERSION`]. Raised by a change that an older host would misread.
pub const VERSION_MAJOR_MASK: u32 = 0x00FF_0000;
/// Lowest bit of [`VERSION_MAJOR_MASK`].
pub const VERSION_MAJOR_SHIFT: u32 = 16;
/// What [`VERSION_MAJOR_MASK`] reads as, shifted down.
pub const VERSION_MAJOR_VALUE: u32 = 0x0000_0002;

/// Offset. Capabilities.
pub const CAPABILITY: u32 = 0x08;
/// Mask in [`CAPABILITY`]. Algorithm.
pub const CAPABILITY_ALGORITHM_MASK: u32 = 0x0000_000F;
/// Lowest bit of [`CAPABILITY_ALGORITHM_MASK`].
pub const CAPABILITY_ALGORITHM_SHIFT: u32 = 0;
/// Value of [`CAPABILITY_ALGORITHM_MASK`], shifted down: AES (FIPS 197) in modes of operation.
pub const CAPABILITY_ALGORITHM_AES: u32 = 0x0000_0000;
/// Value of [`CAPABILITY_ALGORITHM_MASK`], shifted down: Ascon-AEAD128 and Ascon-Hash256 (SP
/// 800-232).
pub const CAPABILITY_ALGORITHM_ASCON: u32 = 0x0000_0001;
/// Value of [`CAPABILITY_ALGORITHM_MASK`], shifted down: SHA-2 (FIPS 180-4) alone.
pub const CAPABILITY_ALGORITHM_SHA2: u32 = 0x0000_0002;
/// Value of [`CAPABILITY_ALGORITHM_MASK`], shifted down: ECDSA and ECDH (FIPS 186-5, SP 800-56A).
pub const CAPABILITY_ALGORITHM_ECC: u32 = 0x0000_0003;
/// Value of [`CAPABILITY_ALGORITHM_MASK`], shifted down: PRESENT (ISO/IEC 29192-2) in modes of
/// operation, with blocks of 8 bytes.
pub const CAPABILITY_ALGORITHM_PRESENT: u32 = 0x0000_0004;
/// Mask in [`CAPABILITY`]. Architecture of the core.
pub const CAPABILITY_ARCHITECTURE_MASK: u32 = 0x0000_00F0;
/// Lowest bit of [`CAPABILITY_ARCHITECTURE_MASK`].
pub const CAPABILITY_ARCHITECTURE_SHIFT: u32 = 4;
/// Value of [`CAPABILITY_ARCHITECTURE_MASK`], shifted down: one round used again and again.
pub const CAPABILITY_ARCHITECTURE_ITERATIVE: u32 = 0x0000_0000;
/// Value of [`CAPABILITY_ARCHITECTURE_MASK`], shifted down: all rounds, with registers between
/// them.
pub const CAPABILITY_ARCHITECTURE_PIPELINED: u32 = 0x0000_0001;
/// Value of [`CAPABILITY_ARCHITECTURE_MASK`], shifted down: a part of a round at a time.
pub const CAPABILITY_ARCHITECTURE_SERIAL: u32 = 0x0000_0002;
/// Value of [`CAPABILITY_ARCHITECTURE_MASK`], shifted down: several rounds in a cycle.
pub const CAPABILITY_ARCHITECTURE_UNROLLED: u32 = 0x0000_0003;
/// Mask in [`CAPABILITY`]. S-box of AES.
pub const CAPABILITY_SBOX_MASK: u32 = 0x0000_0300;
/// Lowest bit of [`CAPABILITY_SBOX_MASK`].
pub const CAPABILITY_SBOX_SHIFT: u32 = 8;
/// Value of [`CAPABILITY_SBOX_MASK`], shifted down: a table of 256 bytes.
pub const CAPABILITY_SBOX_TABLE: u32 = 0x0000_0000;
/// Value of [`CAPABILITY_SBOX_MASK`], shifted down: arithmetic in a composite field.
pub const CAPABILITY_SBOX_COMPOSITE: u32 = 0x0000_0001;
/// Value of [`CAPABILITY_SBOX_MASK`], shifted down: decoder, wires, encoder.
pub const CAPABILITY_SBOX_DECODER: u32 = 0x0000_0002;
/// Mask in [`CAPABILITY`]. Encryption is present.
pub const CAPABILITY_ENCRYPT_MASK: u32 = 0x0000_0400;
/// Mask in [`CAPABILITY`]. Decryption is present.
pub const CAPABILITY_DECRYPT_MASK: u32 = 0x0000_0800;
/// Mask in [`CAPABILITY`]. 128-bit keys are taken.
pub const CAPABILITY_KEY_128_MASK: u32 = 0x0000_1000;
/// Mask in [`CAPABILITY`]. 192-bit keys are taken.
pub const CAPABILITY_KEY_192_MASK: u32 = 0x0000_2000;
/// Mask in [`CAPABILITY`]. 256-bit keys are taken.
pub const CAPABILITY_KEY_256_MASK: u32 = 0x0000_4000;
/// Mask in [`CAPABILITY`]. ECB is present (SP 800-38A, 6.1).
pub const CAPABILITY_ECB_MASK: u32 = 0x0000_8000;
/// Mask in [`CAPABILITY`]. CBC is present (SP 800-38A, 6.2).
pub const CAPABILITY_CBC_MASK: u32 = 0x0001_0000;
/// Mask in [`CAPABILITY`]. CTR is present (SP 800-38A, 6.5).
pub const CAPABILITY_CTR_MASK: u32 = 0x0002_0000;
/// Mask in [`CAPABILITY`]. The bypass is present.
pub const CAPABILITY_BYPASS_MASK: u32 = 0x0004_0000;
/// Mask in [`CAPABILITY`]. The sink is present.
pub const CAPABILITY_SINK_MASK: u32 = 0x0008_0000;
/// Mask in [`CAPABILITY`]. Core and bus run on different clocks.
pub const CAPABILITY_ASYNCHRONOUS_MASK: u32 = 0x0010_0000;
/// Mask in [`CAPABILITY`]. GCM is present (SP 800-38D), with an IV of 96 bits and a tag of 128.
pub const CAPABILITY_GCM_MASK: u32 = 0x0020_0000;
/// Mask in [`CAPABILITY`]. XTS is present (SP 800-38E, IEEE 1619), for whole blocks and keys of 128
/// and 256 bits.
pub const CAPABILITY_XTS_MASK: u32 = 0x0040_0000;
/// Mask in [`CAPABILITY`]. The authenticated cipher of an algorithm without modes is present, with
/// a nonce and a tag of 128 bits.
pub const CAPABILITY_AEAD_MASK: u32 = 0x0080_0000;
/// Mask in [`CAPABILITY`]. Ascon-Hash256 is present.
pub const CAPABILITY_DIGEST_MASK: u32 = 0x0100_0000;
/// Mask in [`CAPABILITY`]. SHA-224 and SHA-256 are present, and HMAC with them (FIPS 198-1).
pub const CAPABILITY_SHA2_32_MASK: u32 = 0x0200_0000;
/// Mask in [`CAPABILITY`]. SHA-384, SHA-512, SHA-512/224 and SHA-512/256 are present, and HMAC with
/// them.
pub const CAPABILITY_SHA2_64_MASK: u32 = 0x0400_0000;
/// Mask in [`CAPABILITY`]. 80-bit keys are taken.
pub const CAPABILITY_KEY_80_MASK: u32 = 0x1000_0000;
/// Mask in [`CAPABILITY`]. The curve P-256 is present.
pub const CAPABILITY_P_256_MASK: u32 = 0x2000_0000;
/// Mask in [`CAPABILITY`]. The curve P-384 is present.
pub const CAPABILITY_P_384_MASK: u32 = 0x4000_0000;
/// Mask in [`CAPABILITY`]. The curve P-521 is present.
pub const CAPABILITY_P_521_MASK: u32 = 0x8000_0000;

/// Offset. Geometry.
pub const GEOMETRY: u32 = 0x0C;
/// Mask in [`GEOMETRY`]. Width of the streams in bytes: 4, 8 or 16.
pub const GEOMETRY_STREAM_BYTES_MASK: u32 = 0x0000_00FF;
/// Lowest bit of [`GEOMETRY_STREAM_BYTES_MASK`].
pub const GEOMETRY_STREAM_BYTES_SHIFT: u32 = 0;
/// Mask in [`GEOMETRY`]. Depth of the input FIFO, in blocks.
pub const GEOMETRY_INPUT_FIFO_BLOCKS_MASK: u32 = 0x0000_FF00;
/// Lowest bit of [`GEOMETRY_INPUT_FIFO_BLOCKS_MASK`].
pub const GEOMETRY_INPUT_FIFO_BLOCKS_SHIFT: u32 = 8;
/// Mask in [`GEOMETRY`]. Depth of the output FIFO, in blocks.
pub const GEOMETRY_OUTPUT_FIFO_BLOCKS_MASK: u32 = 0x00FF_0000;
/// Lowest bit of [`GEOMETRY_OUTPUT_FIFO_BLOCKS_MASK`].
pub const GEOMETRY_OUTPUT_FIFO_BLOCKS_SHIFT: u32 = 16;
/// Mask in [`GEOMETRY`]. Pipeline registers in each round; 0 where the core has no pipeline.
pub const GEOMETRY_STAGES_PER_ROUND_MASK: u32 = 0x0F00_0000;
/// Lowest bit of [`GEOMETRY_STAGES_PER_ROUND_MASK`].
pub const GEOMETRY_STAGES_PER_ROUND_SHIFT: u32 = 24;
/// Mask in [`GEOMETRY`]. Elliptic curves: slots for private keys, in each channel.
pub const GEOMETRY_KEY_SLOTS_MASK: u32 = 0xF000_0000;
/// Lowest bit of [`GEOMETRY_KEY_SLOTS_MASK`].
pub const GEOMETRY_KEY_SLOTS_SHIFT: u32 = 28;

/// Offset. Control. Each bit written as one starts its action; reads as zero.
pub const CONTROL: u32 = 0x10;
/// Mask in [`CONTROL`]. Start a message with the CONFIGURATION, MESSAGE_LENGTH and IV that stand.
pub const CONTROL_START_MASK: u32 = 0x0000_0001;
/// Mask in [`CONTROL`]. Take KEY with CONFIGURATION.key_size. When that is refused as unsupported
/// or incomplete, no key is loaded any more.
pub const CONTROL_LOAD_KEY_MASK: u32 = 0x0000_0002;
/// Mask in [`CONTROL`]. Drop the message in progress and sweep every register, RAM and FIFO that
/// holds key, keystream or data.
pub const CONTROL_ZEROISE_MASK: u32 = 0x0000_0004;
/// Mask in [`CONTROL`]. Drop the message in progress and all data in the FIFOs; the key stays.
pub const CONTROL_ABORT_MASK: u32 = 0x0000_0008;
/// Mask in [`CONTROL`]. XTS: take KEY with CONFIGURATION.key_size as the key of the tweaks, Key 2.
/// Refused as load_key is, and with 192 bits as unsupported; ignored beside load_key with
/// ERROR.busy.
pub const CONTROL_LOAD_TWEAK_KEY_MASK: u32 = 0x0000_0010;

/// Offset. Configuration. Writes are ignored while STATUS.busy or STATUS.zeroising is one.
pub const CONFIGURATION: u32 = 0x14;
/// Mask in [`CONFIGURATION`]. What is done with the message.
pub const CONFIGURATION_MODE_MASK: u32 = 0x0000_0007;
/// Lowest bit of [`CONFIGURATION_MODE_MASK`].
pub const CONFIGURATION_MODE_SHIFT: u32 = 0;
/// Value of [`CONFIGURATION_MODE_MASK`], shifted down: electronic codebook (SP 800-38A, 6.1).
pub const CONFIGURATION_MODE_ECB: u32 = 0x0000_0000;
/// Value of [`CONFIGURATION_MODE_MASK`], shifted down: cipher block chaining (SP 800-38A, 6.2).
pub const CONFIGURATION_MODE_CBC: u32 = 0x0000_0001;
/// Value of [`CONFIGURATION_MODE_MASK`], shifted down: counter (SP 800-38A, 6.5).
pub const CONFIGURATION_MODE_CTR: u32 = 0x0000_0002;
/// Value of [`CONFIGURATION_MODE_MASK`], shifted down: Galois/counter (SP 800-38D).
pub const CONFIGURATION_MODE_GCM: u32 = 0x0000_0003;
/// Value of [`CONFIGURATION_MODE_MASK`], shifted down: storage by data units (SP 800-38E).
pub const CONFIGURATION_MODE_XTS: u32 = 0x0000_0004;
/// Value of [`CONFIGURATION_MODE_MASK`], shifted down: the authenticated cipher of an algorithm
/// without modes.
pub const CONFIGURATION_MODE_AEAD: u32 = 0x0000_0005;
/// Value of [`CONFIGURATION_MODE_MASK`], shifted down: a hash.
pub const CONFIGURATION_MODE_DIGEST: u32 = 0x0000_0006;
/// Mask in [`CONFIGURATION`]. Ignored by digests.
pub const CONFIGURATION_DIRECTION_MASK: u32 = 0x0000_0008;
/// Lowest bit of [`CONFIGURATION_DIRECTION_MASK`].
pub const CONFIGURATION_DIRECTION_SHIFT: u32 = 3;
/// Value of [`CONFIGURATION_DIRECTION_MASK`], shifted down: plaintext in, ciphertext out.
pub const CONFIGURATION_DIRECTION_ENCRYPT: u32 = 0x0000_0000;
/// Value of [`CONFIGURATION_DIRECTION_MASK`], shifted down: ciphertext in, plaintext out.
pub const CONFIGURATION_DIRECTION_DECRYPT: u32 = 0x0000_0001;
/// Mask in [`CONFIGURATION`]. Sampled by CONTROL.load_key.
pub const CONFIGURATION_KEY_SIZE_MASK: u32 = 0x0000_0030;
/// Lowest bit of [`CONFIGURATION_KEY_SIZE_MASK`].
pub const CONFIGURATION_KEY_SIZE_SHIFT: u32 = 4;
/// Value of [`CONFIGURATION_KEY_SIZE_MASK`], shifted down: 128 bits.
pub const CONFIGURATION_KEY_SIZE_BITS_128: u32 = 0x0000_0000;
/// Value of [`CONFIGURATION_KEY_SIZE_MASK`], shifted down: 192 bits.
pub const CONFIGURATION_KEY_SIZE_BITS_192: u32 = 0x0000_0001;
/// Value of [`CONFIGURATION_KEY_SIZE_MASK`], shifted down: 256 bits.
pub const CONFIGURATION_KEY_SIZE_BITS_256: u32 = 0x0000_0002;
/// Value of [`CONFIGURATION_KEY_SIZE_MASK`], shifted down: 80 bits: the first ten bytes of KEY.
pub const CONFIGURATION_KEY_SIZE_BITS_80: u32 = 0x0000_0003;
/// Mask in [`CONFIGURATION`]. Bits of the IV that CTR counts, at its end; 32 or 64 with PRESENT.
pub const CONFIGURATION_COUNTER_WIDTH_MASK: u32 = 0x0000_00C0;
/// Lowest bit of [`CONFIGURATION_COUNTER_WIDTH_MASK`].
pub const CONFIGURATION_COUNTER_WIDTH_SHIFT: u32 = 6;
/// Value of [`CONFIGURATION_COUNTER_WIDTH_MASK`], shifted down: 32 bits.
pub const CONFIGURATION_COUNTER_WIDTH_BITS_32: u32 = 0x0000_0000;
/// Value of [`CONFIGURATION_COUNTER_WIDTH_MASK`], shifted down: 64 bits.
pub const CONFIGURATION_COUNTER_WIDTH_BITS_64: u32 = 0x0000_0001;
/// Value of [`CONFIGURATION_COUNTER_WIDTH_MASK`], shifted down: 128 bits.
pub const CONFIGURATION_COUNTER_WIDTH_BITS_128: u32 = 0x0000_0002;
/// Mask in [`CONFIGURATION`]. Data goes through uncoded.
pub const CONFIGURATION_BYPASS_MASK: u32 = 0x0000_0100;
/// Mask in [`CONFIGURATION`]. The output is consumed and counted in SINK_BYTES instead of being
/// sent.
pub const CONFIGURATION_SINK_MASK: u32 = 0x0000_0200;
/// Mask in [`CONFIGURATION`]. The hash of a digest, and of the nonce of a signature with a key
/// slot. Zero in a device without SHA-2.
pub const CONFIGURATION_HASH_MASK: u32 = 0x0000_1C00;
/// Lowest bit of [`CONFIGURATION_HASH_MASK`].
pub const CONFIGURATION_HASH_SHIFT: u32 = 10;
/// Value of [`CONFIGURATION_HASH_MASK`], shifted down: Ascon-Hash256 (SP 800-232).
pub const CONFIGURATION_HASH_ASCON_HASH256: u32 = 0x0000_0000;
/// Value of [`CONFIGURATION_HASH_MASK`], shifted down: SHA-224 (FIPS 180-4).
pub const CONFIGURATION_HASH_SHA_224: u32 = 0x0000_0001;
/// Value of [`CONFIGURATION_HASH_MASK`], shifted down: SHA-256.
pub const CONFIGURATION_HASH_SHA_256: u32 = 0x0000_0002;
/// Value of [`CONFIGURATION_HASH_MASK`], shifted down: SHA-384.
pub const CONFIGURATION_HASH_SHA_384: u32 = 0x0000_0003;
/// Value of [`CONFIGURATION_HASH_MASK`], shifted down: SHA-512.
pub const CONFIGURATION_HASH_SHA_512: u32 = 0x0000_0004;
/// Value of [`CONFIGURATION_HASH_MASK`], shifted down: SHA-512/224.
pub const CONFIGURATION_HASH_SHA_512_224: u32 = 0x0000_0005;
/// Value of [`CONFIGURATION_HASH_MASK`], shifted down: SHA-512/256.
pub const CONFIGURATION_HASH_SHA_512_256: u32 = 0x0000_0006;
/// Mask in [`CONFIGURATION`]. Digests of SHA-2: HMAC with the hash, under a key that is sent before
/// the message.
pub const CONFIGURATION_AUTHENTICATE_MASK: u32 = 0x0000_2000;
/// Mask in [`CONFIGURATION`]. What is done on an elliptic curve; mode and direction are ignored.
pub const CONFIGURATION_OPERATION_MASK: u32 = 0x0007_0000;
/// Lowest bit of [`CONFIGURATION_OPERATION_MASK`].
pub const CONFIGURATION_OPERATION_SHIFT: u32 = 16;
/// Value of [`CONFIGURATION_OPERATION_MASK`], shifted down: random bits in; private key and public
/// key out.
pub const CONFIGURATION_OPERATION_GENERATE: u32 = 0x0000_0000;
/// Value of [`CONFIGURATION_OPERATION_MASK`], shifted down: private key in, public key out.
pub const CONFIGURATION_OPERATION_PUBLIC_KEY: u32 = 0x0000_0001;
/// Value of [`CONFIGURATION_OPERATION_MASK`], shifted down: private key, nonce and digest in; r and
/// s out.
pub const CONFIGURATION_OPERATION_SIGN: u32 = 0x0000_0002;
/// Value of [`CONFIGURATION_OPERATION_MASK`], shifted down: public key, r, s and digest in;
/// STATUS.outcome is the answer.
pub const CONFIGURATION_OPERATION_VERIFY: u32 = 0x0000_0003;
/// Value of [`CONFIGURATION_OPERATION_MASK`], shifted down: private key and the other side's public
/// key in; shared secret out.
pub const CONFIGURATION_OPERATION_AGREE: u32 = 0x0000_0004;
/// Value of [`CONFIGURATION_OPERATION_MASK`], shifted down: private key in, which stays in the key
/// slot; public key out.
pub const CONFIGURATION_OPERATION_IMPORT: u32 = 0x0000_0005;
/// Value of [`CONFIGURATION_OPERATION_MASK`], shifted down: the key slot is emptied; nothing in,
/// nothing out.
pub const CONFIGURATION_OPERATION_ERASE: u32 = 0x0000_0006;
/// Mask in [`CONFIGURATION`]. The elliptic curve.
pub const CONFIGURATION_CURVE_MASK: u32 = 0x0030_0000;
/// Lowest bit of [`CONFIGURATION_CURVE_MASK`].
pub const CONFIGURATION_CURVE_SHIFT: u32 = 20;
/// Value of [`CONFIGURATION_CURVE_MASK`], shifted down: P-256: integers of 32 bytes.
pub const CONFIGURATION_CURVE_P_256: u32 = 0x0000_0000;
/// Value of [`CONFIGURATION_CURVE_MASK`], shifted down: P-384: integers of 48 bytes.
pub const CONFIGURATION_CURVE_P_384: u32 = 0x0000_0001;
/// Value of [`CONFIGURATION_CURVE_MASK`], shifted down: P-521: integers of 66 bytes.
pub const CONFIGURATION_CURVE_P_521: u32 = 0x0000_0002;
/// Mask in [`CONFIGURATION`]. Elliptic curves: the slot of the private key, from 1 on. It is then
/// no operand and no result, and nor is the nonce of a signature, which the device computes with
/// hash (RFC 6979); import and erase need a slot. 0: the private key is an operand. Zero in a
/// device without slots.
pub const CONFIGURATION_KEY_SLOT_MASK: u32 = 0x03C0_0000;
/// Lowest bit of [`CONFIGURATION_KEY_SLOT_MASK`].
pub const CONFIGURATION_KEY_SLOT_SHIFT: u32 = 22;

/// Offset. Status.
pub const STATUS: u32 = 0x18;
/// Mask in [`STATUS`]. A message is in progress.
pub const STATUS_BUSY_MASK: u32 = 0x0000_0001;
/// Mask in [`STATUS`]. A sweep is in progress; every start and key load is refused meanwhile.
pub const STATUS_ZEROISING_MASK: u32 = 0x0000_0002;
/// Mask in [`STATUS`]. A key has been loaded since the last sweep.
pub const STATUS_KEY_LOADED_MASK: u32 = 0x0000_0004;
/// Mask in [`STATUS`]. A key load is waiting for the core.
pub const STATUS_KEY_PENDING_MASK: u32 = 0x0000_0008;
/// Mask in [`STATUS`]. The last message ended without an error.
pub const STATUS_DONE_MASK: u32 = 0x0000_0010;
/// Mask in [`STATUS`]. A key of the tweaks has been loaded since the last sweep.
pub const STATUS_TWEAK_KEY_LOADED_MASK: u32 = 0x0000_0020;
/// Mask in [`STATUS`]. AEAD: the last message was decrypted, and its tag was wrong: discard the
/// plaintext. STATUS.done is zero then.
pub const STATUS_FORGED_MASK: u32 = 0x0000_0040;
/// Mask in [`STATUS`]. Elliptic curves: how the last operation ended; STATUS.done is zero unless it
/// is good. Zero while STATUS.busy is one.
pub const STATUS_OUTCOME_MASK: u32 = 0x0000_0F00;
/// Lowest bit of [`STATUS_OUTCOME_MASK`].
pub const STATUS_OUTCOME_SHIFT: u32 = 8;
/// Value of [`STATUS_OUTCOME_MASK`], shifted down: good; of a verification: the signature is
/// authentic.
pub const STATUS_OUTCOME_GOOD: u32 = 0x0000_0000;
/// Value of [`STATUS_OUTCOME_MASK`], shifted down: the random bits give no private key: offer
/// others.
pub const STATUS_OUTCOME_RANDOM: u32 = 0x0000_0001;
/// Value of [`STATUS_OUTCOME_MASK`], shifted down: the private key is zero or not below the order.
pub const STATUS_OUTCOME_PRIVATE_KEY: u32 = 0x0000_0002;
/// Value of [`STATUS_OUTCOME_MASK`], shifted down: the nonce is zero or not below the order.
pub const STATUS_OUTCOME_NONCE: u32 = 0x0000_0003;
/// Value of [`STATUS_OUTCOME_MASK`], shifted down: a coordinate is not below the prime.
pub const STATUS_OUTCOME_COORDINATE: u32 = 0x0000_0004;
/// Value of [`STATUS_OUTCOME_MASK`], shifted down: the point is (0, 0), which stands for infinity.
pub const STATUS_OUTCOME_INFINITY: u32 = 0x0000_0005;
/// Value of [`STATUS_OUTCOME_MASK`], shifted down: the point is not on the curve.
pub const STATUS_OUTCOME_OFF_CURVE: u32 = 0x0000_0006;
/// Value of [`STATUS_OUTCOME_MASK`], shifted down: r or s is zero or not below the order.
pub const STATUS_OUTCOME_SIGNATURE: u32 = 0x0000_0007;
/// Value of [`STATUS_OUTCOME_MASK`], shifted down: the signature is wrong.
pub const STATUS_OUTCOME_INVALID: u32 = 0x0000_0008;
/// Value of [`STATUS_OUTCOME_MASK`], shifted down: r would be zero: sign with another nonce.
pub const STATUS_OUTCOME_ZERO_R: u32 = 0x0000_0009;
/// Value of [`STATUS_OUTCOME_MASK`], shifted down: s would be zero: sign with another nonce.
pub const STATUS_OUTCOME_ZERO_S: u32 = 0x0000_000A;

/// Offset. Error. Sticky; write one to clear. Any bit but busy refuses or stops a message; busy
/// refuses the start or the key load and leaves a message in progress alone.
pub const ERROR: u32 = 0x1C;
/// Mask in [`ERROR`]. ECB, CBC or XTS was started with a length that is not a whole number of
/// blocks (8 bytes in PRESENT, else 16), or XTS with such a data unit or none; or an operation on
/// an elliptic curve with another length than that of its operands.
pub const ERROR_LENGTH_MASK: u32 = 0x0000_0001;
/// Mask in [`ERROR`]. CTR would use a counter value twice since the IV was loaded, or GCM or AEAD
/// an IV; or a GCM text is longer than 2^32 - 2 blocks.
pub const ERROR_COUNTER_MASK: u32 = 0x0000_0002;
/// Mask in [`ERROR`]. Started without a key or with an empty key slot, or CONTROL.load_key before
/// every word of the key was written.
pub const ERROR_NO_KEY_MASK: u32 = 0x0000_0004;
/// Mask in [`ERROR`]. Mode, direction, key size, operation, curve, hash or key slot is not present
/// in this device, or the keys of XTS differ in size or have 192 bits.
pub const ERROR_UNSUPPORTED_MASK: u32 = 0x0000_0008;
/// Mask in [`ERROR`]. Started, or a key loaded, while busy or zeroising.
pub const ERROR_BUSY_MASK: u32 = 0x0000_0010;
/// Mask in [`ERROR`]. The incoming TLAST or TKEEP does not agree with MESSAGE_LENGTH.
pub const ERROR_FRAMING_MASK: u32 = 0x0000_0020;
/// Mask in [`ERROR`]. The key in the slot is one of another curve; or a key would enter a slot that
/// has one: erase it first.
pub const ERROR_SLOT_MASK: u32 = 0x0000_0040;

/// Offset. Interrupt enable.
pub const INTERRUPT_ENABLE: u32 = 0x20;
/// Mask in [`INTERRUPT_ENABLE`]. A message ended.
pub const INTERRUPT_ENABLE_DONE_MASK: u32 = 0x0000_0001;
/// Mask in [`INTERRUPT_ENABLE`]. ERROR became non-zero.
pub const INTERRUPT_ENABLE_ERROR_MASK: u32 = 0x0000_0002;

/// Offset. Interrupt state. Sticky; write one to clear.
pub const INTERRUPT_STATE: u32 = 0x24;
/// Mask in [`INTERRUPT_STATE`]. A message ended.
pub const INTERRUPT_STATE_DONE_MASK: u32 = 0x0000_0001;
/// Mask in [`INTERRUPT_STATE`]. ERROR became non-zero.
pub const INTERRUPT_STATE_ERROR_MASK: u32 = 0x0000_0002;

/// Offset. Message length, low word. In bytes; in GCM and AEAD those of the text, in digests those
/// of the input, on elliptic curves those of all operands. The outgoing TLAST derives from it.
/// Writes are ignored while STATUS.busy or STATUS.zeroising is one.
pub const MESSAGE_LENGTH_LOW: u32 = 0x28;

/// Offset. Message length, high word.
pub const MESSAGE_LENGTH_HIGH: u32 = 0x2C;

/// Offset. Initialisation vector. Byte n of the IV is byte n % 4 of word n / 4. CBC: the chaining
/// value; CTR: the next counter block; both in words 0 and 1 with PRESENT; GCM: the IV in words 0
/// to 2; AEAD: the nonce; XTS: the number of the next data unit, little endian. Reads give the
/// state after the last message. Writing any word sets IV_BLOCKS to zero. Writes are ignored while
/// STATUS.busy or STATUS.zeroising is one.
pub const IV: u32 = 0x30;
/// Number of words of [`IV`].
pub const IV_WORDS: usize = 4;

/// Offset. Key. Write only. Byte n of the key is byte n % 4 of word n / 4. All words return to zero
/// when the core has taken the key, and must be written anew for the next one. A write without all
/// four byte strobes is ignored. Writes are ignored while STATUS.key_pending or STATUS.zeroising is
/// one.
pub const KEY: u32 = 0x40;
/// Number of words of [`KEY`].
pub const KEY_WORDS: usize = 8;

/// Offset. Blocks since the IV was loaded, low word. Counts blocks of CTR, and of the text in GCM.
/// To restore a saved state write IV, then these two words. Writes are ignored while STATUS.busy or
/// STATUS.zeroising is one.
pub const IV_BLOCKS_LOW: u32 = 0x60;

/// Offset. Blocks since the IV was loaded, high word.
pub const IV_BLOCKS_HIGH: u32 = 0x64;

/// Offset. Cycles of the last message, low word. Core cycles from start to the end of the message:
/// its last beat has left, the sink has its last byte, or GCM or AEAD its tag. Running while busy.
pub const CYCLES_LOW: u32 = 0x70;

/// Offset. Cycles of the last message, high word.
pub const CYCLES_HIGH: u32 = 0x74;

/// Offset. Cycles in which the core waited for input.
pub const STALL_INPUT: u32 = 0x78;

/// Offset. Cycles in which a result waited for the output.
pub const STALL_OUTPUT: u32 = 0x7C;

/// Offset. Bytes consumed by the sink in the last message, low word.
pub const SINK_BYTES_LOW: u32 = 0x80;

/// Offset. Bytes consumed by the sink in the last message, high word.
pub const SINK_BYTES_HIGH: u32 = 0x84;

/// Offset. Length of the associated data, low word. GCM and AEAD: in bytes. That many go before the
/// text, as a packet of their own with its TLAST; none when it is zero. HMAC: the length of the
/// key, which goes before the message in the same way. Writes are ignored while STATUS.busy or
/// STATUS.zeroising is one, and in a device without GCM, AEAD and SHA-2.
pub const AAD_LENGTH_LOW: u32 = 0x88;

/// Offset. Length of the associated data, high word.
pub const AAD_LENGTH_HIGH: u32 = 0x8C;
/// Mask in [`AAD_LENGTH_HIGH`]. Bits 60 to 32 of the length.
pub const AAD_LENGTH_HIGH_VALUE_MASK: u32 = 0x1FFF_FFFF;
/// Lowest bit of [`AAD_LENGTH_HIGH_VALUE_MASK`].
pub const AAD_LENGTH_HIGH_VALUE_SHIFT: u32 = 0;

/// Offset. Tag. GCM: the tag of the message that ended, whichever its direction; the host compares.
/// AEAD: the tag of encryption; the device compares that of decryption, which follows the text as a
/// packet of 16 bytes. Byte n of the tag is byte n % 4 of word n / 4. Zero from the start of a
/// message until STATUS.done, and after abort and zeroise.
pub const TAG: u32 = 0x90;
/// Number of words of [`TAG`].
pub const TAG_WORDS: usize = 4;

/// Offset. Length of a data unit. XTS: in bytes, a multiple of 16; the last data unit of a message
/// may be shorter. Writes are ignored while STATUS.busy or STATUS.zeroising is one, and in a device
/// without XTS.
pub const DATA_UNIT_LENGTH: u32 = 0xA0;

/// Offset. Channels of the device.
pub const CHANNELS: u32 = 0xA8;
/// Mask in [`CHANNELS`]. Channels of this device, each with 256 bytes of registers.
pub const CHANNELS_COUNT_MASK: u32 = 0x0000_00FF;
/// Lowest bit of [`CHANNELS_COUNT_MASK`].
pub const CHANNELS_COUNT_SHIFT: u32 = 0;
/// Mask in [`CHANNELS`]. Cores that the channels with this algorithm share, or have between them.
pub const CHANNELS_CORES_MASK: u32 = 0x0000_FF00;
/// Lowest bit of [`CHANNELS_CORES_MASK`].
pub const CHANNELS_CORES_SHIFT: u32 = 8;
/// Mask in [`CHANNELS`]. Number of the channel that these registers belong to.
pub const CHANNELS_INDEX_MASK: u32 = 0x00FF_0000;
/// Lowest bit of [`CHANNELS_INDEX_MASK`].
pub const CHANNELS_INDEX_SHIFT: u32 = 16;

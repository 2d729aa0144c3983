// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! AES by VAES instructions: ECB, CBC decryption and CTR (SP 800-38A) on vectors of several
//! blocks, in whole passes. What is left over is AWS-LC's, and so is CBC encryption of a single
//! stream, whose blocks follow from one another. Several streams go side by side, by VAES or
//! AES-NI.

mod aes_ni;
mod lanes;
mod modes;
mod schedule;
mod streams;
mod vaes256;
mod vaes512;
pub(crate) mod vector;

#[cfg(test)]
mod tests;

use ciphermill::{BLOCK_BYTES, Direction, Key, Mode};
use schedule::Schedule;
pub(crate) use streams::{LaneKernel, Stream, encrypt as encrypt_streams};

use crate::instructions::{Instructions, Vaes256, Vaes512};

/// Instructions that are proven to be there.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kernel {
    Vaes256(Vaes256),
    Vaes512(Vaes512),
}

impl Kernel {
    /// The kernel for these instructions; `None` where the processor lacks them,
    /// and for [`Instructions::Library`], which needs none.
    pub(crate) fn detect(instructions: Instructions) -> Option<Kernel> {
        match instructions {
            Instructions::Vaes512 => Vaes512::detect().map(Kernel::Vaes512),
            Instructions::Vaes256 => Vaes256::detect().map(Kernel::Vaes256),
            Instructions::Library => None,
        }
    }

    /// Blocks that it works on side by side.
    fn pass_blocks(self) -> usize {
        match self {
            Kernel::Vaes256(_) => vaes256::PASS_BLOCKS,
            Kernel::Vaes512(_) => vaes512::PASS_BLOCKS,
        }
    }

    /// Bytes of a pass: less is not worked on.
    #[inline]
    pub(crate) fn pass_bytes(self) -> usize {
        self.pass_blocks() * BLOCK_BYTES
    }
}

/// What a kernel can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    EcbEncrypt,
    EcbDecrypt,
    CbcDecrypt,
    Ctr,
}

impl Operation {
    /// That of a mode and direction; `None` where no kernel has them.
    pub(crate) fn of(mode: Mode, direction: Direction) -> Option<Operation> {
        match (mode, direction) {
            (Mode::Ecb, Direction::Encrypt) => Some(Operation::EcbEncrypt),
            (Mode::Ecb, Direction::Decrypt) => Some(Operation::EcbDecrypt),
            (Mode::Cbc, Direction::Decrypt) => Some(Operation::CbcDecrypt),
            (Mode::Ctr, _) => Some(Operation::Ctr),
            (Mode::Cbc | Mode::Gcm | Mode::Xts, _) => None,
        }
    }
}

/// A key for whole passes of blocks. The round keys are zeroised when it is dropped.
pub(crate) struct Cipher {
    kernel: Kernel,
    schedule: Schedule,
    operation: Operation,
}

impl Cipher {
    pub(crate) fn new(kernel: Kernel, operation: Operation, key: &Key) -> Cipher {
        let narrow = match kernel {
            Kernel::Vaes256(proof) => proof.narrow(),
            Kernel::Vaes512(proof) => proof.narrow(),
        };
        let schedule = match operation {
            Operation::EcbDecrypt | Operation::CbcDecrypt => {
                Schedule::decryption(narrow, key.as_bytes())
            }
            Operation::EcbEncrypt | Operation::Ctr => Schedule::encryption(narrow, key.as_bytes()),
        };
        Cipher {
            kernel,
            schedule,
            operation,
        }
    }

    /// Bytes of a pass.
    #[inline]
    pub(crate) fn pass_bytes(&self) -> usize {
        self.kernel.pass_bytes()
    }

    /// Bytes before the first pass: in CTR those before a counter that is a multiple of a
    /// pass's blocks.
    #[inline]
    pub(crate) fn lead_bytes(&self, iv: [u8; BLOCK_BYTES]) -> usize {
        match self.operation {
            Operation::Ctr => {
                let before = u128::from_be_bytes(iv).wrapping_neg();
                BLOCK_BYTES * (before % self.kernel.pass_blocks() as u128) as usize
            }
            _ => 0,
        }
    }

    /// Works in place on as many whole passes as the data has, and gives back the rest. The
    /// IV, after whose [`Cipher::lead_bytes`] the data begins, becomes that of the rest; ECB
    /// has none.
    #[inline]
    pub(crate) fn process<'a>(
        &self,
        iv: &mut [u8; BLOCK_BYTES],
        data: &'a mut [u8],
    ) -> &'a mut [u8] {
        self.run(&[], iv, data)
    }

    /// ECB on whole passes in place, with a mask of 16 bytes added to each block before and
    /// after; gives back the rest. There are as many masks as blocks.
    pub(crate) fn process_masked<'a>(&self, masks: &[u8], data: &'a mut [u8]) -> &'a mut [u8] {
        let is_ecb = matches!(
            self.operation,
            Operation::EcbEncrypt | Operation::EcbDecrypt
        );
        assert!(
            is_ecb && masks.len() == data.len(),
            "masks are for ECB, one a block"
        );
        self.run(masks, &mut [0; BLOCK_BYTES], data)
    }

    fn run<'a>(
        &self,
        masks: &[u8],
        iv: &mut [u8; BLOCK_BYTES],
        data: &'a mut [u8],
    ) -> &'a mut [u8] {
        let (operation, schedule) = (self.operation, &self.schedule);
        match self.kernel {
            Kernel::Vaes256(proof) => vaes256::process(proof, operation, schedule, masks, iv, data),
            Kernel::Vaes512(proof) => vaes512::process(proof, operation, schedule, masks, iv, data),
        }
    }
}

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The source of the kernels, as one text for the compiler of a driver.

use std::fmt;
use std::str::FromStr;

use ciphermill::{Error, Result};

/// The language that the driver compiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// OpenCL C 1.2.
    OpenCl,
    /// CUDA C++.
    Cuda,
}

/// How the kernels compute AES.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Implementation {
    /// Bit slices, in constant time: the default, for secret data.
    #[default]
    Bitsliced,
    /// Look-ups in tables in local memory, whose times depend on the key and on data. Choose it
    /// where nobody who may not have the key can measure the device.
    Tables,
}

impl Implementation {
    /// All of them.
    pub const ALL: [Implementation; 2] = [Implementation::Bitsliced, Implementation::Tables];

    /// The name that chooses it.
    pub fn name(self) -> &'static str {
        match self {
            Implementation::Bitsliced => "bitsliced",
            Implementation::Tables => "tables",
        }
    }
}

impl fmt::Display for Implementation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Implementation {
    type Err = Error;

    fn from_str(name: &str) -> Result<Implementation> {
        let mut all = Implementation::ALL.into_iter();
        all.find(|kind| kind.name() == name).ok_or_else(|| {
            Error::invalid(format!(
                "no kernel is called {name:?}: choose bitsliced or tables"
            ))
        })
    }
}

/// A kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernel {
    /// ECB encryption.
    EcbEncrypt,
    /// ECB decryption.
    EcbDecrypt,
    /// CBC decryption.
    CbcDecrypt,
    /// CTR, and the keystream of GCM.
    Ctr,
    /// XTS encryption, with its masks.
    XtsEncrypt,
    /// XTS decryption, with its masks.
    XtsDecrypt,
    /// The masks of XTS.
    XtsMasks,
    /// A step of GHASH.
    Ghash,
}

impl Kernel {
    /// All of them.
    pub const ALL: [Kernel; 8] = [
        Kernel::EcbEncrypt,
        Kernel::EcbDecrypt,
        Kernel::CbcDecrypt,
        Kernel::Ctr,
        Kernel::XtsEncrypt,
        Kernel::XtsDecrypt,
        Kernel::XtsMasks,
        Kernel::Ghash,
    ];

    /// Its name in the source.
    pub fn name(self) -> &'static str {
        match self {
            Kernel::EcbEncrypt => "ecb_encrypt",
            Kernel::EcbDecrypt => "ecb_decrypt",
            Kernel::CbcDecrypt => "cbc_decrypt",
            Kernel::Ctr => "ctr",
            Kernel::XtsEncrypt => "xts_encrypt",
            Kernel::XtsDecrypt => "xts_decrypt",
            Kernel::XtsMasks => "xts_masks",
            Kernel::Ghash => "ghash",
        }
    }
}

/// What the kernels are compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// How they compute AES.
    pub implementation: Implementation,
    /// Words of a vector in bit slices: 1, 4, 8 or 16; more than 1 in OpenCL only.
    pub lanes: usize,
    /// Copies of a table in local memory.
    pub banks: usize,
    /// Work-items of a group, a power of two.
    pub group_items: usize,
    /// Groups that keep the device busy, for the kernels whose items go on to further blocks.
    pub groups: usize,
}

impl Shape {
    /// The source of all kernels.
    pub fn source(&self, dialect: Dialect) -> String {
        let words = match dialect {
            Dialect::OpenCl => include_str!("../kernels/opencl.h"),
            Dialect::Cuda => include_str!("../kernels/cuda.h"),
        };
        let sizes = format!(
            "#define LANES {}\n#define BANKS {}\n#define GROUP_SHIFT {}\n",
            self.lanes,
            self.banks,
            self.group_items.ilog2()
        );
        let mut parts = vec![words, &sizes, include_str!("../kernels/words.c")];
        let circuit = match dialect {
            Dialect::OpenCl => circuit(),
            Dialect::Cuda => include_str!("../kernels/aes_sbox_lut3.c").to_owned(),
        };
        match self.implementation {
            Implementation::Bitsliced => {
                parts.extend([&*circuit, include_str!("../kernels/bitsliced.c")]);
            }
            Implementation::Tables => parts.push(include_str!("../kernels/tables.c")),
        }
        parts.extend([
            include_str!("../kernels/modes.c"),
            include_str!("../kernels/fields.c"),
        ]);
        parts.concat()
    }

    /// Check that a kernel runs in groups of so many work-items, of which its driver allows `most`
    /// here: the more registers a kernel needs, the fewer.
    ///
    /// # Errors
    /// [`ciphermill::ErrorKind::Invalid`] where they are too many.
    pub fn check_group(&self, kernel: Kernel, most: usize) -> Result<()> {
        match self.group_items <= most {
            true => Ok(()),
            false => Err(Error::invalid(format!(
                "this device runs the kernel {} in groups of at most {most} work-items, not {}: set \
                 a smaller group_items",
                kernel.name(),
                self.group_items
            ))),
        }
    }

    /// Blocks that a group computes at once in bit slices.
    pub(crate) fn blocks_of_a_group(&self) -> usize {
        32 * self.lanes.div_ceil(4) * self.group_items
    }
}

/// The S-box of the firmware's ciphers, for words of this device.
fn circuit() -> String {
    let lines = include_str!("../kernels/aes_sbox_circuit.c").lines();
    let code = lines.filter(|line| !line.starts_with("#include"));
    let code: String = code.flat_map(|line| [line, "\n"]).collect();
    code.replace("uint32_t", "word_t")
}

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Detection of the processor's instructions, in one place.

use std::fmt;

/// Instructions that ECB, CBC and CTR can run on, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Instructions {
    /// VAES on 512-bit vectors: four blocks an instruction.
    Vaes512,
    /// VAES on 256-bit vectors: two blocks an instruction.
    Vaes256,
    /// AWS-LC's choice, from a block an instruction down to its bitsliced code without AES
    /// instructions.
    Library,
}

impl Instructions {
    /// Those that this processor has, best first; never empty.
    pub fn available() -> Vec<Instructions> {
        let mut available = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            if Vaes512::detect().is_some() {
                available.push(Instructions::Vaes512);
            }
            if Vaes256::detect().is_some() {
                available.push(Instructions::Vaes256);
            }
        }
        available.push(Instructions::Library);
        available
    }

    /// The best that this processor has.
    pub fn best() -> Instructions {
        Instructions::available()[0]
    }
}

impl fmt::Display for Instructions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Instructions::Vaes512 => "VAES-512",
            Instructions::Vaes256 => "VAES-256",
            Instructions::Library => "AWS-LC",
        })
    }
}

/// Whether the processor has instructions for AES at all.
pub(crate) fn has_aes() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("aes");
    #[cfg(target_arch = "aarch64")]
    return std::arch::is_aarch64_feature_detected!("aes");
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    return false;
}

/// A proof that the processor has certain instructions. Only detection creates it, so a
/// function that takes it may use them.
#[cfg(target_arch = "x86_64")]
macro_rules! proof {
    ($name:ident, $($feature:tt),+) => {
        #[doc = concat!("Proof of: ", $($feature, " "),+)]
        #[derive(Debug, Clone, Copy)]
        pub(crate) struct $name(());

        impl $name {
            /// The narrower instructions that come with these.
            pub(crate) fn narrow(self) -> AesNi {
                AesNi(())
            }

            pub(crate) fn detect() -> Option<$name> {
                ($(is_x86_feature_detected!($feature))&&+).then_some($name(()))
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
proof!(AesNi, "aes", "avx");
#[cfg(target_arch = "x86_64")]
proof!(Vaes256, "aes", "avx", "avx2", "vaes");
#[cfg(target_arch = "x86_64")]
proof!(Vaes512, "aes", "avx", "avx512f", "avx512bw", "vaes");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_is_always_there_and_last() {
        assert_eq!(
            Instructions::available().last(),
            Some(&Instructions::Library)
        );
        assert_eq!(Instructions::best(), Instructions::available()[0]);
    }
}

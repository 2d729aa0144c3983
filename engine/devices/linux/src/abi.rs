// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! The structures of `linux/ciphermill.h`, field for field; tests compare them with the C header.

use zeroize::{Zeroize, ZeroizeOnDrop};

/// CIPHERMILL_ABI.
pub(crate) const ABI: u32 = 1;

/// CIPHERMILL_IOC_MAGIC.
pub(crate) const MAGIC: u8 = 0xc1;

/// `struct ciphermill_info`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Info {
    pub abi: u32,
    pub version: u32,
    pub accelerator: u32,
    pub capability: u32,
    pub geometry: u32,
    pub ring: u32,
    pub rings: u32,
    pub key_slots: u32,
    pub khz: u32,
    pub message_bytes: u32,
    pub stream_bytes: u32,
    pub state: u32,
    pub messages: u64,
    pub doorbells: u64,
    pub interrupts: u64,
    pub lost_interrupts: u64,
    pub recoveries: u64,
    pub reserved: [u64; 4],
}

/// `struct ciphermill_key`.
#[repr(C)]
#[derive(Clone, Default, Zeroize, ZeroizeOnDrop)]
pub(crate) struct Key {
    pub bytes: u32,
    pub tweak_bytes: u32,
    pub key: [u8; 32],
    pub tweak_key: [u8; 32],
}

/// `struct ciphermill_segment`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Segment {
    pub address: u64,
    pub bytes: u64,
}

/// `struct ciphermill_message`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Message {
    pub configuration: u32,
    pub unit_bytes: u32,
    pub source: u64,
    pub destination: u64,
    pub associated: u64,
    pub associated_bytes: u32,
    pub source_segments: u32,
    pub destination_segments: u32,
    pub flags: u32,
    pub iv: [u8; 16],
    pub tag: [u8; 16],
    pub status: u32,
    pub count: u32,
    pub reserved: [u32; 4],
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::mem::size_of;
    use std::process::Command;

    use super::*;
    use crate::calls::{INFO, KEY, MESSAGE};

    const HEADER: &str = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../linux/include/uapi/linux/ciphermill.h"
    );

    /// Each field's offset here, by structure and name.
    macro_rules! offsets {
        ($($structure:ident $type:ident { $($field:ident)* })*) => {
            BTreeMap::from([$($(
                (
                    concat!("struct ciphermill_", stringify!($structure), " ", stringify!($field)),
                    std::mem::offset_of!($type, $field) as u64,
                ),
            )*)*])
        };
    }

    /// The C header says the same, asked of a C compiler; skipped where the header is not here (in the
    /// crate's package), or no compiler is.
    #[test]
    fn the_structures_are_those_of_the_c_header() {
        let header = std::path::Path::new(HEADER);
        if !header.exists() {
            println!("skipped: the C header is not here");
            return;
        }
        let mut expected = offsets! {
            info Info {
                abi version accelerator capability geometry ring rings key_slots khz message_bytes
                stream_bytes state messages doorbells interrupts lost_interrupts recoveries reserved
            }
            key Key { bytes tweak_bytes key tweak_key }
            segment Segment { address bytes }
            message Message {
                configuration unit_bytes source destination associated associated_bytes source_segments
                destination_segments flags iv tag status count reserved
            }
        };
        let mut body = String::new();
        for name in expected.keys() {
            let (structure, field) = name.rsplit_once(' ').unwrap();
            body += &format!("printf(\"{name}=%zu\\n\", offsetof({structure}, {field}));\n");
        }
        for (text, value) in [
            ("sizeof(struct ciphermill_info)", size_of::<Info>() as u64),
            ("sizeof(struct ciphermill_key)", size_of::<Key>() as u64),
            (
                "sizeof(struct ciphermill_segment)",
                size_of::<Segment>() as u64,
            ),
            (
                "sizeof(struct ciphermill_message)",
                size_of::<Message>() as u64,
            ),
            ("CIPHERMILL_ABI", ABI.into()),
            ("CIPHERMILL_IOC_INFO", INFO.into()),
            ("CIPHERMILL_IOC_KEY", KEY.into()),
            ("CIPHERMILL_IOC_MESSAGE", MESSAGE.into()),
        ] {
            body += &format!("printf(\"{text}=%zu\\n\", (size_t)({text}));\n");
            expected.insert(text, value);
        }
        let folder = std::env::temp_dir().join(format!("ciphermill-abi-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (source, program) = (folder.join("abi.c"), folder.join("abi"));
        let includes = "#include <stddef.h>\n#include <stdio.h>\n#include <linux/ciphermill.h>\n";
        std::fs::write(
            &source,
            format!("{includes}int main(void)\n{{\n{body}return 0;\n}}\n"),
        )
        .unwrap();
        let uapi = header.parent().unwrap().parent().unwrap();
        let compiled = Command::new("cc")
            .args([
                source.as_os_str(),
                "-o".as_ref(),
                program.as_os_str(),
                "-I".as_ref(),
                uapi.as_os_str(),
            ])
            .status();
        let Ok(status) = compiled else {
            println!("skipped: no C compiler is here");
            return;
        };
        assert!(status.success());
        let told = Command::new(&program).output().unwrap().stdout;
        std::fs::remove_dir_all(&folder).unwrap();
        let told = String::from_utf8(told).unwrap();
        let told: BTreeMap<_, u64> = told
            .lines()
            .map(|line| line.rsplit_once('=').unwrap())
            .map(|(name, value)| (name, value.parse().unwrap()))
            .collect();
        assert_eq!(told, expected);
    }
}

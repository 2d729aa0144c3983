// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Lists of `OSSL_PARAM` (OSSL_PARAM(3)).

use std::ffi::{CStr, c_char};
use std::marker::PhantomData;
use std::ptr;

use zeroize::Zeroizing;

use super::abi::{
    INTEGER, OCTET_POINTER, OCTET_STRING, Parameter, UNMODIFIED, UNSIGNED_INTEGER, UTF8_POINTER,
    UTF8_STRING,
};

/// A list that OpenSSL handed over.
pub(super) struct List<'a> {
    next: *mut Parameter,
    life: PhantomData<&'a mut Parameter>,
}

/// One of its parameters.
pub(super) struct Entry<'a>(&'a mut Parameter);

impl<'a> List<'a> {
    /// A list that a null key ends, or null.
    ///
    /// # Safety
    /// It is valid for `'a`, and so is what its pointers lead to, as OSSL_PARAM(3) says;
    /// nobody else uses it meanwhile.
    pub(super) unsafe fn new(first: *mut Parameter) -> List<'a> {
        List {
            next: first,
            life: PhantomData,
        }
    }
}

impl<'a> Iterator for List<'a> {
    type Item = Entry<'a>;

    fn next(&mut self) -> Option<Entry<'a>> {
        // SAFETY: by the contract of `new` the pointer is null or leads to an element, the
        // last of which has a null key and is never passed. Each is given out once.
        unsafe {
            let entry = self.next.as_mut().filter(|entry| !entry.key.is_null())?;
            self.next = self.next.add(1);
            Some(Entry(entry))
        }
    }
}

impl<'a> Entry<'a> {
    /// The parameter's name.
    pub(super) fn name(&self) -> &'a [u8] {
        // SAFETY: by the contract of `List::new` the key is a C string that lives for 'a.
        unsafe { CStr::from_ptr(self.0.key) }.to_bytes()
    }

    /// Its size in bytes: of what comes in, or of the room for what goes out.
    pub(super) fn size(&self) -> usize {
        self.0.data_size
    }

    /// Whether it only has a length.
    pub(super) fn is_length(&self) -> bool {
        self.0.data.is_null()
    }

    /// The number that comes in, where it is one that is not negative.
    pub(super) fn unsigned(&self) -> Option<u64> {
        let signed = match self.0.data_type {
            INTEGER => true,
            UNSIGNED_INTEGER => false,
            _ => return None,
        };
        if self.0.data.is_null() {
            return None;
        }
        // SAFETY: the data has so many bytes, in the machine's order; it need not be
        // aligned.
        unsafe {
            match (self.0.data_size, signed) {
                (4, false) => Some(u64::from(self.0.data.cast::<u32>().read_unaligned())),
                (8, false) => Some(self.0.data.cast::<u64>().read_unaligned()),
                (4, true) => u64::try_from(self.0.data.cast::<i32>().read_unaligned()).ok(),
                (8, true) => u64::try_from(self.0.data.cast::<i64>().read_unaligned()).ok(),
                _ => None,
            }
        }
    }

    /// The octets that come in; of a size that is no size (OpenSSL's `(size_t)-1` for "all
    /// of it"), so many.
    pub(super) fn octets(&self, all: usize) -> Option<&'a [u8]> {
        if self.0.data_type != OCTET_STRING || self.0.data.is_null() {
            return None;
        }
        let bytes = match isize::try_from(self.0.data_size) {
            Ok(_) => self.0.data_size,
            Err(_) => all,
        };
        // SAFETY: the data has so many bytes for 'a.
        Some(unsafe { std::slice::from_raw_parts(self.0.data.cast::<u8>(), bytes) })
    }

    /// The pointers of an array to which the data points, where it is one: `pipeline-tag`.
    pub(super) fn pointers(&self, count: usize) -> Option<&'a [*mut u8]> {
        if self.0.data_type != OCTET_POINTER || self.0.data.is_null() {
            return None;
        }
        // SAFETY: by its type the data is a pointer, which by the parameter's convention is null
        // or leads to so many pointers, for 'a.
        unsafe {
            let first = self.0.data.cast::<*const *mut u8>().read_unaligned();
            (!first.is_null()).then(|| std::slice::from_raw_parts(first, count))
        }
    }

    /// The string that comes in, up to its end.
    pub(super) fn text(&self) -> Option<&'a str> {
        if self.0.data_type != UTF8_STRING || self.0.data.is_null() {
            return None;
        }
        // SAFETY: the data has so many bytes for 'a.
        let bytes =
            unsafe { std::slice::from_raw_parts(self.0.data.cast::<u8>(), self.0.data_size) };
        let text = bytes.split(|byte| *byte == 0).next()?;
        std::str::from_utf8(text).ok()
    }

    /// The integer that comes in, of any length, big endian.
    pub(super) fn integer(&self) -> Option<Zeroizing<Vec<u8>>> {
        if self.0.data_type != UNSIGNED_INTEGER || self.0.data.is_null() {
            return None;
        }
        // SAFETY: the data has so many bytes, in the machine's order.
        let bytes =
            unsafe { std::slice::from_raw_parts(self.0.data.cast::<u8>(), self.0.data_size) };
        let mut integer = Zeroizing::new(bytes.to_vec());
        if cfg!(target_endian = "little") {
            integer.reverse();
        }
        Some(integer)
    }

    /// Give out an integer, big endian, in the room that there is. Whether it fits.
    pub(super) fn set_integer(&mut self, integer: &[u8]) -> bool {
        if self.0.data_type != UNSIGNED_INTEGER {
            return false;
        }
        if self.0.data.is_null() {
            self.0.return_size = integer.len();
            return true;
        }
        let Some(zeros) = self.0.data_size.checked_sub(integer.len()) else {
            return false;
        };
        let mut padded = Zeroizing::new([&vec![0; zeros][..], integer].concat());
        if cfg!(target_endian = "little") {
            padded.reverse();
        }
        self.copy(&padded)
    }

    /// Give out a number. Whether it fits.
    pub(super) fn set_unsigned(&mut self, value: u64) -> bool {
        if !matches!(self.0.data_type, INTEGER | UNSIGNED_INTEGER) {
            return false;
        }
        if self.0.data.is_null() {
            self.0.return_size = 8;
            return true;
        }
        let limit = if self.0.data_type == INTEGER { 1 } else { 0 };
        // SAFETY: the data has room for so many bytes; it need not be aligned.
        unsafe {
            match self.0.data_size {
                4 if value <= u64::from(u32::MAX >> limit) => {
                    self.0.data.cast::<u32>().write_unaligned(value as u32);
                }
                8 if value <= u64::MAX >> limit => {
                    self.0.data.cast::<u64>().write_unaligned(value);
                }
                _ => return false,
            }
        }
        self.0.return_size = self.0.data_size;
        true
    }

    /// Give out octets. Whether there is room.
    pub(super) fn set_octets(&mut self, octets: &[u8]) -> bool {
        let fits = self.0.data.is_null() || self.0.data_size >= octets.len();
        self.0.data_type == OCTET_STRING && fits && self.copy(octets)
    }

    /// Give out octets for which there is room by agreement, whatever the size says.
    ///
    /// # Safety
    /// There is.
    pub(super) unsafe fn set_octets_unsized(&mut self, octets: &[u8]) -> bool {
        self.0.data_type == OCTET_STRING && !self.0.data.is_null() && self.copy(octets)
    }

    /// Give out octets, or a pointer to them where that is what is asked for.
    ///
    /// # Safety
    /// They stay where they are for as long as OpenSSL may look.
    pub(super) unsafe fn set_kept(&mut self, octets: &[u8]) -> bool {
        if self.0.data_type != OCTET_POINTER {
            return self.set_octets(octets);
        }
        self.set_pointer(octets)
    }

    /// Give out a string that lives for ever.
    pub(super) fn set_text(&mut self, text: &'static CStr) -> bool {
        match self.0.data_type {
            UTF8_POINTER => self.set_pointer(text.to_bytes()),
            _ => self.set_string(text.to_bytes()),
        }
    }

    /// Give out a string by copying it.
    pub(super) fn set_string(&mut self, bytes: &[u8]) -> bool {
        if self.0.data_type != UTF8_STRING {
            return false;
        }
        self.0.return_size = bytes.len();
        if self.0.data.is_null() {
            return true;
        }
        if self.0.data_size < bytes.len() {
            return false;
        }
        let ends = self.0.data_size > bytes.len();
        let copied = self.copy(bytes);
        if ends {
            // SAFETY: there is room for one byte more than was copied.
            unsafe { self.0.data.cast::<u8>().add(bytes.len()).write(0) };
        }
        copied
    }

    /// Copy into the data, which is null or has room.
    fn copy(&mut self, bytes: &[u8]) -> bool {
        self.0.return_size = bytes.len();
        if !self.0.data.is_null() {
            // SAFETY: callers have seen to the room, and our bytes are elsewhere.
            unsafe {
                ptr::copy_nonoverlapping(bytes.as_ptr(), self.0.data.cast(), bytes.len());
            }
        }
        true
    }

    /// Give out a pointer, of which the data's type is.
    fn set_pointer(&mut self, to: &[u8]) -> bool {
        self.0.return_size = to.len();
        if !self.0.data.is_null() {
            // SAFETY: by its type the data has room for a pointer.
            unsafe { self.0.data.cast::<*const u8>().write_unaligned(to.as_ptr()) };
        }
        true
    }
}

/// An element of a table that says which parameters there are.
pub(super) const fn described(key: &'static CStr, data_type: u32, size: usize) -> Parameter {
    Parameter {
        key: key.as_ptr(),
        data_type,
        data: ptr::null_mut(),
        data_size: size,
        return_size: UNMODIFIED,
    }
}

/// An element of a list that is given out, with so many bytes of data.
pub(super) fn filled<T>(
    key: &'static CStr,
    data_type: u32,
    data: *const T,
    bytes: usize,
) -> Parameter {
    let mut parameter = described(key, data_type, bytes);
    parameter.data = data.cast_mut().cast();
    parameter
}

/// Functions that give tables of parameters: name and type of each, and the bytes of a number.
macro_rules! tables {
    ($($name:ident($($argument:ty),*): [$($key:literal $data_type:ident $bytes:expr;)+];)+) => {
        $(pub(super) extern "C" fn $name(
            $(_: $argument),*
        ) -> *const $crate::ffi::abi::Parameter {
            static TABLE: &[$crate::ffi::abi::Parameter] = &[
                $($crate::ffi::parameters::described(
                    $key,
                    $crate::ffi::abi::$data_type,
                    $bytes,
                ),)+
                $crate::ffi::parameters::END,
            ];
            TABLE.as_ptr()
        })+
    };
}
pub(super) use tables;

/// The end of a table.
pub(super) const END: Parameter = Parameter {
    key: ptr::null::<c_char>(),
    data_type: 0,
    data: ptr::null_mut(),
    data_size: 0,
    return_size: 0,
};

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter<T>(data_type: u32, data: &mut T) -> Parameter {
        Parameter {
            key: c"name".as_ptr(),
            data_type,
            data: (&raw mut *data).cast(),
            data_size: size_of::<T>(),
            return_size: UNMODIFIED,
        }
    }

    /// Run on the one entry of a list.
    fn entry<R>(parameter: Parameter, on: impl FnOnce(&mut Entry<'_>) -> R) -> (R, usize) {
        let mut list = [parameter, END];
        // SAFETY: the list is valid and ends.
        let mut entries = unsafe { List::new(list.as_mut_ptr()) };
        let mut first = entries.next().unwrap();
        assert_eq!(first.name(), b"name");
        let result = on(&mut first);
        assert!(entries.next().is_none());
        (result, list[0].return_size)
    }

    #[test]
    fn numbers_of_each_width_go_in_and_out() {
        assert_eq!(
            entry(parameter(INTEGER, &mut 5i32), |e| e.unsigned()).0,
            Some(5)
        );
        assert_eq!(
            entry(parameter(INTEGER, &mut -5i32), |e| e.unsigned()).0,
            None
        );
        assert_eq!(
            entry(parameter(UNSIGNED_INTEGER, &mut 7u64), |e| e.unsigned()).0,
            Some(7)
        );
        assert_eq!(
            entry(parameter(OCTET_STRING, &mut 7u64), |e| e.unsigned()).0,
            None
        );
        let mut number = 0u32;
        let out = entry(parameter(UNSIGNED_INTEGER, &mut number), |e| {
            e.set_unsigned(9)
        });
        assert_eq!((out, number), ((true, 4), 9));
        let mut small = 0i32;
        let out = entry(parameter(INTEGER, &mut small), |e| e.set_unsigned(1 << 31));
        assert!(!out.0);
    }

    #[test]
    fn octets_need_room_and_a_size_that_is_none_is_all_of_it() {
        let mut room = [0u8; 4];
        assert!(
            !entry(parameter(OCTET_STRING, &mut room), |e| e
                .set_octets(&[1; 5]))
            .0
        );
        let out = entry(parameter(OCTET_STRING, &mut room), |e| {
            e.set_octets(&[1; 3])
        });
        assert_eq!((out, room), ((true, 3), [1, 1, 1, 0]));
        let mut all = parameter(OCTET_STRING, &mut room);
        all.data_size = usize::MAX;
        assert_eq!(
            entry(all, |e| e.octets(4).unwrap().to_vec()).0,
            [1, 1, 1, 0]
        );
    }

    #[test]
    fn text_comes_as_pointer_or_copy() {
        let mut pointer = ptr::null::<c_char>();
        let out = entry(parameter(UTF8_POINTER, &mut pointer), |e| {
            e.set_text(c"text")
        });
        assert_eq!(out, (true, 4));
        let mut room = [1u8; 8];
        let out = entry(parameter(UTF8_STRING, &mut room), |e| e.set_string(b"text"));
        assert_eq!((out, &room[..5]), ((true, 4), b"text\0".as_slice()));
        assert!(
            !entry(parameter(UTF8_STRING, &mut [0u8; 2]), |e| e
                .set_string(b"text"))
            .0
        );
    }

    #[test]
    fn integers_of_any_length_go_in_and_out() {
        let mut native = 0x0102_0304_u32.to_ne_bytes();
        let given = entry(parameter(UNSIGNED_INTEGER, &mut native), |e| e.integer());
        assert_eq!(given.0.unwrap()[..], [1, 2, 3, 4]);
        let mut room = [9u8; 8];
        let out = entry(parameter(UNSIGNED_INTEGER, &mut room), |e| {
            e.set_integer(&[1, 2, 3])
        });
        assert_eq!((out, u64::from_ne_bytes(room)), ((true, 8), 0x01_0203));
        assert!(
            !entry(parameter(UNSIGNED_INTEGER, &mut [0u8; 2]), |e| e
                .set_integer(&[1; 3]))
            .0
        );
        assert!(
            entry(parameter(OCTET_STRING, &mut room), |e| e.integer())
                .0
                .is_none()
        );
    }

    #[test]
    fn no_list_is_empty() {
        // SAFETY: null is allowed.
        assert!(unsafe { List::new(ptr::null_mut()) }.next().is_none());
    }
}

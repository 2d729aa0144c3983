// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

//! Buffers of jobs, in ordinary memory or in a device's own.

use std::any::Any;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use zeroize::Zeroize;

use crate::{Error, Result};

/// Memory that a device gives out for its jobs: pinned, say, or on the device itself. It is of
/// one length, and goes back to the device when it is dropped.
pub trait Memory: Any + Send + Sync + AsRef<[u8]> + AsMut<[u8]> {}

impl<T: Any + Send + Sync + AsRef<[u8]> + AsMut<[u8]>> Memory for T {}

/// A buffer of a job: bytes in ordinary memory or in a device's ([`Device::allocator`]). The
/// whole of it is zeroised when it is dropped.
///
/// ```
/// use ciphermill::Buffer;
/// let mut buffer = Buffer::from(b"attack at dawn".to_vec());
/// buffer.truncate(6);
/// assert_eq!(buffer, b"attack");
/// // What it holds may be secret.
/// assert_eq!(format!("{buffer:?}"), "Buffer(6 bytes)");
/// ```
///
/// [`Device::allocator`]: crate::Device::allocator
pub struct Buffer {
    place: Place,
    bytes: usize,
}

enum Place {
    /// All of its length is initialised; what is beyond `bytes` is left over.
    Ordinary(Vec<u8>),
    Device(Box<dyn Memory>),
}

impl Buffer {
    /// So many zeros in ordinary memory.
    pub fn zeroed(bytes: usize) -> Buffer {
        Buffer::from(vec![0; bytes])
    }

    /// As [`Buffer::zeroed`], for as many bytes as somebody else asks for.
    fn try_zeroed(bytes: usize) -> Result<Buffer> {
        let mut vector = Vec::new();
        let reserved = vector.try_reserve_exact(bytes);
        reserved.map_err(|_| Error::memory(bytes))?;
        vector.resize(bytes, 0);
        Ok(Buffer::from(vector))
    }

    /// A device's memory, all of it.
    pub fn in_device(memory: impl Memory) -> Buffer {
        Buffer {
            bytes: memory.as_ref().len(),
            place: Place::Device(Box::new(memory)),
        }
    }

    /// The device's memory, where it is of this type: how a device recognises its own.
    ///
    /// ```
    /// use ciphermill::Buffer;
    /// let mut buffer = Buffer::in_device([0u8; 16]);
    /// assert!(buffer.memory::<[u8; 16]>().is_some());
    /// assert!(Buffer::zeroed(16).memory::<[u8; 16]>().is_none());
    /// ```
    pub fn memory<T: Memory>(&mut self) -> Option<&mut T> {
        match &mut self.place {
            Place::Ordinary(_) => None,
            Place::Device(memory) => (&mut **memory as &mut dyn Any).downcast_mut(),
        }
    }

    /// The longest that it can be made without moving.
    pub fn capacity(&self) -> usize {
        match &self.place {
            Place::Ordinary(bytes) => bytes.len(),
            Place::Device(memory) => (**memory).as_ref().len(),
        }
    }

    /// Make it this long, where its capacity is enough; what follows the present end is old
    /// bytes or zeros. False, and nothing done, where the capacity is not enough.
    #[must_use]
    pub fn resize_within(&mut self, bytes: usize) -> bool {
        let fits = bytes <= self.capacity();
        if fits {
            self.bytes = bytes;
        }
        fits
    }

    /// Keep only the first bytes.
    pub fn truncate(&mut self, bytes: usize) {
        self.bytes = self.bytes.min(bytes);
    }

    /// Hold these bytes instead, in ordinary memory where the capacity is not enough. The old ones
    /// are zeroised.
    ///
    /// # Errors
    /// As [`Allocator::prepare`].
    pub fn replace(&mut self, bytes: &[u8]) -> Result<()> {
        self.zeroize();
        Allocator::default().prepare(self, bytes.len())?;
        self.copy_from_slice(bytes);
        Ok(())
    }

    /// Add bytes at the end. It moves to ordinary memory where the capacity is not enough, at
    /// least twice as long then, and the old place is zeroised.
    ///
    /// # Errors
    /// As [`Allocator::prepare`]; the buffer is then as before.
    pub fn append(&mut self, bytes: &[u8]) -> Result<()> {
        let (old, new) = (self.bytes, self.bytes + bytes.len());
        if !self.resize_within(new) {
            let mut longer = Buffer::try_zeroed(new.next_power_of_two())?;
            longer[..old].copy_from_slice(self);
            *self = longer;
            self.bytes = new;
        }
        self[old..].copy_from_slice(bytes);
        Ok(())
    }

    /// The bytes as a vector: moved out of ordinary memory, copied out of a device's.
    pub fn into_vec(mut self) -> Vec<u8> {
        match &mut self.place {
            Place::Ordinary(bytes) => {
                clear(&mut bytes[self.bytes..]);
                bytes.truncate(self.bytes);
                std::mem::take(bytes)
            }
            Place::Device(_) => self.to_vec(),
        }
    }
}

impl From<Vec<u8>> for Buffer {
    /// The vector's bytes where they are. Its spare capacity, which may hold old secrets, is
    /// zeroised and becomes the buffer's.
    fn from(mut vector: Vec<u8>) -> Buffer {
        let bytes = vector.len();
        vector.resize(vector.capacity(), 0);
        Buffer {
            bytes,
            place: Place::Ordinary(vector),
        }
    }
}

impl Default for Buffer {
    fn default() -> Buffer {
        Buffer::from(Vec::new())
    }
}

impl Clone for Buffer {
    /// A copy in ordinary memory.
    fn clone(&self) -> Buffer {
        Buffer::from(self.to_vec())
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.place {
            Place::Ordinary(bytes) => &bytes[..self.bytes],
            Place::Device(memory) => &(**memory).as_ref()[..self.bytes],
        }
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        match &mut self.place {
            Place::Ordinary(bytes) => &mut bytes[..self.bytes],
            Place::Device(memory) => &mut (**memory).as_mut()[..self.bytes],
        }
    }
}

impl AsRef<[u8]> for Buffer {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl<T: AsRef<[u8]> + ?Sized> PartialEq<T> for Buffer {
    fn eq(&self, other: &T) -> bool {
        **self == *other.as_ref()
    }
}

impl PartialEq<Buffer> for Vec<u8> {
    fn eq(&self, other: &Buffer) -> bool {
        **self == **other
    }
}

impl fmt::Debug for Buffer {
    /// Without the bytes, which may be secret.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Buffer({} bytes)", self.bytes)
    }
}

impl Zeroize for Buffer {
    /// Zeroise all of its memory; it is then empty, and its capacity as before.
    fn zeroize(&mut self) {
        match &mut self.place {
            Place::Ordinary(bytes) => clear(bytes),
            Place::Device(memory) => clear((**memory).as_mut()),
        }
        self.bytes = 0;
    }
}

/// Zeros, which the compiler may not leave out. The crate's own function writes byte after byte,
/// which took as long as SHA-256 of the bytes.
fn clear(bytes: &mut [u8]) {
    bytes.fill(0);
    zeroize::optimization_barrier(bytes);
}

impl Drop for Buffer {
    fn drop(&mut self) {
        self.zeroize();
    }
}

/// Gives out the buffers of a device's jobs; clones give out the same device's. By default they
/// are in ordinary memory.
///
/// ```
/// use ciphermill::{Allocator, Buffer};
/// let device = Allocator::new(|bytes| Buffer::in_device(vec![0; bytes.next_multiple_of(4096)]));
/// let buffer = device.filled(b"data").unwrap();
/// assert_eq!(buffer, b"data");
/// assert_eq!(buffer.capacity(), 4096);
/// ```
#[derive(Clone, Default)]
pub struct Allocator(Option<Arc<Allocate>>);

type Allocate = dyn Fn(usize) -> Buffer + Send + Sync;

impl Allocator {
    /// The function gives a buffer that can be made so many bytes long. Where the device has none
    /// left, any other will do, which ordinary memory then replaces.
    pub fn new(allocate: impl Fn(usize) -> Buffer + Send + Sync + 'static) -> Allocator {
        Allocator(Some(Arc::new(allocate)))
    }

    /// Make a buffer this long without leaving its old contents elsewhere in memory, as a vector
    /// does that grows. Where its capacity is not enough, another takes its place. What the
    /// buffer then holds is old or zero.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Io`] where there is no memory for it.
    pub fn prepare(&self, buffer: &mut Buffer, bytes: usize) -> Result<()> {
        if buffer.resize_within(bytes) {
            return Ok(());
        }
        if let Some(allocate) = &self.0 {
            *buffer = allocate(bytes);
        }
        if !buffer.resize_within(bytes) {
            *buffer = Buffer::try_zeroed(bytes)?;
        }
        Ok(())
    }

    /// A buffer of so many bytes.
    ///
    /// # Errors
    /// As [`Allocator::prepare`].
    pub fn get(&self, bytes: usize) -> Result<Buffer> {
        let mut buffer = Buffer::default();
        self.prepare(&mut buffer, bytes)?;
        Ok(buffer)
    }

    /// A buffer with a copy of these bytes.
    ///
    /// # Errors
    /// As [`Allocator::prepare`].
    pub fn filled(&self, bytes: &[u8]) -> Result<Buffer> {
        let mut buffer = self.get(bytes.len())?;
        buffer.copy_from_slice(bytes);
        Ok(buffer)
    }
}

impl fmt::Debug for Allocator {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = match self.0 {
            Some(_) => "Device",
            None => "Ordinary",
        };
        write!(formatter, "Allocator({place})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_moved_only_when_it_must_grow() {
        let ordinary = Allocator::default();
        let mut buffer = Buffer::from(vec![7; 64]);
        let place = buffer.as_ptr();
        ordinary.prepare(&mut buffer, 16).unwrap();
        assert_eq!((buffer.as_ptr(), buffer.len()), (place, 16));
        // A new one, not the old one's contents copied: those are zeroised where they were.
        ordinary.prepare(&mut buffer, 4096).unwrap();
        assert_eq!(buffer, [0; 4096]);
    }

    #[test]
    fn a_vector_s_spare_capacity_is_zeroised_and_used() {
        let mut vector = Vec::with_capacity(64);
        vector.resize(64, 7);
        vector.truncate(16);
        let mut buffer = Buffer::from(vector);
        assert_eq!((buffer.len(), buffer.capacity()), (16, 64));
        assert!(buffer.resize_within(64));
        assert_eq!((&buffer[..16], &buffer[16..]), (&[7; 16][..], &[0; 48][..]));
    }

    #[test]
    fn appended_bytes_follow_wherever_it_moves() {
        let mut buffer = Buffer::in_device([1; 4]);
        buffer.truncate(2);
        buffer.append(&[2; 2]).unwrap();
        assert!(buffer.memory::<[u8; 4]>().is_some());
        buffer.append(&[3; 4]).unwrap();
        assert_eq!(buffer, [1, 1, 2, 2, 3, 3, 3, 3]);
        assert!(buffer.memory::<[u8; 4]>().is_none());
        assert_eq!(buffer.clone().into_vec(), [1, 1, 2, 2, 3, 3, 3, 3]);
    }

    #[test]
    fn a_device_s_memory_is_zeroised_before_it_goes_back() {
        struct Watched(Vec<u8>);
        impl AsRef<[u8]> for Watched {
            fn as_ref(&self) -> &[u8] {
                &self.0
            }
        }
        impl AsMut<[u8]> for Watched {
            fn as_mut(&mut self) -> &mut [u8] {
                &mut self.0
            }
        }
        impl Drop for Watched {
            fn drop(&mut self) {
                assert_eq!(self.0, [0; 32]);
            }
        }
        let mut buffer = Buffer::in_device(Watched(vec![7; 32]));
        buffer.truncate(5);
        assert_eq!(buffer.into_vec(), [7; 5]);
    }

    #[test]
    fn a_device_without_memory_left_gives_ordinary_memory() {
        let full = Allocator::new(|_| Buffer::in_device([0; 16]));
        assert!(full.get(16).unwrap().memory::<[u8; 16]>().is_some());
        assert_eq!(full.get(17).unwrap(), [0; 17]);
    }

    #[test]
    fn more_than_there_is_memory_for_is_an_error() {
        let mut buffer = Buffer::from(vec![7; 16]);
        let error = Allocator::default().prepare(&mut buffer, 1 << 62);
        assert!(error.unwrap_err().is_out_of_memory());
        assert_eq!(buffer, [7; 16]);
    }
}

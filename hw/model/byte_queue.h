// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0

// Bytes on their way between host and device, with the ends of messages.
#ifndef CIPHERMILL_BYTE_QUEUE_H
#define CIPHERMILL_BYTE_QUEUE_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>

// A bounded first-in, first-out queue of bytes. The bytes lie in one piece, so
// that both ends move by plain copies; what has been taken is moved over only
// when the end of the buffer is reached, once in `capacity` bytes.
class ByteQueue {
 public:
  explicit ByteQueue(size_t capacity)
      : capacity_(capacity), bytes_(new uint8_t[2 * capacity]()) {}
  ~ByteQueue() { clear(); }
  ByteQueue(const ByteQueue &) = delete;
  ByteQueue &operator=(const ByteQueue &) = delete;

  size_t size() const { return tail_ - head_; }
  size_t room() const { return capacity_ - size(); }

  // Bytes up to the end of the first message, or all when no end is queued.
  size_t front_size() const {
    return ends_.empty() ? size() : static_cast<size_t>(ends_.front() - taken_);
  }
  // Whether the end of the first message is queued.
  bool front_ends() const { return !ends_.empty(); }

  // Add bytes, for which there must be room.
  void push(const uint8_t *data, size_t length, bool last) {
    if (tail_ + length > 2 * capacity_) {
      std::memmove(bytes_.get(), bytes_.get() + head_, size());
      tail_ -= head_;
      head_ = 0;
    }
    std::memcpy(bytes_.get() + tail_, data, length);
    tail_ += length;
    if (last) ends_.push_back(taken_ + size());
  }

  // Take bytes, no more than front_size(); true when the message ends with them.
  bool take(uint8_t *data, size_t length) {
    std::memcpy(data, bytes_.get() + head_, length);
    head_ += length;
    taken_ += length;
    const bool last = length > 0 && !ends_.empty() && ends_.front() == taken_;
    if (last) ends_.pop_front();
    return last;
  }

  // Drop everything and leave no byte in memory.
  void clear() {
    volatile uint8_t *bytes = bytes_.get();
    std::fill(bytes, bytes + 2 * capacity_, uint8_t{0});
    taken_ += size();
    head_ = tail_ = 0;
    ends_.clear();
  }

 private:
  const size_t capacity_;
  std::unique_ptr<uint8_t[]> bytes_;
  size_t head_ = 0, tail_ = 0;
  uint64_t taken_ = 0;         // bytes ever taken
  std::deque<uint64_t> ends_;  // of messages, in bytes ever pushed
};

#endif

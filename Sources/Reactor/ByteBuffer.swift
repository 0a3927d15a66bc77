/// A growable byte buffer, appended at the end and consumed from the front. One owner.
///
/// Storage grows by doubling and never shrinks. Once all bytes are consumed, writing restarts at the front, so a
/// connection with a steady load does not allocate. The methods are inlinable, because almost every byte that the
/// server handles passes through them. The type is public, like the few others with inlinable methods, because the
/// compiler (Swift 6.3) inlines nothing of a `package` type in another module.
@safe
public struct ByteBuffer: ~Copyable {
  // Invariant: 0 ≤ start ≤ end ≤ capacity; storage[start..<end] is initialised.
  @usableFromInline internal var storage: UnsafeMutableRawPointer
  @usableFromInline internal var capacity: Int
  @usableFromInline internal var start = 0
  @usableFromInline internal var end = 0

  @inlinable package init(capacity: Int = 4096) {
    self.capacity = max(64, capacity)
    unsafe storage = .allocate(byteCount: self.capacity, alignment: 16)
  }

  @inlinable deinit {
    unsafe storage.deallocate()
  }

  /// The number of bytes written and not yet consumed.
  @inlinable package var count: Int { end - start }
  @inlinable package var isEmpty: Bool { start == end }
  /// The size of the allocation, in bytes.
  @inlinable package var allocatedBytes: Int { capacity }

  /// Calls `body` with the readable bytes, which are valid only during the call.
  @inlinable package func withReadable<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // Safe: the range is initialised, and the buffer is borrowed for the duration of the call.
    let pointer = unsafe (storage + start).assumingMemoryBound(to: UInt8.self)
    return try unsafe body(Span(_unsafeStart: pointer, count: count))
  }

  /// Calls `body` with the readable bytes as a raw pointer, for passing to C; valid only during the call.
  @inlinable package func withUnsafeReadable<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    unsafe body(UnsafeRawBufferPointer(start: storage + start, count: count))
  }

  /// Returns whether the readable bytes contain `text` at `offset`; false if there are too few.
  @inlinable package func hasText(_ text: StaticString, at offset: Int) -> Bool {
    withReadable { $0.hasText(text, at: offset) }
  }

  @inlinable package subscript(index: Int) -> UInt8 {
    precondition(index >= 0 && index < count, "index outside the readable bytes")
    return unsafe storage.load(fromByteOffset: start + index, as: UInt8.self)
  }

  /// Discards the first `bytes` readable bytes. Traps if there are fewer.
  @inlinable package mutating func consume(_ bytes: Int) {
    precondition(bytes >= 0 && bytes <= count, "consuming more than is there")
    start += bytes
    if start == end {
      start = 0
      end = 0
    }
  }

  /// Removes `bytes` bytes at `offset` and closes the gap. Traps if they are not all readable.
  @inlinable package mutating func remove(_ bytes: Int, at offset: Int) {
    precondition(bytes >= 0 && offset >= 0 && offset + bytes <= count, "removing more than is there")
    guard bytes > 0 else { return }
    // Safe: both ranges lie within the initialised bytes, and copyMemory allows them to overlap.
    unsafe (storage + start + offset).copyMemory(
      from: storage + start + offset + bytes, byteCount: count - offset - bytes)
    end -= bytes
  }

  @inlinable package mutating func removeAll() {
    start = 0
    end = 0
  }

  /// Calls `body` with at least `bytes` bytes of free space, appends the first `written` of them, and returns the
  /// `outcome`. Traps if `written` exceeds the free space.
  @inlinable package mutating func write<Outcome>(
    reserving bytes: Int, _ body: (UnsafeMutableRawBufferPointer) -> (written: Int, outcome: Outcome)
  ) -> Outcome {
    reserve(bytes)
    let free = unsafe UnsafeMutableRawBufferPointer(start: storage + end, count: capacity - end)
    let (written, outcome) = unsafe body(free)
    precondition(written >= 0 && written <= free.count)
    end += written
    return outcome
  }

  // MARK: Appending

  @inlinable package mutating func append(_ byte: UInt8) {
    reserve(1)
    unsafe storage.storeBytes(of: byte, toByteOffset: end, as: UInt8.self)
    end += 1
  }

  @inlinable package mutating func append(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBytes { raw in unsafe append(raw) }
  }

  @inlinable package mutating func append(_ bytes: [UInt8]) {
    unsafe bytes.withUnsafeBytes { raw in unsafe append(raw) }
  }

  @inlinable package mutating func append(_ text: StaticString) {
    unsafe append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  @inlinable package mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { utf8 in unsafe append(UnsafeRawBufferPointer(utf8)) }
  }

  @inlinable package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count > 0 else { return }
    reserve(bytes.count)
    unsafe (storage + end).copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
    end += bytes.count
  }

  /// Appends a 64-bit integer in big-endian order.
  @inlinable package mutating func append(bigEndian word: UInt64) {
    reserve(8)
    unsafe storage.storeBytes(of: word.bigEndian, toByteOffset: end, as: UInt64.self)
    end += 8
  }

  /// Appends a number in decimal digits.
  @inlinable package mutating func append(decimal number: Int) {
    if number < 0 { append(UInt8(ascii: "-")) }
    var rest = number.magnitude
    var digits = 1
    var power: UInt = 10
    while rest >= power, digits < 20 {
      digits += 1
      let (next, overflow) = power.multipliedReportingOverflow(by: 10)
      if overflow { break }
      power = next
    }
    reserve(digits)
    for offset in stride(from: digits - 1, through: 0, by: -1) {
      unsafe storage.storeBytes(of: 48 + UInt8(rest % 10), toByteOffset: end + offset, as: UInt8.self)
      rest /= 10
    }
    end += digits
  }

  @inlinable @inline(__always)
  internal mutating func reserve(_ bytes: Int) {
    if capacity - end < bytes { makeRoom(bytes) }
  }

  /// Makes room for `bytes` more bytes. Moves the readable bytes to the front if that suffices and they do not overlap
  /// their new place; otherwise moves them to a new allocation, which is larger only if necessary.
  @usableFromInline
  internal mutating func makeRoom(_ bytes: Int) {
    if start > 0, capacity - count >= bytes, start >= count {
      unsafe storage.copyMemory(from: storage + start, byteCount: count)
    } else {
      while capacity - count < bytes { capacity *= 2 }
      let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
      unsafe larger.copyMemory(from: storage + start, byteCount: count)
      unsafe storage.deallocate()
      unsafe storage = larger
    }
    end = count
    start = 0
  }
}

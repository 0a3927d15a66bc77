internal import Glibc

/// A growing run of bytes, written at the end and consumed at the front, with one owner.
///
/// `readable` = what was written and not yet consumed. Storage moves only when it must grow, and grows by doubling;
/// when all is consumed it starts again at the front, so a steady connection never allocates.
@safe
package struct ByteBuffer: ~Copyable {
  // Invariant: 0 ≤ start ≤ end ≤ capacity; storage[start..<end] is initialised.
  private var storage: UnsafeMutableRawPointer
  private var capacity: Int
  private var start = 0
  private var end = 0

  package init(capacity: Int = 4096) {
    self.capacity = max(64, capacity)
    unsafe storage = .allocate(byteCount: self.capacity, alignment: 16)
  }

  deinit {
    unsafe storage.deallocate()
  }

  /// Bytes that can be read.
  package var count: Int { end - start }
  package var isEmpty: Bool { start == end }
  /// Memory held, in bytes.
  package var allocatedBytes: Int { capacity }

  /// Lends the readable bytes.
  package func withReadable<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // Safe: the range is initialised, and the buffer is borrowed for the length of the call.
    let pointer = unsafe (storage + start).assumingMemoryBound(to: UInt8.self)
    return try unsafe body(Span(_unsafeStart: pointer, count: count))
  }

  /// Lends the readable bytes for a C call.
  package func withUnsafeReadable<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    unsafe body(UnsafeRawBufferPointer(start: storage + start, count: count))
  }

  package subscript(index: Int) -> UInt8 {
    precondition(index >= 0 && index < count, "index outside the readable bytes")
    return unsafe storage.load(fromByteOffset: start + index, as: UInt8.self)
  }

  /// Forgets the first `bytes` readable bytes.
  package mutating func consume(_ bytes: Int) {
    precondition(bytes >= 0 && bytes <= count, "consuming more than is there")
    start += bytes
    if start == end {
      start = 0
      end = 0
    }
  }

  /// Takes `bytes` out of the middle: what lies behind them moves up.
  package mutating func remove(_ bytes: Int, at offset: Int) {
    precondition(bytes >= 0 && offset >= 0 && offset + bytes <= count, "removing more than is there")
    guard bytes > 0 else { return }
    // Safe: both ranges lie within the initialised bytes, and memmove allows them to overlap.
    unsafe memmove(storage + start + offset, storage + start + offset + bytes, count - offset - bytes)
    end -= bytes
  }

  package mutating func removeAll() {
    start = 0
    end = 0
  }

  /// Lets `body` write into at least `bytes` free bytes; it returns how many it wrote.
  package mutating func write<Outcome>(
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

  package mutating func append(_ byte: UInt8) {
    reserve(1)
    unsafe storage.storeBytes(of: byte, toByteOffset: end, as: UInt8.self)
    end += 1
  }

  package mutating func append(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBytes { raw in unsafe append(raw) }
  }

  package mutating func append(_ bytes: [UInt8]) {
    unsafe bytes.withUnsafeBytes { raw in unsafe append(raw) }
  }

  package mutating func append(_ text: StaticString) {
    unsafe append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  package mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { utf8 in unsafe append(UnsafeRawBufferPointer(utf8)) }
  }

  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count > 0 else { return }
    reserve(bytes.count)
    unsafe memcpy(storage + end, bytes.baseAddress!, bytes.count)
    end += bytes.count
  }

  /// Appends eight bytes, the highest first.
  package mutating func append(bigEndian word: UInt64) {
    reserve(8)
    unsafe storage.storeBytes(of: word.bigEndian, toByteOffset: end, as: UInt64.self)
    end += 8
  }

  /// Appends a number in decimal digits.
  package mutating func append(decimal number: Int) {
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

  /// Makes room for `bytes` more: first by moving what is readable to the front, then by doubling.
  private mutating func reserve(_ bytes: Int) {
    guard capacity - end < bytes else { return }
    if start > 0, capacity - count >= bytes, start >= count {
      unsafe memmove(storage, storage + start, count)
    } else {
      while capacity - count < bytes { capacity *= 2 }
      let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
      unsafe memcpy(larger, storage + start, count)
      unsafe storage.deallocate()
      unsafe storage = larger
    }
    end = count
    start = 0
  }
}

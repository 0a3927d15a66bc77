internal import Glibc

/// Unpredictable random numbers from the kernel, fetched 32 at a time to save system calls. For one thread.
package struct RandomNumbers: RandomNumberGenerator {
  /// Numbers fetched at once: 32 × 8 bytes, because getentropy(3) returns at most 256 bytes per call.
  private static let numbers = 32

  private var left: [UInt64] = []

  package init() {}

  package mutating func next() -> UInt64 {
    if left.isEmpty { refill() }
    return left.removeLast()
  }

  private mutating func refill() {
    left = unsafe [UInt64](unsafeUninitializedCapacity: Self.numbers) { buffer, filled in
      // Safe: requests exactly as many bytes as the buffer holds. Fails only if the kernel lacks the call.
      guard unsafe getentropy(buffer.baseAddress!, Self.numbers * MemoryLayout<UInt64>.size) == 0 else {
        preconditionFailure("the kernel gives no random numbers")
      }
      filled = Self.numbers
    }
  }
}

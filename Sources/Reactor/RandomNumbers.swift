internal import Glibc

/// Random numbers of the kernel, 32 at a time: nobody can tell the next from those before, and a system call is rare. Of one
/// thread.
package struct RandomNumbers: RandomNumberGenerator {
  /// getentropy(3) gives at most 256 bytes at once.
  private static let numbers = 32

  private var left: [UInt64] = []

  package init() {}

  package mutating func next() -> UInt64 {
    if left.isEmpty { refill() }
    return left.removeLast()
  }

  private mutating func refill() {
    left = unsafe [UInt64](unsafeUninitializedCapacity: Self.numbers) { buffer, filled in
      // Safe: as many bytes as there is room for. It fails only where the kernel has no such call.
      guard unsafe getentropy(buffer.baseAddress!, Self.numbers * MemoryLayout<UInt64>.size) == 0 else {
        preconditionFailure("the kernel gives no random numbers")
      }
      filled = Self.numbers
    }
  }
}

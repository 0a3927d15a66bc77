internal import COpenSSL

/// An OpenSSL object with a single owner, which is freed when its owner drops it.
@safe
package struct OpenSSLObject: ~Copyable {
  package typealias Free = @convention(c) (OpaquePointer?) -> Void

  /// The native object, valid for the lifetime of this value. Borrowers must not free it.
  package let pointer: OpaquePointer
  private let free: Free

  /// Takes ownership of `pointer`. Returns nil if it is nil; then OpenSSL's error queue holds the reason.
  package init?(takingOwnership pointer: OpaquePointer?, free: @escaping Free) {
    guard let pointer = unsafe pointer else { return nil }
    unsafe self.pointer = pointer
    unsafe self.free = free
  }

  deinit {
    unsafe free(pointer)
  }
}

extension OpenSSLObject {
  /// Takes ownership of the result of a call that fails only without memory, and ends the process in that case.
  static func made(_ pointer: OpaquePointer?, free: @escaping Free) -> OpenSSLObject {
    guard let object = unsafe OpenSSLObject(takingOwnership: pointer, free: free) else {
      Crypto.fail("make an object")
    }
    return object
  }

  /// Returns a memory BIO with a copy of `bytes`.
  package static func memory(_ bytes: [UInt8] = []) -> OpenSSLObject {
    let bio = unsafe made(BIO_new(BIO_s_mem()), free: { unsafe _ = BIO_free($0) })
    let count = Int32(clamping: bytes.count)
    guard unsafe bytes.isEmpty || BIO_write(bio.pointer, bytes, count) == count else {
      Crypto.fail("take \(bytes.count) bytes")
    }
    return bio
  }

  /// Returns the contents of a memory BIO.
  package func memoryBytes() -> [UInt8] {
    var start: UnsafeMutablePointer<CChar>?
    let count = unsafe upmc_bio_bytes(pointer, &start)
    guard count > 0, let start = unsafe start else { return [] }
    // Safe: the BIO owns `count` bytes there and is alive.
    return unsafe UnsafeRawBufferPointer(start: start, count: count).map { $0 }
  }

  package func memoryText() -> String {
    String(decoding: memoryBytes(), as: UTF8.self)
  }
}

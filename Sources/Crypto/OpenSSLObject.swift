internal import COpenSSL

/// One OpenSSL object with one owner; freed when the owner ends.
@safe
package struct OpenSSLObject: ~Copyable {
  package typealias Free = @convention(c) (OpaquePointer?) -> Void

  /// Valid as long as this value lives. Only lent: never freed by whoever reads it.
  package let pointer: OpaquePointer
  private let free: Free

  /// Takes ownership. Nil when there is no object: why is in the error queue.
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
  /// For what fails only when there is no memory: Swift's own objects end the process then, too.
  static func made(_ pointer: OpaquePointer?, free: @escaping Free) -> OpenSSLObject {
    guard let object = unsafe OpenSSLObject(takingOwnership: pointer, free: free) else {
      Crypto.fail("make an object")
    }
    return object
  }

  /// A memory BIO that holds a copy of `bytes`.
  package static func memory(_ bytes: [UInt8] = []) -> OpenSSLObject {
    let bio = unsafe made(BIO_new(BIO_s_mem()), free: { unsafe _ = BIO_free($0) })
    let count = Int32(clamping: bytes.count)
    guard unsafe bytes.isEmpty || BIO_write(bio.pointer, bytes, count) == count else {
      Crypto.fail("take \(bytes.count) bytes")
    }
    return bio
  }

  /// What a memory BIO holds.
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

internal import COpenSSL

/// One OpenSSL object with one owner; freed when the owner ends.
@safe
struct OpenSSLObject: ~Copyable {
  typealias Free = @convention(c) (OpaquePointer?) -> Void

  /// Valid as long as this value lives. Only lent: never freed by whoever reads it.
  let pointer: OpaquePointer
  private let free: Free

  /// Takes ownership. Throws what the failed call left behind when there is no object.
  init(takingOwnership pointer: OpaquePointer?, free: @escaping Free, operation: String) throws(TLSError) {
    guard let pointer = unsafe pointer else { throw .drained(operation) }
    unsafe self.pointer = pointer
    unsafe self.free = free
  }

  deinit {
    unsafe free(pointer)
  }
}

extension OpenSSLObject {
  /// A memory BIO that holds a copy of `bytes`.
  static func memory(_ bytes: [UInt8] = []) throws(TLSError) -> OpenSSLObject {
    let bio = try unsafe OpenSSLObject(
      takingOwnership: BIO_new(BIO_s_mem()), free: { unsafe _ = BIO_free($0) }, operation: "allocate")
    if !bytes.isEmpty,
      unsafe BIO_write(bio.pointer, bytes, Int32(clamping: bytes.count)) != Int32(clamping: bytes.count)
    {
      throw .drained("allocate")
    }
    return bio
  }

  /// What a memory BIO holds.
  func memoryBytes() -> [UInt8] {
    var start: UnsafeMutablePointer<CChar>?
    let count = unsafe upmc_bio_bytes(pointer, &start)
    guard count > 0, let start = unsafe start else { return [] }
    // Safe: the BIO owns `count` bytes there and is alive.
    return unsafe UnsafeRawBufferPointer(start: start, count: count).map { $0 }
  }

  func memoryText() -> String {
    String(decoding: memoryBytes(), as: UTF8.self)
  }
}

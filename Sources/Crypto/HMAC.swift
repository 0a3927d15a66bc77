/// HMAC with SHA-256 (RFC 2104) under one key: what depends on the key alone is computed once. For all threads, without a
/// lock: each code begins with copies.
package final class HMAC: Sendable {
  package static let byteCount = SHA256.byteCount
  private static let blockBytes = 64

  private let inner: SHA256.Beginning
  private let outer: SHA256.Beginning

  package init(key: SymmetricKey) {
    var block = key.bytes.count > Self.blockBytes ? SHA256.hash(key.bytes) : key.bytes
    block += [UInt8](repeating: 0, count: Self.blockBytes - block.count)
    inner = SHA256.Beginning(block.map { $0 ^ 0x36 })
    outer = SHA256.Beginning(block.map { $0 ^ 0x5C })
  }

  /// 32 bytes.
  package func authenticationCode(for message: [UInt8]) -> [UInt8] {
    var hash = SHA256(inner)
    hash.update(message)
    let digest = hash.restart(outer)
    hash.update(digest)
    return hash.finalize()
  }

  /// For a key that is used once.
  package static func authenticationCode(for message: [UInt8], using key: SymmetricKey) -> [UInt8] {
    HMAC(key: key).authenticationCode(for: message)
  }
}

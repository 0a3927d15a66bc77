internal import Crypto
internal import FoundationEssentials

/// Proves to the receiver that an event is ours, and fresh (standardwebhooks.com, version 1): HMAC-SHA-256 over
/// `id.timestamp.body`, in base64, with the secret's bytes as the key.
package enum Signature {
  /// - Parameter seconds: since 1970, as in `webhook-timestamp`.
  package static func sign(id: String, seconds: Int64, body: [UInt8], secret: [UInt8]) -> String {
    var hmac = HMAC<SHA256>(key: SymmetricKey(data: secret))
    hmac.update(data: Array("\(id).\(seconds).".utf8))
    hmac.update(data: body)
    return "v1," + Data(hmac.finalize()).base64EncodedString()
  }
}

internal import Crypto
internal import FoundationEssentials

/// Signs an event, so that the receiver can verify its origin and time (standardwebhooks.com, version 1): HMAC-SHA-256
/// of `id.timestamp.body`, in base64, keyed with the webhook's secret.
package enum Signature {
  /// One signature for each secret, with blanks between them: a receiver takes the one that it can verify, so a secret is
  /// renewed without a moment at which it knows none. Decision 151.
  package static func sign(id: String, seconds: Int64, body: [UInt8], secrets: [[UInt8]]) -> String {
    secrets.map { sign(id: id, seconds: seconds, body: body, secret: $0) }.joined(separator: " ")
  }

  /// Returns the signature of a request, in the format of standardwebhooks.com.
  /// - Parameter seconds: the time in `webhook-timestamp`, in seconds since 1970.
  package static func sign(id: String, seconds: Int64, body: [UInt8], secret: [UInt8]) -> String {
    let code = HMAC.authenticationCode(for: Array("\(id).\(seconds).".utf8) + body, using: SymmetricKey(secret))
    return "v1," + Data(code).base64EncodedString()
  }
}

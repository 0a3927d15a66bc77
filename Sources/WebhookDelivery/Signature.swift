internal import Crypto
internal import FoundationEssentials

/// Signs an event, so that the receiver can verify its origin and time (standardwebhooks.com, version 1): HMAC-SHA-256
/// of `id.timestamp.body`, in base64, keyed with the webhook's secret.
package enum Signature {
  /// Returns one signature for each secret, separated by spaces. A receiver accepts the request if it can verify one of
  /// them, so a secret can be rotated without rejected events. Decision 151.
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

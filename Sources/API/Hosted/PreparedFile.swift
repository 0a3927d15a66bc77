internal import Crypto
internal import Gzip
internal import HTTPServer

/// A public file, prepared once in the content codings that clients accept, and sent often.
///
/// Only content that is the same for everybody is compressed: if a response contained a secret beside text chosen by an
/// attacker, its compressed length would reveal the secret.
struct PreparedFile: Sendable {
  private enum Limits {
    /// Minimum size, in bytes, of compressed content; below it, compression saves no packet.
    static let compressedFrom = 860
  }

  let type: String
  let body: [UInt8]
  /// Gzip-compressed content; nil if it would not be smaller.
  private let gzip: [UInt8]?
  /// Entity tag without quotes, derived from the content, so that all nodes of one version send the same.
  let digest: String

  init(_ type: String, _ body: [UInt8]) {
    self.type = type
    self.body = body
    let isText = !type.hasPrefix("image/") || type.hasPrefix("image/svg")
    let compressed = isText && body.count >= Limits.compressedFrom ? Gzip.compress(body) : nil
    gzip = compressed.flatMap { $0.count < body.count ? $0 : nil }
    digest = Self.digest(body)
  }

  /// Returns the first 12 bytes of the SHA-256 hash, as 24 hexadecimal digits.
  static func digest(_ bytes: [UInt8]) -> String {
    SHA256.hash(bytes).prefix(12).map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
  }

  /// Answers a GET or HEAD request.
  /// - Parameters:
  ///   - vary: names of request headers besides Accept-Encoding on which the choice of this file depends.
  ///   - headers: sent with every response, including 304.
  func response(
    to request: Request, cacheControl: String = "no-cache", vary: String? = nil, headers: [(String, String)] = []
  ) -> Response {
    let coded = gzip != nil && ContentCoding.acceptsGzip(request.header("accept-encoding")) ? gzip : nil
    let tag = "\"\(digest)\(coded == nil ? "" : "-gzip")\""
    let validators =
      [
        ("ETag", tag), ("Cache-Control", cacheControl),
        ("Vary", vary.map { "Accept-Encoding, \($0)" } ?? "Accept-Encoding"),
      ] + headers
    if let known = request.header("if-none-match"), EntityTag.isListed(tag, in: known) {
      return Response(status: .notModified, headers: validators)
    }
    var described = [("Content-Type", type)]
    if coded != nil { described.append(("Content-Encoding", "gzip")) }
    return Response(status: .ok, headers: described + validators, body: coded ?? body)
  }
}

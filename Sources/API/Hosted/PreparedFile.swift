internal import Crypto
internal import Gzip
internal import HTTPServer

/// A public file with its entity tag, compressed in advance because it is sent often.
///
/// Use it only for content that is the same for all clients: if a response contained a secret beside text chosen by an
/// attacker, its compressed length would reveal the secret.
struct PreparedFile: Sendable {
  private enum Limits {
    /// Minimum size, in bytes, of content that is compressed. Shorter content fits into one packet anyway.
    static let compressedFrom = 860
  }

  let type: String
  let body: [UInt8]
  /// Gzip-compressed content; nil if it would not be smaller, or was not tried because the content is short or an image
  /// other than SVG.
  private let gzip: [UInt8]?
  /// Entity tag without quotes. It is derived from the content, so that all nodes of one version send the same tag.
  let digest: String

  init(_ type: String, _ body: [UInt8]) {
    self.type = type
    self.body = body
    let isText = !type.hasPrefix("image/") || type.hasPrefix("image/svg")
    let compressed = isText && body.count >= Limits.compressedFrom ? Gzip.compress(body) : nil
    gzip = compressed.flatMap { $0.count < body.count ? $0 : nil }
    digest = Self.digest(body)
  }

  /// Returns the first 12 bytes of the SHA-256 hash, as 24 lower-case hexadecimal digits.
  static func digest(_ bytes: [UInt8]) -> String {
    SHA256.hash(bytes).prefix(12).map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
  }

  /// Returns the response to a GET or HEAD request: 304 if the client has this content, otherwise 200 with the body,
  /// compressed if the client accepts gzip.
  /// - Parameters:
  ///   - vary: names of request headers besides Accept-Encoding on which the choice of this file depends; nil if none.
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

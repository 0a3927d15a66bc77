internal import HTTPServer
internal import Store
internal import Time

/// The answer to a request for a hosted file (status, headers, and which bytes of the file to send), determined from
/// the file's record and the request's headers. No I/O.
struct HostedAnswer: Equatable {
  enum Content: Equatable {
    case none
    /// The bytes of the file in this range, counted from 0.
    case bytes(Range<Int>)
  }

  let status: Status
  let headers: [(String, String)]
  let content: Content

  static func == (left: HostedAnswer, right: HostedAnswer) -> Bool {
    left.status == right.status && left.content == right.content && left.headers.elementsEqual(right.headers, by: ==)
  }

  /// The request's conditional and range headers; nil if absent, or if they do not apply to the method.
  struct Conditions {
    var ifNoneMatch: String?
    var range: String?
    var ifRange: String?
  }

  /// Creates the answer: 304 if the client has the file, 206 for a range, 416 for a range outside of the file, and
  /// otherwise 200 with all of it. The file must not have expired by `now`.
  init(_ file: HostedFiles.Record, _ conditions: Conditions, now: Timestamp) {
    let tag = Self.tag(file)
    var headers = Self.headers(file, tag: tag, now: now)
    let length = Int(file.bytes)
    if let field = conditions.ifNoneMatch, EntityTag.isListed(tag, in: field) {
      (status, self.headers, content) = (.notModified, headers, .none)
      return
    }
    headers = [("Content-Type", file.type)] + headers
    // With If-Range, a range is sent only if that header is the file's strong ETag. A client with part of another
    // version, or with a date or weak ETag, gets the whole file.
    let isSame = conditions.ifRange == nil || conditions.ifRange == tag
    switch isSame ? ByteRange(conditions.range, length: length) : .whole {
    case .whole:
      (status, self.headers, content) = (.ok, headers, .bytes(0..<length))
    case .part(let part):
      headers.append(("Content-Range", ByteRange.contentRange(part, of: length)))
      (status, self.headers, content) = (.partialContent, headers, .bytes(part))
    case .unsatisfiable:
      (status, content) = (.rangeNotSatisfiable, .none)
      self.headers = [("Content-Range", "bytes */\(length)"), ("Cache-Control", "no-store")]
    }
  }

  private static func tag(_ file: HostedFiles.Record) -> String {
    let digits = Array("0123456789abcdef")
    return "\"" + String(file.sha256.prefix(16).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }) + "\""
  }

  private static func headers(_ file: HostedFiles.Record, tag: String, now: Timestamp) -> [(String, String)] {
    let rest = max(0, min(file.expiresAt.seconds - now.seconds, HostedLimits.cacheSeconds))
    return [
      ("ETag", tag), ("Accept-Ranges", "bytes"),
      // The content of a URL never changes, so caches may keep it.
      ("Cache-Control", "public, max-age=\(rest), immutable"),
      // Whatever the file contains, browsers use our content type, run no script, and send no referrer.
      (
        "Content-Security-Policy",
        "default-src 'none'; img-src 'self'; media-src 'self'; frame-ancestors 'none'; sandbox"
      ),
      ("Referrer-Policy", "no-referrer"), ("X-Robots-Tag", "noindex"),
    ]
  }
}

internal import Reactor

/// Answers GET and HEAD with the files of one directory.
///
/// Validates paths itself, independently of the parser: a decoded segment that is empty (except the last, which means
/// `index.html`), begins with a dot, or contains a slash, backslash or control character matches no file. The kernel
/// resolves the rest, including symbolic links, and the result is served only if it is a regular file inside the
/// directory.
///
/// Files up to `Limits.cachedFileBytes` are cached and their `stat` compared on each request, so a changed file is read
/// again. One owner, one thread; reading a large file blocks that thread.
package struct StaticFiles {
  package enum Limits {
    /// Size in bytes above which a file is not cached, but read for each request.
    package static let cachedFileBytes = 1_048_576
    /// Maximum size of the cache in bytes; it is emptied before it would exceed this.
    package static let cacheBytes = 67_108_864
    /// Size in bytes above which a file is not served, because responses are built in memory.
    package static let fileBytes = 268_435_456
  }

  private struct Entry {
    var stamp: RegularFile.Stamp
    var tag: String
    var body: [UInt8]
  }

  private let root: String
  private let cacheControl: String
  private let headers: [(String, String)]
  private var cache: [String: Entry] = [:]
  private var cachedBytes = 0

  /// Creates a server for a directory's files. Returns nil if nothing exists at that path, or it cannot be accessed.
  /// - Parameters:
  ///   - directory: path of the directory; it may contain symbolic links.
  ///   - cacheControl: value of `Cache-Control`. With the default, clients revalidate each time, and mostly get 304.
  ///   - headers: headers sent with each file, for example a Content-Security-Policy.
  package init?(directory: String, cacheControl: String = "no-cache", headers: [(String, String)] = []) {
    guard let root = RegularFile.resolve(directory) else { return nil }
    self.root = root
    self.cacheControl = cacheControl
    self.headers = headers
  }

  /// Returns the response to a request for a file.
  /// - Parameters:
  ///   - path: path below the directory, percent-encoded as in the request, for example `/css/console.css`. A path that
  ///     ends with a slash means its `index.html`.
  ///   - ifNoneMatch: value of `If-None-Match`; nil if the request has none.
  /// - Returns: a response with status 200 (with the body also for HEAD), 304, 404 (also for a file above
  ///   `Limits.fileBytes`) or 405.
  package mutating func response(method: Method, path: String, ifNoneMatch: String? = nil) -> Response {
    guard method == .get || method == .head else { return .methodNotAllowed(allow: [.get, .head]) }
    guard let relative = Self.relativePath(path), let entry = entry(relative) else {
      return Response(status: .notFound, contentType: "text/plain; charset=utf-8", body: "Not found.\n")
    }
    let validators = [("ETag", entry.tag), ("Cache-Control", cacheControl)] + headers
    if let ifNoneMatch, EntityTag.isListed(entry.tag, in: ifNoneMatch) {
      return Response(status: .notModified, headers: validators)
    }
    let type = [("Content-Type", ContentType.of(path: relative))]
    return Response(status: .ok, headers: type + validators, body: entry.body)
  }

  /// Returns the response to a request for the file at the rest of the path after `prefix`; 404 if the path does not
  /// begin with `prefix` and a slash. Other results as for `response(method:path:ifNoneMatch:)`.
  package mutating func response(for request: Request, strippingPrefix prefix: String = "") -> Response {
    let path = request.path
    guard path.hasPrefix(prefix) else { return Response(status: .notFound) }
    return response(
      method: request.method, path: String(path.dropFirst(prefix.count)), ifNoneMatch: request.header("if-none-match"))
  }

  // MARK: Paths

  /// Returns the decoded path relative to the directory. Returns nil if it does not begin with a slash, or a segment is
  /// empty (except the last), begins with a dot, cannot be decoded, or contains a slash, backslash or control
  /// character.
  static func relativePath(_ path: String) -> String? {
    guard path.first == "/" else { return nil }
    var segments: [String] = []
    let raw = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    for (index, segment) in raw.enumerated() {
      if segment.isEmpty, index == raw.count - 1 {
        segments.append("index.html")
        continue
      }
      guard let name = FormDecoding.decode(Array(segment.utf8).span, plusIsSpace: false),
        let first = name.utf8.first, first != UInt8(ascii: "."),
        !name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") })
      else { return nil }
      segments.append(name)
    }
    return segments.joined(separator: "/")
  }

  // MARK: Files

  private mutating func entry(_ relative: String) -> Entry? {
    // Resolve links on every request, because they may have changed.
    guard let full = RegularFile.resolve(root + "/" + relative), full.hasPrefix(root == "/" ? "/" : root + "/")
    else {
      return nil
    }
    guard let file = RegularFile.open(path: full) else { return nil }
    let stamp = file.stamp
    guard stamp.size <= Limits.fileBytes else { return nil }
    if let known = cache[relative], known.stamp == stamp { return known }
    guard let body = file.read() else { return nil }
    let entry = Entry(stamp: stamp, tag: Self.tag(stamp), body: body)
    if body.count <= Limits.cachedFileBytes { remember(entry, relative) }
    return entry
  }

  private mutating func remember(_ entry: Entry, _ relative: String) {
    cachedBytes -= cache[relative]?.body.count ?? 0
    if cachedBytes + entry.body.count > Limits.cacheBytes {
      cache = [:]
      cachedBytes = 0
    }
    cache[relative] = entry
    cachedBytes += entry.body.count
  }

  /// Returns a strong entity tag in quotation marks: when a file is rewritten, its modification time (to the
  /// nanosecond) or size changes.
  private static func tag(_ stamp: RegularFile.Stamp) -> String {
    let time = String(UInt64(bitPattern: Int64(stamp.seconds &* 1_000_000_000 &+ stamp.nanoseconds)), radix: 36)
    return "\"\(String(stamp.inode, radix: 36))-\(String(stamp.size, radix: 36))-\(time)\""
  }
}

internal import Glibc

/// Answers GET and HEAD with the files of one directory.
///
/// A path is taken apart into segments here, whatever the parser has refused before: a segment that is empty, begins
/// with a dot, or holds a slash, backslash or NUL once decoded names no file. What is left is resolved by the kernel,
/// symbolic links included, and served only when it still lies inside the directory and is a regular file.
///
/// Files up to `Limits.cachedFileBytes` stay in memory, and are looked at again (`stat`) on each request: a changed
/// file is read anew. One owner, one thread; a read of a large file blocks that thread.
package struct StaticFiles {
  package enum Limits {
    /// Larger files are read for each request.
    package static let cachedFileBytes = 1_048_576
    /// All cached files together; when it would be passed, the cache is emptied first.
    package static let cacheBytes = 67_108_864
    /// Larger files are not served: an answer is made in memory.
    package static let fileBytes = 268_435_456
  }

  private struct Stamp: Equatable {
    var device: UInt64
    var inode: UInt64
    var seconds: Int
    var nanoseconds: Int
    var size: Int
  }

  private struct Entry {
    var stamp: Stamp
    var tag: String
    var body: [UInt8]
  }

  private let root: String
  private let cacheControl: String
  private let headers: [(String, String)]
  private var cache: [String: Entry] = [:]
  private var cachedBytes = 0

  /// - Parameters:
  ///   - directory: must exist; itself it may be reached through links.
  ///   - cacheControl: by default clients ask each time, and are mostly told 304.
  ///   - headers: sent with each file, for example a Content-Security-Policy.
  package init?(directory: String, cacheControl: String = "no-cache", headers: [(String, String)] = []) {
    guard let root = Self.resolve(directory) else { return nil }
    self.root = root
    self.cacheControl = cacheControl
    self.headers = headers
  }

  /// - Parameter path: below the directory, percent-encoded as in the request, for example `/css/console.css`. A path
  ///   that ends with a slash means its `index.html`.
  /// - Returns: 200, 304, 404 or 405.
  package mutating func response(method: Method, path: String, ifNoneMatch: String? = nil) -> Response {
    guard method == .get || method == .head else { return .methodNotAllowed(allow: [.get, .head]) }
    guard let relative = Self.relativePath(path), let entry = entry(relative) else {
      return Response(status: .notFound, contentType: "text/plain; charset=utf-8", body: "Not found.\n")
    }
    let validators = [("ETag", entry.tag), ("Cache-Control", cacheControl)] + headers
    if let ifNoneMatch, Self.matches(ifNoneMatch, entry.tag) {
      return Response(status: .notModified, headers: validators)
    }
    let type = [("Content-Type", ContentType.of(path: relative)), ("X-Content-Type-Options", "nosniff")]
    return Response(status: .ok, headers: type + validators, body: entry.body)
  }

  /// The same for a request, below `prefix`.
  package mutating func response(for request: Request, strippingPrefix prefix: String = "") -> Response {
    let path = request.path
    guard path.hasPrefix(prefix) else { return Response(status: .notFound) }
    return response(
      method: request.method, path: String(path.dropFirst(prefix.count)), ifNoneMatch: request.header("if-none-match"))
  }

  // MARK: Paths

  /// The path relative to the directory, decoded; nil when it could name anything else.
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

  /// RFC 9110 §13.1.2: a list of tags, or `*`; compared weakly.
  private static func matches(_ field: String, _ tag: String) -> Bool {
    for candidate in field.split(separator: ",") {
      var text = candidate.drop { $0 == " " || $0 == "\t" }
      while text.last == " " || text.last == "\t" { text = text.dropLast() }
      if text == "*" { return true }
      if text.hasPrefix("W/") { text = text.dropFirst(2) }
      if text == tag { return true }
    }
    return false
  }

  // MARK: Files

  private mutating func entry(_ relative: String) -> Entry? {
    // Resolved each time: a link may have been turned elsewhere since.
    guard let full = Self.resolve(root + "/" + relative), full.hasPrefix(root == "/" ? "/" : root + "/") else {
      return nil
    }
    let number = unsafe open(full, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard number >= 0 else { return nil }
    defer { _ = Glibc.close(number) }
    guard let stamp = Self.stamp(number), stamp.size <= Limits.fileBytes else { return nil }
    if let known = cache[relative], known.stamp == stamp { return known }
    guard let body = Self.read(number, bytes: stamp.size) else { return nil }
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

  /// Strong: a rewritten file has another time, to the nanosecond, or another size.
  private static func tag(_ stamp: Stamp) -> String {
    let time = String(UInt64(bitPattern: Int64(stamp.seconds &* 1_000_000_000 &+ stamp.nanoseconds)), radix: 36)
    return "\"\(String(stamp.inode, radix: 36))-\(String(stamp.size, radix: 36))-\(time)\""
  }

  /// The absolute path without links; nil when there is nothing there.
  private static func resolve(_ path: String) -> String? {
    guard let resolved = unsafe realpath(path, nil) else { return nil }
    // Safe: realpath returns a string of its own, to be freed by the caller.
    defer { unsafe free(resolved) }
    return unsafe String(validatingCString: resolved)
  }

  /// Nil for whatever is no regular file.
  private static func stamp(_ number: Int32) -> Stamp? {
    var status = stat()
    guard unsafe fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Stamp(
      device: UInt64(status.st_dev), inode: UInt64(status.st_ino), seconds: status.st_mtim.tv_sec,
      nanoseconds: status.st_mtim.tv_nsec, size: Int(status.st_size))
  }

  /// Nil when the file cannot be read, or has become shorter meanwhile.
  private static func read(_ number: Int32, bytes: Int) -> [UInt8]? {
    let body = unsafe [UInt8](unsafeUninitializedCapacity: bytes) { buffer, filled in
      while filled < bytes {
        // Safe: never reads more than the space that is left.
        let count = unsafe Glibc.read(number, buffer.baseAddress! + filled, bytes - filled)
        guard count > 0 else { break }
        filled += count
      }
    }
    return body.count == bytes ? body : nil
  }
}

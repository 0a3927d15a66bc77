internal import HTTPServer
internal import Operations
internal import Reactor
internal import Store
internal import Time

/// Serves `GET /p/…` and `GET /m/…`: hosted pages and media, from its own cache or through the loader. Answers 404 if
/// there is no such file or it has expired, and 503 if it is not in the cache and cannot be read now. One per HTTP
/// loop, on whose thread it is used. No credential is required: a client that knows the name of a file has received the
/// payload with it.
///
/// ```
///   path → name ──► cache: file? ──► HostedAnswer: 200, 206, 304, 416 ──► cache: part? ──► piece, as the client reads
///                       └ no ► loader ─┘                                      └ no ► loader ─┘
/// ```
/// Concurrent requests of one loop for the same record or part share one database read. A large file is sent part by
/// part, so that a slow client keeps only one part in memory.
final class HostedHandler {
  private let loader: HostedLoader
  private let clock: any Clock
  private var cache = HostedCache()
  private var waiting: [HostedLoader.Lookup: [(HostedLoader.Found) -> Void]] = [:]
  private let answers: Inbox<(lookup: HostedLoader.Lookup, found: HostedLoader.Found)>

  init(loader: HostedLoader, loop: EventLoop) throws(SystemError) {
    self.loader = loader
    clock = loop.clock
    answers = try Inbox(capacity: HostedLimits.lookups)
    try loop.attach(answers) { [weak self] found in
      for (lookup, found) in found { self?.take(found, of: lookup) }
    }
  }

  /// Returns whether this handler serves the request's path: `/p/` or `/m/` followed by at least one byte.
  static func handles(_ request: Request) -> Bool {
    request.withPath { path in
      path.count > 3 && path[0] == UInt8(ascii: "/") && path[2] == UInt8(ascii: "/")
        && (path[1] == UInt8(ascii: "p") || path[1] == UInt8(ascii: "m"))
    }
  }

  func handle(_ request: Request, _ responder: Responder) {
    guard request.method == .get || request.method == .head else {
      return responder.send(.methodNotAllowed(allow: [.get, .head]))
    }
    let path = request.path
    let isPage = path.hasPrefix(ContentHosting.pagePath)
    let file = path.dropFirst(ContentHosting.pagePath.count)
    let name = String(file.prefix(HostedLimits.nameBytes))
    guard Self.isName(name) else { return Self.refuse(responder) }
    var conditions = HostedAnswer.Conditions(ifNoneMatch: request.header("if-none-match"))
    if request.method == .get {
      conditions.range = request.header("range")
      conditions.ifRange = request.header("if-range")
    }
    let isHead = request.method == .head
    let suffix = String(file.dropFirst(HostedLimits.nameBytes))
    find(name) { [self] found in
      guard case .file(let record) = found else { return Self.refuseForNow(responder) }
      guard let record, record.suffix == suffix, record.isMedia != isPage, record.expiresAt > clock.wallTime
      else { return Self.refuse(responder) }
      answer(HostedAnswer(record, conditions, now: clock.wallTime), record, isHead: isHead, responder)
    }
  }

  /// Returns whether a file can have this name: it has the right length, and only base64url characters. Other names are
  /// refused without a lookup in the database.
  private static func isName(_ name: String) -> Bool {
    name.utf8.count == HostedLimits.nameBytes
      && name.utf8.allSatisfy { byte in
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
          || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
      }
  }

  // MARK: Answering

  private func answer(
    _ answer: HostedAnswer, _ record: HostedFiles.Record, isHead: Bool, _ responder: Responder
  ) {
    guard case .bytes(let range) = answer.content else {
      return responder.send(Response(status: answer.status, headers: answer.headers))
    }
    guard !isHead else {
      responder.stream(status: answer.status, headers: answer.headers, length: range.count)?.finish()
      return
    }
    let first = range.lowerBound / record.partBytes
    let isOnePart = (range.upperBound - 1) / record.partBytes == first
    part(record.name, first) { [self] found in
      guard case .part(let body?) = found else { return Self.refuseForNow(responder) }
      guard !isOnePart else {
        let piece = Self.piece(body, first, range, record)
        return responder.send(Response(status: answer.status, headers: answer.headers, body: piece))
      }
      let stream = responder.stream(status: answer.status, headers: answer.headers, length: range.count)
      if let stream { send(body, first, range, record, stream) }
    }
  }

  /// Sends the bytes of a part that belong to the range and, when the client has read them, those of the next part,
  /// until the end of the range. If a part cannot be read, is missing or is too short, the response ends too early, and
  /// the connection is closed.
  private func send(
    _ body: [UInt8], _ number: Int, _ range: Range<Int>, _ record: HostedFiles.Record, _ stream: ResponseStream
  ) {
    let piece = Self.piece(body, number, range, record)
    guard !piece.isEmpty, stream.write(piece) else { return stream.finish() }
    guard (number + 1) * record.partBytes < range.upperBound else { return stream.finish() }
    stream.whenDrained { [self] in
      part(record.name, number + 1) { [self] found in
        guard case .part(let next?) = found else { return stream.finish() }
        send(next, number + 1, range, record, stream)
      }
    }
  }

  /// Returns the bytes of a part that belong to a range of the file; empty if there are none.
  /// - Parameters:
  ///   - body: the content of the part.
  ///   - number: number of the part, from 0.
  private static func piece(
    _ body: [UInt8], _ number: Int, _ range: Range<Int>, _ record: HostedFiles.Record
  ) -> [UInt8] {
    let start = number * record.partBytes
    let wanted = (range.lowerBound - start..<range.upperBound - start).clamped(to: 0..<body.count)
    return wanted.count == body.count ? body : Array(body[wanted])
  }

  private static func refuse(_ responder: Responder) {
    var response = Response(
      status: .notFound, contentType: "text/plain; charset=utf-8", body: "There is nothing here, or not any more.\n")
    response.headers.append(("Cache-Control", "no-store"))
    responder.send(response)
  }

  private static func refuseForNow(_ responder: Responder) {
    var response = Response(
      status: .serviceUnavailable, contentType: "text/plain; charset=utf-8", body: "Try again in a moment.\n")
    response.headers += [("Retry-After", String(Response.retryAfterSeconds)), ("Cache-Control", "no-store")]
    responder.send(response)
  }

  // MARK: Finding

  private func find(_ name: String, _ completion: @escaping (HostedLoader.Found) -> Void) {
    guard let known = cache.file(name) else { return lookup(.file(name), completion) }
    guard known.record.expiresAt > clock.wallTime else {
      // A message may have extended the file's expiration since the record was cached.
      cache.forget(name)
      return lookup(.file(name), completion)
    }
    guard !known.isFresh(at: clock.now) else { return completion(.file(known.record)) }
    lookup(.file(name)) { found in
      // Without a database, answer from the cache.
      if case .failed = found { completion(.file(known.record)) } else { completion(found) }
    }
  }

  private func part(_ name: String, _ number: Int, _ completion: @escaping (HostedLoader.Found) -> Void) {
    if let part = cache.part(HostedCache.PartKey(name: name, part: number)) { return completion(.part(part)) }
    lookup(.part(name, number), completion)
  }

  private func lookup(_ lookup: HostedLoader.Lookup, _ completion: @escaping (HostedLoader.Found) -> Void) {
    if waiting[lookup] != nil {
      waiting[lookup]?.append(completion)
    } else if waiting.count < HostedLimits.lookups, loader.offer(.init(lookup: lookup, answers: answers)) {
      waiting[lookup] = [completion]
    } else {
      completion(.failed)
    }
  }

  private func take(_ found: HostedLoader.Found, of lookup: HostedLoader.Lookup) {
    switch (lookup, found) {
    case (_, .file(let record?)): cache.keep(HostedCache.Known(record: record, readAt: clock.now))
    case (.file(let name), .file(nil)): cache.forget(name)
    case (.part(let name, let number), .part(let body?)):
      cache.keep(body, HostedCache.PartKey(name: name, part: number))
    default: break
    }
    for completion in waiting.removeValue(forKey: lookup) ?? [] { completion(found) }
  }
}

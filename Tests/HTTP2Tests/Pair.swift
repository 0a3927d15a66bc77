import HTTP2
import Reactor

/// A client and a server session back to back in memory. Each `exchange` carries bytes both ways until both are silent.
final class Pair {
  let client: ClientSession
  let server: ServerSession
  /// Everything the client reported and nobody took yet.
  var clientEvents: [ClientSession.Event] = []
  var settings: [Setting]
  /// Called for each whole request, on the server's side. Without it requests wait in `requests`.
  var onRequest: ((ServerStream) -> Void)?
  var requests: [ServerStream] = []
  var opened = 0
  var serverClosed: [(id: Int32, code: ErrorCode)] = []
  var serverEvents: [ServerSession.Event] = []
  private var bytes = ByteBuffer()

  init(
    limit: UInt32 = 1000, server configuration: ServerSession.Configuration = .init(), announce: Bool = true
  ) throws {
    client = try ClientSession()
    server = try ServerSession(configuration: configuration)
    settings = [
      .headerTableSize(4096), .maxConcurrentStreams(limit), .initialWindowSize(65_535), .maxFrameSize(16_384),
      .maxHeaderListSize(8_000),
    ]
    if announce {
      try server.submitSettings(settings)
      try exchange()
    }
  }

  func exchange() throws {
    var isMoving = true
    while isMoving {
      isMoving = false
      client.writeOutput(into: &bytes)
      if !bytes.isEmpty { isMoving = true }
      try server.receive(&bytes)
      takeServerEvents()
      try server.writeOutput(into: &bytes)
      if !bytes.isEmpty { isMoving = true }
      try client.receive(&bytes)
      while let event = client.nextEvent() { clientEvents.append(event) }
    }
  }

  private func takeServerEvents() {
    while let event = server.nextEvent() {
      switch event {
      case .opened: opened += 1
      case .request(let stream):
        if let onRequest { onRequest(stream) } else { requests.append(stream) }
      case .closed(let stream, let code): serverClosed.append((stream.id, code))
      default: serverEvents.append(event)
      }
    }
  }

  /// The ends of requests, in the order they came; forgets them.
  func takeEnds() -> [StreamEnd] {
    var ends: [StreamEnd] = []
    clientEvents.removeAll { event in
      guard case .closed(let end) = event else { return false }
      ends.append(end)
      return true
    }
    return ends
  }

  var goAways: [GoAway] {
    clientEvents.compactMap { event in if case .goAway(let goAway) = event { goAway } else { nil } }
  }

  static let template = RequestTemplate(
    fields: [
      (HeaderField(":method", "POST"), .always), (HeaderField(":scheme", "https"), .always),
      (HeaderField(":authority", "localhost"), .always), (HeaderField("authorization", "bearer x.y.z"), .always),
      (HeaderField("apns-topic", "com.example.app"), .always), (HeaderField("apns-expiration", "0"), .nameOnly),
    ], varying: "apns-id")

  @discardableResult
  func submit(path: String = "/3/device/abcd", id: String = "id-1", body: [UInt8] = [1, 2, 3], tag: UInt64 = 0)
    throws -> Int32
  {
    let (path, id) = (Array(path.utf8), Array(id.utf8))
    return try client.submit(Self.template, path: path.span, varying: id.span, body: body.span, tag: tag)
  }
}

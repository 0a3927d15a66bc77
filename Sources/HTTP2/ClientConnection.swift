internal import Reactor

/// Implementation of `ClientSession`: state and protocol logic of the client half of a connection.
///
/// Request frames are encoded directly into the output buffer, because this is the sender's hot path; nghttp2 only
/// decompresses response headers. This file holds the state and sending; the extension in the other file receives.
struct ClientConnection: ~Copyable {
  let configuration: ClientSession.Configuration
  var keepsAllFields: Bool
  var events = EventQueue<ClientSession.Event>()
  var output = ByteBuffer(capacity: 32_768)
  /// The bytes of a frame that has not arrived completely.
  var partial = ByteBuffer(capacity: 1024)

  // Header compression for each direction.
  var encoder = HeaderEncoder()
  let decoder: HeaderDecoder
  /// A header block being assembled from HEADERS and CONTINUATION frames.
  var block: HeaderBlock?

  // Open streams.
  var table = StreamTable()
  var exchanges: [Exchange] = []
  var freeSlots: [Int] = []
  var nextStreamID: Int32 = 1
  var hasUsedLastID = false
  /// The ids of streams whose body is blocked by flow control, oldest first.
  var waiting: [Int32] = []
  var unsentBytes = 0

  // Limits set by the peer.
  var hasSettings = false
  var streamLimit = HTTP2.Limits.streamsBeforeSettings
  var sendWindow = HTTP2.Limits.initialWindowBytes
  var streamWindow = HTTP2.Limits.initialWindowBytes
  var maxFrameBytes = HTTP2.Limits.smallestFrameBytes

  // Bytes received and not yet returned in a WINDOW_UPDATE.
  var unacknowledgedBytes = 0
  /// The number of SETTINGS and PING acknowledgements queued in the output; bounded, so that a peer cannot exhaust our
  /// memory.
  var waitingAcknowledgements = 0

  /// The number of frames that advanced no request, since the last response or the last second.
  var idleFrames = 0
  var goAways = 0

  var lastGoAwayID: Int32?
  var hasSentGoAway = false
  /// True if the peer has violated the protocol; all further input is discarded.
  var isBroken = false

  init(configuration: ClientSession.Configuration) throws(HTTP2Error) {
    self.configuration = configuration
    keepsAllFields = configuration.keepsAllFields
    decoder = try HeaderDecoder()
    output.append("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
    append(settings: [.enablePush(0)])
  }

  var openStreams: Int { table.count }

  var acceptsRequests: Bool { lastGoAwayID == nil && !hasSentGoAway && !isBroken && !hasUsedLastID }

  // MARK: Requests

  mutating func submit(
    _ template: RequestTemplate, path: Span<UInt8>, varying: Span<UInt8>, body: Span<UInt8>, tag: UInt64
  ) throws(HTTP2Error) -> Int32 {
    guard acceptsRequests else {
      throw HTTP2Error(operation: "submit", reason: hasUsedLastID ? "no stream ids left" : "the connection is ending")
    }
    guard openStreams < streamLimit else {
      throw HTTP2Error(operation: "submit", reason: "the peer's stream limit is reached")
    }
    guard template.largestBlockBytes + path.count + varying.count <= maxFrameBytes else {
      throw HTTP2Error(operation: "submit", reason: "the header fields do not fit a frame")
    }
    let blockBytes = encoder.prepare(template, path: path.count, varying: varying.count)
    let id = takeStreamID()
    let isBodyless = body.count == 0
    FrameHeader(
      length: blockBytes, type: FrameHeader.Kind.headers,
      flags: FrameHeader.Flag.endHeaders | (isBodyless ? FrameHeader.Flag.endStream : 0), streamID: id
    ).append(to: &output)
    encoder.append(path: path, varying: varying, hasVarying: template.varyingName != nil, to: &output)
    let slot = open(Exchange(tag: tag, streamID: id, sendWindow: streamWindow))
    if !isBodyless { send(body, slot) }
    return id
  }

  private mutating func takeStreamID() -> Int32 {
    let id = nextStreamID
    if id == HTTP2.Limits.highestStreamID { hasUsedLastID = true } else { nextStreamID += 2 }
    return id
  }

  private mutating func open(_ exchange: Exchange) -> Int {
    let slot: Int
    if let free = freeSlots.popLast() {
      slot = free
      exchanges[slot] = exchange
    } else {
      slot = exchanges.count
      exchanges.append(exchange)
    }
    table.insert(exchange.streamID, slot: slot)
    return slot
  }

  /// Sends the body of a new request: at once if the windows allow all of it; otherwise the rest follows later.
  private mutating func send(_ body: Span<UInt8>, _ slot: Int) {
    let id = exchanges[slot].streamID
    if waiting.isEmpty, body.count <= min(sendWindow, streamWindow, maxFrameBytes) {
      FrameHeader(
        length: body.count, type: FrameHeader.Kind.data, flags: FrameHeader.Flag.endStream, streamID: id
      ).append(to: &output)
      output.append(body)
      sendWindow -= body.count
      exchanges[slot].sendWindow -= body.count
      return
    }
    exchanges[slot].unsent = Array(body)[...]
    unsentBytes += body.count
    waiting.append(id)
    sendWaiting()
  }

  /// Sends as much of the waiting bodies as the windows allow, oldest first.
  mutating func sendWaiting() {
    guard sendWindow > 0, !waiting.isEmpty else { return }
    var still: [Int32] = []
    for id in waiting {
      // The stream was closed while its body was waiting.
      guard let slot = table[id] else { continue }
      sendRest(slot)
      if !exchanges[slot].unsent.isEmpty { still.append(id) }
    }
    waiting = still
  }

  /// Sends as much of one waiting body as its windows allow. Called when this stream's window has opened, which
  /// unblocks no other stream.
  mutating func sendWaiting(_ slot: Int) {
    guard sendWindow > 0, !exchanges[slot].unsent.isEmpty else { return }
    sendRest(slot)
    let id = exchanges[slot].streamID
    if exchanges[slot].unsent.isEmpty { waiting.removeAll { $0 == id } }
  }

  private mutating func sendRest(_ slot: Int) {
    while !exchanges[slot].unsent.isEmpty {
      let count = min(sendWindow, exchanges[slot].sendWindow, maxFrameBytes, exchanges[slot].unsent.count)
      guard count > 0 else { return }
      let isLast = count == exchanges[slot].unsent.count
      FrameHeader(
        length: count, type: FrameHeader.Kind.data, flags: isLast ? FrameHeader.Flag.endStream : 0,
        streamID: exchanges[slot].streamID
      ).append(to: &output)
      output.append(Array(exchanges[slot].unsent.prefix(count)))
      exchanges[slot].unsent = exchanges[slot].unsent.dropFirst(count)
      exchanges[slot].sendWindow -= count
      sendWindow -= count
      unsentBytes -= count
    }
  }

  /// Ends a request; `.closed` is its last event.
  mutating func close(_ slot: Int, _ code: ErrorCode) {
    let exchange = exchanges[slot]
    table.remove(exchange.streamID)
    freeSlots.append(slot)
    unsentBytes -= exchange.unsent.count
    // Free the memory of fields and body. The usual case, an accepted push, has none.
    if exchange.status != 200 || !exchange.unsent.isEmpty {
      exchanges[slot] = Exchange(tag: 0, streamID: 0, sendWindow: 0)
    }
    events.append(.closed(exchange.end(code)))
  }

  // MARK: Other frames

  mutating func reset(_ id: Int32, _ code: ErrorCode) {
    guard let slot = table[id] else { return }
    appendReset(id, code)
    close(slot, code)
  }

  mutating func appendReset(_ id: Int32, _ code: ErrorCode) {
    FrameHeader(length: 4, type: FrameHeader.Kind.resetStream, streamID: id).append(to: &output)
    output.append(bigEndian: code.rawValue)
  }

  mutating func append(settings: [Setting]) {
    FrameHeader(length: settings.count * 6, type: FrameHeader.Kind.settings).append(to: &output)
    for setting in settings {
      output.append(bigEndian: setting.identifier)
      output.append(bigEndian: setting.value)
    }
  }

  mutating func appendPing(_ payload: UInt64, flags: UInt8 = 0) {
    FrameHeader(length: 8, type: FrameHeader.Kind.ping, flags: flags).append(to: &output)
    output.append(bigEndian: UInt32(truncatingIfNeeded: payload >> 32))
    output.append(bigEndian: UInt32(truncatingIfNeeded: payload))
  }

  mutating func appendWindowUpdate(_ bytes: Int, streamID: Int32) {
    FrameHeader(length: 4, type: FrameHeader.Kind.windowUpdate, streamID: streamID).append(to: &output)
    output.append(bigEndian: UInt32(bytes))
  }

  /// Queues a GOAWAY frame, which announces that we open no further streams and accept none. No effect after the first
  /// call.
  mutating func goAway(_ code: ErrorCode) {
    guard !hasSentGoAway else { return }
    hasSentGoAway = true
    FrameHeader(length: 8, type: FrameHeader.Kind.goAway).append(to: &output)
    output.append(bigEndian: UInt32(0))
    output.append(bigEndian: code.rawValue)
  }
}

/// A header block being assembled (RFC 9113 §4.3); only its CONTINUATION frames may arrive before it is complete.
struct HeaderBlock {
  let streamID: Int32
  let endsStream: Bool
  var bytes: [UInt8]
  var frames = 1
}

/// Maps the id of an open stream to its slot in `ClientConnection.exchanges`.
///
/// A client's ids are odd and consecutive, so each has its own cell in a ring buffer much larger than the number of
/// open streams: a look-up is one comparison, without a search. Only a stream that stays open while the ids wrap around
/// the ring collides with another; the newer one then goes into an overflow dictionary.
struct StreamTable {
  private static let free: Int32 = 0

  private var ids: [Int32]
  private var slots: [Int32]
  private var mask: Int
  private var beside: [Int32: Int] = [:]
  private(set) var count = 0

  init() {
    mask = 1023
    ids = Array(repeating: Self.free, count: mask + 1)
    slots = Array(repeating: 0, count: mask + 1)
  }

  private func cell(_ id: Int32) -> Int { Int(id >> 1) & mask }

  subscript(id: Int32) -> Int? {
    let cell = cell(id)
    if ids[cell] == id { return Int(slots[cell]) }
    return beside.isEmpty ? nil : beside[id]
  }

  mutating func insert(_ id: Int32, slot: Int) {
    if count * 4 > mask { grow() }
    let cell = cell(id)
    if ids[cell] == Self.free {
      ids[cell] = id
      slots[cell] = Int32(slot)
    } else {
      beside[id] = slot
    }
    count += 1
  }

  mutating func remove(_ id: Int32) {
    let cell = cell(id)
    if ids[cell] == id {
      ids[cell] = Self.free
    } else if beside.removeValue(forKey: id) == nil {
      return
    }
    count -= 1
  }

  private mutating func grow() {
    var entries = Array(zip(ids, slots).filter { $0.0 != Self.free })
    entries += beside.map { ($0.key, Int32($0.value)) }
    mask = mask * 2 + 1
    ids = Array(repeating: Self.free, count: mask + 1)
    slots = Array(repeating: 0, count: mask + 1)
    beside = [:]
    count = 0
    for (id, slot) in entries { insert(id, slot: Int(slot)) }
  }
}

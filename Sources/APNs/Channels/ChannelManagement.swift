package import Domain
internal import HTTP2
internal import JSON
internal import PushTransport
package import TLS

/// Calls the broadcast channel management of APNs. Each call uses a connection of its own, because calls are rare, and
/// blocks until its result.
///
/// Source: "Sending channel management requests to APNs".
package struct ChannelManagement: Sendable {
  package enum Call: Equatable, Sendable {
    case create(ChannelStorage)
    case read(String)
    case delete(String)
    case list
  }

  package enum Answer: Equatable, Sendable {
    case created(String)
    case storage(ChannelStorage)
    case deleted
    case channels([String])
  }

  package enum Fault: Error, Equatable, Sendable {
    /// APNs refused the call; `reason` is Apple's code.
    case refused(status: Int, reason: String)
    /// APNs could not be reached or did not answer. If `wasSent` is false, the call was certainly not carried out; if
    /// true, that is unknown.
    case unreachable(reason: String, wasSent: Bool)
    /// APNs sent a response that Apple does not document.
    case odd(status: Int)
  }

  /// The authentication of a call to APNs.
  package enum Opening: Sendable {
    case token(ProviderToken)
    case certificate(TLSIdentity)
  }

  private let configuration: APNsConfiguration

  package init(_ configuration: APNsConfiguration) {
    self.configuration = configuration
  }

  package func send(
    _ call: Call, of bundle: String, in environment: PushEnvironment, by opening: Opening
  ) throws(Fault) -> Answer {
    let endpoint = configuration.channels(environment)
    let end: StreamEnd
    do throws(SingleRequest.Failure) {
      end = try SingleRequest.send(
        Self.fields(call, bundle, authority: endpoint.authority, opening), body: Self.body(of: call), to: endpoint.wire,
        try context(opening), configuration.wire, within: .seconds(APNs.Limits.managementSeconds))
    } catch {
      throw .unreachable(reason: error.reason, wasSent: error.wasSent)
    }
    return try Self.answer(to: call, end)
  }

  private func context(_ opening: Opening) throws(SingleRequest.Failure) -> TLSContext {
    do throws(TLSError) {
      switch opening {
      case .token: return try TLSContext.client(trust: configuration.trust)
      case .certificate(let identity): return try TLSContext.client(trust: configuration.trust, identity: identity)
      }
    } catch {
      throw SingleRequest.Failure(reason: error.description, wasSent: false)
    }
  }

  // MARK: Requests

  static func fields(_ call: Call, _ bundle: String, authority: String, _ opening: Opening) -> [HeaderField] {
    var (method, place, channel) = ("POST", "channels", nil as String?)
    switch call {
    case .create: break
    case .read(let id): (method, channel) = ("GET", id)
    case .delete(let id): (method, channel) = ("DELETE", id)
    case .list: (method, place) = ("GET", "all-channels")
    }
    var fields = [
      HeaderField(":method", method), HeaderField(":scheme", "https"), HeaderField(":authority", authority),
      HeaderField(":path", "/1/apps/\(bundle)/\(place)"),
    ]
    if case .token(let token) = opening { fields.append(HeaderField("authorization", "bearer " + token.value)) }
    if let channel { fields.append(HeaderField("apns-channel-id", channel)) }
    if case .create = call { fields.append(HeaderField("content-type", "application/json")) }
    return fields
  }

  static func body(of call: Call) -> [UInt8] {
    guard case .create(let storage) = call else { return [] }
    return Array(#"{"message-storage-policy":\#(storage.rawValue),"push-type":"LiveActivity"}"#.utf8)
  }

  // MARK: Answers

  static func answer(to call: Call, _ end: StreamEnd) throws(Fault) -> Answer {
    guard (200...299).contains(end.status) else {
      let answer = APNsAnswer(status: end.status, body: end.body)
      throw .refused(status: end.status, reason: answer.shownReason)
    }
    switch call {
    case .create:
      if let id = end.value(of: "apns-channel-id"), !id.isEmpty, id.utf8.count <= Domain.Limits.channelIDBytes {
        return .created(id)
      }
    case .read: if let storage = storage(in: end.body) { return .storage(storage) }
    case .delete: return .deleted
    case .list: if let channels = channels(in: end.body) { return .channels(channels) }
    }
    throw .odd(status: end.status)
  }

  private static func storage(in body: [UInt8]) -> ChannelStorage? {
    var policy: Int64?
    var reader = JSONReader(body)
    try? reader.readObject { (reader, name) throws(JSONError) in
      if name == "message-storage-policy" { policy = try reader.readInteger() } else { try reader.skip() }
    }
    return policy.flatMap { Int16(exactly: $0) }.flatMap(ChannelStorage.init)
  }

  private static func channels(in body: [UInt8]) -> [String]? {
    var channels: [String]?
    var reader = JSONReader(body)
    try? reader.readObject { (reader, name) throws(JSONError) in
      guard name == "channels" else { return try reader.skip() }
      var found: [String] = []
      try reader.readArray { (reader, _) throws(JSONError) in found.append(try reader.readString()) }
      channels = found
    }
    return channels
  }
}

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The reason why a call has failed.
public enum ClientError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The device is not registered; register it first.
  case notRegistered
  /// The badge is not in 1…1000. Nothing was sent.
  case badgeOutOfRange(Int)
  /// A badge was given with an option other than `update` and `force`, or none with one of these two. Nothing was sent.
  case badgeNotExpected
  /// An argument is invalid; the text says which. Nothing was sent, except by `PushClient.groups`, which also throws
  /// this if the server answers with an invalid cursor.
  case badArgument(String)
  /// The payload has no valid SEQNO or pushkey, so it does not come from UPMC and there is nothing to confirm.
  case notOfUPMC
  /// There was no complete answer, or it was too large. The server may have carried out the call; repeating it does no
  /// harm.
  case noAnswer(String)
  /// The server is overloaded or unavailable at present (429 or 5xx). The caller should wait for the given seconds, 0
  /// to 3,600; nil if the server names none.
  case busy(retryAfterSeconds: Int?)
  /// The server refused the call, for the given reason.
  case refused(ServerProblem)
  /// The answer is not one that a UPMC server gives, usually because the address is wrong or the network requires a
  /// login first.
  case notAnAnswer(status: Int)
  /// The key store could not be read or written.
  case keyStore(String)
  /// A page or media file that a payload refers to could not be used: its URL, status, size or encoding is invalid. The
  /// text says which.
  case badContent(String)

  /// A description for people and logs.
  public var description: String {
    switch self {
    case .notRegistered: "the device is not registered; register it first"
    case .badgeOutOfRange(let badge): "a badge is 1 to 1000, not \(badge)"
    case .badgeNotExpected: "a badge goes with update and force alone, and these need one"
    case .badArgument(let reason): reason
    case .notOfUPMC: "the notification is not UPMC's: it has no seqno and pushkey"
    case .noAnswer(let reason): "no answer: \(reason)"
    case .busy(let seconds): "the server is busy" + (seconds.map { "; it asks to wait \($0) s" } ?? "")
    case .refused(let problem): problem.description
    case .notAnAnswer(let status): "HTTP \(status) that is no answer of a UPMC server; check its address"
    case .keyStore(let reason): "the key store: \(reason)"
    case .badContent(let reason): reason
    }
  }
}

/// An error reported by the server (RFC 9457).
public struct ServerProblem: Sendable, Equatable, Codable, CustomStringConvertible {
  /// The stable code, such as `upmc:unknown-group`.
  public var type: String
  /// The HTTP status.
  public var status: Int
  /// A short title of the problem; nil if the server sent none.
  public var title: String?
  /// An explanation of what is wrong and how to correct it; nil if the server sent none.
  public var detail: String?
  /// The id under which the server has logged the request; nil if the server sent none.
  public var requestId: String?

  /// A description for people and logs.
  public var description: String { "\(status) \(type)" + (detail.map { ": \($0)" } ?? "") }

  /// Parses the body of an error response. Returns nil if it does not come from a UPMC server: the body is not a
  /// problem with a `upmc:` type, or its status differs from that of the response.
  init?(_ answer: WireAnswer) {
    guard let problem = try? JSONDecoder().decode(ServerProblem.self, from: Data(answer.body)),
      problem.type.hasPrefix("upmc:"), problem.status == answer.status
    else { return nil }
    self = problem
  }
}

extension WireAnswer {
  /// Decodes the body of a successful answer (2xx).
  /// - Throws: `.busy` for 429 and 5xx; `.refused` for an error reported by a UPMC server; `.notAnAnswer` for all other
  ///   statuses, and if the body cannot be decoded.
  func decoded<Value: Decodable>(_ type: Value.Type) throws(ClientError) -> Value {
    guard (200...299).contains(status) else { throw refusal }
    do {
      return try JSONDecoder().decode(type, from: Data(body))
    } catch {
      throw .notAnAnswer(status: status)
    }
  }

  /// Checks that the answer is a success without a body (204).
  /// - Throws: `.busy` for 429 and 5xx; `.refused` for an error reported by a UPMC server; `.notAnAnswer` for all other
  ///   statuses, including other successes.
  func demandNoContent() throws(ClientError) {
    // A network that requires a login answers 200 with a page.
    guard status == 204 else { throw (200...299).contains(status) ? .notAnAnswer(status: status) : refusal }
  }

  private var refusal: ClientError {
    if isBusy { return .busy(retryAfterSeconds: honoredRetryAfterSeconds) }
    return ServerProblem(self).map { .refused($0) } ?? .notAnAnswer(status: status)
  }
}

/// Encodes request bodies as JSON.
enum WireBody {
  static func encode(_ value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
    // Cannot fail, because the bodies contain only strings, numbers and Booleans.
    return (try? encoder.encode(value)).map { [UInt8]($0) } ?? []
  }
}

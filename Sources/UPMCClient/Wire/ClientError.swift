#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Why a call did not do what was asked.
public enum ClientError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The device is not registered; register first.
  case notRegistered
  /// A badge must be 1…1000. Nothing was sent.
  case badgeOutOfRange(Int)
  /// A badge goes with `update` and `force`, and with no other option. Nothing was sent.
  case badgeNotExpected
  /// An argument that no server takes. Nothing was sent.
  case badArgument(String)
  /// The payload has no SEQNO and pushkey of UPMC, so there is nothing to confirm.
  case notOfUPMC
  /// There was no answer. The server may have done it; asking again does no harm.
  case noAnswer(String)
  /// The server cannot take it now.
  case busy(retryAfterSeconds: Int?)
  /// The server refused it.
  case refused(ServerProblem)
  /// The answer is none of a UPMC server: another address, or a network that wants a log-in first.
  case notAnAnswer(status: Int)
  /// The key store cannot be read or written.
  case keyStore(String)
  /// What a page or medium of a payload is refused for.
  case badContent(String)

  /// For people and logs.
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

/// A refusal as the server words it (RFC 9457).
public struct ServerProblem: Sendable, Equatable, Codable, CustomStringConvertible {
  /// A stable code such as `upmc:unknown-group`.
  public var type: String
  /// The HTTP status.
  public var status: Int
  /// In a few words.
  public var title: String?
  /// What to do.
  public var detail: String?
  /// Under which the server's log has it.
  public var requestId: String?

  /// For people and logs.
  public var description: String { "\(status) \(type)" + (detail.map { ": \($0)" } ?? "") }

  /// Nil when the body is no problem of a UPMC server.
  init?(_ answer: WireAnswer) {
    guard let problem = try? JSONDecoder().decode(ServerProblem.self, from: Data(answer.body)),
      problem.type.hasPrefix("upmc:"), problem.status == answer.status
    else { return nil }
    self = problem
  }
}

extension WireAnswer {
  /// The answer as a value, or why it is none.
  func decoded<Value: Decodable>(_ type: Value.Type) throws(ClientError) -> Value {
    guard (200...299).contains(status) else { throw refusal }
    do {
      return try JSONDecoder().decode(type, from: Data(body))
    } catch {
      throw .notAnAnswer(status: status)
    }
  }

  /// Succeeds for an answer without a body.
  func demandNoContent() throws(ClientError) {
    // A network that wants a log-in first answers 200 with a page.
    guard status == 204 else { throw (200...299).contains(status) ? .notAnAnswer(status: status) : refusal }
  }

  private var refusal: ClientError {
    if isBusy {
      return .busy(retryAfterSeconds: retryAfterSeconds.map { min(max($0, 0), ClientLimits.longestRestSeconds) })
    }
    return ServerProblem(self).map { .refused($0) } ?? .notAnAnswer(status: status)
  }
}

/// Bodies as JSON.
enum WireBody {
  static func encode(_ value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
    // Strings, numbers and flags alone: nothing of these can fail to be JSON.
    return (try? encoder.encode(value)).map { [UInt8]($0) } ?? []
  }
}

import Foundation
import Synchronization
import UPMCClient

/// The client's, not the server's of the same name.
typealias Confirmation = UPMCClient.Confirmation
typealias BadgeOption = UPMCClient.BadgeOption

/// Answers as a test says, and keeps what was asked.
final class FakeTransport: Transport, Sendable {
  private let asked = Mutex<[WireRequest]>([])
  private let answer: @Sendable (WireRequest) async -> Result<WireAnswer, NoAnswer>

  init(_ answer: @escaping @Sendable (WireRequest) async -> Result<WireAnswer, NoAnswer>) {
    self.answer = answer
  }

  var requests: [WireRequest] { asked.withLock { $0 } }

  func send(_ request: WireRequest, _ completion: @escaping @Sendable (Result<WireAnswer, NoAnswer>) -> Void) {
    asked.withLock { $0.append(request) }
    Task { completion(await answer(request)) }
  }

  static func json(_ status: Int, _ text: String, retryAfter: Int? = nil) -> Result<WireAnswer, NoAnswer> {
    .success(WireAnswer(status: status, retryAfterSeconds: retryAfter, body: Array(text.utf8)))
  }

  /// `recorded`, or another word, for each entry of a request.
  static func verdicts(_ request: WireRequest, _ word: (Entry) -> String = { _ in "recorded" }) -> Result<
    WireAnswer, NoAnswer
  > {
    let entries = Entry.all(in: request)
    let results = entries.map { #"{"seqno":"\#($0.seqno)","status":"\#(word($0))"}"# }
    return json(200, #"{"results":[\#(results.joined(separator: ","))]}"#)
  }

  /// One confirmation of a request.
  struct Entry: Codable, Equatable {
    var seqno: String
    var psid: String
    var pushkey: String
    var at: String?
    var badgeOption: String?
    var badge: Int?

    static func all(in request: WireRequest) -> [Entry] {
      let lists = try? JSONDecoder().decode([String: [Entry]].self, from: Data(request.body ?? []))
      return lists?["receipts"] ?? lists?["reads"] ?? []
    }
  }
}

/// A key store in memory.
final class MemoryKeyStore: KeyStore, Sendable {
  private let entries = Mutex<[String: [UInt8]]>([:])

  func read(_ name: String) throws -> [UInt8]? { entries.withLock { $0[name] } }
  func write(_ bytes: [UInt8], _ name: String) throws { entries.withLock { $0[name] = bytes } }
  func remove(_ name: String) throws { entries.withLock { $0[name] = nil } }
}

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// `POST /v1/receipts` and `POST /v1/reads`: up to 100 confirmations of one kind. Creates the request and parses the
/// answer. Needs no authentication, because each confirmation contains a pushkey.
public enum ConfirmationCall {
  /// The server's result for one confirmation.
  public struct Verdict: Sendable, Equatable {
    /// The status: `recorded`, `invalid-pushkey` (the pushkey does not belong to this SEQNO and token) or
    /// `unknown-message`. Newer servers may send others.
    public var status: String
    /// The user's new badge count; nil for a receipt, and for a read that was not recorded, whose message the server
    /// keeps only in the inbox, or whose push was sent before the user logged in.
    public var badge: Int?
  }

  /// Returns the request that reports confirmations to the server.
  /// - Parameter confirmations: 1…100 confirmations of `kind`; the number is not checked.
  public static func request(
    _ confirmations: [Confirmation], _ kind: Confirmation.Kind, to origin: String
  ) -> WireRequest {
    var request = WireRequest("POST", kind == .receipt ? "/v1/receipts" : "/v1/reads", at: origin)
    request.body = body(confirmations, kind == .receipt ? "receipts" : "reads")
    return request
  }

  /// Encodes the body, by hand, because this is the most frequent call and an encoder would take ten times as long.
  private static func body(_ confirmations: [Confirmation], _ list: String) -> [UInt8] {
    var json: [UInt8] = []
    json.reserveCapacity(32 + confirmations.count * 224)
    json += "{\"\(list)\":[".utf8
    for (index, one) in confirmations.enumerated() {
      json += (index > 0 ? ",{\"seqno\":" : "{\"seqno\":").utf8
      quote(one.seqno, into: &json)
      json += ",\"psid\":".utf8
      quote(one.psid, into: &json)
      json += ",\"pushkey\":".utf8
      quote(one.pushkey, into: &json)
      if let at = one.at {
        json += ",\"at\":".utf8
        quote(at, into: &json)
      }
      if let option = one.badgeOption {
        json += ",\"badgeOption\":".utf8
        quote(option.rawValue, into: &json)
      }
      if let badge = one.badge { json += ",\"badge\":\(badge)".utf8 }
      json.append(UInt8(ascii: "}"))
    }
    json += "]}".utf8
    return json
  }

  private static func quote(_ text: String, into json: inout [UInt8]) {
    json.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): json += [UInt8(ascii: "\\"), byte]
      case ..<0x20: json += "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8
      default: json.append(byte)
      }
    }
    json.append(UInt8(ascii: "\""))
  }

  /// Returns the result of each confirmation, in the order of the request; nil if the status is not 200, or the body
  /// does not contain a result for exactly the confirmations sent.
  public static func verdicts(_ answer: WireAnswer, of confirmations: [Confirmation]) -> [Verdict]? {
    struct Results: Decodable {
      struct Result: Decodable {
        var seqno: String
        var status: String
        var badge: Int?
      }
      var results: [Result]
    }
    guard answer.status == 200, let read = try? JSONDecoder().decode(Results.self, from: Data(answer.body)),
      read.results.map(\.seqno) == confirmations.map(\.seqno)
    else { return nil }
    return read.results.map { Verdict(status: $0.status, badge: $0.badge) }
  }
}

/// A statement that a message was received or read.
public struct Confirmation: Sendable, Equatable {
  /// The kind of a confirmation: receipt or read.
  public enum Kind: String, Sendable, Codable, CaseIterable {
    /// The message has arrived.
    case receipt
    /// The user has read the message; implies the receipt.
    case read
  }

  /// The SEQNO of the message, as digits.
  public var seqno: String
  /// The token that the message was sent to (PSID).
  public var psid: String
  /// The key from the payload, which proves that the message was sent to this token.
  public var pushkey: String
  /// The time at which the message was received or read (RFC 3339); nil to let the server use its own time.
  public var at: String?
  /// The effect of a read on the badge; nil means `keep`.
  public var badgeOption: BadgeOption?
  /// The number for `update` and `force`; nil for other options.
  public var badge: Int?

  /// Creates a confirmation. `badgeOption` and `badge` are only for reads. Nothing is validated.
  public init(
    seqno: String, psid: String, pushkey: String, at: String? = nil, badgeOption: BadgeOption? = nil, badge: Int? = nil
  ) {
    self.seqno = seqno
    self.psid = psid
    self.pushkey = pushkey
    self.at = at
    self.badgeOption = badgeOption
    self.badge = badge
  }

  /// Formats a time for the server, in RFC 3339 with milliseconds; nil if it is before 2020 or after 9998, so that the
  /// device's clock is obviously wrong.
  static func moment(_ date: Date) -> String? {
    // Accepts the years 2020 … 9998.
    guard (1_577_836_800..<253_370_764_800).contains(date.timeIntervalSince1970) else { return nil }
    return Date.ISO8601FormatStyle(includingFractionalSeconds: true).format(date)
  }
}

/// The effect of a read on the user's badge count, which the server keeps.
public enum BadgeOption: String, Sendable, Codable, CaseIterable {
  /// Decrements the count, to no less than 0, once per message.
  case keep
  /// Sets the count to 0, once per message.
  case reset
  /// Sets the count to a number, once per message.
  case update
  /// Sets the count to a number, with every call. `PushClient.read` sends `update` instead and then sets the badge if
  /// necessary, because a repetition after a lost answer must not set the count again.
  case force

  /// Checks that `badge` matches the option, before anything is sent.
  /// - Throws: `.badgeNotExpected` if there is a badge for `keep` or `reset`, or none for `update` or `force`;
  ///   `.badgeOutOfRange` if the badge is not in 1…1000.
  public func check(_ badge: Int?) throws(ClientError) {
    switch (self, badge) {
    case (.keep, nil), (.reset, nil): return
    case (.update, let badge?), (.force, let badge?): try Self.check(badge)
    default: throw .badgeNotExpected
    }
  }

  /// Checks a badge count.
  /// - Throws: `.badgeOutOfRange` unless the badge is in 1…1000.
  static func check(_ badge: Int) throws(ClientError) {
    guard ClientLimits.badge.contains(badge) else { throw .badgeOutOfRange(badge) }
  }
}

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// `POST /v1/receipts` and `POST /v1/reads`: up to 100 confirmations of one kind. Needs no key: each pushkey proves itself.
public enum ConfirmationCall {
  /// What became of one.
  public struct Verdict: Sendable, Equatable {
    /// `recorded`, `invalid-pushkey` or `unknown-message`.
    public var status: String
    /// The user's new count, for a read.
    public var badge: Int?
  }

  /// - Parameter confirmations: 1…100 of `kind`.
  public static func request(
    _ confirmations: [Confirmation], _ kind: Confirmation.Kind, to origin: String
  ) -> WireRequest {
    var request = WireRequest("POST", kind == .receipt ? "/v1/receipts" : "/v1/reads", at: origin)
    request.body = body(confirmations, kind == .receipt ? "receipts" : "reads")
    return request
  }

  /// By hand: of all calls there are most of these, and an encoder takes ten times as long.
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

  /// What became of each, in order; nil when the answer is not one to exactly these: then nothing is known.
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

/// That a message arrived, or was read.
public struct Confirmation: Sendable, Equatable {
  /// Which of the two.
  public enum Kind: String, Sendable, Codable, CaseIterable {
    /// It arrived.
    case receipt
    /// A person read it; implies the receipt.
    case read
  }

  /// SEQNO of the message: digits.
  public var seqno: String
  /// PSID: the token that the message came to.
  public var psid: String
  /// From the payload: proves that the message was sent to this token.
  public var pushkey: String
  /// When it happened, RFC 3339; nil lets the server take its own time.
  public var at: String?
  /// What a read does to the badge; nil is `keep`.
  public var badgeOption: BadgeOption?
  /// The number for `update` and `force`.
  public var badge: Int?

  /// A receipt; or, with the last two, a read.
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

  /// A moment as the server takes it; nil when the clock is so wrong that no server would.
  static func moment(_ date: Date) -> String? {
    // 2020 … 9999
    guard (1_577_836_800..<253_370_764_800).contains(date.timeIntervalSince1970) else { return nil }
    return Date.ISO8601FormatStyle(includingFractionalSeconds: true).format(date)
  }
}

/// What a read does to the user's badge count, which the server keeps.
public enum BadgeOption: String, Sendable, Codable, CaseIterable {
  /// Takes one off, once per message: the messages that are left keep their count.
  case keep
  /// Makes it 0.
  case reset
  /// Sets it to a number, once per message.
  case update
  /// Sets it to a number each time.
  case force

  /// - Throws: unless the badge fits the option; before anything is sent.
  public func check(_ badge: Int?) throws(ClientError) {
    switch (self, badge) {
    case (.keep, nil), (.reset, nil): return
    case (.update, let badge?), (.force, let badge?): try Self.check(badge)
    default: throw .badgeNotExpected
    }
  }

  /// - Throws: unless the badge is 1…1000.
  static func check(_ badge: Int) throws(ClientError) {
    guard ClientLimits.badge.contains(badge) else { throw .badgeOutOfRange(badge) }
  }
}

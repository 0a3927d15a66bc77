#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The payload of a received push: what the system shows (`aps`), UPMC's own part (`mps`), and custom keys.
public struct ReceivedPayload: Sendable, Equatable {
  /// SEQNO: the message's number, as digits.
  public let seqno: String
  /// Key that proves that the message was sent to this device's token.
  public let pushkey: String
  /// `mps.appid`: the app that the message was sent to.
  public let appID: String?
  /// `mps.sender`: `admin`, `device-ios`, `device-android`, or a name given by the sender.
  public let sender: String?
  /// `mps.senddate`: `yyyyMMddHH` in the app's time zone.
  public let sendDate: String?
  /// True if `mps.db_in` is `Y`: the message is kept in the history.
  public let dbIn: Bool
  /// True if `mps.sms` is `Y`: an SMS follows if the push is not confirmed.
  public let sms: Bool
  /// `mps.ext`, unparsed; see `RichContent`.
  public let ext: String?
  /// `aps.alert.title`.
  public let title: String?
  /// `aps.alert.body`, or `aps.alert` itself if it is a string.
  public let body: String?
  /// `aps.badge`: the number for the icon; nil to leave the icon unchanged.
  public let badge: Int?
  /// `aps.category`.
  public let category: String?
  /// True if `mutable-content` is 1, so that the system starts the extension.
  public let startsExtension: Bool
  /// True if the push shows nothing and only wakes the app.
  public let isSilent: Bool
  /// URL of an image, sound or video; only https.
  public let mediaURL: String?
  /// True if `feedback` is `"true"`: the extension has confirmed the push, so the app need not.
  public let hasFeedback: Bool
  /// The whole payload, including custom keys beside `aps` and `mps`.
  public let custom: [String: PayloadValue]

  /// Parses the payload of a received notification.
  /// - Parameter userInfo: the notification's `userInfo`, or FCM's `data`.
  /// - Throws: `.notOfUPMC` if the payload does not come from UPMC.
  public init(userInfo: [AnyHashable: Any]) throws(ClientError) {
    guard let value = PayloadValue(any: userInfo) else { throw .notOfUPMC }
    try self.init(value)
  }

  /// Parses a payload.
  /// - Parameter json: the payload as JSON; also FCM's `{"message":"…"}` and `{"data":{"message":"…"}}`.
  /// - Throws: `.notOfUPMC` if the payload does not come from UPMC.
  public init(json: [UInt8]) throws(ClientError) {
    guard let value = try? JSONDecoder().decode(PayloadValue.self, from: Data(json)) else { throw .notOfUPMC }
    try self.init(value)
  }

  /// Reads the values from a payload that has already been parsed.
  /// - Throws: `.notOfUPMC` if the payload has no SEQNO or pushkey.
  public init(_ outer: PayloadValue) throws(ClientError) {
    let root = Self.unwrapped(outer)
    guard case .object(let members) = root, let mps = members["mps"], let seqno = mps["seqno"]?.sequence,
      OutboxEntry.isSequence(seqno), let pushkey = mps["pushkey"]?.text, OutboxEntry.isPlain(pushkey, 256)
    else { throw .notOfUPMC }
    self.seqno = seqno
    self.pushkey = pushkey
    appID = mps["appid"]?.text
    sender = mps["sender"]?.text
    sendDate = mps["senddate"]?.text
    dbIn = mps["db_in"]?.text == "Y"
    sms = mps["sms"]?.text == "Y"
    ext = mps["ext"]?.text
    let aps = members["aps"]
    let alert = aps?["alert"]
    title = alert?["title"]?.text
    body = alert?.text ?? alert?["body"]?.text
    badge = aps?["badge"]?.integer
    category = aps?["category"]?.text
    startsExtension = alert != nil && aps?["mutable-content"]?.integer == 1
    isSilent = alert == nil
    mediaURL = members["mediaUrl"]?.text.flatMap { $0.hasPrefix("https://") ? $0 : nil }
    hasFeedback = members["feedback"]?.text == "true"
    custom = members.filter { !["aps", "mps", "mediaUrl", "feedback"].contains($0.key) }
  }

  /// Returns the payload that FCM delivers as a string inside a data message; other values unchanged.
  private static func unwrapped(_ value: PayloadValue) -> PayloadValue {
    guard value["mps"] == nil, let text = (value["message"] ?? value["data"]?["message"])?.text else { return value }
    return (try? JSONDecoder().decode(PayloadValue.self, from: Data(text.utf8))) ?? value
  }
}

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The payload of a received push: what the system shows (`aps`), UPMC's own part (`mps`), and custom keys.
public struct ReceivedPayload: Sendable, Equatable {
  /// The message's number (SEQNO): 1 to 19 digits without a leading zero.
  public let seqno: String
  /// The key that proves that the message was sent to this device's token.
  public let pushkey: String
  /// The app that the message was sent to, from `mps.appid`; nil if absent.
  public let appID: String?
  /// The sender, from `mps.sender`: `admin`, `device-ios`, `device-android`, or a name given by the sender; nil if
  /// absent.
  public let sender: String?
  /// The hour of sending, from `mps.senddate`: `yyyyMMddHH` in the app's time zone; nil if absent.
  public let sendDate: String?
  /// True if `mps.db_in` is `Y`. False asks the app not to keep the message in its history on the device.
  public let dbIn: Bool
  /// True if `mps.sms` is `Y`: an SMS follows if the push is not confirmed.
  public let sms: Bool
  /// The value of `mps.ext`, unparsed (see `RichContent`); nil if absent.
  public let ext: String?
  /// The title, from `aps.alert.title`; nil if absent.
  public let title: String?
  /// The text, from `aps.alert.body`, or `aps.alert` itself if it is a string; nil if absent. A large text is the URL
  /// of a hosted page (`PushClient.resolve`).
  public let body: String?
  /// The number for the icon, from `aps.badge`; nil if absent, which leaves the icon unchanged.
  public let badge: Int?
  /// The notification category, from `aps.category`; nil if absent.
  public let category: String?
  /// True if the push has an alert and `mutable-content` is 1, so that the system starts the extension.
  public let startsExtension: Bool
  /// True if the push has no `aps.alert`: it shows no text and has no receipt.
  public let isSilent: Bool
  /// The URL of an image, sound or video; nil if absent or not https.
  public let mediaURL: String?
  /// True if `feedback` is `"true"`: the extension has confirmed the push, so the app need not.
  public let hasFeedback: Bool
  /// The custom keys: the payload's top-level members except `aps`, `mps`, `mediaUrl` and `feedback`.
  public let custom: [String: PayloadValue]

  /// Parses the payload of a received notification.
  /// - Parameter userInfo: the notification's `userInfo`, or FCM's `data`.
  /// - Throws: `.notOfUPMC` if the payload does not come from UPMC.
  public init(userInfo: [AnyHashable: Any]) throws(ClientError) {
    guard let value = PayloadValue(any: userInfo) else { throw .notOfUPMC }
    try self.init(value)
  }

  /// Parses a payload.
  /// - Parameter json: the payload as JSON; also FCM's `{"message":"…"}` and `{"data":{"message":"…"}}`, which contain
  ///   the payload as a string.
  /// - Throws: `.notOfUPMC` if this is not JSON or does not come from UPMC.
  public init(json: [UInt8]) throws(ClientError) {
    guard let value = try? JSONDecoder().decode(PayloadValue.self, from: Data(json)) else { throw .notOfUPMC }
    try self.init(value)
  }

  /// Creates a payload from a value that has already been parsed, including FCM's forms. Members of an unexpected type
  /// count as absent.
  /// - Throws: `.notOfUPMC` if the payload has no valid SEQNO (1 to 19 digits without a leading zero) or pushkey (1 to
  ///   256 visible ASCII characters).
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

  /// Returns the payload that FCM delivers as a string inside a data message; all other values, and a message that is
  /// not JSON, unchanged.
  private static func unwrapped(_ value: PayloadValue) -> PayloadValue {
    guard value["mps"] == nil, let text = (value["message"] ?? value["data"]?["message"])?.text else { return value }
    return (try? JSONDecoder().decode(PayloadValue.self, from: Data(text.utf8))) ?? value
  }
}

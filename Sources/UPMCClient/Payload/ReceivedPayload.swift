#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A push as it came: what the system shows (`aps`), what UPMC adds (`mps`), and what the sender put beside them.
public struct ReceivedPayload: Sendable, Equatable {
  /// SEQNO: the number of the message; digits.
  public let seqno: String
  /// Proves that the message was sent to this device's token.
  public let pushkey: String
  /// `mps.appid`: the app it was sent to.
  public let appID: String?
  /// `mps.sender`: `admin`, `device-ios`, `device-android` or the sender's own name.
  public let sender: String?
  /// `mps.senddate`: `yyyyMMddHH` in the app's time zone.
  public let sendDate: String?
  /// `mps.db_in` is `Y`.
  public let dbIn: Bool
  /// `mps.sms` is `Y`: a text message follows when the push is not confirmed.
  public let sms: Bool
  /// `mps.ext`: as it came; see `RichContent`.
  public let ext: String?
  /// `aps.alert.title`.
  public let title: String?
  /// `aps.alert.body`, or `aps.alert` itself when it is a string.
  public let body: String?
  /// `aps.badge`: what the icon shows; nil leaves it as it is.
  public let badge: Int?
  /// `aps.category`.
  public let category: String?
  /// `mutable-content` is 1: the system starts the extension.
  public let startsExtension: Bool
  /// It shows nothing: it wakes the app.
  public let isSilent: Bool
  /// The address of an image, a sound or a film: https alone.
  public let mediaURL: String?
  /// The extension has sent the receipt (`feedback` is `"true"`): the app does not send it again.
  public let hasFeedback: Bool
  /// The whole payload, for what the sender put beside `aps` and `mps`.
  public let custom: [String: PayloadValue]

  /// - Parameter userInfo: as the system hands it over, or FCM's `data`.
  /// - Throws: `.notOfUPMC` when there is nothing to confirm.
  public init(userInfo: [AnyHashable: Any]) throws(ClientError) {
    guard let value = PayloadValue(any: userInfo) else { throw .notOfUPMC }
    try self.init(value)
  }

  /// - Parameter json: a payload as bytes; also FCM's `{"message":"…"}` and `{"data":{"message":"…"}}`.
  /// - Throws: `.notOfUPMC` when it is none.
  public init(json: [UInt8]) throws(ClientError) {
    guard let value = try? JSONDecoder().decode(PayloadValue.self, from: Data(json)) else { throw .notOfUPMC }
    try self.init(value)
  }

  /// - Throws: `.notOfUPMC` when it has no SEQNO and pushkey.
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

  /// FCM carries the payload as text in a data message.
  private static func unwrapped(_ value: PayloadValue) -> PayloadValue {
    guard value["mps"] == nil, let text = (value["message"] ?? value["data"]?["message"])?.text else { return value }
    return (try? JSONDecoder().decode(PayloadValue.self, from: Data(text.utf8))) ?? value
  }
}

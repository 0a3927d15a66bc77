internal import JSON

/// The content of a message: everything in a send that determines the payload or its headers, except the badge.
///
/// Fields are parsed independently; `ContentRules` checks that they are consistent.
package struct MessageContent: Equatable, Sendable {
  /// The push type as requested, or as inferred by `ContentRules.settle`.
  package internal(set) var pushType = PushType.alert
  package var alert: Alert?
  /// Texts in other languages, for devices with matching locales; other devices get `alert`.
  package var translations: [Translation] = []
  /// The sound; nil if not given: then the default sound for a push of type `alert` with an alert, otherwise none.
  package var sound: NotificationSound?
  package var category: String?
  package var threadID: String?
  package var targetContentID: String?
  /// `mutableContent` as requested: whether the system starts the app's extension to modify the notification. Nil if
  /// not given, so that `startsExtension` decides.
  package var isMutable: Bool?
  package var contentAvailable = false
  package var interruptionLevel: InterruptionLevel?
  package var relevanceScore: JSONNumber?
  package var filterCriteria: String?
  package var liveActivity: LiveActivity?
  package var android: AndroidContent?
  /// The PushMagic value of a managed device, for the push type `mdm`; nil for others.
  package var mdm: String?
  package var media: Media?
  /// Data for the app, by convention `type|title|…|url`; nil if none.
  package var ext: String?
  /// Custom payload keys beside `aps` and `mps`: names and raw JSON values.
  package var data: [Member] = []
  /// Values of `%VAR1%` … by number, for recipients for whom the audience provides none.
  package var variables: [Int: String] = [:]
  /// False if `%CUID%` and the like are literal text.
  package var fillsVariables = true
  package var collapseID: String?
  package var priority: PushPriority?
  /// True if APNs stores the push for an offline device; nil for the push type's default.
  package var isKeptForDevice: Bool?

  /// True if the app has a Notification Service Extension. Not part of the request, but set by the code that creates
  /// payloads.
  package var appHasExtension = false

  /// API names of the request's content fields that were given and have an effect.
  var given: Set<String> = []
  var askedPushType: PushType?

  package struct Translation: Equatable, Sendable {
    package let language: Language
    package let alert: Alert
    /// JSON pointer to the text, which names the language as the sender wrote it.
    let pointer: String
  }

  package struct Member: Equatable, Sendable {
    package let name: String
    package let json: [UInt8]
  }

  /// An image, sound or video that the app's extension downloads and shows.
  package enum Media: Equatable, Sendable {
    case url(String)
    /// A file uploaded to this server, by its id.
    case upload(String)
  }

  /// True if the message itself requires the app's extension: `mutableContent` is true, or is not given and there is
  /// media. Unlike `startsExtension`, independent of the app's settings.
  package var isMutableInEffect: Bool { isMutable ?? (media != nil) }

  /// True if the payload has `mutable-content`, which starts the app's extension: as requested. If not given, true for
  /// media and, in an app with an extension, for every push of type `alert` with an alert, so that the extension sends
  /// the receipt.
  package var startsExtension: Bool {
    isMutable ?? (media != nil || appHasExtension && pushType == .alert && alert != nil)
  }

  package var languages: LanguageTable { LanguageTable(translations.map(\.language)) }

  package var tokenKind: TokenKind { pushType.tokenKind(startsActivity: liveActivity?.event == .start) }
}

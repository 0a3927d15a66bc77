internal import JSON

/// What a message carries: everything of a send that shapes the payload or its headers, the badge excepted.
///
/// Reading takes each field for itself; whether they fit together is for `ContentRules`.
package struct MessageContent: Equatable, Sendable {
  /// As it was asked for, or found from the rest by `settle`.
  package internal(set) var pushType = PushType.alert
  package var alert: Alert?
  /// The same in other languages, for devices whose locale asks for one.
  package var translations: [Translation] = []
  /// Nil: not said, which means the default sound.
  package var sound: NotificationSound?
  package var category: String?
  package var threadID: String?
  package var targetContentID: String?
  /// Nil: not said.
  package var isMutable: Bool?
  package var contentAvailable = false
  package var interruptionLevel: InterruptionLevel?
  package var relevanceScore: JSONNumber?
  package var filterCriteria: String?
  package var liveActivity: LiveActivity?
  package var android: AndroidContent?
  /// The PushMagic of a managed device.
  package var mdm: String?
  package var media: Media?
  /// For the app, at best `type|title|…|url`.
  package var ext: String?
  /// Custom keys beside `aps` and `mps`: names and JSON values as they were given.
  package var data: [Member] = []
  /// What stands for `%VAR1%` … where the audience says nothing.
  package var variables: [Int: String] = [:]
  /// False: `%CUID%` and its like are text as any other.
  package var fillsVariables = true
  package var collapseID: String?
  package var priority: PushPriority?
  /// Nil: as the push type has it.
  package var isKeptForDevice: Bool?

  /// The app has a Notification Service Extension. No part of the request: whoever makes payloads of it says so.
  package var appHasExtension = false

  /// Fields of the request that say something, by name.
  var given: Set<String> = []
  var askedPushType: PushType?

  package struct Translation: Equatable, Sendable {
    package let language: Language
    package let alert: Alert
  }

  package struct Member: Equatable, Sendable {
    package let name: String
    package let json: [UInt8]
  }

  /// A picture, sound or film that the app's extension fetches and shows.
  package enum Media: Equatable, Sendable {
    case url(String)
    /// A file that was uploaded to this server.
    case upload(String)
  }

  /// The extension of the app may change the notification: asked for, or needed to show the media.
  package var isMutableInEffect: Bool { isMutable ?? (media != nil) }

  /// The payload starts the extension of the app, which makes the receipt: iOS does so for this alone. What is not shown
  /// starts none.
  package var startsExtension: Bool {
    isMutable ?? (media != nil || appHasExtension && pushType == .alert && alert != nil)
  }

  package var languages: LanguageTable { LanguageTable(translations.map(\.language)) }

  package var tokenKind: TokenKind { pushType.tokenKind(startsActivity: liveActivity?.event == .start) }
}

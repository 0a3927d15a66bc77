/// How an app's messages are encoded for FCM.
package struct FCMStyle: Equatable, Sendable {
  package enum Content: String, Sendable, CaseIterable {
    /// Data only; the SDK in the app displays it.
    case data
    /// Data, and a notification that Android displays by itself while the app is in the background.
    case notification
  }

  package enum Platforms: String, Sendable, CaseIterable {
    /// Android, and iOS devices registered through FCM.
    case all
    case android
  }

  package var content = Content.data
  package var platforms = Platforms.all

  package init(content: Content = .data, platforms: Platforms = .all) {
    self.content = content
    self.platforms = platforms
  }

  var name: String { "\(content.rawValue) \(platforms.rawValue)" }
}

/// The encoding of an app's messages for FCM.
package struct FCMStyle: Equatable, Sendable {
  package enum Content: String, Sendable, CaseIterable {
    /// Messages contain data only; the SDK in the app displays it.
    case data
    /// Messages contain data, and a notification that Android displays by itself while the app is in the background.
    case notification
  }

  package enum Platforms: String, Sendable, CaseIterable {
    /// The app has Android devices, and iOS devices registered through FCM.
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

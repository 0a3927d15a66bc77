import UIKit
import UPMCClient
import UPMCPush

/// The whole of it, for an app that has no delegate of its own.
@MainActor final class AppDelegate: UPMCAppDelegate {
  override var pushSettings: PushSettings? {
    PushSettings(host: "https://push.example.com", clientKey: "the app's client key")
  }
}

#if canImport(UserNotifications)
  internal import Foundation
  public import UPMCClient
  public import UserNotifications

  /// A Notification Service Extension that confirms each push and downloads its page and its image.
  ///
  /// ```
  /// didReceive ──► receipt stored ──┬─► page, image ──► content passed to the system, which shows the banner
  ///                                 └─► receipt sent   (the banner does not wait for it)
  /// serviceExtensionTimeWillExpire ────────────────────► content passed to the system as it is
  /// ```
  /// Once the receipt is stored, the content's `userInfo` contains `feedback: "true"`, so that the app does not confirm
  /// the push again. A push that does not come from UPMC is passed on unchanged.
  ///
  /// Apple's documentation: *UNNotificationServiceExtension*,
  /// <https://developer.apple.com/documentation/usernotifications/unnotificationserviceextension>
  open class UPMCNotificationService: UNNotificationServiceExtension {
    private let running = Guarded<ContentDelivery?>(nil)

    /// The storage shared by the app and this extension; by default as configured in Info.plist.
    open var place: SharedPlace { SharedPlace() }

    /// Changes the content before the system shows it; does nothing unless overridden. Called on any thread, after page
    /// and image were downloaded.
    open func adjust(
      _ content: UNMutableNotificationContent, for payload: ReceivedPayload, with fetched: FetchedContent
    ) {}

    /// Called by the system for each push. Override `adjust` instead of this method.
    open override func didReceive(
      _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
      guard let content = request.content.mutableCopy() as? UNMutableNotificationContent else {
        return contentHandler(request.content)
      }
      let delivery = ContentDelivery(content, contentHandler)
      running.withLock { $0 = delivery }
      guard let payload = try? ReceivedPayload(userInfo: content.userInfo), let client = place.client() else {
        return delivery.handOver()
      }
      let adjuster = Guarded(self)
      let isSent = Self.askForTimeToFinish()
      Task {
        await client.process(
          payload, mediaInto: NSTemporaryDirectory(), stored: { delivery.change { $0.userInfo["feedback"] = "true" } },
          show: { fetched in
            delivery.change { content in
              UPMCNotificationService.apply(fetched, to: content)
              adjuster.withLock { $0.adjust(content, for: payload, with: fetched) }
            }
            delivery.handOver()
          })
        isSent.signal()
      }
    }

    /// Called when the system's time limit is about to end: passes the content on as it is.
    open override func serviceExtensionTimeWillExpire() {
      running.withLock { $0 }?.handOver()
    }

    private static func apply(_ fetched: FetchedContent, to content: UNMutableNotificationContent) {
      if let body = fetched.body { content.body = body }
      if let ext = fetched.ext, var mps = content.userInfo["mps"] as? [String: Any] {
        mps["ext"] = ext
        content.userInfo["mps"] = mps
      }
      if let file = fetched.mediaFile,
        let attachment = try? UNNotificationAttachment(
          identifier: "upmc", url: URL(fileURLWithPath: file), options: nil)
      {
        content.attachments = [attachment]
      }
    }

    /// Asks the system to keep the process running until the receipt is sent, which may be after the content was passed
    /// on. Returns the semaphore to signal when the receipt is sent.
    ///
    /// Apple's documentation: *performExpiringActivity(withReason:using:)*,
    /// <https://developer.apple.com/documentation/foundation/processinfo/performexpiringactivity(withreason:using:)>
    private static func askForTimeToFinish() -> DispatchSemaphore {
      let done = DispatchSemaphore(value: 0)
      // macOS does not suspend extensions and lacks this call.
      #if !os(macOS)
        ProcessInfo.processInfo.performExpiringActivity(withReason: "UPMC receipt") { isExpired in
          if isExpired { done.signal() } else { done.wait() }
        }
      #endif
      return done
    }
  }

  /// The content of a push until it is passed to the system: may be changed by several tasks, and is passed on exactly
  /// once.
  private final class ContentDelivery: Sendable {
    private let state: Guarded<(content: UNMutableNotificationContent, handler: ((UNNotificationContent) -> Void)?)>

    init(_ content: UNMutableNotificationContent, _ handler: @escaping (UNNotificationContent) -> Void) {
      state = Guarded((content, handler))
    }

    /// Changes the content; no effect once it was passed to the system.
    func change(_ body: (UNMutableNotificationContent) -> Void) {
      state.withLock { state in
        if state.handler != nil { body(state.content) }
      }
    }

    func handOver() {
      state.withLock { state in
        state.handler?(state.content)
        state.handler = nil
      }
    }
  }
#endif

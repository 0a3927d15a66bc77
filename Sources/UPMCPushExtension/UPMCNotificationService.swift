#if canImport(UserNotifications)
  internal import Foundation
  public import UPMCClient
  public import UserNotifications

  /// A Notification Service Extension that confirms each push, and fetches its page and its image.
  ///
  /// ```
  /// didReceive ──► receipt stored ──┬─► page, image ──► content is handed over: the banner
  ///                                 └─► receipt sent   (the banner does not wait for it)
  /// serviceExtensionTimeWillExpire ────────────────────► content is handed over as it is
  /// ```
  /// The content bears `feedback: "true"` once the receipt is stored, so that the app does not confirm it again. A push that is
  /// not UPMC's is handed over as it came.
  ///
  /// Apple's documentation: *UNNotificationServiceExtension*,
  /// <https://developer.apple.com/documentation/usernotifications/unnotificationserviceextension>
  open class UPMCNotificationService: UNNotificationServiceExtension {
    private let running = Guarded<ContentDelivery?>(nil)

    /// Where the app and this extension meet; by the Info.plist unless overridden.
    open var place: SharedPlace { SharedPlace() }

    /// The last word on the content, before it is handed over. Called on any thread.
    open func adjust(
      _ content: UNMutableNotificationContent, for payload: ReceivedPayload, with fetched: FetchedContent
    ) {}

    /// Takes a push. Override `adjust` rather than this.
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
        // On the disk before anything else: the process may end at any moment.
        if await client.store(receiptOf: payload) { delivery.change { $0.userInfo["feedback"] = "true" } }
        async let confirmed = client.receive(payload, isExtension: true)
        let fetched = await client.fetch(contentOf: payload, mediaInto: NSTemporaryDirectory())
        delivery.change { content in
          UPMCNotificationService.apply(fetched, to: content)
          adjuster.withLock { $0.adjust(content, for: payload, with: fetched) }
        }
        delivery.handOver()
        _ = await confirmed
        isSent.signal()
      }
    }

    /// The system's patience is over: the content goes as it is.
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

    /// The receipt may still be on its way when the content was handed over: the system is asked to let the process finish.
    ///
    /// Apple's documentation: *performExpiringActivity(withReason:using:)*,
    /// <https://developer.apple.com/documentation/foundation/processinfo/performexpiringactivity(withreason:using:)>
    /// - Returns: to be signalled when the work is done.
    private static func askForTimeToFinish() -> DispatchSemaphore {
      let done = DispatchSemaphore(value: 0)
      // A Mac does not freeze its extensions, and has no such call.
      #if !os(macOS)
        ProcessInfo.processInfo.performExpiringActivity(withReason: "UPMC receipt") { isExpired in
          if isExpired { done.signal() } else { done.wait() }
        }
      #endif
      return done
    }
  }

  /// A push's content on its way to the system: changed by several tasks, handed over once.
  private final class ContentDelivery: Sendable {
    private let state: Guarded<(content: UNMutableNotificationContent, handler: ((UNNotificationContent) -> Void)?)>

    init(_ content: UNMutableNotificationContent, _ handler: @escaping (UNNotificationContent) -> Void) {
      state = Guarded((content, handler))
    }

    /// Changes the content; nothing happens once it was handed over.
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

#if canImport(UserNotificationsUI) && canImport(UIKit)
  public import UIKit
  public import UPMCClient
  public import UserNotifications
  public import UserNotificationsUI

  /// What the person sees who pulls a push open: image, title and text. Override `show` for another picture.
  ///
  /// In the extension's Info.plist, `UNNotificationExtensionCategory` names the categories, which the message's `category`
  /// must be among; `UNNotificationExtensionInitialContentSizeRatio` the height before it is known; and
  /// `UNNotificationExtensionDefaultContentHidden` hides the text below.
  ///
  /// Apple's documentation: *Customizing the Appearance of Notifications*,
  /// <https://developer.apple.com/documentation/usernotificationsui/customizing-the-appearance-of-notifications>
  open class UPMCNotificationContent: UIViewController, UNNotificationContentExtension {
    private let image = UIImageView()
    private let text = UILabel()

    /// Shows a push. Override `show` rather than this.
    open func didReceive(_ notification: UNNotification) {
      let content = notification.request.content
      guard let payload = try? ReceivedPayload(userInfo: content.userInfo) else { return }
      show(payload, payload.ext.map { RichContent($0) }, attachment: content.attachments.first?.url.path)
    }

    /// Shows a push.
    /// - Parameters:
    ///   - rich: its `ext`; nil without one.
    ///   - attachment: the path of what the service extension has fetched.
    open func show(_ payload: ReceivedPayload, _ rich: RichContent?, attachment: String?) {
      let width = view.bounds.width
      var height: CGFloat = 0
      // The file belongs to the system; reading it needs its leave, which an image that was loaded does not.
      if let attachment, let loaded = UIImage(contentsOfFile: attachment), loaded.size.width > 0 {
        image.image = loaded
        image.contentMode = .scaleAspectFit
        height = width * loaded.size.height / loaded.size.width
        image.frame = CGRect(x: 0, y: 0, width: width, height: height)
        view.addSubview(image)
      }
      text.text = [payload.title, payload.body].compactMap { $0 }.joined(separator: "\n")
      text.numberOfLines = 0
      let size = text.sizeThatFits(CGSize(width: width - 32, height: 400))
      text.frame = CGRect(x: 16, y: height + 12, width: width - 32, height: size.height)
      view.addSubview(text)
      preferredContentSize = CGSize(width: width, height: height + size.height + 24)
    }
  }
#endif

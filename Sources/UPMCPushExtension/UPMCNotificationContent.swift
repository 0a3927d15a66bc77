#if canImport(UserNotificationsUI) && canImport(UIKit)
  internal import Foundation
  public import UIKit
  public import UPMCClient
  public import UserNotifications
  public import UserNotificationsUI

  /// A Notification Content Extension: shows image, title and text of an expanded notification. Override `show` for a
  /// custom layout.
  ///
  /// Keys in the extension's Info.plist: `UNNotificationExtensionCategory` lists the categories for which the system
  /// uses the extension, and the message's `category` must be one of them;
  /// `UNNotificationExtensionInitialContentSizeRatio` is the height, relative to the width, before the content is laid
  /// out; and `UNNotificationExtensionDefaultContentHidden` hides the default text below it.
  ///
  /// Apple's documentation: *Customizing the Appearance of Notifications*,
  /// <https://developer.apple.com/documentation/usernotificationsui/customizing-the-appearance-of-notifications>
  open class UPMCNotificationContent: UIViewController, UNNotificationContentExtension {
    private let image = UIImageView()
    private let text = UILabel()

    /// Called by the system to show a push. Override `show` instead of this method.
    open func didReceive(_ notification: UNNotification) {
      let content = notification.request.content
      guard let payload = try? ReceivedPayload(userInfo: content.userInfo) else { return }
      let attachment = content.attachments.first?.url
      // The system owns the file: without this, another process can see its address but not read it.
      let mayRead = attachment?.startAccessingSecurityScopedResource() == true
      defer { if mayRead { attachment?.stopAccessingSecurityScopedResource() } }
      show(payload, payload.ext.map { RichContent($0) }, attachment: attachment?.path)
    }

    /// Lays out a push in the extension's view.
    /// - Parameters:
    ///   - rich: the push's rich content (`ext`); nil if it has none.
    ///   - attachment: path of the image that the service extension has downloaded, which can be read during this call
    ///     only; nil if there is none.
    open func show(_ payload: ReceivedPayload, _ rich: RichContent?, attachment: String?) {
      let width = view.bounds.width
      var height: CGFloat = 0
      // An image made from the file would read it when it is drawn; its data is read now.
      if let attachment, let data = try? Data(contentsOf: URL(fileURLWithPath: attachment)),
        let loaded = UIImage(data: data), loaded.size.width > 0
      {
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

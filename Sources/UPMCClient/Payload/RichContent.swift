/// The content of `mps.ext`, parsed at its pipe characters: a digit for the kind, then a title and URLs. URLs are not
/// validated.
public enum RichContent: Sendable, Equatable {
  /// A title: `0|title`.
  case text(title: String)
  /// A title and the URLs of an image and a page: `1|title|image|page`.
  case page(title: String, image: String, page: String)
  /// A title and the URLs of an image and a video: `2|title|image|video`.
  case video(title: String, image: String, video: String)
  /// A title and the URL of an image: `3|title|image`.
  case image(title: String, image: String)
  /// A title and the URL of a page with access protection, or of one made with the editor: `4|title|url`.
  case protectedPage(title: String, url: String)
  /// A title and a link to further information: `6|title|url`.
  case link(title: String, url: String)
  /// A URL that ends in `_ext.html` or `_msp.html`: the value was too large for a push and must be downloaded with
  /// `PushClient.resolve`, then parsed again.
  case hosted(url: String)
  /// Any other value: text, JSON or a URL.
  case free(String)

  /// Parses `ext`. Text that matches no kind, or has too few parts for its kind, becomes `hosted` if it is the URL of a
  /// hosted page, otherwise `free`. Surplus pipes belong to the last part.
  public init(_ ext: String) {
    let parts = ext.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    switch (parts[0], parts.count) {
    case ("0", 2...): self = .text(title: parts[1...].joined(separator: "|"))
    case ("1", 4...): self = .page(title: parts[1], image: parts[2], page: parts[3...].joined(separator: "|"))
    case ("2", 4...): self = .video(title: parts[1], image: parts[2], video: parts[3...].joined(separator: "|"))
    case ("3", 3...): self = .image(title: parts[1], image: parts[2...].joined(separator: "|"))
    case ("4", 3...): self = .protectedPage(title: parts[1], url: parts[2...].joined(separator: "|"))
    case ("6", 3...): self = .link(title: parts[1], url: parts[2...].joined(separator: "|"))
    default: self = Self.isHosted(ext) ? .hosted(url: ext) : .free(ext)
    }
  }

  /// The URL of an image to show with the notification; nil if there is none, or if it is not https.
  public var imageURL: String? {
    switch self {
    case .page(_, let image, _), .video(_, let image, _), .image(_, let image):
      image.hasPrefix("https://") ? image : nil
    default: nil
    }
  }

  /// Returns true if the value is the URL of a hosted page, from which the actual value must be downloaded: http or
  /// https, at most 2048 visible ASCII characters, and the ending `_ext.html` or `_msp.html`.
  static func isHosted(_ value: String) -> Bool {
    (value.hasPrefix("https://") || value.hasPrefix("http://")) && value.utf8.count <= 2_048
      && (value.hasSuffix("_ext.html") || value.hasSuffix("_msp.html"))
      && value.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }
}

/// Decodes the body of a hosted page: percent-encoded UTF-8.
enum HostedText {
  /// Returns the text of a hosted page. Bytes outside percent escapes, including `+`, are unchanged.
  /// - Throws: `.badContent` if a `%` is not followed by two hexadecimal digits, or the result is not UTF-8.
  static func decode(_ body: [UInt8]) throws(ClientError) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(body.count)
    var index = 0
    while index < body.count {
      guard body[index] == UInt8(ascii: "%") else {
        bytes.append(body[index])
        index += 1
        continue
      }
      guard index + 2 < body.count, let high = digit(body[index + 1]), let low = digit(body[index + 2]) else {
        throw .badContent("the page has a % without two digits at byte \(index)")
      }
      bytes.append(high << 4 | low)
      index += 3
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .badContent("the page is not UTF-8") }
    return text
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}

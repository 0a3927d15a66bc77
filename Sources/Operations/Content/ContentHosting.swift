internal import Domain

/// Names, addresses and lifetime of pages and media hosted by this server.
///
/// A page contains the `ext` or the text of a message, percent-encoded, at `…/p/<name>_ext.html` or
/// `…/p/<name>_msp.html`; the suffix tells the SDK to fetch the value. Media are at `…/m/<name>.jpg` and so on. A name
/// is 128 random bits, so nobody can guess it. Decisions 069 and 070.
package struct ContentHosting: Equatable, Sendable {
  /// Base URL at which devices reach this server, without a trailing slash; nil if not configured, so that nothing can
  /// be hosted.
  package let publicURL: String?

  package init(publicURL: String?) {
    self.publicURL = publicURL
  }

  /// Path prefix of hosted pages.
  package static let pagePath = "/p/"
  /// Path prefix of hosted media.
  package static let mediaPath = "/m/"

  static let extSuffix = "_ext.html"
  static let textSuffix = "_msp.html"
  static let pageType = "text/html; charset=utf-8"

  static func makeName() -> String {
    RandomToken.encode(Array(MasterKey.makeBytes().prefix(16)))
  }

  /// Returns the URL at which devices download a hosted file, whether or not the file exists.
  /// - Parameters:
  ///   - path: `pagePath` or `mediaPath`.
  ///   - file: name of the file with its suffix.
  /// - Throws: `.notConfigured` without a public URL.
  func url(_ path: String, _ file: String) throws(Problem) -> String {
    guard let publicURL else {
      throw Problem(
        .notConfigured, "Pages and media need an address that devices reach: set UPMC_PUBLIC_URL and start again.")
    }
    return publicURL + path + file
  }

  /// Percent-encodes a page's text: every byte except ASCII letters, digits and `-._~` becomes `%XX` (RFC 3986 §2.3).
  package static func encoded(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count * 2)
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        bytes.append(byte)
      default:
        bytes.append(UInt8(ascii: "%"))
        bytes.append(digits[Int(byte >> 4)])
        bytes.append(digits[Int(byte & 15)])
      }
    }
    return bytes
  }

  private static let digits = Array("0123456789ABCDEF".utf8)
}

extension Operations.Limits {
  /// 90 days: the time for which a message's pages are kept after its last due time or its expiry, whichever is later,
  /// and its media at least as long, because people open messages late. Also the default lifetime of an upload, counted
  /// from the upload.
  package static let hostingPeriod: Duration = .seconds(90 * 86_400)
  /// Size in bytes of the parts in which a file is stored; the database is read one part at a time.
  package static let partBytes = 262_144
}

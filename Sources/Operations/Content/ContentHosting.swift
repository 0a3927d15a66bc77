internal import Domain

/// Pages and media of our own: how they are named and reached, and how long they stay.
///
/// A page holds the `ext` or the text of a message, percent-encoded, at `…/p/<name>_ext.html` or `…/p/<name>_msp.html`; the
/// SDK knows by the end of the address that the value has to be fetched. Media stand at `…/m/<name>.jpg` and so on. A name
/// is 128 random bits: whoever has not got the payload cannot guess it.
package struct ContentHosting: Equatable, Sendable {
  /// How devices reach this server, without a slash at its end; nil when nobody has said so.
  package let publicURL: String?

  package init(publicURL: String?) {
    self.publicURL = publicURL
  }

  /// The paths below which everything hosted stands.
  package static let pagePath = "/p/"
  package static let mediaPath = "/m/"

  static let extSuffix = "_ext.html"
  static let textSuffix = "_msp.html"
  static let pageType = "text/html; charset=utf-8"

  static func makeName() -> String {
    RandomToken.encode(Array(MasterKey.makeBytes().prefix(16)))
  }

  /// - Throws: `.notConfigured` when nobody has said how this server is reached.
  func url(_ path: String, _ file: String) throws(Problem) -> String {
    guard let publicURL else {
      throw Problem(
        .notConfigured, "Pages and media need an address that devices reach: set UPMC_PUBLIC_URL and start again.")
    }
    return publicURL + path + file
  }

  /// What a page holds: every byte but letters, digits and `-._~` as `%XX` (RFC 3986 §2.3).
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
  /// How long a page or media stays after its last message was due, in microseconds (90 days): people open messages late.
  package static let hostedMicroseconds: Int64 = 90 * 86_400_000_000
  /// Bytes of one part of a file: what is read from the database at once.
  package static let partBytes = 262_144
}

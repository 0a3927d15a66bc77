internal import Domain

/// Percent-encoding of values in URLs and form bodies (RFC 3986 §2.3: all but unreserved characters).
package enum FormText {
  package static func encode(_ text: String) -> String {
    var encoded = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      default: encoded += "%" + Hex.encode([byte]).uppercased()
      }
    }
    return encoded
  }

  /// Returns the values as a form body, percent-encoded and in the given order: `name=value&name=value`.
  static func form(_ values: [(String, String)]) -> String {
    values.map { "\(encode($0.0))=\(encode($0.1))" }.joined(separator: "&")
  }

  /// Encodes text as Base64 with padding (RFC 4648 §4), for the `Basic` scheme.
  static func base64(_ text: String) -> String {
    let plain = Base64URL.encode(text.utf8).replacing("-", with: "+").replacing("_", with: "/")
    return plain + String(repeating: "=", count: (4 - plain.count % 4) % 4)
  }
}

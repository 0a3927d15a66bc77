/// Checks whether bytes are valid text in the code page of Korean Windows (CP949, a superset of EUC-KR). The conversion
/// itself is done by the database (`convert_from`).
package enum KoreanCodePage {
  /// Returns whether the bytes consist only of characters that the database can convert, of one byte (ASCII except NUL)
  /// or two. True for no bytes.
  package static func isText(_ bytes: some Sequence<UInt8>) -> Bool {
    var lead: UInt8?
    for byte in bytes {
      if let first = lead {
        guard isCharacter(first, byte) else { return false }
        lead = nil
      } else if byte >= 0x80 {
        lead = byte
      } else if byte == 0 {
        return false
      }
    }
    return lead == nil
  }

  private static func isCharacter(_ lead: UInt8, _ trail: UInt8) -> Bool {
    guard (0x81...0xFE).contains(lead) else { return false }
    switch trail {
    // Syllables that are not in EUC-KR.
    case 0x41...0x5A, 0x61...0x7A, 0x81...0xA0: return lead < 0xC6 || lead == 0xC6 && trail <= 0x52
    case 0xA1...0xFE: return lead < 0xA1 || isOfEUC(lead, trail)
    default: return false
    }
  }

  /// Returns whether a two-byte character, both of whose bytes are at least 0xA1, is in EUC-KR: some of its rows of
  /// symbols have gaps.
  private static func isOfEUC(_ lead: UInt8, _ trail: UInt8) -> Bool {
    switch lead {
    case 0xA2: trail <= 0xE8
    case 0xA5: trail <= 0xAA || 0xB0...0xB9 ~= trail || 0xC1...0xD8 ~= trail || 0xE1...0xF8 ~= trail
    case 0xA6: trail <= 0xE4
    case 0xA7: trail <= 0xEF
    case 0xA8: trail <= 0xA4 || trail == 0xA6 || 0xA8...0xAF ~= trail || trail >= 0xB1
    case 0xAA: trail <= 0xF3
    case 0xAB: trail <= 0xF6
    case 0xAC: trail <= 0xC1 || 0xD1...0xF1 ~= trail
    case 0xAD...0xAF: false
    default: true
    }
  }
}

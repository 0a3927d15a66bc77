internal import Crypto

/// Internal id of an installation: 128 bits derived from (app, network, DEVICE_ID), so that a repeated registration
/// finds its rows without a look-up. Written as a lower-case UUID.
///
/// A DEVICE_ID is not secret. A client that presents one without the key or token of a registered device normally gets
/// a separate row: the last two bits number the rows of a DEVICE_ID. Decision 024.
package struct DeviceID: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let high: UInt64
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Derives the id of an installation's first row: the first 16 bytes of SHA-256 over the three names, each followed
  /// by a zero byte, marked as a UUID of version 8 (RFC 9562, section 5.8), with the last two bits 0.
  package init(appID: String, network: PushNetwork, installation: String) {
    var hash = SHA256()
    for part in [appID, network.pnsID, installation] {
      hash.update(Array(part.utf8))
      hash.update([0])
    }
    let words = hash.finalize().prefix(16).reduce(into: (high: UInt64(0), low: UInt64(0))) { words, byte in
      words.high = words.high << 8 | words.low >> 56
      words.low = words.low << 8 | UInt64(byte)
    }
    high = words.high & ~0xF000 | 0x8000
    low = words.low & ~(3 << 62) & ~3 | 2 << 62
  }

  /// Parses the 36 characters of a UUID of any version, in either case. Returns nil if malformed.
  package init?(_ text: some StringProtocol) {
    var words: (high: UInt64, low: UInt64) = (0, 0)
    var index = 0
    for byte in text.utf8 {
      if index == 8 || index == 13 || index == 18 || index == 23 {
        guard byte == UInt8(ascii: "-") else { return nil }
      } else {
        guard let digit = Hex.value(of: byte) else { return nil }
        words.high = words.high << 4 | words.low >> 60
        words.low = words.low << 4 | UInt64(digit)
      }
      index += 1
    }
    guard index == 36 else { return nil }
    (high, low) = words
  }

  package static func < (left: DeviceID, right: DeviceID) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }

  package var description: String {
    var text: [UInt8] = []
    write(over: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Writes the canonical 36-character form over `text`, which must be empty or have that length.
  package func write(over text: inout [UInt8]) {
    if text.isEmpty { text = [UInt8](repeating: UInt8(ascii: "-"), count: 36) }
    var characters = text.mutableSpan
    Hex.write(high, digits: 8, at: 0, to: &characters)
    Hex.write(high << 32, digits: 4, at: 9, to: &characters)
    Hex.write(high << 48, digits: 4, at: 14, to: &characters)
    Hex.write(low, digits: 4, at: 19, to: &characters)
    Hex.write(low << 16, digits: 12, at: 24, to: &characters)
  }

  /// Returns the `apns-id` of this device's copy of a message. It is always the same for the same device, message and
  /// mark, so that a repeated submission can be recognized, and different for different devices.
  /// - Parameter mark: distinguishes several pushes of one message to this device, such as those for its Live
  ///   Activities; 0 if there is only one.
  package func submissionID(of seqno: Seqno, mixedWith mark: Int64 = 0) -> DeviceID {
    let first = Self.mix(UInt64(bitPattern: seqno.number ^ mark))
    let second = Self.mix(first)
    return DeviceID(high: (high ^ first) & ~0xF000 | 0x8000, low: (low ^ second) & ~(3 << 62) | 2 << 62)
  }

  /// Returns a mixed value, by the finalizer of splitmix64: changing one input bit changes about half of the output
  /// bits.
  private static func mix(_ value: UInt64) -> UInt64 {
    var mixed = value &+ 0x9E37_79B9_7F4A_7C15
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}

extension DeviceID {
  /// A bound below all ids, for range queries. No real id equals it, because each is marked as a UUID of version 8.
  package static let lowest = DeviceID(high: 0, low: 0)
  /// A bound above all ids, for range queries.
  package static let highest = DeviceID(high: .max, low: .max)
}

extension DeviceID {
  /// The ids of all rows that this id's DEVICE_ID can have, existing or not, in ascending order; they are adjacent in
  /// every index.
  package var rows: [DeviceID] {
    (0..<UInt64(Domain.Limits.rowsPerInstallation)).map { DeviceID(high: high, low: low & ~3 | $0) }
  }

  /// Returns whether both ids derive from the same app, network and DEVICE_ID.
  package func sharesInstallation(with other: DeviceID) -> Bool {
    high == other.high && low & ~3 == other.low & ~3
  }
}

extension Domain.Limits {
  /// Maximum rows per DEVICE_ID: as many as two bits can number.
  static let rowsPerInstallation = 4
  /// Maximum registered devices per DEVICE_ID: a phone that is set up again does not need more. If all of them have
  /// proved users, one more row is available.
  package static let devicesPerInstallation = 3
}

package import Domain

/// The recipients of a block in the encoding of `blocks.devices` and `blocks.user_keys`.
///
/// ```
///   devices     16 bytes each
///   user_keys   end offset of each key (3 bytes, big-endian, from the start of the keys) │ the keys, concatenated
/// ```
/// An empty key stands for the device's own key (`UserKey(guest:)`): that of a guest, or of a person who was erased.
package struct BlockRecipients: Sendable {
  package let devices: [UInt8]
  package private(set) var userKeys: [UInt8]

  private static let deviceBytes = 16
  private static let endBytes = 3
  /// Smallest total length of the keys, in bytes, that an end offset of 3 bytes cannot express.
  private static let mostKeyBytes = 1 << 24

  package init(devices: [UInt8], userKeys: [UInt8]) {
    self.devices = devices
    self.userKeys = userKeys
  }

  /// Encodes the recipients of a block, whose positions are those in the collection. Returns nil if the keys have 16
  /// MiB or more in total.
  package init?(_ recipients: some Collection<(device: DeviceID, userKey: UserKey)>) {
    var devices: [UInt8] = []
    devices.reserveCapacity(recipients.count * Self.deviceBytes)
    var keys = Keys(count: recipients.count)
    for (device, userKey) in recipients {
      for half in [device.high, device.low] {
        for shift in stride(from: 56, through: 0, by: -8) { devices.append(UInt8(truncatingIfNeeded: half >> shift)) }
      }
      if !userKey.isGuest || userKey != UserKey(guest: device) { keys.bytes.append(contentsOf: userKey.text.utf8) }
      keys.end()
    }
    guard let userKeys = keys.joined else { return nil }
    self.init(devices: devices, userKeys: userKeys)
  }

  /// Concatenates user keys into one column, with the end offset of each.
  private struct Keys {
    private var ends: [UInt8] = []
    var bytes: [UInt8] = []

    init(count: Int) {
      ends.reserveCapacity(count * endBytes)
    }

    /// Records the end of the current key.
    mutating func end() {
      for shift in [16, 8, 0] { ends.append(UInt8(truncatingIfNeeded: bytes.count >> shift)) }
    }

    var joined: [UInt8]? { bytes.count < mostKeyBytes ? ends + bytes : nil }
  }

  package var count: Int { devices.count / Self.deviceBytes }

  package func device(_ position: Int) -> DeviceID {
    let bytes = devices[position * Self.deviceBytes..<(position + 1) * Self.deviceBytes]
    func half(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    return DeviceID(high: half(bytes.prefix(8)), low: half(bytes.suffix(8)))
  }

  package func userKey(_ position: Int) -> UserKey {
    let key = keyBytes(position)
    return key.isEmpty
      ? UserKey(guest: device(position)) : UserKey(stored: String(decoding: userKeys[key], as: UTF8.self))
  }

  private func end(_ position: Int) -> Int {
    guard position >= 0 else { return 0 }
    return userKeys[position * Self.endBytes..<(position + 1) * Self.endBytes].reduce(0) { $0 << 8 | Int($1) }
  }

  private func keyBytes(_ position: Int) -> Range<Int> {
    let base = count * Self.endBytes
    return base + end(position - 1)..<base + end(position)
  }

  /// Removes the user keys at these positions. The devices remain, with the keys of guests; positions do not change.
  package mutating func erase(_ positions: Set<Int>) {
    var keys = Keys(count: count)
    for position in 0..<count {
      if !positions.contains(position) { keys.bytes.append(contentsOf: userKeys[keyBytes(position)]) }
      keys.end()
    }
    // The keys are shorter than before, so they fit.
    userKeys = keys.joined ?? userKeys
  }

  /// The lowest user key that is stored; nil if none is, because every device is a guest or was erased.
  package var firstNamedKey: UserKey? {
    (0..<count).lazy.filter { !keyBytes($0).isEmpty }.map(userKey).min()
  }
}

/// The push network that issued a PSID. The raw values are stored in the database.
package enum PushNetwork: Int16, CaseIterable, Sendable {
  case apns = 1
  case fcm = 2

  /// The network's name in the wire protocol.
  package var pnsID: String {
    switch self {
    case .apns: "APNS"
    case .fcm: "FCM"
    }
  }

  package init?(pnsID: String) {
    guard let network = Self.allCases.first(where: { $0.pnsID == pnsID }) else { return nil }
    self = network
  }

  /// Returns a token in the form in which it is stored and compared: APNs tokens are hexadecimal and lower-cased, FCM
  /// tokens unchanged. Returns nil if the text cannot be a token: it is empty, longer than `psidBytes`, for APNs not an
  /// even number of hexadecimal digits, or for FCM not visible ASCII.
  package func normalize(psid: String) -> String? {
    guard !psid.isEmpty, psid.utf8.count <= Domain.Limits.psidBytes else { return nil }
    switch self {
    case .apns:
      let digits = psid.utf8.span
      guard digits.count % 2 == 0 else { return nil }
      for index in digits.indices where !Hex.isLowerDigit(digits[index]) {
        for index in index..<digits.count where Hex.value(of: digits[index]) == nil { return nil }
        return psid.lowercased()
      }
      return psid
    case .fcm:
      return psid.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } ? psid : nil
    }
  }
}

/// The one of Apple's two environments that issued a token. The raw values are stored in the database.
package enum PushEnvironment: Int16, CaseIterable, Sendable {
  case production = 1
  case sandbox = 2

  package var name: String { self == .production ? "production" : "sandbox" }

  package init?(name: String) {
    guard let environment = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = environment
  }
}

/// Parses the values that existing SDKs use in registrations, both in their wire protocol and in files exported from
/// another server.
package enum SDKWords {
  /// The fault of a value, phrased to follow the field's name.
  package struct Objection: Error, Equatable {
    package let text: String

    package init(_ text: String) { self.text = text }
  }

  package static let webPush = "names web push, which is not served here; apps register with APNS or FCM"

  /// Parses PNSID. If it is absent, the network is determined from the form of the token.
  package static func network(_ pnsID: String?, ofToken psid: String) throws(Objection) -> PushNetwork {
    switch pnsID?.uppercased() {
    case "APNS": return .apns
    case "FCM", "GCM": return .fcm
    case nil: return PushNetwork.apns.normalize(psid: psid) == nil ? .fcm : .apns
    case "UPNS", "UPNC":
      throw Objection("names a socket push that is not served here (Android ended it); register with FCM")
    case "WPNS": throw Objection(webPush)
    default: throw Objection("must be APNS or FCM")
    }
  }

  /// Parses APNS_MODE. Returns production if it is absent or UNKNOWN.
  package static func environment(_ mode: String?) throws(Objection) -> PushEnvironment {
    switch mode?.uppercased() {
    case "DEV": return .sandbox
    case "REAL", "UNKNOWN", nil: return .production
    default: throw Objection("must be DEV, REAL or UNKNOWN")
    }
  }

  /// Parses DEVICE_TYPE. Returns an empty text if it is absent.
  package static func platform(_ type: String?) throws(Objection) -> String {
    switch type?.uppercased() {
    case "I": return "ios"
    case "A": return "android"
    case nil: return ""
    default: throw Objection("must be I or A")
    }
  }

  /// Parses NOTIFICATION_YN, AD_YN or NIGHT_AD_YN. Returns nil if it is absent.
  package static func flag(_ word: String?) throws(Objection) -> Bool? {
    switch word {
    case nil: return nil
    case "Y", "y": return true
    case "N", "n": return false
    default: throw Objection("must be Y or N")
    }
  }

  /// A parsed CUID.
  package struct Client: Equatable, Sendable {
    /// The CUID without the prefix of unregistered clients; nil for a guest or if absent.
    package let clientUID: String?
    /// True if the CUID explicitly names the guest.
    package let isGuest: Bool
    /// True if the CUID has the prefix of unregistered clients.
    package let isMarked: Bool

    /// Parses a CUID.
    /// - Parameter cuid: the CUID as sent; nil or empty if absent.
    package init(_ cuid: String?) throws(Objection) {
      isMarked = cuid?.hasPrefix(Self.mark) ?? false
      let named = isMarked ? cuid.map { String($0.dropFirst(Self.mark.count)) } : cuid
      isGuest = named == UserKey.guestUID
      clientUID = isGuest || named?.isEmpty == true ? nil : named
      if let clientUID, clientUID.utf8.count > Domain.Limits.clientUIDBytes {
        throw Objection("is longer than \(Domain.Limits.clientUIDBytes) bytes")
      }
    }

    /// Prefix of the CUID of a client that is not registered yet.
    package static let mark = "TMP0"
  }
}

extension Domain.Limits {
  /// Maximum length of a telephone number in bytes, in any notation.
  package static let phoneBytes = 64
}

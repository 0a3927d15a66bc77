/// Parses the values that existing SDKs use in registrations, both in their wire protocol and in files exported from
/// another server.
package enum SDKWords {
  /// The fault of a value, as the part of a sentence that follows the field's name: `must be Y or N`.
  package struct Objection: Error, Equatable {
    package let text: String

    package init(_ text: String) { self.text = text }
  }

  package static let webPush = "names web push, which is not served here; apps register with APNS or FCM"

  /// Parses PNSID: APNS, FCM or GCM, in upper or lower case. If it is absent, a hexadecimal token means APNs, any other
  /// FCM. Throws for other networks and for unknown words.
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

  /// Parses APNS_MODE, in upper or lower case: DEV means sandbox; REAL and UNKNOWN mean production, as does its
  /// absence. Throws for other words.
  package static func environment(_ mode: String?) throws(Objection) -> PushEnvironment {
    switch mode?.uppercased() {
    case "DEV": return .sandbox
    case "REAL", "UNKNOWN", nil: return .production
    default: throw Objection("must be DEV, REAL or UNKNOWN")
    }
  }

  /// Parses DEVICE_TYPE, in upper or lower case: I means `ios`, A `android`. Returns an empty text if it is absent.
  /// Throws for other words.
  package static func platform(_ type: String?) throws(Objection) -> String {
    switch type?.uppercased() {
    case "I": return "ios"
    case "A": return "android"
    case nil: return ""
    default: throw Objection("must be I or A")
    }
  }

  /// Parses NOTIFICATION_YN, AD_YN or NIGHT_AD_YN: Y or N, in upper or lower case. Returns nil if it is absent. Throws
  /// for other words.
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

    /// Parses a CUID. Throws if it is longer than `clientUIDBytes` without its prefix.
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

    /// Prefix that the SDK puts before the CUID of a client that is not registered yet.
    package static let mark = "TMP0"
  }
}

extension Domain.Limits {
  /// Maximum length of a telephone number in bytes, in any notation.
  package static let phoneBytes = 64
}

/// Parses the vocabulary of the existing SDKs' registrations, both for their wire protocol and for files written by
/// another server.
package enum SDKWords {
  /// The fault of a value, phrased to follow the field's name.
  package struct Objection: Error, Equatable {
    package let text: String

    package init(_ text: String) { self.text = text }
  }

  package static let webPush = "names web push, which is not served here; apps register with APNS or FCM"

  /// Parses PNSID. Without one, the form of the token decides.
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

  /// Parses APNS_MODE.
  package static func environment(_ mode: String?) throws(Objection) -> PushEnvironment {
    switch mode?.uppercased() {
    case "DEV": return .sandbox
    case "REAL", "UNKNOWN", nil: return .production
    default: throw Objection("must be DEV, REAL or UNKNOWN")
    }
  }

  /// Parses DEVICE_TYPE; empty when it is absent.
  package static func platform(_ type: String?) throws(Objection) -> String {
    switch type?.uppercased() {
    case "I": return "ios"
    case "A": return "android"
    case nil: return ""
    default: throw Objection("must be I or A")
    }
  }

  /// Parses NOTIFICATION_YN, AD_YN, NIGHT_AD_YN.
  package static func flag(_ word: String?) throws(Objection) -> Bool? {
    switch word {
    case nil: return nil
    case "Y", "y": return true
    case "N", "n": return false
    default: throw Objection("must be Y or N")
    }
  }

  /// A CUID as sent by clients.
  package struct Client: Equatable, Sendable {
    /// Without the prefix of clients that are not registered yet; nil for a guest, or when absent.
    package let clientUID: String?
    /// The CUID explicitly names the guest.
    package let isGuest: Bool
    /// It has the prefix.
    package let isMarked: Bool

    /// - Parameter cuid: nil or empty: absent.
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
  /// A telephone number in any notation.
  package static let phoneBytes = 64
}

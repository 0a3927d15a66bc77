/// What registrations say in the words of the existing SDKs. One reading for the door that speaks their protocol and for
/// files that another server has written.
package enum SDKWords {
  /// What is wrong with a word, as a sentence goes on behind the name of its field.
  package struct Objection: Error, Equatable {
    package let text: String

    package init(_ text: String) { self.text = text }
  }

  package static let webPush = "names web push, which is not served here; apps register with APNS or FCM"

  /// PNSID. Without one the token's form tells.
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

  /// APNS_MODE.
  package static func environment(_ mode: String?) throws(Objection) -> PushEnvironment {
    switch mode?.uppercased() {
    case "DEV": return .sandbox
    case "REAL", "UNKNOWN", nil: return .production
    default: throw Objection("must be DEV, REAL or UNKNOWN")
    }
  }

  /// DEVICE_TYPE; empty when it is not said.
  package static func platform(_ type: String?) throws(Objection) -> String {
    switch type?.uppercased() {
    case "I": return "ios"
    case "A": return "android"
    case nil: return ""
    default: throw Objection("must be I or A")
    }
  }

  /// NOTIFICATION_YN, AD_YN, NIGHT_AD_YN.
  package static func flag(_ word: String?) throws(Objection) -> Bool? {
    switch word {
    case nil: return nil
    case "Y", "y": return true
    case "N", "n": return false
    default: throw Objection("must be Y or N")
    }
  }

  /// A CUID as clients send it.
  package struct Client: Equatable, Sendable {
    /// Without the mark of those who are not registered yet; nil for a guest, or when nothing is said.
    package let clientUID: String?
    /// The user is said to be nobody.
    package let isGuest: Bool
    /// It bears the mark.
    package let isMarked: Bool

    /// - Parameter cuid: nil or empty: nothing is said.
    package init(_ cuid: String?) throws(Objection) {
      isMarked = cuid?.hasPrefix(Self.mark) ?? false
      let named = isMarked ? cuid.map { String($0.dropFirst(Self.mark.count)) } : cuid
      isGuest = named == UserKey.guestUID
      clientUID = isGuest || named?.isEmpty == true ? nil : named
      if let clientUID, clientUID.utf8.count > Domain.Limits.clientUIDBytes {
        throw Objection("is longer than \(Domain.Limits.clientUIDBytes) bytes")
      }
    }

    /// In front of the CUID of a client that is not registered yet.
    package static let mark = "TMP0"
  }
}

extension Domain.Limits {
  /// A telephone number, however it is written.
  package static let phoneBytes = 64
}

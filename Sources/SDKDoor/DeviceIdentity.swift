internal import Domain
internal import Operations

/// Who a device says it is: the parameters that nearly every client call has.
struct DeviceIdentity {
  let app: App
  let network: PushNetwork
  /// Normalized.
  let psid: String
  /// What names the installation: DEVICE_ID, or the PSID of a client that sends none.
  let installation: String
  let hasDeviceID: Bool
  /// The user, without the mark of those who are not registered yet; nil for a guest, or when nothing is said.
  let clientUID: String?
  /// True when the user is said to be nobody.
  let isGuest: Bool
  /// True when it is marked as not registered yet, so that it cannot be wrong about the device's user.
  private let isMarked: Bool

  var device: DeviceID { DeviceID(appID: app.appID, network: network, installation: installation) }

  /// The user that the call is about, to be compared with the device's.
  var actingFor: String? { isMarked ? nil : clientUID }

  init(_ form: Form, app: App) throws(Refusal) {
    self.app = app
    network = try Self.network(form)
    let given = try form.text("PSID", upTo: Domain.Limits.psidBytes)
    guard let token = given.flatMap(network.normalize(psid:)) else {
      throw Refusal(
        .notRegistered,
        network == .apns ? "PSID must be an APNs device token in hex." : "PSID must be an FCM registration token.")
    }
    psid = token
    let deviceID = try form.text("DEVICE_ID", upTo: Domain.Limits.deviceIDBytes)
    installation = deviceID ?? token
    hasDeviceID = deviceID != nil
    let named = try form.text("CUID", upTo: Domain.Limits.clientUIDBytes + Self.mark.count)
    isMarked = named?.hasPrefix(Self.mark) ?? false
    let unmarked = isMarked ? named.map { String($0.dropFirst(Self.mark.count)) } : named
    isGuest = unmarked == UserKey.guestUID
    clientUID = isGuest || unmarked?.isEmpty == true ? nil : unmarked
    if let clientUID, clientUID.utf8.count > Domain.Limits.clientUIDBytes {
      throw Refusal(field: "CUID", "is longer than \(Domain.Limits.clientUIDBytes) bytes")
    }
  }

  /// In front of the CUID of a client that is not registered yet.
  private static let mark = "TMP0"

  static let webPush = "names web push, which is not served here; apps register with APNS or FCM"

  /// Without PNSID the token's form tells.
  private static func network(_ form: Form) throws(Refusal) -> PushNetwork {
    switch form["PNSID"]?.uppercased() {
    case "APNS": return .apns
    case "FCM", "GCM": return .fcm
    case nil: return PushNetwork.apns.normalize(psid: form["PSID"] ?? "") == nil ? .fcm : .apns
    case "UPNS", "UPNC":
      throw Refusal(
        field: "PNSID", "names a socket push that is not served here (Android ended it); register with FCM")
    case "WPNS": throw Refusal(field: "PNSID", webPush)
    default: throw Refusal(field: "PNSID", "must be APNS or FCM")
    }
  }
}

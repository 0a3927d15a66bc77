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

  init(_ form: Form, app: App) throws(LegacyRefusal) {
    self.app = app
    network = try LegacyRefusal.reading("PNSID") { () throws(SDKWords.Objection) in
      try SDKWords.network(form["PNSID"], ofToken: form["PSID"] ?? "")
    }
    let given = try form.text("PSID", upTo: Domain.Limits.psidBytes)
    guard let token = given.flatMap(network.normalize(psid:)) else {
      throw LegacyRefusal(
        .notRegistered,
        network == .apns ? "PSID must be an APNs device token in hex." : "PSID must be an FCM registration token.")
    }
    psid = token
    let deviceID = try form.text("DEVICE_ID", upTo: Domain.Limits.deviceIDBytes)
    installation = deviceID ?? token
    hasDeviceID = deviceID != nil
    let named = try form.text("CUID", upTo: Domain.Limits.clientUIDBytes + SDKWords.Client.mark.count)
    let client = try LegacyRefusal.reading("CUID") { () throws(SDKWords.Objection) in try SDKWords.Client(named) }
    (isMarked, isGuest, clientUID) = (client.isMarked, client.isGuest, client.clientUID)
  }
}

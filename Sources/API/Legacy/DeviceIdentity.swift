internal import Domain
internal import Operations

/// The device that a call claims to come from: the parameters that nearly every device call has.
struct DeviceIdentity {
  let app: App
  let network: PushNetwork
  /// Normalized.
  let psid: String
  /// The installation's name: DEVICE_ID, or the PSID if a client sends none.
  let installation: String
  let hasDeviceID: Bool
  /// The user, without the mark of unregistered ones; nil for a guest, or when the call names none.
  let clientUID: String?
  /// True when the call explicitly names no user.
  let isGuest: Bool
  /// True when the user is marked as not registered yet, and thus cannot contradict the device's user.
  private let isMarked: Bool

  var device: DeviceID { DeviceID(appID: app.appID, network: network, installation: installation) }

  /// The user that the call acts for, to be compared with the device's.
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

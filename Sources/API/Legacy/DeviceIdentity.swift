internal import Domain
internal import Operations

/// The device from which a call claims to come, according to the fields that nearly every device call has. Nothing of
/// it is verified.
struct DeviceIdentity {
  let app: App
  let network: PushNetwork
  /// The normalized push token.
  let psid: String
  /// Identifier of the installation: DEVICE_ID, or the normalized PSID if the client sends no DEVICE_ID.
  let installation: String
  let hasDeviceID: Bool
  /// The user that the call names, without the prefix that marks a user who is not registered yet (`TMP0`); nil for a
  /// guest, or if the call names no user.
  let clientUID: String?
  /// True if the call states explicitly that the device has no user (CUID `GUEST`).
  let isGuest: Bool
  /// True if the named user is marked as not registered yet. The device's user is then not compared with it.
  private let isMarked: Bool

  var device: DeviceID { DeviceID(appID: app.appID, network: network, installation: installation) }

  /// The user on whose behalf the call is made, who must be the device's user; nil if the device's user is not checked,
  /// because the call names no user or a marked one.
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

internal import Domain
internal import Operations

/// The device that a call says it comes from, according to the fields that nearly every device call has.
struct DeviceIdentity {
  let app: App
  let network: PushNetwork
  /// The normalized push token.
  let psid: String
  /// Identifier of the installation: DEVICE_ID, or the PSID if the client sends none.
  let installation: String
  let hasDeviceID: Bool
  /// User that the call names, without the mark of users who are not registered yet; nil for a guest, or if the call
  /// names none.
  let clientUID: String?
  /// True when the call says explicitly that the device has no user.
  let isGuest: Bool
  /// True when the named user is marked as not registered yet. Such a user is not compared with the device's.
  private let isMarked: Bool

  var device: DeviceID { DeviceID(appID: app.appID, network: network, installation: installation) }

  /// The user on whose behalf the call is made, who must be the device's user; nil if that need not be checked.
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

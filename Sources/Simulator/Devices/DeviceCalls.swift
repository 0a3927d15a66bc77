internal import UPMCClient

/// Creates the virtual devices' requests with `UPMCClient`, the code that runs in real apps.
enum DeviceCalls {
  /// A receipt or read that is waiting to be sent.
  struct Waiting: Sendable {
    let device: Int
    let payload: PushPayload
  }

  static func registration(_ device: Int, _ plan: DevicePlan) -> WireRequest {
    var attributes = DeviceAttributes()
    attributes.platform = plan.isAndroid ? "Android" : "iOS"
    attributes.model = "Simulated"
    attributes.osVersion = plan.isAndroid ? "16" : "26.0"
    attributes.appVersion = "1.0"
    attributes.locale = "ko_KR"
    let call = RegistrationCall(
      appID: plan.appID, network: plan.isAndroid ? .fcm : .apns,
      environment: plan.environment == .sandbox ? .sandbox : .production, token: plan.name(of: device),
      deviceID: "simulated-\(plan.isAndroid ? "android-" : "")\(plan.seed)-\(device)",
      user: plan.user(of: device).map { ClientUser("user\($0)", name: "User \($0)") }, attributes: attributes)
    return call.request(to: plan.server, key: plan.clientKey)
  }

  static func confirmations(_ batch: [Waiting], _ kind: Confirmation.Kind, _ plan: DevicePlan) -> [Confirmation] {
    batch.map { one in
      var confirmation = Confirmation(
        seqno: one.payload.seqno, psid: plan.name(of: one.device), pushkey: one.payload.pushkey)
      if kind == .read {
        confirmation.badgeOption = plan.badgeOption.flatMap { BadgeOption(rawValue: $0) }
        confirmation.badge = plan.badge
      }
      return confirmation
    }
  }
}

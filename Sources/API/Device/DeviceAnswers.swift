internal import Domain
internal import JSON
internal import Operations
internal import Store

/// A device's user, as shown in several answers: id and name, the identity mode in which the device was bound to the
/// user, and whether a vouched-for user is pending until the device confirms a push.
struct DeviceUserState {
  let device: Devices.Record
  let userName: String

  static let fields: [JSONField<DeviceUserState>] = [
    .always("user", .orNull(user.form), { $0.device.userKey.isGuest ? nil : $0 }, "Null for a guest."),
    .always(
      "identity", .orNull(.identity), { $0.device.userKey.isGuest ? nil : $0.device.identity },
      "What its binding to the user was made with; null for a guest."),
    .always(
      "awaitsPush", .flag, { $0.device.pending != nil },
      "In `strict`: the user was vouched for, and is the device's when it brings back a push (`…/possession`)."),
  ]

  static let user = JSONObject<DeviceUserState>(
    "User",
    [
      .always("clientUid", .anyText, { $0.device.userKey.clientUID ?? "" }, "CUID: login id, e-mail, phone number …"),
      .always(
        "clientName", .anyText, \.userName,
        "CNAME: the name to show; may be empty. A device for whose user nobody has vouched is told only the name that it gave "
          + "in the same call."),
    ])
}

/// Body of the answer to a registration.
struct Registered {
  let userState: DeviceUserState
  let authKey: String
  let badge: Int16

  static let object = JSONObject<Registered>(
    "Registered",
    [
      .always("device", .device, \.userState.device.device, "Our id of the device: for every path about it."),
      .always(
        "authKey", .authKey, \.authKey, "The device's own key. Former ones end when somebody vouches for its user."),
      .always(
        "badge", .badgeCount, \.badge,
        "The user's badge count; while `awaitsPush` holds, a guest's, or 0 for a user not shown: leave the icon."),
    ] + DeviceUserState.fields.map { $0.of(\.userState) })
}

/// Body of the answer to a device that reads its own record.
struct ShownDevice {
  let userState: DeviceUserState
  let badge: Int16

  static let object = JSONObject<ShownDevice>(
    "Device",
    [
      .always("device", .device, \.userState.device.device), .always("pnsId", .network, \.userState.device.network),
      .always("environment", .environment, \.userState.device.environment),
      // Show only a prefix of the token, because the caller might not be the device.
      .always(
        "psid", .anyText, { String($0.userState.device.psid.prefix(Operations.Limits.shownTokenBytes)) },
        "The first eight characters of the push token."),
      .always("badge", .badgeCount, \.badge), .always("consent", Consents.object.form, \.userState.device.consents),
    ] + DeviceUserState.fields.map { $0.of(\.userState) })
}

/// Body of the answer to a device that sets or proves its user: the user, and a new authKey, because earlier ones may
/// have become invalid.
struct ShownUser {
  let userState: DeviceUserState
  let authKey: String

  static let object = JSONObject<ShownUser>(
    "DeviceUser",
    [
      .always(
        "authKey", .authKey, \.authKey,
        "The device's key from now on: former ones end when somebody vouches for its user.")
    ] + DeviceUserState.fields.map { $0.of(\.userState) })
}

extension JSONForm<String> {
  /// Form of an authKey in answers.
  fileprivate static let authKey = JSONForm.anyText.described(
    JSONSchema.text(matching: #"^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}\.a?-?[0-9]{1,5}\.[0-9a-f]{40}$"#))
}

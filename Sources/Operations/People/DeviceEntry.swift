internal import Domain
package import JSON
package import Store
internal import Time

/// Devices as shown to operators. Only the beginning of a token is shown.
extension UserDirectory {
  /// A device as shown in lists.
  package struct DeviceEntry: DescribedAnswer {
    package let device: PeopleLists.Device

    package static let object = JSONObject<DeviceEntry>("DeviceEntry", members)

    fileprivate static let members: [JSONField<DeviceEntry>] =
      [
        .always("device", .device, \.record.device),
        .always("clientUid", .orNull(.anyText), \.record.userKey.clientUID, "Null for a guest."),
        .always("clientName", .orNull(.anyText), { $0.isGuest ? nil : $0.device.userName }),
        .always("badge", .badgeCount, \.device.badge), .always("pnsId", .network, \.record.network),
        .always("environment", .environment, \.record.environment),
        .always(
          "psidPrefix", .anyText, { String($0.record.psid.prefix(Operations.Limits.shownTokenBytes)) },
          "The first eight characters of the push token."),
        .always("deviceId", .anyText, \.record.installation),
        .always(
          "identity", .orNull(.identity), { $0.isGuest ? nil : $0.record.identity },
          "What its binding to the user was made with; null for a guest."),
        .always("state", .words(Devices.State.allCases.map(\.name)), \.record.state.name),
      ] + attributes.map { $0.of(\.record.attributes) } + [
        .always(
          "registeredAt", .orNull(.moment), { $0.record.registeredAt > .zero ? $0.record.registeredAt : nil },
          "When it registered last; null for one that the file of another push server brought, until it does."),
        .always("boundAt", .moment, \.record.boundAt), .always("createdAt", .moment, \.record.createdAt),
        .always(
          "quarantine", .orNull(quarantine.form), { $0.device.quarantinedAt == nil ? nil : $0.device },
          "Why and since when it is in quarantine; null when it is not."),
      ]

    private static let attributes: [JSONField<Devices.Attributes>] = [
      .always("platform", .anyText, \.platform), .always("model", .anyText, \.model),
      .always("osVersion", .anyText, \.osVersion), .always("appVersion", .anyText, \.appVersion),
      .always("locale", .anyText, \.locale), .always("timeZone", .anyText, \.timeZone),
    ]

    private static let quarantine = JSONObject<PeopleLists.Device>(
      "DeviceQuarantine", isNamed: false,
      [
        .always("reason", .anyText, { $0.quarantineReason ?? "" }),
        .always("seqno", .orNull(.sequence), \.quarantineSeqno),
        .always("at", .moment, { $0.quarantinedAt ?? .zero }),
      ])

    fileprivate var record: Devices.Record { device.record }
    private var isGuest: Bool { record.userKey.isGuest }
  }

  /// A device with its consents and groups.
  package struct DeviceDetail: DescribedAnswer {
    let appID: String
    let entry: DeviceEntry
    let groups: [(group: Groups.Number, name: String)]

    package static let object = JSONObject<DeviceDetail>(
      "DeviceDetail",
      [.always("appId", .appID, \.appID)] + DeviceEntry.members.map { $0.of(\.entry) } + [
        .always("consent", consents.form, \.entry.record.consents, "Null: never asked."),
        .always("groups", .list(of: groupForm), \.groups),
      ])

    private static let consents = JSONObject<Consents>(
      "ConsentsOfDevice", isNamed: false,
      [
        .always("notification", .orNull(.flag), \.notification?.isGiven),
        .always("ad", .orNull(.flag), \.ad?.isGiven), .always("nightAd", .orNull(.flag), \.nightAd?.isGiven),
      ])
  }
}

extension Devices.State {
  package var name: String {
    switch self {
    case .active: "active"
    case .unregistered: "unregistered"
    case .tokenRefused: "token-refused"
    }
  }
}

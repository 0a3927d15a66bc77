internal import Domain
package import JSON
package import Store

/// Devices, as operators see them. A token is shown only by its beginning.
extension UserDirectory {
  /// A device as lists show it.
  package struct DeviceEntry: DescribedAnswer {
    package let device: PeopleLists.Device

    package static let object = JSONObject<DeviceEntry>("DeviceEntry", members)

    fileprivate static let members: [JSONField<DeviceEntry>] =
      [
        .needed("device", .device, \.record.device),
        .needed("clientUid", .orNull(.anyText), \.record.userKey.clientUID, "Null for a guest."),
        .needed("clientName", .orNull(.anyText), { $0.isGuest ? nil : $0.device.userName }),
        .needed("badge", .badgeCount, \.device.badge), .needed("pnsId", .network, \.record.network),
        .needed("environment", .environment, \.record.environment),
        .needed(
          "psidPrefix", .anyText, { String($0.record.psid.prefix(Operations.Limits.shownTokenBytes)) },
          "The first eight characters of the push token."),
        .needed("deviceId", .anyText, \.record.installation),
        .needed(
          "identity", .orNull(.identity), { $0.isGuest ? nil : $0.record.identity },
          "What its binding to the user was made with; null for a guest."),
        .needed("state", .words(Devices.State.allCases.map(\.name)), \.record.state.name),
      ] + attributes.map { $0.of(\.record.attributes) } + [
        .needed(
          "registeredAt", .orNull(.moment), { $0.record.registeredAt > 0 ? $0.record.registeredAt : nil },
          "When it registered last; null for one that the file of another push server brought, until it does."),
        .needed("boundAt", .moment, \.record.boundAt), .needed("createdAt", .moment, \.record.createdAt),
        .needed(
          "quarantine", .orNull(quarantine.form), { $0.device.quarantinedAt == nil ? nil : $0.device },
          "Why and since when it is put aside; null when it is not."),
      ]

    private static let attributes: [JSONField<Devices.Attributes>] = [
      .needed("platform", .anyText, \.platform), .needed("model", .anyText, \.model),
      .needed("osVersion", .anyText, \.osVersion), .needed("appVersion", .anyText, \.appVersion),
      .needed("locale", .anyText, \.locale), .needed("timeZone", .anyText, \.timeZone),
    ]

    private static let quarantine = JSONObject<PeopleLists.Device>(
      "Quarantine", isNamed: false,
      [
        .needed("reason", .anyText, { $0.quarantineReason ?? "" }),
        .needed("seqno", .orNull(.sequence), \.quarantineSeqno),
        .needed("at", .moment, { $0.quarantinedAt ?? 0 }),
      ])

    fileprivate var record: Devices.Record { device.record }
    private var isGuest: Bool { record.userKey.isGuest }
  }

  /// A device with what it said of consents, and its groups.
  package struct DeviceDetail: DescribedAnswer {
    let appID: String
    let entry: DeviceEntry
    let groups: [(group: Groups.Number, name: String)]

    package static let object = JSONObject<DeviceDetail>(
      "DeviceDetail",
      [.needed("appId", .appID, \.appID)] + DeviceEntry.members.map { $0.of(\.entry) } + [
        .needed("consent", consents.form, \.entry.record.consents, "Null: never asked."),
        .needed("groups", .list(of: groupForm), \.groups),
      ])

    private static let consents = JSONObject<Consents>(
      "ConsentsOfDevice", isNamed: false,
      [
        .needed("notification", .orNull(.flag), \.notification?.isGiven),
        .needed("ad", .orNull(.flag), \.ad?.isGiven), .needed("nightAd", .orNull(.flag), \.nightAd?.isGiven),
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

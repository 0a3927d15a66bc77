internal import Domain
internal import Store

/// The row that a registration leaves. Pure: the rules of identity.
struct RegistrationRules {
  let registration: Operation.Registration
  let row: InstallationRow
  /// What stands in the row.
  let known: Devices.Record?
  /// The app's own server vouches for the user that is named.
  let isVouched: Bool
  let now: Int64

  /// The device that was there, if this is it.
  private var own: Devices.Record? { row.recognition == .none ? nil : known }
  private var identity: App.Identity { registration.app.identity }

  /// Whether it may change what belongs to a person: nothing but the token is shown for a device that has a user.
  var isRecognised: Bool {
    guard row.recognition == .token, let own, identity != .open, !isVouched else { return true }
    // A guest has nothing but itself; yet where the token is the only name, it is no proof.
    return own.userKey.isGuest && registration.installation != registration.psid
  }

  var record: Devices.Record {
    let guest = UserKey(guest: row.device)
    var record =
      own
      ?? Devices.Record(
        device: row.device, app: registration.app.number, userKey: guest, network: registration.network,
        environment: registration.environment, psid: registration.psid, installation: registration.installation,
        attributes: registration.attributes, now: now)
    // The keys of whoever had the row end.
    if own == nil, let known { record.authEpoch = known.authEpoch &+ 1 }
    bind(&record)
    let isSameBinding =
      own?.psid == registration.psid && own?.state == .active && own?.userKey == record.userKey
    if !isSameBinding { record.boundAt = now }
    record.state = .active
    record.psid = registration.psid
    record.attributes =
      own.map {
        registration.isFromSDK ? registration.attributes.keepingUnsaid(of: $0.attributes) : registration.attributes
      }
      ?? registration.attributes
    if isRecognised {
      record.environment = registration.environment
      record.consents.apply(registration.consents, at: now)
    }
    record.registeredAt = now
    record.seenAt = now
    return record
  }

  private func bind(_ record: inout Devices.Record) {
    guard let named = registration.user else { return }
    if named.clientUID == UserKey.guestUID {
      if isRecognised { record.release() }
    } else {
      record.name(
        UserKey(clientUID: named.clientUID), isVouched: isVouched, isRecognised: isRecognised, under: identity, at: now)
    }
  }
}

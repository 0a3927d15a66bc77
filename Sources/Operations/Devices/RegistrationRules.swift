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
  /// Another device had the token until now.
  let takesToken: Bool
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

  /// Whether the key of the answer shows later that it is this device: then a new token keeps the user. What was only shown
  /// by the token is as good as the token.
  var givesFullKey: Bool {
    if isVouched || row.recognition != .token { return true }
    return identity != .open && isRecognised
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
    // Whoever had a key of the guest, or of the former user, has none of this one's.
    if isVouched, let own, own.userKey != record.userKey || own.identity < record.identity { record.authEpoch &+= 1 }
    // What it has to bring back goes to the token that it had then.
    if let own, own.psid != registration.psid, record.pending == own.pending { record.pending = nil }
    // With a new token, and the key of the former, it is still whom a message was meant for. Under the token of another
    // device it may have got that one's already.
    let isSameDevice = own?.psid == registration.psid || row.recognition == .key && !takesToken
    let isSameBinding = isSameDevice && own?.state == .active && own?.userKey == record.userKey
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
      // A word for the user says nothing of the device.
      let isDevice = identity == .strict ? row.recognition != .token : isRecognised
      record.name(
        UserKey(clientUID: named.clientUID), isVouched: isVouched, isRecognised: isDevice, under: identity, at: now)
    }
  }
}

internal import Domain
internal import Store
internal import Time

/// The rules of identity for one registration: computes the device row that results from it. No I/O.
struct RegistrationRules {
  let registration: Operation.Registration
  let row: RecognizedDevice
  /// The row's current content; nil if the row does not exist yet.
  let known: Devices.Record?
  /// Whether the app's own server vouches for the named user.
  let isVouched: Bool
  /// Whether the token belonged to another device until now.
  let takesToken: Bool
  let now: Timestamp

  /// The existing device, if it is the one that registers; nil if the row is new or passes to another device.
  private var own: Devices.Record? { row.recognition == .none ? nil : known }
  private var identity: App.Identity { registration.app.identity }

  /// Whether the token is the only evidence that this is the user's device, and the app requires more: in `strict`,
  /// vouching for the user proves nothing about the device.
  private var mustReturnPush: Bool {
    identity == .strict && row.recognition == .token && own?.userKey.isGuest == false
  }

  /// Whether the registration may change what belongs to a person. False only if the app requires proof, the device is
  /// recognized by its token alone, and its user is not vouched for or the app is `strict`; even then true for a guest
  /// that names a vouched user or has an identifier besides the token.
  var isRecognised: Bool {
    if mustReturnPush { return false }
    guard row.recognition == .token, let own, identity != .open, !isVouched else { return true }
    // A guest has nothing that could be stolen. But if the token is the device's only identifier, having the token
    // proves nothing.
    return own.userKey.isGuest && registration.installation != registration.psid
  }

  /// Whether the issued key later proves the device's identity, so that the device keeps its user with a new token;
  /// otherwise the key is worth no more than the token. A device recognized by its token alone gets the stronger key
  /// only if its user is vouched for, or if the app requires proof and `isRecognised` is true. In `strict`, a device
  /// that already has a user gets that key only by returning a push.
  var givesFullKey: Bool {
    if mustReturnPush { return false }
    if isVouched || row.recognition != .token { return true }
    return identity != .open && isRecognised
  }

  /// Whether the token is the only evidence that this is a guest's device, and the app vouches for users.
  var isGuestByToken: Bool { identity != .open && row.recognition == .token && own?.userKey.isGuest == true }

  /// Whether the registration takes a guest over: the guest's earlier keys and further tokens end. Anybody who knows
  /// the DEVICE_ID and token can do that, but never has a key beside the device's own: the device finds that its key
  /// has ended, and takes itself back before it names its user. Whoever has the key that is current has set all further
  /// tokens.
  var takesGuest: Bool { isGuestByToken && givesFullKey }

  /// Whether a guest's key moves the device to a new token in an app that vouches for users. Somebody else may have the
  /// same key, by repeating the registration of a user who has left since, so the guest's other keys end. Otherwise the
  /// device itself could name its user with one of them, without noticing that the user's pushes go to another token.
  private var movesGuest: Bool {
    guard row.recognition == .key, identity != .open, let own, own.userKey.isGuest else { return false }
    return own.psid != registration.psid
  }

  var record: Devices.Record {
    let guest = UserKey(guest: row.device)
    var record =
      own
      ?? Devices.Record(
        device: row.device, app: registration.app.number, userKey: guest, network: registration.network,
        environment: registration.environment, psid: registration.psid, installation: registration.installation,
        attributes: registration.attributes, now: now)
    // Make the keys of the row's former device invalid.
    if own == nil, let known { record.authEpoch = known.authEpoch &+ 1 }
    bind(&record)
    // Keys that were issued to the guest or to the former user must not give access to the new user's data.
    let isBoundAnew =
      isVouched && own.map { $0.userKey != record.userKey || $0.identity < record.identity } == true
    if isBoundAnew || takesGuest || movesGuest { record.authEpoch &+= 1 }
    // The pending proof is a push that was sent to the former token.
    if let own, own.psid != registration.psid, record.pending == own.pending { record.pending = nil }
    // With a new token and its former key, the device is still the recipient of queued messages. A token taken from
    // another device may already have received that device's messages.
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
      // Vouching for the user proves nothing about the device.
      let isDevice = identity == .strict ? row.recognition != .token : isRecognised
      record.name(
        UserKey(clientUID: named.clientUID), isVouched: isVouched, isRecognised: isDevice, under: identity, at: now)
    }
  }
}

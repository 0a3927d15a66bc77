internal import Domain
internal import Store

/// What becomes of a device's row when a user is named for it. Pure: registrations and changes of the user share it.
extension Devices.Record {
  /// - Parameters:
  ///   - isVouched: the app's own server says so.
  ///   - isRecognised: whoever names it has shown to be this device.
  mutating func name(
    _ wanted: UserKey, isVouched: Bool, isRecognised: Bool, under app: App.Identity, at now: Int64
  ) {
    let isKept = userKey == wanted
    if isVouched, app == .strict {
      guard !isKept || identity < .strict else { return }
      // Whoever signs in at this very device ends what it got for somebody else. One that may be another stays what it was
      // until it has shown that pushes reach it.
      if !isKept, isRecognised { release() }
      pending = Devices.Pending(userKey: wanted, at: now)
    } else if isVouched || app == .open {
      bind(wanted, by: max(isVouched ? .proof : .open, isKept ? identity : .open))
    } else if !isKept, isRecognised {
      // Whoever signs in here, and is not vouched for, ends what the device got for somebody else.
      release()
    }
  }

  /// To nobody.
  mutating func release() {
    userKey = UserKey(guest: device)
    identity = .open
    pending = nil
  }

  mutating func bind(_ user: UserKey, by identity: App.Identity) {
    userKey = user
    self.identity = identity
    pending = nil
  }
}

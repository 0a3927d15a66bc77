internal import Domain
internal import Store
internal import Time

/// Changes to a device's row when the device names or gives up a user. Pure; shared by registrations and the operations
/// that only change the user.
extension Devices.Record {
  /// Changes the row for a device that names a user.
  ///
  /// In `strict`, a vouched user becomes pending until the device returns a push, and a recognized device loses its
  /// former user at once. A user who is already bound in `strict` stays bound, and becomes pending too if the device is
  /// not recognized: a push then proves that it is the device. In `proof`, a vouched user is bound, and in `open`, any
  /// user. Otherwise the user is not accepted, and a recognized device becomes a guest without a pending user, unless
  /// it already belongs to that user or awaits a push for that user.
  /// - Parameters:
  ///   - isVouched: whether the app's own server vouches for the user.
  ///   - isRecognised: whether the request has proved that it comes from this device.
  mutating func name(
    _ wanted: UserKey, isVouched: Bool, isRecognised: Bool, under app: App.Identity, at now: Timestamp
  ) {
    let isKept = userKey == wanted
    if isVouched, app == .strict {
      guard !isKept || identity < .strict || !isRecognised else { return }
      // A sign-in on this very device ends what the device receives for its former user. A device that may be another
      // one keeps its user until it proves that pushes reach it.
      if !isKept, isRecognised { release() }
      pending = Devices.Pending(userKey: wanted, at: now)
    } else if isVouched || app == .open {
      bind(wanted, by: max(isVouched ? .proof : .open, isKept ? identity : .open))
    } else if !isKept, isRecognised, pending?.userKey != wanted {
      // An unvouched sign-in on this device ends what it receives for its former user.
      release()
    }
  }

  /// Removes the user and any pending one, so that the device is a guest.
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

  /// The row without its user and consents, for callers that have proved no more than knowledge of its token, in an app
  /// that requires a push.
  var withoutUser: Devices.Record {
    var shown = self
    (shown.userKey, shown.identity, shown.consents) = (UserKey(guest: device), .open, Consents())
    return shown
  }
}

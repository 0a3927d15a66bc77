package import Domain
package import Reactor
package import Store
package import Time

/// One validated hot operation; most come from devices. One word in size, because operations are passed on many times
/// but read once: an array, or else an indirect case. Confirmations, the most frequent ones, so need no box.
package enum Operation: Sendable {
  case confirm([Confirmation])
  indirect case register(Registration)
  indirect case find(AuthKeyring.Claim)
  indirect case setUser(AuthKeyring.Claim, NamedUser)
  indirect case clearUser(AuthKeyring.Claim)
  indirect case unregister(AuthKeyring.Claim)
  indirect case listGroups(AuthKeyring.Claim)
  indirect case join(AuthKeyring.Claim, group: Int64)
  indirect case leave(AuthKeyring.Claim, group: Int64)
  indirect case setBadge(AuthKeyring.Claim, Int16)
  indirect case badge(AuthKeyring.Claim)
  indirect case inbox(AuthKeyring.Claim, InboxQuestion)
  indirect case setConsents(AuthKeyring.Claim, Consents.Change)
  /// Sets an additional token of the given kind; nil removes it.
  indirect case setToken(AuthKeyring.Claim, TokenKind, psid: String?)
  /// Sets the token of one Live Activity; nil removes it.
  indirect case setActivity(AuthKeyring.Claim, ActivityName, psid: String?)
  indirect case send(DirectSend)
  /// Finds the device that owns a token. `psid` is normalized.
  indirect case identify(app: App.Number, network: PushNetwork, psid: String)
  /// Proves that the device owns its token: it returns the number and token of a push that was sent to it.
  indirect case possess(AuthKeyring.Claim, seqno: Seqno, psid: String)
  /// Reports that the device is alive.
  indirect case alive(AuthKeyring.Claim)
  /// Checks whether the device may send one more message this minute, and counts it.
  indirect case admitSend(AuthKeyring.Claim, perMinute: Int16)

  /// A device's report that a message arrived or that its user opened it.
  package struct Confirmation: Sendable {
    package let seqno: Seqno
    /// The normalized token; can be empty if `needsNoLook` is true.
    package let psid: String
    /// Effect of a read on the badge count; nil for a receipt.
    package let read: BadgeOption?
    /// False if the pushkey is wrong: the confirmation is answered with `invalidPushkey` and not recorded.
    package let isGenuine: Bool
    /// Devices that another proof than a pushkey covers; nil if the pushkey is the proof.
    package let reach: Reach?
    /// Location of the delivery, decoded from the pushkey; nil if the delivery must be found by its token.
    package let place: DeliveryCoordinates?
    /// Time by the device's clock; nil for now. Since the clock may be wrong, the recorded time is clamped between the
    /// send and the commit.
    package let at: Timestamp?

    package init(
      seqno: Seqno, psid: String, read: BadgeOption?, isGenuine: Bool, place: DeliveryCoordinates? = nil,
      reach: Reach? = nil, at: Timestamp? = nil
    ) {
      self.seqno = seqno
      self.psid = psid
      self.read = read
      self.isGenuine = isGenuine
      self.place = place
      self.reach = reach
      self.at = at
    }

    /// Whether a receipt whose pushkey proved this place needs no look-up, because no SMS fallback waits for it. False
    /// for nil.
    package static func isLocated(_ place: DeliveryCoordinates?) -> Bool { place?.hasFallback == false }

    /// Whether the confirmation can be recorded without a look-up: it is a genuine receipt with a location, and no SMS
    /// fallback waits for it.
    var needsNoLook: Bool { isGenuine && read == nil && Self.isLocated(place) }
  }

  /// Devices to which a confirmation can belong, if it was proved by other means than a pushkey.
  package struct Reach: Sendable {
    package let app: App.Number
    /// The only device; nil for all devices that have, or had, the PSID.
    package let device: DeviceID?
    /// A key: only its device may set the user's count by a read, and only while the key is current; other devices'
    /// reads count as reads with `keep`. Nil if any device may set it.
    package let setter: AuthKeyring.Claim?

    package init(app: App.Number, device: DeviceID?, setter: AuthKeyring.Claim? = nil) {
      self.app = app
      self.device = device
      self.setter = setter
    }

    func includes(_ candidate: Confirmations.Candidate) -> Bool {
      candidate.app == app && (device == nil || candidate.device == device)
    }
  }

  /// A device's own registration, with or without a user.
  package struct Registration: Sendable {
    package let app: App
    package let device: DeviceID
    package let installation: String
    package let network: PushNetwork
    package let environment: PushEnvironment
    /// The normalized push token.
    package let psid: String
    /// User that the registration names; nil if it names none, so that the device keeps its user.
    package let user: NamedUser?
    package let attributes: Devices.Attributes
    /// Whether the registration came through the legacy SDK protocol. That protocol has no fields for locale, time zone
    /// and consents (stored values are kept), and no error for a device that fails to prove its identity (it gets the
    /// usual answer, but nothing changes).
    package var isFromSDK = false
    package let consents: Consents.Change
    /// AuthKey with which the device proved its identity; nil if it sent none.
    package let proof: AuthKeyring.Claim?
    /// Whether `proof` replaces the app's client key; it must then be this device's current key.
    package var isOpenedByProof = false
    /// Address under which the limit on new devices counts this one; nil counts it for the app alone.
    package var origin: IPAddress?

    package init(
      app: App, device: DeviceID, installation: String, network: PushNetwork, environment: PushEnvironment,
      psid: String, user: NamedUser?, attributes: Devices.Attributes, proof: AuthKeyring.Claim?,
      consents: Consents.Change = Consents.Change()
    ) {
      self.app = app
      self.device = device
      self.installation = installation
      self.network = network
      self.environment = environment
      self.psid = psid
      self.user = user
      self.attributes = attributes
      self.proof = proof
      self.consents = consents
    }
  }

  /// The credential with which a device called; nil for confirmations, registrations, sends and token look-ups.
  var claim: AuthKeyring.Claim? {
    switch self {
    case .confirm, .register, .send, .identify: nil
    case .find(let claim), .setUser(let claim, _), .clearUser(let claim), .unregister(let claim),
      .listGroups(let claim), .join(let claim, _), .leave(let claim, _), .setBadge(let claim, _), .badge(let claim),
      .setConsents(let claim, _), .setToken(let claim, _, _), .setActivity(let claim, _, _), .alive(let claim),
      .admitSend(let claim, _),
      .possess(let claim, _, _), .inbox(let claim, _):
      claim
    }
  }

  var isConfirmation: Bool { if case .confirm = self { true } else { false } }

  /// Whether the operation changes nothing but the time of the device's last call, so that its repetition answers as
  /// the first execution did, or would have done.
  package var onlyReads: Bool {
    switch self {
    case .find, .listGroups, .badge, .inbox, .identify: true
    case .confirm, .register, .setUser, .clearUser, .unregister, .join, .leave, .setBadge, .setConsents, .setToken,
      .setActivity, .send, .possess, .alive, .admitSend:
      false
    }
  }

  /// Keys that two operations of one batch must not have in common, because the second would depend on the result of
  /// the first. Empty for an operation that can share a batch with all others.
  package var conflictKeys: [ConflictKey] {
    switch self {
    case .confirm, .find, .listGroups, .badge, .inbox, .send, .identify: []
    case .register(let registration):
      registration.device.rows.map { .device($0) } + [.psid(registration.psid)]
        + (registration.user.map { [.user($0.clientUID)] } ?? [])
    case .setUser(let claim, let user): [.device(claim.device), .user(user.clientUID)]
    case .setToken(let claim, _, let psid), .setActivity(let claim, _, let psid):
      [.device(claim.device)] + (psid.map { [.psid($0)] } ?? [])
    case .clearUser(let claim), .unregister(let claim), .join(let claim, _), .leave(let claim, _),
      .setBadge(let claim, _), .setConsents(let claim, _), .alive(let claim), .admitSend(let claim, _),
      .possess(let claim, _, _):
      [.device(claim.device)]
    }
  }

  /// Approximate number of rows read or written, by which the batch size is measured (`batchWeight`).
  package var weight: Int {
    switch self {
    case .confirm(let confirmations): confirmations.count
    case .send(let send): send.users.count
    default: 1
    }
  }

  /// Key of a conflict. The app is not part of it: if the same token or user occurs in two apps, the second operation
  /// merely waits for the next batch.
  package enum ConflictKey: Hashable, Sendable {
    case device(DeviceID)
    case psid(String)
    case user(String)
  }
}

extension AuthKeyring.Claim {
  /// Returns the claim of the key to issue after the operation. If this claim proves only knowledge of the token, so
  /// does the new one, unless the operation has ended the device's earlier keys, as it does when the user was vouched
  /// for.
  package func renewed(for record: Devices.Record) -> AuthKeyring.Claim {
    AuthKeyring.Claim(
      device: record.device, epoch: record.authEpoch, isTokenOnly: isTokenOnly && epoch == record.authEpoch)
  }
}

/// Result of an operation that has succeeded. The case depends on the operation; `done` has no data. One word in size,
/// like `Operation`.
package enum OperationAnswer: Sendable {
  case confirmed([Confirmed])
  indirect case registered(Registered)
  indirect case found(device: Devices.Record, badge: Int16, userName: String)
  case done
  /// Device that owns the token; nil if there is none.
  indirect case identified(Devices.Record?)
  /// The device's current row, after `admitSend` has counted the send.
  indirect case admitted(Devices.Record)
  indirect case groups([(group: Int64, name: String)])
  indirect case badge(Int16)
  indirect case inbox(InboxPage)
  /// The send's answer, and the data for the dispatcher; the latter is nil if there are no recipients or the send is a
  /// repetition.
  indirect case sent(SendAnswer.Accepted, ClaimedSend?)

  package struct Registered: Sendable {
    package let device: Devices.Record
    package let badge: Int16
    package let userName: String
    package let isNew: Bool
    /// Whether the device has proved its identity; otherwise it gets a key that proves no more than its token.
    package let givesFullKey: Bool
  }

  package struct Confirmed: Equatable, Sendable {
    package enum Status: String, Sendable {
      case recorded
      case invalidPushkey = "invalid-pushkey"
      case unknownMessage = "unknown-message"
    }

    package let seqno: Seqno
    package var status: Status
    /// The user's new count; nil for receipts, and for reads that belong to no known user, to a guest who has logged in
    /// since, or to a message whose history is no longer kept.
    package var badge: Int16?
    /// Whether no delivery was recorded because the message is no longer stored, or its history is not kept. A read can
    /// be `recorded` nevertheless, in the inbox.
    package var isForgotten = false
  }
}

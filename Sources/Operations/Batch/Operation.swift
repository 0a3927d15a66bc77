package import Domain
package import Reactor
package import Store

/// One hot operation, validated: it cannot fail for its form any more. Devices ask for most of them. Indirect, for it is
/// handed on many times and read once.
package indirect enum Operation: Sendable {
  case confirm([Confirmation])
  case register(Registration)
  case find(AuthKeyring.Claim)
  case setUser(AuthKeyring.Claim, NamedUser)
  case clearUser(AuthKeyring.Claim)
  case unregister(AuthKeyring.Claim)
  case listGroups(AuthKeyring.Claim)
  case join(AuthKeyring.Claim, group: Int64)
  case leave(AuthKeyring.Claim, group: Int64)
  case setBadge(AuthKeyring.Claim, Int16)
  case badge(AuthKeyring.Claim)
  case inbox(AuthKeyring.Claim, InboxQuestion)
  case setConsents(AuthKeyring.Claim, Consents.Change)
  /// A further token of one kind; nil: none any more.
  case setToken(AuthKeyring.Claim, TokenKind, psid: String?)
  /// The token of one Live Activity; nil: none any more.
  case setActivity(AuthKeyring.Claim, ActivityName, psid: String?)
  case send(DirectSend)
  /// Which device owns a token, normalized.
  case identify(app: App.Number, network: PushNetwork, psid: String)
  /// The device brings back a push that went to its token: the message, and that token.
  case possess(AuthKeyring.Claim, seqno: Int64, psid: String)
  /// The device says that it is there.
  case alive(AuthKeyring.Claim)
  /// May the device send one more message this minute? Counts it.
  case admitSend(AuthKeyring.Claim, perMinute: Int16)

  /// The device says that a message arrived, or that its user opened it.
  package struct Confirmation: Sendable {
    package let seqno: Int64
    package let psid: String
    /// Nil for a receipt.
    package let read: BadgeOption?
    /// False when the pushkey proved wrong: answered, not carried out.
    package let isGenuine: Bool
    /// What was proved instead of a pushkey; nil: the pushkey, which says it all.
    package let reach: Reach?
    /// Where the delivery stands, as the pushkey says; nil: it is found by its token.
    package let place: DeliveryCoordinates?
    /// When it happened by the device's clock, microseconds since 1970; nil: now. A clock may be wrong: what is kept lies
    /// between the send and the commit.
    package let at: Int64?

    package init(
      seqno: Int64, psid: String, read: BadgeOption?, isGenuine: Bool, place: DeliveryCoordinates? = nil,
      reach: Reach? = nil, at: Int64? = nil
    ) {
      self.seqno = seqno
      self.psid = psid
      self.read = read
      self.isGenuine = isGenuine
      self.place = place
      self.reach = reach
      self.at = at
    }
  }

  /// For whom a confirmation may speak.
  package struct Reach: Sendable {
    package let app: App.Number
    /// Nil: whichever device has, or had, the PSID.
    package let device: DeviceID?

    package init(app: App.Number, device: DeviceID?) {
      self.app = app
      self.device = device
    }

    func includes(_ candidate: Confirmations.Candidate) -> Bool {
      candidate.app == app && (device == nil || candidate.device == device)
    }
  }

  /// A device registers itself, with a user or without.
  package struct Registration: Sendable {
    package let app: App
    package let device: DeviceID
    package let installation: String
    package let network: PushNetwork
    package let environment: PushEnvironment
    /// Normalized.
    package let psid: String
    /// Nil: says nothing about the user.
    package let user: NamedUser?
    package let attributes: Devices.Attributes
    /// It came in the SDK's protocol, which has no words for the device's locale, time zone and consents (what is known of
    /// them stays), nor for a device that cannot show who it is (it is answered like any other, and changes nothing).
    package var isFromSDK = false
    package let consents: Consents.Change
    /// The device proved itself with its authKey.
    package let proof: AuthKeyring.Claim?
    /// That key stands in for the app's client key: it must be this device's, as it is now.
    package var isOpenedByProof = false
    /// The address that the limit of new devices counts; nil exempts the caller.
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

  /// The credential of an operation about one device.
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

  /// What must not occur twice in one batch, because the second depends on what the first leaves behind.
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

  /// Rows that it reads or writes, roughly: what a batch is measured by.
  package var weight: Int {
    switch self {
    case .confirm(let confirmations): confirmations.count
    case .send(let send): send.users.count
    default: 1
    }
  }

  /// The same token or user in two apps only costs waiting for the next batch.
  package enum ConflictKey: Hashable, Sendable {
    case device(DeviceID)
    case psid(String)
    case user(String)
  }
}

extension AuthKeyring.Claim {
  /// What the device may be given after this claim was carried out: where its keys have ended meanwhile, by somebody's word
  /// for its user, a full one.
  package func renewed(for record: Devices.Record) -> AuthKeyring.Claim {
    AuthKeyring.Claim(
      device: record.device, epoch: record.authEpoch, isAsked: isAsked && epoch == record.authEpoch)
  }
}

/// What an operation answers.
package indirect enum OperationAnswer: Sendable {
  case confirmed([Confirmed])
  case registered(Registered)
  case found(device: Devices.Record, badge: Int16, userName: String)
  case done
  /// Nil when the token belongs to nobody.
  case identified(Devices.Record?)
  /// The device as it is bound now.
  case admitted(Devices.Record)
  case groups([(group: Int64, name: String)])
  case badge(Int16)
  case inbox(InboxPage)
  /// With what the dispatcher needs, unless there is nobody to send to or it was sent before.
  case sent(SendAnswer.Accepted, ClaimedSend?)

  package struct Registered: Sendable {
    package let device: Devices.Record
    package let badge: Int16
    package let userName: String
    package let isNew: Bool
    /// It has shown that it is the device. Otherwise it gets a key that proves no more than its token.
    package let givesFullKey: Bool
  }

  package struct Confirmed: Equatable, Sendable {
    package enum Status: String, Sendable {
      case recorded
      case invalidPushkey = "invalid-pushkey"
      case unknownMessage = "unknown-message"
    }

    package let seqno: Int64
    package var status: Status
    /// The user's new count, for reads.
    package var badge: Int16?
    /// It is so long ago that nothing about the message's deliveries is kept, or recorded, any more.
    package var isForgotten = false
  }
}

/// The interface between the dispatcher and a push network's sender: batches in, results out.
///
/// A provider delivers exactly one `PushResult` for each target of each accepted batch, even if connections fail.
/// Results may arrive in any order, on the provider's own thread, through a `PushResultSink`.
package protocol PushProvider: Sendable {
  /// Enqueues a batch. Returns false without enqueuing any of it if the queue is full; the caller can offer it again
  /// later. Does not block; callable from any thread.
  func offer(_ batch: PushBatch) -> Bool
  /// Sets the number of nodes, including this one, that send with the same credentials, so that each uses only its
  /// share of the network's limits. Called with each heartbeat of the node, from any thread; no effect for the same
  /// number.
  func share(among nodes: Int)
  /// When the provider's credentials were last read from the database, in nanoseconds of the monotonic clock; 0 before
  /// the first time. A batch that is offered now is sent with the credentials stored by then, or with newer ones.
  /// Callable from any thread.
  var credentialsReadAtNanoseconds: Int64 { get }
}

extension PushProvider {
  /// Does nothing: the default for networks whose limits are not shared between nodes.
  package func share(among nodes: Int) {}
}

/// Receives results of a provider, of one or several batches. Called on the provider's thread; must not block.
package typealias PushResultSink = @Sendable ([PushResult]) -> Void

/// An app, a push network and an environment: the unit of isolation between tenants, with its own credential and queue.
package struct PushRoute: Hashable, Sendable {
  package let app: App.Number
  package let network: PushNetwork
  package let environment: PushEnvironment

  package init(app: App.Number, network: PushNetwork, environment: PushEnvironment) {
    self.app = app
    self.network = network
    self.environment = environment
  }
}

/// The part of a push that many recipients share: those recipients of a message who have the same times, or those of
/// badge syncs or of a broadcast. Batches refer to it.
package final class PushMessage: Sendable {
  package let seqno: Seqno
  package let headers: PushHeaders
  package let template: PayloadTemplate
  package let pushkeys: PushKeyring
  package let lane: Lane
  /// Time in seconds since 1970 at which the message expires; it is not submitted after that.
  package let expiresAtSeconds: Int64
  /// Time in seconds since 1970 until which the push may be submitted, and until which the push network may keep it for
  /// a device that is off: when the message expires or, for an ad, when the device's night begins if that is earlier.
  package let keptUntilSeconds: Int64
  package let onUnknown: UnknownPolicy

  /// - Parameter keptUntilSeconds: nil if only the message's expiry limits how long the push may be kept.
  package init(
    seqno: Seqno, headers: PushHeaders, template: PayloadTemplate, pushkeys: PushKeyring, lane: Lane,
    expiresAtSeconds: Int64, keptUntilSeconds: Int64? = nil, onUnknown: UnknownPolicy
  ) {
    self.seqno = seqno
    self.headers = headers
    self.template = template
    self.pushkeys = pushkeys
    self.lane = lane
    self.expiresAtSeconds = expiresAtSeconds
    self.keptUntilSeconds = min(expiresAtSeconds, keptUntilSeconds ?? expiresAtSeconds)
    self.onUnknown = onUnknown
  }

  /// Creates a push that contains only each recipient's badge count. It belongs to no message; its number is random and
  /// negative, so that pushes created by different calls differ in their `apns-id`.
  package static func badge(appID: String, pushkeys: PushKeyring, expiresAtSeconds: Int64) -> PushMessage {
    PushMessage(
      seqno: .ofNoMessage(),
      // It shows nothing and makes no sound, and a newer count replaces an older one that is still waiting.
      headers: PushHeaders(appID: appID, .alert, priority: .considerate, collapseID: "badge"), template: .badgeOnly,
      pushkeys: pushkeys, lane: .normal, expiresAtSeconds: expiresAtSeconds, onUnknown: .resend)
  }
}

/// A recipient in a batch.
package struct PushTarget: Sendable {
  package let device: DeviceID
  /// The recipient's values in the payload.
  package let recipient: PayloadTemplate.Recipient
  /// Version of the app on the device, for statistics.
  package let appVersion: String
  /// Set if the push is sent to a further token of the device; nil if it is sent to the device's PSID.
  package let further: FurtherTarget?

  package init(
    device: DeviceID, userKey: UserKey, psid: String, badge: Int16, clientName: String, language: Int = 0,
    variables: [String] = [], appVersion: String = "", place: DeliveryCoordinates? = nil,
    further: FurtherTarget? = nil
  ) {
    self.appVersion = appVersion
    self.further = further
    self.device = device
    recipient = PayloadTemplate.Recipient(
      userKey: userKey, clientName: clientName, badge: badge, psid: psid, language: language, variables: variables,
      place: place)
  }

  package var userKey: UserKey { recipient.userKey }
  /// The token to send to: the device's PSID or its further token.
  package var psid: String { recipient.psid }
  package var badge: Int16 { recipient.badge }
  /// True if the message must also be sent to more tokens of the device after this one.
  package var hasMoreTokens: Bool { further.map { $0.rest > 0 } ?? false }
}

/// What a push to a token other than the device's PSID needs besides that token, which is `PushTarget.psid`.
///
/// A message for Live Activities may concern several on one device, each with its own token. It is still one delivery:
/// the push is sent to the tokens one after another, and the delivery is accepted if the push to one of them was.
package final class FurtherTarget: Sendable {
  /// The device's own PSID. FCM needs it in addition to the token of the Live Activity.
  package let registration: String
  /// Number of tokens of the device to which the message is sent after this one.
  package let rest: Int
  package let done: FurtherTokensDone

  package init(registration: String, rest: Int, done: FurtherTokensDone) {
    self.registration = registration
    self.rest = rest
    self.done = done
  }
}

/// The tokens of one device for which a message has a final result.
package struct FurtherTokensDone: Equatable, Sendable {
  package private(set) var psids: Set<String> = []
  /// True if the push to at least one of them was accepted.
  package private(set) var wasAccepted = false

  package init() {}

  package func adding(_ psid: String, wasAccepted: Bool) -> FurtherTokensDone {
    var done = self
    done.psids.insert(psid)
    done.wasAccepted = done.wasAccepted || wasAccepted
    return done
  }
}

/// Recipients of one message on one route, whose tokens were read from the database together.
package struct PushBatch: Sendable {
  package let address: BatchAddress
  package let message: PushMessage
  package let route: PushRoute
  package let targets: [PushTarget]
  /// Time at which reading the recipients' data began, in nanoseconds of the monotonic clock.
  package let readAtNanoseconds: Int64
  /// Time at which everything was read and committed, in nanoseconds of the monotonic clock. A target that cannot be
  /// submitted within `freshNanoseconds` after this time is returned as `.stale`, because its device may belong to
  /// another user by then. Measured from the end of reading, because with a distant database every batch would
  /// otherwise be stale on arrival.
  package let readUntilNanoseconds: Int64

  /// Time after reading within which a target must be submitted: half a second. Including the round trip, nothing is
  /// then sent to a former user later than a second after the change was confirmed.
  package static let freshNanoseconds: Int64 = 500_000_000

  package init(
    _ address: BatchAddress, message: PushMessage, route: PushRoute, targets: [PushTarget], readAtNanoseconds: Int64,
    readUntilNanoseconds: Int64? = nil
  ) {
    self.address = address
    self.message = message
    self.route = route
    self.targets = targets
    self.readAtNanoseconds = readAtNanoseconds
    self.readUntilNanoseconds = readUntilNanoseconds ?? readAtNanoseconds
  }
}

/// Identifies a batch and the inbox for its results; included in each result.
package struct BatchAddress: Hashable, Sendable {
  /// Index of the inbox on this node.
  package let inbox: Int
  /// Number of the batch, unique within this process.
  package let number: Int64

  package init(_ number: Int64, inbox: Int = 0) {
    self.number = number
    self.inbox = inbox
  }
}

/// The result of one target of a batch.
package struct PushResult: Sendable {
  package let batch: BatchAddress
  /// Index of the target in the batch.
  package let target: Int
  package let result: SubmissionResult

  package init(batch: BatchAddress, target: Int, result: SubmissionResult) {
    self.batch = batch
    self.target = target
    self.result = result
  }
}

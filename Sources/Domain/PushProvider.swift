/// The boundary between the dispatcher and a push network: batches in, results out. Neither side knows how the other
/// works.
///
/// A provider delivers exactly one `PushResult` for each target of each accepted batch, whatever happens to its
/// connections. Results may arrive in any order, on the provider's own thread.
package protocol PushProvider: Sendable {
  /// Offers a batch. Returns false when the queue is full: nothing was accepted, offer it again later. Callable from
  /// any thread.
  func offer(_ batch: PushBatch) -> Bool
  /// Sets how many nodes, including this one, currently send with the same credentials: each takes its share of the
  /// network's common limits. Called repeatedly, from any thread.
  func share(among nodes: Int)
}

extension PushProvider {
  /// For networks without limits common to all nodes.
  package func share(among nodes: Int) {}
}

/// Receives a provider's results, a batch at a time. Must not block.
package typealias PushResultSink = @Sendable ([PushResult]) -> Void

/// A push network's environment and an app's credential for it: the unit of isolation between tenants.
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

/// The part of a push that all recipients of a message share. Created once and referenced by every batch.
package final class PushMessage: Sendable {
  package let seqno: Int64
  package let headers: PushHeaders
  package let template: PayloadTemplate
  package let pushkeys: PushKeyring
  package let lane: Lane
  /// When the message expires, in seconds since 1970. We refuse to submit it after that.
  package let expiresAtSeconds: Int64
  package let onUnknown: UnknownPolicy

  package init(
    seqno: Int64, headers: PushHeaders, template: PayloadTemplate, pushkeys: PushKeyring, lane: Lane,
    expiresAtSeconds: Int64, onUnknown: UnknownPolicy
  ) {
    self.seqno = seqno
    self.headers = headers
    self.template = template
    self.pushkeys = pushkeys
    self.lane = lane
    self.expiresAtSeconds = expiresAtSeconds
    self.onUnknown = onUnknown
  }

  /// A push that carries only a badge count. It belongs to no message: its number is random and negative, so that no
  /// two have the same `apns-id`.
  package static func badge(appID: String, pushkeys: PushKeyring, expiresAtSeconds: Int64) -> PushMessage {
    PushMessage(
      seqno: Int64.random(in: Int64.min ... -1),
      // It shows nothing and makes no sound, and a newer count replaces a waiting one.
      headers: PushHeaders(appID: appID, .alert, priority: .considerate, collapseID: "badge"), template: .badgeOnly,
      pushkeys: pushkeys, lane: .normal, expiresAtSeconds: expiresAtSeconds, onUnknown: .resend)
  }
}

/// One recipient of a batch.
package struct PushTarget: Sendable {
  package let device: DeviceID
  /// The values in its payload.
  package let recipient: PayloadTemplate.Recipient
  /// Version of the app on the device, for statistics.
  package let appVersion: String
  /// Set if the push goes to a token other than the device's PSID.
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
  /// The token it is sent to.
  package var psid: String { recipient.psid }
  package var badge: Int16 { recipient.badge }
  /// Further tokens of the device are still to receive the message.
  package var hasMoreTokens: Bool { further.map { $0.rest > 0 } ?? false }
}

/// A further token of a device, and the tokens of the same device that come after it.
///
/// A message for Live Activities may be for several on one device, each with its own token. It is still one delivery:
/// the tokens are served one after another, and the delivery is accepted if one of them was.
package final class FurtherTarget: Sendable {
  /// The device's own PSID, which FCM also needs.
  package let registration: String
  /// Number of tokens still to be served after this one.
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
  /// At least one of them was accepted.
  package private(set) var wasAccepted = false

  package init() {}

  package func adding(_ psid: String, wasAccepted: Bool) -> FurtherTokensDone {
    var done = self
    done.psids.insert(psid)
    done.wasAccepted = done.wasAccepted || wasAccepted
    return done
  }
}

/// Recipients of one message on one route whose bindings were read together.
package struct PushBatch: Sendable {
  package let address: BatchAddress
  package let message: PushMessage
  package let route: PushRoute
  package let targets: [PushTarget]
  /// When reading the bindings began, on the monotonic clock, in nanoseconds.
  package let readAtNanoseconds: Int64
  /// When everything had been read and committed. A target that could not be submitted within `freshNanoseconds` of it
  /// comes back as `.stale`, because its device may belong to someone else by then. Not counted from the beginning of
  /// the read: with a distant database every batch would be stale on arrival, and nothing would ever be sent.
  package let readUntilNanoseconds: Int64

  /// Half a second, so that including the round trip, nothing for a former user is sent later than a second after the
  /// response.
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

/// Identifies a batch and the inbox that waits for its results; echoed in each of them.
package struct BatchAddress: Hashable, Sendable {
  /// Index of the inbox on this node.
  package let inbox: Int
  /// Unique within this process.
  package let number: Int64

  package init(_ number: Int64, inbox: Int = 0) {
    self.number = number
    self.inbox = inbox
  }
}

/// The result of one target of a batch.
package struct PushResult: Sendable {
  package let batch: BatchAddress
  /// Position in the batch's `targets`.
  package let target: Int
  package let result: SubmissionResult

  package init(batch: BatchAddress, target: Int, result: SubmissionResult) {
    self.batch = batch
    self.target = target
    self.result = result
  }
}

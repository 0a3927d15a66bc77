/// The seam between the dispatcher and a push network: batches in, results out. Neither knows how the other works.
///
/// A provider promises exactly one `PushResult` for each target of each batch it took, whatever happens to its
/// connections. Results may come in any order and from the provider's own thread.
package protocol PushProvider: Sendable {
  /// Takes a batch. False when its queue is full: nothing was taken, offer it again later. Callable from any thread.
  func offer(_ batch: PushBatch) -> Bool
  /// So many nodes, this one included, send with the same credentials now: each takes its share of what the network
  /// grants to all of them together. Said again and again; callable from any thread.
  func share(among nodes: Int)
}

extension PushProvider {
  /// A network that counts nothing for the nodes together needs no shares.
  package func share(among nodes: Int) {}
}

/// Where a provider delivers its results, a batch at a time. Must not block.
package typealias PushResultSink = @Sendable ([PushResult]) -> Void

/// Which door of a push network, with whose credential: what one bulkhead isolates.
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

/// What all recipients of a message share. Made once, referred to by every batch.
package final class PushMessage: Sendable {
  package let seqno: Int64
  package let headers: PushHeaders
  package let template: PayloadTemplate
  package let pushkeys: PushKeyring
  package let lane: Lane
  /// When it is worth nothing any more, seconds since 1970. A submission after that is refused by us.
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

  /// A push that only tells a count. It belongs to no message: its number is random and negative, so that no two of them
  /// have one `apns-id`.
  package static func badge(appID: String, pushkeys: PushKeyring, expiresAtSeconds: Int64) -> PushMessage {
    PushMessage(
      seqno: Int64.random(in: Int64.min ... -1),
      // It shows nothing and makes no sound, and a newer count replaces one that waits.
      headers: PushHeaders(appID: appID, .alert, priority: .considerate, collapseID: "badge"), template: .badgeOnly,
      pushkeys: pushkeys, lane: .normal, expiresAtSeconds: expiresAtSeconds, onUnknown: .resend)
  }
}

/// One recipient of a batch.
package struct PushTarget: Sendable {
  package let device: DeviceID
  /// What stands in its payload.
  package let recipient: PayloadTemplate.Recipient
  /// Of the app on the device, for the statistics.
  package let appVersion: String
  /// Set when it goes to a token beside the device's ordinary one.
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
  /// The message goes to other tokens of the device too, which have not had it yet.
  package var hasMoreTokens: Bool { further.map { $0.rest > 0 } ?? false }
}

/// A token beside a device's ordinary one, and what else is sent to on the same device.
///
/// A message for Live Activities may be for several on one device, each with a token. It is still one delivery: they are
/// sent to one after another, and it is accepted when one of them was.
package final class FurtherTarget: Sendable {
  /// The device's own PSID; FCM is told it too.
  package let registration: String
  /// Tokens that are sent to after this one.
  package let rest: Int
  package let done: FurtherTokensDone

  package init(registration: String, rest: Int, done: FurtherTokensDone) {
    self.registration = registration
    self.rest = rest
    self.done = done
  }
}

/// The tokens of one device that a message has been sent to, with an answer that ends it there.
package struct FurtherTokensDone: Equatable, Sendable {
  package private(set) var psids: Set<String> = []
  /// One of them was accepted.
  package private(set) var wasAccepted = false

  package init() {}

  package func adding(_ psid: String, wasAccepted: Bool) -> FurtherTokensDone {
    var done = self
    done.psids.insert(psid)
    done.wasAccepted = done.wasAccepted || wasAccepted
    return done
  }
}

/// Recipients of one message on one route, read from the database together.
package struct PushBatch: Sendable {
  package let address: BatchAddress
  package let message: PushMessage
  package let route: PushRoute
  package let targets: [PushTarget]
  /// When the bindings began to be read, on the monotonic clock in nanoseconds.
  package let readAtNanoseconds: Int64
  /// When all that was to be read and committed had been. A target that could not be submitted `freshNanoseconds` later
  /// comes back as `.stale`: its device may belong to someone else by then. Not counted from the beginning, for where the
  /// database is far away everything would be stale when it arrives, and nothing would ever leave.
  package let readUntilNanoseconds: Int64

  /// Half a second, so that with the round trip nothing for a former user leaves a second after the answer.
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

/// Which batch it is and who waits for its results, echoed in each of them.
package struct BatchAddress: Hashable, Sendable {
  /// Index of the inbox of this node that waits for the results.
  package let inbox: Int
  /// Unique within this process.
  package let number: Int64

  package init(_ number: Int64, inbox: Int = 0) {
    self.number = number
    self.inbox = inbox
  }
}

/// What became of one target of a batch.
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

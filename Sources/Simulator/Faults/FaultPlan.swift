package import Reactor

/// The active faults. Decides for each request and connection which of them applies.
package struct FaultPlan {
  /// Identifies a fault.
  package typealias ID = Int

  /// A simulated service. Faults that name neither network nor environment apply to all of them.
  package enum Place: Equatable, Sendable {
    case apns(Environment)
    /// The channel management of an environment.
    case channels(Environment)
    case fcm

    var network: Fault.Network {
      switch self {
      case .apns, .channels: .apns
      case .fcm: .fcm
      }
    }

    var environment: Environment? {
      switch self {
      case .apns(let environment), .channels(let environment): environment
      case .fcm: nil
      }
    }
  }

  /// The recipient of a request.
  package enum Target {
    case device(DeviceToken)
    /// FCM's registration token, installation id or topic.
    case registration(String)
    /// Apple's id of a broadcast channel.
    case channel(String)

    func hasPrefix(_ prefix: [UInt8]) -> Bool {
      switch self {
      case .device(let token): token.hasHexadecimalPrefix(prefix)
      case .registration(let name), .channel(let name): name.utf8.starts(with: prefix)
      }
    }

    /// The fault that the recipient's name itself requests; nil if none.
    var own: Effect? {
      switch self {
      case .device(let token): FaultPrefix.effect(of: token)
      case .registration(let name): FCMFaultName.effect(of: name)
      case .channel: nil
      }
    }
  }

  private struct ActiveFault {
    let id: ID
    let fault: Fault
    /// Network to which the fault is limited; nil for all.
    let network: Fault.Network?
    let effect: Effect
    let prefix: [UInt8]
    let from: Instant
    let until: Instant?
    /// Number of requests (or connections) that met the other conditions.
    var met = 0
    /// Number of times the fault was applied.
    var applied = 0
  }

  /// Circumstances on which the decision depends.
  package struct Circumstances {
    package var place: Place
    /// Number of the connection, from 1.
    package var connection: Int
    package var now: Instant

    package init(environment: Environment, connection: Int, now: Instant) {
      self.init(place: .apns(environment), connection: connection, now: now)
    }

    package init(place: Place, connection: Int, now: Instant) {
      self.place = place
      self.connection = connection
      self.now = now
    }
  }

  private var requestFaults: [ActiveFault] = []
  private var connectionFaults: [ActiveFault] = []
  private var dice: SplitMix64
  private var lastID = 0

  package init(seed: UInt64) {
    dice = SplitMix64(seed: seed)
  }

  /// Adds a fault and returns its id. If several faults apply, the one added first is used.
  /// - Throws: `Fault.Invalid` if its members are out of range or do not fit together.
  package mutating func add(_ fault: Fault, now: Instant) throws(Fault.Invalid) -> ID {
    let effect = try fault.effect()
    let network = fault.servedNetwork
    let text = fault.tokenPrefix ?? ""
    let prefix = Array((network == .fcm ? text : text.lowercased()).utf8)
    guard network == .fcm || prefix.allSatisfy({ ASCII.hexadecimal($0) != nil }) else {
      throw Fault.Invalid(description: "tokenPrefix must be hexadecimal")
    }
    lastID += 1
    let from = now + .nanoseconds(Int64((fault.afterSeconds ?? 0) * 1e9))
    let armed = ActiveFault(
      id: lastID, fault: fault, network: network, effect: effect, prefix: prefix, from: from,
      until: fault.forSeconds.map { from + .nanoseconds(Int64($0 * 1e9)) })
    if effect.isOfConnection { connectionFaults.append(armed) } else { requestFaults.append(armed) }
    return lastID
  }

  /// Removes a fault. Returns false if there is none with this id.
  package mutating func remove(_ id: ID) -> Bool {
    let before = requestFaults.count + connectionFaults.count
    requestFaults.removeAll { $0.id == id }
    connectionFaults.removeAll { $0.id == id }
    return requestFaults.count + connectionFaults.count < before
  }

  package mutating func removeAll() {
    requestFaults = []
    connectionFaults = []
  }

  /// The active faults, with the number of times each was applied.
  package var all: [(id: ID, fault: Fault, applied: Int)] {
    (requestFaults + connectionFaults).sorted { $0.id < $1.id }.map { ($0.id, $0.fault, $0.applied) }
  }

  /// Returns the effect for a request that has passed validation; nil if no fault applies.
  package mutating func effect(onRequestFor token: DeviceToken, _ circumstances: Circumstances) -> Effect? {
    effect(onRequestFor: .device(token), circumstances)
  }

  package mutating func effect(onRequestFor target: Target, _ circumstances: Circumstances) -> Effect? {
    if let own = target.own { return own }
    guard !requestFaults.isEmpty else { return nil }
    return Self.decide(&requestFaults, &dice, circumstances, target)
  }

  /// Returns the effect for a new connection; nil if no fault applies.
  package mutating func effect(onConnection circumstances: Circumstances) -> Effect? {
    guard !connectionFaults.isEmpty else { return nil }
    return Self.decide(&connectionFaults, &dice, circumstances, nil)
  }

  private static func decide(
    _ faults: inout [ActiveFault], _ dice: inout SplitMix64, _ circumstances: Circumstances, _ target: Target?
  ) -> Effect? {
    for index in faults.indices where applies(faults[index], circumstances, target) {
      let fault = faults[index].fault
      faults[index].met += 1
      if let every = fault.every, !faults[index].met.isMultiple(of: every) { continue }
      if let probability = fault.probability, !dice.roll(probability) { continue }
      faults[index].applied += 1
      return faults[index].effect
    }
    return nil
  }

  private static func applies(_ armed: ActiveFault, _ circumstances: Circumstances, _ target: Target?) -> Bool {
    guard circumstances.now >= armed.from, armed.until.map({ circumstances.now < $0 }) ?? true else { return false }
    if let times = armed.fault.times, armed.applied >= times { return false }
    if let network = armed.network, network != circumstances.place.network { return false }
    if let environment = armed.fault.environment, environment != circumstances.place.environment { return false }
    if let connection = armed.fault.connection, connection != circumstances.connection { return false }
    return armed.prefix.isEmpty || target?.hasPrefix(armed.prefix) == true
  }
}

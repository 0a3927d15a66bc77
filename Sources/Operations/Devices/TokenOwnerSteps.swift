internal import Domain
internal import Store

/// Finds the owners of tokens, for devices that identify themselves only by their PSID. The answer is nil if no
/// registered device has the token at present. Read-only.
struct TokenOwnerSteps {
  private struct Token: Hashable {
    let app: App.Number
    let network: PushNetwork
    let psid: String
  }

  private final class State {
    var entries: [(operation: Int, token: Token)] = []
    var owners: [Token: DeviceID] = [:]
    var records: [DeviceID: Devices.Record] = [:]
  }

  private let state = State()

  init(_ operations: [Operation]) {
    for (index, operation) in operations.enumerated() {
      if case .identify(let app, let network, let psid) = operation {
        state.entries.append((index, Token(app: app, network: network, psid: psid)))
      }
    }
  }

  // MARK: Rounds 0 and 1

  func look() -> [Step] {
    let tokens = Set(state.entries.map(\.token))
    guard !tokens.isEmpty else { return [] }
    let state = state
    return [
      Devices.owners(of: tokens.map { ($0.app, $0.network, $0.psid) }).map { owners in
        for owner in owners {
          state.owners[Token(app: owner.app, network: owner.network, psid: owner.psid)] = owner.owner
        }
      }
    ]
  }

  func find() -> [Step] {
    guard !state.owners.isEmpty else { return [] }
    let state = state
    return [
      Devices.find(Set(state.owners.values)).map { records in
        for record in records { state.records[record.device] = record }
      }
    ]
  }

  // MARK: Answers

  func answer(_ batch: BatchContext) {
    for (operation, token) in state.entries {
      let record = state.owners[token].flatMap { state.records[$0] }
      // A device that has unregistered or changed its token is not the one asking.
      let isPresent = record.map { $0.state != .unregistered && $0.psid == token.psid } ?? false
      batch.results[operation] = .success(.identified(isPresent ? record : nil))
    }
  }
}

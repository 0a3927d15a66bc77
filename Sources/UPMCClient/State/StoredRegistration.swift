#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// What the client knows of its registration, in the key store under one name.
struct StoredRegistration: Codable, Equatable, Sendable {
  var server: ServerAddress
  var appID: String
  var device: String
  var authKey: String
  var psid: String
  /// Newest first.
  var formerPsids: [String] = []
  var clientUID: String?
  var clientName: String?
  var identity: String?
  var awaitsPush: Bool
  /// The user that the app asked for, also when the server has not bound it yet.
  var askedFor: String?

  /// The tokens that a push may have come to, the likeliest first.
  var tokens: [String] { [psid] + formerPsids }

  /// Takes another token; the one before is remembered, for pushes that are under way.
  mutating func adopt(token: String) {
    guard token != psid else { return }
    formerPsids = Array(([psid] + formerPsids.filter { $0 != token }).prefix(ClientLimits.formerTokens))
    psid = token
  }

  mutating func adopt(_ device: RegisteredDevice) {
    self.device = device.device
    authKey = device.authKey
    adopt(user: device.user, identity: device.identity, awaitsPush: device.awaitsPush)
  }

  mutating func adopt(user: KnownUser?, identity: String?, awaitsPush: Bool) {
    clientUID = user?.clientUid
    clientName = user?.clientName
    self.identity = identity
    self.awaitsPush = awaitsPush
  }
}

/// A push that waits to be brought back, in an app that is `strict`.
struct StoredPossession: Codable, Equatable, Sendable {
  var seqno: String
  var psid: String
  var pushkey: String
}

/// The client's own entries of a key store.
struct ClientState: Sendable {
  let keys: any KeyStore

  func registration() throws(ClientError) -> StoredRegistration? {
    // What cannot be read is as good as none: the device registers again.
    try read("registration")
  }

  func write(_ registration: StoredRegistration) throws(ClientError) { try write(registration, "registration") }

  func removeRegistration() throws(ClientError) {
    do {
      try keys.remove("possession")
      try keys.remove("registration")
    } catch {
      throw .keyStore(String(describing: error))
    }
  }

  func possession() throws(ClientError) -> StoredPossession? { try read("possession") }

  func write(_ possession: StoredPossession?) throws(ClientError) {
    if let possession { return try write(possession, "possession") }
    do {
      try keys.remove("possession")
    } catch {
      throw .keyStore(String(describing: error))
    }
  }

  /// What this installation calls itself: made once, and stored before the server hears it.
  func installation() throws(ClientError) -> String {
    struct Installation: Codable { var id: String }
    if let known: Installation = try read("installation") { return known.id }
    let made = Installation(id: UUID().uuidString.lowercased())
    try write(made, "installation")
    return made.id
  }

  private func read<Value: Decodable>(_ name: String) throws(ClientError) -> Value? {
    do {
      guard let bytes = try keys.read(name) else { return nil }
      return try? JSONDecoder().decode(Value.self, from: Data(bytes))
    } catch {
      throw .keyStore(String(describing: error))
    }
  }

  private func write(_ value: some Encodable, _ name: String) throws(ClientError) {
    do {
      try keys.write(WireBody.encode(value), name)
    } catch {
      throw .keyStore(String(describing: error))
    }
  }
}

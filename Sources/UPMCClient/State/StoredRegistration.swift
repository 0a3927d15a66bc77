#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The registration as stored in the key store.
struct StoredRegistration: Codable, Equatable, Sendable {
  /// What the app has asked to be removed while the device's key did not allow that, because the device awaits a push.
  enum Leaving: String, Codable, Sendable {
    case user
    /// The device itself, which counts as not registered until then.
    case service
  }

  var server: ServerAddress
  var appID: String
  var device: String
  var authKey: String
  var psid: String
  /// The previous tokens, newest first; at most `ClientLimits.formerTokens`.
  var formerPsids: [String] = []
  /// The token whose registration the server has not answered yet: it may have carried it out, and send to that token;
  /// nil if there is none. Equal to `psid` if the system has come back to that one after another got no answer.
  var expectedPsid: String?
  var clientUID: String?
  var clientName: String?
  var identity: String?
  var awaitsPush: Bool
  /// The CUID of the user that the app has requested, even if the server has not bound the device to that user yet; nil
  /// if none, or for a guest.
  var askedFor: String?
  /// The user whose setting the server has not answered yet: it may have carried it out, and ended the key; nil if
  /// there is none.
  var unansweredUser: UnansweredUser?
  /// What is removed with the next key; nil if nothing.
  var leaves: Leaving?

  /// The tokens that a push may have been sent to, the most likely first.
  var tokens: [String] {
    if let expectedPsid, expectedPsid != psid { return [psid, expectedPsid] + formerPsids }
    return [psid] + formerPsids
  }

  /// Sets the token that the server has registered, and remembers the other ones, for pushes that are in transit.
  mutating func adopt(token: String) {
    remember(tokens, except: token)
    psid = token
    expectedPsid = nil
  }

  /// Notes a token that is about to be registered. No effect if it is the current one and no other got no answer.
  mutating func expect(token: String) {
    guard token != psid || expectedPsid != nil else { return }
    remember(Array(tokens.dropFirst()), except: token)
    expectedPsid = token
  }

  /// Notes a user that is about to be set. No effect for the guest, whose setting ends no key.
  mutating func expect(user: ClientUser) {
    guard user != .guest else { return }
    unansweredUser = UnansweredUser(clientUID: user.clientUID, clientName: user.clientName, proof: user.proof)
  }

  private mutating func remember(_ tokens: [String], except token: String) {
    formerPsids = Array(tokens.filter { $0 != token }.prefix(ClientLimits.formerTokens))
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

/// A user whose setting the server has not answered, with the proof, so that a later process can repeat it.
struct UnansweredUser: Codable, Equatable, Sendable {
  var clientUID: String
  var clientName: String
  var proof: String?

  var user: ClientUser { ClientUser(clientUID, name: clientName, proof: proof) }
}

/// A push that is to be returned to the server to prove possession of the token, in an app whose identity mode is
/// `strict`.
struct StoredPossession: Codable, Equatable, Sendable {
  var seqno: String
  var psid: String
  var pushkey: String
}

/// Reads and writes the client's entries in the key store. Throws `.keyStore` if the store fails; entries that cannot
/// be decoded count as missing.
struct ClientState: Sendable {
  let keys: any KeyStore

  func registration() throws(ClientError) -> StoredRegistration? {
    // An entry that cannot be decoded counts as missing: the device registers again.
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

  /// Returns the pushes that are to be returned to the server, in this order.
  func possessions() throws(ClientError) -> [StoredPossession] {
    let stored: [StoredPossession]? = try read("possession")
    return stored ?? []
  }

  func write(_ possessions: [StoredPossession]) throws(ClientError) {
    if !possessions.isEmpty { return try write(possessions, "possession") }
    do {
      try keys.remove("possession")
    } catch {
      throw .keyStore(String(describing: error))
    }
  }

  /// Returns the id of this installation, a random UUID that is created and stored by the first call. Throws if it
  /// cannot be read or stored.
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

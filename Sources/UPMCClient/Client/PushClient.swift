#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A device's way to its UPMC server. One for each process: the app has one, its extension another, on the same key store
/// and directory.
///
/// Every call may be repeated without harm, and is, once, when its answer is lost. Calls that change the registration go one
/// after another, in the order in which they were made: a token that changes meanwhile is registered last.
public actor PushClient {
  /// What the client was made with; the server may be changed.
  public private(set) var settings: ClientSettings
  let transport: any Transport & Sendable
  let state: ClientState
  let outbox: Outbox
  let now: @Sendable () -> Date
  private(set) var log = ClientLog.off
  /// The call before, for those that go one after another.
  private var last: Task<Void, Never>?
  /// The user that the server refused for lack of a proof, since this process started.
  var refusedUser: String?
  /// From when until when the server asked to be left alone.
  private var rest: (from: Date, until: Date)?
  /// Between an answer to confirmations and the removal of their files.
  let onAnswer: @Sendable () -> Void

  /// - Parameters:
  ///   - transport: the way to the server.
  ///   - keys: the same for the app and its extension.
  ///   - now: the clock; tests have their own.
  public init(
    _ settings: ClientSettings, transport: any Transport & Sendable, keys: any KeyStore,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.init(settings, transport: transport, keys: keys, now: now, onStep: { _ in })
  }

  /// - Parameter onStep: what a file of the outbox has become; tests end the process there.
  package init(
    _ settings: ClientSettings, transport: any Transport & Sendable, keys: any KeyStore,
    now: @escaping @Sendable () -> Date, onStep: @escaping @Sendable (DurableFile.Step) -> Void,
    onAnswer: @escaping @Sendable () -> Void = {}
  ) {
    self.settings = settings
    self.transport = transport
    self.now = now
    self.onAnswer = onAnswer
    state = ClientState(keys: keys)
    outbox = Outbox(directory: settings.directory, onStep: onStep)
  }

  /// Switches the log on or off.
  public func use(_ log: ClientLog) {
    self.log = log
  }

  /// Another server, for example for a test build. The registration of the one before is forgotten at the next call.
  public func change(_ server: ServerAddress) {
    settings.server = server
  }

  /// What the device says of itself from now on.
  public func use(_ attributes: DeviceAttributes) {
    settings.attributes = attributes
  }

  /// Which of Apple's services issues the tokens.
  public func use(_ environment: TokenEnvironment) {
    settings.environment = environment
  }

  // MARK: The registration

  /// The registration with this server and app; nil when there is none.
  func registration() throws(ClientError) -> StoredRegistration? {
    guard let known = try state.registration(), known.server == settings.server, known.appID == settings.appID else {
      return nil
    }
    return known
  }

  /// The registration as this device knows it; nil when there is none.
  public var known: DeviceRegistration? {
    guard let stored = try? registration() else { return nil }
    return DeviceRegistration(stored, badge: nil)
  }

  func demandRegistration() throws(ClientError) -> StoredRegistration {
    guard let known = try registration() else { throw .notRegistered }
    return known
  }

  // MARK: Calls

  /// Runs what changes the registration or sends the outbox, after all that was asked for before.
  func inOrder<Value: Sendable>(
    _ body: @escaping @Sendable (isolated PushClient) async throws(ClientError) -> Value
  ) async throws(ClientError) -> Value {
    let before = last
    let task = Task { () -> Result<Value, ClientError> in
      await before?.value
      do throws(ClientError) {
        return .success(try await body(self))
      } catch {
        return .failure(error)
      }
    }
    last = Task { _ = await task.value }
    return try await task.value.get()
  }

  /// One call; repeated once when the answer was lost. All of ours may be.
  func call(_ request: WireRequest) async throws(ClientError) -> WireAnswer {
    var request = request
    request.seconds = settings.callSeconds
    var answer = await transport.send(request)
    if case .failure(let reason) = answer {
      log("\(request.method) \(request.path): \(reason); once more")
      answer = await transport.send(request)
    }
    switch answer {
    case .success(let answer):
      log("\(request.method) \(request.path): \(answer.status)")
      return answer
    case .failure(let reason): throw .noAnswer(reason.description)
    }
  }

  /// A call about this device, with its own key.
  func deviceCall(
    _ method: String, _ path: String, _ body: [UInt8]? = nil, of known: StoredRegistration
  ) async throws(ClientError) -> WireAnswer {
    var request = WireRequest(method, "/v1/devices/\(known.device)\(path)", at: settings.server.base)
    request.bearer = known.authKey
    request.body = body
    return try await call(request)
  }

  // MARK: Rest

  /// Seconds until the server may be asked again; nil now.
  var restSeconds: Double? {
    let now = now()
    // A clock that was put back ends the rest.
    guard let rest, rest.from <= now, now < rest.until else { return nil }
    return rest.until.timeIntervalSince(now)
  }

  func rest(seconds: Int?) {
    guard let seconds, seconds > 0 else { return }
    let now = now()
    rest = (now, now.addingTimeInterval(Double(min(seconds, ClientLimits.longestRestSeconds))))
  }
}

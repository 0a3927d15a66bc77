#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The client of a UPMC server on one device. Create one per process: one in the app and one in its extension, with the
/// same key store and directory.
///
/// Every call is idempotent. If its answer is lost, it is repeated once; receipts and reads stay stored instead, and are
/// sent again later. Calls that change the registration or send stored confirmations are performed one after another in
/// the order made, so that the latest token is registered last.
public actor PushClient {
  /// The current settings.
  public private(set) var settings: ClientSettings
  let transport: any Transport & Sendable
  let state: ClientState
  let outbox: Outbox
  let now: @Sendable () -> Date
  private(set) var log = ClientLog.off
  /// The last of the calls that must be performed in order; nil if there was none.
  private var last: Task<Void, Never>?
  /// The user that the server has refused for lack of a proof, since this process started.
  var refusedUser: String?
  /// The period in which the server has asked not to be called (Retry-After); nil if none.
  private var rest: (from: Date, until: Date)?
  /// Called after each step of sending the outbox; for tests.
  let onSending: @Sendable (SendingStep) -> Void

  /// Creates a client.
  /// - Parameters:
  ///   - transport: sends requests to the server.
  ///   - keys: key store; must be the same for the app and its extension.
  ///   - now: returns the current time; tests replace it.
  public init(
    _ settings: ClientSettings, transport: any Transport & Sendable, keys: any KeyStore,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.init(settings, transport: transport, keys: keys, now: now, onStep: { _ in })
  }

  /// Creates a client whose steps tests can observe.
  /// - Parameter onStep: called after each step of writing an outbox file; tests end the process there.
  package init(
    _ settings: ClientSettings, transport: any Transport & Sendable, keys: any KeyStore,
    now: @escaping @Sendable () -> Date, onStep: @escaping @Sendable (DurableFile.Step) -> Void,
    onSending: @escaping @Sendable (SendingStep) -> Void = { _ in }
  ) {
    self.settings = settings
    self.transport = transport
    self.now = now
    self.onSending = onSending
    state = ClientState(keys: keys)
    outbox = Outbox(directory: settings.directory, onStep: onStep)
  }

  /// Replaces the log.
  public func use(_ log: ClientLog) {
    self.log = log
  }

  /// Switches to another server, for test builds for example. The registration with the previous server is ignored from
  /// now on.
  public func change(_ server: ServerAddress) {
    settings.server = server
  }

  /// Sets the attributes that the device reports from now on.
  public func use(_ attributes: DeviceAttributes) {
    settings.attributes = attributes
  }

  /// Sets the APNs environment that issues the device tokens.
  public func use(_ environment: TokenEnvironment) {
    settings.environment = environment
  }

  // MARK: The registration

  /// Returns the registration with the current server and app; nil if there is none.
  func registration() throws(ClientError) -> StoredRegistration? {
    guard let known = try state.registration(), known.server == settings.server, known.appID == settings.appID else {
      return nil
    }
    return known
  }

  /// The registration stored on this device; nil if there is none.
  public var known: DeviceRegistration? {
    guard let stored = try? registration() else { return nil }
    return DeviceRegistration(stored, badge: nil)
  }

  func demandRegistration() throws(ClientError) -> StoredRegistration {
    guard let known = try registration() else { throw .notRegistered }
    return known
  }

  // MARK: Calls

  /// Runs a call that changes the registration or sends the outbox, after all earlier ones have ended.
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

  /// Sends a request, and repeats it once if the answer is lost. All requests are idempotent.
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

  /// Sends a request about this device, authenticated by the device's key.
  func deviceCall(
    _ method: String, _ path: String, _ body: [UInt8]? = nil, of known: StoredRegistration
  ) async throws(ClientError) -> WireAnswer {
    var request = WireRequest(method, "/v1/devices/\(known.device)\(path)", at: settings.server.base)
    request.bearer = known.authKey
    request.body = body
    return try await call(request)
  }

  // MARK: Retry-After

  /// Seconds until the server may be called again; nil if it may be called now.
  var restSeconds: Double? {
    let now = now()
    // Setting the clock back ends the waiting period.
    guard let rest, rest.from <= now, now < rest.until else { return nil }
    return rest.until.timeIntervalSince(now)
  }

  func rest(seconds: Int?) {
    guard let seconds, seconds > 0 else { return }
    let now = now()
    rest = (now, now.addingTimeInterval(Double(min(seconds, ClientLimits.longestRestSeconds))))
  }
}

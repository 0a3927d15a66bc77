#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The client of a UPMC server on one device. Create one per process: one in the app and one in its extension, with the
/// same key store and directory.
///
/// Every call is idempotent. If its answer is lost, it is repeated once; receipts and reads stay stored instead, and
/// are sent again later. Calls that change the registration or send stored confirmations are performed one after
/// another in the order made, so that the latest token is registered last. All other calls run concurrently.
public actor PushClient {
  /// The current settings.
  public private(set) var settings: ClientSettings
  let transport: any Transport & Sendable
  let state: ClientState
  let outbox: Outbox
  let now: @Sendable () -> Date
  private(set) var log = ClientLog.off
  /// Shows the user's count; nil if the app has set no closure with `use(badges:)`.
  private(set) var showsBadge: (@Sendable (Int) -> Void)?
  /// A task that ends together with the latest call made with `inOrder`; nil before the first.
  private var last: Task<Void, Never>?
  /// The CUID of the user that the server has refused for lack of a proof, since this process started; nil if none, or
  /// if a later registration or change of user has succeeded.
  var refusedUser: String?
  /// The last period in which the server has asked not to be sent confirmations (Retry-After), possibly over; nil if
  /// none.
  private var rest: (from: Date, until: Date)?
  /// The confirmations whose results calls of `confirm` wait for, by the names of their files.
  var awaited: [String: AwaitedConfirmation] = [:]
  /// Called after each step of sending the outbox; for tests.
  let onSending: @Sendable (SendingStep) -> Void

  /// Creates a client. Neither reads stored values nor calls the server.
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
  /// - Parameters:
  ///   - onStep: called after each step of writing an outbox file; tests end the process there.
  ///   - onSending: called after each step of sending the outbox.
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

  /// Replaces the log, which is off by default.
  public func use(_ log: ClientLog) {
    self.log = log
  }

  /// Sets the closure that shows the user's count, for example on the app's icon. It is called with the count, which is
  /// then asked for, whenever the server has recorded stored reads that no call of `read` waits for any more.
  /// - Parameter show: called on any thread.
  public func use(badges show: @escaping @Sendable (Int) -> Void) {
    showsBadge = show
  }

  /// Switches to another server, for test builds for example. The registration with the previous server is ignored
  /// while the other is selected, and replaced when the device registers there. Stored receipts and reads are sent to
  /// the new server, which refuses them, so that they are lost.
  public func change(_ server: ServerAddress) {
    settings.server = server
  }

  /// Sets the attributes that the device reports with its next registration.
  public func use(_ attributes: DeviceAttributes) {
    settings.attributes = attributes
  }

  /// Sets the APNs environment that issues the device tokens, from the next registration on.
  public func use(_ environment: TokenEnvironment) {
    settings.environment = environment
  }

  // MARK: The registration

  /// Returns the stored registration; nil if there is none with the current server and app, or if it cannot be decoded.
  /// Throws `.keyStore` if it cannot be read.
  func registration() throws(ClientError) -> StoredRegistration? {
    guard let known = try state.registration(), known.server == settings.server, known.appID == settings.appID else {
      return nil
    }
    return known
  }

  /// The registration with the current server and app that is stored on this device; nil if there is none, if the app
  /// has ended it, or if the key store cannot be read.
  public var known: DeviceRegistration? {
    guard let stored = try? demandRegistration() else { return nil }
    return DeviceRegistration(stored, badge: nil)
  }

  func demandRegistration() throws(ClientError) -> StoredRegistration {
    guard let known = try registration(), known.leaves != .service else { throw .notRegistered }
    return known
  }

  // MARK: Calls

  /// Runs a call that changes the registration or sends the outbox, after all earlier ones have ended, successfully or
  /// not. Must not be called from within `body`, which would wait for itself.
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

  /// Sends a request, and repeats it once if the answer is lost; all requests are idempotent. Returns the answer
  /// whatever its status. Throws `.noAnswer` if both attempts fail.
  /// - Parameter seconds: timeout of each attempt; nil for that of the settings.
  func call(_ request: WireRequest, seconds: Double? = nil) async throws(ClientError) -> WireAnswer {
    var request = request
    request.seconds = seconds ?? settings.callSeconds
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

  /// Sends a request about this device, authenticated by the device's key, like `call`.
  /// - Parameter path: the part of the path after the device's id, with a leading slash, and the query; may be empty.
  func deviceCall(
    _ method: String, _ path: String, _ body: [UInt8]? = nil, of known: StoredRegistration
  ) async throws(ClientError) -> WireAnswer {
    var request = WireRequest(method, "/v1/devices/\(known.device)\(path)", at: settings.server.base)
    request.bearer = known.authKey
    request.body = body
    return try await call(request)
  }

  // MARK: Retry-After

  /// Seconds until confirmations may be sent to the server again; nil if they may be sent now.
  var restSeconds: Double? {
    let now = now()
    // Setting the clock back ends the waiting period.
    guard let rest, rest.from <= now, now < rest.until else { return nil }
    return rest.until.timeIntervalSince(now)
  }

  /// Starts a period in which no confirmations are sent. No effect for nil and 0.
  func rest(seconds: Int?) {
    guard let seconds, seconds > 0 else { return }
    let now = now()
    rest = (now, now.addingTimeInterval(Double(seconds)))
  }
}

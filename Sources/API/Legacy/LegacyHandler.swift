internal import Domain
internal import HTTPServer
internal import Operations
internal import Reactor
internal import Time

/// Handles calls of apps built with the existing SDK, and of servers that speak its protocol: forms posted to
/// `/<context>/<controller>.ctl`. Such an app needs only its host name changed.
///
/// ```
///   bytes ──► Form (urlencoded or multipart) ──► Controller, by name ──► authentication
///                                                                         │ a device: AUTHKEY, or a message's pushkey
///                                                                         │ a server: its address, or an API key
///                                                                         ▼
///   {"HEADER":{RESULT_CODE…},"BODY":…} ◄── answer ◄── Operation through the loop's committer (device calls, sends to
///                                                     named users) or on an admin thread (everything else)
/// ```
///
/// **No rules of its own.** Each controller turns a form into an operation that `/v1` and `/v1/admin` use too, and its
/// answer or problem into the envelope; `Operations` decides what may be done and what it does.
///
/// **Keys.** `asking_authorization` issues a key for (app, PSID) and, once registered, the device; every later call
/// brings it. 40100: the key is missing, older than half an hour, not ours, or another device's; on that code alone the
/// client requests a new key and repeats its call once. 40300: the call is about a user that the device does not belong
/// to. Keys can be switched off, as in the original.
///
/// **Answers** have HTTP 200 even when the result code is an error, because the SDK reads the code; only what is not a
/// call at all (404, 405) and what should be retried elsewhere (503) has another status.
///
/// **Failure.** Malformed input is refused before any lookup, with the field's name and the fault.
///
/// Decision 104.
final class LegacyHandler: RequestHandler {
  let committer: Committer
  let threads: AdminThreads
  /// The URLs of hosted pages and media.
  let hosting: ContentHosting
  /// Called on any thread when a message has been stored.
  let messageCommitted: @Sendable () -> Void
  let sends = SendLog()
  let catalog: Catalog
  let keys: SigningKeys
  let configuration: LegacyConfiguration
  let loop: EventLoop
  private let timeout: UnknownKeyDelay

  init(
    committer: Committer, threads: AdminThreads, hosting: ContentHosting, catalog: Catalog, keys: SigningKeys,
    configuration: LegacyConfiguration, loop: EventLoop, messageCommitted: @escaping @Sendable () -> Void
  ) {
    self.committer = committer
    self.threads = threads
    self.hosting = hosting
    self.messageCommitted = messageCommitted
    self.catalog = catalog
    self.keys = keys
    self.configuration = configuration
    self.loop = loop
    timeout = UnknownKeyDelay(catalog: catalog, loop: loop)
  }

  /// Returns whether the path ends in `.ctl` and is not below `/v1/`.
  static func isLegacyPath(_ request: Request) -> Bool {
    request.withPath { path in
      let count = path.count
      return count > 5 && path[count - 4] == UInt8(ascii: ".") && path[count - 3] == UInt8(ascii: "c")
        && path[count - 2] == UInt8(ascii: "t") && path[count - 1] == UInt8(ascii: "l")
        && !(path[1] == UInt8(ascii: "v") && path[2] == UInt8(ascii: "1") && path[3] == UInt8(ascii: "/"))
    }
  }

  func handle(_ request: Request, _ responder: Responder) {
    let (context, service) = Self.split(request.path)
    guard let controller = controller(context, service) else {
      let text = "There is no controller here of this name, or it stands behind another path."
      return responder.send(
        Envelope.refusal(LegacyRefusal(.serverError, text, status: 404), service: "", isSend: false))
    }
    guard request.method == .post else {
      var response = Envelope.refusal(
        LegacyRefusal(.serverError, "Post the parameters as a form.", status: 405), service: service, isSend: false)
      response.headers.append(("Allow", "POST"))
      return responder.send(response)
    }
    request.follows(request.path)
    let isTrusted = controller.isForServers && configuration.trustedSenders.includes(request.clientAddress)
    do throws(LegacyRefusal) {
      if controller.isForServers, request.bodyCount > LegacyLimits.loopFormBytes {
        return try sendLarge(controller, request, responder, isTrusted: isTrusted)
      }
      // Client logs are discarded, so they are not parsed.
      let form =
        service == "putAppLog.ctl"
        ? Form() : try Form(request.bodyBytes, contentType: request.header("content-type"))
      let call = LegacyCall(
        service: service, form: form,
        responder: responder, isSend: controller.isForServers, bearer: Self.bearer(request),
        idempotencyKey: request.header("idempotency-key"), isTrustedAddress: isTrusted,
        origin: request.countedAddress, address: request.clientAddress, number: request.number,
        trace: request.trace)
      run(controller, call)
    } catch {
      responder.send(Envelope.refusal(error, service: service, isSend: controller.isForServers))
    }
  }

  private func run(_ controller: Controller, _ call: LegacyCall) {
    do throws(LegacyRefusal) {
      try controller.handler(self)(call)
    } catch {
      call.refuse(error)
    }
  }

  /// Returns the largest body that the request may have. Servers identified by address or bearer key may send large
  /// ones. A server whose key is a form field is not identified yet; it gets the standard limit for calls that accept
  /// long forms. The same limit applies to logs, which are not parsed; all other forms are small.
  func bodyLimit(for request: Request, standard: Int) -> Int {
    let (context, service) = Self.split(request.path)
    guard let controller = controller(context, service), controller.takesLongForms else {
      return service == "putAppLog.ctl" ? standard : min(standard, LegacyLimits.loopFormBytes)
    }
    guard mayBeServer(request) else { return standard }
    return service == "rcv_register_csvmessage.ctl" ? LegacyLimits.uploadBytes : LegacyLimits.sendBytes
  }

  /// Returns whether the caller is identified as a server before the form is read. A key inside the form is not known
  /// yet.
  private func mayBeServer(_ request: Request) -> Bool {
    configuration.trustedSenders.includes(request.clientAddress)
      || Self.bearer(request).flatMap(catalog.caller(apiKey:)) != nil
  }

  // MARK: Paths

  /// Splits a path: `/upmc/rcv_get_service.ctl` gives `/upmc` and `rcv_get_service.ctl`.
  private static func split(_ path: String) -> (context: String, service: String) {
    guard let slash = path.lastIndex(of: "/") else { return ("", path) }
    return (String(path[..<slash]), String(path[path.index(after: slash)...]))
  }

  private func controller(_ context: String, _ service: String) -> Controller? {
    if let contexts = configuration.contexts, !contexts.contains(context) { return nil }
    return Controller.byName[String(service.dropLast(4))]
  }

  static func bearer(_ request: Request) -> String? {
    guard let header = request.header("authorization"), header.utf8.count > 7,
      header.prefix(7).lowercased() == "bearer "
    else { return nil }
    return String(header.dropFirst(7))
  }

  // MARK: Shared by controllers

  /// Calls `body` with the app that the call names. If the app is unknown, it may be new, so this waits until the
  /// catalog has been reloaded.
  func withApp(_ call: LegacyCall, _ body: @escaping (App) throws(LegacyRefusal) -> Void) throws(LegacyRefusal) {
    let appID = try call.form.required("APP_ID", upTo: Domain.Limits.appIDBytes)
    if let app = catalog.app(id: appID) { return try body(app) }
    let handler = self
    let proceed = {
      do throws(LegacyRefusal) {
        guard let app = handler.catalog.app(id: appID) else {
          throw LegacyRefusal(
            .appDeleted, "There is no app \(appID). Make it with `upmc app create`, or correct APP_ID.")
        }
        try body(app)
      } catch {
        call.refuse(error)
      }
    }
    guard timeout.wait(proceed) else {
      throw LegacyRefusal(Problem(.busy, "Too many requests name apps that are not known. Try again in a moment."))
    }
  }

  /// Runs an operation. Passes its answer to `answer`, or answers the call with its problem.
  func perform(_ operation: Operation, _ call: LegacyCall, _ answer: @escaping (OperationAnswer) -> Void) {
    committer.submit(operation, trace: call.responder.span) { outcome in
      switch outcome {
      case .success(let value): answer(value)
      case .failure(let problem): call.refuse(LegacyRefusal(problem))
      }
    }
  }
}

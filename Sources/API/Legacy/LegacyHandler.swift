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
/// **No business rules.** Each controller turns a form into an operation that `/v1` and `/v1/admin` use too, and the
/// operation's answer or problem into the envelope. `Operations` decides what is permitted and what happens.
///
/// **Keys.** `asking_authorization` issues a key for the app, the PSID and, if registered, the device; registrations
/// answer with a new key. Every later device call needs a key, except a confirmation with a pushkey and calls without
/// an effect. 40100: the key is missing, older than half an hour, not ours, or another device's; only on this code does
/// the client request a new key and repeat its call once. 40300: the call names a user that is not the device's. Keys
/// can be switched off for apps with identity mode `open`, as in the original server.
///
/// **Answers** have HTTP 200 even when the result code is an error, because the SDK reads the code. Other statuses: 404
/// and 405 for a request that is no call, 403 for an app that this protocol cannot serve, 503 for a call to retry.
///
/// **Failure.** A malformed form is refused before any lookup, with the field's name and the fault.
///
/// Decision 104.
final class LegacyHandler: RequestHandler {
  let committer: Committer
  let threads: AdminThreads
  /// The URLs of hosted pages and media.
  let hosting: ContentHosting
  /// Called on an admin thread after it has stored a message. Not called for sends through the committer.
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

  /// Returns whether the path ends in `.ctl`, is not below `/v1/`, and has more than five bytes.
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

  /// Returns the maximum size of the request's body in bytes:
  /// - for a call that accepts long forms, `LegacyLimits.uploadBytes` (file) or `sendBytes` if the server is identified
  ///   by its address or bearer key, and otherwise `standard`, because a key inside the form is not known yet;
  /// - for logs, which are not parsed, `standard`;
  /// - for all other requests, `standard` or `LegacyLimits.loopFormBytes`, whichever is less.
  func bodyLimit(for request: Request, standard: Int) -> Int {
    let (context, service) = Self.split(request.path)
    guard let controller = controller(context, service), controller.takesLongForms else {
      return service == "putAppLog.ctl" ? standard : min(standard, LegacyLimits.loopFormBytes)
    }
    guard mayBeServer(request) else { return standard }
    return service == "rcv_register_csvmessage.ctl" ? LegacyLimits.uploadBytes : LegacyLimits.sendBytes
  }

  /// Returns whether the caller is identified as a server before the form is read: by a trusted address, or by a bearer
  /// key in the catalog.
  private func mayBeServer(_ request: Request) -> Bool {
    configuration.trustedSenders.includes(request.clientAddress)
      || Self.bearer(request).flatMap(catalog.caller(apiKey:)) != nil
  }

  // MARK: Paths

  /// Splits a path at its last slash: `/upmc/rcv_get_service.ctl` into `/upmc` and `rcv_get_service.ctl`.
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

  /// Calls `body` with the app that the call names. If the app is unknown, it may be new: `body` is then called after
  /// the catalog has been reloaded, or the call is refused with `.appDeleted` if the app is still unknown. Refusals
  /// after a reload, including those of `body`, are sent as the answer.
  /// - Throws: if APP_ID is missing, if too many calls wait for a reload, or what `body` throws for a known app.
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

  /// Submits an operation and returns at once. When it is committed, passes its answer to `answer`, which must answer
  /// the call; if it fails, refuses the call with its problem.
  func perform(_ operation: Operation, _ call: LegacyCall, _ answer: @escaping (OperationAnswer) -> Void) {
    committer.submit(operation, trace: call.responder.span) { outcome in
      switch outcome {
      case .success(let value): answer(value)
      case .failure(let problem): call.refuse(LegacyRefusal(problem))
      }
    }
  }
}

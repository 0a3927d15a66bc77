internal import FoundationEssentials
internal import HTTPServer
internal import Reactor
internal import Time

/// The control API: HTTP/1.1 and JSON. It runs on the service's own event loop, so a request never sees a partial
/// change.
///
/// | request | effect |
/// | --- | --- |
/// | `GET /counters` | returns the counters |
/// | `GET /deliveries?token=T` · `?apnsId=I` · `?after=N&limit=M` | pushes to a token · with an id · all, in order |
/// | `GET /shown?token=T` | returns what the device shows: only the newest push of each collapse id |
/// | `GET`, `POST`, `DELETE /faults` | lists the active faults · adds one · removes one (`?id=`) or all |
/// | `POST /tokens` · `POST /keys` | registers device tokens · registers a provider's signing key |
/// | `GET /deliveries?registration=R` · `POST /registrations` | messages to an FCM registration · registers some |
/// | `GET /channels` · `POST /channels/followers?channel=C&count=N` | broadcast channels · adds N followers to one |
/// | `DELETE /connections?form=F` | closes all connections at once: `reset`, `fin`, `half-open` |
/// | `POST /outage?milliseconds=N` | closes all connections and accepts none for this time |
/// | `POST /reset` | clears what was recorded and removes all faults |
/// | `GET /ca.pem` · `GET /key.p8` · `GET /service-account.json` | CA certificate · signing key · FCM service account |
/// | `POST /token` · `POST /v1/projects/P/messages:send` | Google's APIs over HTTP/1.1 (`PlainFCM`) |
///
/// Errors are `{"error": …}` with status 400, 404 or 405.
final class ControlAPI: RequestHandler {
  private let service: Service
  private let authorityPEM: String
  private let privateKeyPEM: String
  private let account: ServiceAccountFile
  private let encoder = JSONEncoder()
  private let decoder = JSONDecoder()

  /// The result of a request: a response or an error.
  private enum Outcome: Error {
    case json(any Encodable & Sendable)
    case text(String)
    case done
    case bad(String)
    case notFound
    case notAllowed(String)
  }

  init(service: Service, authorityPEM: String, privateKeyPEM: String, account: ServiceAccountFile) {
    self.service = service
    self.authorityPEM = authorityPEM
    self.privateKeyPEM = privateKeyPEM
    self.account = account
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  }

  func handle(_ request: Request, _ responder: Responder) {
    // Paths of Google's API, for clients that use HTTP/1.1.
    if let google = PlainFCM(simulated: service.simulated).response(to: request) { return responder.send(google) }
    responder.send(response(to: outcome(of: request)))
  }

  private func outcome(of request: Request) -> Outcome {
    switch (request.method, request.path) {
    case (.get, "/counters"): .json(service.snapshot())
    case (.get, "/deliveries"): deliveries(request)
    case (.get, "/shown"): shown(request)
    case (.get, "/channels"): .json(service.simulated.knowledge.channels.reports)
    case (.post, "/channels/followers"): follow(request)
    case (.get, "/faults"): .json(service.simulated.faults.all.map(FaultDocument.init))
    case (.post, "/faults"): addFault(request)
    case (.delete, "/faults"): removeFaults(request)
    case (.post, "/tokens"): registerTokens(request)
    case (.post, "/keys"): registerKey(request)
    case (.delete, "/connections"): cutConnections(request)
    case (.post, "/outage"): goAway(request)
    case (.post, "/reset"): reset()
    case (.get, "/ca.pem"): .text(authorityPEM)
    case (.get, "/key.p8"): .text(privateKeyPEM)
    case (.get, "/service-account.json"): .text(account.json(tokenURI: "http://\(request.header("host") ?? "")/token"))
    case (.post, "/registrations"): registerRegistrations(request)
    case (_, "/faults"): .notAllowed("GET, POST, DELETE")
    case (_, "/counters"), (_, "/deliveries"), (_, "/shown"), (_, "/ca.pem"), (_, "/key.p8"),
      (_, "/service-account.json"):
      .notAllowed("GET")
    case (_, "/connections"): .notAllowed("DELETE")
    case (_, "/tokens"), (_, "/keys"), (_, "/reset"), (_, "/outage"), (_, "/registrations"):
      .notAllowed("POST")
    default: .notFound
    }
  }

  private func response(to outcome: Outcome) -> Response {
    switch outcome {
    case .json(let document): json(.ok, document)
    case .text(let text): Response(status: .ok, contentType: "application/x-pem-file", body: text)
    case .done: Response(status: .noContent)
    case .bad(let reason): json(.badRequest, ["error": reason])
    case .notFound: json(.notFound, ["error": "no such call; see upmc-simulator --help"])
    case .notAllowed(let methods):
      Response(
        status: .methodNotAllowed, headers: [("Allow", methods), ("Content-Type", "application/json")],
        body: Array(#"{"error":"only \#(methods)"}"#.utf8))
    }
  }

  private func json(_ status: Status, _ document: any Encodable) -> Response {
    // Encoding our own types never fails.
    let body = (try? encoder.encode(document)).map { [UInt8]($0) } ?? []
    return Response(status: status, headers: [("Content-Type", "application/json")], body: body)
  }

  // MARK: Calls

  private func deliveries(_ request: Request) -> Outcome {
    let log = service.simulated.log
    if let name = request.queryItem("registration") {
      let fcm = service.simulated.fcm
      let found = fcm.registrations.number(of: name).map { fcm.log.deliveries(of: $0) } ?? []
      return .json(DeliveryList(deliveries: found.map { document($0, token: name) }, next: nil))
    }
    if let text = request.queryItem("token") {
      guard let token = DeviceToken(text) else { return .bad("token is not hexadecimal") }
      let found = service.simulated.knowledge.tokens.index(of: token).map { log.deliveries(of: $0) } ?? []
      return list(found)
    }
    if let text = request.queryItem("apnsId") {
      let bytes = Array(text.utf8)
      guard let id = MessageID(bytes.span) else { return .bad("apnsId is not a UUID") }
      return list(log.deliveries(with: id))
    }
    guard let after = Int(request.queryItem("after") ?? "0"), after >= 0,
      let limit = Int(request.queryItem("limit") ?? "1000"), limit >= 1
    else { return .bad("after and limit are numbers") }
    let end = min(log.count, after.addingReportingOverflow(min(limit, Limits.controlPage)).partialValue)
    let found = (min(max(after, log.firstKept), end)..<end).map { document(log.delivery($0)) }
    return .json(DeliveryList(deliveries: found, next: end < log.count ? end : nil))
  }

  private func follow(_ request: Request) -> Outcome {
    guard let channel = request.queryItem("channel"), let count = Int(request.queryItem("count") ?? "1"),
      (1...Limits.followersAtOnce).contains(count)
    else { return .bad("channel and count (1 to \(Limits.followersAtOnce)) are needed") }
    for environment in Environment.allCases
    where service.simulated.knowledge.channels.follow(channel, environment, count: count) {
      return .done
    }
    return .notFound
  }

  private func shown(_ request: Request) -> Outcome {
    guard let token = request.queryItem("token").flatMap({ DeviceToken($0) }) else {
      return .bad("token is not hexadecimal")
    }
    return list(service.simulated.knowledge.tokens.index(of: token).map { service.simulated.log.shown(on: $0) } ?? [])
  }

  private func list(_ deliveries: [DeliveryLog.Delivery]) -> Outcome {
    .json(DeliveryList(deliveries: deliveries.map { document($0) }, next: nil))
  }

  private func document(_ delivery: DeliveryLog.Delivery) -> DeliveryDocument {
    document(delivery, token: service.simulated.knowledge.tokens.token(at: delivery.token).description)
  }

  private func document(_ delivery: DeliveryLog.Delivery, token: String) -> DeliveryDocument {
    DeliveryDocument(
      token: token, apnsId: delivery.id.description,
      collapseId: delivery.collapseID.map { String(decoding: $0, as: UTF8.self) },
      badge: delivery.badge, payload: delivery.payload.map { String(decoding: $0, as: UTF8.self) },
      topic: delivery.headers?.topic, pushType: delivery.headers?.pushType, priority: delivery.headers?.priority,
      expiration: delivery.headers?.expiration, atMicroseconds: delivery.atMicroseconds)
  }

  private func addFault(_ request: Request) -> Outcome {
    do {
      let fault: Fault = try decode(request)
      let id = try service.simulated.faults.add(fault, now: service.simulated.loop.clock.now)
      return .json(FaultDocument(id: id, fault: fault, applied: 0))
    } catch let outcome as Outcome {
      return outcome
    } catch {
      return .bad(String(describing: error))
    }
  }

  private func removeFaults(_ request: Request) -> Outcome {
    guard let text = request.queryItem("id") else {
      service.simulated.faults.removeAll()
      return .done
    }
    guard let id = Int(text) else { return .bad("id is a number") }
    return service.simulated.faults.remove(id) ? .done : .notFound
  }

  private func cutConnections(_ request: Request) -> Outcome {
    guard let way = Effect.Cut(rawValue: request.queryItem("form") ?? "reset") else {
      return .bad("form must be one of \(Effect.Cut.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    service.cutConnections(way)
    return .done
  }

  private func goAway(_ request: Request) -> Outcome {
    guard let milliseconds = Int(request.queryItem("milliseconds") ?? "1000"), milliseconds >= 0 else {
      return .bad("milliseconds is a number")
    }
    service.goAway(for: .milliseconds(milliseconds))
    return .done
  }

  private func registerTokens(_ request: Request) -> Outcome {
    do {
      let documents: [TokenDocument] = try decode(request)
      let tokens = try documents.map { document throws(Outcome) in
        guard let token = DeviceToken(document.token) else { throw .bad("\(document.token) is not a device token") }
        return token
      }
      for (token, document) in zip(tokens, documents) {
        let now = service.simulated.loop.clock.wallTime.milliseconds
        service.simulated.knowledge.tokens.register(
          token, environment: document.environment ?? .production, topic: document.topic,
          state: document.registryState(nowMilliseconds: now))
      }
      return .done
    } catch {
      return error
    }
  }

  private func registerRegistrations(_ request: Request) -> Outcome {
    do {
      let documents: [RegistrationDocument] = try decode(request)
      for document in documents {
        service.simulated.fcm.registrations.register(document.name, state: document.state ?? .active)
      }
      return .done
    } catch {
      return error
    }
  }

  private func registerKey(_ request: Request) -> Outcome {
    do {
      let document: KeyDocument = try decode(request)
      service.simulated.knowledge.keys.register(try document.key())
      return .done
    } catch let outcome as Outcome {
      return outcome
    } catch {
      return .bad(String(describing: error))
    }
  }

  private func reset() -> Outcome {
    service.simulated.reset()
    return .done
  }

  private func decode<Document: Decodable>(_ request: Request) throws(Outcome) -> Document {
    let body = request.withBody { ASCII.array($0) }
    do {
      return try decoder.decode(Document.self, from: Data(body))
    } catch let error as DecodingError {
      throw .bad(Self.words(error))
    } catch {
      throw .bad("the body is not JSON")
    }
  }

  private static func words(_ error: DecodingError) -> String {
    let context: DecodingError.Context
    switch error {
    case .keyNotFound(let key, _): return "\(key.stringValue) is missing"
    case .typeMismatch(_, let found), .valueNotFound(_, let found), .dataCorrupted(let found): context = found
    @unknown default: return "the body is not what this call takes"
    }
    let path = context.codingPath.map(\.stringValue).joined(separator: ".")
    return path.isEmpty ? context.debugDescription : "\(path): \(context.debugDescription)"
  }
}

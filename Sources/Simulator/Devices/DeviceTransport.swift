internal import HTTPClient
internal import Reactor
internal import UPMCClient

/// Sends the client's requests on the virtual devices' own event loop.
final class DeviceTransport: Transport {
  private let client: HTTPClient

  init(_ plan: DevicePlan, loop: EventLoop) throws {
    guard let origin = try HTTPOrigin.parse(plan.server) else {
      throw SimulatorStartFailure(description: "the server is http://host:port, not \(plan.server)")
    }
    var configuration = HTTPClient.Configuration()
    configuration.connections = plan.connections
    configuration.timeout = Limits.call
    client = HTTPClient(origin, loop: loop, configuration: configuration)
  }

  /// Sends a request. Calls `completion` once, on the loop's thread, with the response or the reason why there is none.
  func send(_ request: WireRequest, _ completion: @escaping (Result<WireAnswer, NoAnswer>) -> Void) {
    client.send(.json(request.method, request.path, bearer: request.bearer, body: request.body ?? [])) { result in
      switch result {
      case .success(let response):
        completion(
          .success(
            WireAnswer(
              status: response.status, retryAfterSeconds: response.header("retry-after").flatMap { Int($0) },
              contentType: response.header("content-type"), body: response.body)))
      case .failure(let error): completion(.failure(NoAnswer(error.description)))
      }
    }
  }
}

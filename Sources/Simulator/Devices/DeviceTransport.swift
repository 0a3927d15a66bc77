internal import HTTPClient
internal import Reactor

/// The way of the virtual devices to the server.
final class DeviceTransport {
  enum Outcome {
    case answered(status: Int, retryAfterSeconds: Int?, body: [UInt8])
    /// No answer: the server is away, or went away, or took too long. It may have done what was asked.
    case lost(String)
  }

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

  /// - Parameter key: for `Authorization: Bearer`; nil where the body proves itself.
  func post(_ path: String, key: String?, _ body: [UInt8], _ completion: @escaping (Outcome) -> Void) {
    client.send(.json("POST", path, bearer: key, body: body)) { result in
      switch result {
      case .success(let response):
        let seconds = response.header("retry-after").flatMap { Int($0) }
        completion(.answered(status: response.status, retryAfterSeconds: seconds, body: response.body))
      case .failure(let error):
        completion(.lost(error.description))
      }
    }
  }
}

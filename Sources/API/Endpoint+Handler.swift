internal import Domain
internal import HTTPServer
internal import Operations

/// Callers, cost and handler of an endpoint.
extension Endpoint {
  enum Access: Sendable {
    /// No credential is needed.
    case open
    /// The client key inside the app, or the authKey of the device that registers again.
    case clientKey
    /// The authKey of the device in the path.
    case authKey
    /// An API key or a console session, also one that still has to set up its second factor.
    case caller
    /// An API key or a console session whose role has the permission.
    case permission(Permission)

    /// Permission that the caller's role must have; nil if none is required.
    var permission: Permission? {
      switch self {
      // Every role may.
      case .caller: .viewMessages
      case .permission(let permission): permission
      case .open, .clientKey, .authKey: nil
      }
    }

    /// Whether the caller has to authenticate.
    var needsKey: Bool { if case .open = self { false } else { true } }

    /// Whether an API key or a console session is required.
    var needsCaller: Bool {
      switch self {
      case .caller, .permission: true
      case .open, .clientKey, .authKey: false
      }
    }
  }

  /// Thread time that an endpoint inherently takes.
  enum Load: Sendable {
    case light
    /// Takes time in proportion to the number of people, deliveries or entries, or has a long body. Pausing a message
    /// and revoking a key are never heavy, so that they are not delayed.
    case heavy
    /// Hashes a password, which takes a tenth of a second and 32 MiB of memory. A separate thread does this.
    case password
    /// Asks the identity provider, which may take seconds: it has its own thread.
    case provider
  }

  enum Handler: Sendable {
    /// Runs on the HTTP loop; answered when its operation is committed.
    case device(
      @Sendable (DeviceHandler) -> (Request, PathParameters, QueryParameters, Responder) throws(Problem) -> Void)
    /// Runs on an admin thread, which also answers.
    case whole(@Sendable (AdminCall) -> () throws(Problem) -> Response)
    /// Checked by an admin thread; the answer is then streamed by `AdminStreams`.
    case pieces(StreamSource.Kind, @Sendable (AdminCall) -> () throws(Problem) -> StreamSource)
    /// A call of the existing SDK's protocol, on the HTTP loop or on an admin thread.
    case controller(Controller)
    /// Answered by another part of the server, not through the routers.
    case own

    /// Returns the handler of a device endpoint without query items.
    static func device(
      _ endpoint: @escaping @Sendable (DeviceHandler) -> (Request, PathParameters, Responder) throws(Problem) -> Void
    ) -> Handler {
      .device { handler in
        { (request, parameters, _, responder) throws(Problem) in try endpoint(handler)(request, parameters, responder) }
      }
    }
  }
}

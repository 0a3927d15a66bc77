internal import Domain
internal import HTTPServer
internal import Operations

/// Callers, cost and handler of an endpoint.
extension Endpoint {
  enum Access: Sendable {
    /// No credential is needed.
    case open
    /// The app's client key, or the authKey of a known device that registers again.
    case clientKey
    /// The authKey of the device in the path.
    case authKey
    /// An API key or a console session, of any role. The session's account may still lack a second factor that its role
    /// requires.
    case caller
    /// An API key or a console session whose role has the permission. The session's account must have the second factor
    /// that its role requires, if any.
    case permission(Permission)

    /// Permission whose roles the description lists; nil for endpoints that need neither an API key nor a session. For
    /// `.caller` it is `.viewMessages`, which every role has.
    var permission: Permission? {
      switch self {
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

  /// How long a request occupies its thread. This determines its queue, and how many such requests run at a time.
  enum Load: Sendable {
    case light
    /// Takes time in proportion to the number of people, deliveries or entries, has a long body, or waits for Apple.
    /// All heavy requests together leave one thread free if there are several. Urgent calls, such as pausing a
    /// message, must not be heavy.
    case heavy
    /// Hashes a password, which takes about a tenth of a second and 32 MiB of memory, or checks a code of a second
    /// factor. Runs on the thread `passwords`.
    case password
    /// Calls the identity provider, which may take seconds to answer. Runs on the thread `provider`.
    case provider
  }

  enum Handler: Sendable {
    /// Runs on the HTTP loop. It answers through the responder when its operation is committed; if it throws, the
    /// caller answers with the problem.
    case device(
      @Sendable (DeviceHandler) -> (Request, PathParameters, QueryParameters, Responder) throws(Problem) -> Void)
    /// Runs on an admin thread, which also answers.
    case whole(@Sendable (AdminCall) -> () throws(Problem) -> Response)
    /// Runs on an admin thread and returns a `StreamSource`, whose content `AdminStreams` then sends.
    case pieces(StreamSource.Kind, @Sendable (AdminCall) -> () throws(Problem) -> StreamSource)
    /// A call of the existing SDK's protocol, on the HTTP loop or on an admin thread.
    case controller(Controller)
    /// Answered by a handler that recognizes its own paths, such as `HealthHandler`; no router contains the endpoint.
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

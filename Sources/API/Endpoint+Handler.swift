internal import Domain
internal import HTTPServer
internal import Operations

/// Who may call an endpoint, what it costs, and what carries it out.
extension Endpoint {
  enum Access: Sendable {
    /// Nobody has to prove anything first.
    case open
    /// The client key inside the app, or the authKey of the device that registers again.
    case clientKey
    /// The authKey of the device in the path.
    case authKey
    /// An API key or a console session with a role that has it.
    case permission(Permission)
  }

  /// How much of a thread's time it takes by its nature.
  enum Load: Sendable {
    case light
    /// What grows with the number of people, deliveries or entries; and whatever brings a long body. Pausing a message and
    /// revoking a key are not among it.
    case heavy
    /// It hashes a password, a tenth of a second and 32 MiB: a thread of its own does that.
    case password
  }

  enum Handler: Sendable {
    /// On the HTTP loop: it answers when its operation is committed.
    case device(
      @Sendable (DeviceHandler) -> (Request, PathParameters, QueryParameters, Responder) throws(Problem) -> Void)
    /// Answered by the thread that took the request.
    case whole(@Sendable (AdminCall) -> () throws(Problem) -> Response)
    /// Checked by that thread, then written in pieces by `AdminStreams`.
    case pieces(StreamSource.Kind, @Sendable (AdminCall) -> () throws(Problem) -> StreamSource)
    /// A controller of the existing SDK's protocol, on the loop or on a thread.
    case controller(Controller)
    /// The part of the server whose only business it is.
    case own

    /// One that takes nothing behind the `?`.
    static func device(
      _ endpoint: @escaping @Sendable (DeviceHandler) -> (Request, PathParameters, Responder) throws(Problem) -> Void
    ) -> Handler {
      .device { door in
        { (request, parameters, _, responder) throws(Problem) in try endpoint(door)(request, parameters, responder) }
      }
    }
  }
}

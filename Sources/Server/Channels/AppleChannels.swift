internal import APNs
package import Domain
package import Operations
package import Postgres
internal import Reactor
internal import Store
internal import Time

/// Manages an app's broadcast channels at Apple, with the app's own credential and the provider token that all nodes
/// share.
package struct AppleChannels: ChannelDirectory {
  private let management: ChannelManagement
  private let master: MasterKey
  private let clock: DatabaseClock

  init(_ configuration: Configuration, _ gauges: SenderSettings.Gauges, master: MasterKey, clock: DatabaseClock) {
    management = ChannelManagement(SenderSettings.apns(configuration, gauges))
    self.master = master
    self.clock = clock
  }

  /// Creates the directory for a program that asks Apple a few times and ends: reads the database's clock once.
  package init(_ configuration: Configuration, master: MasterKey, on connection: DatabaseConnection) throws {
    let clock = DatabaseClock()
    try clock.ask(connection)
    self.init(configuration, .unwatched(), master: master, clock: clock)
  }

  package func create(
    _ storage: ChannelStorage, of app: App, in environment: PushEnvironment, on connection: Connection
  ) throws(Problem) -> String {
    guard case .created(let channel) = try ask(.create(storage), app, environment, connection) else { throw Self.odd }
    return channel
  }

  package func storage(
    of channel: String, of app: App, in environment: PushEnvironment, on connection: Connection
  ) throws(Problem) -> ChannelStorage? {
    do throws(Failure) {
      guard case .storage(let storage) = try send(.read(channel), app, environment, connection) else { return nil }
      return storage
    } catch {
      if case .fault(.refused(_, let reason)) = error, Self.unknown.contains(reason) { return nil }
      throw error.problem
    }
  }

  package func delete(
    _ channel: String, of app: App, in environment: PushEnvironment, on connection: Connection
  ) throws(Problem) {
    do throws(Failure) {
      _ = try send(.delete(channel), app, environment, connection)
    } catch {
      // Apple gives the same answer for a channel that was deleted as for an unknown path.
      if case .fault(.refused(let status, let reason)) = error, status == 404 || Self.unknown.contains(reason) {
        return
      }
      throw error.problem
    }
  }

  package func list(
    of app: App, in environment: PushEnvironment, on connection: Connection
  ) throws(Problem) -> [String] {
    guard case .channels(let channels) = try ask(.list, app, environment, connection) else { throw Self.odd }
    return channels
  }

  private static let unknown: Set<String> = ["ChannelNotRegistered", "BadChannelId"]

  // MARK: Sending calls

  private enum Failure: Error {
    /// Apple was not asked, because the app has no usable credential or there is no provider token.
    case closed(Problem)
    case fault(ChannelManagement.Fault)

    var problem: Problem {
      switch self {
      case .closed(let problem): problem
      case .fault(let fault): AppleChannels.problem(fault)
      }
    }
  }

  private func ask(
    _ call: ChannelManagement.Call, _ app: App, _ environment: PushEnvironment, _ connection: Connection
  ) throws(Problem) -> ChannelManagement.Answer {
    do throws(Failure) {
      return try send(call, app, environment, connection)
    } catch {
      throw error.problem
    }
  }

  private func send(
    _ call: ChannelManagement.Call, _ app: App, _ environment: PushEnvironment, _ connection: Connection
  ) throws(Failure) -> ChannelManagement.Answer {
    let opening: ChannelManagement.Opening
    do throws(Problem) {
      opening = try self.opening(of: app, connection)
    } catch {
      throw .closed(error)
    }
    do throws(ChannelManagement.Fault) {
      return try management.send(call, of: app.appID, in: environment, by: opening)
    } catch {
      throw .fault(error)
    }
  }

  private func opening(of app: App, _ connection: Connection) throws(Problem) -> ChannelManagement.Opening {
    do {
      let credentials = try connection.run(Secrets.credentials())
      guard let credential = credentials.first(where: { $0.app == app.number && $0.network == .apns }) else {
        throw Problem(
          .notConfigured,
          """
          The app has no APNs credential, so Apple was not asked. Store one: `upmc app credential \(app.appID) \
          --apns-key …`, or on the app's page of the console.
          """)
      }
      switch try APNsSecret(credential, master) {
      case .certificate(let identity): return .certificate(identity)
      case .key(let key):
        let now = clock.wallTime
        guard let token = try SharedProviderToken.take(key, refused: nil, now: now, master, connection) else {
          throw Problem(.networkAway, "Apple was not asked: there is no provider token now. Try again in a minute.")
        }
        return .token(token)
      }
    } catch let problem as Problem {
      throw problem
    } catch let error as PostgresError {
      throw Problem(error)
    } catch {
      throw Problem(
        .notConfigured,
        """
        The app's APNs credential cannot be used, so Apple was not asked: \(error). Store it again: `upmc app credential \
        \(app.appID) --apns-key …`, or on the app's page of the console.
        """)
    }
  }

  // MARK: Mapping errors to problems

  private static func problem(_ fault: ChannelManagement.Fault) -> Problem {
    switch fault {
    case .refused(_, "CannotCreateChannelConfig"):
      Problem(
        .conflict,
        "The app has \(Domain.Limits.channelsPerEnvironment) channels at Apple already (CannotCreateChannelConfig). Delete some."
      )
    case .refused(429, let reason): Problem(.networkAway, "Apple asks to wait (\(reason)). Try again in a minute.")
    case .refused(500..., let reason): Problem(.networkAway, "Apple is in trouble (\(reason)). Try again in a minute.")
    case .refused(_, let reason):
      Problem(
        .impossible,
        """
        Apple refuses it: \(reason). Look whether the app's identifier has the broadcast capability and whether key, team and \
        app id belong together.
        """)
    case .unreachable(let reason, false): Problem(.networkAway, "Apple was not asked: \(reason).")
    case .unreachable(let reason, true):
      Problem(
        .outcomeUnknown,
        """
        Apple has not answered (\(reason)). What was asked may be done: look at \
        GET /v1/admin/apps/{appId}/channels-at-apple before you repeat it.
        """)
    case .odd(let status): Problem(.networkAway, "Apple's answer (status \(status)) is not understood.")
    }
  }

  private static let odd = Problem(.networkAway, "Apple's answer is not understood.")
}

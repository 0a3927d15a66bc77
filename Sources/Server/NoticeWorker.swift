internal import Domain
internal import JSON
internal import Logging
internal import Operations
internal import Postgres
internal import Reactor
internal import Store
internal import Time

/// The thread `notices`: sends a message for each notice that a registration has stored (such as a sign-in on a new
/// device). A notice is deleted after its message is stored, and the idempotency key contains its number, so that two
/// nodes or a retry create only one message.
final class NoticeWorker {
  private let stopping: StopSignal
  private static let interval: Duration = .seconds(1)
  private static let options: ConnectionOptions = {
    var options = ConnectionOptions()
    options.applicationName = "upmc notices"
    options.silence = .seconds(5)
    return options
  }()
  private static let atOnce = 100
  /// Maximum number of a user's devices that are notified.
  private static let devicesAtOnce = 100

  /// Starts the thread.
  /// - Parameter messageCommitted: called after each message is stored.
  init(databaseURL: String, contents: ContentSeal, clock: any Clock, messageCommitted: @escaping @Sendable () -> Void)
    throws
  {
    let stopping = try StopSignal()
    self.stopping = stopping
    _ = try Thread(name: "notices") {
      let log = Logger(label: "notices")
      var wasThere = true
      let worker = DatabaseWorker(databaseURL, Self.options, stopping: stopping, pause: Self.interval) { error in
        if wasThere {
          log.warning("notices could not be sent", metadata: FailureDetails.of(error).mapValues { "\($0)" })
        }
        wasThere = false
      }
      worker.run { connection in
        try Self.turn(connection, contents, now: clock.wallTime, log, messageCommitted)
        wasThere = true
        stopping.rest(atMost: Self.interval)
      }
    }
  }

  private static func turn(
    _ connection: Connection, _ contents: ContentSeal, now: Timestamp, _ log: Logger, _ messageCommitted: () -> Void
  ) throws(PostgresError) {
    for notice in try connection.run(DeviceNotices.waiting(limit: atOnce, devices: devicesAtOnce)) {
      if let body = body(notice) {
        do throws(Problem) {
          var request = SendRequest(
            body: body, idempotencyKey: "upmc-notice-\(notice.number)-\(notice.createdAt.microseconds)", caller: caller)
          request.seal = contents
          request.interface = .server
          _ = try SendService.send(request, on: connection, now: now)
          messageCommitted()
        } catch {
          // Retry if the database or its load is the cause; drop the notice otherwise.
          guard error.code.status < 500, error.code != .tooManyRequests else { continue }
          log.warning("a notice was not sent", metadata: ["app": "\(notice.appID)", "error": "\(error.detail)"])
        }
      }
      try connection.run(DeviceNotices.done(notice.number))
    }
  }

  /// The requester of these messages: the server itself.
  private static let caller = Caller(role: .admin, app: nil, apiKey: nil, name: "server")

  /// Returns the request for a notice's message; nil when there is no device to notify.
  private static func body(_ notice: DeviceNotices.Waiting) -> [UInt8]? {
    guard !notice.devices.isEmpty, let kind = notice.kind else { return nil }
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("appId", notice.appID)
      writer.member(
        "audience",
        object: { writer in
          writer.member(
            "devices", array: { writer in for device in notice.devices { writer.value(device.description) } })
        })
      writer.member("sender", "server")
      writer.member("lane", Lane.urgent.name)
      switch kind {
      case .possession: writer.member("contentAvailable", true)
      case .newDevice:
        writer.member("alert", object: { write(text: "en", to: &$0) })
        writer.member(
          "translations",
          object: { writer in
            for language in ["ko", "en"] { writer.member(language, object: { write(text: language, to: &$0) }) }
          })
      }
    }
    return writer.bytes
  }

  private static func write(text language: String, to writer: inout JSONWriter) {
    let isKorean = language == "ko"
    writer.member("title", isKorean ? "새 기기가 등록되었습니다" : "A new device was registered")
    writer.member(
      "body",
      isKorean
        ? "이제 다른 기기에서도 알림을 받습니다. 본인이 등록하지 않았다면 바로 알려 주세요."
        : "Your notifications now go to another device too. If that was not you, tell us at once.")
  }

  func stop() {
    stopping.raise()
  }
}

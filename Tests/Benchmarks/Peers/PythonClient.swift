internal import FoundationEssentials
internal import JSON
internal import Reactor

/// aioapns, a popular asynchronous APNs client in Python, used by many back ends today.
struct PythonClient {
  private let python: String
  private let script: String
  private let authority: String

  /// - Parameter authority: file of the trusted certificate authority.
  init(scratch: ScratchDirectory, program: String, authority: String) throws {
    self.authority = authority
    python = try Self.interpreter(program)
    script = try scratch.write(Self.source, to: "push.py")
  }

  func run(port: UInt16, count: Int, inFlight: Int) throws -> PushRun {
    let command = [python, script, String(port), authority, String(count), String(inFlight)]
    let report = try ChildProcess.run(command, withErrors: true, atMost: .seconds(120))
    let words = report.text.split(separator: "\n").last?.split(separator: " ").compactMap { Double($0) } ?? []
    guard report.succeeded, words.count == 3 else { throw MeasuringError("aioapns: \(report.text.suffix(300))") }
    guard Int(words[0]) == count else { throw MeasuringError("aioapns: only \(Int(words[0])) of \(count) succeeded") }
    return PushRun(pushes: count, seconds: words[1], processorSeconds: words[2])
  }

  /// The Python interpreter of the virtual environment that `make bench` creates beside this program's build.
  private static func interpreter(_ program: String) throws -> String {
    var directory = URL(filePath: program).deletingLastPathComponent()
    while directory.pathComponents.count > 1 {
      let candidate = directory.appending(path: "venv/bin/python3").path
      if FileManager.default.isExecutableFile(atPath: candidate) { return candidate }
      directory = directory.deletingLastPathComponent()
    }
    throw MeasuringError("aioapns is not installed; `make bench` installs it")
  }

  /// Prints the number of successes, seconds, and CPU seconds.
  private static let source = """
    import asyncio, logging, os, resource, ssl, sys, time, uuid
    import aioapns.connection
    from aioapns import APNs, NotificationRequest, PushType
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    port, authority, count, in_flight = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    for value in vars(aioapns.connection).values():
        if isinstance(value, type) and hasattr(value, "APNS_SERVER"):
            value.APNS_SERVER, value.APNS_PORT = "localhost", port
    logging.disable(logging.CRITICAL)
    key = ec.generate_private_key(ec.SECP256R1()).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()

    def request():
        alert = {"title": "Order shipped", "body": "Your parcel left the warehouse and arrives tomorrow"}
        return NotificationRequest(
            device_token=os.urandom(32).hex(), message={"aps": {"alert": alert, "badge": 7, "sound": "default"}},
            notification_id=str(uuid.uuid4()), time_to_live=86400, priority=10, push_type=PushType.ALERT)

    async def main():
        client = APNs(key=key, key_id="KEYID00000", team_id="TEAMID0000", topic="com.example.app", max_connections=1,
                      ssl_context=ssl.create_default_context(cafile=authority))
        assert (await client.send_notification(request())).is_successful
        succeeded, left = 0, iter(range(count))

        async def work():
            nonlocal succeeded
            for _ in left:
                result = await client.send_notification(request())
                succeeded += result.is_successful

        def used():
            usage = resource.getrusage(resource.RUSAGE_SELF)
            return usage.ru_utime + usage.ru_stime

        start, used_before = time.monotonic(), used()
        await asyncio.gather(*[work() for _ in range(in_flight)])
        print(succeeded, time.monotonic() - start, used() - used_before)

    asyncio.run(main())
    """
}

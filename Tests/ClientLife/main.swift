import Foundation
import UPMCClient
import UPMCClientURLSession

/// One life of a client process, as short as an extension's: registers, receives pushes from a file, or sends what waits; and
/// ends by SIGKILL at a step, when one is named.
///
/// ```
/// upmc-client-life DIRECTORY SERVER APP_ID CLIENT_KEY register TOKEN CUID
/// upmc-client-life DIRECTORY SERVER APP_ID CLIENT_KEY receive FILE [STEP]     a payload in each line
/// upmc-client-life DIRECTORY SERVER APP_ID CLIENT_KEY read FILE STEP OPTION BADGE
/// upmc-client-life DIRECTORY SERVER APP_ID CLIENT_KEY flush - [STEP]
/// ```
/// `DIRECTORY/taken` has a line for each push that a process began to take.
///
/// Steps: those of a file (`begun`, `written`, `synced`, `renamed`), of a call (`unsent`, `lost`), `answered`, before the
/// file is removed, and `removed`. Each may be followed by `:N`, the N-th time.
let arguments = CommandLine.arguments
guard arguments.count >= 7 else {
  FileHandle.standardError.write(Data("usage: see Tests/ClientLife/main.swift\n".utf8))
  exit(2)
}

let end = End(arguments.count > 7 ? arguments[7] : "")
var settings = ClientSettings(
  server: try ServerAddress(arguments[2]), appID: arguments[3], clientKey: arguments[4], directory: arguments[1])
// No call is given up because the machine is busy.
settings.callSeconds = 300
let client = PushClient(
  settings, transport: EndingTransport(end: end), keys: FileKeyStore(directory: arguments[1] + "/keys"),
  now: { Date() }, onStep: { end.reached($0.rawValue) }, onSending: { end.reached($0.rawValue) })

switch arguments[5] {
case "register": try await client.register(token: arguments[6], user: ClientUser(arguments[7]))
case "receive":
  for line in try String(contentsOfFile: arguments[6], encoding: .utf8).split(separator: "\n") {
    let payload = try ReceivedPayload(json: Array(line.utf8))
    try note(payload.seqno)
    print(payload.seqno, await client.receive(payload))
  }
case "read":
  let payload = try ReceivedPayload(json: Array(try String(contentsOfFile: arguments[6], encoding: .utf8).utf8))
  let option = BadgeOption(rawValue: arguments[8]) ?? .keep
  print(try await client.read(payload, badgeOption: option, badge: Int(arguments[9])))
case "flush":
  let report = await client.flush()
  print(report.recorded, report.refused, report.waiting, report.reason ?? "")
default: exit(2)
}

/// Writes down that a push is being taken: what the process is killed for afterwards is not given to it again.
func note(_ seqno: String) throws {
  let path = arguments[1] + "/taken"
  if !FileManager.default.fileExists(atPath: path) { _ = FileManager.default.createFile(atPath: path, contents: nil) }
  let file = try FileHandle(forWritingTo: URL(filePath: path))
  try file.seekToEnd()
  try file.write(contentsOf: Data("\(seqno)\n".utf8))
  try file.close()
}

/// Where the process ends.
final class End: Sendable {
  private let step: Substring
  private let times: Int
  private let counter = Counter()

  private final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var count = 0
    func next() -> Int {
      lock.lock()
      defer { lock.unlock() }
      count += 1
      return count
    }
  }

  init(_ text: String) {
    let parts = text.split(separator: ":")
    step = parts.first ?? ""
    times = parts.count > 1 ? Int(parts[1]) ?? 1 : 1
  }

  func reached(_ name: String) {
    if name == step, counter.next() == times { kill(getpid(), SIGKILL) }
  }
}

/// Ends the process before a request, or before its answer is seen.
struct EndingTransport: Transport, Sendable {
  let end: End
  private let inner = URLSessionTransport()

  init(end: End) {
    self.end = end
  }

  func send(_ request: WireRequest, _ completion: @escaping @Sendable (Result<WireAnswer, NoAnswer>) -> Void) {
    let end = end
    end.reached("unsent")
    inner.send(request) { result in
      end.reached("lost")
      completion(result)
    }
  }
}

internal import Domain
internal import FoundationEssentials
internal import Operations

/// Receipts never sent before, stored as ready-made requests for wrk: one file per thread.
struct ReceiptLoad {
  /// wrk's script.
  let script: String
  /// Number of requests in all files.
  let count: Int
  let messages: [Seqno]
  private let files: [String]

  /// - Parameter atLeast: minimum number of requests to prepare.
  init(
    _ stage: ReceiptStage, scratch: ScratchDirectory, atLeast wanted: Int, threads: Int, mix: RequestMix = .receipts
  ) throws {
    var buffers = [[UInt8]](repeating: [], count: threads)
    for index in buffers.indices { buffers[index].reserveCapacity(wanted / threads * 330) }
    var count = 0
    var messages: [Seqno] = []
    while count < wanted {
      try stage.newMessage { seqno, device, token, pushkey in
        if messages.last != seqno { messages.append(seqno) }
        guard count < wanted else { return }
        let request = Self.request(mix.kind(count), stage, seqno, device, token, pushkey)
        Self.append(request, to: &buffers[count % threads])
        count += 1
      }
    }
    files = buffers.indices.map { scratch.file("receipts-\($0)") }
    for (path, bytes) in zip(files, buffers) { try Data(bytes).write(to: URL(filePath: path)) }
    self.count = count
    self.messages = messages
    script = try scratch.write(Self.script(prefix: scratch.file("receipts-")), to: "receipts.lua")
  }

  /// The same requests in memory.
  /// - Parameter messages: number of messages to spread them over, shuffled, using the first devices of each; nil: as
  ///   few as possible.
  static func requests(_ stage: ReceiptStage, count: Int, messages: Int? = nil) throws -> [[UInt8]] {
    var requests: [[UInt8]] = []
    let share = messages.map { (count + $0 - 1) / $0 } ?? count
    while requests.count < count {
      let end = min(count, requests.count + share)
      try stage.newMessage { seqno, device, token, pushkey in
        guard requests.count < end else { return }
        requests.append(Array(request(.receipt, stage, seqno, device, token, pushkey).utf8))
      }
    }
    if messages != nil { requests.shuffle() }
    return requests
  }

  func removeFiles() {
    for path in files { try? FileManager.default.removeItem(atPath: path) }
  }

  private static func request(
    _ kind: RequestMix.Kind, _ stage: ReceiptStage, _ seqno: Seqno, _ device: Int, _ token: String,
    _ pushkey: String
  ) -> String {
    func confirmation(_ name: String) -> String {
      return "{\"\(name)\":[{\"seqno\":\"\(seqno)\",\"psid\":\"\(token)\",\"pushkey\":\"\(pushkey)\"}]}"
    }
    switch kind {
    case .receipt: return post("/v1/receipts", confirmation("receipts"))
    case .read: return post("/v1/reads", confirmation("reads"))
    case .registration:
      let body = """
        {"appId":"\(StageDevices.appID)","pnsId":"APNS","environment":"production","psid":"\(token)",\
        "deviceId":"\(StageDevices.installation(device))","clientUid":"\(StageDevices.clientUID(device))",\
        "clientName":"\(StageDevices.userName(device))","osVersion":"\(seqno)"}
        """
      return post("/v1/devices", body, "Authorization: Bearer \(stage.clientKey)\r\n")
    }
  }

  private static func post(_ path: String, _ body: String, _ lines: String = "") -> String {
    "POST \(path) HTTP/1.1\r\nHost: localhost\r\n\(lines)Content-Type: application/json\r\nContent-Length: "
      + "\(body.utf8.count)\r\n\r\n\(body)"
  }

  /// Four digits of length, then the request.
  private static func append(_ request: String, to bytes: inout [UInt8]) {
    let length = String(request.utf8.count)
    bytes += String(repeating: "0", count: 4 - length.count).utf8
    bytes += length.utf8
    bytes += request.utf8
  }

  /// A script in which each thread reads its file once, so that each request is sent once, and stops at the end.
  private static func script(prefix: String) -> String {
    """
    local file, last
    local threads = 0
    function setup(thread)
      thread:set("number", threads)
      threads = threads + 1
    end
    function init(arguments)
      file = assert(io.open("\(prefix)" .. number, "rb"))
    end
    function request()
      local length = file:read(4)
      if length then last = file:read(tonumber(length)) else wrk.thread:stop() end
      return last
    end
    """
  }
}

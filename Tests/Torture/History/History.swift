import Foundation
import Reactor
import Synchronization
import Time

/// A log of what clients were answered and what the network received, for an independent judge.
///
/// JSON, one event per line; the first line of each file is `{"e":"history","version":1,"file":N}`, N from 1. Every
/// other event has `e` (its kind), `run` (which use of a center it belongs to: runs share nothing) and `t`
/// (microseconds since 1970, from a single clock). Files need not be in time order. Kinds:
///
/// | `e` | members |
/// | --- | --- |
/// | `run` | `what`: a use of a center begins; `events` true: everything its webhooks receive is recorded |
/// | `invoke` | `id`, `process`, `op`, and the request: one attempt is handed to the network |
/// | `ok` | `id`, and the answer |
/// | `fail` | `id`, `status`: refused, so it never happened and never will |
/// | `unknown` | `id`: no answer, or an inconclusive one; it may have happened, or happen yet, or never |
/// | `delivery` | `seqno`, `token`, `apnsId`, `collapseId`, `badge`, and `key` if the payload shows whose it is |
/// | `event` | `id`, `kind`, `seqno`, `user`: what a webhook received; the same `id` again is the same event |
/// | `deed` | `kind`, `until`: an act on the center, which disturbs it until then |
/// | `end` | everything is at rest, and each earlier attempt has its end |
///
/// Attempts of one call share `process`. What each `op` asks, and what `ok` adds to it:
///
/// | `op` | asked | answered |
/// | --- | --- | --- |
/// | `register` | `installation`, `token`, `user` (null: a guest) | `device` |
/// | `join` | `device`, `group` | |
/// | `send` | `key`, `audience` (`all`, or `users` or `groups` with `names`), `badge` (`[how, number]` or null), `sms`
/// (`[seconds, unless]` or null) | `seqno` |
/// | `resend` | `key`, `of` | `seqno` |
/// | `pause`, `resume`, `cancel` | `seqno` | |
/// | `funnel` | `seqno` | `state` and the numbers |
/// | `receipt` | `items`: `[seqno, token]` each | `results`: a status each |
/// | `read` | `items`: `[seqno, token, option, value]` each | `results`: `[status, badge]` each |
/// | `setBadge`, `getBadge` | `device`, `value` | `badge` |
/// | `erase` | `user` | |
///
/// Nothing waits for the disk. A full file is renamed to `FILE.1`, `FILE.2`, …; the newest of those are kept. Any
/// thread may write.
final class History: Sendable {
  private struct State {
    var descriptor: Int32 = -1
    var buffer: [UInt8] = []
    /// Size of the current file, including what is buffered.
    var bytes = 0
    var file = 0
    var lastID = 0
    var lastProcess = 0
    var failure: String?
  }

  /// Full files kept besides the current one.
  private static let kept = 8
  private static let bufferBytes = 64 << 10

  private let path: String
  private let limit: Int
  private let clock = SystemClock()
  private let state = Mutex(State())

  /// - Parameter megabytes: maximum size of a file.
  init(path: String, megabytes: Int) throws {
    self.path = path
    limit = megabytes << 20
    try state.withLock { state in
      Self.open(&state, path)
      if let failure = state.failure { throw Trouble(failure) }
    }
  }

  /// Throws if part of the history could not be written.
  func close() throws {
    try state.withLock { state in
      Self.flush(&state, path)
      Glibc.close(state.descriptor)
      state.descriptor = -1
      if let failure = state.failure { throw Trouble(failure) }
    }
  }

  /// Microseconds since 1970.
  var now: Int64 { clock.wallTime.microseconds }

  /// The number shared by all attempts of one call.
  func newProcess() -> Int {
    state.withLock { state in
      state.lastProcess += 1
      return state.lastProcess
    }
  }

  /// Records the start of an attempt. Returns its id.
  func invoke(run: Int, process: Int, _ asked: String) -> Int {
    let now = now
    return state.withLock { state in
      state.lastID += 1
      let line = #"{"e":"invoke","run":\#(run),"t":\#(now),"id":\#(state.lastID),"process":\#(process),\#(asked)}"#
      write(line, &state)
      return state.lastID
    }
  }

  /// Records any other event.
  /// - Parameters:
  ///   - time: microseconds since 1970; nil for now.
  ///   - members: JSON members, the first without a comma.
  func note(_ kind: String, run: Int, at time: Int64? = nil, _ members: String = "") {
    let line = #"{"e":"\#(kind)","run":\#(run),"t":\#(time ?? now)\#(members.isEmpty ? "" : ",")\#(members)}"#
    state.withLock { write(line, &$0) }
  }

  /// Records a push that the simulator accepted.
  /// - Parameter key: the idempotency key of its message, if the payload shows it.
  func noteDelivery(
    run: Int, at time: Int64, seqno: String, token: String, id: String, collapseID: [UInt8]?, badge: Int?,
    key: String? = nil
  ) {
    var members = #""seqno":"\#(seqno)","token":"\#(token)","apnsId":"\#(id)""#
    members += #","collapseId":\#(HistoryCall.json(collapseID.map { String(decoding: $0, as: UTF8.self) }))"#
    members += #","badge":\#(badge.map(String.init) ?? "null")"#
    if let key { members += #","key":"\#(key)""# }
    note("delivery", run: run, at: time, members)
  }

  // MARK: The file

  private func write(_ line: String, _ state: inout State) {
    guard state.descriptor >= 0 else { return }
    state.buffer += line.utf8
    state.buffer.append(UInt8(ascii: "\n"))
    state.bytes += line.utf8.count + 1
    if state.bytes >= limit {
      rotate(&state)
    } else if state.buffer.count >= Self.bufferBytes {
      Self.flush(&state, path)
    }
  }

  private func rotate(_ state: inout State) {
    Self.flush(&state, path)
    Glibc.close(state.descriptor)
    rename(path, "\(path).\(state.file)")
    if state.file > Self.kept { unlink("\(path).\(state.file - Self.kept)") }
    Self.open(&state, path)
  }

  private static func open(_ state: inout State, _ path: String) {
    state.descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    if state.descriptor < 0 { state.failure = "cannot write the history to \(path): error \(errno)" }
    state.file += 1
    let line = #"{"e":"history","version":1,"file":\#(state.file)}"# + "\n"
    state.buffer = Array(line.utf8)
    state.bytes = state.buffer.count
  }

  private static func flush(_ state: inout State, _ path: String) {
    var rest = state.buffer[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(state.descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else {
        state.failure = "the history \(path) is not whole: error \(errno)"
        break
      }
      rest = rest.dropFirst(count)
    }
    state.buffer.removeAll(keepingCapacity: true)
  }
}

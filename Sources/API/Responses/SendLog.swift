internal import Domain
internal import Logging

/// Writes the first log line about a message, with its SEQNO and the ID of the request that sent it.
struct SendLog: Sendable {
  private let log = Logger(label: "sends")

  /// Logs an accepted message.
  /// - Parameter isSingle: whether the message went through a committer: a send to named users, or from a device. There
  ///   may be thousands of these a second, so they are logged at `debug`, all others at `info`.
  func accepted(_ seqno: Seqno, requestID: @autoclosure () -> String, isSingle: Bool) {
    log.log(
      level: isSingle ? .debug : .info, "message accepted",
      metadata: ["requestId": "\(requestID())", "seqno": .stringConvertible(seqno)])
  }
}

internal import Domain
internal import Logging

/// The line with which a message's life in the log begins: its SEQNO and the request that sent it.
struct SendLog: Sendable {
  private let log = Logger(label: "sends")

  /// - Parameter isSingle: a send to named users through a committer; there are thousands a second, so it is logged at
  ///   `debug`, all others at `info`.
  func accepted(_ seqno: Seqno, requestID: @autoclosure () -> String, isSingle: Bool) {
    log.log(
      level: isSingle ? .debug : .info, "message accepted",
      metadata: ["requestId": "\(requestID())", "seqno": .stringConvertible(seqno)])
  }
}

/// A notification received by LISTEN.
package struct Notification: Sendable, Equatable {
  package let channel: String
  package let payload: String
  /// Process id of the sender's session, to tell our own notifications from others'.
  package let backendPID: Int32

  package init(channel: String, payload: String, backendPID: Int32) {
    self.channel = channel
    self.payload = payload
    self.backendPID = backendPID
  }
}

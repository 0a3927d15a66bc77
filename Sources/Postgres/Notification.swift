/// One NOTIFY.
package struct Notification: Sendable, Equatable {
  package let channel: String
  package let payload: String
  /// The server process whose transaction sent it: distinguishes our own from others'.
  package let backendPID: Int32

  package init(channel: String, payload: String, backendPID: Int32) {
    self.channel = channel
    self.payload = payload
    self.backendPID = backendPID
  }
}

/// The door for apps built with the existing SDK, and for servers that speak its protocol: forms posted to
/// `/<context>/<controller>.ctl`. Such an app works here when its host name is changed.
///
/// ```
///   bytes ──► Form (urlencoded or multipart) ──► Controller, by name ──► who asks?
///                                                                         │ a device: AUTHKEY, or the pushkey of a message
///                                                                         │ a server: its address, or an API key
///                                                                         ▼
///   {"HEADER":{RESULT_CODE…},"BODY":…} ◄── answer ◄── Operation through the loop's committer (device calls, sends to
///                                                     named users) or on an admin thread (everything else)
/// ```
///
/// **No rules of its own.** Each controller turns a form into an operation that `/v1` and `/v1/admin` carry out too, and
/// its answer or problem into the envelope; what may be done, and what it does, is decided in `Operations`.
///
/// **Keys.** `asking_authorization` gives a key for (app, PSID) and, once registered, the device; every later call
/// brings it. 40100: there is none, it is older than half an hour, not ours, or another device's: on that code, and on no
/// other, the client asks again and repeats its call once. 40300: the call is about a user that the device does not belong
/// to. All of it can be switched off, as in the original.
///
/// **Answers** have HTTP 200, also when the result code is an error, because that is what the SDK reads; only what is no
/// call at all (404, 405) and what should be tried again elsewhere (503) says so in the status too.
///
/// **Failure.** Input that cannot be read is refused before anything is looked at, with the field's name and what is
/// wrong with it; nothing of it is carried out.
package enum SDKDoor {
  /// Numbers of this module: unit, reason.
  package enum Limits {
    /// Fields of one form, those counted that it repeats or leaves empty: the largest controller has 31.
    static let fields = 100
    static let nameBytes = 64
    /// Headers of one part of a multipart body, and the boundary (RFC 2046 §5.1.1).
    static let partHeaderBytes = 4096
    static let boundaryBytes = 70
    /// Body of a CSV upload: half a million lines of thirty bytes.
    package static let uploadBytes = 16_777_216
    /// Body of a send: ten thousand recipients with long names.
    package static let sendBytes = 4_194_304
    /// A form that is read and checked on the HTTP loop, hence any form of a device: its 31 fields have 10,000 bytes
    /// where no long MESSAGE is among them, and three times that percent-encoded. A server's larger ones go to a thread unread, for it takes long to look
    /// at ten thousand names.
    package static let loopFormBytes = 65_536
    /// MESSAGE as it arrives; what has no room in the payload stands on a page.
    static let messageBytes = 65_536
    /// Rows of one answer.
    static let listedRows = 1000
    /// What a client is told to wait after 503, in seconds.
    static let retryAfterSeconds = 1
    /// Names and variables of the sender that are kept with a message.
    static let referenceBytes = 256
  }

  /// What an operator may set.
  package struct Configuration: Sendable {
    /// Paths that may stand in front of a controller, such as `/upmc`; nil: any.
    package var contexts: [String]?
    /// False: devices need no AUTHKEY; their PSID is believed.
    package var demandsKeys = true
    /// Addresses of servers that may send, besides those that bring an API key.
    package var trustedSenders = TrustedAddresses()

    package init() {}
  }
}

/// The client of a UPMC server for apps: registration, groups, receipts, reads with badge changes, consents, further
/// tokens, inbox, payloads and rich pages. For Apple's systems and Linux, without dependencies.
///
/// ```
///   app, extension ──► PushClient ──► call (`RegistrationCall`, `ConfirmationCall`, …) ──► Transport ──► server
///                          │
///                          ├─ KeyStore: the device's key, its token, its user          keychain, or a file
///                          └─ Outbox: receipts and reads that the server has not       a file for each,
///                             acknowledged                                             synced before any network
/// ```
///
/// **Receipts** (`Outbox`). A receipt or read is stored in a file before it is sent; if it cannot be stored, it is sent
/// nevertheless. The file is removed when the server has answered `recorded`, `unknown-message` or, for all of the
/// device's tokens, `invalid-pushkey`, and when the server rejects the request because of this entry. Otherwise, for
/// example on a lost answer, 5xx or 429, the file is kept for a later attempt, within the limits of number and age in
/// `ClientLimits`. The server treats a repetition as the same confirmation, so two processes can send the same outbox
/// at the same time.
///
/// **Keys.** The state is read from the key store before each use and written before a call returns, because the app
/// and its extension share it, and either can end at any time.
///
/// **Calls** are plain values that describe requests and parse answers. `PushClient` sends them; a program with its own
/// event loop can use them directly.
///
/// **Trust.** The server is contacted only by https, unless it is on this machine or the app allows plain http for a
/// test system. Redirects are not followed, the size of answers is limited, and nothing from a payload or an answer
/// becomes a path or header without validation. The log never contains a key, a whole token or the text of a message.
///
/// The members are the client's limits.
public enum ClientLimits {
  /// Maximum confirmations in one call; the server accepts no more.
  public static let confirmationsPerCall = 100
  /// Maximum number of files in the outbox. Beyond it, storing a confirmation removes the receipts and reads with the
  /// lowest SEQNOs; if it is itself one of them, it is only sent.
  public static let outboxFiles = 500
  /// Maximum age of a file in the outbox, in seconds (30 days). An older file is still sent, but removed instead of
  /// kept if the server answers that it is busy. Without an answer it is kept, because the device's clock may be wrong.
  public static let outboxSeconds: Double = 30 * 86_400
  /// The values to which an app can set a badge; the server also uses 0.
  public static let badge = 1...1000
  /// Maximum size in bytes of a server's answer to a call; pages and media have their own limits.
  public static let answerBytes = 1 << 20
  /// Maximum size of a hosted page in bytes: 256 KiB of text, percent-encoded.
  public static let pageBytes = 3 * 262_144
  /// Maximum size in bytes of an image, sound or video that an extension downloads. Apple limits images to 10 MB, and
  /// an extension's memory to 24 MB.
  public static let mediaBytes = 10_000_000
  /// The default timeout in seconds of each attempt of a call.
  public static let callSeconds: Double = 15
  /// Timeout in seconds of each attempt of a call in an extension, whose process has about 30 seconds for a push.
  public static let extensionCallSeconds: Double = 5
  /// Timeout in seconds of each attempt to download an image, sound or video, in an app and in an extension: as long as
  /// a phone needs for 10 MB at 4 Mbit/s, which leaves an extension 10 seconds for everything else.
  public static let mediaSeconds: Double = 20
  /// Maximum Retry-After that is honored, in seconds; longer ones are reduced to it.
  public static let longestRestSeconds = 3_600
  /// The number of previous push tokens remembered, for pushes in transit while the token changes.
  public static let formerTokens = 3
}

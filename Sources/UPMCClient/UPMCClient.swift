/// The client of a UPMC server as an app uses it: registration, groups, receipts, reads with the badge, consents, further
/// tokens, inbox, payloads and rich pages. On Apple's systems and on Linux; no dependency.
///
/// ```
///   app, extension ──► PushClient ──► call (`RegistrationCall`, `ConfirmationCall`, …) ──► Transport ──► server
///                          │
///                          ├─ KeyStore: the device's key, its token, its user          keychain, or a file
///                          └─ Outbox: receipts and reads that the server has not       a file for each,
///                             acknowledged                                             synced before any network
/// ```
///
/// **Receipts** (`Outbox`). A receipt or read is a file before it is a request. The file goes when the server has said
/// `recorded`, `invalid-pushkey` or `unknown-message`; it stays through lost answers, 5xx, 429 and the end of the process.
/// The server takes a repetition as the same confirmation, so two processes may send one outbox at the same time.
///
/// **Keys.** The state is read from the key store before each use and written before a call returns: the app and its
/// extension share it, and either may be ended at any time.
///
/// **Calls** are plain values: bytes out, bytes in. `PushClient` puts them in order and repeats what was lost; a program
/// with an event loop of its own uses them without it.
///
/// **Trust.** The server is reached by https alone, except on this machine. Redirects are not followed, answers are
/// bounded, and nothing from a payload or an answer becomes a path or a header without a check. The log never holds a key,
/// a whole token or the text of a message.
///
/// These are the numbers of the client: unit, reason.
public enum ClientLimits {
  /// Confirmations of one call; the server takes no more.
  public static let confirmationsPerCall = 100
  /// Files in the outbox. A person who gets more between two starts of the app has the oldest receipts dropped.
  public static let outboxFiles = 500
  /// Age of a file in the outbox, in seconds (30 days): APNs stores no longer, and the server forgets.
  public static let outboxSeconds: Double = 30 * 86_400
  /// What an app may set a badge to.
  public static let badge = 1...1000
  /// Bytes of an answer of the server.
  public static let answerBytes = 1 << 20
  /// Bytes of a rich page: 256 KiB of text, percent-encoded.
  public static let pageBytes = 3 * 262_144
  /// Bytes of an image, a sound or a film that an extension fetches. Apple allows 10 MB to images, and an extension 24 MB
  /// of memory.
  public static let mediaBytes = 10_000_000
  /// Time for one call, in seconds.
  public static let callSeconds: Double = 15
  /// Time for a call of an extension, which lives for 30 seconds at most.
  public static let extensionCallSeconds: Double = 5
  /// Longest rest that a server may ask for by Retry-After, in seconds.
  public static let longestRestSeconds = 3_600
  /// Former push tokens that are remembered: a push may be under way while the token changes.
  public static let formerTokens = 3
}

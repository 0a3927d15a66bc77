internal import Crypto
internal import Domain
internal import Postgres
internal import Store
internal import Time

/// Decides which parts of a message move to pages because the payload has no room for them, and which uploaded file the
/// message shows. `links` replaces these parts in the payload; `store` stores the pages.
///
/// `ext` moves first: the app fetches it when needed. The text itself moves only if the app's extension runs
/// (`mutableContent`), which restores it before it is displayed. A page is the same for all recipients, so nothing with
/// variables moves.
struct HostingPlan {
  private(set) var links = HostedLinks()
  private(set) var notes: [Sentence] = []
  private var files: [HostedFiles.New] = []
  /// The upload that the message shows, and whether it is needed for longer than its current lifetime; nil if it shows
  /// none.
  private var shown: (name: String, isExtended: Bool)?
  /// Time until which the message's pages are kept, for devices that fetch them late and for resends.
  let keptUntil: Timestamp
  /// Time until which the message's media are kept: at least `keptUntil`, and until its last inbox entry has ended.
  /// Inbox entries contain texts and values themselves, so they need no pages.
  private let shownUntil: Timestamp

  /// Plans a message. Reads the database but writes nothing.
  /// - Parameters:
  ///   - lastDueAt: last due time of the message; nil counts as `now`.
  ///   - expiresAt: expiry of the message; nil counts as `now`.
  /// - Throws: `.payloadTooLarge` if the message cannot be made to fit; `.impossible` if it shows an upload that the
  ///   app does not have or that has expired; `.notConfigured` if it shows an upload but there is no public URL.
  init(
    _ message: MessageRequest, _ audience: ResolvedAudience, _ app: App, _ hosting: ContentHosting,
    on connection: Connection, now: Timestamp, lastDueAt: Timestamp? = nil, expiresAt: Timestamp? = nil
  ) throws(Problem) {
    let lastOfAll = message.repetition.flatMap { Timestamp("\($0.until.text)T23:59:59Z") }
    let last = max(lastOfAll ?? .zero, lastDueAt ?? now, expiresAt ?? now)
    keptUntil = last + Operations.Limits.hostingPeriod
    // Counted from the message's time, which approval may delay.
    let inInboxes = message.inboxSeconds.map { Duration.seconds($0 + ApprovalHolds.waitSeconds) } ?? .zero
    shownUntil = max(keptUntil, last + inInboxes)
    if case .upload(let name)? = message.content.media {
      try show(name, of: app, hosting, connection, now)
    }
    func tooLarge() throws(Problem) -> Problem? {
      var fitted = message
      fitted.content = message.content.replacing(links)
      do throws(Problem) {
        if try !PayloadSize(fitted).check(audience, of: app.number, on: connection) { notes.append(Self.isUnsearched) }
        return nil
      } catch  where error.code == .payloadTooLarge {
        return error
      }
    }
    guard var problem = try tooLarge() else { return }
    if message.isConfidential {
      // Anyone with the address could read the page for months.
      throw problem.adding("What a confidential message says does not move to a page: make it shorter.")
    }
    if let obstacle = try moveExt(message.content, app, hosting, now) {
      problem = problem.adding(obstacle)
    } else {
      guard let rest = try tooLarge() else { return }
      problem = rest
    }
    if let obstacle = try moveText(message.content, app, hosting, now) { throw problem.adding(obstacle) }
    if let rest = try tooLarge() { throw rest }
  }

  private static let isUnsearched: Sentence = """
    The audience is too large to be searched for the longest names: recipients whose payload is too large are rejected \
    one by one when the message is sent.
    """

  // MARK: Moving

  /// Moves `ext` to a page. Returns nil if it was moved; otherwise the reason as a sentence for the sender, which is
  /// empty if there is no `ext` or it is too short.
  private mutating func moveExt(
    _ content: MessageContent, _ app: App, _ hosting: ContentHosting, _ now: Timestamp
  ) throws(Problem) -> Sentence? {
    guard let ext = content.ext, ext.utf8.count > Operations.Limits.leastMovedText else { return "" }
    guard !content.fillsVariables || Variable.found(in: ext.utf8).isEmpty else {
      return "ext could move to a page, but a page is the same for everybody and ext holds variables."
    }
    guard hosting.publicURL != nil else {
      return "ext could move to a page of this server if UPMC_PUBLIC_URL were set."
    }
    links.ext = try page(ext, ContentHosting.extSuffix, app, hosting, now)
    notes.append("ext does not fit the payload: it moves to a page whose address takes its place.")
    return nil
  }

  private mutating func moveText(
    _ content: MessageContent, _ app: App, _ hosting: ContentHosting, _ now: Timestamp
  ) throws(Problem) -> Sentence? {
    guard let body = content.alert?.body, body.utf8.count > Operations.Limits.leastMovedText else { return "" }
    guard content.pushType == .alert, content.isMutableInEffect else {
      return "With mutableContent the text would move to a page, which the app's extension fetches."
    }
    guard content.translations.isEmpty else { return "A text in several languages does not move to a page." }
    guard !content.fillsVariables || Variable.found(in: body.utf8).isEmpty else {
      return "The text could move to a page, but a page is the same for everybody and it holds variables."
    }
    guard hosting.publicURL != nil else {
      return "The text could move to a page of this server if UPMC_PUBLIC_URL were set."
    }
    links.text = try page(body, ContentHosting.textSuffix, app, hosting, now)
    notes.append("The text does not fit the payload: it moves to a page whose address takes its place.")
    return nil
  }

  private mutating func page(
    _ text: String, _ suffix: String, _ app: App, _ hosting: ContentHosting, _ now: Timestamp
  ) throws(Problem) -> String {
    let name = ContentHosting.makeName()
    let body = ContentHosting.encoded(text)
    files.append(
      HostedFiles.New(
        name: name, app: app.number, suffix: suffix, type: ContentHosting.pageType, sha256: SHA256.hash(body),
        body: body, apiKey: nil, createdAt: now, expiresAt: keptUntil))
    return try hosting.url(ContentHosting.pagePath, name + suffix)
  }

  private mutating func show(
    _ name: String, of app: App, _ hosting: ContentHosting, _ connection: Connection, _ now: Timestamp
  ) throws(Problem) {
    guard let file = try connection.answer(HostedFiles.find(name)), file.app == app.number, file.expiresAt > now,
      file.isMedia
    else {
      throw Self.uploadIsGone
    }
    links.media = try hosting.url(ContentHosting.mediaPath, name + file.suffix)
    shown = (name: name, isExtended: file.expiresAt < shownUntil)
  }

  static let uploadIsGone = Problem(
    .impossible, at: "/media",
    "names no uploaded file of this app, or its time is over; upload it with POST /v1/admin/uploads")

  // MARK: Storing

  /// Prevents the deletion of the upload that the message shows until the transaction ends. Call it in the transaction
  /// that stores the message, before that. Returns false if the upload was deleted since the message was planned; true
  /// if the message shows none.
  func holdUpload(on connection: Connection) throws(PostgresError) -> Bool {
    guard let shown else { return true }
    return try connection.run(HostedFiles.hold(shown.name))
  }

  /// Stores the pages, and extends the lifetime of the upload. Call it in the transaction that stores the message.
  func store(on connection: Connection) throws(PostgresError) {
    for file in files {
      for query in HostedFiles.create(file, partBytes: Operations.Limits.partBytes) { try connection.run(query) }
    }
    if let shown, shown.isExtended { try connection.run(HostedFiles.keep(shown.name, until: shownUntil)) }
  }
}

extension Problem {
  fileprivate func adding(_ further: Sentence) -> Problem {
    further == "" ? self : Problem(code, Sentence(joining: [sentence, further]), fields: fields)
  }
}

extension Operations.Limits {
  /// Size in bytes above which a text can move to a page: the page's address needs room too.
  static let leastMovedText = 256
}

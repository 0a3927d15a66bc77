internal import Domain
internal import Postgres
internal import Store
internal import Time

/// Imports batches of lines of a file of registrations.
///
/// First, `stream` compares the lines with existing rows, without locks: most lines of a repeated import change nothing
/// and are done. Devices without an existing row are streamed with COPY, unless one of them has registered meanwhile or
/// each user may have only one device. Then `finish` decides the remaining lines again and writes them, in transactions
/// that lock tokens and rows. Only `finish` needs the lines in their order; two threads can share `stream` as long as
/// all lines of a user go to the same thread.
struct InstalledBatch: Sendable {
  /// Result of the step without locks.
  struct Outcome: Sendable {
    var verdicts: [InstalledBaseRules.Verdict]
    /// Indices of lines that change something and have not been written, in ascending order; empty in a dry run.
    var open: [Int]
  }

  let app: App
  let level: App.Identity
  let phones: PhoneNumberSeal?
  let isDryRun: Bool

  private typealias Known = [UserKey: (name: Bool, phone: Bool)]

  /// Compares lines with existing rows and streams those about new devices. In a dry run, only compares them. If one of
  /// the new devices has registered meanwhile, none is streamed, and their lines remain open.
  /// - Returns: a verdict for each line, in their order, and the lines left for `finish`.
  func stream(_ lines: [InstalledLine], on connection: Connection) throws(Problem) -> Outcome {
    var (verdicts, fresh, known) = try look(lines, on: connection)
    guard !isDryRun else { return Outcome(verdicts: verdicts, open: []) }
    if !fresh.isEmpty, try !add(fresh.map { lines[$0] }, known, on: connection) { fresh = [] }
    let done = Set(fresh)
    let open = verdicts.indices.filter { (verdicts[$0] == .new || verdicts[$0] == .changed) && !done.contains($0) }
    return Outcome(verdicts: verdicts, open: open)
  }

  /// Decides the open lines again, with locks, and writes them in one or more transactions.
  /// - Parameter lines: all lines that `outcome` refers to.
  /// - Returns: the verdict of each of `lines`, in their order.
  func finish(
    _ lines: [InstalledLine], _ outcome: Outcome, on connection: Connection
  ) throws(Problem) -> [InstalledBaseRules.Verdict] {
    var verdicts = outcome.verdicts
    let open = outcome.open
    let size = app.devicePolicy == .single ? Operations.Limits.installedNames : max(1, open.count)
    for start in stride(from: 0, to: open.count, by: size) {
      let part = open[start..<min(start + size, open.count)]
      let wanted = part.map { lines[$0] }
      let written = try connection.commit { () throws(PostgresError) in try write(wanted, on: connection) }
      for (index, verdict) in zip(part, written) { verdicts[index] = verdict }
    }
    return verdicts
  }

  // MARK: Without locks

  /// Compares lines with existing rows.
  /// - Returns: the verdicts; the indices of lines about new devices that can be streamed, none where each user may
  ///   have only one device; and which names and numbers of users are stored.
  private func look(
    _ lines: [InstalledLine], on connection: Connection
  ) throws(Problem) -> (verdicts: [InstalledBaseRules.Verdict], fresh: [Int], known: Known) {
    do throws(PostgresError) {
      let owners = try owners(lines, on: connection)
      var judge = try judge(
        lines, owners: owners, on: connection
      ) { (devices, users) throws(PostgresError) in
        let installed = try connection.run(InstalledDevices.find(lines.map(\.device)))
        let others = devices.isEmpty ? [] : try connection.run(Devices.find(devices))
        return installed + others
          + (users.isEmpty ? [] : try connection.run(InstalledDevices.ofUsers(users, of: app.number)))
      }
      let records = judge.records
      var fresh: [Int] = []
      var verdicts: [InstalledBaseRules.Verdict] = []
      for (index, line) in lines.enumerated() {
        // If a user may have only one device, the other devices lose their user, which streaming cannot do.
        if app.devicePolicy == .multi, owners[line.token] == nil,
          !line.device.rows.contains(where: { records[$0] != nil })
        {
          fresh.append(index)
          verdicts.append(.new)
        } else {
          verdicts.append(judge.judge(line))
        }
      }
      return (verdicts, fresh, judge.known)
    } catch {
      throw Problem(error)
    }
  }

  private func owners(
    _ lines: [InstalledLine], on connection: Connection
  ) throws(PostgresError) -> [InstalledLine.Token: DeviceID] {
    let found = try connection.run(Devices.owners(of: lines.map { (app.number, $0.network, $0.psid) }))
    return Dictionary(
      found.map { (InstalledLine.Token(network: $0.network, psid: $0.psid), $0.owner) }
    ) { one, _ in one }
  }

  /// Returns the rules with all stored data that they need for the lines, which the caller then judges.
  /// - Parameter rows: reads the rows of the lines' DEVICE_IDs, of the devices passed to it, and of all devices of the
  ///   users passed to it; no users are passed unless each may have only one device.
  private func judge(
    _ lines: [InstalledLine], owners: [InstalledLine.Token: DeviceID], on connection: Connection,
    rows: (_ others: Set<DeviceID>, _ users: Set<UserKey>) throws(PostgresError) -> [Devices.Record]
  ) throws(PostgresError) -> InstalledBaseRules {
    let users = namedUsers(lines)
    let others = owners.isEmpty ? [] : Set(owners.values).subtracting(lines.flatMap(\.device.rows))
    let found = try rows(others, app.devicePolicy == .single ? Set(users) : [])
    let known = users.isEmpty ? [:] : try connection.run(InstalledDevices.known(users, of: app.number))
    return InstalledBaseRules(
      app: app, level: level, now: try connection.run(WallClock.now()),
      records: Dictionary(found.map { ($0.device, $0) }) { one, _ in one }, owners: owners, known: known)
  }

  /// Returns the users that lines name, possibly with duplicates.
  private func namedUsers(_ lines: [InstalledLine]) -> [UserKey] {
    lines.compactMap { if case .named(let user) = $0.user { UserKey(clientUID: user) } else { nil } }
  }

  // MARK: Streaming

  /// Streams lines about new devices, with their users and groups, in one transaction. Returns false, having written
  /// nothing, if one of the devices, tokens or users was stored meanwhile.
  private func add(
    _ lines: [InstalledLine], _ known: Known, on connection: Connection
  ) throws(Problem) -> Bool {
    do throws(PostgresError) {
      try connection.transaction(attempts: Operations.Limits.transactionAttempts) { () throws(PostgresError) in
        var judge = InstalledBaseRules(
          app: app, level: level, now: try connection.run(WallClock.now()), records: [:], owners: [:], known: known)
        let devices = lines.map { judge.admit($0) }
        // The time at which the other server registered the token is unknown, so any later report by a push network
        // applies.
        try InstalledDevices.add(devices, boundAt: .zero, on: connection)
        if !judge.changes.joined.isEmpty { try connection.run(Groups.join(judge.changes.joined, at: judge.now)) }
        let said = said(judge)
        if said.allSatisfy({ known[$0.key.userKey] == nil }) {
          try InstalledDevices.add(said, on: connection)
        } else {
          _ = try connection.run(Users.name(said, renames: false))
        }
      }
      return true
    } catch {
      guard error.sqlState == .uniqueViolation else { throw Problem(error) }
      return false
    }
  }

  // MARK: With locks

  /// Locks users where each may have only one device, then tokens, then devices, in the order that all writers use;
  /// decides the lines by the locked rows, and writes them. Call it within a transaction.
  /// - Returns: the verdict of each line.
  private func write(
    _ lines: [InstalledLine], on connection: Connection
  ) throws(PostgresError) -> [InstalledBaseRules.Verdict] {
    if app.devicePolicy == .single { try connection.run(Devices.lockNames(Set(namedUsers(lines)))) }
    // The binding time is 0, as for streamed lines.
    let claims = lines.map {
      Tokens.Claimed(app: app.number, psid: $0.psid, network: $0.network, device: $0.device)
    }
    let locked = try connection.run(Tokens.lock(claims, at: .zero))
    var owners: [InstalledLine.Token: DeviceID] = [:]
    let owned = Dictionary(locked.map { ($0.psid, $0.owner) }) { one, _ in one }
    for line in lines {
      owners[line.token] = owned[line.psid]
    }
    var judge = try judge(lines, owners: owners, on: connection) { (others, users) throws(PostgresError) in
      let rows = try connection.run(InstalledDevices.find(lines.map(\.device)))
      let wanted = others.union(rows.map(\.device))
      guard !wanted.isEmpty || !users.isEmpty else { return [] }
      return try connection.run(
        users.isEmpty ? Devices.lock(wanted) : Devices.lock(wanted, othersOf: users, in: [app.number]))
    }
    var verdicts: [InstalledBaseRules.Verdict] = []
    var forgotten: [Tokens.Claimed] = []
    for (line, claim) in zip(lines, claims) {
      let row = judge.records[line.device]
      let isMade = owned[line.psid] == line.device && (row?.psid != line.psid || row?.state != .active)
      let verdict = judge.judge(line)
      verdicts.append(verdict)
      // The token was created for a device that is not imported.
      if isMade, verdict != .new, verdict != .changed { forgotten.append(claim) }
    }
    let refused = try save(judge, forgotten, on: connection)
    if !refused.isEmpty {
      for (index, line) in lines.enumerated() where refused.contains(line.device) { verdicts[index] = .kept }
    }
    return verdicts
  }

  /// Writes the changes and deletes the forgotten tokens.
  /// - Returns: devices that were not written, because they have registered themselves meanwhile.
  private func save(
    _ judge: InstalledBaseRules, _ forgotten: [Tokens.Claimed], on connection: Connection
  ) throws(PostgresError) -> Set<DeviceID> {
    let (changes, now) = (judge.changes, judge.now)
    if !forgotten.isEmpty { try connection.run(Tokens.forget(forgotten)) }
    if !changes.retired.isEmpty { try connection.run(Tokens.retire(Array(changes.retired), at: now)) }
    if !changes.moved.isEmpty { try connection.run(Tokens.move(changes.moved, at: .zero)) }
    let records = changes.saved.sorted().compactMap { judge.records[$0] }
    var refused: Set<DeviceID> = []
    if !records.isEmpty {
      refused = changes.saved.subtracting(try connection.run(InstalledDevices.save(records)))
      let lost = records.filter { refused.contains($0.device) }.map {
        Tokens.Claimed(app: app.number, psid: $0.psid, network: $0.network, device: $0.device)
      }
      if !lost.isEmpty { try connection.run(Tokens.forget(lost)) }
    }
    if !changes.joined.isEmpty { try connection.run(Groups.join(changes.joined, at: now)) }
    if !changes.endedGuests.isEmpty { try connection.run(Users.forgetGuests(changes.endedGuests)) }
    // `renames: false` keeps existing names.
    let said = said(judge)
    if !said.isEmpty { _ = try connection.run(Users.name(said, renames: false)) }
    return refused
  }

  /// Returns the names and numbers to store for users who are new or lack them.
  private func said(_ judge: InstalledBaseRules) -> [(key: Users.Key, said: Users.Said)] {
    judge.changes.said.compactMap { user, said in
      if let known = judge.known[user], said.name.isEmpty || known.name, said.phone == nil || known.phone { return nil }
      let key = Users.Key(app: app.number, userKey: user)
      let phone = said.phone.flatMap { phone in phones?.seal(phone, of: key) }
      return (key, Users.Said(name: said.name, phone: phone))
    }
  }
}

extension Operations.Limits {
  /// Number of lines per transaction if each user may have only one device: registrations that name a user in the same
  /// lock slot (`Devices.lockNames`) wait until the transaction ends.
  static let installedNames = 128
}

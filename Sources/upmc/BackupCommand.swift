internal import ArgumentParser
internal import Domain
internal import Maintenance
internal import FoundationEssentials
internal import JSON
internal import Operations
internal import Server
internal import Store

/// `upmc backup`: writes the database to a file.
struct BackupCommand: ParsableCommand, StopsInOrder {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Write the whole database into a file, beside a running server.",
    discussion: """
      One instant of everything: apps, devices, users, messages, receipts, pages and media. Made by PostgreSQL's \
      pg_dump, which must be installed. The master key is not in it: keep that elsewhere, for without it the \
      credentials in the backup cannot be opened.

        upmc backup /backups/upmc-2026-12-24.dump
        upmc backup - | gpg --encrypt --recipient backups > upmc.dump.gpg
      """)

  @Argument(help: "The file, which must not be there yet; -: standard output.")
  var file: String

  @OptionGroup var here: LocalOnly
  @OptionGroup var output: OutputOptions

  func run() throws {
    let database = try Database(for: try Configuration(environment: ProcessInfo.processInfo.environment))
    defer { database.close() }
    guard file != "-" else { return try stream(database.url) }
    let bytes = try Backup.take(file, of: database.url)
    let (file, output) = (file, output)
    output.show(Taken(file: file, bytes: bytes), "Wrote \(file), \(bytes) bytes. The master key is not in it.")
  }

  private func stream(_ url: String) throws {
    guard !Output.isTerminal else {
      throw CommandError(
        "A backup is no text for a terminal. Lead it into a program or a file: `upmc backup - | gpg …`.")
    }
    try Backup.stream(url)
    Output.complain("Wrote the backup to standard output. The master key is not in it.")
  }

  private struct Taken: JSONAnswer {
    let file: String
    let bytes: Int64

    func write(to writer: inout JSONWriter) {
      writer.member("file", file)
      writer.member("bytes", bytes)
    }
  }
}

/// `upmc restore`: restores a database from a backup.
struct RestoreCommand: ParsableCommand, StopsInOrder {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Bring a backup back into an empty database.",
    discussion: """
      The server went on after the backup was taken, so nothing goes out by itself: messages that were not over are \
      paused, and apps with scheduled messages whose time has come. `upmc status --state paused` and the \
      console's list show the messages; resume or cancel each (`upmc message`). Short messages of finished messages \
      are called off if their time has come. Message numbers continue a million later, because devices drop numbers \
      that they have seen. Start the server afterwards, with the master key of the old one.

        createdb upmc2
        UPMC_DATABASE_URL=postgresql://upmc@db1/upmc2 upmc restore /backups/upmc-2026-12-24.dump
      """)

  @Argument(help: "A file that `upmc backup` has written.")
  var file: String

  @OptionGroup var here: LocalOnly
  @OptionGroup var output: OutputOptions

  func run() throws {
    let configuration = try Configuration(environment: ProcessInfo.processInfo.environment)
    try Restore.checkFile(file)
    // Without UPMC_DATABASE_URL it makes a private database, and says where.
    let database = try Database(configuration, report: { Output.complain($0) })
    defer { database.close() }
    let settled = try Restore.bring(
      file, into: database.url, migrations: configuration.migrationsDirectory, report: { Output.complain($0) })
    let answer = Restored(
      pausedMessages: settled.pausedMessages, pausedApps: settled.pausedApps,
      calledOffShortMessages: settled.calledOffFallbacks, nextSeqno: settled.lastSeqno.number + 1)
    output.show(
      answer,
      """
      Restored. Paused \(answer.pausedMessages) messages and \(answer.pausedApps) apps, because what they had to send \
      may have been sent after the backup. `upmc status --state paused` and the console's list show the messages. \
      Called off \(answer.calledOffShortMessages) short messages, which may already have been requested. The next \
      message is number \(answer.nextSeqno). Start the server with the master key that the backup was made with.
      """)
  }

  private struct Restored: JSONAnswer {
    let pausedMessages: Int64
    let pausedApps: Int64
    let calledOffShortMessages: Int64
    let nextSeqno: Int64

    func write(to writer: inout JSONWriter) {
      writer.member("pausedMessages", pausedMessages)
      writer.member("pausedApps", pausedApps)
      writer.member("calledOffShortMessages", calledOffShortMessages)
      writer.member("nextSeqno", String(nextSeqno))
    }
  }
}

internal import ArgumentParser
internal import Domain
internal import FoundationEssentials
internal import JSON
internal import Operations
internal import Reactor
internal import Server

/// `upmc master-key`: manages the key that encrypts all other keys and secrets.
struct MasterKeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "master-key", abstract: "Change the key that seals all others, while servers run.",
    discussion: """
      rotate makes a new key, waits until every node has it, has it seal, and seals anew all that the old one has sealed. \
      Run again, it goes on where it was: after a kill, and when it has told you to bring the new key to other machines. \
      Nothing is refused meanwhile; a key that does not open changes nothing.

        upmc master-key rotate
        upmc master-key list
        upmc master-key forget
      """,
    subcommands: [Rotate.self, List.self, Forget.self])

  struct Rotate: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make a new master key, or go on with one, until all is sealed with it.",
      discussion: """
        The new key is added to UPMC_MASTER_KEY_FILE as a line of its own; servers read the file again within a second. \
        Nodes on other machines have a file of their own: bring it there when this command asks for it, then run it again.

        Where this command may not write the file (the Debian package's, a secret of Compose or Kubernetes), add a new \
        key as its last line yourself (openssl rand -base64 32), then run this: it goes on with that key.

        Where UPMC_MASTER_KEY itself holds the key, add a new one to it by hand, behind a comma (openssl rand -base64 32), \
        restart the nodes one after the other, then run this.
        """)

    @Option(help: "Seconds to wait for the nodes.")
    var timeout = 20

    @OptionGroup var here: LocalOnly
    @OptionGroup var output: OutputOptions

    func run() throws {
      try withDatabase { database in
        let master = try database.masterKey()
        let connection = database.connection
        try MasterKeyRotation.adopt(master, on: connection)
        let former = master.sealingID
        let next = try MasterKeyRotation.isUnderWay(master, on: connection) ? former : try coming(master, database)
        try wait(for: next, database, .know)
        if next != former { try MasterKeyRotation.begin(next, master, by: .here, on: connection) }
        try wait(for: next, database, .seal)
        // A node may have encrypted with the old key until it loaded the new one.
        var told = Int.min
        repeat {
          try MasterKeyRotation.renew(master, on: connection) { count in
            guard count >= told + 10_000 else { return }
            told = count
            if count > 0 { Output.complain("\(count) telephone numbers are sealed anew.") }
          }
        } while try MasterKeyRotation.countLeft(master, on: connection) > 0
        let old = master.ids.filter { $0 != next }.map(\.description)
        output.show(
          .members(["key": .text(next.description), "former": .texts(old)]),
          """
          Everything is sealed with \(next). Only backups that were made before need \(old.joined(separator: ", ")): keep it \
          with them. `upmc master-key forget` removes it here.
          """)
      }
    }

    /// Returns the key to change to: one in the file that is not in use yet, or else a new one.
    private func coming(_ master: MasterKey, _ database: CommandDatabase) throws -> MasterKey.ID {
      if let waiting = try MasterKeyRotation.coming(master, on: database.connection) { return waiting }
      guard let path = MasterKeyFile.path(database.configuration) else {
        throw CommandError(
          """
          UPMC_MASTER_KEY holds one key. Add a new one behind a comma (openssl rand -base64 32) on every node, restart \
          them one after the other, and run this again.
          """)
      }
      let keys = try MasterKeyFile.read(database.configuration) + [MasterKey.makeBytes()]
      try MasterKeyFile.write(
        keys, to: path,
        orElse: """
          Add a new key as the last line of the file, where it comes from (openssl rand -base64 32), and run this again: \
          it goes on with that key.
          """)
      try master.take(keys)
      Output.complain("Made a new key, as the last line of \(path).")
      return master.ids[keys.count - 1]
    }

    /// How far a node is.
    private enum Stage {
      case know, seal

      func count(_ nodes: MasterKeyRotation.Nodes) -> Int64 { self == .know ? nodes.know : nodes.seal }
    }

    /// Waits until all running nodes have reached a stage: they know the key, or encrypt with it.
    /// - Throws: `CommandError` after `--timeout` seconds.
    private func wait(for id: MasterKey.ID, _ database: CommandDatabase, _ stage: Stage) throws {
      let clock = SystemClock()
      let deadline = clock.now + .seconds(timeout)
      while true {
        let nodes = try MasterKeyRotation.nodes(id, on: database.connection)
        let count = stage.count(nodes)
        if count == nodes.all { return }
        guard clock.now < deadline else {
          guard stage == .know else {
            throw CommandError(
              "Only \(count) of \(nodes.all) nodes seal with the key \(id) so far. Run this again: it goes on.")
          }
          let path = MasterKeyFile.path(database.configuration) ?? "UPMC_MASTER_KEY"
          throw CommandError(
            """
            Only \(count) of \(nodes.all) nodes have the key \(id) so far, and nothing was changed. Bring \(path) to the \
            machines of the others, which read it within a second (restart those that copy it when they start), and run \
            this again: it goes on.
            """)
        }
        Polling.rest(.milliseconds(200))
      }
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the master keys of this machine by their ids: which seals, and how much others still open.",
      discussion: "  upmc master-key list")

    @OptionGroup var here: LocalOnly
    @OptionGroup var output: OutputOptions

    func run() throws {
      try withDatabase { database in
        let master = try database.masterKey()
        let left = try MasterKeyRotation.countLeft(master, on: database.connection)
        let coming = try MasterKeyRotation.coming(master, on: database.connection)
        for id in master.ids {
          let state = id == master.sealingID ? "seals" : id == coming ? "coming" : "former"
          output.show(
            .members([
              "key": .text(id.description), "state": .text(state), "left": state == "former" ? .number(left) : nil,
            ]), "\(id)  \(state)\(state == "former" ? "; \(left) secrets wait to be sealed anew" : "")")
        }
      }
    }
  }

  struct Forget: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove the keys that nothing needs any more from this machine's file.",
      discussion: """
        Refused while anything in the database is sealed with them. Keep them with the backups that were made before.

          upmc master-key forget
        """)

    @OptionGroup var confirmation: Confirmation
    @OptionGroup var here: LocalOnly
    @OptionGroup var output: OutputOptions

    func run() throws {
      try withDatabase { database in
        let master = try database.masterKey()
        guard let path = MasterKeyFile.path(database.configuration) else {
          throw CommandError("UPMC_MASTER_KEY holds the keys: remove the old ones there, and restart the nodes.")
        }
        let old = master.ids.filter { $0 != master.sealingID }
        guard !old.isEmpty else { throw CommandError("\(path) holds one key, the one that seals.") }
        let left = try MasterKeyRotation.countLeft(master, on: database.connection)
        guard left == 0 else {
          throw CommandError("\(left) secrets are still sealed with another key. Run `upmc master-key rotate`.")
        }
        let names = old.map(\.description).joined(separator: ", ")
        try confirmation.ask("\(names) is removed from \(path); backups made before need it.")
        let keys = try MasterKeyFile.read(database.configuration)
        let kept = zip(master.ids, keys).filter { $0.0 == master.sealingID }.map(\.1)
        let lines = master.ids.indices.filter { master.ids[$0] != master.sealingID }.map { "\($0 + 1)" }
        try MasterKeyFile.write(
          kept, to: path,
          orElse: """
            Nothing that is stored needs \(names): remove line \(lines.joined(separator: ", ")) of the file, where it \
            comes from.
            """)
        output.show(
          .members(["removed": .texts(old.map(\.description))]), "Removed \(names) from \(path).")
      }
    }
  }
}

/// `upmc signing-key`: manages the server's own signing keys.
struct SigningKeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "signing-key", abstract: "Change the keys with which the server signs, while servers run.",
    discussion: """
      pushkey: proves receipts and reads. authkey: devices' own credentials. userproof: the secrets with which apps' \
      servers vouch for users. content: seals confidential messages. A new key signs 15 seconds after it is made, when \
      every node has read it; the former one verifies and opens until you end it.

        upmc signing-key rotate pushkey
        upmc signing-key list
        upmc signing-key end pushkey 1
      """,
    subcommands: [Rotate.self, List.self, End.self])

  struct Rotate: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make a new key of a kind; the former one goes on verifying.",
      discussion: """
          upmc signing-key rotate pushkey

        With userproof every app's secret changes: `upmc app policy APP --identity proof` (or strict, as the app is) shows \
        the new one. Proofs by the old secrets are taken until the former key is ended.
        """)

    @Argument(help: "pushkey, authkey, userproof or content.")
    var purpose: SigningKeys.Purpose

    @OptionGroup var here: LocalOnly
    @OptionGroup var output: OutputOptions

    func run() throws {
      try withDatabase { database in
        let generation = try SigningKeyRotation.rotate(
          purpose, master: try database.masterKey(), by: .here, on: database.connection)
        output.show(
          .members(["purpose": .text(purpose.rawValue), "generation": .number(generation)]),
          """
          Generation \(generation) signs in \(Operations.Limits.signingKeyRest) seconds. Those before it verify until \
          `upmc signing-key end`.
          """)
      }
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the signing keys, never the keys themselves.", discussion: "  upmc signing-key list")

    @OptionGroup var here: LocalOnly
    @OptionGroup var output: OutputOptions

    func run() throws {
      try withDatabase { database in
        let entries = try SigningKeyRotation.list(on: database.connection).map { try JSONTree(parsing: $0.json) }
        guard !output.json else { return entries.forEach { Output.line($0) } }
        let rows = entries.map { entry in
          ["purpose", "generation", "state", "activeAt"].map { entry.text($0) } + [entry.optional("endedAt") ?? "-"]
        }
        for line in ListOutput.lines(["PURPOSE", "GENERATION", "STATE", "SIGNS FROM", "ENDED"], rows) {
          Output.line(line)
        }
      }
    }
  }

  struct End: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "End a former key: what it has made proves nothing, and what it has sealed does not open.",
      discussion: """
        pushkey: 30 days after it was replaced no receipt needs it. authkey: devices get a new authKey whenever the app \
        registers, so wait until all have. content: messages that wait, and approvals, do not open any more.

          upmc signing-key end pushkey 1
        """)

    @Argument(help: "pushkey, authkey, userproof or content.")
    var purpose: SigningKeys.Purpose

    @Argument(help: "Its generation, as `upmc signing-key list` shows it.")
    var generation: Int32

    @OptionGroup var confirmation: Confirmation
    @OptionGroup var here: LocalOnly
    @OptionGroup var output: OutputOptions

    func run() throws {
      try withDatabase { database in
        try confirmation.ask("What \(purpose.rawValue) \(generation) has made is worth nothing from then on.")
        try SigningKeyRotation.end(purpose, generation, by: .here, on: database.connection)
        output.show(
          .members(["purpose": .text(purpose.rawValue), "generation": .number(generation)]),
          "Ended \(purpose.rawValue) \(generation).")
      }
    }
  }
}

extension SigningKeys.Purpose: ExpressibleByArgument {}

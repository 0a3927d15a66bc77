internal import ArgumentParser
internal import Domain

/// The command line of `upmc`.
struct UPMC: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "upmc",
    abstract: "A push message center: registers devices, sends through APNs and FCM, and knows what became of it.",
    discussion: """
      A first message, from nothing:

        upmc serve &
        upmc app create com.example.bank --name "Example Bank"
        upmc app credential com.example.bank --apns-key AuthKey.p8 \\
          --key-id ABCDE12345 --team-id FGHIJ67890
        upmc voucher com.example.bank kim01

      Now the app registers kim01's device, with the client key that `upmc app create` printed. Then:

        upmc send com.example.bank --user kim01 --body "A first push" --badge +1
        upmc status 1 --follow

      `upmc demo` shows all of it on this machine, with a simulator in Apple's place.

      Commands work on the database of this machine, beside a running server and without one; they are configured by the \
      same UPMC_… variables as the server (`upmc serve --help` lists them). Or they ask a server, wherever it is: with \
      --server and an API key, with UPMC_SERVER and UPMC_API_KEY, or with a context (`upmc context add`). Then you may do \
      what the key's role may.

      With --json every command prints one JSON object a line, and errors as JSON too. Exit status: 0 done, 1 failed, 2 \
      wrong usage.
      """,
    version: "\(Product.name) \(Product.version)",
    subcommands: [
      Serve.self, Migrate.self, AppCommand.self, GroupCommand.self, KeyCommand.self, VoucherCommand.self, Send.self,
      Upload.self, ChannelCommand.self,
      SavedCommand<TemplateWords>.self, SavedCommand<DraftWords>.self, SavedCommand<SenderWords>.self,
      MessageCommand.self, ApprovalCommand.self, UserCommand.self, DeviceCommand.self, SegmentCommand.self,
      TagCommand.self, ImportCommand.self, ExportCommand.self, QuarantineCommand.self,
      AccountCommand.self, WebhookCommand.self, ContextCommand.self, AuditCommand.self, StatisticsCommand.self,
      PersonCommand.self, ExplainCommand.self, Status.self, MasterKeyCommand.self, SigningKeyCommand.self,
      DoctorCommand.self, HealthCommand.self, BackupCommand.self, RestoreCommand.self,
      Demo.self,
    ])
}

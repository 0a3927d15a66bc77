import ArgumentParser

@main
struct TortureProgram: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "upmc-torture", abstract: "Does to a push center what life does, and checks what it promised.",
    subcommands: [Torture.self, Endurance.self, Crash.self], defaultSubcommand: Torture.self)
}

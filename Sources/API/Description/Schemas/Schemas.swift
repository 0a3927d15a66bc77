/// Every named schema of the document.
enum Schemas {
  static let all: [Node.Member] =
    problem + devices + confirmations + send + content + timing + answers + reports + audiences + administration + lists
    + accounts + statistics + people + server + deviceMessages + adRules + webhooks + saved + approvals + exchange
    + controllers
}

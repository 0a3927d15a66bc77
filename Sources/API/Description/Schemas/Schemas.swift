internal import JSON

/// Every named schema of the document.
enum Schemas {
  static let all: [JSONTree.Member] =
    problem + devices + confirmations + send + content + timing + answers + reports + audiences + administration + lists
    + Endpoint.accountSchemas + statistics + people + server + deviceMessages + adRules + Endpoint.webhookSchemas
    + saved + approvals
    + exchange
    + controllers
}

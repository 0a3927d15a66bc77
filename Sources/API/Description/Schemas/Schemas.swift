internal import JSON

/// Every named schema of the document.
enum Schemas {
  static let all: [JSONTree.Member] =
    problem + devices + confirmations + send + content + timing + answers + reports + audiences
    + Endpoint.segmentSchemas + Endpoint.tagSchemas
    + Endpoint.fileSchemas + Endpoint.groupSchemas + administration + Endpoint.quarantineSchemas + lists
    + Endpoint.accountSchemas + statistics + people + server + deviceMessages + Endpoint.adRuleSchemas
    + Endpoint.webhookSchemas
    + saved + Endpoint.approvalSchemas
    + Endpoint.importSchemas
    + controllers
}

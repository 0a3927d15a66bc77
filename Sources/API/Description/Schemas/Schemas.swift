internal import JSON

/// Every named schema of the document.
enum Schemas {
  static let all: [JSONTree.Member] =
    problem + Endpoint.deviceSchemas + Endpoint.deviceConsentSchemas + Endpoint.deviceUserSchemas
    + Endpoint.deviceGroupSchemas + Endpoint.deviceInboxSchemas + Endpoint.deviceBadgeSchemas + confirmations + send
    + content
    + Endpoint.uploadSchemas + timing + Endpoint.controlSchemas
    + Endpoint.sendAnswerSchemas + Endpoint.reportSchemas + Endpoint.messageListSchemas + audiences
    + Endpoint.segmentSchemas + Endpoint.tagSchemas
    + Endpoint.fileSchemas + Endpoint.groupSchemas + Endpoint.appSchemas + Endpoint.credentialSchemas
    + Endpoint.quarantineSchemas + Endpoint.keySchemas + Endpoint.auditSchemas
    + Endpoint.accountSchemas + Endpoint.statisticsSchemas + Endpoint.peopleSchemas + Endpoint.serverSchemas
    + deviceMessages + Endpoint.adRuleSchemas
    + Endpoint.webhookSchemas
    + Endpoint.savedSchemas + Endpoint.approvalSchemas
    + Endpoint.importSchemas
    + controllers
}

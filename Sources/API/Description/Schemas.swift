internal import Domain
internal import JSON
internal import Operations

/// All named schemas of the document, in its order. Add the lists of new endpoints' schemas here.
enum Schemas {
  static let all: [JSONTree.Member] =
    Problem.schemas
    + Endpoint.deviceSchemas + Endpoint.deviceConsentSchemas + Endpoint.deviceUserSchemas + Endpoint.deviceGroupSchemas
    + Endpoint.deviceInboxSchemas + Endpoint.deviceBadgeSchemas + Endpoint.confirmationSchemas
    + MessageRequest.schemas + MessageContent.schemas + MessageRequest.timingSchemas
    + Endpoint.uploadSchemas + Endpoint.storedUploadSchemas + Endpoint.testGroupSchemas
    + Endpoint.controlSchemas + Endpoint.sendAnswerSchemas
    + Endpoint.reportSchemas + Endpoint.messageListSchemas + Endpoint.messageRecordSchemas + Endpoint.statisticsSchemas
    + Endpoint.rankingSchemas
    + Segment.schemas + Endpoint.segmentSchemas + Endpoint.tagSchemas + Endpoint.fileSchemas + Endpoint.groupSchemas
    + Endpoint.peopleSchemas + Endpoint.quarantineSchemas
    + Endpoint.appSchemas + Endpoint.channelSchemas + Endpoint.credentialSchemas + Endpoint.keySchemas
    + Endpoint.auditSchemas
    + Endpoint.accountSchemas + Endpoint.adRuleSchemas
    + Endpoint.serverSchemas
    + Endpoint.serverStateSchemas + Endpoint.deviceMessageSchemas + Endpoint.webhookSchemas + EventKind.schemas
    + PayloadSchemas.all
    + Endpoint.savedSchemas
    + Endpoint.approvalSchemas + Endpoint.importSchemas + Endpoint.controllerSchemas
}

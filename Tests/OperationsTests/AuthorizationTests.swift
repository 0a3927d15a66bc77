import Domain
import Testing

@testable import Operations

@Suite struct AuthorizationTests {
  /// The whole table. A new permission without a line here fails the test.
  private static let allowed: [Permission: Set<Role>] = [
    .send: [.sender, .operator, .admin],
    .control: [.sender, .operator, .admin],
    .viewMessages: [.sender, .operator, .viewer, .admin],
    .manageGroups: [.operator, .admin],
    .manageQuarantine: [.operator, .admin],
    .manageAudiences: [.operator, .admin],
    .manageApps: [.admin],
    .vouch: [.sender, .admin],
    .viewPeople: [.operator, .viewer, .admin],
    .managePeople: [.operator, .admin],
    .erasePeople: [.admin],
    .manageContent: [.operator, .admin],
    .manageAccounts: [.admin],
    .viewAudit: [.admin],
    .manageEvents: [.operator, .admin],
    .viewContent: [.sender, .operator, .viewer, .admin],
    .importPeople: [.operator, .admin],
    .exportPeople: [.operator, .admin],
    .approve: [.operator, .admin],
  ]

  @Test(arguments: Permission.allCases) func `each role may do what the table says`(permission: Permission) throws {
    let roles = try #require(Self.allowed[permission])
    for role in Role.allCases {
      #expect(role.allows(permission) == roles.contains(role), "\(role) \(permission)")
      let caller = Caller(role: role, app: nil, apiKey: 1)
      if roles.contains(role) {
        try caller.require(permission)
      } else {
        #expect(throws: Problem.self) { try caller.require(permission) }
      }
    }
  }

  @Test func `a caller reaches its app, or all`() {
    #expect(Caller(role: .viewer, app: nil, apiKey: 1).reaches(3))
    #expect(Caller(role: .viewer, app: 3, apiKey: 1).reaches(3))
    #expect(!Caller(role: .admin, app: 3, apiKey: 1).reaches(4))
  }
}

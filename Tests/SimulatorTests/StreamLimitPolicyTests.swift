import Testing

@testable import Simulator

@Suite struct `Connection conduct` {
  @Test func `one stream until the first push is accepted, then a thousand`() {
    var conduct = StreamLimitPolicy(policy: .init(), isProven: false)
    #expect(conduct.limitToSend() == 1)
    #expect(conduct.limitToSend() == nil)
    #expect(conduct.pushRejected(.missingTopic) == .none)
    #expect(conduct.limitToSend() == nil)
    conduct.pushAccepted()
    #expect(conduct.limitToSend() == 1000)
  }

  @Test func `a certificate is trusted from the start`() {
    var conduct = StreamLimitPolicy(policy: .init(), isProven: true)
    #expect(conduct.limitToSend() == 1000)
  }

  @Test func `a rejection drops the limit and a success restores it, unless switched off`() {
    for drops in [true, false] {
      var policy = StreamLimitPolicy.Policy()
      policy.dropsLimit = drops
      var conduct = StreamLimitPolicy(policy: policy, isProven: true)
      _ = conduct.pushRejected(.badTopic)
      #expect(conduct.limit == (drops ? 1 : 1000))
      conduct.pushAccepted()
      #expect(conduct.limit == 1000)
    }
  }

  @Test func `a dead token and our own failures are not the provider's errors`() {
    var conduct = StreamLimitPolicy(policy: .init(), isProven: true)
    for reason in [Reason.unregistered, .expiredToken, .internalServerError, .serviceUnavailable, .shutdown] {
      #expect(conduct.pushRejected(reason) == .none)
    }
    #expect(conduct.limit == 1000)
    #expect(conduct.errorPoints == 0)
  }

  @Test func `errors end the connection, bad device tokens ten times sooner`() {
    var policy = StreamLimitPolicy.Policy()
    policy.errorPoints = 30
    var patient = StreamLimitPolicy(policy: policy, isProven: true)
    let outcomes = (1...31).map { _ in patient.pushRejected(.badTopic) }
    #expect(outcomes.firstIndex(of: .goAway(.badTopic)) == 29)
    #expect(outcomes.count { $0 == .none } == 30)
    var strict = StreamLimitPolicy(policy: policy, isProven: true)
    let early = (1...3).map { _ in strict.pushRejected(.badDeviceToken) }
    #expect(early == [.none, .none, .goAway(.badDeviceToken)])
    policy.errorPoints = 0
    var endless = StreamLimitPolicy(policy: policy, isProven: true)
    let late = (1...5000).map { _ in endless.pushRejected(.badDeviceToken) }
    #expect(late.allSatisfy { $0 == .none })
  }

  @Test func `a stream over a limit the client cannot know is refused, over a known one it is a violation`() {
    var conduct = StreamLimitPolicy(policy: .init(), isProven: false)
    _ = conduct.limitToSend()
    #expect(conduct.admit(openStreams: 1) == .admitted)
    #expect(conduct.admit(openStreams: 2) == .refused)
    conduct.settingsAcknowledged()
    #expect(conduct.admit(openStreams: 1) == .admitted)
    #expect(conduct.admit(openStreams: 2) == .violation)
    conduct.pushAccepted()
    _ = conduct.limitToSend()
    // The client may have seen the new limit, though its acknowledgement is still on the way.
    #expect(conduct.admit(openStreams: 1000) == .admitted)
    conduct.settingsAcknowledged()
    #expect(conduct.admit(openStreams: 1001) == .violation)
    _ = conduct.pushRejected(.badTopic)
    _ = conduct.limitToSend()
    #expect(conduct.admit(openStreams: 500) == .refused)
    conduct.settingsAcknowledged()
    #expect(conduct.admit(openStreams: 500) == .violation)
  }

  @Test func `a collapse overrides everything while it lasts`() {
    var conduct = StreamLimitPolicy(policy: .init(), isProven: true)
    _ = conduct.limitToSend()
    conduct.collapse(to: 3)
    #expect(conduct.limitToSend() == 3)
    conduct.pushAccepted()
    #expect(conduct.limitToSend() == nil)
    conduct.collapse(to: nil)
    #expect(conduct.limitToSend() == 1000)
  }
}

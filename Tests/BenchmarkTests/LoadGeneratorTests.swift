import Testing

@testable import upmc_benchmark

@Suite struct LoadGeneratorTests {
  @Test func `what wrk prints is read`() throws {
    let report = try #require(
      Wrk.parse(
        """
        Running 3s test @ http://127.0.0.1:8080/health
          2 threads and 64 connections
          Thread Stats   Avg      Stdev     Max   +/- Stdev
            Latency   455.10us  388.12us  12.31ms   92.11%
            Req/Sec    72.31k     4.10k   80.01k    70.00%
          Latency Distribution
             50%  391.00us
             75%  512.00us
             90%    1.20ms
             99%    2.04s
          431701 requests in 3.00s, 56.82MB read
        Requests/sec: 143900.33
        Transfer/sec:     18.94MB
        """))
    #expect(report.requests == 431_701)
    #expect(report.requestsPerSecond == 143_900.33)
    #expect(report.median == 0.391)
    #expect(report.percentile99 == 2040)
  }

  @Test func `half a report from wrk is none`() {
    #expect(Wrk.parse("431701 requests in 3.00s, 56.82MB read\nRequests/sec: 143900.33\n") == nil)
    #expect(Wrk.parse("unable to connect to 127.0.0.1:1 Connection refused\n") == nil)
  }

  @Test func `what h2load prints is read`() throws {
    let (accepted, seconds) = try #require(
      H2Load.parse(
        """
        finished in 563.92ms, 265996.10 req/s, 6.34MB/s
        requests: 150000 total, 150000 started, 150000 done, 149999 succeeded, 1 failed, 0 errored, 0 timeout
        status codes: 149999 2xx, 0 3xx, 1 4xx, 0 5xx
        """))
    #expect(accepted == 149_999)
    #expect(abs(seconds - 0.56392) < 1e-9)
    #expect(H2Load.parse("no such host") == nil)
  }

  @Test func `a run is told by the second of time and of processor`() {
    let run = PushRun(pushes: 1000, seconds: 2, processorSeconds: 0.5)
    #expect(run.perSecond == 500)
    #expect(run.perProcessorSecond == 2000)
  }

  @Test func `a load generator that is missing, or fails, is a failure`() throws {
    // Nobody listens there, and nobody gets it who asks for any port.
    let port: UInt16 = 9
    #expect(!Loopback.accepts(port))
    #expect(throws: (any Error).self) { try Wrk(connections: 1, seconds: 1).run(port: port, path: "/") }
  }
}

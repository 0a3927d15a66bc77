public import UPMCClient
internal import Foundation
#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// A transport that uses the system's `URLSession`, and therefore the system's proxies, certificates and rules (App
/// Transport Security).
///
/// A separate target, because Foundation's networking is a large library that the server's programs do not need.
///
/// **Redirects** are not followed, so that a key is never sent to another server. **Limits**: a call ends with an error
/// if its answer is too large or its timeout is over. **Nothing is stored**: no cookies, caches or credentials.
///
/// **Lifetime.** The session ends with the last copy of the transport, when its calls have ended. An app needs one
/// transport for its whole lifetime.
public struct URLSessionTransport: Transport, Sendable {
  /// Ends the session of a transport that nobody has closed. A session keeps its delegate until then, and its
  /// connections: an extension's process, which serves one push after another, would grow until the system ends it.
  private final class Owner: Sendable {
    let calls = SessionCalls()

    deinit { calls.close() }
  }

  private let owner = Owner()

  /// Creates a transport with its own session.
  public init() {}

  /// Ends the session when its calls have ended; later calls get `NoAnswer`.
  public func close() {
    owner.calls.close()
  }

  /// Sends a request.
  public func send(
    _ request: WireRequest, _ completion: @escaping @Sendable (Result<WireAnswer, NoAnswer>) -> Void
  ) {
    owner.calls.send(request, completion)
  }
}

/// The calls in progress.
///
/// **Threads.** The session calls back on one queue, `calls`, and the state of running calls is accessed only there;
/// the session itself is set before this object is shared.
private final class SessionCalls: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  private struct Call {
    let most: Int
    let completion: @Sendable (Result<WireAnswer, NoAnswer>) -> Void
    var body: [UInt8] = []
  }

  private let calls = OperationQueue()
  private var running: [Int: Call] = [:]
  private var session: URLSession?
  private var isClosed = false

  override init() {
    super.init()
    calls.maxConcurrentOperationCount = 1
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieStorage = nil
    configuration.urlCache = nil
    configuration.urlCredentialStorage = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    session = URLSession(configuration: configuration, delegate: self, delegateQueue: calls)
  }

  func close() {
    calls.addOperation { [self] in
      isClosed = true
      session?.finishTasksAndInvalidate()
    }
  }

  func send(
    _ request: WireRequest, _ completion: @escaping @Sendable (Result<WireAnswer, NoAnswer>) -> Void
  ) {
    guard let url = URL(string: request.url) else {
      return completion(.failure(NoAnswer("\(request.url) is no address")))
    }
    calls.addOperation { [self] in
      // A session that has ended stops the process when it is asked for another task.
      guard let session, !isClosed else { return completion(.failure(NoAnswer("the transport is closed"))) }
      let task = session.dataTask(with: Self.foundation(request, to: url))
      running[task.taskIdentifier] = Call(most: request.mostBytes, completion: completion)
      task.resume()
      // The session's own timeout restarts with every byte, so enforce a timeout for the whole call.
      // (The session keeps a running task; one that has ended would keep the session.)
      DispatchQueue.global().asyncAfter(deadline: .now() + request.seconds) { [weak task] in task?.cancel() }
    }
  }

  /// Converts a request to Foundation's.
  private static func foundation(_ request: WireRequest, to url: URL) -> URLRequest {
    var asked = URLRequest(url: url, timeoutInterval: request.seconds)
    asked.httpMethod = request.method
    asked.httpShouldHandleCookies = false
    if let bearer = request.bearer { asked.setValue("Bearer \(bearer)", forHTTPHeaderField: "Authorization") }
    if let body = request.body {
      asked.setValue("application/json", forHTTPHeaderField: "Content-Type")
      asked.httpBody = Data(body)
    }
    return asked
  }

  // MARK: Delegate

  /// Refuses a redirect, so that the answer is the redirect itself.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  /// Appends a part of the body, up to the limit.
  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let number = dataTask.taskIdentifier
    guard let (most, bytes) = running[number].map({ ($0.most, $0.body.count) }) else { return }
    guard bytes + data.count <= most else {
      finish(number, .failure(NoAnswer("the answer is longer than \(most) bytes")))
      return dataTask.cancel()
    }
    // In place: a copy for each part would be most of the memory that an extension may use for an image.
    if bytes == 0, let expected = dataTask.response?.expectedContentLength, (0...Int64(most)).contains(expected) {
      running[number]?.body.reserveCapacity(Int(expected))
    }
    running[number]?.body.append(contentsOf: data)
  }

  /// Completes the call.
  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let number = task.taskIdentifier
    guard let call = running[number] else { return }
    guard error == nil, let response = task.response as? HTTPURLResponse else {
      return finish(number, .failure(NoAnswer(error.map { ($0 as NSError).localizedDescription } ?? "no answer")))
    }
    let seconds = response.value(forHTTPHeaderField: "Retry-After").flatMap { Int($0) }
    finish(
      number,
      .success(
        WireAnswer(
          status: response.statusCode, retryAfterSeconds: seconds,
          contentType: response.value(forHTTPHeaderField: "Content-Type"), body: call.body)))
  }

  private func finish(_ number: Int, _ result: Result<WireAnswer, NoAnswer>) {
    running.removeValue(forKey: number)?.completion(result)
  }
}

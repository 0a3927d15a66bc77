internal import APNs
internal import Dispatcher
internal import FCM
internal import Metrics
internal import PushTransport
internal import TLS

/// The settings of connections to the push networks, shared by the server's senders and the checks of `ProviderProbe`.
enum SenderSettings {
  /// The objects to which senders report metrics and health.
  struct Gauges: Sendable {
    let metrics: Metrics
    let health: Health
    let lastAccepted: LastSuccess

    /// Returns gauges that nothing reads, for a program without metrics and health checks.
    static func unwatched() -> Gauges { Gauges(metrics: Metrics(), health: Health(), lastAccepted: LastSuccess()) }
  }

  static func apns(_ configuration: Configuration, _ gauges: Gauges) -> APNsConfiguration {
    var apns = APNsConfiguration()
    apns.wire.metrics = gauges.metrics
    apns.wire.lastAccepted = gauges.lastAccepted
    apns.wire.proxy = configuration.proxy
    apns.production = APNsEndpoint(host: configuration.apnsProduction.host, port: configuration.apnsProduction.port)
    apns.sandbox = APNsEndpoint(host: configuration.apnsSandbox.host, port: configuration.apnsSandbox.port)
    let (production, sandbox) = (configuration.apnsChannelsProduction, configuration.apnsChannelsSandbox)
    apns.channelsProduction = APNsEndpoint(host: production.host, port: production.port)
    apns.channelsSandbox = APNsEndpoint(host: sandbox.host, port: sandbox.port)
    if let file = configuration.caFile { apns.trust.files.append(file) }
    return apns
  }

  static func fcm(_ configuration: Configuration, _ gauges: Gauges) -> FCMConfiguration {
    var fcm = FCMConfiguration()
    fcm.wire.metrics = gauges.metrics
    fcm.wire.lastAccepted = gauges.lastAccepted
    fcm.wire.proxy = configuration.proxy
    fcm.endpoint = .init(host: configuration.fcm.host, port: configuration.fcm.port)
    fcm.messagesPerMinute = configuration.fcmMessagesPerMinute
    fcm.validatesOnly = configuration.fcmValidatesOnly
    if let file = configuration.caFile { fcm.trust.files.append(file) }
    return fcm
  }
}

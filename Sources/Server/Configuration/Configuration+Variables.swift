internal import Domain
internal import HTTPClient

/// All environment variables by topic. `upmc serve --help` and the handbook are generated from this list.
extension Configuration {
  /// The description of a variable in both languages of the handbook, and its default.
  package struct Variable: Sendable {
    package let name: String
    /// The default; empty where `meaning` describes what happens without a value.
    package let standard: String
    package let meaning: String
    let korean: String
  }

  package struct Topic: Sendable {
    package let title: String
    let korean: String
    package let variables: [Variable]
  }

  package static let topics: [Topic] = [
    Topic(title: "Addresses and TLS", korean: "주소와 TLS", variables: addressVariables + Listening.tlsVariables),
    Topic(title: "Database and keys", korean: "데이터베이스와 키", variables: storageVariables),
    Topic(title: "Limits", korean: "한도", variables: Listening.limitVariables),
    Topic(title: "Proxies in front of the server", korean: "서버 앞의 프록시", variables: Listening.proxyVariables),
    Topic(title: "Push networks and webhooks", korean: "푸시망과 웹훅", variables: networkVariables),
    Topic(title: "Outbound proxy", korean: "외부로 나가는 프록시", variables: proxyVariables),
    Topic(title: "Signing in to the console", korean: "콘솔 로그인", variables: consoleVariables),
    Topic(
      title: "Signing in at an identity provider (OpenID Connect)", korean: "통합 로그인(OpenID Connect)",
      variables: openIDVariables),
    Topic(title: "Retention", korean: "보관 기간", variables: keepingVariables),
    Topic(title: "Apps built with the existing SDK", korean: "기존 SDK로 만든 앱", variables: sdkVariables),
    Topic(title: "Logs and files", korean: "로그와 파일", variables: logVariables),
    Topic(title: "Commands that ask a server", korean: "서버에 요청하는 명령", variables: commandVariables),
    Topic(title: "Traces and metrics for a collector", korean: "수집기로 보내는 추적과 메트릭", variables: exportVariables),
  ]

  package static let variables: [Variable] = topics.flatMap(\.variables)

  private static let addressVariables = [
    Variable(
      name: "UPMC_LISTEN", standard: "0.0.0.0:8080", meaning: "address and port that the server listens on",
      korean: "서버가 요청을 받는 주소와 포트"),
    Variable(
      name: "UPMC_METRICS_LISTEN", standard: "",
      meaning:
        "address and port that show /metrics without a credential; keep it off the internet. Absent: /metrics needs an "
        + "API key that reaches every app",
      korean: "인증 없이 `/metrics`를 제공하는 주소와 포트. 인터넷에 열지 마세요. 없으면 `/metrics`에는 모든 앱에 접근하는 API 키가 필요합니다"),
    Variable(
      name: "UPMC_PUBLIC_URL", standard: "",
      meaning: "how devices reach this server, for links in payloads. Absent: no hosted pages and no media",
      korean: "단말이 이 서버에 접속하는 주소. 페이로드의 링크에 쓰입니다. 없으면 페이지와 미디어를 제공하지 않습니다"),
  ]

  private static let storageVariables = [
    Variable(
      name: "UPMC_DATABASE_URL", standard: "",
      meaning:
        "libpq URL, several hosts allowed; absent: a private PostgreSQL in UPMC_DATA_DIR, started and stopped by upmc",
      korean: "libpq URL. 호스트를 여러 개 쓸 수 있습니다. 없으면 `UPMC_DATA_DIR`에 전용 PostgreSQL을 만들고 함께 시작·종료합니다"),
    Variable(
      name: "UPMC_DATA_DIR", standard: ".upmc",
      meaning:
        "directory of the private PostgreSQL and its master key, and of uploads until they are stored (2 GiB at most)",
      korean: "전용 PostgreSQL과 마스터 키, 저장 전의 업로드 파일(최대 2 GiB)을 두는 디렉터리"),
    Variable(
      name: "UPMC_MASTER_KEY", standard: "",
      meaning:
        "32 bytes in base64 that seal credentials; made once with the private database, required with your own. While it "
        + "is rotated: all keys, with commas",
      korean: "인증 정보를 암호화하는 32바이트 키(base64). 전용 데이터베이스에서는 처음에 한 번 만들어지고, 직접 운영하는 데이터베이스에서는 필수입니다. "
        + "교체하는 동안에는 모든 키를 쉼표로 구분해 적습니다"),
    Variable(
      name: "UPMC_MASTER_KEY_FILE", standard: "",
      meaning:
        "file that holds the master key, while it is rotated one key a line; read again when it changes. Set this or "
        + "UPMC_MASTER_KEY",
      korean: "마스터 키가 든 파일. 교체하는 동안에는 한 줄에 키 하나씩 적습니다. 파일이 바뀌면 다시 읽습니다. `UPMC_MASTER_KEY`와 둘 중 하나만 설정합니다"),
  ]

  private static let networkVariables = [
    Variable(
      name: "UPMC_APNS_PRODUCTION_URL", standard: "https://api.push.apple.com", meaning: "Apple's production service",
      korean: "Apple 운영 서비스 주소"),
    Variable(
      name: "UPMC_APNS_SANDBOX_URL", standard: "https://api.sandbox.push.apple.com",
      meaning: "Apple's sandbox service", korean: "Apple 샌드박스 서비스 주소"),
    Variable(
      name: "UPMC_APNS_CHANNELS_PRODUCTION_URL", standard: "https://api-manage-broadcast.push.apple.com:2196",
      meaning: "where Apple's production service manages broadcast channels",
      korean: "Apple 운영 서비스의 브로드캐스트 채널 관리 주소"),
    Variable(
      name: "UPMC_APNS_CHANNELS_SANDBOX_URL", standard: "https://api-manage-broadcast.sandbox.push.apple.com:2195",
      meaning: "where Apple's sandbox manages broadcast channels", korean: "Apple 샌드박스의 브로드캐스트 채널 관리 주소"),
    Variable(
      name: "UPMC_FCM_URL", standard: "https://fcm.googleapis.com", meaning: "Google's service",
      korean: "Google 서비스 주소"),
    Variable(
      name: "UPMC_FCM_TOKEN_URL", standard: TokenAddress.google,
      meaning: "issues access tokens for it; a service account's file must name Google's address, or this one",
      korean: "액세스 토큰을 발급받는 주소. 서비스 계정 파일에는 Google의 주소 또는 이 주소가 적혀 있어야 합니다"),
    Variable(
      name: "UPMC_FCM_QUOTA", standard: "600000",
      meaning: "messages a minute of one Firebase project; all nodes on this database share it evenly",
      korean: "Firebase 프로젝트 하나의 분당 메시지 수. 같은 데이터베이스를 쓰는 모든 노드가 똑같이 나눠 씁니다"),
    Variable(
      name: "UPMC_FCM_VALIDATE_ONLY", standard: "false",
      meaning: "true: Google checks every message and delivers none, for trying out a set-up",
      korean: "`true`이면 Google이 메시지를 검사만 하고 전달하지 않습니다. 설정을 테스트할 때 씁니다"),
    Variable(
      name: "UPMC_CA_FILE", standard: "",
      meaning: "further trust anchors (PEM), for the simulator or a proxy that inspects TLS",
      korean: "추가로 신뢰할 인증서(PEM). 시뮬레이터나 TLS를 검사하는 프록시에 필요합니다"),
    Variable(
      name: "UPMC_WEBHOOK_PRIVATE", standard: "",
      meaning: "your networks (CIDR blocks, with commas) that webhooks may be in; otherwise only public addresses",
      korean: "웹훅을 보낼 수 있는 사내망(CIDR, 쉼표로 구분). 없으면 공인 주소로만 보냅니다"),
  ]

  private static let logVariables = [
    Variable(
      name: "UPMC_LOG_LEVEL", standard: "info",
      meaning:
        "trace, debug, info, notice, warning, error or critical. A warning or error that repeats is written at once, then "
        + "once a minute with how many were held back",
      korean: "`trace`, `debug`, `info`, `notice`, `warning`, `error`, `critical` 중 하나. 되풀이되는 경고와 오류는 처음에 바로 쓰고, "
        + "그 뒤로는 1분에 한 번 생략한 건수와 함께 씁니다"),
    Variable(
      name: "UPMC_LOG_FORMAT", standard: "text", meaning: "text (logfmt) or json",
      korean: "`text`(logfmt) 또는 `json`"),
    Variable(
      name: "UPMC_ACCESS_LOG", standard: "false",
      meaning:
        "true: a line for each request with id, method, path, status, client, microseconds, and callerRequestId, the "
        + "caller's own X-Request-Id. At level debug there is one anyway",
      korean: "`true`이면 요청마다 한 줄씩 남깁니다(id, method, path, status, client, 마이크로초, 호출자가 보낸 `X-Request-Id`). "
        + "`debug`에서는 항상 남깁니다"),
    Variable(
      name: "UPMC_COMMAND", standard: "upmc",
      meaning: "how people call this program here, for what the log advises (docker compose exec upmc upmc)",
      korean: "이 환경에서 프로그램을 실행하는 방법. 로그의 안내 문구에 쓰입니다(예: `docker compose exec upmc upmc`)"),
    Variable(
      name: "UPMC_MIGRATIONS_DIR", standard: "",
      meaning:
        "directory of the SQL migrations; absent: Migrations beside the program, in the working directory, or in "
        + "/usr/local/share/upmc or /usr/share/upmc",
      korean: "SQL 마이그레이션 디렉터리. 없으면 프로그램 옆, 작업 디렉터리, `/usr/local/share/upmc`, `/usr/share/upmc`의 "
        + "`Migrations`를 찾습니다"),
    Variable(
      name: "UPMC_PUBLIC_DIR", standard: "",
      meaning: "directory of the console and the handbook; absent: Public in the same places",
      korean: "콘솔과 안내서 파일의 디렉터리. 없으면 같은 곳에서 `Public`을 찾습니다"),
  ]
}

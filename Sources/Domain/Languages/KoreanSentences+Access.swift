/// Korean sentences about accounts, keys, signing in, approvals, queues and the server itself.
extension KoreanSentences {
  static let access = """
    {1}, who asked for it, may not send any more.
    = 요청한 {1}에게 더 이상 발송 권한이 없습니다.
    The app {1} has {2} API keys, and can have no more. Revoke some first.
    = {1} 앱의 API 키는 {2}개까지 만들 수 있습니다. 사용하지 않는 키를 먼저 폐기하세요.
    The app {1} has {2} webhooks, and can have no more. Delete some first.
    = {1} 앱의 웹훅은 {2}개까지 만들 수 있습니다. 사용하지 않는 웹훅을 먼저 삭제하세요.
    The approval {1} was decided meanwhile.
    = 승인 요청 {1}은(는) 그 사이 처리되었습니다.
    must have at most {1} bytes
    = {1}바이트까지 쓸 수 있습니다
    The approval {1} ended {2}. Send it again.
    = 승인 요청 {1}은(는) {2}에 만료되었습니다. 다시 보내세요.
    The approval {1} was decided by {2} already.
    = 승인 요청 {1}은(는) {2}이(가) 이미 처리했습니다.
    A second person is asked: sign in with an account, or use `upmc approval`.
    = 다른 사람이 자신의 계정으로 승인해야 합니다.
    Whoever asked for a message cannot approve it: it needs a second person.
    = 요청한 사람은 승인할 수 없습니다. 다른 사람이 승인해야 합니다.
    The account {1} is younger than the request. Somebody whose account was there before must approve it.
    = {1} 계정은 요청보다 나중에 만들어졌습니다. 요청 전부터 있던 계정으로 승인해야 합니다.
    The account {1} was created, or given a sign-in link, by {2}, who asked. Somebody else must approve it.
    = {1} 계정은 요청한 {2}이(가) 만들었거나 로그인 링크를 발급한 계정입니다. 다른 사람이 승인해야 합니다.
    The account {1}, which asked, was created, or given a sign-in link, by {2} a few days before. Somebody else must approve it.
    = {2}이(가) 며칠 전에 요청 계정({1})을 만들었거나 그 로그인 링크를 발급했습니다. 다른 사람이 승인해야 합니다.
    The same Idempotency-Key is being used by another request. Try again.
    = 같은 요청을 처리하고 있습니다. 잠시 후 다시 시도하세요.
    The key "{1}" was used for another request (approval {2}). Use a new key for a new message.
    = Idempotency-Key “{1}”은(는) 다른 내용의 요청에 이미 쓰였습니다(승인 요청 {2}). 새 키로 보내세요.
    This request was not approved in time (approval {1}). Send it again with a new Idempotency-Key.
    = 기한 안에 승인되지 않은 요청입니다(승인 요청 {1}). 새 Idempotency-Key로 다시 보내세요.
    This request was rejected by {1} (approval {2}).
    = {1}이(가) 반려한 요청입니다(승인 요청 {2}).
    state must be one of waiting, approved, rejected, expired.
    = state는 waiting, approved, rejected, expired 중 하나여야 합니다.
    There is no approval {1}.
    = 승인 요청 {1}을(를) 찾을 수 없습니다.
    A key for one app cannot make a key for all.
    = 한 앱의 권한으로 모든 앱의 키를 만들 수 없습니다.
    must be in the future
    = 지금 이후의 시각이어야 합니다
    This API key is not known, was revoked, or has ended. Make one with `upmc key create`.
    = API 키가 등록되지 않았거나, 폐기되었거나, 만료되었습니다. `upmc key create`로 만드세요.
    The role {1} may not do this.
    = {1} 역할로는 할 수 없습니다.
    This credential is for another app than {1}.
    = {1} 앱에 대한 권한이 없습니다.
    is written by the server, for messages that devices send
    = 단말이 보내는 메시지에 서버가 쓰는 항목입니다
    Nobody disables or degrades the account they are signed in with.
    = 로그인한 자신의 계정은 중지하거나 권한을 낮출 수 없습니다.
    Nobody makes a link for the account they are signed in with. Another administrator does.
    = 로그인한 자신의 계정에는 로그인 링크를 만들 수 없습니다. 다른 관리자에게 요청하세요.
    Another administrator resets it; your own you replace with one of your codes.
    = 본인의 2단계 인증은 직접 초기화할 수 없습니다. 인증 코드로 변경하거나 다른 관리자에게 요청하세요.
    There is no account {1}, or it is disabled, or it signs in elsewhere.
    = {1} 계정이 없거나, 사용 중지되었거나, 통합 로그인을 사용합니다.
    must have at least {1} characters, and at most {2} bytes
    = {1}자 이상, {2}바이트 이하로 입력하세요
    is among the first that are guessed: choose something longer, such as several unrelated words
    = 쉽게 추측할 수 있는 비밀번호입니다. 서로 관련 없는 단어를 여러 개 이어 더 길게 입력하세요
    Only an account that signs in here has a password.
    = 비밀번호로 로그인하는 계정에만 비밀번호가 있습니다.
    is not the current password
    = 현재 비밀번호가 아닙니다
    The sign-in link was opened more than {1} minutes ago. Sign in again, with the password or another link.
    = 로그인 링크를 연 지 {1}분이 지났습니다. 비밀번호나 새 링크로 다시 로그인하세요.
    This server has no master key to seal second factors with.
    = 서버에 마스터 키(UPMC_MASTER_KEY)가 없어 2단계 인증을 저장할 수 없습니다. 관리자에게 문의하세요.
    Ask for a new secret first.
    = 먼저 새 QR 코드를 발급하세요.
    Another secret was made meanwhile. Begin again.
    = 그 사이 다른 QR 코드가 발급되었습니다. 처음부터 다시 하세요.
    The role {1} needs a second factor here. Replace it instead.
    = {1} 역할은 2단계 인증이 필수이므로 해제할 수 없습니다. 휴대폰을 변경하세요.
    Only a console account has a second factor.
    = 2단계 인증은 콘솔 계정에만 있습니다.
    This account's second factor is the identity provider's matter.
    = 이 계정의 2단계 인증은 통합 로그인에서 관리합니다.
    The account has no second factor.
    = 2단계 인증이 등록되지 않은 계정입니다.
    is wrong, is over, or was used before
    = 인증 코드가 틀렸거나, 만료되었거나, 이미 사용한 코드입니다
    Only a caller that reaches every app may see the server's state.
    = 모든 앱에 대한 권한이 있어야 서버 상태를 볼 수 있습니다.
    You are not signed in there any more.
    = 이미 종료된 로그인입니다.
    Only a console account has sessions; an API key is revoked to end it.
    = 로그인은 콘솔 계정에만 있습니다. API 키는 폐기하여 종료합니다.
    Accounts sign in at the identity provider here, without a password.
    = 비밀번호 로그인은 사용하지 않습니다. 통합 로그인을 이용하세요.
    Send the code of the authenticator app, or a recovery code, as "code".
    = 인증 앱의 코드나 복구 코드를 입력하세요.
    This server has no master key to check codes with.
    = 서버에 마스터 키(UPMC_MASTER_KEY)가 없어 인증 코드를 확인할 수 없습니다. 관리자에게 문의하세요.
    Login and password do not belong together, or the link was used or is over.
    = 로그인 정보가 맞지 않거나, 링크가 이미 쓰였거나 만료되었습니다.
    Give login and password, or link.
    = 로그인 ID와 비밀번호, 또는 링크를 입력하세요.
    This browser is signed in as {1}, and the link is another account's. Ask whose page it is to be; then send \
    "replace": true.
    = {1} 계정으로 로그인되어 있으며, 이 링크는 다른 계정의 링크입니다.
    The console is not open to this address (UPMC_CONSOLE_ADDRESSES).
    = 이 IP에서는 콘솔을 사용할 수 없습니다. 관리자에게 문의하세요.
    The session is over. Sign in again.
    = 세션이 끝났습니다. 다시 로그인하세요.
    Send the session's csrfToken in the header X-CSRF-Token.
    = 보안 토큰이 맞지 않습니다. 페이지를 새로 고친 뒤 다시 시도하세요.
    Signing in failed too often. Wait {1} seconds, or ask an administrator for a link.
    = 로그인에 너무 여러 번 실패했습니다. {1}초 뒤에 다시 시도하거나 관리자에게 링크를 요청하세요.
    Signing in failed too often. Wait {1} minutes, or ask an administrator for a link.
    = 로그인에 너무 여러 번 실패했습니다. {1}분 뒤에 다시 시도하거나 관리자에게 링크를 요청하세요.
    holds no readable ID token
    = 읽을 수 있는 ID 토큰이 없습니다
    holds an ID token that is not signed by RS256 or ES256
    = ID 토큰이 RS256이나 ES256으로 서명되지 않았습니다
    holds an ID token that none of the provider's keys signed
    = ID 토큰의 서명이 통합 로그인 서버의 키와 맞지 않습니다
    holds an ID token of another issuer
    = ID 토큰의 발급자가 다릅니다
    holds an ID token for another client
    = 다른 클라이언트의 ID 토큰입니다
    holds an ID token that was issued to another client
    = 다른 클라이언트에 발급된 ID 토큰입니다
    holds an ID token of another sign-in (nonce)
    = 다른 로그인의 ID 토큰입니다(nonce)
    holds an ID token that has expired: are the clocks right?
    = ID 토큰이 만료되었습니다. 서버 시각을 확인하세요
    holds an ID token that was not issued now: are the clocks right?
    = ID 토큰의 발급 시각이 맞지 않습니다. 서버 시각을 확인하세요
    holds an ID token that is not valid yet: are the clocks right?
    = 아직 유효하지 않은 ID 토큰입니다. 서버 시각을 확인하세요
    {1} has no description
    = {1}에 설정 정보가 없습니다
    {1} describes another issuer than UPMC_OIDC_ISSUER names
    = {1}의 발급자가 UPMC_OIDC_ISSUER와 다릅니다
    {1} names no usable endpoints
    = {1}에 사용할 수 있는 엔드포인트가 없습니다
    The identity provider cannot be used: {1}.
    = 통합 로그인 서버를 사용할 수 없습니다: {1}. 잠시 후 다시 시도하세요.
    {1} has no keys
    = {1}에 키가 없습니다
    its token endpoint answers {1}
    = 토큰 엔드포인트가 {1}(으)로 응답했습니다
    holds a code that the provider itself does not take{1}
    = 통합 로그인 서버가 로그인 코드를 받지 않습니다{1}
    This server knows no identity provider (UPMC_OIDC_ISSUER).
    = 통합 로그인이 설정되지 않았습니다. 관리자에게 문의하세요.
    The identity provider's answer is refused: it {1}.
    = 통합 로그인 응답을 받아들일 수 없습니다: {1}.
    does not belong to a sign-in that this browser has begun, or came too late
    = 이 브라우저에서 시작한 로그인이 아니거나 시간이 초과되었습니다. 다시 로그인하세요
    The account is disabled here.
    = 사용이 중지된 계정입니다. 관리자에게 문의하세요.
    The identity provider gives you nothing that opens this console ({1}). Ask whoever manages accounts there.
    = 통합 로그인 계정에 이 콘솔의 사용 권한({1})이 없습니다. 계정 관리자에게 권한을 요청하세요.
    The login {1} belongs to an account that does not sign in at the identity provider. An administrator gives \
    that one another login, or disables it and makes a new one.
    = {1} 계정은 통합 로그인이 아닌 계정으로 이미 등록되어 있습니다. 관리자에게 문의하세요.
    The identity provider names an app that is not known here.
    = 통합 로그인에 설정된 앱이 등록되어 있지 않습니다. 관리자에게 문의하세요.
    The account was removed meanwhile.
    = 그 사이 계정이 삭제되었습니다.
    does not say who the person is (sub)
    = 누구인지 알 수 없습니다(sub)
    holds no usable name to sign in with ({1})
    = 로그인에 쓸 이름이 없습니다({1})
    holds an e-mail address that is not verified
    = 확인되지 않은 이메일 주소입니다
    names several apps ({1}): an account reaches one, or all with *
    = 앱이 여러 개입니다({1}). 계정에는 앱 하나 또는 전체(*)만 지정할 수 있습니다
    Nothing of it was carried out. Try again in a moment.
    = 처리되지 않았습니다. 잠시 후 다시 시도하세요.
    No such path. The admin API is below /v1/admin.
    = 없는 경로입니다. 관리 API는 /v1/admin 아래에 있습니다.
    No such path. The API is described at /openapi.json.
    = 없는 경로입니다. API 설명은 /openapi.json에 있습니다.
    The database does not answer. Try again in a moment.
    = 데이터베이스가 응답하지 않습니다. 잠시 후 다시 시도하세요.
    This server is stopping. Try again in a moment.
    = 서버를 종료하고 있습니다. 잠시 후 다시 시도하세요.
    This server is stopping, and nothing of the request was applied. Send it again in a moment.
    = 서버를 종료하고 있어 처리하지 않았습니다. 잠시 후 다시 시도하세요.
    The role {1} needs a second factor. Set it up first.
    = {1} 역할은 2단계 인증이 필수입니다. 먼저 등록하세요.
    This changes access or an app's settings, and you signed in over {1} minutes ago. Sign in again.
    = 접근 권한이나 앱 설정을 바꾸는 작업이며, 로그인한 지 {1}분이 지났습니다. 다시 로그인하세요.
    Too many admin requests are waiting. Try again in a moment.
    = 요청이 많아 지금은 처리할 수 없습니다. 잠시 후 다시 시도하세요.
    Too many requests wait. Try again in a moment.
    = 요청이 많아 지금은 처리할 수 없습니다. 잠시 후 다시 시도하세요.
    {1} {2} wait already. Wait for answers before sending more.
    = 처리를 기다리는 요청이 이미 한도에 이르렀습니다({1} {2}). 응답을 받은 뒤 다시 시도하세요.
    requests of {1}
    = 건: {1}
    MiB in requests of {1}
    = MiB 크기의 요청: {1}
    Signing in is for browsers.
    = 로그인은 브라우저에서만 할 수 있습니다.
    Numbers as they change come from a server.
    = 실시간 수치는 실행 중인 서버에서만 볼 수 있습니다.
    All {1} {2} are open. Try again in a moment.
    = 동시에 열 수 있는 연결({1} {2})을 모두 사용 중입니다. 잠시 후 다시 시도하세요.
    {1} {2} of {3} are open already, which is its share. Close one, or wait for its end.
    = {3}의 연결({1} {2})이 한도만큼 열려 있습니다. 하나를 닫거나 끝날 때까지 기다리세요.
    Say which: {1}?{2}=…
    = 요청에 필요한 항목이 빠졌습니다: {1}?{2}=…
    Send JSON with Content-Type: application/json.
    = JSON을 Content-Type: application/json으로 보내세요.
    Send "Authorization: Bearer <API key>". `upmc key create` makes one.
    = "Authorization: Bearer <API 키>"를 보내세요. 키는 `upmc key create`로 만듭니다.
    Use {1} here.
    = 여기서는 {1}을(를) 쓰세요.
    It gives no connection for admin requests: raise max_connections, or run fewer nodes.
    = 관리 요청에 쓸 데이터베이스 연결이 없습니다. max_connections를 늘리거나 노드를 줄이세요.
    Send requests elsewhere, or try again in a moment.
    = 다른 서버로 보내거나 잠시 후 다시 시도하세요.
    Send "Authorization: Bearer <API key>", or ask at UPMC_METRICS_LISTEN.
    = "Authorization: Bearer <API 키>"를 보내거나 UPMC_METRICS_LISTEN 주소로 요청하세요.
    This API key is not known, or was revoked. Make one with `upmc key create`.
    = API 키가 등록되지 않았거나 폐기되었습니다. `upmc key create`로 만드세요.
    This API key is for one app; the metrics tell about all of them.
    = 한 앱의 API 키로는 전체 지표를 볼 수 없습니다.
    An API key is not signed in; revoke it to end it.
    = API 키에는 로그인이 없습니다. 폐기하여 종료하세요.
    An account's number is a whole number, as lists show it.
    = 계정 번호는 목록에 표시되는 정수입니다.
    An API key's id is a whole number, as lists show it.
    = API 키 번호는 목록에 표시되는 정수입니다.
    A session's number is a whole number, as lists show it.
    = 로그인 번호는 목록에 표시되는 정수입니다.
    An approval's id is a whole number, as lists show it.
    = 승인 요청 번호는 목록에 표시되는 정수입니다.
    The state of a node comes from a running server.
    = 노드 상태는 실행 중인 서버에서만 볼 수 있습니다.
    this is no address
    = 올바른 주소가 아닙니다
    The identity provider does not answer at {1}: {2}.
    = 통합 로그인 서버({1})가 응답하지 않습니다: {2}. 잠시 후 다시 시도하세요.
    Here are /metrics, /health and /ready.
    = 여기에는 /metrics, /health, /ready가 있습니다.
    The server starts when it is back. Try again in a moment.
    = 데이터베이스가 돌아오면 서버가 시작됩니다. 잠시 후 다시 시도하세요.
    The database has not said whether this was stored. Repeat it with the same Idempotency-Key, or look before \
    you repeat it.
    = 저장되었는지 확인할 수 없습니다. 같은 Idempotency-Key로 다시 보내거나, 결과를 확인한 뒤 다시 시도하세요.
    limit must be a whole number from {1} to {2}.
    = limit은 {1}~{2} 사이의 정수여야 합니다.
    limit must be a whole number from 1 to {1}.
    = limit은 1~{1} 사이의 정수여야 합니다.
    status must be one of {1}.
    = status는 다음 중 하나여야 합니다: {1}.
    cursor must be the nextCursor of the page before.
    = cursor는 앞 페이지의 nextCursor여야 합니다.
    The server's log says more under this request id.
    = 자세한 내용은 이 요청 ID로 서버 로그에서 확인하세요.
    This machine's clock is {1}: {2}.
    = 서버 시각이 맞지 않습니다({1}): {2}.
    nothing is sent until one of them is set right
    = 시각을 맞출 때까지 발송하지 않습니다
    set both by NTP
    = 두 서버의 시각을 NTP로 맞추세요
    The dispatcher has no lease: it cannot write to the database.
    = 발송 엔진이 데이터베이스에 쓸 수 없습니다.
    Deliveries are read and too old to be sent, again and again: the database is too slow.
    = 데이터베이스가 너무 느려 발송 건을 제때 읽지 못합니다.
    {1} credentials cannot be used; the log says which.
    = 사용할 수 없는 인증 정보가 {1}개 있습니다. 로그를 확인하세요.
    {1} credentials end within {2} days.
    = {2}일 안에 만료되는 인증 정보가 {1}개 있습니다.
    The database has not been sampled lately.
    = 최근 데이터베이스 상태를 확인하지 못했습니다.
    {1} apps are paused: see `upmc app list`.
    = 발송이 정지된 앱이 {1}개 있습니다.
    {1} messages are set aside because they cannot be processed: see why each is paused.
    = 처리할 수 없어 보류한 메시지가 {1}건 있습니다. 각 메시지의 정지 사유를 확인하세요.
    {1} deliveries wait although they are due.
    = 예정 시각이 지난 발송 {1}건이 대기하고 있습니다.
    The database's disk is full: nothing can be stored.
    = 데이터베이스의 디스크가 가득 차 저장할 수 없습니다.
    must have 1 to {1} bytes and no blanks: an e-mail address
    = 공백 없이 1~{1}바이트의 이메일 주소를 입력하세요
    this API key
    = 이 API 키
    this account
    = 이 계정
    this address
    = 이 IP
    live views
    = 실시간 화면
    exports
    = 내보내기
    this app
    = 이 앱
    callers that are not known yet
    = 아직 확인되지 않은 요청자
    """
}

/// Whose phone is this: who can do what with what they know, by the identity that an app has.
extension Handbook {
  static let securityModel = Handbook(
    name: "security",
    title: Text("Security model", "보안 모델"),
    lead: Text(
      """
      Who gets a customer's pushes, and what somebody can do who knows a customer number, a device id, a token or a key. \
      Each line of the table below is held by tests through both doors.
      """,
      """
      고객에게 가는 푸시를 누가 받는지, 고객 번호·단말 ID·토큰·키를 아는 사람이 무엇을 할 수 있는지 설명합니다. \
      아래 표의 각 항목은 두 접속 경로(`/v1`, `.ctl`)에서 테스트로 확인합니다.
      """),
    sections: [identities, attackers, vouching, rows, stricter, keys, stored])

  private static let identities = Section(
    title: Text("Three identities", "세 가지 신원 확인 방식"),
    blocks: [
      .table(
        head: [Text("Identity", "방식"), Text("A device is a user's when", "단말이 사용자의 것이 되는 조건")],
        rows: [
          [
            Text("`proof`, as every new app has it", "`proof` (새 앱의 기본값)"),
            Text(
              "the app's own server vouches for the user. Without that the device is registered as a guest.",
              "앱 서버가 사용자를 확인해 줄 때. 확인이 없으면 단말은 게스트로 등록됩니다."),
          ],
          [
            Text("`open`", "`open`"),
            Text(
              """
              it says so. Whoever knows a customer number and has the app gets that customer's pushes, one-time codes \
              among them. For apps with the existing SDK, as long as their server cannot vouch for anybody.
              """,
              """
              단말이 그렇게 말할 때. 앱이 있고 고객 번호를 아는 사람은 일회용 비밀번호를 포함한 그 고객의 푸시를 받습니다. \
              기존 SDK 앱의 서버가 아직 사용자를 확인해 줄 수 없을 때만 쓰세요.
              """),
          ],
          [
            Text("`strict`", "`strict`"),
            Text(
              """
              the app's server vouches for the user and the device has brought back a push that went to its token. Only \
              through `/v1`.
              """,
              "앱 서버가 사용자를 확인하고, 단말이 자기 토큰으로 온 푸시를 되돌려 보냈을 때. `/v1`로만 등록합니다."),
          ],
        ]),
      .prose(
        Text(
          """
          `upmc app create` makes an app with `proof`; `--identity open` or `strict` is an explicit decision. `upmc \
          doctor` and the console show what each app has.
          """,
          """
          `upmc app create`는 `proof` 앱을 만듭니다. `--identity open`이나 `strict`는 명시적으로 정해야 합니다. 각 앱의 방식은 \
          `upmc doctor`와 콘솔에서 볼 수 있습니다.
          """)),
    ])

  private static let attackers = Section(
    title: Text("What somebody can do who knows …", "공격자가 알고 있는 것과 할 수 있는 일"),
    blocks: [
      .table(
        head: [
          Text("… this", "알고 있는 것"), Text("in `open`", "`open`"), Text("in `proof`", "`proof`"),
          Text("in `strict`", "`strict`"),
        ],
        rows: [
          [
            Text("bundle id and customer number, also the client key", "번들 ID와 고객 번호(클라이언트 키 포함)"),
            Text(
              "gets the pushes (event `device.added`), not those that are kept for proved devices; renames nobody",
              "푸시를 받음(`device.added` 이벤트 발생). 확인된 단말 전용 메시지는 받지 못하고 이름도 바꿀 수 없음"),
            Text("a guest row of his own", "자신의 게스트 단말만 등록됨"),
            Text("a guest row of his own", "자신의 게스트 단말만 등록됨"),
          ],
          [
            Text("a DEVICE_ID", "DEVICE_ID"),
            Text("a guest row of his own", "자신의 게스트 단말만 등록됨"),
            Text("a guest row of his own", "자신의 게스트 단말만 등록됨"),
            Text("a guest row of his own", "자신의 게스트 단말만 등록됨"),
          ],
          [
            Text("a push token (PSID), at `.ctl`", "푸시 토큰(PSID), `.ctl`에서"),
            Text(
              "unregisters, sets the badge, joins and leaves groups; no user moves to another token",
              "등록 해지, 배지 설정, 그룹 가입·탈퇴. 사용자를 다른 토큰으로 옮기지는 못함"),
            Text(
              "asks whether it is registered, says that it is there, confirms receipts and reads",
              "등록 여부 조회, 접속 알림, 수신·읽음 확인만 가능"),
            Text("is refused", "거부됨"),
          ],
          [
            Text("PSID and DEVICE_ID, with another token", "PSID와 DEVICE_ID, 다른 토큰 사용"),
            Text(
              "a guest row (with `keepsUserOnRefresh` the pushes: it is off unless somebody switches it on)",
              "게스트 단말(`keepsUserOnRefresh`를 켜면 푸시를 가져감, 기본은 꺼짐)"),
            Text("a guest row", "게스트 단말"), Text("a guest row", "게스트 단말"),
          ],
          [
            Text("the authKey of another device or app", "다른 단말이나 다른 앱의 authKey"),
            Text("nothing", "없음"), Text("nothing", "없음"), Text("nothing", "없음"),
          ],
          [
            Text("a stolen `userProof`", "탈취한 `userProof`"), Text("–", "–"),
            Text(
              "a further device of that user (event); make proofs that end (JSON Web Tokens), or use vouchers",
              "그 사용자의 단말이 추가됨(이벤트 발생). 만료되는 증명(JWT)이나 바우처를 사용하세요"),
            Text(
              "the same, once a push has reached that device", "같음. 단, 그 단말에 푸시가 도달해야 함"),
          ],
          [
            Text("a viewer's account", "조회 권한 계정"),
            Text("the first eight characters of a token", "토큰의 앞 8자"),
            Text("the first eight characters of a token", "토큰의 앞 8자"),
            Text("the first eight characters of a token", "토큰의 앞 8자"),
          ],
          [
            Text("a stolen backup", "탈취한 백업"), Text("as with each PSID", "각 PSID를 아는 것과 같음"),
            Text("as with each PSID", "각 PSID를 아는 것과 같음"), Text("nothing with a PSID", "PSID로는 할 수 있는 일이 없음"),
          ],
        ])
    ])

  private static let vouching = Section(
    title: Text("How the app's server vouches for a user", "앱 서버가 사용자를 확인하는 방법"),
    blocks: [
      .table(
        head: [Text("Way", "방법"), Text("Good for", "용도")],
        rows: [
          [
            Text(
              """
              `userProof` in `/v1`: the HMAC-SHA-256 of the clientUid in hex, or a JSON Web Token (HS256) with `sub` and \
              `exp`, by the secret that `upmc app policy APP --user-proof on` prints
              """,
              """
              `/v1`의 `userProof`: clientUid의 HMAC-SHA-256(16진수) 또는 `sub`와 `exp`가 있는 JWT(HS256). 비밀 값은 `upmc app \
              policy APP --user-proof on`이 출력합니다
              """),
            Text("apps that you change", "수정할 수 있는 앱"),
          ],
          [
            Text("the field `USERPROOF` in `.ctl`", "`.ctl`의 `USERPROOF` 필드"),
            Text("SDK apps that can add a field", "필드를 추가할 수 있는 SDK 앱"),
          ],
          [
            Text("the end of `CNAME`, behind U+001F", "`CNAME` 끝에 U+001F 다음에 붙이기"),
            Text("SDK apps that control nothing but the name", "이름만 바꿀 수 있는 SDK 앱"),
          ],
          [
            Text(
              "a voucher: `POST /v1/admin/users/{clientUid}/vouchers` by your server at log-in, or `upmc voucher`",
              "바우처: 로그인 시 서버가 `POST /v1/admin/users/{clientUid}/vouchers` 호출, 또는 `upmc voucher`"),
            Text("SDK apps as they are", "수정하지 않은 SDK 앱"),
          ],
        ]),
      .prose(
        Text(
          """
          A voucher is good for one registration and at most 15 minutes. Give it the DEVICE_ID if your server knows it and strangers do not: \
          without, whoever knows the customer number can be faster than the customer's own device in that time. A device \
          that was vouched for keeps its user when it registers again.
          """,
          """
          바우처는 등록 한 번, 최대 15분 동안 유효합니다. 서버가 DEVICE_ID를 안다면 함께 지정하세요. 지정하지 않으면 그동안 고객 \
          번호를 아는 사람이 먼저 등록할 수 있습니다. 한 번 확인된 단말은 다시 등록해도 사용자가 유지됩니다.
          """)),
      .prose(
        Text(
          """
          A user who has a device and gets a further one is told of (`device.added` to your webhooks, an entry in the \
          audit log, and with `--tell-devices on` a push to the other devices).
          """,
          """
          이미 단말이 있는 사용자에게 단말이 추가되면 알려 줍니다(웹훅 `device.added`, 감사 로그, `--tell-devices on`이면 다른 \
          단말에 푸시).
          """)),
    ])

  private static let rows = Section(
    title: Text("A new token, and the key that shows who it is", "새 토큰과 단말 확인"),
    blocks: [
      .prose(
        Text(
          """
          A DEVICE_ID is no secret. A device that comes with a new token and the key of its last registration keeps its \
          user. One that comes without is another device for all we know: it gets a row of its own as a guest, and the one \
          that was there stays as it is. A DEVICE_ID has three rows at most; then one makes room that nobody vouched for, the \
          last that came first, so that whoever repeats it pushes out only himself.
          """,
          """
          DEVICE_ID는 비밀이 아닙니다. 새 토큰과 함께 마지막 등록의 키를 보내는 단말은 사용자를 유지합니다. 키가 없으면 다른 \
          단말일 수 있으므로 게스트로 따로 등록되고, 기존 단말은 그대로 남습니다. DEVICE_ID 하나에 단말은 최대 세 개이며, 그 \
          뒤에는 확인되지 않은 단말 중 가장 나중에 온 것부터 자리를 내줍니다.
          """)),
      .prose(
        Text(
          """
          An `AUTHKEY` that `asking_authorization` gives to whoever has the PSID opens in `proof` what the table says and \
          nothing that unregisters, counts, consents or leaves. The key of a registration's answer opens the rest for half \
          an hour, and so does `USERPROOF` in the call itself. An app that logs out later than that lets its server do it.
          """,
          """
          PSID만으로 `asking_authorization`에서 받은 `AUTHKEY`는 `proof`에서 표에 있는 일만 할 수 있고, 등록 해지·배지·동의·그룹 \
          변경은 할 수 없습니다. 등록 응답으로 받은 키는 30분 동안 나머지를 허용하며, 호출에 `USERPROOF`를 함께 보내도 됩니다.
          """)),
      .prose(
        Text(
          """
          What remains: a customer whom your server vouches for, and who knows another customer's token, can end in `proof` \
          what that token's device gets for the other until the other signs in again; nothing of it reaches him. A voucher \
          with a DEVICE_ID is only as good as the DEVICE_ID is unknown.
          """,
          """
          남는 위험: 서버가 확인해 준 고객이 다른 고객의 토큰을 알면, `proof`에서는 그 단말이 다른 고객 앞으로 받던 푸시를 끊을 수 \
          있습니다(다시 로그인할 때까지). 내용이 그에게 전달되지는 않습니다. DEVICE_ID를 지정한 바우처는 DEVICE_ID가 알려지지 \
          않은 만큼만 안전합니다.
          """)),
    ])

  private static let stricter = Section(
    title: Text("From open to proof", "open에서 proof로 옮기기"),
    blocks: [
      .prose(
        Text(
          """
          1. `upmc app policy APP --observe proof`: nothing is refused, and what would be is counted. 2. Have your server \
          make vouchers at log-in. 3. `upmc app identity APP` shows how many devices have a user that nobody vouched for. 4. \
          `upmc app policy APP --identity proof --unproved N`, with that number. For 30 days those devices get ordinary \
          messages, no confidential ones; then they become guests, and `rcv_get_service` answers `C`, on which the SDK names \
          its user again.
          """,
          """
          1. `upmc app policy APP --observe proof`: 거부하지 않고 거부될 건수만 셉니다. 2. 서버가 로그인 시 바우처를 만들도록 \
          합니다. 3. `upmc app identity APP`으로 확인되지 않은 단말 수를 봅니다. 4. 그 수를 넣어 `upmc app policy APP --identity \
          proof --unproved N`을 실행합니다. 30일 동안 그 단말들은 일반 메시지만 받고 기밀 메시지는 받지 않습니다. 이후 게스트가 되고 \
          `rcv_get_service`가 `C`를 응답하면 SDK가 사용자를 다시 등록합니다.
          """))
    ])

  private static let keys = Section(
    title: Text("Messages for proved devices alone", "확인된 단말에만 보내는 메시지"),
    blocks: [
      .prose(
        Text(
          """
          A message with `\"confidential\": true` goes, in `proof` and `strict`, only to devices whose user was vouched \
          for; the others are skipped as `unproved`, and `sms` can take their place. In `open` it goes to everyone unless \
          `--confidential-to proved` is set. What it says is sealed from the moment it is accepted, with a key that only \
          servers have: it stands in no list, export, log or backup, no role is shown it (but for whoever decides on it as a \
          second person), and it is wiped two minutes after the message is over, or when its short messages and their \
          events are, a day later at the latest. Messages of the lanes in `confidentialLanes` are confidential without \
          saying so; in a new app those of `urgent`. Sends through the SDK's controllers are only where the app says so \
          (`--confidential-sdk on`).
          """,
          """
          `\"confidential\": true` 메시지는 `proof`와 `strict`에서 사용자가 확인된 단말에만 갑니다. 나머지는 `unproved`로 제외되며 \
          `sms`로 대신 보낼 수 있습니다. `open`에서는 `--confidential-to proved`를 설정하지 않으면 모두에게 갑니다. 내용은 접수 즉시 서버만 가진 키로 암호화되어 목록, 내보내기, 로그, 백업 어디에도 남지 않고 \
          어떤 권한에도 표시되지 않습니다(2인 승인을 결정하는 사람만 예외). 메시지가 끝나고 2분 뒤, 대체 문자와 그 이벤트가 남아 있으면 \
          그것이 끝난 뒤, 늦어도 하루 뒤에 삭제됩니다. `confidentialLanes`의 등급(새 앱은 `urgent`)으로 보낸 메시지는 지정하지 않아도 \
          기밀입니다. SDK 컨트롤러를 통한 발송은 앱에서 켠 경우(`--confidential-sdk on`)에만 해당합니다.
          """)),
      .prose(
        Text(
          "Groups that are made in `proof` and `strict` are joined by devices only where the group is `joinable`.",
          "`proof`와 `strict`에서 만든 그룹은 `joinable`일 때만 단말이 스스로 가입할 수 있습니다.")),
    ])

  private static let stored = Section(
    title: Text("What a stolen database shows", "데이터베이스가 유출되었을 때"),
    blocks: [
      .table(
        head: [Text("Stored", "저장 항목"), Text("How", "방식"), Text("Why", "이유")],
        rows: [
          [
            Text("push credentials, webhook secrets, signing keys", "푸시 인증 정보, 웹훅 비밀 값, 서명 키"),
            Text("sealed with the master key", "마스터 키로 암호화"),
            Text("the key is in no backup of the database", "마스터 키는 데이터베이스 백업에 없음"),
          ],
          [
            Text("users' telephone numbers", "사용자 전화번호"),
            Text("sealed with the master key, each for its user", "마스터 키로 사용자별 암호화"),
            Text("opened for `sms.requested` and a person's export alone", "`sms.requested`와 개인정보 내보내기에만 복호화"),
          ],
          [
            Text("API keys, sessions", "API 키, 세션"), Text("hashed", "해시"),
            Text("only looked up", "조회에만 사용"),
          ],
          [
            Text("authKeys, proofs of users, pushkeys", "authKey, 사용자 증명, pushkey"),
            Text("not stored", "저장하지 않음"), Text("made anew from the signing keys", "서명 키로 매번 계산"),
          ],
          [
            Text("push tokens", "푸시 토큰"), Text("as they are", "평문"),
            Text(
              """
              every send reads them, and an index finds a device by them; in `proof` a token opens little, in `strict` \
              nothing
              """,
              "발송할 때마다 읽고 색인으로 단말을 찾아야 함. `proof`에서는 할 수 있는 일이 적고 `strict`에서는 없음"),
          ],
          [
            Text("DEVICE_IDs, client keys", "DEVICE_ID, 클라이언트 키"), Text("as they are", "평문"),
            Text(
              "they identify and prove nothing: the first opens a guest row, the second is in every copy of the app",
              "식별자일 뿐 증명이 아님. 전자는 게스트 단말만 열고, 후자는 모든 앱에 들어 있음"),
          ],
        ])
    ])
}

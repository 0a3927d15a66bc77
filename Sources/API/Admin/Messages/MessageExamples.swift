/// Examples of send requests and of a dry run's answer, shown in the API description.
enum MessageExamples {
  static let replacements = [
    (
      name: "later",
      json: """
      {"appId":"com.example.bank","audience":{"all":true},"alert":"Good morning","sendAt":"\(day)T09:00:00+09:00"}
      """
    )
  ]

  static let sends: [(name: String, json: String)] = [
    (
      "transfer",
      """
      {"appId":"com.example.bank","audience":{"clientUids":["kim01"]},\
      "alert":{"title":"이체 완료","body":"%CNAME%님, 10,000원이 이체되었습니다."},"badge":{"increment":1},\
      "sound":"alert.aif","category":"TRANSFER","mutableContent":true,"ext":"6|부가정보|https://www.example.com",\
      "data":{"accountId":"7"},"lane":"urgent","expiresIn":"PT10M","dbIn":true,"sms":false,"sender":"UMSUI",\
      "onUnknown":"resend"}
      """
    ),
    ("everyone", #"{"appId":"com.example.bank","audience":{"all":true},"alert":"Good morning","lane":"bulk"}"#),
    (
      "campaign",
      """
      {"appId":"com.example.bank","audience":{"members":true},"alert":{"title":"Sale","body":"Only this week."},\
      "lane":"bulk","badge":{"increment":1},"pace":{"perSecond":300},\
      "canary":{"percent":1,"wait":"PT10M","maxRejectedPercent":5},\
      "window":{"from":"08:00","to":"21:00","zone":"device"}}
      """
    ),
    (
      "weekly",
      """
      {"appId":"com.example.bank","audience":{"all":true},"alert":"The week in your account",\
      "localTime":"\(day)T09:00","repeat":{"every":"week","until":"\(lastDay)"}}
      """
    ),
    (
      "tryOut",
      """
      {"appId":"com.example.bank","audience":{"all":true},"alert":"Good morning, %CNAME%","badge":{"set":1},"dryRun":true}
      """
    ),
    (
      "languages",
      """
      {"appId":"com.example.bank","audience":{"members":true},"alert":{"title":"Hello","body":"%VAR1% for %CNAME%"},\
      "translations":{"ko":{"title":"안녕하세요","body":"%CNAME%님, %VAR1%"}},"variables":{"VAR1":"20 %"},\
      "mediaUrl":"https://www.example.com/poster.jpg","threadId":"offers","interruptionLevel":"passive"}
      """
    ),
    (
      "background",
      #"{"appId":"com.example.bank","audience":{"members":true},"pushType":"background","data":{"sync":"accounts"}}"#
    ),
    (
      "badgeOnly",
      #"{"appId":"com.example.bank","audience":{"clientUids":["kim01"]},"badge":{"clear":true},"sound":null}"#
    ),
  ]

  static let dryRun = """
    {"seqno":null,"state":"dry-run","targeted":1,"unknown":[],"payloads":[{"pnsId":"APNS",\
    "device":"b7f4a1d0-52c9-8e3b-9a60-0c1d2e3f4a5b","pushType":"alert","bytes":312,"payload":{"aps":{"alert":"Good morning, Kim",\
    "badge":1,"sound":"default"},"mps":{"appid":"com.example.bank","seqno":"0"}}}],\
    "headers":{"topic":"com.example.bank","pushType":"alert","priority":10,"keptForDevice":true},"notes":[],"refusals":[]}
    """

  // These dates will pass; replace them with future ones to try the examples out.
  static let day = "2027-03-01"
  static let lastDay = "2027-06-30"
}

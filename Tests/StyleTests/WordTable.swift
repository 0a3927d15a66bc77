extension WordRule {
  /// Every rule with a text that it finds.
  private static let table: [(rule: WordRule, once: String)] = english + korean + oneWord
  static let all = table.map(\.rule)
  static let once = table.map(\.once)

  private static let english: [(rule: WordRule, once: String)] = [
    (WordRule(#"\bputs? aside|putting aside"#, "Quarantine"), "Put aside"),
    (
      WordRule(
        #"\bgiv(e|es|en|ing) (it |them )?back"#, "Release", in: [.catalogue, .sentence, .handbook],
        except: Exception("StreamQuota.swift", because: "a programmer reads what a broken condition says")), "Give back"
    ),
    (WordRule(#"\bgive all back"#, "Release all"), "Give all back"),
    (WordRule(#"worth sending"#, "Expires after"), "Worth sending for"),
    (WordRule(#"\bwhy not\b"#, "Failure reasons"), "Why not"),
    (
      WordRule(#"\bso many (a|per) (second|minute)"#, "Rate limit", in: [.catalogue, .sentence, .handbook]),
      "So many a second"
    ),
    (WordRule(#"\bin portions"#, "In batches"), "In portions"),
    (WordRule(#"second person above"#, "Require approval above"), "Second person above"),
    (WordRule(#"how to refuse"#, "Opt-out wording"), "How to refuse more"),
    (WordRule(#"take it into"#, "Insert"), "Take it into the message"),
    (WordRule(#"\bmend(s|ed|ing)?\b"#, "Fix"), "Mend the file"),
    (WordRule(#"nothing happened"#, "No data"), "Nothing happened"),
    // The API's member and its metrics are called `lane`: programs say it, people do not.
    (WordRule(#"\blanes?\b"#, "Priority", in: [.catalogue]), "Lane"),
    (WordRule(#"present password"#, "Current password"), "Present password"),
    (WordRule(#"nobody is signed in"#, "Sign in", in: [.catalogue, .sentence, .handbook]), "Nobody is signed in"),
    (WordRule(#"\b(group|app|key|account) is there\."#, "Group created"), "The group is there."),
    (WordRule(#"old secret stops"#, "The old secret signs too for one more day"), "The old secret stops signing now."),
    (
      WordRule(#"neither sent nor kept"#, "Events that wait already are sent when it is on again"),
      "While it is off, events are neither sent nor kept."
    ),
    (WordRule(#"10 to 256 bytes|10~256 ?바이트"#, "at least 10 characters; 10자 이상"), "10~256바이트"),
  ]

  private static let korean: [(rule: WordRule, once: String)] = [
    (WordRule("비우면 승인하지", "비워 두면 승인 없이 발송합니다"), "비우면 승인하지 않습니다."),
    (WordRule("에 대한 메시지", "메시지 24 · KB100005 발송 경로"), "KB100005에 대한 메시지 24"),
    (WordRule("사람 추적|경로 추적", "수신자별 조회, 발송 경로 보기"), "한 사람 추적"),
    (WordRule("설정 후 바로 로그인", "설정 후 새 비밀번호로 다시 로그인해 주세요"), "설정 후 바로 로그인합니다."),
    (
      WordRule(
        "격리", "발송 제외",
        except: Exception("operate.ko.md", "유닛은 격리", because: "systemd isolates the unit; no device is meant")), "격리"
    ),
    (WordRule("간주", "토큰 오류로 제외된 단말이 없습니다"), "모든 토큰이 정상으로 간주됩니다."),
    (WordRule("모두 해제", "전체 제외 해제"), "모두 해제"),
    (WordRule("발생한 일", "이벤트가 발생하면"), "발생한 일을 서명하여 알리는 귀사의 서버입니다."),
    (WordRule("알리는 일", "수신할 이벤트"), "알리는 일"),
    (WordRule("포기", "전송 실패"), "포기"),
    (
      WordRule(
        "가입", "등록, 추가 시각", in: [.catalogue, .sentence],
        except: Exception(
          "KoreanSentences+Apps", "그룹", because: "an app's user joins a group, which every app calls so")), "가입과 이탈"
    ),
    (WordRule("이탈", "해지"), "가입과 이탈"),
    (
      WordRule(
        "네트워크", "푸시 채널", in: [.catalogue],
        except: Exception("ko.json", "네트워크를 확인하고", because: "the browser's own network is meant")), "네트워크"
    ),
    (WordRule("중복 제출", "재전송(중복 가능)"), "중복 제출"),
    (WordRule(#"(단말 수|테스트) (\{\w+\}|[\d,]+)(을\(를\)|이\(가\))"#, "단말 수(15,972)를"), "단말 수 15,972을(를)"),
    (WordRule(#"\(production\)"#, "(운영)", in: [.catalogue]), "APNs (production)가"),
    (WordRule("도달 대상", "예상 발송 대상"), "도달 대상"),
    (WordRule(#"[\d}] 대($|[ .,"])"#, "5대"), "5 대"),
    (WordRule(#"[가-힣].*[\d}] ?bytes?\b"#, "바이트", in: [.catalogue]), "크기 417byte"),
    (WordRule("아직 아님", "발송 차례 대기"), "아직 아님"),
    (WordRule("계획 대기", "발송 준비 중"), "계획 대기"),
    (WordRule("대상에 이름을 붙인", "조건에 맞는 고객을 묶어 반복해서 사용할 수 있습니다"), "조건으로 정한 대상에 이름을 붙인 것입니다."),
    (WordRule("모든 것은", "앱을 등록하면 발송을 시작할 수 있습니다"), "모든 것은 앱에 속합니다."),
    (WordRule("^취소\"", "{n}대 발송 취소", key: "cancel.do"), "취소\""),
    (WordRule("^취소\"", "계속 발송", key: "cancel.no"), "취소\""),
    (WordRule("^주소", "접속 IP", key: "audit.from"), "주소"),
    (WordRule("이전 비밀 키로는", "이전 비밀 키로도 하루 동안 함께 서명"), "이제부터 이전 비밀 키로는 서명하지 않습니다."),
    (WordRule("전송하지도 보관하지도", "이미 대기 중인 이벤트는 다시 켜면 전송"), "전송하지도 보관하지도 않습니다."),
  ]

  /// One thing has one word.
  private static let oneWord: [(rule: WordRule, once: String)] = [
    (WordRule("일시중지|(?<!일시 )정지됨", "일시 정지, 발송 정지"), "일시중지"),
    (WordRule("미리보기", "미리 보기"), "미리보기"),
    (WordRule("멤버", "구성원"), "멤버"),
    (WordRule("등록 해제", "등록 해지"), "등록 해제"),
    (WordRule("시험", "테스트"), "시험"),
    (WordRule("변경 시각", "수정 시각"), "변경 시각"),
  ]
}

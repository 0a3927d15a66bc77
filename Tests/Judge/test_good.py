"""Histories that are as they should be: whatever may have happened is no violation."""

import unittest

from made_up import SECOND, Story


class Good(unittest.TestCase):
    def accept(self, story):
        self.assertEqual([str(one) for one in story.judged()], [])

    def test_an_ordinary_campaign(self):
        story = Story().people().campaign(badge=["increment", 1], carried=1)
        story.receipt("1", "t1")
        story.receipt("1", "t1")
        story.read("1", "t1", 0)
        story.read("1", "t2", 0)
        story.funnel("1", targeted=3, accepted=3, received=2, read=2)
        story.told("1")
        self.accept(story)

    def test_every_option_of_a_read(self):
        story = Story().people()
        for number, (option, value, after) in enumerate(
                [("reset", None, 0), ("update", 7, 7), ("force", 9, 9), ("keep", None, 9)], 1):
            before = [0, 0, 7, 9][number - 1]
            story.campaign(f"k{number}", str(number))
            story.read(str(number), "t1", max(0, after - (1 if option == "keep" else 0)), option, value)
        story.read("3", "t1", 4, "force", 4)
        story.read("2", "t2", 4, "update", 8)
        story.get_badge("phone", 4)
        self.accept(story)

    def test_an_unknown_set_that_has_happened(self):
        story = Story().people()
        story.set_badge("phone", 5, "unknown")
        story.get_badge("phone", 5)
        self.accept(story)

    def test_an_unknown_set_that_has_not_happened(self):
        story = Story().people()
        story.set_badge("phone", 5, "unknown")
        story.get_badge("phone", 0)
        self.accept(story)

    def test_an_unknown_set_that_happens_late(self):
        story = Story().people()
        story.set_badge("phone", 5, "unknown")
        story.set_badge("phone", 6)
        story.get_badge("phone", 6)
        story.get_badge("phone", 5)
        self.accept(story)

    def test_an_unknown_read_either_way(self):
        for count in (0, 1):
            story = Story().people().campaign(badge=["increment", 1], carried=1)
            story.read("1", "t1", 0, outcome="unknown")
            story.get_badge("phone", count)
            self.accept(story)

    def test_a_read_that_is_repeated_until_it_is_answered(self):
        story = Story().people().campaign(badge=["increment", 3], carried=3)
        story.read("1", "t1", 2, outcome="unknown")
        story.read("1", "t1", 2)
        self.accept(story)

    def test_concurrent_sets_in_either_order(self):
        for count in (5, 6):
            story = Story().people()
            first, second = story.begin("setBadge", device="device-phone", value=5), \
                story.begin("setBadge", device="device-tablet", value=6)
            story.end(first, badge=5)
            story.end(second, badge=6)
            story.get_badge("phone", count)
            self.accept(story)

    def test_concurrent_reads_see_one_order(self):
        story = Story().people().campaign(badge=["increment", 1], carried=1).campaign("k2", "2", ["increment", 1], 2)
        items = [["1", "t1", "keep", None]], [["2", "t2", "keep", None]]
        one, two = story.begin("read", items=items[0]), story.begin("read", items=items[1])
        story.end(two, results=[["recorded", 1]])
        story.end(one, results=[["recorded", 0]])
        self.accept(story)

    def test_an_increment_that_is_taken_back(self):
        story = Story().people()
        story.send("k1", "1", "users", ["kim"], ["increment", 2])
        story.get_badge("phone", 2)
        story.funnel("1", "expired", targeted=2, expired=2)
        story.get_badge("phone", 0)
        self.accept(story)

    def test_a_count_goes_no_further_than_a_thousand(self):
        story = Story().people()
        story.set_badge("phone", 999)
        story.send("k1", "1", "users", ["kim"], ["increment", 5])
        story.deliver("1", "t1", 1000)
        story.deliver("1", "t2", 1000)
        story.funnel("1", targeted=2, accepted=2)
        self.accept(story)

    def test_what_ended_negative_is_read_without_effect(self):
        story = Story().people()
        story.set_badge("phone", 4)
        story.send("k1", "1", "users", ["kim"], ["increment", 1])
        story.deliver("1", "t1", 5)
        story.funnel("1", "expired", targeted=2, expired=2, unknown=1)
        story.get_badge("phone", 4)
        story.read("1", "t1", 4)
        self.accept(story)

    def test_one_message_for_a_key_that_is_repeated(self):
        story = Story().people()
        story.send("k1", "1", outcome="unknown")
        story.campaign()
        story.send("k1", "1")
        self.accept(story)

    def test_a_message_whose_sending_was_never_answered(self):
        story = Story().people()
        story.send("k1", None, outcome="unknown")
        story.deliver("1", "t1")
        self.accept(story)

    def test_a_token_that_moves(self):
        story = Story().people()
        story.register("tablet", "t1", "lee")
        story.send("k1", "1", "users", ["lee"])
        story.deliver("1", "t1")
        story.deliver("1", "t3")
        story.funnel("1", targeted=2, accepted=2)
        self.accept(story)

    def test_a_message_under_way_while_its_token_moves(self):
        story = Story().people()
        story.send("k1", "1", "users", ["kim"])
        story.register("other", "t1", "lee")
        story.deliver("1", "t1")
        self.accept(story)

    def test_an_unknown_registration_either_way(self):
        for user in ("kim", "lee"):
            story = Story().people()
            story.register("other", "t1", "lee", "unknown")
            story.send("k1", "1", "users", [user])
            story.deliver("1", "t1")
            self.accept(story)

    def test_a_device_that_changes_its_token(self):
        story = Story().people()
        story.send("k0", "9")
        story.register("phone", "t4", "kim")
        story.deliver("9", "t1")
        story.deliver("9", "t4", apns="9/t1")
        story.deliver("9", "t2")
        story.deliver("9", "t3")
        story.funnel("9", targeted=3, accepted=3, unknown=1, resent=1)
        self.accept(story)

    def test_a_device_that_changes_its_token_meanwhile_gets_it_under_the_new_one(self):
        story = Story().people()
        story.send("k1", "1")
        story.control("pause", "1")
        story.register("phone", "t4", "kim")
        story.control("resume", "1")
        for token in ("t2", "t3", "t4"):
            story.deliver("1", token)
        story.funnel("1", targeted=3, accepted=3)
        self.accept(story)

    def test_who_goes_meanwhile_is_taken_out_of_the_targeted(self):
        story = Story().people()
        story.send("k1", "1", "users", ["kim"])
        story.funnel("1", "queued", targeted=3, pending=3)
        story.deliver("1", "t1")
        story.deliver("1", "t2")
        story.funnel("1", targeted=2, accepted=2)
        self.accept(story)

    def test_a_pause_that_is_resumed(self):
        story = Story().people()
        story.send("k1", "1")
        story.control("pause", "1")
        story.tick(20)
        story.control("resume", "1", "unknown")
        story.deliver("1", "t1")
        self.accept(story)

    def test_a_pause_beside_a_resumption(self):
        story = Story().people()
        story.send("k1", "1")
        resume = story.begin("resume", seqno="1")
        story.control("pause", "1")
        story.end(resume)
        story.tick(20)
        story.deliver("1", "t1")
        self.accept(story)

    def test_what_arrives_within_the_promised_second(self):
        story = Story().people()
        story.send("k1", "1")
        story.control("cancel", "1")
        story.tick(0.7)
        story.deliver("1", "t1")
        self.accept(story)

    def test_a_cancellation_that_was_refused(self):
        story = Story().people()
        story.send("k1", "1")
        story.control("cancel", "1", "fail")
        story.tick(20)
        story.deliver("1", "t1")
        self.accept(story)

    def test_a_server_that_was_frozen_when_it_was_cancelled(self):
        story = Story().people()
        story.send("k1", "1")
        story.note("deed", kind="frozen", until=story.now + 9 * SECOND)
        story.control("cancel", "1")
        story.tick(12)
        story.deliver("1", "t1")
        self.accept(story)

    def test_a_device_that_was_registered_meanwhile_may_be_left_out(self):
        story = Story().people()
        story.send("k1", "1")
        story.register("new", "t9", "park")
        for token in ("t1", "t2", "t3"):
            story.deliver("1", token)
        story.funnel("1", targeted=3, accepted=3)
        self.accept(story)

    def test_a_duplicate_that_is_counted(self):
        story = Story().people()
        story.send("k1", "1")
        for token in ("t1", "t2", "t3", "t2"):
            story.deliver("1", token)
        story.funnel("1", targeted=3, accepted=3, unknown=1, resent=1)
        self.accept(story)

    def test_funnels_that_overlap(self):
        story = Story().people()
        story.send("k1", "1")
        late = story.begin("funnel", seqno="1")
        for token in ("t1", "t2", "t3"):
            story.deliver("1", token)
        story.funnel("1", targeted=3, accepted=3)
        numbers = {name: 0 for name in ("accepted", "rejected", "expired", "cancelled", "skipped", "received", "read",
                                        "unknown", "resent")}
        story.end(late, state="queued", targeted=3, pending=3, **numbers)
        self.accept(story)

    def test_a_short_message_for_who_has_not_confirmed(self):
        story = Story().people()
        story.campaign(sms=[5, "received"])
        story.receipt("1", "t1")
        story.tick(6)
        story.event("e1", "1", "lee")
        story.event("e1", "1", "lee")
        story.receipt("1", "t3")
        story.told("1")
        self.accept(story)

    def test_who_confirms_too_late_may_get_one(self):
        story = Story().people()
        story.campaign(sms=[1, "received"])
        story.tick(2)
        story.receipt("1", "t1")
        story.receipt("1", "t3")
        story.event("e1", "1", "kim")
        self.accept(story)

    def test_a_receipt_does_not_do_where_a_read_is_asked_for(self):
        story = Story().people()
        story.campaign(sms=[5, "read"])
        story.receipt("1", "t1")
        story.tick(6)
        story.event("e1", "1", "kim")
        self.accept(story)

    def test_a_message_that_goes_on_after_its_end(self):
        story = Story().people()
        story.send("k1", "1")
        for token in ("t1", "t2"):
            story.deliver("1", token)
        story.funnel("1", targeted=3, accepted=2, rejected=1)
        story.event("e1", "1", None, "message.finished")
        story.event("e2", "1", None, "message.reopened")
        story.funnel("1", "sending", targeted=3, accepted=2, pending=1)
        story.deliver("1", "t3")
        story.funnel("1", targeted=3, accepted=3)
        story.event("e3", "1", None, "message.finished")
        story.note("end")
        self.assertEqual(story.judged(), [])

    def test_an_erasure_ends_what_is_known(self):
        story = Story().people().campaign(badge=["increment", 1], carried=1)
        story.call("erase", user="kim")
        story.register("phone", "t1", "kim")
        story.get_badge("phone", 0)
        self.accept(story)

    def test_a_resend_reaches_some_again(self):
        story = Story().people().campaign(badge=["increment", 1], carried=1)
        story.call("resend", {"seqno": "2"}, key="r1", of="1")
        story.deliver("2", "t3", 2)
        story.funnel("2", targeted=1, accepted=1)
        self.accept(story)

    def test_runs_share_nothing(self):
        story = Story().people().campaign()
        story.run = 2
        story.note("run", what="another")
        story.people().campaign()
        self.accept(story)

    def test_a_history_whose_beginning_was_thrown_away(self):
        story = Story()
        story.lines = [{"e": "history", "version": 1, "file": 7}]
        story.ids = 41
        story.note("ok", id=41, badge=3)
        story.deliver("1", "t1", 8)
        story.get_badge("phone", 8)
        self.accept(story)


if __name__ == "__main__":
    unittest.main()

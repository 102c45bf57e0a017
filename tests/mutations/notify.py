"""Mistakes of what goes out: lost, sent elsewhere, or not to be told from another one.

Data flow: streaming/notify -> Mutation
Run: python -m tests.mutations notify
"""

from tests.mutations.mutation import Mutation

TESTS = "tests/streaming/notify"

NOTIFY = (
    Mutation(
        "notify: what fails is given up at once",
        "streaming/notify/courier.py",
        "is_due = outcome.became is Became.REFUSED or time.time() - since >= self._give_up",
        "is_due = True",
        f"{TESTS}/test_courier.py::test_one_that_is_away_for_an_hour_loses_nothing",
    ),
    Mutation(
        "notify: dead letters without end",
        "streaming/notify/courier.py",
        "return is_due and self._letters.room(self.target)",
        "return is_due",
        f"{TESTS}/test_courier.py::test_with_very_many_dead_letters_what_follows_waits",
    ),
    Mutation(
        "notify: an id does not name the partition",
        "streaming/notify/envelope.py",
        'f"{topic_id or name}-{partition}-{offset}"',
        'f"{topic_id or name}-{offset}"',
        f"{TESTS}/test_envelope.py::test_an_id_is_the_records_own_and_can_be_signed",
    ),
    Mutation(
        "notify: a redirect is followed",
        "streaming/notify/post.py",
        "follow_redirects=False",
        "follow_redirects=True",
        f"{TESTS}/test_post.py::test_a_redirect_is_not_followed",
    ),
    Mutation(
        "notify: a password goes out unencrypted",
        "streaming/notify/mail.py",
        'start_tls=s.smtp_security == "starttls"',
        "start_tls=None",
        f"{TESTS}/test_mail.py::test_without_the_wanted_encryption_nothing_is_sent",
    ),
)

"""Mistakes of the queue broker, and of its lab: a full queue that drops, a way in that nobody asked for, an order that is tidied.

Data flow: infra/setup/{queue,pins}.py, infra/services/queue_files.py, infra/lab/queue -> Mutation
Run: python -m tests.mutations queue
"""

from tests.mutations.mutation import Mutation

FILES = "tests/infra/services/test_queue_files.py"
SETUP = "tests/infra/setup/test_queue.py"
LAB = "tests/infra/lab/queue/test_table.py"

QUEUE = (
    Mutation(
        "queue: whatever archive comes is taken",
        "infra/setup/pins.py",
        "if found != pin.sha256:",
        "if not found:",
        f"{SETUP}::test_another_archive_is_refused_and_the_old_jars_stay",
    ),
    Mutation(
        "queue: an archive may write outside its folder",
        "infra/setup/queue.py",
        "(fresh / way.name).open",
        "(fresh / Path(*way.parts[2:])).open",
        f"{SETUP}::test_only_jars_are_unpacked_and_none_outside",
    ),
    Mutation(
        "queue: a full queue drops messages without a word",
        "infra/services/queue_files.py",
        '"page-full-policy": "FAIL"',
        '"page-full-policy": "DROP"',
        f"{FILES}::test_settings_bound_disk_and_tries",
    ),
    Mutation(
        "queue: the broker listens for everybody",
        "infra/services/queue_files.py",
        "tcp://127.0.0.1:{s.queue_port}",
        "tcp://0.0.0.0:{s.queue_port}",
        f"{FILES}::test_the_one_way_in_is_stomp_on_loopback",
    ),
    Mutation(
        "queue: the lab tidies the order in which messages were processed",
        "infra/lab/queue/counted.py",
        "return [number for number in one.by(1) if number >= 3]",
        "return sorted(number for number in one.by(1) if number >= 3)",
        f"{LAB}::test_each_way_has_its_cell_for_each_situation",
    ),
    Mutation(
        "queue: a message that is given up and gone counts as a dead letter",
        "infra/lab/queue/promises.py",
        "one.dead_letters == 1",
        "one.deaths > 0",
        f"{LAB}::test_a_promise_that_is_not_kept_is_named",
    ),
    Mutation(
        "queue: the lab says that the killed consumer took what came after its death",
        "infra/lab/queue/table.py",
        "parts.insert(one.taken_before_death,",
        "parts.insert(len(parts),",
        f"{LAB}::test_the_story_is_told_as_it_happened",
    ),
)

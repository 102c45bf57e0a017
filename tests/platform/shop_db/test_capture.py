"""The shop's database and its copies: whatever is written, killed, renamed or lost, they end equal, or an alarm says why not."""

import json
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from confluent_kafka.admin import AlterConfigOpType, ConfigEntry, ConfigResource, ResourceType  # type: ignore[attr-defined]
from database import Database
from running import until

from infra.capture.limits import LONGEST
from infra.kafka import client, login
from infra.kafka.send import Sender
from infra.kafka_users import User
from infra.lake import reader
from infra.postgres_roles import Role
from infra.problems import problems
from infra.services.program import Name
from infra.shop.db.changes import changes
from infra.shop.db.connection import connected
from infra.shop.db.connector import topic
from infra.shop.db.rest import access
from infra.shop.db.slot import slot

pytestmark = pytest.mark.platform

TEXT = "repeat(md5(random()::text), 200)"
APART = "(SELECT string_agg(md5(random()::text), '') FROM generate_series(1, 200))"
"""A text that does not become short by compression, so that the row has only a pointer to it."""
"""A text of 6,400 letters, which Postgres keeps outside of its row."""


def test_every_kind_of_transaction_reaches_every_copy(database: Database) -> None:
    database.platform.run("daybreak", "shop-db", "load", "--rows", "200")
    database.run(
        f"INSERT INTO products VALUES ('p-900', 'x', 'y', 1, 12.5, {TEXT}, now()), ('p-901', 'x', 'y', 2, NULL, NULL, now())",
        # The long text is not touched: without a full replica identity its change would lack it.
        "UPDATE products SET price_cents = 3, changed_at = now() WHERE product_id = 'p-900'",
        "INSERT INTO stock VALUES ('p-900', 'nord', 5, now())",
        "UPDATE stock SET warehouse = 'sued', changed_at = now() WHERE product_id = 'p-900'",
        "DELETE FROM products WHERE product_id = 'p-901'",
        "BEGIN; DELETE FROM products; ROLLBACK",
        # What the rows say of their times: imported, of an application's clock, without end.
        "INSERT INTO customers SELECT 'c-90' || n, 'Ada', 'north', NULL, at FROM unnest(ARRAY[now() - interval '400 days', "
        "now() + interval '10 minutes', 'infinity', '-infinity', '0044-03-15 BC']) WITH ORDINALITY AS one (at, n)",
        # By hand: the stamp is not touched, and may be of another day.
        "INSERT INTO customers VALUES ('c-910', 'Ada', 'north', NULL, now() - interval '30 hours')",
        "UPDATE customers SET region = 'south' WHERE customer_id = 'c-910'",
        "DELETE FROM customers WHERE customer_id = 'c-910'",
        # A change carries the row twice; a letter has three bytes.
        "INSERT INTO products VALUES ('p-903', 'x', 'y', 1, 'NaN', repeat('\u20ac', 20000), now())",
        "UPDATE products SET price_cents = 2 WHERE product_id = 'p-903'",
        "INSERT INTO customers VALUES ('c-911', 'Ada', 'north', repeat('n', 200000), now())",
        "UPDATE customers SET region = 'south' WHERE customer_id = 'c-911'",
        # Some write these with an exponent, and so as another text.
        "INSERT INTO products SELECT 'p-91' || n, 'x', 'y', 1, weight, '', now() FROM unnest(ARRAY["
        "7e3, 1e-3, 2e4, -0.0, -99999.999]) WITH ORDINALITY AS one (weight, n)",
    )
    found = {(one["table"], one["copy"]): one for one in database.checked()}
    names = ("the log", "the stream", "the cache")
    copies = {(table, copy) for table in ("customers", "products", "stock", "orders") for copy in names}
    assert set(found) == copies | {("products", "the index")}
    assert all(one["rows"] == one["copied"] > 0 for one in found.values())
    assert found["stock", "the log"]["rows"] > 200
    last = [one for one in changes("products") if one.key == ("p-900",)][-1]
    assert last.op == "u"
    assert last.after
    assert (last.after["weight_kg"], len(last.after["description"])) == ("12.500", 6_400)
    assert [one.op for one in changes("stock") if one.key[0] == "p-900"] == ["c", "d", "c"]
    column = "shop_public_customers"
    told = reader.read(database.platform.settings, "silver/events", ["event_time", "late_by_ms", column]).to_pylist()
    times = [row["event_time"] for row in told if row[column] and row[column]["customer_id"] == "c-910"]
    assert len(times) == 3
    assert all(datetime.now(UTC) - at < timedelta(minutes=10) for at in times), "the commit dates a change"


def test_a_change_that_lacks_a_text_is_refused_and_named(database: Database) -> None:
    platform = database.platform
    wrong = f"captured.row/{topic('products')}/" + '{"product_id":"p-904"}'

    def is_known() -> bool:
        return wrong in {one.id for one in problems(platform.settings)}

    database.run(
        # As a migration or a restored dump leaves it.
        "ALTER TABLE products REPLICA IDENTITY DEFAULT",
        f"INSERT INTO products VALUES ('p-904', 'x', 'y', 1, NULL, {APART}, now()), ('p-905', 'x', 'y', 1, NULL, NULL, now())",
        "UPDATE products SET price_cents = 2 WHERE product_id = 'p-904'",
        # Nothing but the key of the row is in the log.
        "DELETE FROM products WHERE product_id = 'p-905'",
    )
    until("the row is named", is_known, 60)
    (said,) = platform.status("connect")["notices"]
    assert "public.products is not FULL" in said
    database.run(
        "ALTER TABLE products REPLICA IDENTITY FULL", "UPDATE products SET price_cents = 3 WHERE product_id = 'p-904'"
    )
    until("the row is right", lambda: not is_known(), 60)
    database.checked()


def _narrowed(name: str) -> None:
    """As an older version made a topic; a start widens it, for the row of the next test."""
    small = ConfigEntry("max.message.bytes", "1048588", incremental_operation=AlterConfigOpType.SET)
    own = ConfigResource(ResourceType.TOPIC, name, incremental_configs=[small])
    admin = client.admin()
    for done in admin.incremental_alter_configs([own]).values():
        done.result(timeout=20)


def test_a_session_that_is_idle_in_a_transaction_is_in_nobodys_way(database: Database) -> None:
    s, change = database.platform.settings, "UPDATE products SET price_cents = {} WHERE product_id = 'p-900'"
    with connected(s, autocommit=False) as idle:
        (by,) = idle.execute("SELECT pg_current_xact_id()::text::bigint % (1::bigint << 32)").fetchone() or (0,)
        idle.execute(change.format(77))
        _narrowed(topic("customers"))
        database.platform.run("daybreak", "restart", "connect")
        # Neither of these waits for it, and so nobody waits behind them.
        database.checked()
        database.run("SET lock_timeout = '1s'; INSERT INTO stock VALUES ('p-900', 'west', 1, now())")
        idle.commit()
    database.checked()
    last = [one for one in changes("products") if one.key == ("p-900",)][-1]
    assert last.after
    # What it says of its transaction is what Postgres says of a snapshot.
    assert (last.after["price_cents"], last.transaction) == (77, by)


def test_a_row_that_is_too_large_is_set_aside(database: Database) -> None:
    whole = "(SELECT string_agg(md5(random()::text), '') FROM generate_series(1, 19000))"
    # Cut in the middle of a letter of two units, and of letters that JSON writes as six bytes.
    cut = f"repeat('x', {LONGEST - 1}) || repeat(U&'\\+01F600', 9), repeat(chr(1), {LONGEST + 1})"
    touch = "SET changed_at = now()"
    database.run(
        f"INSERT INTO customers VALUES ('c-931', 'Ada', 'north', {whole}, now())",
        f"UPDATE customers {touch} WHERE customer_id = 'c-931'",
        f"INSERT INTO products VALUES ('p-931', 'x', 'y', 1, NULL, 'z', now()), ('p-932', {cut}, 1, NULL, 'z', now())",
        f"UPDATE products {touch} WHERE product_id = 'p-932'",
        "INSERT INTO stock VALUES ('p-931', 'nord', 1, now())",
    )
    found = {(one["table"], one["copy"]): one for one in database.checked()}
    # It is whole in every copy, and not cut.
    assert not any(one["aside"] for (table, _), one in found.items() if table != "products")
    of_products = [one["aside"] for one in found.values() if one["table"] == "products"]
    assert of_products == [["p-932"]] * len(of_products)
    assert database.platform.status("connect")["condition"] == "healthy"
    database.run(
        "DELETE FROM customers WHERE customer_id = 'c-931'",
        "UPDATE products SET title = 'short', brand = 'short', changed_at = now() WHERE product_id = 'p-932'",
    )
    found = {(one["table"], one["copy"]): one for one in database.checked()}
    assert not any(one["aside"] for one in found.values())


def test_what_anyone_writes_to_a_captured_topic_stops_nothing(database: Database) -> None:
    platform, products = database.platform, topic("products")
    real = next(one for one in changes("products") if one.after)
    forged = json.dumps({"op": "u", "before": None, "after": real.after, "source": {"lsn": 1, "ts_ms": 1}}).encode()
    with Sender([products], None) as sender:
        for value in (b"{", b"[]", b"\xff", forged):
            sender.send(products, b"not its key", value)
    with Sender([products], None) as keyless:
        keyless.send(products, None, forged)
    # A compacted topic takes no record without a key.
    assert (sender.acked.total(), sender.rejected.total(), keyless.rejected.total()) == (4, 0, 1)
    database.checked()
    found = platform.rows("silver/quarantine", "topic", "reasons")
    reasons = [row["reasons"] for row in found if row["topic"] == products]
    assert sum("not_a_change" in one for one in reasons) == 3
    assert reasons.count(["key_mismatch"]) == 1
    assert [one for one in problems(platform.settings) if products in one.id] == [], (
        "the comparison has seen its copy right"
    )


def test_a_view_looks_customers_up_in_the_table(database: Database) -> None:
    platform = database.platform
    database.run("INSERT INTO customers VALUES ('c-777', 'Ada Abel', 'north', NULL, now() + interval '1 day')")
    database.checked()
    now = datetime.now(UTC)
    event_id = "00000000-0000-4000-8000-000000000777"
    click = {
        "event_id": event_id, "event_type": "product_clicked", "event_time": round(now.timestamp() * 1000), "schema_version": 1,
        "session_id": "v-00000778", "customer_id": "c-777", "product_id": "p-1", "position": 1,
    }  # fmt: skip
    platform.send([("clicks", click["session_id"].encode(), json.dumps(click).encode(), event_id, "good")])
    platform.wait_drained()
    (row,) = [row for row in platform.rows("speed/clicks_with_customer") if row["event_id"] == event_id]
    assert (row["name"], row["region"], row["known"]) == ("Ada Abel", "north", 1)


def test_the_night_finds_the_same_rows_in_the_log(database: Database) -> None:
    yesterday = datetime.now(UTC).date() - timedelta(days=1)
    database.platform.run("batch", "night", "--date", str(yesterday))
    found = {one["table"]: one for one in database.checked() if one["copy"] == "the night"}
    assert found["customers"]["copied"] > 0
    assert found["products"]["copied"] > 0


@pytest.mark.parametrize("names", [("connect", "kafka", "postgres"), ("cache", "follower-cache", "follower-index")])
def test_deaths_lose_and_double_no_change(database: Database, names: tuple[str, ...]) -> None:
    """Several at once; each of them alone, again and again, is the soak's (`every_part`)."""
    for number in range(40):
        if number == 20:
            for name in names:
                database.platform.kill(name)
        database.run(
            f"INSERT INTO stock VALUES ('{names[0]}-{number}', 'west', {number}, now())",
            f"UPDATE products SET price_cents = {number}, changed_at = now() WHERE product_id = 'p-900'",
        )
    for name in {*names, "connect", "follower-index", "follower-cache"}:
        database.platform.wait_healthy(name)
    database.checked()
    assert database.twice() == []


def test_a_row_is_found_in_the_followers(database: Database) -> None:
    platform = database.platform
    database.run("INSERT INTO products VALUES ('p-902', 'zeppelin mug', 'y', 1, NULL, NULL, now())")
    database.checked()
    assert platform.run("daybreak", "follower", "search", "zeppelin").stdout == "p-902  zeppelin mug (y)\n"
    row = json.loads(platform.run("daybreak", "follower", "get", "products", "p-902").stdout)
    assert (row["title"], row["price_cents"]) == ("zeppelin mug", 1)
    for given, said in (
        (("products", "p-0"), "the cache has no products p-0"),
        (("baskets", "p-0"), "'baskets' is no table of the cache"),
        (("stock", "p-902"), "the key of stock is product_id warehouse"),
    ):
        done = platform.run("daybreak", "follower", "get", *given, check=False)
        assert (done.returncode, said in done.stderr) == (65, True)


@pytest.mark.parametrize("name", ["index", "cache"])
def test_a_follower_is_rebuilt_while_the_log_goes_on(database: Database, name: str) -> None:
    platform = database.platform
    with platform.begin("daybreak", "follower", "rebuild", name) as process:
        for number in range(30):
            database.run(f"UPDATE products SET price_cents = {number}, changed_at = now() WHERE product_id = 'p-902'")
        output, errors = process.communicate(timeout=120)
    assert process.returncode == 0, output + errors
    assert "is built from" in output
    platform.wait_healthy(f"follower-{name}")
    database.checked()
    said = lambda: json.loads(platform.run("daybreak", "follower", "lag", "--json").stdout)  # noqa: E731
    # The warehouse follows with the builds of gold.
    own = lambda: [one["behind"] for one in said() if one["follower"] != "warehouse"]  # noqa: E731
    until("the followers say that they are at the end", lambda: not any(own()), 30)


def test_a_connector_that_does_not_beat_is_told(database: Database) -> None:
    with connected(database.platform.settings, autocommit=False) as own:

        def is_held() -> bool:
            """The row says an old beat, and is locked, so that the connector waits with the next one."""
            own.execute("UPDATE heartbeat SET at = now() - interval '2 minutes'")
            own.commit()
            (age,) = own.execute("SELECT now() - at FROM heartbeat FOR UPDATE").fetchone() or (timedelta(),)
            return bool(age > timedelta(minutes=1))

        until("the heartbeat is held", is_held, 60)
        said = str(database.platform.status("connect")["waits_for"])
        own.rollback()
    assert "a heartbeat of its connector shop: the last one was" in said
    database.platform.wait_healthy("connect")


def test_columns_come_and_go(database: Database) -> None:
    database.run(
        "ALTER TABLE customers ADD COLUMN tier text DEFAULT 'gold'",
        "UPDATE customers SET tier = 'silver', changed_at = now() WHERE customer_id = 'c-777'",
        "ALTER TABLE products DROP COLUMN weight_kg",
        "UPDATE products SET price_cents = 4, changed_at = now() WHERE product_id = 'p-900'",
    )
    found = {(one["table"], one["copy"]): one for one in database.checked()}
    customers = found["customers", "the log"]
    assert customers["older"] == customers["rows"] - 1


def test_a_renamed_table_is_an_alarm_and_not_an_empty_one(database: Database) -> None:
    platform = database.platform
    database.run("ALTER TABLE stock RENAME TO inventory")
    now = platform.status("connect")
    assert now["condition"] == "failing"
    assert "the shop's database has no public.stock" in now["waits_for"]
    done = platform.run("daybreak", "shop-db", "check", check=False)
    assert done.returncode == 65
    assert "rename it back" in done.stderr
    database.run("ALTER TABLE inventory RENAME TO stock")
    platform.wait_healthy("connect")
    database.checked()


def test_a_slot_that_fell_behind_is_told_and_a_snapshot_mends_it(database: Database) -> None:
    platform = database.platform
    platform.supervisor().stop(Name.CONNECT, wait=True)
    database.run(
        "DELETE FROM stock WHERE warehouse = 'import' AND on_hand % 2 = 0",
        "DELETE FROM customers WHERE customer_id = 'c-777'",
    )

    def is_lost() -> bool:
        database.run("DROP TABLE IF EXISTS junk", f"CREATE TABLE junk AS SELECT {TEXT} FROM generate_series(1, 10000)")
        database.run("SELECT pg_switch_wal()", "CHECKPOINT", role=Role.OWNER)
        found = slot(platform.settings)
        return found is not None and found.is_lost

    until("Postgres gives the slot up", is_lost, 120)
    assert "daybreak_shop is lost: Postgres removed changes" in platform.run("daybreak", "lag").stdout
    platform.supervisor().begin(Name.CONNECT)
    until("the worker answers", lambda: platform.status("connect")["condition"] == "failing", 120)
    assert "daybreak shop-db snapshot" in platform.status("connect")["waits_for"]
    said = platform.run("daybreak", "shop-db", "snapshot").stdout
    assert "101 rows had been deleted" in said
    platform.wait_healthy("connect")
    database.checked()
    events = reader.read(platform.settings, "silver/events", ["topic", "event_type"]).to_pylist()
    assert {"topic": topic("customers"), "event_type": "customer_left"} in events


@pytest.mark.parametrize(
    ("method", "place"),
    [
        ("GET", ""),
        ("GET", "/shop/config"),
        ("PUT", "/shop/config"),
        ("PUT", "/shop/pause"),
        ("DELETE", "/shop"),
        ("POST", ""),
    ],
)
def test_connect_does_nothing_for_who_has_no_password(database: Database, method: str, place: str) -> None:
    s = database.platform.settings
    user, password = access(s)
    url = f"http://127.0.0.1:{s.connect_port}/connectors{place}"
    readers = login.password(s, User.READER)
    # Who is refused is not listened to: Connect closes, and a second request on the same connection may meet that.
    once = httpx.Limits(max_keepalive_connections=0)
    with httpx.Client(trust_env=False, timeout=30, limits=once) as own:
        for auth in (None, (user, ""), (user, "x"), ("reader", readers), (user, readers), ("reader", password)):
            assert own.request(method, url, auth=auth, json={}).status_code == 401, auth
        if method == "GET":
            assert own.request(method, url, auth=(user, password)).status_code == 200


def test_a_database_that_went_back_is_told(database: Database) -> None:
    platform = database.platform
    rest = f"http://127.0.0.1:{platform.settings.connect_port}/connectors/shop"
    with httpx.Client(trust_env=False, timeout=30, auth=access(platform.settings)) as client:
        client.put(f"{rest}/stop").raise_for_status()
        until("the task has ended", lambda: not client.get(f"{rest}/status").json()["tasks"], 60)
        (known,) = client.get(f"{rest}/offsets").json()["offsets"]
        # Of a log that this database has never written.
        ahead = {**known["offset"], "lsn": 1 << 40}
        changed = {"offsets": [{"partition": known["partition"], "offset": ahead}]}
        until("the place is changed", lambda: client.patch(f"{rest}/offsets", json=changed).is_success, 60)
    now = platform.status("connect")
    assert now["condition"] == "failing"
    assert "changes up to 100/0 were captured: it was restored from a backup" in now["waits_for"]
    platform.run("daybreak", "shop-db", "snapshot")
    platform.wait_healthy("connect")
    database.checked()


@pytest.mark.soak
def test_the_polling_lab_shows_what_each_way_cannot_see(database: Database) -> None:
    platform = database.platform
    done = platform.run("daybreak", "lab", "polling", "--changes", "120", "--seed", "3", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    kept = json.loads((platform.settings.home / "lab" / "polling.json").read_text())["rows"]
    *polls, told, captured = kept
    assert all(poll["deletions unseen"] > 0 for poll in polls)
    assert polls[-1]["values unseen"] > polls[0]["values unseen"]
    assert told["unseen while away"] == told["values unseen"] + told["deletions unseen"] > 0
    assert (captured["values unseen"], captured["deletions unseen"]) == (0, 0)
    assert database.run("SELECT 1 FROM pg_tables WHERE tablename = 'lab_polling'") == []


@pytest.mark.soak
def test_two_systems_differ_if_written_and_not_if_captured(database: Database) -> None:
    platform = database.platform
    done = platform.run("daybreak", "lab", "dual-writes", "--seed", "3", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    own, captured = json.loads((platform.settings.home / "lab" / "dual-writes.json").read_text())["rows"]
    # One of them is the write of the writer that died.
    assert own["index differs"] > 1
    assert own["events differ"] > 1
    assert (captured["index differs"], captured["events differ"]) == (0, 0)
    assert captured["keys"] == 41
    assert "the other way round" in done.stdout.replace("\n", " ")
    slots = database.run("SELECT slot_name FROM pg_replication_slots")
    assert slots == [("daybreak_shop",)]

"""Mistakes in how contracts evolve and how values are encoded: schema versions, their hashes, what a night redoes, Avro.

Data flow: streaming/validation/rules, definitions, avro; batch/due/late_schema_versions, due -> Mutation
Run: python -m tests.mutations versions avro
"""

from tests.mutations.mutation import Mutation

EVOLUTION, DEFINITIONS = "tests/streaming/test_evolution.py", "tests/streaming/test_definitions.py"
LEARNED, AVRO = "tests/batch/test_learned.py", "tests/streaming/test_avro.py"
CONTENT, STORED = "tests/streaming/test_content.py", "tests/streaming/test_stored_hashes.py"
PROTOBUF, KNOWN = "tests/streaming/test_protobuf.py", "tests/streaming/test_known_definitions.py"

VERSIONS = (
    Mutation(
        "versions: an event may have a field of a later version",
        "streaming/validation/rules.py",
        "[event[name].isNotNull() for name in later.adds]",
        "[F.lit(False) for name in later.adds]",
        f"{EVOLUTION}::test_a_new_version_changes_nothing_for_events_of_the_old",
    ),
    Mutation(
        "versions: the content's hash covers what an event lacks",
        "streaming/validation/content.py",
        '"ignoreNullFields": "true"',
        '"ignoreNullFields": "false"',
        f"{EVOLUTION}::test_a_new_version_changes_nothing_for_events_of_the_old",
    ),
    Mutation(
        "versions: the content's hash does not tell in which field a value stands",
        "streaming/validation/validate.py",
        "content_hash(_content(contracts))",
        'F.xxhash64("topic", F.coalesce(*[_payload(one) for one in contracts]))',
        f"{CONTENT}::test_two_payloads_of_a_contract_never_hash_alike",
    ),
    Mutation(
        "versions: a hash of another version is compared as it is",
        "streaming/deduplication/stored_hashes.py",
        "if former.num_rows else known",
        "if not former else rows.select(ROW[:3])",
        f"{STORED}::test_a_hash_of_another_version_is_made_anew",
    ),
    Mutation(
        "versions: a view is hashed on the newest version of its inputs",
        "streaming/versions/definitions.py",
        "for version in range(1, newest + 1):",
        "for version in range(newest, newest + 1):",
        f"{DEFINITIONS}::test_a_new_schema_version_leaves_every_other_version_as_it_is",
    ),
    Mutation(
        "versions: one that is withdrawn redoes nothing",
        "streaming/versions/definitions.py",
        "if by.get(name) != versions[name]} | withdrawn",
        "if by.get(name) != versions[name]}",
        f"{DEFINITIONS}::test_a_new_schema_version_leaves_every_other_version_as_it_is",
    ),
    Mutation(
        "versions: those of other code are taken for this code's",
        "streaming/versions/definition_cache.py",
        'found.update(f"\\n{len(content)} {file}\\n".encode() + content)',
        'found.update(f"{file}".encode())',
        f"{KNOWN}::test_a_changed_file_is_planned_anew",
    ),
    Mutation(
        "versions: code that has changed since the process began is kept as what it runs",
        "streaming/versions/definition_cache.py",
        ">= psutil.Process().create_time() - CLOCK_SECONDS",
        "< 0",
        f"{KNOWN}::test_code_that_changed_since_the_process_began_is_never_kept",
    ),
    Mutation(
        "versions: a day that rejected a record is noted as looked at before it is settled",
        "batch/due/plans.py",
        "for day, own in news.items() if day not in todo",
        "for day, own in news.items()",
        f"{LEARNED}::test_a_day_that_rejected_a_record_of_the_version_is_redone",
    ),
    Mutation(
        "versions: the records after a day are not looked at",
        "batch/due/late_schema_versions.py",
        "for n in range(after + 1)",
        "for n in range(1)",
        f"{LEARNED}::test_records_within_reach_after_a_day_count",
    ),
    Mutation(
        "avro: bytes after the value are left out",
        "streaming/encodings/avro.py",
        "if body.read(1):",
        "if len(body.read(1)) > 1:",
        f"{AVRO}::test_what_is_no_avro_has_a_reason_and_its_bytes",
    ),
    Mutation(
        "avro: the night takes the bytes for JSON",
        "batch/archive/events.py",
        "F.from_json(json_text(CONTRACTS.values()),",
        'F.from_json(F.col("value").cast("string"),',
        f"{AVRO}::test_the_night_finds_an_avro_event_by_its_id_and_day",
    ),
    Mutation(
        "protobuf: a field that the contract does not have is left out",
        "streaming/encodings/protobuf.py",
        'return found | {f"field {unknown.field_number}": None for unknown in UnknownFieldSet(message)}',
        "return found",
        f"{PROTOBUF}::test_what_is_no_message_has_a_reason_and_its_bytes",
    ),
    Mutation(
        "protobuf: of two values of a field the last counts",
        "streaming/encodings/protobuf.py",
        "if message.ByteSize() != len(value):",
        "if message.ByteSize() > len(value):",
        f"{PROTOBUF}::test_a_value_says_each_thing_once_and_in_full",
    ),
    Mutation(
        "protobuf: a later version's field moves the numbers of the first",
        "streaming/encodings/proto_schemas.py",
        "return StructType([*first, *(contract.schema[name] for name in later)])",
        "return contract.schema",
        f"{PROTOBUF}::test_a_later_version_changes_no_number",
    ),
    Mutation(
        "version: each definition has another one than before, though none has changed",
        "streaming/versions/definitions.py",
        "places.setdefault(found[1], len(places))",
        "places.setdefault(found[1], len(places) + 1)",
        "tests/batch/upgrade/test_upgrade.py::test_what_is_defined_as_before_has_the_version_of_before",
    ),
)

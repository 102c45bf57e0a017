"""The reasons for which a record is rejected, and the outcomes that a record can have.

Data flow: validated record -> Reason(s) in quarantine, or an Outcome
Run: daybreak query "SELECT reason, count(*) FROM silver.quarantine LATERAL VIEW explode(reasons) AS reason GROUP BY reason"
"""

from enum import StrEnum


class Reason(StrEnum):
    """A broken rule of a contract. A quarantined record carries every one that applies."""

    TOMBSTONE = "tombstone"
    EMPTY = "empty"
    OVERSIZE = "oversize"
    INVALID_UTF8 = "invalid_utf8"
    NOT_AVRO = "not_avro"
    UNKNOWN_SCHEMA = "unknown_schema"
    NOT_PROTOBUF = "not_protobuf"
    NOT_A_CHANGE = "not_a_change"
    UNAVAILABLE_VALUE = "unavailable_value"
    NOT_JSON = "not_json"
    NOT_AN_OBJECT = "not_an_object"
    MISSING_FIELD = "missing_field"
    UNKNOWN_FIELD = "unknown_field"
    DUPLICATE_FIELD = "duplicate_field"
    WRONG_TYPE = "wrong_type"
    LONE_SURROGATE = "lone_surrogate"
    BAD_FORMAT = "bad_format"
    UNKNOWN_TYPE = "unknown_type"
    UNKNOWN_VERSION = "unknown_version"
    OUT_OF_RANGE = "out_of_range"
    TOTAL_MISMATCH = "total_mismatch"
    KEY_MISSING = "key_missing"
    KEY_MISMATCH = "key_mismatch"
    FUTURE = "future"
    TOO_OLD = "too_old"
    CONFLICT = "conflict"


class Outcome(StrEnum):
    """What became of one record: exactly one of these, so that the counts add up to the records read."""

    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"
    CONFLICT = "conflict"
    REJECTED = "rejected"

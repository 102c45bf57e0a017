-- One row per event_id among the valid records of all topics, `arrivals`: the first, if that is the day's or in the reach after it.
CREATE TEMP TABLE events AS
WITH first_arrivals AS (
    SELECT *
    FROM arrivals
    QUALIFY row_number() OVER (PARTITION BY event_id ORDER BY arrival, topic, "partition", "offset") = 1
)

SELECT
    * EXCLUDE (own),
    event_time::DATE AS day
FROM first_arrivals
WHERE own;

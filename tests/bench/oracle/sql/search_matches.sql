-- Titles and searches repeat: which of them match is found once per pair of texts, and not per pair of events.
CREATE TEMP TABLE search_matches AS
WITH saved AS (
    SELECT
        saved_searches.search_id AS search_id,
        saved_searches.customer_id AS customer_id,
        saved_searches.words AS words,
        event_type,
        event_time AS saved_at,
        lead(event_time) OVER (PARTITION BY saved_searches.search_id ORDER BY event_time, event_id) AS replaced_at
    FROM events
    WHERE topic = 'saved_searches'
),

listing AS (FROM events WHERE event_type = 'product_listed'),

titles AS (
    SELECT
        title,
        words_of(title) AS found
    FROM (SELECT DISTINCT products.title AS title FROM listing)
),

searches AS (
    SELECT
        words,
        words_of(words) AS wanted
    FROM (SELECT DISTINCT words FROM saved WHERE event_type = 'search_saved')
),

matching AS (
    SELECT
        title,
        words
    FROM titles
    INNER JOIN searches ON len(wanted) > 0 AND list_has_all(found, wanted)
)

SELECT
    listing.event_id,
    saved.search_id,
    listing.products.product_id AS product_id,
    listing.products.title AS title,
    listing.event_time AS listed_at,
    saved.customer_id,
    saved.words,
    saved.saved_at,
    1::BIGINT AS matches,
    listing.day
FROM listing
INNER JOIN matching ON matching.title = listing.products.title
INNER JOIN saved
    ON
        saved.event_type = 'search_saved'
        AND saved.words = matching.words
        AND listing.event_time >= saved.saved_at
        AND (saved.replaced_at IS NULL OR listing.event_time < saved.replaced_at);

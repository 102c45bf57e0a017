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
FROM (FROM events WHERE event_type = 'product_listed') AS listing
INNER JOIN saved
    ON
        saved.event_type = 'search_saved'
        AND listing.event_time >= saved.saved_at
        AND (saved.replaced_at IS NULL OR listing.event_time < saved.replaced_at)
WHERE
    len(words_of(saved.words)) > 0
    AND list_has_all(words_of(listing.products.title), words_of(saved.words));

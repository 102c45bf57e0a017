-- Fails if the session runs without ANSI mode: then coalesce of a number and a string gives a string.
select typeof(coalesce(1, '2')) as found
where typeof(coalesce(1, '2')) <> 'bigint'

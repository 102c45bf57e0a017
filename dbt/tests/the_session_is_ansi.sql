-- Fails if tests, or the views that gold reads, are computed without ANSI: a number beside a text is then a text.
select typeof(coalesce(1, '2')) as found
where typeof(coalesce(1, '2')) <> 'bigint'

{#- made by make catalog, from streaming/views/viewed_together -#}
{{ by_day() }}
{{ fact('viewed_together') }}

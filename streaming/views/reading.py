"""The same view of other topics, whose events are called alike: of a table's captured changes in the place of a topic.

Data flow: View, topic -> topic that takes its place -> View
Run: pytest tests/streaming/test_reading.py
"""

from collections.abc import Mapping
from dataclasses import replace

from pyspark.sql import DataFrame

from streaming.views.view import Events, View


def reading(view: View, instead: Mapping[str, str]) -> View:
    """The view with some of its inputs replaced (topic -> the topic it reads now); its `define` sees no difference."""
    own = {topic: instead[topic] for topic in view.inputs if topic in instead}
    if not own:
        return view

    def define(events: Events) -> DataFrame:
        return view.define({topic: events[own.get(topic, topic)] for topic in view.inputs})

    return replace(
        view,
        inputs=tuple(own.get(topic, topic) for topic in view.inputs),
        changelogs={own.get(topic, topic): column for topic, column in view.changelogs.items()},
        define=define,
    )

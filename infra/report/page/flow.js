// Freshness hour by hour by either clock, and the lag while the day was read.

const CUTS = [["p50", "truth", "line"], ["p95", "cause", "dash"], ["p99", "speed", "dots"]];
const SPANS = [0.1, 1, 10, 60, 600, 3600, 21600, 86400, 604800];

(function freshness() {
  const { charts, controls } = section("freshness");
  const clocks = [...new Set(figures.fresh.filter((d) => d.p50 !== null).map((d) => d.clock))];
  if (!clocks.length) return empty(charts, "No on-time event of this day is visible yet.");
  const words = { event: "since it happened", arrival: "since it arrived in Kafka" };
  const group = controls.append("span").attr("role", "radiogroup").attr("aria-label", "age counted from");
  const option = group.selectAll("label").data(clocks).join("label").style("margin-right", "1rem");
  option.append("input").attr("type", "radio").attr("name", "clock").attr("value", (d) => d).property("checked", (d) => d === figures.clock).on("change", (_, d) => all(d));
  option.append("span").text((d) => ` ${words[d]}`);
  legend(controls, CUTS.map(([name, colour, shape]) => [{ p50: "half of the events (p50)", p95: "95 % (p95)", p99: "99 % (p99)" }[name], colour, shape]));
  charts.style("--least", "19rem");
  all(figures.clock);
  function all(clock) {
    charts.selectAll("*").remove();
    const own = figures.fresh.filter((d) => d.clock === clock && d.p50 !== null);
    const hours = d3.extent(own, (d) => new Date(d.hour));
    // One scale for all stages, so that they can be compared.
    const [low, high] = d3.extent(own.flatMap((d) => [d.p50, d.p99]).map((d) => Math.max(d, 0.1)));
    for (const [stage, rows] of d3.group(own, (d) => d.stage)) {
      chart(charts, stage, 190, (svg, width, height) => {
        const start = 52, bottom = height - 24;
        const room = hours[1] - hours[0] ? 0 : 1800e3;
        const x = d3.scaleUtc([new Date(+hours[0] - room), new Date(+hours[1] + room)], [start + 6, width - 12]);
        const y = d3.scaleLog([low / 1.4, high * 1.4], [bottom, 8]);
        left(svg, y, start, width, (axis) => axis.tickValues(ticks(low / 1.4, high * 1.4)).tickFormat(span));
        below(svg, x, bottom, (axis) => axis.ticks(Math.max(2, Math.floor((width - start) / 70))).tickFormat(hours[1] - hours[0] > 864e5 ? utc.both : utc.hour));
        for (const [name, colour, shape] of CUTS) {
          const at = (d) => y(Math.max(d[name], 0.1));
          svg.append("path").attr("class", `stroke ${colour}`).attr("stroke-dasharray", dash(shape)).attr("d", d3.line((d) => x(new Date(d.hour)), at)(rows));
          mark(svg.append("g").selectAll("circle").data(rows).join("circle"), (d) => ({ clock, stage, hour: d.hour, cut: name, seconds: d[name], events: d.events }))
            .attr("class", `mark fill ${colour}`).attr("r", rows.length > 1 ? 3 : 5).attr("cx", (d) => x(new Date(d.hour))).attr("cy", at);
        }
      });
    }
  }
  function ticks(from, to) {
    const round = SPANS.filter((d) => d >= from && d <= to);
    return round.length > 1 ? round : d3.scaleLinear([from, to]).ticks(4);
  }
})();

(function lag() {
  const { charts } = section("lag");
  const rows = figures.lagging;
  if (!rows.length) return empty(charts, "No event of this day was on time.");
  chart(charts, null, 190, (svg, width, height) => {
    const start = 52, bottom = height - 24;
    const x = d3.scaleUtc([new Date(rows[0].at), new Date(rows.at(-1).at)], [start, width - 4]);
    const y = d3.scaleLinear([0, d3.max(rows, (d) => d.events) || 1], [bottom, 10]).nice(4);
    left(svg, y, start, width, (axis) => axis.ticks(4).tickFormat(d3.format("~s")));
    const long = rows.at(-1).at.slice(0, 10) !== rows[0].at.slice(0, 10) && new Date(rows.at(-1).at) - new Date(rows[0].at) > 864e5;
    const short = new Date(rows.at(-1).at) - new Date(rows[0].at) < 6e5;
    below(svg, x, bottom, (axis) => axis.ticks(Math.max(2, Math.floor((width - start) / 70))).tickFormat(long ? utc.both : short ? utc.second : utc.hour));
    const area = d3.area((d) => x(new Date(d.at)), bottom, (d) => y(d.events)).curve(d3.curveStepAfter);
    svg.append("path").attr("class", "fill truth").attr("opacity", 0.3).attr("d", area(rows));
    svg.append("path").attr("class", "stroke truth").attr("d", area.lineY1()(rows));
    const step = (x.range()[1] - start) / rows.length;
    mark(svg.append("g").selectAll("rect").data(rows).join("rect"), (d) => ({ at: d.at, events: d.events }))
      .attr("x", (d) => x(new Date(d.at)) - step / 2).attr("width", step).attr("y", 8).attr("height", bottom - 8).attr("fill", "transparent");
  });
})();

// Freshness hour by hour, by event time or by arrival, and the lag while the day was read.

const CUTS = [["p50", "truth", "line"], ["p95", "cause", "dash"], ["p99", "speed", "dots"]];
const SPANS = [0.1, 1, 10, 60, 600, 3600, 21600, 86400, 604800];
const FINER = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 172800, 345600, 604800];

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
  picker(controls, "view", [...new Set(figures.heat.map((d) => d.view))]);
  charts.style("--least", "19rem");
  let counted = figures.clock;
  follow(() => all(counted));
  function all(clock) {
    counted = clock;
    charts.selectAll("*").remove();
    const seen = figures.fresh.filter((d) => d.clock === clock && d.p50 !== null);
    // Of the views the chosen one, beside the tables that all share.
    const own = seen.filter((d) => !d.stage.startsWith("speed/") || d.stage === `speed/${chosen.view}`);
    const hours = d3.extent(seen, (d) => new Date(d.hour));
    // One scale for all stages and views, so that they can be compared.
    const [least, most] = d3.extent(seen.flatMap((d) => [d.p50, d.p99]).map((d) => Math.max(d, 0.1)));
    const [low, high] = [least / 1.4, most * 1.4];
    for (const [stage, rows] of d3.group(own, (d) => d.stage)) {
      chart(charts, +hours[0] === +hours[1] ? `${stage}, ${utc.day(hours[0])} ${utc.hour(hours[0])} UTC` : stage, 190, (svg, width, height) => {
        const start = 52, bottom = height - 24;
        const y = d3.scaleLog([low, high], [bottom, 18]);
        left(svg, y, start, width, (axis) => axis.tickValues(ticks()).tickFormat(span));
        (+hours[0] === +hours[1] ? one : many)(svg, stage, rows, y, start, width, bottom);
      });
    }
    function many(svg, stage, rows, y, start, width, bottom) {
      const x = d3.scaleUtc(hours, [start + 6, width - 12]);
      times(svg, x, bottom);
      for (const [name, colour, shape] of CUTS) {
        const at = (d) => y(Math.max(d[name], 0.1));
        svg.append("path").attr("class", `stroke ${colour}`).attr("stroke-dasharray", dash(shape)).attr("d", d3.line((d) => x(new Date(d.hour)), at)(rows));
        dots(svg, rows, name, colour, stage).attr("cx", (d) => x(new Date(d.hour))).attr("cy", at);
      }
    }
    /** A single hour makes no line: draw its three figures side by side. */
    function one(svg, stage, rows, y, start, width, bottom) {
      const x = d3.scalePoint(CUTS.map(([name]) => name), [start, width]).padding(0.7);
      below(svg, x, bottom, () => {});
      for (const [name, colour] of CUTS) {
        const at = (d) => y(Math.max(d[name], 0.1));
        svg.append("g").selectAll("line").data(rows).join("line").attr("class", `stroke ${colour}`).attr("x1", x(name)).attr("x2", x(name)).attr("y1", bottom).attr("y2", at);
        dots(svg, rows, name, colour, stage).attr("cx", x(name)).attr("cy", at);
        svg.append("g").selectAll("text").data(rows).join("text").attr("class", "strong value").attr("text-anchor", "middle").attr("x", x(name)).attr("y", (d) => at(d) - 9).text((d) => span(d[name]));
      }
    }
    function dots(svg, rows, cut, colour, stage) {
      return mark(svg.append("g").selectAll("circle").data(rows).join("circle"), (d) => ({ clock, stage, hour: d.hour, cut, seconds: d[cut], events: d.events }))
        .attr("class", `mark fill ${colour}`).attr("r", rows.length > 1 ? 3 : 5);
    }
    /** Round time spans within the scale: the coarsest set with at least two; else D3's own ticks. */
    function ticks() {
      const inside = (values) => values.filter((d) => d >= low && d <= high);
      return [inside(SPANS), inside(FINER)].find((found) => found.length > 1) ?? inside(d3.ticks(low, high, 4));
    }
  }
})();

(function lag() {
  const { charts } = section("lag");
  const rows = figures.lagging;
  if (!rows.length) return empty(charts, "No event of this day was on time.");
  chart(charts, null, 190, (svg, width, height) => {
    const start = 52, bottom = height - 24;
    const slot = rows.length > 1 ? new Date(rows[1].at) - new Date(rows[0].at) : 1000;
    const x = d3.scaleUtc([new Date(rows[0].at), new Date(+new Date(rows.at(-1).at) + slot)], [start, width - 4]);
    const y = d3.scaleLinear([0, d3.max(rows, (d) => d.events) || 1], [bottom, 10]).nice(4);
    // Events are whole numbers: no tick at a fraction.
    left(svg, y, start, width, (axis) => axis.tickValues(y.ticks(4).filter(Number.isInteger)).tickFormat(d3.format("~s")));
    times(svg, x, bottom);
    const area = d3.area((d) => x(new Date(d.at)), bottom, (d) => y(d.events)).curve(d3.curveStepAfter);
    svg.append("path").attr("class", "fill truth").attr("opacity", 0.3).attr("d", area(rows));
    svg.append("path").attr("class", "stroke truth").attr("d", area.lineY1()(rows));
    const step = (x.range()[1] - start) / rows.length;
    mark(svg.append("g").selectAll("rect").data(rows).join("rect"), (d) => ({ at: d.at, events: d.events }))
      .attr("x", (d) => x(new Date(d.at))).attr("width", step).attr("y", 8).attr("height", bottom - 8).attr("fill", "transparent");
  });
})();

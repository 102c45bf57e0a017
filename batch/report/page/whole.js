// Where every offset is, and which layer serves which hour.

const PARTS = { silver: "truth", duplicates: "other", quarantined: "speed", empty: "quiet", unread: "cause", gaps: "fault", unaccounted: "fault", missing: "fault" };
const THIN = 5;

(function conservation() {
  const { charts, controls } = section("conservation");
  if (!figures.kept.length) return empty(charts, "No night has counted yet.");
  const there = Object.keys(PARTS).filter((name) => figures.kept.some((d) => d.parts[name]));
  legend(controls, there.map((name) => [name, PARTS[name], "box"]));
  chart(charts, null, figures.kept.length * 44 + 26, (svg, width, height) => {
    const named = d3.max(figures.kept, (d) => `${d.topic}-${d.partition}`.length) * 7 + 12, end = width - 4;
    const y = d3.scaleBand(figures.kept.map((d) => `${d.topic}-${d.partition}`), [0, height - 26]).padding(0.3);
    const most = d3.max(figures.kept, (d) => d.end - d.start) || 1;
    const x = d3.scaleLinear([0, most], [0, end - named]);
    below(svg, x.copy().range([named, end]), height - 24, (axis) => axis.ticks(Math.max(2, Math.floor((width - named) / 110))).tickFormat(d3.format("~s")));
    for (const one of figures.kept) {
      const name = `${one.topic}-${one.partition}`, parts = there.filter((part) => one.parts[part]);
      // Thin parts are drawn wide enough to be clicked; the widest part is shortened for that.
      const wide = parts.map((part) => Math.max(THIN, x(one.parts[part])));
      wide[d3.maxIndex(wide)] -= Math.max(0, d3.sum(wide) - x(one.end - one.start));
      const from = d3.cumsum([0, ...wide]);
      svg.append("text").attr("x", named - 8).attr("y", y(name) + y.bandwidth() / 2 + 4).attr("text-anchor", "end").classed("strong", one.faults).text(name);
      const rows = parts.map((part, i) => ({ part, at: from[i], width: wide[i], count: one.parts[part], behind: lead(one, part) }));
      mark(svg.append("g").selectAll("rect").data(rows).join("rect"), (d) => ({ topic: one.topic, partition: one.partition, part: d.part, count: d.count }))
        .attr("class", (d) => `mark fill ${PARTS[d.part]}`).attr("x", (d) => named + d.at).attr("y", y(name)).attr("height", y.bandwidth()).attr("width", (d) => Math.max(1, d.width - 1));
    }
  });
  if (figures.lost.length) {
    const list = charts.append("ul").attr("class", "legend gaps");
    mark(list.selectAll("li").data(figures.lost).join("li").append("button").attr("type", "button"), (d) => ({ by: d.by, topic: d.topic, partition: d.partition, start: d.start, end: d.end }))
      .attr("class", "mark").text((d) => `Gap: ${d.topic}-${d.partition}, ${number(d.end - d.start)} records never read by the ${d.by} (${d.days})`);
  }
  function lead(one, part) {
    const gap = figures.lost.find((d) => d.topic === one.topic && d.partition === one.partition && (part === "gaps" ? d.by === "archive" : part === "unread" && d.by === "stream"));
    return { ...(gap ?? one).behind, say: `${one.topic}-${one.partition}: ${number(one.parts[part])} ${part} of ${number(one.end - one.start)} offsets${gap ? `. ${gap.behind.say}` : ""}` };
  }
})();

(function served() {
  const { charts, controls } = section("served");
  const rows = figures.served;
  if (!rows.length) return empty(charts, "Nothing is served yet.");
  legend(controls, [["settled", "truth", "box"], ["settled, rows were corrected", "truth", "box", "corrected"], ["provisional", "speed", "box"], ["still open", "speed", "box", "open"]]);
  chart(charts, null, 128, (svg, width, height) => {
    const start = 48, lanes = d3.scaleBand(["truth", "speed"], [6, height - 30]).padding(0.22);
    const x = d3.scaleUtc([new Date(rows[0].start), new Date(rows.at(-1).end)], [start, width - 16]);
    const hatch = svg.append("defs").append("pattern").attr("id", "hatch").attr("width", 6).attr("height", 6).attr("patternUnits", "userSpaceOnUse").attr("patternTransform", "rotate(45)");
    hatch.append("rect").attr("class", "fill truth").attr("width", 6).attr("height", 6);
    hatch.append("line").attr("y2", 6).attr("stroke", "var(--surface)").attr("stroke-width", 2).attr("opacity", 0.55);
    times(svg, x, height - 26);
    svg.selectAll(".lane").data(["truth", "speed"]).join("text").attr("x", start - 8).attr("y", (d) => lanes(d) + lanes.bandwidth() / 2 + 4).attr("text-anchor", "end").text((d) => d);
    mark(svg.append("g").selectAll("rect").data(rows).join("rect"), (d) => ({ layer: d.layer, status: d.status, start: d.start, end: d.end }))
      .attr("class", (d) => `mark fill ${d.layer} ${d.status}`).attr("rx", 2)
      .attr("x", (d) => x(new Date(d.start))).attr("width", (d) => Math.max(2, x(new Date(d.end)) - x(new Date(d.start)) - 1))
      .attr("y", (d) => lanes(d.layer)).attr("height", lanes.bandwidth());
  });
})();

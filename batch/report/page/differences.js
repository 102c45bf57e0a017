// The heat map of days and views, and the waterfall of the cell that is chosen.

const chosen = { day: figures.day, view: null };
const waterfallOf = { again: () => {} };

(function heat() {
  const { charts, controls } = section("differences");
  const cells = figures.heat;
  const views = [...new Set(cells.map((d) => d.view))], days = [...new Set(cells.map((d) => d.day))];
  const share = (d) => (d.rows ? d.differing / d.rows : d.differing ? 1 : 0);
  const most = d3.max(cells, share) || 1;
  legend(controls, [["deeper colour: larger share", "heat", "box"], ["with rows that have no cause", "fault", "box"], ["dashed: not settled", "quiet", "dash"]]);
  chart(charts, null, (width) => (width < 560 ? days.length * 34 + 40 : views.length * 52 + 40), (svg, width, height) => {
    // On a narrow screen the days run downwards.
    const tall = width < 560, start = tall ? 58 : d3.max(views, (d) => d.length) * 7 + 12;
    const x = d3.scaleBand(tall ? views : days, [start, Math.min(width, start + (tall ? views : days).length * (tall ? 160 : 110))]).padding(0.06);
    const y = d3.scaleBand(tall ? days : views, [26, height - 4]).padding(0.06);
    const name = (d) => utc.day(new Date(d));
    svg.append("g").selectAll("text").data(tall ? views : days).join("text").attr("x", (d) => x(d) + x.bandwidth() / 2).attr("y", 16)
      .attr("text-anchor", "middle").classed("strong", (d) => d === figures.day).text((d) => (tall ? d : name(d)));
    svg.append("g").selectAll("text").data(tall ? days : views).join("text").attr("x", start - 8).attr("y", (d) => y(d) + y.bandwidth() / 2 + 4)
      .attr("text-anchor", "end").classed("strong", (d) => d === figures.day).text((d) => (tall ? name(d) : d));
    const at = (d) => [x(tall ? d.view : d.day), y(tall ? d.day : d.view)];
    const all = svg.append("g").selectAll("g").data(cells).join("g").attr("transform", (d) => `translate(${at(d)})`);
    const depth = (d) => (share(d) ? 10 + 90 * Math.sqrt(share(d) / most) : 0);
    mark(all.append("rect"), (d) => ({ day: d.day, view: d.view, rows: d.rows, differing: d.differing, corrected: d.corrected, unexplained: d.unexplained }))
      .attr("width", x.bandwidth()).attr("height", y.bandwidth()).attr("rx", 4)
      .attr("stroke", outline)
      .attr("fill", (d) => (d.unexplained ? "var(--bad)" : `color-mix(in oklab, var(--heat) ${depth(d)}%, var(--surface))`))
      .attr("stroke-dasharray", (d) => (d.is_settled ? null : "4 3"))
      .on("click", (event, d) => { choose(d.day, d.view); open(d.behind); });
    all.append("text").attr("x", x.bandwidth() / 2).attr("y", y.bandwidth() / 2 + 4).attr("text-anchor", "middle").attr("pointer-events", "none")
      .style("fill", (d) => (d.unexplained ? "var(--surface)" : "var(--ink)"))
      .text((d) => (!d.differing ? "0" : d.rows ? `${d3.format(".2~r")(share(d) * 100)} %` : number(d.differing)));
  });
})();

(function waterfall() {
  const { charts, controls } = section("waterfall");
  const days = [...new Set(figures.waterfalls.map((d) => d.day))].reverse();
  const select = (name, options) => {
    const label = controls.append("label").text(`${name} `);
    const made = label.append("select").on("change", function () { choose(name === "day" ? this.value : chosen.day, name === "view" ? this.value : chosen.view); });
    made.selectAll("option").data(options).join("option").text((d) => d);
    return made;
  };
  const views = [...new Set(figures.waterfalls.map((d) => d.view))];
  chosen.view = views[0];
  const day = select("day", days), view = select("view", views);
  legend(controls, [["the stream's answer", "speed", "box"], ["a cause", "cause", "box"], ["no cause", "fault", "box"], ["the truth", "truth", "box"]]);
  charts.style("--least", "26rem");
  waterfallOf.again = () => {
    day.property("value", chosen.day);
    view.property("value", chosen.view);
    charts.selectAll("*").remove();
    for (const one of figures.waterfalls.filter((d) => d.day === chosen.day && d.view === chosen.view)) draw(one);
  };
  function draw(one) {
    const rows = one.steps;
    chart(charts, one.measure, rows.length * 34 + 30, (svg, width, height) => {
      const named = d3.max(rows, (d) => d.name.length) * 7 + 12;
      const ends = rows.flatMap((d) => [d.start, d.end]), [low, high] = d3.extent(ends);
      const room = (high - low || Math.abs(high) * 0.01 || 1) * 0.06;
      const x = d3.scaleLinear([low - room, high + room], [named, width - 74]);
      const y = d3.scaleBand(d3.range(rows.length), [2, height - 26]).padding(0.28);
      below(svg, x, height - 24, (axis) => {
        // Orders and cents are whole: half of one has no tick.
        const least = Math.max(2, Math.floor((width - named) / 120)), whole = (count) => x.ticks(count).filter(Number.isInteger);
        const label = d3.format(",~d"), half = (d) => label(d).length * 3.6 + 4;
        const apart = (ticks) => ticks.every((d, i) => !i || x(d) - x(ticks[i - 1]) >= half(d) + half(ticks[i - 1]));
        // A scale needs two numbers. If all of them do not fit side by side, show the first and the last.
        const few = [least, least + 1, least + 2].map(whole).find((ticks) => ticks.length > 1) ?? whole(least);
        axis.tickValues([few, d3.extent(few)].find(apart) ?? few.slice(0, 1)).tickFormat(label);
      });
      svg.append("g").selectAll("text").data(rows).join("text").attr("x", named - 8).attr("y", (_, i) => y(i) + y.bandwidth() / 2 + 4)
        .attr("text-anchor", "end").text((d) => d.name.replaceAll("_", " "));
      svg.append("g").selectAll("line").data(rows.slice(1)).join("line").attr("class", "grid")
        .attr("x1", (_, i) => x(rows[i].end)).attr("x2", (_, i) => x(rows[i].end)).attr("y1", (_, i) => y(i) + y.bandwidth()).attr("y2", (_, i) => y(i + 1));
      const total = (d) => d.kind === "speed" || d.kind === "truth";
      mark(svg.append("g").selectAll("rect").data(rows).join("rect"), (d) => ({ view: one.view, measure: one.measure, step: d.name, start: d.start, end: d.end }))
        .attr("class", (d) => `mark fill ${d.kind}`).attr("rx", 2)
        .attr("x", (d) => (total(d) ? x(d.end) - 4 : Math.min(x(d.start), x(d.end))))
        .attr("width", (d) => (total(d) ? 8 : Math.max(2, Math.abs(x(d.end) - x(d.start)))))
        .attr("y", (_, i) => y(i)).attr("height", y.bandwidth());
      svg.append("g").selectAll("text").data(rows).join("text").attr("class", (d) => (total(d) ? "strong" : ""))
        .attr("x", (d) => Math.max(x(d.start), x(d.end)) + 8).attr("y", (_, i) => y(i) + y.bandwidth() / 2 + 4)
        .text((d) => (total(d) ? number(d.end) : signed(d.end - d.start)));
    });
  }
  waterfallOf.again();
})();

function outline(d) { return d.day === chosen.day || !d.is_settled ? "var(--ink)" : "var(--line)"; }

function choose(day, view) {
  Object.assign(chosen, { day, view });
  d3.selectAll("#differences .mark").attr("stroke", outline);
  waterfallOf.again();
}

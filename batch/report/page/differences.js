// The overview: the heat map of days and views. Below it, the waterfall of the day and the view that are chosen.

const differs = (d) => (d.rows ? d.differing / d.rows : d.differing ? 1 : 0);
const ofToday = figures.heat.filter((d) => d.day === figures.day);
// The sections below show one view. At first it is one with rows that have no cause, else the one that differs most.
const first = ofToday[d3.maxIndex(ofToday, (d) => d.unexplained || differs(d))] ?? figures.heat[0];
const chosen = { day: figures.day, view: first?.view };
const followers = [];

function choose(day, view) {
  Object.assign(chosen, { day, view });
  for (const again of followers) again();
}

/** Call it now, and again whenever another day or view is chosen. */
function follow(again) {
  followers.push(again);
  again();
}

/** Add a list of options whose choice all sections follow; `name` is a field of `chosen`. */
function picker(controls, name, options) {
  const made = controls.append("label").text(`${name} `).append("select")
    .on("change", function () { choose(name === "day" ? this.value : chosen.day, name === "view" ? this.value : chosen.view); });
  made.selectAll("option").data(options).join("option").text((d) => d);
  follow(() => made.property("value", chosen[name]));
}

(function heat() {
  const { charts, controls } = section("differences");
  const cells = figures.heat;
  const views = [...new Set(cells.map((d) => d.view))], days = [...new Set(cells.map((d) => d.day))];
  const most = d3.max(cells, differs) || 1;
  legend(controls, [["deeper colour: larger share", "heat", "box"], ["with rows that have no cause", "fault", "box"], ["dashed: not settled", "quiet", "dash"]]);
  const row = views.length > 4 ? 34 : 52, NAME = 20;
  chart(charts, null, (width) => (width < 560 ? views.length * (34 + NAME) + 40 : views.length * row + 40), (svg, width, height) => {
    // On a narrow screen a view's name stands above its cells.
    const narrow = width < 560, start = narrow ? 2 : d3.max(views, (d) => d.length) * 7 + 12, name = narrow ? NAME : 0;
    const x = d3.scaleBand(days, [start, Math.min(width, start + days.length * 110)]).padding(0.06);
    const y = d3.scaleBand(views, [26, height - 4]).padding(0.06);
    const every = Math.ceil(48 / x.step());
    svg.append("g").selectAll("text").data(days.filter((_, i) => (days.length - 1 - i) % every === 0)).join("text")
      .attr("x", (d) => x(d) + x.bandwidth() / 2).attr("y", 16).attr("text-anchor", (d) => (narrow && d === days.at(-1) ? "end" : "middle"))
      .attr("dx", (d) => (narrow && d === days.at(-1) ? x.bandwidth() / 2 : 0)).classed("strong", (d) => d === figures.day).text((d) => utc.day(new Date(d)));
    svg.append("g").selectAll("text").data(views).join("text").attr("x", narrow ? start : start - 8)
      .attr("y", (d) => (narrow ? y(d) + 14 : y(d) + y.bandwidth() / 2 + 4)).attr("text-anchor", narrow ? "start" : "end").text((d) => d);
    const tall = y.bandwidth() - name;
    const all = svg.append("g").selectAll("g").data(cells).join("g").attr("transform", (d) => `translate(${x(d.day)},${y(d.view) + name})`);
    const depth = (d) => (differs(d) ? 10 + 90 * Math.sqrt(differs(d) / most) : 0);
    mark(all.append("rect"), (d) => ({ day: d.day, view: d.view, rows: d.rows, differing: d.differing, corrected: d.corrected, unexplained: d.unexplained }))
      .attr("width", x.bandwidth()).attr("height", tall).attr("rx", 4)
      .attr("stroke", outline)
      .attr("fill", (d) => (d.unexplained ? "var(--bad)" : `color-mix(in oklab, var(--heat) ${depth(d)}%, var(--surface))`))
      .attr("stroke-dasharray", (d) => (d.is_settled ? null : "4 3"))
      .on("click", (event, d) => { choose(d.day, d.view); open(d.behind); });
    // Where a cell is too narrow for its number, the colour tells it, and the text of the mark.
    const cell = (d) => (!d.differing ? "0" : d.rows ? `${d3.format(".2~r")(differs(d) * 100)} %` : number(d.differing));
    all.filter((d) => cell(d).length * 7 < x.bandwidth()).append("text").attr("x", x.bandwidth() / 2).attr("y", tall / 2 + 4).attr("text-anchor", "middle").attr("pointer-events", "none")
      .style("fill", (d) => (d.unexplained ? "var(--surface)" : "var(--ink)"))
      .text(cell);
  });
})();

followers.push(() => d3.selectAll("#differences .mark").attr("stroke", outline));

(function waterfall() {
  const { charts, controls } = section("waterfall");
  picker(controls, "day", [...new Set(figures.waterfalls.map((d) => d.day))].reverse());
  picker(controls, "view", [...new Set(figures.waterfalls.map((d) => d.view))]);
  legend(controls, [["the stream's answer", "speed", "box"], ["a cause", "cause", "box"], ["no cause", "fault", "box"], ["the truth", "truth", "box"]]);
  charts.style("--least", "26rem");
  follow(() => {
    charts.selectAll("*").remove();
    for (const one of figures.waterfalls.filter((d) => d.day === chosen.day && d.view === chosen.view)) draw(one);
  });
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
})();

function outline(d) { return (d.day === chosen.day && d.view === chosen.view) || !d.is_settled ? "var(--ink)" : "var(--line)"; }

// The latency-completeness curve, and the lateness histogram with the watermark, of the view that is chosen.

const NINES = [0, 0.9, 0.99, 0.999, 0.9999, 0.99999];
// Events, as read, rows; then the measures.
const STYLES = [["truth", "line"], ["speed", "dash"], ["cause", "line"], ["other", "line"], ["other", "dash"], ["other", "dots"], ["quiet", "line"], ["quiet", "dash"], ["quiet", "dots"]];

(function curve() {
  const { charts, controls } = section("curve");
  if (!figures.curves.length) return empty(charts, "No curve of this day yet.");
  picker(controls, "view", figures.curves.map((d) => d.view));
  follow(() => {
    charts.selectAll("*").remove();
    controls.selectAll("ul").remove();
    for (const one of figures.curves.filter((d) => d.view === chosen.view)) draw(one);
  });
  function draw(one) {
    const names = Object.keys(one.points[0].lines), style = d3.scaleOrdinal(names, STYLES);
    legend(controls, names.map((name) => [name, ...style(name)]));
    chart(charts, one.view, 300, (svg, width, height) => {
      const start = 62, bottom = height - 46, top = 22;
      const x = d3.scalePoint(one.points.map((d) => d.label), [start + 8, width - 28]);
      // The number of nines: 0, 90, 99, 99.9 %; 100 % is one step above the finest.
      const nines = ([some, whole]) => (!whole ? 0 : some >= whole ? 6 : Math.min(5, Math.max(0, -Math.log10(1 - some / whole))));
      const least = Math.max(0, Math.floor(d3.min(one.points, (d) => d3.min(Object.values(d.lines), nines))));
      const y = d3.scaleLinear([least, 6], [bottom, top]);
      left(svg, y, start, width, (axis) => axis.tickValues(d3.range(least, 7)).tickFormat((d) => (d === 6 ? "100 %" : `${+(NINES[d] * 100).toFixed(3)} %`)));
      const every = Math.ceil(one.points.length / Math.max(3, Math.floor((width - start) / 64)));
      const at = one.points.findIndex((d) => d.is_in_force), last = one.points.length - 1;
      const shown = one.points.filter((d, i) => i === last || (i % every === 0 && last - i >= every)).map((d) => d.label);
      below(svg, x, bottom, (axis) => axis.tickValues(shown));
      svg.append("text").attr("x", (start + width) / 2).attr("y", height - 6).attr("text-anchor", "middle").text("delay the stream waits");
      const rule = x(one.points[at].label);
      svg.append("line").attr("class", "rule").attr("x1", rule).attr("x2", rule).attr("y1", top).attr("y2", bottom);
      svg.append("text").attr("class", "strong").attr("x", rule).attr("y", 12).attr("text-anchor", rule > width - 120 ? "end" : "middle").text(`in force: ${one.points[at].label}`);
      for (const name of names) {
        const [colour, shape] = style(name);
        const line = d3.line((d) => x(d.label), (d) => y(nines(d.lines[name])));
        svg.append("path").attr("class", `stroke ${colour}`).attr("stroke-dasharray", dash(shape)).attr("d", line(one.points));
        mark(svg.append("g").selectAll("circle").data(one.points).join("circle"),
          (d) => ({ view: one.view, line: name, delay: d.delay_seconds, some: d.lines[name][0], whole: d.lines[name][1], force: d.is_in_force }))
          .attr("class", `mark fill ${colour}`).attr("r", (d) => (d.is_in_force || d.delay_seconds === null ? 5 : 3.5))
          .attr("cx", (d) => x(d.label)).attr("cy", (d) => y(nines(d.lines[name])));
      }
    });
  }
})();

(function lateness() {
  const { charts, controls } = section("lateness");
  if (!figures.lateness.length) return empty(charts, "No lateness of this day yet.");
  legend(controls, [["in time", "truth", "box"], ["late, behind the watermark", "speed", "box"], ["in order of arrival", "other", "line"]]);
  picker(controls, "view", figures.lateness.map((d) => d.view));
  follow(() => {
    charts.selectAll("*").remove();
    for (const one of figures.lateness.filter((d) => d.view === chosen.view)) draw(one);
  });
  function draw(one) {
    chart(charts, one.view, 270, (svg, width, height) => {
      const start = 48, bottom = height - 66, top = 22;
      const x = d3.scaleBand(one.bins.map((d) => d.label), [start, width - 4]).padding(0.14);
      const most = d3.max(one.bins, (d) => Math.max(d.as_read, d.in_order)) || 1;
      const y = d3.scaleSymlog([0, most], [bottom, top]);
      const tens = [0, ...d3.range(0, Math.ceil(Math.log10(most)) + 1).map((d) => 10 ** d)].filter((d) => d <= most);
      left(svg, y, start, width, (axis) => axis.tickValues(tens).tickFormat(d3.format("~s")));
      // If there is no room, only every other bin is labelled, the watermark's among them.
      const every = x.step() < 20 ? 2 : 1, named = one.bins.findIndex((d) => d.to === one.watermark);
      const shown = one.bins.filter((_, i) => (i - named) % every === 0).map((d) => d.label);
      const turned = below(svg, x, bottom, (axis) => axis.tickValues(shown).tickFormat((d) => d.replace("up to ", "≤ ").replace("over ", "> ")));
      turned.selectAll("text").attr("transform", "rotate(-40)").attr("text-anchor", "end").attr("dx", "-.5em").attr("dy", ".3em");
      mark(svg.append("g").selectAll("rect").data(one.bins).join("rect"),
        (d) => ({ view: one.view, above: d.above, to: d.to, read: d.as_read, order: d.in_order, late: d.is_late }))
        .attr("class", (d) => `mark fill ${d.is_late ? "speed" : "truth"}`).attr("rx", 2).attr("x", (d) => x(d.label)).attr("width", x.bandwidth())
        .attr("y", (d) => (d.as_read ? y(d.as_read) : bottom - 2)).attr("height", (d) => (d.as_read ? bottom - y(d.as_read) : 2));
      svg.append("g").selectAll("line").data(one.bins.filter((d) => d.in_order)).join("line").attr("class", "stroke other").attr("pointer-events", "none")
        .attr("x1", (d) => x(d.label) - 2).attr("x2", (d) => x(d.label) + x.bandwidth() + 2).attr("y1", (d) => y(d.in_order)).attr("y2", (d) => y(d.in_order));
      const end = one.bins.find((d) => d.to === one.watermark);
      if (!end) return;
      const rule = x(end.label) + x.bandwidth() + (x.step() - x.bandwidth()) / 2;
      svg.append("line").attr("class", "rule").attr("x1", rule).attr("x2", rule).attr("y1", top - 4).attr("y2", bottom);
      svg.append("text").attr("class", "strong").attr("x", rule).attr("y", 12).attr("text-anchor", rule > width - 60 ? "end" : "middle").text(`the watermark: ${span(one.watermark)}`);
    });
  }
})();

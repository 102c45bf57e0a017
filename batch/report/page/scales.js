// Axes, legends and words that several charts share.

const number = d3.format(",");
const signed = d3.format("+,");

function span(seconds) {
  for (const [below, unit, name] of [[60, 1, "s"], [3600, 60, "min"], [86400, 3600, "h"]])
    if (seconds < below) return `${+(seconds / unit).toPrecision(2)} ${name}`;
  return `${+(seconds / 86400).toPrecision(2)} d`;
}

function percent(some, whole) {
  if (!whole) return "–";
  return some === whole ? "100 %" : `${(Math.floor((some / whole) * 1e5) / 1e3).toFixed(3)} %`;
}

/** Items: [text, class, "box" | "line" | "dash" | "dots", class of the box]. */
function legend(into, items) {
  const row = into.insert("ul", ":first-child").attr("class", "legend").selectAll("li").data(items).join("li");
  const svg = row.append("svg").attr("width", 22).attr("height", 12).attr("class", (d) => d[1]).attr("aria-hidden", "true");
  svg.each(function ([, , shape]) {
    const at = d3.select(this);
    if (shape === "box") at.append("rect").attr("class", "fill").attr("x", 5).attr("width", 12).attr("height", 12).attr("rx", 2).classed(d3.select(this).datum()[3] ?? "fill", true);
    else at.append("line").attr("class", "stroke").attr("x2", 22).attr("y1", 6).attr("y2", 6).attr("stroke-dasharray", dash(shape));
  });
  row.append("span").text((d) => d[0]);
}

function dash(shape) { return { dash: "7 4", dots: "2 3" }[shape] ?? null; }

function below(svg, scale, height, ticks) {
  const axis = d3.axisBottom(scale).tickSizeOuter(0).tickSize(4);
  ticks(axis);
  return svg.append("g").attr("class", "axis").attr("transform", `translate(0,${height})`).call(axis);
}

function left(svg, scale, from, to, ticks) {
  const axis = d3.axisLeft(scale).tickSize(0).tickPadding(6);
  ticks(axis);
  const drawn = svg.append("g").attr("class", "axis").attr("transform", `translate(${from},0)`).call(axis);
  drawn.selectAll(".tick").append("line").attr("class", "grid").attr("x2", to - from);
  return drawn;
}

function empty(charts, text) { charts.append("p").attr("class", "note").text(text); }

/** A time axis under a chart: labels are unique, do not overlap or leave the chart; midnight is labelled with its day. */
function times(svg, scale, height) {
  const [from, to] = scale.domain(), [start, end] = scale.range();
  const [format, wide] = to - from > 6e5 ? [(d) => (d.getUTCHours() || d.getUTCMinutes() ? utc.hour(d) : utc.day(d)), 54] : [utc.second, 66];
  const fits = (ticks) => ticks.every((d, i) => scale(d) + wide / 2 <= end + 24 && (!i || (scale(d) - scale(ticks[i - 1]) >= wide && format(d) !== format(ticks[i - 1]))));
  const counts = d3.range(Math.max(2, Math.floor((end - start) / wide)), 0, -1);
  const shown = counts.map((count) => scale.ticks(count)).find(fits) ?? scale.ticks(2).slice(0, 1);
  return below(svg, scale, height, (axis) => axis.tickValues(shown).tickFormat(format));
}

const utc = { day: d3.utcFormat("%d %b"), hour: d3.utcFormat("%H:%M"), second: d3.utcFormat("%H:%M:%S") };

// What every chart shares: it is redrawn when its width changes, and each mark has a text and shows the query for its rows.
// A chart is one stop of the Tab key; the arrow keys go from mark to mark.

const figures = JSON.parse(document.getElementById("figures").textContent);
const panel = document.getElementById("panel");
const tip = document.getElementById("tip");

function section(id) {
  const at = document.getElementById(id);
  return { controls: d3.select(at).select(".controls"), charts: d3.select(at).select(".charts") };
}

/** Add a figure that `draw(svg, width, height)` fills; height may be a function of width. Returns a function that redraws it. */
function chart(into, caption, height, draw) {
  const figure = into.append("figure");
  if (caption) figure.append("figcaption").text(caption);
  const box = figure.append("div").attr("class", "drawing");
  let drawn = 0;
  const again = () => {
    const width = Math.floor(box.node().clientWidth);
    if (!width) return;
    drawn = width;
    const tall = typeof height === "function" ? height(width) : height;
    box.selectAll("*").remove();
    const svg = box.append("svg").attr("width", width).attr("height", tall).attr("role", "group").attr("aria-label", caption || "chart");
    draw(svg, width, tall);
    const marks = svg.selectAll(".mark");
    marks.attr("tabindex", (_, i) => (i ? -1 : 0)).on("keydown", (event) => move(event, marks.nodes()));
  };
  new ResizeObserver(() => Math.floor(box.node().clientWidth) !== drawn && again()).observe(box.node());
  again();
  return again;
}

/** Turn shapes into marks: a text, a click that opens the panel, and their figures as data attributes. */
function mark(shapes, data = () => ({})) {
  return shapes.classed("mark", true)
    .attr("role", "button")
    .attr("aria-label", (d) => d.behind.say)
    .each(function (d) { for (const [name, value] of Object.entries(data(d))) this.setAttribute(`data-${name}`, value ?? ""); })
    .on("pointerenter focus", function (event, d) { show(this, d.behind.say, event); })
    .on("pointerleave blur", () => { tip.style.visibility = "hidden"; })
    .on("click", (event, d) => open(d.behind));
}

function move(event, nodes) {
  const at = nodes.indexOf(event.currentTarget);
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  const to = event.key === "Home" ? 0 : event.key === "End" ? nodes.length - 1 : step === undefined ? null : at + step;
  if (event.key === "Enter" || event.key === " ") {
    event.currentTarget.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  } else if (to === null || !nodes[to]) {
    return;
  } else {
    event.currentTarget.setAttribute("tabindex", -1);
    nodes[to].setAttribute("tabindex", 0);
    nodes[to].focus();
  }
  event.preventDefault();
}

function show(node, text) {
  tip.textContent = text;
  const at = node.getBoundingClientRect(), own = tip.getBoundingClientRect();
  const left = Math.min(Math.max(8, at.left + at.width / 2 - own.width / 2), innerWidth - own.width - 8);
  const above = at.top - own.height - 8;
  tip.style.transform = `translate(${Math.max(8, left)}px, ${above > 8 ? above : Math.min(at.bottom + 8, innerHeight - own.height - 8)}px)`;
  tip.style.visibility = "visible";
}

function open(behind) {
  tip.style.visibility = "hidden";
  panel.querySelector("#panel-say").textContent = behind.say;
  panel.querySelector("code").textContent = behind.sql;
  const night = panel.querySelector(".night"), report = panel.querySelector(".report");
  night.hidden = !behind.night;
  if (behind.night) night.href = `${figures.airflow}/reconciliation/night/${behind.night}`;
  // A server has the reports of the other nights beside this one; a mailed file is alone.
  report.hidden = !behind.night || behind.night === figures.day || !location.protocol.startsWith("http");
  if (!report.hidden) report.href = `${behind.night}.html`;
  panel.querySelector(".copy").textContent = "Copy the query";
  panel.showModal();
}

panel.querySelector(".close").addEventListener("click", () => panel.close());
panel.addEventListener("click", (event) => event.target === panel && panel.close());

for (const button of document.querySelectorAll("button.copy")) {
  button.addEventListener("click", async () => {
    const code = button.closest("details, dialog").querySelector("code");
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
    } catch {
      // A frame may not be allowed to write to the clipboard: then the query is at least selected.
      getSelection().selectAllChildren(code);
      button.textContent = document.execCommand("copy") ? "Copied" : "Selected: copy it with the keyboard";
    }
  });
}

// Airflow shows this page in a frame that may not navigate, and has its own dark mode: take the mode from Airflow's window.
const outside = (() => { try { return parent !== window && parent.document ? parent : null; } catch { return null; } })();
if (outside) {
  const theme = () => {
    const dark = outside.document.documentElement.classList.contains("dark");
    document.documentElement.style.colorScheme = dark ? "dark" : "light";
  };
  theme();
  new outside.MutationObserver(theme).observe(outside.document.documentElement, { attributeFilter: ["class"] });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a.night");
    if (!link) return;
    event.preventDefault();
    const own = outside.document.createElement("a");
    own.href = new URL(link.href).pathname;
    outside.document.body.append(own);
    own.click();
    own.remove();
  });
}

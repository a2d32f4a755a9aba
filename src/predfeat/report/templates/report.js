// Zoom and pan of the features over time. Without this script the page shows everything at once.
(function () {
  "use strict";
  const box = document.getElementById("traces");
  const data = JSON.parse(document.getElementById("trace-data").textContent);
  const nRows = data.n_rows, nBins = data.n_bins, axis = data.axis;
  if (nRows < 2 || nBins < 2) return;
  axis.start = axis.start || 0; // files of earlier versions count from 0
  const smallest = Math.min(nRows, Math.max(8, (8 * nRows) / nBins));
  const said = box.querySelector("output");
  // A long recording starts with a part of it: the whole would be a solid band.
  let view = [0, nRows > 3000 ? Math.min(nRows, Math.max(1000, (250 * nRows) / nBins)) : nRows];

  // Each trace is scaled by its full range: zooming in time must not change heights.
  const traces = data.traces.map(function (trace) {
    let low = Infinity, high = -Infinity;
    const top = trace.high || trace.low;
    for (let i = 0; i < nBins; i++) {
      if (trace.low[i] !== null && trace.low[i] < low) low = trace.low[i];
      if (top[i] !== null && top[i] > high) high = top[i];
    }
    return { low: trace.low, high: top, exact: !trace.high, base: low, span: high - low || 1 };
  });
  const plots = Array.from(box.querySelectorAll("svg[data-trace]")).map(function (svg) {
    return {
      svg: svg,
      path: svg.querySelector("path.trace"),
      boundary: svg.querySelector("path.boundary"),
      trace: traces[Number(svg.getAttribute("data-trace"))],
    };
  });
  const starts = new Set(data.sequence_starts.map(function (row) {
    return Math.floor((row * nBins) / nRows);
  }));

  function across(row) {
    return (1000 * (row - view[0])) / (view[1] - view[0]);
  }
  function up(value, trace) {
    return 960 - (920 * (value - trace.base)) / trace.span;
  }
  function at(x, y) {
    return x.toFixed(1) + " " + y.toFixed(1);
  }

  function draw(plot) {
    const trace = plot.trace, perBin = nRows / nBins;
    const first = Math.max(0, Math.floor(view[0] / perBin) - 1);
    const last = Math.min(nBins, Math.ceil(view[1] / perBin) + 1);
    const width = Math.max(100, plot.svg.clientWidth || 400);
    // Bins are joined from fixed places, so that bands do not flicker while they are moved.
    const joined = Math.max(1, Math.floor((last - first) / width));
    const parts = [];
    let there = [], back = [];
    function finish() {
      if (there.length === 1 && joined === 1 && trace.exact) there.push(there[0]);
      if (there.length) parts.push("M" + there.concat(open ? [] : back.reverse()).join("L") + (open ? "" : "Z"));
      there = [];
      back = [];
    }
    const open = trace.exact && joined === 1;
    for (let bin = first - (first % joined); bin < last; bin += joined) {
      let low = Infinity, high = -Infinity, starting = false;
      for (let i = bin; i < Math.min(bin + joined, nBins); i++) {
        if (starts.has(i)) starting = true;
        if (trace.low[i] !== null && trace.low[i] < low) low = trace.low[i];
        if (trace.high[i] !== null && trace.high[i] > high) high = trace.high[i];
      }
      if (starting || low > high) finish();
      if (low > high) continue;
      const x = across((bin + (open ? 0 : joined / 2)) * perBin);
      there.push(at(x, up(high, trace)));
      if (!open) back.push(at(x, up(low, trace)));
    }
    finish();
    plot.path.setAttribute("d", parts.join(""));
    plot.path.classList.toggle("open", open);
    const borders = data.sequence_starts.filter(function (row) {
      return row > view[0] && row < view[1];
    });
    plot.boundary.setAttribute("d", borders.length > 60 ? "" : borders.map(function (row) {
      return "M" + at(across(row), 0) + "V1000";
    }).join(""));
  }

  function ticks(low, high, about) {
    const rough = (high - low) / about, power = Math.pow(10, Math.floor(Math.log10(rough)));
    const step = [1, 2, 5, 10].map(function (s) { return s * power; }).find(function (s) { return s >= rough * 0.999; });
    const places = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high * (1 + 1e-12); i++) places.push(Number((i * step).toPrecision(10)));
    return places;
  }
  function label(value) {
    return value.toLocaleString("en", { maximumSignificantDigits: 6, useGrouping: true }).replace(/,/g, "\u00a0");
  }
  // Dates: time runs evenly between the rows whose moment is known.
  const dates = axis.dates;
  function momentOf(row) {
    const rows = dates.rows, last = rows.length - 1;
    let i = 0;
    while (i < last - 1 && rows[i + 1] <= row) i++;
    const share = (row - rows[i]) / (rows[i + 1] - rows[i] || 1);
    return 1000 * (dates.seconds[i] + share * (dates.seconds[i + 1] - dates.seconds[i]));
  }
  function rowOf(moment) {
    const seconds = dates.seconds, last = seconds.length - 1, at = moment / 1000;
    let i = 0;
    while (i < last - 1 && seconds[i + 1] <= at) i++;
    const share = (at - seconds[i]) / (seconds[i + 1] - seconds[i] || 1);
    return dates.rows[i] + share * (dates.rows[i + 1] - dates.rows[i]);
  }
  const second = 1000, minute = 60 * second, hour = 60 * minute, day = 24 * hour;
  const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
  const steps = [1, 2, 5, 10, 30].map(function (n) { return n * second; })
    .concat([1, 2, 5, 10, 30].map(function (n) { return n * minute; }), [1, 3, 6, 12].map(function (n) { return n * hour; }), [1, 2, 7, 14].map(function (n) { return n * day; }));
  function two(value) { return String(value).padStart(2, "0"); }
  function dateLabel(moment, step, full) {
    const d = new Date(moment), onDay = d.getUTCDate() + " " + months[d.getUTCMonth()];
    const dated = onDay + " " + d.getUTCFullYear();
    const clock = two(d.getUTCHours()) + ":" + two(d.getUTCMinutes());
    if (step >= 365 * day) return String(d.getUTCFullYear());
    if (step >= 28 * day) return months[d.getUTCMonth()] + (full || d.getUTCMonth() === 0 ? " " + d.getUTCFullYear() : "");
    if (step >= day) return full ? dated : onDay;
    if (step >= minute) return full || clock === "00:00" ? onDay + " " + clock : clock;
    const fraction = step < second ? (d.getUTCMilliseconds() / 1000).toFixed(3).slice(1) : "";
    return clock + ":" + two(d.getUTCSeconds()) + fraction;
  }
  function dateTicks(low, high, about) {
    const rough = (high - low) / about, found = [];
    let step = steps.find(function (s) { return s >= 0.7 * rough; });
    if (rough < second) {
      step = second * Math.pow(10, Math.ceil(Math.log10(rough / second) - 1e-9));
    }
    if (step) {
      // Weeks begin on Monday.
      const from = step > day ? 4 * day : 0;
      for (let at = Math.ceil((low - from) / step) * step + from; at <= high; at += step) found.push(at);
    } else {
      const perMonth = rough / (30.4 * day);
      step = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200].find(function (s) { return s >= 0.7 * perMonth; }) || 12000;
      const first = new Date(low);
      let month = Math.ceil((12 * first.getUTCFullYear() + first.getUTCMonth()) / step) * step;
      for (; ; month += step) {
        const at = Date.UTC(Math.floor(month / 12), month % 12, 1);
        if (at > high) break;
        if (at >= low) found.push(at);
      }
      step *= 30.5 * day;
    }
    return found.map(function (at, i) { return { row: rowOf(at), text: dateLabel(at, step, i === 0) }; });
  }
  function numberTicks(low, high, about) {
    const places = ticks(axis.start + low * axis.per_row, axis.start + high * axis.per_row, about);
    return places.map(function (value, i) {
      const text = label(value) + (i === places.length - 1 ? " " + axis.unit : "");
      return { row: (value - axis.start) / axis.per_row, text: text };
    });
  }
  function drawAxis(svg) {
    svg.replaceChildren();
    const about = Math.max(2, (svg.clientWidth || 400) / 110);
    const places = dates ? dateTicks(momentOf(view[0]), momentOf(view[1]), about) : numberTicks(view[0], view[1], about);
    places.forEach(function (place, i) {
      const text = document.createElementNS("http://www.w3.org/2000/svg", "text");
      const share = (place.row - view[0]) / (view[1] - view[0]);
      text.setAttribute("x", (100 * share).toFixed(3) + "%");
      text.setAttribute("y", "13");
      text.setAttribute("class", "tick");
      text.setAttribute("text-anchor", share < 0.06 ? "start" : share > 0.94 ? "end" : "middle");
      text.textContent = place.text;
      if (i === places.length - 1 && share > 0.9) text.setAttribute("text-anchor", "end");
      svg.appendChild(text);
    });
  }
  function told(row, digits) {
    if (!dates) return label(Number((axis.start + row * axis.per_row).toFixed(Math.min(digits, 12))));
    const length = momentOf(view[1]) - momentOf(view[0]);
    return dateLabel(momentOf(row), length > 3 * day ? day : length > 3 * minute ? minute : second, true);
  }

  function show() {
    plots.forEach(draw);
    box.querySelectorAll(".axis svg").forEach(drawAxis);
    const whole = view[0] === 0 && view[1] === nRows;
    const digits = Math.max(0, Math.ceil(-Math.log10((view[1] - view[0]) * axis.per_row)) + 2);
    const until = dates ? "" : " of " + told(nRows, digits) + " " + axis.unit;
    said.textContent = whole ? "showing all " + label(nRows) + " rows" : told(view[0], digits) + " to " + told(view[1], digits) + until;
    box.setAttribute("data-from", String(view[0]));
    box.setAttribute("data-to", String(view[1]));
  }
  let waiting = false;
  function look(from, length) {
    length = Math.min(nRows, Math.max(smallest, length));
    from = Math.min(nRows - length, Math.max(0, from));
    view = [from, from + length];
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(function () {
      waiting = false;
      show();
    });
  }
  function zoom(factor, share) {
    const length = view[1] - view[0];
    const wanted = Math.min(nRows, Math.max(smallest, length * factor));
    look(view[0] + share * (length - wanted), wanted);
  }
  function move(share) {
    const length = view[1] - view[0];
    look(view[0] + share * length, length);
  }
  const doings = {
    in: function () { zoom(0.5, 0.5); },
    out: function () { zoom(2, 0.5); },
    left: function () { move(-0.25); },
    right: function () { move(0.25); },
    all: function () { look(0, nRows); },
  };

  box.querySelectorAll("button").forEach(function (button) {
    button.addEventListener("click", doings[button.getAttribute("data-do")]);
  });
  const keys = { "+": "in", "=": "in", "-": "out", ArrowLeft: "left", ArrowRight: "right", 0: "all", Home: "all" };
  box.addEventListener("keydown", function (event) {
    const name = keys[event.key];
    if (!name || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    doings[name]();
  });

  const columns = box.querySelector(".columns");
  function shareAt(clientX) {
    // Both columns show the same time: the pointer's position is that in its own column.
    const parts = Array.from(columns.children).map(function (part) {
      return (part.querySelector("svg[data-trace]") || part).getBoundingClientRect();
    });
    const part = parts.find(function (p) { return clientX >= p.left && clientX <= p.right; }) || parts[0];
    return { share: Math.min(1, Math.max(0, (clientX - part.left) / part.width)), width: part.width };
  }
  columns.addEventListener("wheel", function (event) {
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      move(event.deltaX / shareAt(event.clientX).width);
      return;
    }
    // At full extent, zooming out scrolls the page instead.
    if (event.deltaY > 0 && view[0] === 0 && view[1] === nRows) return;
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 30 : 1;
    zoom(Math.exp(Math.max(-300, Math.min(300, event.deltaY * lines)) / 400), shareAt(event.clientX).share);
  }, { passive: false });

  const fingers = new Map();
  columns.addEventListener("pointerdown", function (event) {
    if (event.button > 0) return;
    fingers.set(event.pointerId, event.clientX);
    columns.setPointerCapture(event.pointerId);
    box.classList.add("moving");
  });
  columns.addEventListener("pointermove", function (event) {
    if (!fingers.has(event.pointerId)) return;
    const before = Array.from(fingers.values());
    const step = event.clientX - fingers.get(event.pointerId);
    fingers.set(event.pointerId, event.clientX);
    const now = Array.from(fingers.values());
    if (fingers.size === 1) {
      move(-step / shareAt(event.clientX).width);
    } else if (fingers.size === 2) {
      const apart = Math.max(10, Math.abs(before[0] - before[1]));
      zoom(apart / Math.max(10, Math.abs(now[0] - now[1])), shareAt((now[0] + now[1]) / 2).share);
    }
  });
  ["pointerup", "pointercancel"].forEach(function (name) {
    columns.addEventListener(name, function (event) {
      fingers.delete(event.pointerId);
      if (!fingers.size) box.classList.remove("moving");
    });
  });

  box.classList.add("live");
  box.querySelector(".tools").hidden = false;
  window.addEventListener("resize", show);
  show();
})();

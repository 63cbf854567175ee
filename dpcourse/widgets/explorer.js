// An explorer in the browser: labelled inputs, a readout, and a picture drawn as SVG from numbers made in Python.
// A view's numbers are whole steps, 4,000 to an axis (dpcourse/plots/scene.py), so what is drawn here is what Python
// says. It lives on a kernel (`render`, an anywidget) or on numbers computed beforehand (`page`, a web site).
const STEPS = 4000, GAP = -32768, NARROW = 480, CHAR = 6.3, LINE = 14;

const escape = text => String(text).replace(/[&<>"]/g, c => `&#${c.charCodeAt(0)};`);
// A typed power, e^ε or e^(−x/b), is shown raised; its caret and brackets stay, unseen, for who copies or hears it.
const POWER = /\^(\((?:[^()]|\([^()]*\))*\)|[−-]?[\p{L}\p{N}_]+)/u;
const unseen = (tag, typed) => typed && `<${tag} class="dpx-caret">${typed}</${tag}>`;
const power = (tag, up) => {
  const [left, inside, right] = up[0] === "(" ? ["^(", up.slice(1, -1), ")"] : ["^", up, ""];
  return unseen(tag, left) + escape(inside) + unseen(tag, right);
};
const inHTML = text => text.split(POWER).map((part, i) =>
  i % 2 ? `<sup>${power("span", part)}</sup>` : escape(part)).join("");
const inSVG = text => text.split(POWER).map((part, i) =>
  i % 2 ? `<tspan class="dpx-up" dy="-4">${power("tspan", part)}</tspan>`
    : i && part ? `<tspan dy="4">${escape(part)}</tspan>` : escape(part)).join("");
const round = value => Math.round(value * 10) / 10;

// Where the panels stand in a picture `width` wide: side by side, or one above the other where it is narrow.
export function boxes(view, width) {
  const narrow = width < NARROW && view.p.length > 1, whole = view.p.reduce((sum, panel) => sum + panel.w, 0);
  let x = 0, y = 0;
  const found = view.p.map(panel => {
    const [top, right, bottom, left] = panel.m;
    const w = narrow ? width : width * panel.w / whole, h = narrow ? Math.floor(view.h * 0.75) : view.h;
    const box = { x: x + left, y: y + top, w: w - left - right, h: h - top - bottom, left: x, width: w };
    narrow ? (y += h) : (x += w);
    return box;
  });
  return [found, narrow ? y : view.h];
}

// Labels keep their place if it is free, else move up or down to the nearest that is. Those at one x stand in the order
// of what they name.
export function placeLabels(labels, box, width) {
  const taken = [], columns = {};
  const found = labels.map(({ x, y, a, dx, dy, t, c }) => {
    const w = CHAR * t.length, back = { start: 0, middle: w / 2, end: w }[a];
    const wanted = box.x + x / STEPS * box.w + dx;
    const left = Math.max(2, Math.min(wanted - back, width - 2 - w));
    const middle = Math.max(box.y + 6, Math.min(box.y + box.h - 6, box.y + box.h - y / STEPS * box.h + dy));
    const free = m => m >= box.y + 2 && m <= box.y + box.h - 2 && taken.every(other =>
      Math.abs(other.m - m) >= LINE || other.left >= left + w + 4 || left >= other.left + other.w + 4);
    let m = middle;
    for (let k = 0; k < 60 && !free(m); k++) m = middle + (k % 2 ? -3 : 3) * (k + 2 >> 1);
    (columns[[x, dx, a]] ??= []).push({ above: dy - y / STEPS * box.h, i: taken.length });
    taken.push({ left, w, m });
    return { x: left + back, y: m, a, t, c };
  });
  Object.values(columns).forEach(column => {
    const heights = column.map(({ i }) => found[i].y).sort((one, other) => one - other);
    column.sort((one, other) => one.above - other.above || one.i - other.i);
    column.forEach(({ i }, k) => { found[i].y = heights[k]; });
  });
  return found;
}

// The picture as the text of an SVG element.
export function drawing(view, width, name = "") {
  const [found, height] = boxes(view, width);
  let out = "";
  const text = (x, y, words, anchor = "start", extra = "") => {
    if (words) out += `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" ${extra}>${inSVG(words)}</text>`;
  };
  view.p.forEach((panel, i) => {
    const box = found[i], X = s => s / STEPS * box.w, Y = s => box.h - s / STEPS * box.h;
    let grid = "", crowded = 0;
    panel.x.t.forEach(s => { grid += `M${round(box.x + X(s))} ${round(box.y)}v${round(box.h)}`; });
    panel.y.t.forEach(s => { grid += `M${round(box.x)} ${round(box.y + Y(s))}h${round(box.w)}`; });
    out += `<path class="dpx-grid" d="${grid}"/>`;
    panel.x.n.forEach((words, j) => {
      const x = box.x + X(panel.x.t[j]), w = CHAR * words.length;
      if (j && x - w / 2 < crowded) return;
      crowded = x + w / 2 + 4;
      text(x, box.y + box.h + 16, words, "middle", 'class="dpx-tick"');
    });
    panel.y.n.forEach((words, j) =>
      text(box.x - 6, box.y + Y(panel.y.t[j]) + 4, words, "end", 'class="dpx-tick"'));
    text(box.x + box.w / 2, box.y + box.h + 34, panel.x.l, "middle");
    text(box.left + 4, box.y - 12, panel.y.l);
    text(box.left + 4, box.y - (panel.y.l ? 30 : 10), panel.t, "start", 'class="dpx-name"');
    out += `<svg x="${round(box.x)}" y="${round(box.y)}" width="${round(box.w)}" height="${round(box.h)}">`;
    let dots = "";
    for (const mark of panel.k) {
      const pen = `class="c${mark.c}" stroke-width="${mark.w}"` + (mark.d ? ` stroke-dasharray="${mark.d}"` : "");
      const place = (xs, ys) =>
        xs.map((s, j) => s === GAP || ys[j] === GAP ? null : [round(X(s)), round(Y(ys[j]))]);
      const at = place(mark.x, mark.y), to = mark.X && place(mark.X, mark.Y);
      if (mark.k === "line") {
        let pen_up = true, d = "";
        for (const p of at) { if (p) d += (pen_up ? "M" : "L") + p; pen_up = !p; }
        out += `<path ${pen} fill="none" stroke="currentColor" d="${d}"/>`;
      } else if (mark.k === "area") {
        const back = to.slice().reverse();
        out += `<path ${pen} fill="currentColor" fill-opacity="${mark.o}" d="M${[...at, ...back].join("L")}Z"/>`;
      } else if (mark.k === "bars") {
        at.forEach((p, j) => {
          if (!p || !to[j]) return;
          const [x, y] = [Math.min(p[0], to[j][0]), Math.min(p[1], to[j][1])];
          out += `<rect ${pen} fill="currentColor" fill-opacity="${mark.o}" x="${x}" y="${y}" ` +
            `width="${round(Math.abs(p[0] - to[j][0]))}" height="${round(Math.abs(p[1] - to[j][1]))}"/>`;
        });
      } else if (mark.k === "spans") {
        const d = at.map((p, j) => p && to[j] ? `M${p}L${to[j]}` : "").join("");
        out += `<path ${pen} fill="none" stroke="currentColor" d="${d}"/>`;
      } else {
        const fill = mark.s.startsWith("h") ? "none" : "currentColor", r = mark.r;
        at.forEach((p, j) => {
          if (!p || mark.x[j] < 0 || mark.x[j] > STEPS || mark.y[j] < 0 || mark.y[j] > STEPS) return;
          const x = round(box.x + p[0]), y = round(box.y + p[1]);
          const d = { o: `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`,
            s: `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}Z`, t: `M${x - r} ${y + r}h${2 * r}l${-r} ${-2 * r}Z`,
            d: `M${x - r} ${y}l${r} ${-r}l${r} ${r}l${-r} ${r}Z`,
            x: `M${x - r} ${y - r}l${2 * r} ${2 * r}m0 ${-2 * r}l${-2 * r} ${2 * r}` }[mark.s.slice(-1)];
          dots += `<path ${pen} stroke="currentColor" fill="${fill}" data-at="${x},${y}" d="${d}"/>`;
          if (mark.g && mark.g[2].length) dots += `<circle class="dpx-drag" cx="${x}" cy="${y}" r="18" fill="transparent"/>`;
        });
      }
    }
    out += "</svg>" + dots;
    for (const label of placeLabels(panel.s, box, width))
      text(label.x, label.y + 4, label.t, label.a, `class="dpx-label c${label.c}"`);
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ` +
    `role="img" aria-label="${escape(name)}">${out}</svg>`;
}

// A number as a person writes it, to three digits.
function written(axis, step) {
  if (axis.q) {
    const near = axis.t.reduce((best, s, j) => Math.abs(s - step) < Math.abs(axis.t[best] - step) ? j : best, 0);
    return axis.n[near];
  }
  const part = step / STEPS;
  let value = axis.g ? axis.a * (axis.b / axis.a) ** part : axis.a + (axis.b - axis.a) * part;
  if (axis.u === "%") value *= 100;
  if (Math.abs(value) < Math.abs(axis.b - axis.a) * (axis.u === "%" ? 100 : 1) / 8000 && !axis.g) value = 0;
  const words = (+value.toPrecision(3)).toLocaleString("en-US", { maximumFractionDigits: 8 });
  return axis.u === "$" ? "$" + words : axis.u === "%" ? words + "%" : words;
}

// What lies nearest to a place in the picture: words and their place, or nothing within reach.
function nearest(view, width, px, py) {
  let best = null;
  boxes(view, width)[0].forEach((box, i) => {
    const panel = view.p[i], X = s => box.x + s / STEPS * box.w, Y = s => box.y + box.h - s / STEPS * box.h;
    if (px < box.x - 8 || px > box.x + box.w + 8 || py < box.y - 8 || py > box.y + box.h + 8) return;
    const offer = (x, y, mark, gain = 0) => {
      const away = Math.hypot(X(x) - px, Y(y) - py) - gain;
      if (away < (best ? best.away : 24)) {
        const words = `${written(panel.x, x)} → ${written(panel.y, y)}`;
        best = { away, x: X(x), y: Y(y), words: mark.n ? `${mark.n}: ${words}` : words };
      }
    };
    for (const mark of panel.k) {
      if (!mark.h) continue;
      mark.x.forEach((x, j) => {
        const y = mark.y[j];
        if (x === GAP || y === GAP) return;
        if (mark.k === "bars") {
          const inside = (px - X(x)) * (px - X(mark.X[j])) <= 0 && (py - Y(y)) * (py - Y(mark.Y[j])) <= 0;
          const across = mark.v ? [mark.X[j], (y + mark.Y[j]) / 2] : [(x + mark.X[j]) / 2, mark.Y[j]];
          offer(...across, mark, inside ? 1e3 : 0);
        } else if (mark.k === "line" && j && mark.x[j - 1] !== GAP && mark.x[j - 1] !== x) {
          const s = (px - box.x) / box.w * STEPS, part = (s - mark.x[j - 1]) / (x - mark.x[j - 1]);
          if (part >= 0 && part <= 1) offer(s, mark.y[j - 1] + part * (y - mark.y[j - 1]), mark);
        } else if (mark.k === "points") offer(x, y, mark, 4);
      });
    }
  });
  return best;
}

// Put an explorer into `el`. `moved(at)` is called when the reader moves a control; answer with `show(view)`.
export function mount(el, spec, at, moved) {
  const make = (name, parent, attributes = {}, words = "") => {
    const made = parent.appendChild(document.createElement(name));
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    made.innerHTML = inHTML(words);
    return made;
  };
  const id = "dpx" + Array.from(crypto.getRandomValues(new Uint32Array(2)), n => n.toString(36)).join("");
  el.classList.add("dpx-host");
  const root = make("div", el, { class: "dpx", role: "group", "aria-labelledby": id });
  make("div", root, { class: "dpx-title", id }, spec.title);
  const side = make("div", root, { class: "dpx-side" }), picture = make("div", root, { class: "dpx-picture" });
  const inputs = {}, said = {}, told = {};
  spec.controls.forEach((control, number) => {
    const row = make("div", side, { class: "dpx-row" }), key = `${id}-${number}`;
    // JupyterLab's command mode takes the arrow keys away from an input that does not carry this mark itself.
    const mark = { id: key, "data-lm-suppress-shortcuts": "true", "data-name": control.name };
    let input;
    if (control.kind === "check") {
      input = make("input", row, { type: "checkbox", ...mark });
      make("label", row, { for: key }, control.label);
    } else {
      make("label", row, { for: key }, control.label);
      if (control.kind === "select") {
        input = make("select", row, mark);
        control.labels.forEach((words, i) => make("option", input, { value: i }, words));
      } else {
        said[control.name] = make("output", row, { for: key, "aria-hidden": "true" });
        input = make("input", row, { type: "range", min: 0, max: control.labels.length - 1, step: 1, ...mark });
      }
    }
    told[control.name] = make("div", row, { class: "dpx-words" });
    input.addEventListener(control.kind === "range" ? "input" : "change", () =>
      move(control.name, control.kind === "check" ? +input.checked : +input.value));
    inputs[control.name] = input;
  });
  const readout = make("div", side, { class: "dpx-say", role: "status", id: id + "-say" });
  if (spec.answer) {
    const fold = make("details", side);
    make("summary", fold, { "data-lm-suppress-shortcuts": "true" }, "What to see");
    make("p", fold, {}, spec.answer);
  }
  const frame = make("div", picture), tip = make("div", picture, { class: "dpx-tip", "aria-hidden": "true" });
  let view = null, width = 0, dragged = null;

  const settle = () => spec.controls.forEach(control => {
    const input = inputs[control.name], i = at[control.name];
    if (control.kind === "check") input.checked = !!i;
    else input.value = i;
    const words = (view && view.off && view.off[control.name]) || control.labels[i];
    if (said[control.name]) {
      said[control.name].textContent = words;
      input.setAttribute("aria-valuetext", words);
    }
  });
  function move(name, i) {
    if (at[name] === i) return;
    at = { ...at, [name]: i };
    if (view) view = { ...view, off: null };
    settle();
    moved(at);
  }
  function paint() {
    if (!view || !width) return;
    tip.hidden = true;
    frame.innerHTML = drawing(view, width, view.alt);
    frame.firstChild.setAttribute("aria-describedby", id + "-say");
  }
  function show(next) {
    view = next;
    readout.innerHTML = inHTML(view.text.replace(/ ([=<>≤≥±]) /g, "\u00a0$1\u00a0")); // ε = 1 stays on a line
    for (const name in told) told[name].innerHTML = inHTML((view.words && view.words[name]) || "");
    settle();
    paint();
  }
  const where = event => {
    const box = frame.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  picture.addEventListener("pointerdown", event => {
    if (!event.target.classList.contains("dpx-drag")) return;
    const [px, py] = where(event);
    let least = 40;
    boxes(view, width)[0].forEach((box, i) => view.p[i].k.forEach(mark => mark.g && mark.x.forEach((x, j) => {
      const away = Math.hypot(box.x + x / STEPS * box.w - px, box.y + box.h - mark.y[j] / STEPS * box.h - py);
      if (away < least) { least = away; dragged = { panel: i, name: mark.g[0], which: mark.g[1] }; }
    })));
    if (dragged) { picture.setPointerCapture(event.pointerId); event.preventDefault(); }
  });
  picture.addEventListener("pointermove", event => {
    if (!view) return;
    const [px, py] = where(event);
    if (dragged) {
      const box = boxes(view, width)[0][dragged.panel];
      const mark = view.p[dragged.panel].k.find(one => one.g && one.g[0] === dragged.name);
      const s = STEPS * (dragged.which === "x" ? (px - box.x) / box.w : 1 - (py - box.y) / box.h);
      move(dragged.name, mark.g[2].reduce((b, p, j, all) => Math.abs(p - s) < Math.abs(all[b] - s) ? j : b, 0));
      return;
    }
    const found = nearest(view, width, px, py);
    tip.hidden = !found;
    if (!found) return;
    tip.innerHTML = inHTML(found.words);
    tip.style.left = Math.max(0, Math.min(found.x + 10, width - tip.offsetWidth - 2)) + "px";
    tip.style.top = Math.max(0, found.y - 30) + "px";
  });
  const release = () => { dragged = null; };
  picture.addEventListener("pointerup", release);
  picture.addEventListener("pointercancel", release);
  picture.addEventListener("pointerleave", () => { tip.hidden = true; });
  const watcher = new ResizeObserver(([entry]) => {
    const now = Math.floor(entry.contentRect.width);
    if (now && now !== width) { width = now; paint(); }
  });
  watcher.observe(picture);
  return { show, at: next => { at = { ...next }; settle(); }, remove: () => watcher.disconnect() };
}

// With numbers computed beforehand: a template in which {"$": […]} stands for words and {"#": n} for a value.
// Each leaf is kept over the controls it depends on only; lists of whole steps are kept as differences.
export function unpack(data) {
  const sizes = data.spec.controls.map(control => control.labels.length);
  const leaf = (n, at) => {
    const { d, i, t, z } = data.leaves[n];
    let place = 0;
    for (const number of d) place = place * sizes[number] + at[data.spec.controls[number].name];
    const value = t[i ? i[place] : place];
    let sum = 0;
    return z ? value.map(step => (sum += step)) : value;
  };
  const fill = (part, at) => {
    if (part === null || typeof part !== "object") return part;
    if (Array.isArray(part)) return part.map(one => fill(one, at));
    if ("$" in part) return part.$.map(one => typeof one === "string" ? one : leaf(one, at)).join("");
    if ("#" in part) return leaf(part["#"], at);
    return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, fill(value, at)]));
  };
  return at => fill(data.view, at);
}

export function page(el, data) {
  const view = unpack(data), ui = mount(el, data.spec, { ...data.at }, at => ui.show(view(at)));
  ui.show(view(data.at));
  return ui;
}

export default {
  render({ model, el }) {
    const ui = mount(el, model.get("spec"), { ...model.get("at") }, at => {
      model.set("at", at);
      model.save_changes();
    });
    const show = () => ui.show(model.get("view")), settle = () => ui.at(model.get("at"));
    model.on("change:view", show);
    model.on("change:at", settle);
    show();
    return () => { model.off("change:view", show); model.off("change:at", settle); ui.remove(); };
  },
};

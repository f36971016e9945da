// The picture of a document: similarity at each cut, size of each chunk; all of it, and what is near.
"use strict";

/**
 * @param {Array} chunks rows of id, characters, tokens, page, score
 * @param {number} limit most tokens of a chunk
 * @param {number} least fewest tokens that were asked for
 */
function makeChart(chunks, limit, least) {
  const ID = 0, TOKENS = 2, PAGE = 3, SCORE = 4;
  const NEAR = 130, PAD = 8, BARS = 46, PAGES = 16, EDGE = 34;
  const whole = byId("whole"), near = byId("near"), count = chunks.length;
  const scores = chunks.map((chunk) => chunk[SCORE]).filter((score) => score !== null);
  const low = Math.min(...scores), high = Math.max(...scores);
  let from = 0, to = Math.min(count, NEAR), selected = -1, reading = 0;
  whole.hidden = count <= NEAR;

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  function palette() {
    const probe = element("i");
    document.body.append(probe);
    const resolve = (name) => { probe.style.color = colour(name); return getComputedStyle(probe).color; };
    const found = Object.fromEntries(["soft", "line", "red", "curve", "fill", "full", "small", "card"].map((name) => [name, resolve(`--${name}`)]));
    probe.remove();
    return found;
  }

  function prepare(canvas) {
    const width = canvas.clientWidth, height = Number(canvas.getAttribute("height")) || 1;
    const tall = Number(canvas.dataset.tall ??= height), dense = devicePixelRatio || 1;
    canvas.width = Math.round(width * dense);
    canvas.height = Math.round(tall * dense);
    canvas.style.height = `${tall}px`;
    const context = canvas.getContext("2d");
    context.scale(dense, dense);
    context.font = `11px ${getComputedStyle(document.body).fontFamily}`;
    return [context, width, tall];
  }

  function drawNear(colours) {
    const [context, width, height] = prepare(near);
    const wide = (width - EDGE) / Math.max(1, to - from), roof = height - BARS - PAGES;
    const left = (i) => EDGE + (i - from) * wide;
    const y = (score) => PAD + (1 - (score - low) / (high - low || 1)) * (roof - 2 * PAD);
    if (scores.length) {
      context.fillStyle = colours.soft;
      context.strokeStyle = colours.line;
      context.textAlign = "right";
      for (const score of [low, high]) {
        context.beginPath(); context.moveTo(EDGE, Math.round(y(score)) + .5); context.lineTo(width, Math.round(y(score)) + .5); context.stroke();
        context.fillText(score.toFixed(1).replace("-", "−"), EDGE - 6, y(score) + 4);
      }
      context.textAlign = "left";
    }
    for (let i = from; i < to; i++) {
      const tall = Math.min(1, chunks[i][TOKENS] / limit) * (BARS - 6), gap = wide > 3 ? 1 : 0;
      if (i === reading || i === selected) { context.fillStyle = colours.card; context.fillRect(left(i), 0, Math.max(2, wide), height - PAGES); }
      context.fillStyle = chunks[i][TOKENS] < least ? colours.small : i % 2 ? colours.full : colours.fill;
      context.fillRect(left(i), height - PAGES - tall, Math.max(.6, wide - gap), tall);
    }
    drawCurve(context, left, y, colours, wide);
    drawPages(context, left, height, width, colours);
  }

  function drawCurve(context, left, y, colours, wide) {
    context.strokeStyle = colours.curve;
    context.lineWidth = 1.25;
    context.lineJoin = "round";
    context.beginPath();
    for (let i = from, drawing = false; i < to; i++) {
      const score = chunks[i][SCORE];
      if (score !== null) context[drawing ? "lineTo" : "moveTo"](left(i), y(score));
      drawing = score !== null;
    }
    context.stroke();
    for (let i = from; i < to; i++) {
      if (chunks[i][SCORE] === null) continue;
      const here = i === selected;
      if (here) { context.strokeStyle = colours.red; context.beginPath(); context.moveTo(left(i), 0); context.lineTo(left(i), 150); context.stroke(); }
      context.fillStyle = colours.red;
      context.beginPath(); context.arc(left(i), y(chunks[i][SCORE]), here ? 5 : wide > 5 ? 3 : 1.75, 0, 7); context.fill();
    }
  }

  function drawPages(context, left, height, width, colours) {
    context.fillStyle = colours.soft;
    let last = null, free = 0;
    for (let i = from; i < to; i++) {
      const page = chunks[i][PAGE];
      if (page === null || page === last) continue;
      last = page;
      if (left(i) < free || left(i) > width - 24) continue;
      context.fillText(String(page), left(i), height - 3);
      free = left(i) + 34;
    }
  }

  function drawWhole(colours) {
    if (whole.hidden) return;
    const [context, width, height] = prepare(whole);
    const wide = width / count;
    context.fillStyle = colours.card;
    context.fillRect(0, 0, width, height);
    context.strokeStyle = colours.curve;
    context.lineWidth = 1;
    context.beginPath();
    for (let column = 0; column < width; column++) {
      const some = chunks.slice(Math.floor(column / wide), Math.max(Math.floor(column / wide) + 1, Math.ceil((column + 1) / wide)))
        .map((chunk) => chunk[SCORE]).filter((score) => score !== null);
      if (!some.length) continue;
      const at = (score) => 3 + (1 - (score - low) / (high - low || 1)) * (height - 6);
      context.moveTo(column + .5, at(Math.min(...some)) + .5); context.lineTo(column + .5, at(Math.max(...some)) - .5);
    }
    context.stroke();
    context.strokeStyle = colours.red;
    context.lineWidth = 1.5;
    context.strokeRect(from * wide + 1, 1, Math.max(4, (to - from) * wide - 2), height - 2);
  }

  let waiting = false;
  function redraw() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; const colours = palette(); drawNear(colours); drawWhole(colours); });
  }

  function show(i) {
    const half = Math.floor(NEAR / 2);
    if (count > NEAR && (i < from + 8 || i >= to - 8)) {
      from = Math.max(0, Math.min(count - NEAR, i - half));
      to = from + NEAR;
    }
  }

  const indexAt = (event) => {
    const box = near.getBoundingClientRect();
    return Math.max(0, Math.min(count - 1, Math.round(from + (event.clientX - box.left - EDGE) / ((box.width - EDGE) / (to - from)))));
  };

  new ResizeObserver(redraw).observe(near);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  new MutationObserver(redraw).observe(document.documentElement, { attributeFilter: ["data-theme"] });

  return {
    canvas: near,
    whole,
    indexAt,
    wholeIndexAt: (event) => {
      const box = whole.getBoundingClientRect();
      return Math.max(0, Math.min(count - 1, Math.floor((event.clientX - box.left) / box.width * count)));
    },
    select(i) { selected = i; show(i); near.setAttribute("aria-valuenow", i + 1); redraw(); },
    read(i) { if (i === reading) return; reading = i; if (document.activeElement !== near) show(i); redraw(); },
    get selected() { return selected; },
  };
}

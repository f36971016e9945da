(() => {
  const canvas = byId("plot");
  if (!canvas) return;
  const overview = byId("overview");
  const { cuts, chunks, sections, pages, most, least, length } = data;
  const POSITION = 0, SCORE = 1, KIND = 2, CHUNK = 3;
  const scored = cuts.map((cut, i) => [cut[POSITION], cut[SCORE], i]).filter((row) => row[1] !== null);
  const made = cuts.map((_, i) => i).filter((i) => cuts[i][CHUNK] !== null);
  const depths = Math.min(3, Math.max(0, ...sections.map((part) => part[2] + 1)));
  const low = scored.reduce((least, row) => Math.min(least, row[1]), Infinity),
    high = scored.reduce((greatest, row) => Math.max(greatest, row[1]), -Infinity);

  const EDGE = 46, PAGES = pages.length ? 16 : 4, CURVE = scored.length ? 150 : 18, BARS = 54, ROW = 19;
  const bars = PAGES + CURVE + 12, roof = bars + BARS + 8, height = roof + depths * ROW;
  const NEAR = 24, OVERVIEW = 26;

  let from = 0, to = length, selected = -1, reading = -1, width = 0;
  const smallest = Math.min(length, Math.max(200, length / Math.max(1, chunks.length)));
  const x = (position) => EDGE + ((position - from) / (to - from)) * (width - EDGE - 2);
  const at = (px) => from + ((px - EDGE) / (width - EDGE - 2)) * (to - from);
  const y = (score) => PAGES + 8 + (1 - (score - low) / (high - low || 1)) * (CURVE - 16);
  const end = (i) => (i + 1 < chunks.length ? chunks[i + 1][0] : length);
  const within = (rows, value) => [
    Math.max(0, lowerBound(rows, from, value) - 1), Math.min(rows.length, lowerBound(rows, to, value) + 1)];

  // --- Drawing ----------------------------------------------------------------------------------

  function draw() {
    let context;
    [context, width] = prepare(canvas, height);
    const colours = palette();
    drawReading(context, colours);
    drawPages(context, colours);
    if (scored.length) drawScale(context, colours);
    drawMade(context, colours, false);
    if (scored.length) drawCurve(context, colours);
    drawMade(context, colours, true);
    drawBars(context, colours);
    drawSections(context, colours);
    drawOverview(colours);
    const above = getComputedStyle(byId("chart")).position === "sticky" ? byId("chart").offsetHeight : 0;
    document.documentElement.style.setProperty("--above", above + 12 + "px");
  }
  const redraw = onceAFrame(draw);

  function clip(context, body) {
    context.save();
    context.beginPath();
    context.rect(EDGE, 0, width - EDGE, height);
    context.clip();
    body();
    context.restore();
  }

  function drawReading(context, colours) {
    if (reading < 0) return;
    const left = Math.max(EDGE, x(chunks[reading][0])), right = Math.min(width, x(end(reading)));
    if (right < EDGE || left > width) return;
    context.fillStyle = colours.card;
    context.fillRect(left, PAGES, Math.max(2, right - left), bars + BARS - PAGES);
  }

  function drawPages(context, colours) {
    context.fillStyle = colours.soft;
    context.strokeStyle = colours.line;
    let free = EDGE;
    for (const [position, page] of pages) {
      const px = Math.max(EDGE, x(position));
      if (x(position) < EDGE - 40 || px > width - 14 || px < free) continue;
      context.beginPath(); context.moveTo(px + .5, 2); context.lineTo(px + .5, PAGES); context.stroke();
      context.fillText((free === EDGE ? "p. " : "") + page, px + 4, 8);
      free = px + 44;
    }
  }

  function drawScale(context, colours) {
    context.fillStyle = colours.soft;
    context.strokeStyle = colours.line;
    context.textAlign = "right";
    const step = niceStep((high - low || 1) / 4);
    for (let score = Math.ceil(low / step) * step; score <= high + 1e-9; score += step) {
      const py = Math.round(y(score)) + .5;
      context.beginPath(); context.moveTo(EDGE, py); context.lineTo(width, py); context.stroke();
      context.fillText(score.toFixed(step < 1 ? 1 : 0).replace("-", "−"), EDGE - 7, py);
    }
    context.textAlign = "left";
  }

  function niceStep(rough) {
    const power = 10 ** Math.floor(Math.log10(rough));
    return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough);
  }

  function drawCurve(context, colours) {
    const [first, stop] = within(scored, (row) => row[0]);
    const dense = stop - first > 1.5 * (width - EDGE);
    byId("means").hidden = !dense;
    clip(context, () => {
      context.strokeStyle = context.fillStyle = colours.curve;
      context.lineJoin = "round";
      context.lineWidth = dense ? 1 : 1.25;
      context.beginPath();
      if (dense) { context.globalAlpha = .3; envelope(context, first, stop); }
      else for (let i = first; i < stop; i++) context.lineTo(x(scored[i][0]), y(scored[i][1]));
      context.stroke();
      context.globalAlpha = 1;
      if (dense) average(context, scored.slice(first, stop), colours.soft);
      if (stop - first > (width - EDGE) / 7) return;
      for (let i = first; i < stop; i++) dot(context, x(scored[i][0]), y(scored[i][1]), 2);
    });
  }

  /** Lowest and highest score of every column of pixels. */
  function envelope(context, first, stop) {
    for (let i = first; i < stop;) {
      const column = Math.floor(x(scored[i][0]));
      let least = Infinity, greatest = -Infinity;
      for (; i < stop && Math.floor(x(scored[i][0])) === column; i++) {
        least = Math.min(least, scored[i][1]); greatest = Math.max(greatest, scored[i][1]);
      }
      context.moveTo(column + .5, y(least) + .5); context.lineTo(column + .5, y(greatest) - .5);
    }
  }

  /** Mean score of every few pixels. */
  function average(context, rows, colour) {
    const WIDE = 8, sums = new Map();
    for (const [position, score] of rows) {
      const bin = Math.floor(x(position) / WIDE), [sum, count] = sums.get(bin) ?? [0, 0];
      sums.set(bin, [sum + score, count + 1]);
    }
    context.strokeStyle = colour;
    context.lineWidth = 1.75;
    context.beginPath();
    for (const [bin, [sum, count]] of sums) context.lineTo((bin + .5) * WIDE, y(sum / count));
    context.stroke();
  }

  function dot(context, px, py, radius) {
    context.beginPath(); context.arc(px, py, radius, 0, 7); context.fill();
  }

  /** The cuts that were made: lines behind the curve, dots upon it. */
  function drawMade(context, colours, dots) {
    const [first, stop] = within(made, (i) => cuts[i][POSITION]);
    const room = (width - EDGE) / Math.max(1, stop - first);
    const tooMany = room < 2 && scored.length > 1.5 * (width - EDGE);
    clip(context, () => {
      if (tooMany) { if (dots) averageMade(context, colours, first, stop); }
      else for (let n = first; n < stop; n++) drawCut(context, colours, made[n], room, dots);
      if (selected >= 0) drawSelected(context, colours, dots);
    });
  }

  /** Too many to be told apart: dots hardly seen, and how low they lie on average. */
  function averageMade(context, colours, first, stop) {
    const rows = made.slice(first, stop).map((i) => cuts[i]).filter((cut) => cut[SCORE] !== null);
    context.fillStyle = colours.red;
    context.globalAlpha = .35;
    for (const [position, score] of rows) dot(context, x(position), y(score), 1);
    context.globalAlpha = 1;
    average(context, rows, colours.red);
  }

  function drawCut(context, colours, i, room, dots) {
    const px = Math.round(x(cuts[i][POSITION])) + .5, score = cuts[i][SCORE];
    context.strokeStyle = context.fillStyle = score === null ? colours.soft : colours.red;
    if (dots) {
      if (score !== null) dot(context, px, y(score), room > 8 ? 3.2 : room > 3 ? 2.2 : 1.4);
      return;
    }
    if (room < 3) return;
    context.globalAlpha = room > 14 ? .6 : .3;
    context.setLineDash(score === null ? [2, 3] : []);
    line(context, px, score === null ? PAGES : y(score), bars - 2);
    context.setLineDash([]);
    context.globalAlpha = 1;
  }

  function line(context, px, top, bottom) {
    context.lineWidth = 1;
    context.beginPath(); context.moveTo(px, top); context.lineTo(px, bottom); context.stroke();
  }

  function drawSelected(context, colours, dots) {
    const [position, score] = cuts[selected], px = Math.round(x(position)) + .5;
    context.strokeStyle = colours.ink;
    if (!dots) { line(context, px, PAGES, bars + BARS); return; }
    if (score === null) return;
    context.fillStyle = cuts[selected][CHUNK] === null ? colours.ink : colours.red;
    dot(context, px, y(score), 5);
    context.strokeStyle = colours.paper;
    context.lineWidth = 1.5;
    context.stroke();
  }

  function drawBars(context, colours) {
    const [first, stop] = within(chunks, (chunk) => chunk[0]);
    const floor = bars + BARS;
    clip(context, () => {
      for (let i = first; i < stop; i++) {
        const left = x(chunks[i][0]), wide = x(end(i)) - left, tokens = chunks[i][2];
        context.fillStyle = tokens < least ? colours.small : mix(colours.fill, colours.full, tokens / most);
        const tall = Math.max(1, (BARS * tokens) / most);
        context.fillRect(left, floor - tall, Math.max(1, wide > 4 ? wide - 1 : wide), tall);
      }
    });
    context.fillStyle = colours.soft;
    context.strokeStyle = colours.soft;
    context.textAlign = "right";
    for (const limit of least > 0 && least < most * .8 ? [most, least] : [most]) {
      const py = Math.round(floor - (BARS * limit) / most) + .5;
      context.setLineDash([1, 3]);
      context.beginPath(); context.moveTo(EDGE, py); context.lineTo(width, py); context.stroke();
      context.setLineDash([]);
      context.fillText(limit, EDGE - 7, py);
    }
    context.textAlign = "left";
  }

  function drawSections(context, colours) {
    clip(context, () => sections.forEach(([start, stop, depth, text]) => {
      if (depth >= depths || stop < from || start > to) return;
      const left = Math.max(EDGE, x(start)), right = Math.min(width, x(stop)), top = roof + depth * ROW;
      context.strokeStyle = depth ? colours.line : colours.soft;
      context.lineWidth = 1;
      context.strokeRect(Math.round(left) + .5, top + .5, Math.max(1, right - left - 1), ROW - 3);
      context.fillStyle = depth ? colours.soft : colours.ink;
      context.fillText(clipped(context, text, right - left - 12), left + 6, top + ROW / 2 - 1);
    }));
  }

  function drawOverview(colours) {
    const zoomed = to - from < length;
    overview.hidden = !zoomed;
    if (!zoomed) return;
    const [context] = prepare(overview, OVERVIEW);
    const scale = (position) => EDGE + (position / length) * (width - EDGE - 2);
    context.fillStyle = colours.fill;
    chunks.forEach(([start, , tokens], i) => {
      const tall = (OVERVIEW - 6) * Math.min(1, tokens / most), left = scale(start);
      context.fillRect(left, OVERVIEW - 3 - tall, Math.max(1, scale(end(i)) - left - .5), tall);
    });
    context.strokeStyle = colours.red;
    context.lineWidth = 1.5;
    context.strokeRect(scale(from), 1, Math.max(4, scale(to) - scale(from)), OVERVIEW - 2);
  }

  // --- Moving -----------------------------------------------------------------------------------

  function show(start, stop) {
    const span = Math.min(length, Math.max(smallest, stop - start));
    from = Math.min(Math.max(0, start), length - span);
    to = from + span;
    redraw();
  }

  function zoom(factor, centre = selected >= 0 ? cuts[selected][POSITION] : (from + to) / 2) {
    const inside = Math.min(Math.max(centre, from), to), share = (inside - from) / (to - from);
    const span = Math.max(smallest, (to - from) * factor);
    show(inside - share * span, inside + (1 - share) * span);
  }

  function reveal(position) {
    const span = to - from;
    if (position < from || position > to) show(position - span / 2, position + span / 2);
  }

  // --- The text on both sides -------------------------------------------------------------------

  let whole = null;
  const places = new Map();

  /** The text of all chunks in one, and where in it every cut lies; read off the page when first needed. */
  function readText() {
    const parts = [];
    let size = 0;
    document.querySelectorAll(".body").forEach((body, chunk) => {
      places.set("c" + chunk, size);
      for (const node of body.childNodes) {
        if (node.nodeType === Node.TEXT_NODE) { parts.push(node.data); size += node.data.length; }
        else if (node.dataset.cut) places.set(Number(node.dataset.cut), size);
        else { parts.push("\n"); size += 1; }
      }
      parts.push("\n");
      size += 1;
    });
    whole = parts.join("");
  }

  function sides(cut) {
    if (whole === null) readText();
    const place = places.get(cuts[cut][CHUNK] === null ? cut : "c" + cuts[cut][CHUNK]);
    const left = whole.slice(Math.max(0, place - 190), place).trim();
    return [(place > 190 ? "…" : "") + left, whole.slice(place, place + 190).trim() + "…"];
  }

  function why(cut) {
    const [, score, kind, chunk] = cuts[cut], reason = data.reasons[kind];
    const plain = kind === 0 ? "" : `: ${reason}`;
    if (chunk !== null) return score === null ? `cut without a score${plain}` : `cut${plain}`;
    return score === null ? `not cut, not scored${plain}` : `not cut${plain}`;
  }

  function tell(cut) {
    const [left, right] = sides(cut), score = cuts[cut][SCORE];
    byId("left").textContent = left;
    byId("right").textContent = right;
    byId("score").textContent = score === null ? "" : signed(score);
    byId("why").textContent = why(cut);
    byId("detail").classList.remove("idle");
  }

  const partOf = (cut) =>
    document.querySelector(cuts[cut][CHUNK] === null ? `i[data-cut="${cut}"]` : `button[data-cut="${cut}"]`);

  function select(cut, scroll) {
    document.querySelectorAll(".current").forEach((old) => old.classList.remove("current"));
    selected = cut;
    reveal(cuts[cut][POSITION]);
    tell(cut);
    const part = partOf(cut);
    part?.classList.add("current");
    if (part && scroll) bringTo(part);
    redraw();
  }

  // --- Pointer and keys -------------------------------------------------------------------------

  /** What a pointer is at: a cut near it, or a section. */
  function pointed(event) {
    const box = canvas.getBoundingClientRect(), px = event.clientX - box.left, py = event.clientY - box.top;
    if (py >= roof) return { section: sectionAt(at(px), Math.floor((py - roof) / ROW)) };
    const rows = py >= bars || !scored.length ? made : null;
    return { cut: nearest(px, py, rows) };
  }

  function sectionAt(position, depth) {
    return sections.find((part) => part[2] === depth && part[0] <= position && position < part[1]);
  }

  function nearest(px, py, only) {
    let best = -1, least = NEAR;
    const look = (i) => {
      const flat = Math.abs(x(cuts[i][POSITION]) - px);
      const high_ = only || cuts[i][SCORE] === null ? 0 : Math.abs(y(cuts[i][SCORE]) - py) / 4;
      const distance = flat + high_ - (cuts[i][CHUNK] === null ? 0 : 2);
      if (distance < least) { least = distance; best = i; }
    };
    const span = (NEAR / (width - EDGE)) * (to - from), position = at(px);
    const first = lowerBound(cuts, position - span, (cut) => cut[POSITION]);
    for (let i = first; i < cuts.length && cuts[i][POSITION] <= position + span; i++) {
      const shown = cuts[i][CHUNK] !== null || (!only && cuts[i][SCORE] !== null);
      if (shown) look(i);
    }
    return best;
  }

  let grip = null;
  canvas.addEventListener("pointerdown", (event) => { grip = { px: event.clientX, from, moved: false }; });
  canvas.addEventListener("pointermove", (event) => {
    if (grip && event.buttons && Math.abs(event.clientX - grip.px) > 4) {
      grip.moved = true;
      const shift = ((grip.px - event.clientX) / (width - EDGE)) * (to - from);
      show(grip.from + shift, grip.from + shift + to - from);
      return;
    }
    const { cut, section } = pointed(event);
    canvas.title = section ? section[3] : "";
    if (cut >= 0) tell(cut);
  });
  canvas.addEventListener("pointerleave", () => { if (selected >= 0) tell(selected); });
  canvas.addEventListener("click", (event) => {
    if (grip?.moved) return;
    const { cut, section } = pointed(event);
    if (section) openSection(section);
    else if (cut >= 0) select(cut, true);
  });
  canvas.addEventListener("wheel", (event) => {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      zoom(Math.exp(event.deltaY / 200), at(event.clientX - canvas.getBoundingClientRect().left));
    } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY) && to - from < length) {
      event.preventDefault();
      const shift = (event.deltaX / width) * (to - from);
      show(from + shift, to + shift);
    }
  }, { passive: false });

  function openSection([start, stop]) {
    show(start, stop);
    const chunk = Math.max(0, lowerBound(chunks, start + 1, (row) => row[0]) - 1);
    bringTo(byId("c" + chunk));
  }

  function step(by, all) {
    const rows = all ? cuts.map((_, i) => i) : made;
    if (!rows.length) return;
    const here = selected < 0 ? from : cuts[selected][POSITION];
    const place = lowerBound(rows, here, (i) => cuts[i][POSITION]);
    const exact = selected >= 0 && cuts[rows[place]]?.[POSITION] === here;
    const next = by > 0 ? place + (exact ? 1 : 0) : place - 1;
    select(rows[Math.min(rows.length - 1, Math.max(0, next))], false);
  }

  const KEYS = {
    ArrowRight: (event) => step(1, event.shiftKey),
    ArrowLeft: (event) => step(-1, event.shiftKey),
    Home: () => made.length && select(made[0], false),
    End: () => made.length && select(made.at(-1), false),
    Enter: () => selected >= 0 && select(selected, true),
    "+": () => zoom(.5), "=": () => zoom(.5), "-": () => zoom(2), 0: () => show(0, length),
  };
  canvas.addEventListener("keydown", (event) => {
    if (!KEYS[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    KEYS[event.key](event);
  });

  byId("in").addEventListener("click", () => zoom(.5));
  byId("out").addEventListener("click", () => zoom(2));
  byId("all").addEventListener("click", () => show(0, length));
  byId("scores").addEventListener("change", (event) => byId("text").classList.toggle("scores", event.target.checked));
  byId("text").addEventListener("click", (event) => {
    const part = event.target.closest("[data-cut]");
    if (part) select(Number(part.dataset.cut), false);
  });

  function slide(event) {
    if (event.type === "pointermove" && !event.buttons) return;
    overview.setPointerCapture(event.pointerId);
    const px = event.clientX - overview.getBoundingClientRect().left;
    const centre = ((px - EDGE) / (width - EDGE - 2)) * length, half = (to - from) / 2;
    show(centre - half, centre + half);
  }
  overview.addEventListener("pointerdown", slide);
  overview.addEventListener("pointermove", slide);

  // --- Where the reader is ----------------------------------------------------------------------

  const seen = new Set();
  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      const chunk = Number(entry.target.id.slice(1));
      if (entry.isIntersecting) seen.add(chunk); else seen.delete(chunk);
    }
    reading = seen.size ? Math.min(...seen) : -1;
    redraw();
  }, { rootMargin: `-${Math.min(420, innerHeight / 2)}px 0px -20% 0px` });
  document.querySelectorAll(".chunk").forEach((chunk) => watcher.observe(chunk));

  byId("detail").classList.add("idle");
  keepDrawn(byId("chart"), redraw);
  draw();
})();

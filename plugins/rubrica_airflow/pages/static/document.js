// The document page: its text comes in stretches as it is scrolled to, and then all the rest of it.
"use strict";

(() => {
  if (!byId("data")) return;
  const { text: address, stretch, limit, least, chunks, words } = given("data");
  const ID = 0, CHARACTERS = 1, TOKENS = 2, PAGE = 3, SCORE = 4;
  const box = byId("text"), places = new Map(chunks.map((chunk, i) => [chunk[ID], i]));
  const chart = makeChart(chunks, limit, least);
  const rows = [], loading = new Map(), bodies = [];
  let current = -1;

  // --- Rows, and their text ---------------------------------------------------------------------

  function makeRows() {
    const made = document.createDocumentFragment();
    chunks.forEach((chunk, i) => {
      const row = element("article", { class: i % 2 ? "chunk odd" : "chunk", id: `chunk-${chunk[ID]}`, tabindex: "-1", "aria-label": filled(words.chunk, { number: i + 1, count: chunks.length }) }, meta(chunk, i), element("div", { class: "body" }));
      const lines = Math.ceil(chunk[CHARACTERS] / 85) + 1;
      row.style.containIntrinsicBlockSize = `auto ${Math.round(lines * 26 + 20)}px`;
      rows.push(row);
      made.append(row);
    });
    box.append(made);
  }

  function meta(chunk, i) {
    const link = element("a", { href: `#chunk-${chunk[ID]}`, title: words.link }, String(i + 1));
    const facts = [];
    if (chunk[PAGE] !== null) facts.push(filled(words.page, { page: chunk[PAGE] }));
    facts.push(filled(words.tokens, { tokens: chunk[TOKENS] }));
    if (i) facts.push(similarity(chunk[SCORE]));
    const shown = facts.map((fact) => element("span", {}, fact));
    if (chunk[TOKENS] < least) shown.at(i ? -2 : -1).className = "small";
    return element("p", { class: "meta" }, link, ...shown);
  }

  const similarity = (score) =>
    score === null ? words.unscored : filled(words.similarity, { score: score.toFixed(2).replace("-", "−") });

  function load(i) {
    const first = Math.floor(i / stretch) * stretch;
    if (!loading.has(first)) loading.set(first, fetched(first));
    return loading.get(first);
  }

  async function fetched(first) {
    try {
      const answer = await fetch(`${address}?first=${first}`, { headers: { accept: "application/json" } });
      if (!answer.ok) throw new Error(String(answer.status));
      for (const chunk of await answer.json()) fill(chunk);
    } catch {
      loading.delete(first);
      if (rows[first] && !bodies[first]) broken(first);
    }
  }

  function fill(chunk) {
    const row = rows[chunk.ordinal];
    if (!row || row.id !== `chunk-${chunk.id}`) return;
    bodies[chunk.ordinal] = chunk.body;
    const body = row.querySelector(".body");
    body.className = `body ${chunk.kind}`;
    body.replaceChildren(chunk.body.replace(/\n[^\S\n]*\n\s*/g, "\n\n").trim());
    if (chunk.clauses.length) row.querySelector(".meta").append(element("span", { class: "clauses" }, filled(words.clause, { clauses: chunk.clauses.slice(0, 6).join(", ") })));
    const before = rows[chunk.ordinal - 1]?.dataset.headings, here = chunk.headings.join(" › ");
    row.dataset.headings = here;
    if (here && here !== before) body.before(element("p", { class: "trail" }, ...chunk.headings.map((heading) => element("span", {}, heading))));
  }

  function broken(first) {
    const again = element("button", { type: "button" }, words.again);
    again.addEventListener("click", () => load(first));
    rows[first].querySelector(".body").replaceChildren(`${words.failed} `, again);
  }

  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) { seen.unobserve(entry.target); load(rows.indexOf(entry.target)); }
  }, { rootMargin: "1200px 0px" });

  /** The rest of the text, so that the browser's own search finds every word. */
  async function loadAll() {
    for (let i = 0; i < chunks.length; i += stretch) {
      await load(i);
      await new Promise((done) => (window.requestIdleCallback ?? setTimeout)(done));
    }
    box.dataset.complete = "";
  }

  // --- Where one is -----------------------------------------------------------------------------

  async function go(i, { focus = true } = {}) {
    await Promise.all([load(i), load(Math.max(0, i - 4)), load(Math.min(chunks.length - 1, i + 8))]);
    rows[i].scrollIntoView({ block: "start" });
    await new Promise(requestAnimationFrame);  // rows around it have their true heights now
    rows[i].scrollIntoView({ block: "start" });
    mark(i);
    if (focus) rows[i].focus({ preventScroll: true });
  }

  function mark(i) {
    rows[current]?.classList.remove("current");
    current = i;
    rows[i].classList.add("current");
    chart.read(i);
  }

  function goToHash() {
    const i = places.get(decodeURIComponent(location.hash.replace(/^#chunk-/, "")));
    if (i !== undefined) go(i);
    return i !== undefined;
  }

  function read() {
    const line = byId("chart").getBoundingClientRect().bottom;
    const sticky = getComputedStyle(byId("chart")).position === "sticky";
    let low = 0, high = rows.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (rows[middle].getBoundingClientRect().top <= (sticky ? line : 0) + 24) low = middle; else high = middle - 1;
    }
    chart.read(low);
    const entries = [...document.querySelectorAll("#contents a")];
    const here = entries.findLast((entry) => Number(entry.dataset.ordinal) <= low);
    for (const entry of entries) entry.toggleAttribute("aria-current", entry === here);
    if (here && !byId("contents").matches(":hover, :focus-within")) {
      const nav = byId("contents").querySelector("nav");
      nav.scrollTop = here.offsetTop - nav.clientHeight / 2;
    }
  }

  // --- The two sides of a cut -------------------------------------------------------------------

  async function look(i) {
    chart.select(i);
    byId("sides").hidden = false;
    byId("legend").hidden = true;
    byId("score").textContent = i && chunks[i][SCORE] !== null ? chunks[i][SCORE].toFixed(2).replace("-", "−") : "";
    byId("what").textContent = i ? (chunks[i][SCORE] === null ? words.unscored : filled(words.chunk, { number: i + 1, count: chunks.length })) : words.first;
    const value = `${filled(words.chunk, { number: i + 1, count: chunks.length })}, ${filled(words.tokens, { tokens: chunks[i][TOKENS] })}`;
    chart.canvas.setAttribute("aria-valuetext", i ? `${value}, ${similarity(chunks[i][SCORE])}` : value);
    await Promise.all([load(i), load(Math.max(0, i - 1))]);
    if (chart.selected !== i) return;
    const one = (text) => (text ?? "").replace(/\s+/g, " ").trim();
    byId("left").textContent = i ? one(bodies[i - 1]).slice(-240) : "";
    byId("right").textContent = one(bodies[i]).slice(0, 240);
    byId("left").scrollTop = byId("left").scrollHeight;
  }

  const MOVES = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity };
  chart.canvas.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && chart.selected >= 0) { event.preventDefault(); go(chart.selected); }
    const move = MOVES[event.key];
    if (move === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    look(Math.max(0, Math.min(chunks.length - 1, Math.max(chart.selected, 0) + move)));
  });
  chart.canvas.addEventListener("focus", () => look(chart.selected >= 0 ? chart.selected : Math.max(current, 0)));
  chart.canvas.addEventListener("pointermove", (event) => { const i = chart.indexAt(event); if (i !== chart.selected) look(i); });
  chart.canvas.addEventListener("click", (event) => go(chart.indexAt(event), { focus: false }));
  chart.whole.addEventListener("click", (event) => go(chart.wholeIndexAt(event), { focus: false }));

  addEventListener("keydown", (event) => {
    if (isTyping(event) || event.defaultPrevented) return;
    const step = { j: 1, k: -1, "о": 1, "л": -1 }[event.key];
    if (step) go(Math.max(0, Math.min(chunks.length - 1, current + step)));
    if (event.key === "c" || event.key === "с") chart.canvas.focus();
  });
  addEventListener("hashchange", goToHash);
  let waiting = false;
  addEventListener("scroll", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; read(); });
  }, { passive: true });

  const measure = () => {
    const sticky = getComputedStyle(byId("chart")).position === "sticky";
    document.documentElement.style.setProperty("--above", `${(sticky ? byId("chart").offsetHeight : 0) + 12}px`);
  };
  new ResizeObserver(measure).observe(byId("chart"));
  byId("contents").open = matchMedia("(min-width: 70rem)").matches;
  makeRows();
  measure();
  for (let i = 0; i < rows.length; i += Math.floor(stretch / 2)) seen.observe(rows[i]);
  load(0).then(() => { if (!goToHash()) read(); }).then(loadAll);
})();

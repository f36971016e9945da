(() => {
  const canvas = byId("plot");
  if (!canvas) return;
  const { lanes, rows, length, most } = data;
  const main = byId("compared"), LANE = 20, TALL = 14, ROOM = 190, AROUND = 40;
  const names = lanes.map((lane) => lane.name);
  const differing = [...document.querySelectorAll(".row.differs")].map((row) => Number(row.id.slice(1)));
  let edge = 0, width = 0, here = -1;

  const x = (position) => edge + (position / length) * (width - edge);
  const rowAt = (position) => Math.max(0, lowerBound(rows, position + 1, (row) => row) - 1);

  function draw() {
    let context;
    [context, width] = prepare(canvas, lanes.length * LANE + 4);
    const colours = palette();
    edge = Math.min(width / 3, 14 + Math.max(...names.map((name) => context.measureText(name).width)));
    lanes.forEach((lane, i) => drawLane(context, colours, lane, 2 + i * LANE));
    if (here >= 0) drawHere(context, colours);
    const sticky = getComputedStyle(byId("chart")).position === "sticky";
    const above = sticky ? byId("chart").offsetHeight : 0;
    document.documentElement.style.setProperty("--above", above + main.querySelector(".heads").offsetHeight + 4 + "px");
    document.documentElement.style.setProperty("--chart", above + "px");
  }
  const redraw = onceAFrame(draw);

  function drawLane(context, colours, { name, chunks }, top) {
    context.fillStyle = colours.ink;
    context.fillText(clipped(context, name, edge - 10), 0, top + TALL / 2);
    chunks.forEach(([start, , tokens], i) => {
      const left = x(start), right = x(i + 1 < chunks.length ? chunks[i + 1][0] : length);
      const gap = right - left > 3 ? 1 : 0;
      context.fillStyle = mix(colours.fill, colours.full, tokens / most);
      context.fillRect(left, top, Math.max(.6, right - left - gap), TALL);
    });
  }

  function drawHere(context, colours) {
    context.fillStyle = colours.red;
    context.fillRect(Math.round(x(rows[here])) - 1, 0, 2, lanes.length * LANE);
  }

  function go(row) {
    document.querySelector(".row.current")?.classList.remove("current");
    here = row;
    const element = byId("r" + row);
    element.classList.add("current");
    element.focus({ preventScroll: true });
    // What is filled after the jump would push the row away again.
    if (main.classList.contains("wide")) {
      for (let i = Math.max(0, row - AROUND); i < Math.min(rows.length, row + AROUND); i++) fill(byId("r" + i));
    }
    bringTo(element);
    redraw();
  }

  function step(by) {
    if (!differing.length) return;
    const next = by > 0 ? differing.find((row) => row > here) : differing.findLast((row) => row < here);
    go(next ?? (by > 0 ? differing[0] : differing.at(-1)));
  }

  canvas.addEventListener("click", (event) => {
    const px = event.clientX - canvas.getBoundingClientRect().left;
    if (px >= edge) go(rowAt(((px - edge) / (width - edge)) * length));
  });
  canvas.addEventListener("pointermove", (event) => {
    const box = canvas.getBoundingClientRect(), px = event.clientX - box.left;
    const lane = lanes[Math.floor((event.clientY - box.top - 2) / LANE)];
    const position = ((px - edge) / (width - edge)) * length;
    const chunk = lane && px >= edge ? lowerBound(lane.chunks, position + 1, (row) => row[0]) - 1 : -1;
    canvas.title = chunk >= 0 ? `${lane.name}: chunk ${chunk}, ${lane.chunks[chunk][2]} tokens` : "";
  });
  byId("before").addEventListener("click", () => step(-1));
  byId("next").addEventListener("click", () => step(1));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "n") step(1);
    if (event.key === "p") step(-1);
  });
  main.addEventListener("click", (event) => {
    const row = event.target.closest(".row");
    if (row && !getSelection().toString()) { here = Number(row.id.slice(1)); redraw(); }
  });

  // --- Columns ----------------------------------------------------------------------------------

  /** Every lane gets the text of its own; made when a row comes near, for there may be thousands. */
  function fill(row) {
    if (row.querySelector(".columns")) return;
    const columns = document.createElement("div");
    columns.className = "columns";
    const piece = row.querySelector(".piece");
    for (const lane of row.querySelectorAll(".lane")) {
      const cell = document.createElement("div");
      cell.className = lane.className.replace("lane", "cell");
      if (lane.classList.contains("starts")) cell.dataset.label = lane.dataset.label;
      const copy = piece.cloneNode(true);
      copy.className = "copy";
      cell.append(copy);
      columns.append(cell);
    }
    row.append(columns);
  }

  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) fill(entry.target);
  }, { rootMargin: "1500px 0px" });

  function setColumns(on) {
    main.classList.toggle("wide", on);
    byId("columns").checked = on;
    document.querySelectorAll(".row").forEach((row) => (on ? watcher.observe(row) : watcher.unobserve(row)));
    redraw();
  }

  main.style.setProperty("--lanes", lanes.length);
  byId("columns").addEventListener("change", (event) => setColumns(event.target.checked));
  setColumns(main.clientWidth / lanes.length >= ROOM);
  keepDrawn(byId("chart"), redraw);
  draw();
})();

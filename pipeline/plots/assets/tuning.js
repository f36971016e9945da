(() => {
  const canvas = byId("plot"), said = byId("said");
  const { tried } = data;
  const TALL = 340, LEFT = 46, RIGHT = 16, TOP = 14, BOTTOM = 34, NEAR = 14;
  let width = 0, here = null;

  const costs = tried.map((one) => one.cost), recalls = tried.map((one) => one.recall);
  const spread = (values, least) => {
    const low = Math.min(...values), high = Math.max(...values), room = Math.max(high - low, least) * .08;
    return [low - room, high + room];
  };
  const [fromCost, toCost] = spread(costs, Math.max(...costs) * .05);
  const [fromRecall, upTo] = spread(recalls, .02);
  const toRecall = Math.max(...recalls) <= 1 ? Math.min(1.002, upTo) : upTo;
  const x = (cost) => LEFT + (cost - fromCost) / (toCost - fromCost) * (width - LEFT - RIGHT);
  const y = (recall) => TALL - BOTTOM - (recall - fromRecall) / (toRecall - fromRecall) * (TALL - TOP - BOTTOM);

  /** Round numbers in a range. */
  function ticks(low, high, most) {
    const rough = (high - low) / most, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((by) => by * power).find((by) => by >= rough);
    const found = [];
    for (let i = Math.ceil(low / step); i * step <= high; i++) found.push(i * step);
    return found;
  }

  function draw() {
    let context;
    [context, width] = prepare(canvas, TALL);
    const colours = palette();
    drawAxes(context, colours);
    drawFront(context, colours);
    const order = [...tried].sort((one, other) => rank(one) - rank(other));
    for (const one of order) drawTrial(context, colours, one);
    if (here) drawHere(context, colours);
  }
  const redraw = onceAFrame(draw);
  const rank = (one) => one.best ? 3 : one.current ? 2 : one.front ? 1 : 0;

  function drawAxes(context, colours) {
    context.strokeStyle = colours.line;
    context.fillStyle = colours.soft;
    context.lineWidth = 1;
    context.textAlign = "right";
    for (const recall of ticks(fromRecall, toRecall, 6)) {
      context.beginPath();
      context.moveTo(LEFT, y(recall));
      context.lineTo(width - RIGHT, y(recall));
      context.stroke();
      context.fillText(recall.toFixed(2), LEFT - 6, y(recall));
    }
    context.textAlign = "center";
    for (const cost of ticks(Math.max(0, fromCost), toCost, Math.max(3, width / 130))) {
      context.fillText((cost / 1000).toLocaleString("en"), x(cost), TALL - BOTTOM + 12);
    }
    context.fillText("cost: thousand tokens that the models read", (LEFT + width - RIGHT) / 2, TALL - 8);
    context.textAlign = "left";
    context.fillText("recall@5", 0, 7);
  }

  function drawFront(context, colours) {
    const front = tried.filter((one) => one.front).sort((one, other) => one.cost - other.cost);
    context.strokeStyle = colours.full;
    context.lineWidth = 1.5;
    context.beginPath();
    front.forEach((one, i) => {
      if (i) context.lineTo(x(one.cost), y(front[i - 1].recall));
      context[i ? "lineTo" : "moveTo"](x(one.cost), y(one.recall));
    });
    context.stroke();
  }

  function drawTrial(context, colours, one) {
    context.fillStyle = one.best ? colours.red : one.front ? colours.full : colours.fill;
    context.beginPath();
    context.arc(x(one.cost), y(one.recall), one.best ? 6 : one.front ? 4.5 : 3.5, 0, 2 * Math.PI);
    context.fill();
    if (!one.current) return;
    context.strokeStyle = colours.ink;
    context.lineWidth = 1.5;
    context.beginPath();
    context.arc(x(one.cost), y(one.recall), 8, 0, 2 * Math.PI);
    context.stroke();
  }

  function drawHere(context, colours) {
    context.strokeStyle = colours.red;
    context.lineWidth = 1;
    context.beginPath();
    context.arc(x(here.cost), y(here.recall), 10, 0, 2 * Math.PI);
    context.stroke();
  }

  function nearest(event) {
    const box = canvas.getBoundingClientRect();
    const far = (one) => Math.hypot(x(one.cost) - (event.clientX - box.left), y(one.recall) - (event.clientY - box.top));
    const best = tried.reduce((one, other) => far(other) < far(one) ? other : one);
    return far(best) <= NEAR ? best : null;
  }

  function show(one) {
    if (one === here) return;
    here = one;
    said.textContent = one ? `${one.number}: ${one.settings}, recall@5 ${one.recall.toFixed(3)}` : "";
    redraw();
  }

  canvas.addEventListener("pointermove", (event) => show(nearest(event)));
  canvas.addEventListener("pointerleave", () => show(null));
  canvas.addEventListener("click", (event) => {
    const one = nearest(event);
    if (one) bringTo(byId("t" + one.number));
  });
  keepDrawn(canvas.parentElement, redraw);
})();

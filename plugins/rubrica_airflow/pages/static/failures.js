// Another try, and what becomes of it.
"use strict";

(() => {
  const list = document.querySelector("ul.failures");
  if (!list) return;
  const words = given("words"), POLL_MS = 3000, FINISHED = new Set(["success", "failed"]);
  const buttons = [...list.querySelectorAll("button[data-path]")];

  async function retry(chosen, pressed) {
    const documents = chosen.map((button) => ({ source: button.dataset.source, path: button.dataset.path }));
    const said = element("li", {}, words.starting);
    byId("runs").replaceChildren(said);
    for (const button of [pressed, ...chosen]) button.disabled = true;
    try {
      const answer = await fetch(list.dataset.retry, {
        method: "POST", headers: { "content-type": "application/json", accept: "application/json" }, body: JSON.stringify({ documents }),
      });
      const body = await answer.json();
      if (!answer.ok) throw new Error(`${body.title ?? answer.status}. ${body.reason || ""} ${body.hint || body.help || ""}`);
      said.remove();
      for (const run of body.runs) follow(run);
    } catch (error) {
      said.className = "failed";
      said.textContent = error.message;
      for (const button of [pressed, ...chosen]) button.disabled = false;
    }
  }

  function follow(run) {
    const state = element("span"), row = element("li", {}, state, " ", element("a", { href: run.url, "data-airflow": "" }, words.open), " ", element("small", {}, run.id));
    byId("runs").append(row);
    const show = (name) => {
      row.className = name;
      state.textContent = filled(words.started, { source: run.source, state: name === "success" ? words.success : words[`state.${name}`] ?? name });
    };
    show(run.state);
    const timer = setInterval(async () => {
      try {
        const answer = await fetch(list.dataset.runs + encodeURIComponent(run.id), { headers: { accept: "application/json" } });
        if (!answer.ok) return;
        const { state: now } = await answer.json();
        show(now);
        if (FINISHED.has(now)) clearInterval(timer);
      } catch { /* the next look may succeed */ }
    }, POLL_MS);
  }

  for (const button of buttons) button.addEventListener("click", () => retry([button], button));
  byId("all")?.addEventListener("click", () => retry(buttons, byId("all")));
})();

// Keys of the search page.
"use strict";

(() => {
  const links = [...document.querySelectorAll(".hit h2 a")];
  let current = -1;

  function go(step) {
    const focused = links.findIndex((link) => link.closest(".hit").contains(document.activeElement));
    if (focused >= 0) current = focused;
    current = Math.min(links.length - 1, Math.max(0, current + step));
    links[current].focus({ preventScroll: true });
    links[current].closest(".hit").scrollIntoView({ block: "nearest" });
  }

  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && document.activeElement === byId("q")) byId("q").blur();
    if (event.key === "ArrowDown" && document.activeElement === byId("q") && links.length) {
      event.preventDefault();
      return go(current < 0 ? 1 : 0);
    }
    if (isTyping(event) || event.defaultPrevented) return;
    const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1, "о": 1, "л": -1 }[event.key];
    if (event.key === "/" || event.key === ".") {
      event.preventDefault();
      byId("q").focus();
      byId("q").select();
    } else if (step && links.length && !event.target.closest?.("input, summary")) {
      event.preventDefault();
      go(step);
    }
  });

  // Choosing how to search asks again at once; an empty field does not stand in the address.
  const form = document.querySelector("form.ask");
  for (const input of form.querySelectorAll(".modes input"))
    input.addEventListener("change", () => { if (byId("q").value.trim()) form.requestSubmit(); });
  form.addEventListener("submit", () => {
    for (const input of form.elements) if (input.name && !input.value) input.disabled = true;
  });
  addEventListener("pageshow", () => { for (const input of form.elements) input.disabled = false; });
})();

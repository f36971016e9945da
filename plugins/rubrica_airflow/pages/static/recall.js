// Which questions are shown, and which alarm is open.
"use strict";

(() => {
  const named = document.getElementById(location.hash.slice(1));
  if (named instanceof HTMLDetailsElement) named.open = true;
  const rows = [...document.querySelectorAll(".questions > li")];
  for (const input of document.querySelectorAll("#verdicts input"))
    input.addEventListener("change", () => {
      for (const row of rows) row.hidden = Boolean(input.value) && row.dataset.verdict !== input.value;
    });
})();

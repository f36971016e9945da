// Which questions are shown.
"use strict";

(() => {
  const rows = [...document.querySelectorAll(".questions > li")];
  for (const input of document.querySelectorAll("#verdicts input"))
    input.addEventListener("change", () => {
      for (const row of rows) row.hidden = Boolean(input.value) && row.dataset.verdict !== input.value;
    });
})();

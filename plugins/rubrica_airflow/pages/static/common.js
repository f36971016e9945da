// What every page does: times in the reader's zone, links that leave the frame, keys that are not typing.
"use strict";

const byId = (id) => document.getElementById(id);

/** The JSON that the server put into the page. */
const given = (id) => JSON.parse(byId(id).textContent);

/** A message with its {names} filled in. */
const filled = (message, values) => message.replace(/\{(\w+)\}/g, (_, name) => values[name]);

/** An element with text; text is never read as HTML. */
function element(tag, values = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(values)) {
    if (name === "class") made.className = value;
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

/** Whether a key press means a letter of a text that is being written. */
const isTyping = (event) =>
  event.ctrlKey || event.metaKey || event.altKey ||
  (event.target instanceof Element && event.target.matches("input:not([type=radio], [type=checkbox]), select, textarea"));

function showTimes(scope) {
  const format = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
  for (const time of scope.querySelectorAll("time[datetime]")) {
    const moment = new Date(time.dateTime);
    time.title = time.dateTime;
    time.textContent = format.format(moment);
  }
}

/** Inside Airflow's frame its own pages open around the frame, not in it; a frame may not navigate its parent. */
function leaveFrame(event) {
  const link = event.target instanceof Element && event.target.closest("a[data-airflow]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || window.top === window.self) return;
  try {
    window.parent.history.pushState({}, "", link.href);
    window.parent.dispatchEvent(new PopStateEvent("popstate", { state: {} }));
    event.preventDefault();
  } catch { /* another origin: the link opens here */ }
}

addEventListener("click", leaveFrame);
showTimes(document);

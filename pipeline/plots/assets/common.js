"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);

/** Colours of the style sheet, as the present scheme has them. */
function palette() {
  const style = getComputedStyle(document.documentElement);
  const names = ["paper", "card", "ink", "soft", "line", "red", "curve", "fill", "full", "small"];
  return Object.fromEntries(names.map((name) => [name, style.getPropertyValue("--" + name).trim()]));
}

/** A canvas of this height in CSS pixels, sharp on any screen; returns its context and width. */
function prepare(canvas, height) {
  const width = canvas.parentElement.clientWidth;
  const ratio = window.devicePixelRatio || 1;
  canvas.style.height = height + "px";
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = "11px " + getComputedStyle(document.body).fontFamily;
  context.textBaseline = "middle";
  return [context, width];
}

/** Colour between two others, as CSS mixes them. */
const mix = (one, other, share) =>
  `color-mix(in srgb, ${other} ${Math.round(100 * Math.min(1, Math.max(0, share)))}%, ${one})`;

/** First index whose value is not below the wanted one. */
function lowerBound(rows, wanted, value) {
  let low = 0, high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (value(rows[middle]) < wanted) low = middle + 1; else high = middle;
  }
  return low;
}

/** Calls draw once before the next frame, however often it is asked to. */
function onceAFrame(draw) {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; draw(); });
  };
}

/** Draws again when size or colours change. */
function keepDrawn(element, draw) {
  new ResizeObserver(draw).observe(element);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
}

/** Text clipped to a width, with an ellipsis; empty where not even a little fits. */
function clipped(context, text, room) {
  if (room < 18) return "";
  if (context.measureText(text).width <= room) return text;
  let low = 0, high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(text.slice(0, middle) + "…").width <= room) low = middle; else high = middle - 1;
  }
  return low > 1 ? text.slice(0, low).trimEnd() + "…" : "";
}

const signed = (score) => score.toFixed(2).replace("-", "−");

/** Scrolls to an element at once; again when what lies between has its true height. */
function bringTo(element) {
  element.scrollIntoView();
  requestAnimationFrame(() => requestAnimationFrame(() => element.scrollIntoView()));
}

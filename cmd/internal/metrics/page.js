"use strict";
// Draws the page anew whenever the server has another one, and says so where the server does not answer.
const every = 2000, patience = 10000; // milliseconds
let tag = "", silentSince = 0;

async function look() {
  try {
    const answer = await fetch("/", {headers: {"If-None-Match": tag}, cache: "no-store", signal: AbortSignal.timeout(patience)});
    if (answer.status !== 304) {
      const text = await answer.text();
      if (!answer.ok) throw new Error(text);
      draw(text);
      tag = answer.headers.get("ETag") ?? "";
    }
    silentSince = 0;
    say("");
  } catch (error) {
    silentSince ||= Date.now();
    say("This page is old: since " + new Date(silentSince).toLocaleTimeString() + " there is no new one: " +
      (error instanceof TypeError ? "the command that serves it does not answer" : error.message.trim()));
  }
  setTimeout(look, every);
}

// draw puts the new page in the place of the old one.
function draw(text) {
  const next = new DOMParser().parseFromString(text, "text/html");
  document.title = next.title;
  document.querySelector("main").replaceWith(document.adoptNode(next.querySelector("main")));
  age();
}

// say shows why the page is old. "": it is not.
function say(why) {
  const at = document.getElementById("silent");
  if (at.textContent !== why) at.textContent = why;
  at.hidden = why === "";
  document.body.classList.toggle("old", why !== "");
}

// age describes how long ago the cluster was read.
function age() {
  const read = document.getElementById("read");
  if (!read) return;
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(read.dateTime)) / 1000));
  const [n, unit] = seconds < 100 ? [seconds, "s"] : seconds < 6000 ? [Math.round(seconds / 60), "min"] : [Math.round(seconds / 3600), "h"];
  read.textContent = "read " + n + " " + unit + " ago";
}

age();
setInterval(age, 1000);
setTimeout(look, every);

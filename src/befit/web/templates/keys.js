// Keys for pages that say so: an element with data-key is pressed by that key, a form with
// data-draft keeps its draft on the server. Off while typing, with modifiers, on repeat, and
// switched off by the person. Every page works without this file.
"use strict";
(() => {
  const STORE = "befit-keys-off";
  const off = () => localStorage.getItem(STORE) === "1";
  const typing = (el) => el && (el.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(el.tagName)
    && !/^(radio|checkbox|submit|button)$/.test(el.type));
  const press = (el) => {
    if (el.tagName === "TEXTAREA" || el.type === "text") { el.focus(); return; }
    if (el.type === "radio") { el.focus(); }
    el.click();
  };
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      const main = document.querySelector("button.main");
      if (main) { event.preventDefault(); main.click(); }
      return;
    }
    if (event.key === "Escape" && typing(event.target)) { event.target.blur(); return; }
    if (off() || event.repeat || event.ctrlKey || event.metaKey || event.altKey) { return; }
    if (typing(event.target)) { return; }
    const wanted = event.key.toLowerCase();
    for (const el of document.querySelectorAll("[data-key]")) {
      if (el.dataset.key === wanted) { event.preventDefault(); press(el); return; }
    }
  });
  const toggle = document.querySelector("[data-keys-toggle]");
  if (toggle) {
    toggle.checked = !off();
    toggle.addEventListener("change", () => localStorage.setItem(STORE, toggle.checked ? "0" : "1"));
  }
  let sent = false;
  for (const form of document.querySelectorAll("form")) {
    form.addEventListener("submit", (event) => {
      if (sent) { event.preventDefault(); }
      sent = true;
    });
  }
  const form = document.querySelector("form[data-draft]");
  if (form) {
    let timer = 0;
    const status = document.querySelector("[data-status]");
    const save = async () => {
      if (sent) { return; }
      try {
        const answer = await fetch(form.dataset.draft, { method: "POST", body: new URLSearchParams(new FormData(form)) });
        status.textContent = answer.ok ? "Draft saved" : "Draft not saved";
      } catch { status.textContent = "Draft not saved: the server does not answer"; }
    };
    form.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(save, 800); });
    window.addEventListener("pageshow", () => { sent = false; });
  }
})();

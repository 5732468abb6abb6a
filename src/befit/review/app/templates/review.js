// Comfort for the reviewers' pages: keys, drafts, lost connections, tabs. Every page works without it.
"use strict";
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  const $ = (what, from = document) => from.querySelector(what);
  const $$ = (what, from = document) => [...from.querySelectorAll(what)];
  const held = {
    get(name, or) { try { return JSON.parse(localStorage.getItem(`befit-${name}`)) ?? or; } catch { return or; } },
    set(name, value) { try { localStorage.setItem(`befit-${name}`, JSON.stringify(value)); } catch { /* private mode */ } },
    drop(name) { try { localStorage.removeItem(`befit-${name}`); } catch { /* the same */ } },
  };
  const KEYS = { left: "a", right: "b", tie: "t", both_bad: "n", cannot_judge: "s", reason: "r", down: "j", up: "k",
    undo: "u", instructions: "i", pause: "p", help: "?" };
  const WORDS = { left: "A is better", right: "B is better", tie: "Tie", both_bad: "Both bad", cannot_judge: "Can't judge",
    reason: "Write a reason", down: "Next row of the rubric sheet", up: "Row before", undo: "Take the last vote back",
    instructions: "Instructions", pause: "Pause", help: "This list" };
  const VERDICTS = ["left", "right", "tie", "both_bad", "cannot_judge"];
  let prefs = { on: true, fast: false, expand: false, sync: true, tab: "both", ...held.get("prefs", {}) };
  let keys = { ...KEYS, ...held.get("keys", {}) };
  let sending = false, sent = "", timer = 0, number = 0, active = 0, offline = false, appeared = 0, known = 0, clashed = false;
  const UNSEEN = 600;
  const KEEPALIVE = 60000;  // letters; browsers let no more than 64 KiB outlive a page
  const ASKED = { "Choose a verdict": () => $("[name=verdict]:checked"), "Say why": () => $("[name=cannot]:checked"),
    "Write a short reason": () => $("#comment").value.trim() };
  const form = () => $("form[data-vote]");
  const keep = () => held.set("prefs", prefs);
  const say = (text) => { const live = $("#live"); if (live) { live.textContent = text; } };
  const status = (text) => { const at = $("[data-status]"); if (at) { at.textContent = text; } };
  // said where it is seen: whoever writes a reason has the top of the page out of sight
  const away = (text) => { const at = $("[data-away]"); if (at) { at.textContent = text; at.hidden = !text; } };
  const typing = (el) => el && (el.isContentEditable || el.tagName === "TEXTAREA" || el.tagName === "SELECT"
    || (el.tagName === "INPUT" && !["radio", "checkbox", "submit", "button"].includes(el.type)));

  // how long the page was in front, and the reviewer awake
  const tick = () => { if (!document.hidden && document.hasFocus()) { active += 1; } };
  setInterval(tick, 1000);

  const body = () => { const made = new FormData(form()); made.set("seconds", String(Math.round(active))); return new URLSearchParams(made); };
  const token = () => form()?.dataset.token;

  // drafts: on the server; on this device while the server cannot be reached, or has another device's
  const field = (name) => $(`[name=${name}]`, form());
  const keptHere = (text) => held.set(`draft-${token()}`, { number, body: text, page: field("request_id").value,
    known, vote: form().dataset.voteNumber });
  const draft = async () => {
    clearTimeout(timer); timer = 0;
    if (!form() || sending || clashed) { return; }
    number += 1;
    const sent = body(), mine = token(), count = number, at = form();
    sent.set("number", String(number));
    keptHere(sent.toString());
    try {
      const answer = await fetch(`/i/${mine}/draft`, { method: "POST", body: sent, keepalive: String(sent).length < KEEPALIVE });
      const told = answer.ok || answer.status === 409 ? await answer.json() : {};
      if (answer.ok) { held.drop(`draft-${mine}`); }
      if (at !== form()) { return; }
      if (answer.status === 409) { clash(told); }
      else if (told.kept) { known = count; status("draft kept"); away(""); }
      else { status("draft not kept"); }
    } catch { status("no connection: kept on this device"); away("No connection: what you write is kept on this device."); }
  };
  const changed = () => { unsay(); clearTimeout(timer); timer = setTimeout(draft, 800); };
  // whoever leaves within the wait: what was just written goes out before the page does
  const leave = () => { if (timer) { draft(); } };
  // an error is gone once what it asks for is there
  const unsay = () => {
    const at = $("#error"), wanted = Object.keys(ASKED).find((words) => at?.textContent.startsWith(words));
    if (wanted && ASKED[wanted]()) { at.remove(); }
  };

  // two devices at one link: neither replaces what the other wrote unless somebody says so
  const clash = (now) => {
    clashed = true;
    const seen = now ? "Another device went on with this item. What you write here is kept on this device only."
      : "Another device went on with this item: you see what it has. What this device had is kept.";
    status("not kept: another device went on with this item");
    $("[data-clash-text]").textContent = seen;
    $("[data-clash-other]").textContent = now ? "Show the other device's" : "Go on with this one";
    $("[data-clash-mine]").textContent = now ? "Keep this device's" : "Bring back what this device had";
    $("[data-clash]").hidden = false;
    say(seen);
    const settled = () => { clashed = false; $("[data-clash]").hidden = true; };
    $("[data-clash-other]").onclick = () => {
      if (now) { keptHere(body().toString()); location.assign(`/i/${token()}`); }
      else { held.drop(`draft-${token()}`); settled(); status(""); }
    };
    $("[data-clash-mine]").onclick = () => {
      settled();
      if (now) {
        field("seen_vote").value = now.vote; field("seen_draft").value = now.draft;
        number = Math.max(number, now.draft); known = now.draft;
        draft();
      } else { fill(held.get(`draft-${token()}`, null)); }
    };
  };
  const fill = (mine) => {
    const values = new URLSearchParams(mine.body);
    for (const el of form().elements) {
      if (!el.name || el.type === "hidden" || el.type === "submit") { continue; }
      if (el.type === "radio" || el.type === "checkbox") { el.checked = values.getAll(el.name).includes(el.value); }
      else if (values.has(el.name)) { el.value = values.get(el.name); }
    }
    number = Math.max(mine.number, number);
    status("brought back from this device");
    changed();
  };
  const refill = () => {
    const mine = held.get(`draft-${token()}`, null), at = form().dataset;
    if (!mine) { return; }
    if (at.page === mine.page && Number(at.number) >= mine.number && mine.vote === at.voteNumber) {
      held.drop(`draft-${token()}`);  // it went out as its page was left
      return;
    }
    const drafted = at.page && at.page !== mine.page && Number(at.number) > mine.known;
    if (drafted || (mine.vote !== undefined && mine.vote !== at.voteNumber)) { clash(null); return; }
    if (mine.number > Number(at.number)) { fill(mine); }
  };

  // votes that could not be sent wait here; their number makes sure that none counts twice
  const queue = () => held.get("waiting", []);
  const queued = (url, text) => held.set("waiting", [...queue().filter((one) => one.url !== url), { url, text }]);
  const flush = async () => {
    const waiting = queue();
    if (!waiting.length) { return; }
    const one = waiting[0];
    const values = new URLSearchParams(one.text), mine = $("form[data-vote] [name=form_token]")?.value;
    if (mine) { values.set("form_token", mine); }
    try {
      const answer = await fetch(one.url, { method: "POST", body: values });
      if (answer.status >= 500 || answer.status === 429) { throw new Error("later"); }
      held.set("waiting", queue().slice(1));
      offline = false;
      if (answer.ok) { held.drop(`draft-${one.url.slice(3)}`); }
      if (!answer.ok) { location.assign(one.url); } else if (queue().length) { await flush(); } else { location.assign(answer.url); }
    } catch { setTimeout(flush, 3000); }
  };
  const unsent = () => {
    if (!form()) { return; }
    const kept = body().toString();
    number += 1;
    keptHere(kept);  // should the vote be refused later
    queued(form().getAttribute("action"), kept);
    sending = false;
    if (!offline) { setTimeout(flush, 1500); }
    offline = true;
    status("no connection: your vote is kept here and will be sent");
    const seen = "No connection. Your vote is kept on this device and will be sent.";
    away(seen); say(seen);
  };

  const submit = () => { if (form() && !sending) { form().requestSubmit(); } };

  const tabs = () => {
    const shown = $$("[data-answers]");
    shown.forEach((el) => { el.dataset.show = prefs.tab; });
    $$("[data-tab]").forEach((el) => el.setAttribute("aria-pressed", String(el.dataset.tab === prefs.tab)));
    shown.forEach((el) => el.classList.toggle("expand", prefs.expand));
  };

  const help = () => {
    const list = $("[data-help-list]"), dialog = $("[data-help]");
    if (!list || !dialog || dialog.open) { return; }
    list.replaceChildren();
    const table = list.appendChild(document.createElement("table"));
    const line = (what, key) => {
      const row = table.insertRow();
      const head = row.appendChild(document.createElement("th"));
      head.scope = "row"; head.textContent = what;
      const kbd = row.insertCell().appendChild(document.createElement("kbd"));
      kbd.textContent = key;
    };
    for (const act of Object.keys(KEYS)) { line(WORDS[act], keys[act].toUpperCase()); }
    line("Save and go on", "Enter");
    line("Tags, rubric values", "1-9");
    dialog.showModal();
  };

  const rubric = (step) => {
    const sheet = $("[data-sheet]");
    if (!sheet || !sheet.getClientRects().length) { return; }
    sheet.open = true;
    const rows = $$("[data-rubric]", sheet);
    const at = rows.findIndex((row) => row.contains(document.activeElement));
    const next = rows[Math.min(rows.length - 1, Math.max(0, at < 0 ? 0 : at + step))];
    const field = $("input:checked", next) || $("input", next);
    field.focus();
    next.scrollIntoView({ block: "center" });
  };
  const value = (digit) => {
    const row = document.activeElement?.closest?.("[data-rubric]");
    if (row) {
      const field = $(`input[value="${digit === "0" ? "na" : digit}"]`, row);
      if (field) { field.click(); field.focus(); }
      return Boolean(field);
    }
    if (digit === "0") { return false; }
    const boxes = $$(`[data-row="${Number(digit) - 1}"]`);
    if (!boxes.length) { return false; }
    // none -> the worse side first -> the other -> both -> none
    const verdict = $("[name=verdict]:checked")?.value;
    const order = boxes.length === 1 ? [0] : verdict === "left" ? [1, 0] : [0, 1];
    const first = boxes[order[0]], second = boxes[order[order.length - 1]];
    if (boxes.length === 1) { first.checked = !first.checked; }
    else if (!first.checked && !second.checked) { first.checked = true; }
    else if (first.checked && !second.checked) { first.checked = false; second.checked = true; }
    else if (!first.checked) { first.checked = true; }
    else { first.checked = false; second.checked = false; }
    const told = ["A", "B"].filter((_, at) => boxes[at]?.checked).join(" and ") || "nobody";
    say(`${first.closest("[role=group]").getAttribute("aria-label")}: ${boxes.length === 1 ? (first.checked ? "yes" : "no") : told}`);
    changed();
    return true;
  };

  const act = (name) => {
    if (VERDICTS.includes(name)) {
      const field = $(`[name=verdict][value="${name}"]`);
      if (!field) { return false; }
      // in fast mode a key is a vote: one pressed twice must not vote on a pair nobody has seen
      if (prefs.fast && Date.now() - appeared < UNSEEN) { return true; }
      field.checked = true; field.focus({ preventScroll: true }); changed();
      if (prefs.fast) { submit(); }
      return true;
    }
    if (name === "help") { help(); return true; }
    if (name === "down" || name === "up") { rubric(name === "down" ? 1 : -1); return true; }
    if (name === "instructions") { const at = $("[data-drawer]"); if (at) { at.open = !at.open; $("summary", at).focus(); } return Boolean(at); }
    const target = $(`[data-act="${name}"]`);
    if (!target) { return false; }
    if (name === "reason") { target.focus(); } else { target.click(); }
    return true;
  };

  document.addEventListener("keydown", (event) => {
    const at = event.target;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { if (form()) { event.preventDefault(); submit(); } return; }
    if (event.key === "Escape" && typing(at)) { at.blur(); return; }
    if (!prefs.on || event.repeat || event.ctrlKey || event.metaKey || event.altKey || typing(at) || $("dialog[open]")) { return; }
    if (event.key === "Enter") {
      if (at.closest?.("a, button, summary")) { return; }
      const enter = $("[data-enter]");
      if (form()) { event.preventDefault(); submit(); } else if (enter) { event.preventDefault(); enter.click(); }
      return;
    }
    if (/^[0-9]$/.test(event.key) && form()) { if (value(event.key)) { event.preventDefault(); } return; }
    const wanted = event.key.toLowerCase();
    const found = Object.keys(KEYS).find((name) => keys[name] === wanted);
    if (found && act(found)) { event.preventDefault(); }
  });

  document.addEventListener("input", (event) => { if (event.target.name && form()?.contains(event.target)) { changed(); } });
  document.addEventListener("click", (event) => {
    const tab = event.target.closest("[data-tab]");
    if (tab) { prefs.tab = tab.dataset.tab; keep(); tabs(); }
    if (event.target.closest("a[href]")) { leave(); }
    if (event.target.closest("[data-keys-reset]")) { held.drop("keys"); keys = { ...KEYS }; dress(); }
  });
  document.addEventListener("change", (event) => {
    const at = event.target;
    if (at.dataset.pref) { prefs[at.dataset.pref] = at.checked; keep(); tabs(); root.classList.toggle("keysoff", !prefs.on); }
    if (at.dataset.remap) {
      const key = at.value.trim().toLowerCase();
      const taken = Object.keys(keys).find((name) => keys[name] === key && name !== at.dataset.remap);
      if (key && !/[0-9]/.test(key) && !taken) { keys[at.dataset.remap] = key; held.set("keys", keys); }
      else { at.value = keys[at.dataset.remap]; }
    }
  });
  let leading = false;
  document.addEventListener("scroll", (event) => {
    const from = event.target;
    if (!prefs.sync || leading || !from.classList?.contains("scroll")) { return; }
    const other = $$(":scope > .side > .scroll", from.closest(".sides") || document.createElement("i")).find((el) => el !== from);
    if (!other) { return; }
    leading = true;
    const share = from.scrollTop / Math.max(1, from.scrollHeight - from.clientHeight);
    other.scrollTop = share * (other.scrollHeight - other.clientHeight);
    requestAnimationFrame(() => { leading = false; });
  }, true);

  // htmx sends the vote and puts the next page in; what it cannot send waits
  document.addEventListener("htmx:config:request", (event) => {
    if (event.target !== form()) { leave(); return; }
    if (sending) { event.preventDefault(); return; }
    sending = true; sent = token(); clearTimeout(timer); timer = 0;
    event.detail.ctx.request.body.set("seconds", String(Math.round(active)));
  });
  document.addEventListener("htmx:error", (event) => { if (event.target === form() && sending) { unsent(); } });
  document.addEventListener("htmx:before:swap", () => { sending = false; });
  document.addEventListener("htmx:after:swap", () => {
    if (sent && sent !== token()) { held.drop(`draft-${sent}`); sent = ""; }
    dress(true);
  });
  document.addEventListener("submit", (event) => { if (event.target === form() && sending) { event.preventDefault(); } });
  window.addEventListener("online", flush);
  window.addEventListener("pagehide", leave);
  document.addEventListener("visibilitychange", () => { if (document.hidden) { leave(); } });
  window.addEventListener("pageshow", () => { sending = false; });

  const dress = (swapped) => {
    appeared = Date.now(); active = 0; clashed = false; number = known = Number(form()?.dataset.number || 0);
    root.classList.toggle("keysoff", !prefs.on);
    $$("[data-pref]").forEach((el) => { el.checked = Boolean(prefs[el.dataset.pref]); });
    $$("[data-remap]").forEach((el) => { el.value = keys[el.dataset.remap]; });
    $$("[data-kbd]").forEach((el) => { el.textContent = keys[el.dataset.kbd].toUpperCase(); });
    tabs();
    if (form() && !$("#error")) { refill(); }  // a refused form comes back as it was sent
    if (swapped) {
      const at = $("#error") || $("h1[data-focus]") || $("h1");
      if (at) { at.tabIndex = -1; at.focus(); window.scrollTo(0, at.id === "error" ? window.scrollY : 0); }
      say($("[data-said]")?.dataset.said || $("#error")?.textContent || $("h1")?.textContent || "");
    } else { $("#error")?.focus(); }
    root.dataset.ready = $("h1")?.textContent || "";
  };
  if (document.readyState === "loading") { document.addEventListener("DOMContentLoaded", () => dress()); } else { dress(); }
  if (queue().length) { setTimeout(flush, 500); }
})();

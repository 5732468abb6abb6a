"use strict";
(() => {
  const head = JSON.parse(document.getElementById("packet").textContent);
  const place = `befit ${head.study} ${head.reviewer} ${head.seal.slice(0, 16)}`;
  const forms = [...document.querySelectorAll("form[data-item]")];
  const tell = (text) => { document.getElementById("told").textContent = text; };
  const read = (form) => {
    const got = new FormData(form);
    const ballot = { tags: [], rubric: {} };
    const seen = {}, severity = {};
    for (const [name, value] of got) {
      const [kind, first, second] = JSON.parse(name);
      if (kind === "tag") ballot.tags.push({ tag: first, side: second });
      else if (kind === "rubric") {
        if (value === "") continue;
        ballot.rubric[first] = ballot.rubric[first] || {};
        ballot.rubric[first][second] = value === "na" ? null : Number(value);
      } else if (kind === "seen") seen[first] = value.trim();
      else if (kind === "severity") severity[first] = Number(value);
      else if (kind === "identity") ballot.identity_visible = true;
      else if (value !== "") ballot[kind] = value;
    }
    ballot.observations = Object.keys(seen).filter((side) => seen[side])
      .map((side) => ({ side, seen: seen[side], severity: severity[side] || 2 }));
    return ballot;
  };
  const answered = (form) => {
    const ballot = read(form);
    return ballot.verdict !== undefined || (head.kind !== "pairs" && Object.keys(ballot.rubric).length + ballot.observations.length > 0);
  };
  const save = () => {
    const held = {};
    for (const form of forms) held[form.dataset.item] = [...new FormData(form)];
    try { localStorage.setItem(place, JSON.stringify(held)); } catch { tell("This browser keeps no drafts."); return; }
    tell(`${forms.filter(answered).length} of ${forms.length} answered, kept in this browser.`);
  };
  let held = {};
  try { held = JSON.parse(localStorage.getItem(place) || "{}"); } catch { held = {}; }
  for (const form of forms) {
    for (const [name, value] of held[form.dataset.item] || []) {
      for (const field of form.elements) {
        if (field.name !== name) continue;
        if (field.type === "radio" || field.type === "checkbox") field.checked = field.checked || field.value === value;
        else field.value = value;
      }
    }
    form.addEventListener("input", save);
    form.addEventListener("submit", (event) => event.preventDefault());
  }
  const button = document.getElementById("write");
  button.hidden = false;
  button.addEventListener("click", () => {
    const answers = {};
    for (const form of forms) if (answered(form)) answers[form.dataset.item] = read(form);
    const count = Object.keys(answers).length;
    if (!count) {
      tell("Nothing is answered yet: no file was written.");
      return;
    }
    const file = new Blob([JSON.stringify({ ...head, answers }, null, 1)], { type: "application/json" });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(file);
    link.download = `answers-${head.study}-${head.reviewer}.json`;
    link.click();
    const left = forms.length - count;
    const rest = left ? ` ${left} are not answered; you can go on and write the file again.` : "";
    tell(`${count} answers written to ${link.download}: send this file back.${rest}`);
  });
})();

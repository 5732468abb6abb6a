"use strict";
(() => {
  const all = (s, root = document) => [...root.querySelectorAll(s)];
  all(".tools").forEach((el) => { el.hidden = false; });

  // Theme: system, light, dark; kept only while the page is open.
  const themes = ["system", "light", "dark"];
  const on = (name, fn, type = "click") => all(`[data-do=${name}]`).forEach((el) => el.addEventListener(type, fn));
  on("theme", (event) => {
    const next = themes[(themes.indexOf(document.documentElement.dataset.theme || "system") + 1) % 3];
    document.documentElement.dataset.theme = next;
    event.currentTarget.textContent = `Theme: ${next}`;
  });

  let opened = false;
  on("expand", (event) => {
    opened = !opened;
    all("details").forEach((el) => { el.open = opened || el.hasAttribute("data-first"); });
    event.currentTarget.textContent = opened ? "Collapse all" : "Expand all";
  });

  // Hide a candidate in all tables and examples.
  all("[data-show]").forEach((box) => box.addEventListener("change", () => {
    all(`[data-c="${box.dataset.show}"]`).forEach((el) => el.classList.toggle("off", !box.checked));
  }));
  on("gaps", (event) => {
    all("#t-matrix tbody tr").forEach((row) => {
      row.classList.toggle("even", event.currentTarget.checked && !row.querySelector(".gap, .thin"));
    });
  }, "change");

  // Sort a table by a column; numbers by their value, the unmeasured last.
  const value = (cell) => {
    if (cell.dataset.v) return Number(cell.dataset.v);
    const found = cell.textContent.replace(/\u2212/g, "-").replace(/,/g, "").match(/-?\d+(\.\d+)?/);
    return cell.querySelector(".none") || !found ? NaN : Number(found[0]);
  };
  const compare = (column, sign) => (a, b) => {
    const [left, right] = [a.cells[column], b.cells[column]];
    if (!left || !right) return left ? -1 : right ? 1 : 0;
    if (column === 0) return sign * left.textContent.trim().localeCompare(right.textContent.trim());
    const [x, y] = [value(left), value(right)];
    if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y));
    return sign * (x - y);
  };
  all("table.sortable").forEach((table) => {
    all("thead th", table).forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") !== "descending";
        all("thead th", table).forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const rows = [...table.tBodies[0].rows].sort(compare(column, down ? -1 : 1));
        table.tBodies[0].append(...rows);
      });
    });
  });

  // Copy a link to a section.
  if (navigator.clipboard) {
    all("main section > .head > h2").forEach((head) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "copy";
      button.textContent = "#";
      button.setAttribute("aria-label", `Copy link to ${head.textContent}`);
      button.addEventListener("click", () => {
        const link = `${location.href.split("#")[0]}#${head.closest("section").id}`;
        navigator.clipboard.writeText(link).then(() => { button.textContent = "copied"; }, () => { location.hash = head.closest("section").id; });
      });
      head.after(button);
    });
  }

  // A link into a closed part opens it; paper has no clicks.
  const reveal = () => {
    const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    for (let el = target; el; el = el.parentElement) if (el.tagName === "DETAILS") el.open = true;
  };
  addEventListener("hashchange", reveal);
  reveal();
  addEventListener("beforeprint", () => all("details.print").forEach((el) => { el.open = true; }));
})();

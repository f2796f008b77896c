"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const PAGE = 25;

  // light or dark: the system decides until the button does
  const button = byId("theme");
  const systemDark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (document.documentElement.dataset.theme || (systemDark.matches ? "dark" : "light")) === "dark";
  const label = () => { button.textContent = isDark() ? "Light" : "Dark"; button.setAttribute("aria-label", `Use ${isDark() ? "light" : "dark"} colours`); };
  button.addEventListener("click", () => { document.documentElement.dataset.theme = isDark() ? "light" : "dark"; label(); });
  systemDark.addEventListener("change", label);
  button.hidden = false;
  label();

  // on paper nothing can be unfolded; the numbers of the charts are in the heat map
  const opened = [];
  addEventListener("beforeprint", () => document.querySelectorAll("figure ~ details:not([open])").forEach((one) => { one.open = true; opened.push(one); }));
  addEventListener("afterprint", () => opened.splice(0).forEach((one) => { one.open = false; }));

  if (!byId("data")) return;

  const data = JSON.parse(byId("data").textContent);
  const contexts = data.contexts.map(([words, where, begins, ends]) => ({ words, where, begins, ends, text: `${words.join(" ")} ${where}`.toLowerCase() }));
  const errors = data.errors.map(([system, kind, context, gold, pred, seen, novelty]) => ({ system, kind, context: contexts[context], gold, pred, seen, novelty }));
  const form = byId("filters");
  const fields = form.elements;
  let found = [];
  let page = 0;

  const types = new Set();
  errors.forEach(({ gold, pred }) => [gold, pred].forEach((span) => span && types.add(span[2])));
  [...types].sort().forEach((name) => fields.type.append(new Option(name, name)));

  const element = (tag, className, ...children) => {
    const made = document.createElement(tag);
    if (className) made.className = className;
    made.append(...children);
    return made;
  };
  const textOf = (context, [start, end]) => context.words.slice(start, end).join(" ");

  // the words of a context, cut where a span begins or ends
  const marked = ({ context, gold, pred }) => {
    const { words, begins, ends } = context;
    const cuts = [...new Set([0, words.length, ...[gold, pred].flatMap((span) => (span ? [span[0], span[1]] : []))])].sort((a, b) => a - b);
    const within = (span, at) => span && span[0] <= at && at < span[1];
    const line = element("p", "context");
    line.dir = "auto";
    if (!begins) line.append("… ");
    cuts.slice(0, -1).forEach((at, i) => {
      const names = [within(gold, at) && "gold", within(pred, at) && "pred"].filter(Boolean).join(" ");
      const text = words.slice(at, cuts[i + 1]).join(" ");
      line.append(names ? element("bdi", names, text) : text);
      const joint = [[gold, "gold"], [pred, "pred"]].filter(([place]) => place && place[0] < cuts[i + 1] && cuts[i + 1] < place[1]);
      line.append(joint.length ? element("span", joint.map(([, name]) => name).join(" "), " ") : " ");
    });
    if (!ends) line.append("…");
    return line;
  };

  const span = (name, context, place) =>
    place ? element("span", "", `${name} `, element("b", "", element("bdi", "", textOf(context, place))), " ", element("code", "", place[2]))
          : element("span", "", `${name} nothing`);

  const item = (error) => {
    const head = element("div", "head", element("span", "kind", error.kind));
    if (data.systems.length > 1) head.append(element("span", "", data.systems[error.system]));
    head.append(element("bdi", "", error.context.where));
    if (error.novelty) head.append(element("span", "", data.novelty[error.novelty]));
    const spans = element("div", "spans", span("gold", error.context, error.gold), span("predicted", error.context, error.pred));
    const made = element("li", "", head, marked(error), spans);
    made.dataset.kind = error.kind;
    made.dataset.seen = error.seen;
    return made;
  };

  const chosenKinds = () => new Set([...fields.kind].filter((box) => box.checked).map((box) => box.value));

  const filter = () => {
    const system = fields.system.value;
    const seen = fields.seen.value;
    const type = fields.type.value;
    const text = fields.text.value.trim().toLowerCase();
    const kinds = chosenKinds();
    const ofOthers = errors.filter((error) =>
      (system === "" || error.system === Number(system))
      && (seen === "" || error.seen === (seen === "seen"))
      && (type === "" || [error.gold, error.pred].some((place) => place && place[2] === type))
      && (text === "" || error.context.text.includes(text)));
    document.querySelectorAll("[data-count]").forEach((count) => {
      count.textContent = ofOthers.filter((error) => error.kind === count.dataset.count).length;
    });
    found = ofOthers.filter((error) => kinds.has(error.kind));
    page = 0;
    show();
  };

  const show = () => {
    const last = Math.max(Math.ceil(found.length / PAGE) - 1, 0);
    const first = page * PAGE;
    byId("list").replaceChildren(...found.slice(first, first + PAGE).map(item));
    byId("status").textContent = found.length
      ? `${first + 1} to ${Math.min(first + PAGE, found.length)} of ${found.length} errors`
      : "No error fits these filters.";
    byId("place").textContent = `Page ${page + 1} of ${last + 1}`;
    byId("previous").disabled = page === 0;
    byId("next").disabled = page === last;
    byId("pager").hidden = last === 0;
  };
  const turn = (by) => { page += by; show(); byId("status").scrollIntoView({ block: "center" }); };
  byId("previous").addEventListener("click", () => turn(-1));
  byId("next").addEventListener("click", () => turn(1));

  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  filter();
})();

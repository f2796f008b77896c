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

  // on paper nothing can be unfolded; a long row of tables stays folded, and the numbers of the charts are in the heat map
  const opened = [];
  addEventListener("beforeprint", () => document.querySelectorAll("figure ~ details:not([open], .many), footer details:not([open])").forEach((one) => { one.open = true; opened.push(one); }));
  addEventListener("afterprint", () => opened.splice(0).forEach((one) => { one.open = false; }));

  // every figure can be copied: as a picture of what is seen, or as a table for a paper or a spreadsheet
  const SVG = document.createRange().createContextualFragment("<svg></svg>").firstChild.namespaceURI;
  const drawn = (tag, attributes, text) => {
    const made = document.createElementNS(SVG, tag);
    Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, value));
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const isClear = (colour) => colour === "transparent" || colour.endsWith(", 0)") || colour.endsWith("/ 0)");

  // the box of an element: its background, and its lines
  const boxOf = (element, { x, y, width, height }) => {
    const style = getComputedStyle(element);
    const made = [];
    const fill = isClear(style.backgroundColor) ? "none" : style.backgroundColor;
    const stroke = parseFloat(style.borderTopWidth) && style.borderTopStyle === "solid" ? style.borderTopColor : "none";
    if (element.classList.contains("m1")) {
      const [right, down] = [x + width / 2, y + height / 2];
      made.push(drawn("path", { d: `M${right} ${y}L${x + width} ${down}L${right} ${y + height}L${x} ${down}Z`, fill: "#fff", stroke, "stroke-width": 2.5 }));
    } else if (fill !== "none" && !element.closest("figcaption, .copies")) {
      const round = style.borderRadius === "50%" ? width / 2 : 0;
      made.push(drawn("rect", { x, y, width, height, rx: round, fill, opacity: style.opacity }));
    }
    const line = (side, x1, y1, x2, y2) => {
      const wide = parseFloat(style[`border${side}Width`]);
      const dashed = style[`border${side}Style`] === "dashed" ? { "stroke-dasharray": "4 3" } : {};
      if (wide && style[`border${side}Style`] !== "none") made.push(drawn("line", { x1, y1, x2, y2, stroke: style[`border${side}Color`], "stroke-width": wide, ...dashed }));
    };
    if (!element.classList.contains("m1")) {
      line("Top", x, y, x + width, y);
      line("Bottom", x, y + height, x + width, y + height);
      line("Left", x, y, x, y + height);
    }
    return made;
  };

  const pictureOf = (figure) => {
    const box = figure.getBoundingClientRect();
    const pad = 12;
    const place = (rect) => ({ x: rect.x - box.x + pad, y: rect.y - box.y + pad, width: rect.width, height: rect.height });
    let width = box.width;
    const made = [];
    const visit = (node) => {
      if (node.nodeType === Node.TEXT_NODE) {
        const range = document.createRange();
        range.selectNodeContents(node);
        const rects = [...range.getClientRects()];
        if (!node.data.trim() || !rects.length) return;
        const style = getComputedStyle(node.parentElement);
        // the words of each line, since a text of SVG has one line
        let [line, top] = ["", null];
        const flush = (rect) => {
          if (!line.trim() || !rect) return;
          const { x, y, height: tall } = place(rect);
          made.push(drawn("text", { x, y: y + tall * 0.78, fill: style.color, "font-size": style.fontSize, "font-weight": style.fontWeight, "font-family": style.fontFamily }, line.trim()));
          width = Math.max(width, x - pad + rect.width);
        };
        let first = null;
        for (let at = 0; at < node.data.length; at += 1) {
          range.setStart(node, at);
          range.setEnd(node, at + 1);
          const rect = range.getClientRects()[0];
          if (!rect) { line += node.data[at]; continue; }
          if (top !== null && Math.abs(rect.y - top) > rect.height / 2) { flush(first); line = ""; first = null; }
          if (node.data[at].trim() && !first) first = { x: rect.x, y: rect.y, width: rect.width, height: rect.height };
          if (first) first.width = rect.right - first.x;
          top = rect.y;
          line += node.data[at];
        }
        flush(first);
        return;
      }
      if (node.nodeType !== Node.ELEMENT_NODE || node.matches(".copies, details:not([open]), summary, script")) return;
      const rect = node.getBoundingClientRect();
      if (node instanceof SVGSVGElement) {
        const copy = node.cloneNode(true);
        const originals = [node, ...node.querySelectorAll("*")];
        [copy, ...copy.querySelectorAll("*")].forEach((element, i) => {
          const style = getComputedStyle(originals[i]);
          ["fill", "stroke", "stroke-width", "opacity", "font-size"].forEach((name) => element.setAttribute(name, style.getPropertyValue(name)));
          element.removeAttribute("class");
        });
        const { x, y } = place(rect);
        copy.setAttribute("x", x);
        copy.setAttribute("y", y);
        copy.setAttribute("width", rect.width);
        copy.setAttribute("height", rect.height);
        copy.setAttribute("font-family", getComputedStyle(node).fontFamily);
        made.push(copy);
        return;
      }
      if (node !== figure) made.push(...boxOf(node, place(rect)));
      width = Math.max(width, rect.right - box.x);
      [...node.childNodes].forEach(visit);
    };
    visit(figure);
    width = Math.ceil(width + 2 * pad);
    const height = Math.ceil(box.height + 2 * pad);
    const svg = drawn("svg", { xmlns: SVG, width, height, viewBox: `0 0 ${width} ${height}` });
    svg.append(drawn("rect", { width, height, fill: getComputedStyle(document.body).backgroundColor }), ...made);
    return { width, height, text: new XMLSerializer().serializeToString(svg) };
  };

  const pngOf = ({ width, height, text }) => new Promise((done, failed) => {
    const image = new Image();
    image.onload = () => {
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [2 * width, 2 * height];
      const context = canvas.getContext("2d");
      context.scale(2, 2);
      context.drawImage(image, 0, 0);
      canvas.toBlob(done, "image/png");
    };
    image.onerror = failed;
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  });

  const save = (blob, name) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };

  // to the clipboard, or to a file where a browser does not let a page copy
  const copy = async (figure, kind, copies) => {
    const name = `${figure.dataset.slug}.${kind === "latex" ? "tex" : kind}`;
    let blob;
    if (kind === "png") blob = await pngOf(pictureOf(figure));
    else blob = new Blob([kind === "svg" ? pictureOf(figure).text : copies[figure.dataset.slug][kind]], { type: kind === "svg" ? "image/svg+xml" : "text/plain" });
    try {
      if (kind === "png") await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
      else await navigator.clipboard.writeText(await blob.text());
      return "Copied";
    } catch {
      save(blob, name);
      return `Saved as ${name}`;
    }
  };

  const copies = byId("copies") ? JSON.parse(byId("copies").textContent) : {};
  document.querySelectorAll("figure[data-slug], details[data-slug]").forEach((figure) => {
    if (!copies[figure.dataset.slug]) return;
    const bar = document.createElement("div");
    bar.className = "copies";
    const said = document.createElement("span");
    said.setAttribute("role", "status");
    const title = figure.querySelector("figcaption, summary").textContent;
    ["png", "svg", "latex", "csv"].forEach((kind) => {
      const one = document.createElement("button");
      one.type = "button";
      one.textContent = kind === "latex" ? "LaTeX" : kind.toUpperCase();
      one.setAttribute("aria-label", `Copy as ${one.textContent}: ${title}`);
      one.addEventListener("click", async () => { said.textContent = await copy(figure, kind, copies); });
      bar.append(one);
    });
    bar.prepend("Copy");
    bar.append(said);
    figure.querySelector("figcaption, summary").after(bar);
  });

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

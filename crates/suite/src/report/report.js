"use strict";
(() => {
  const { run, shots } = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);

  // Creates an element with properties and children. Text is never parsed as HTML.
  const el = (tag, properties = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [key, value] of Object.entries(properties)) {
      if (key === "style") element.style.cssText = value;
      else if (key.startsWith("aria-") || key === "for") element.setAttribute(key, value);
      else element[key] = value;
    }
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  };
  const secs = (s) => (s >= 9.95 ? `${s.toFixed(0)} s` : s >= 0.9995 ? `${s.toFixed(1)} s` : `${(s * 1000).toFixed(0)} ms`);
  const num = (n) => (Number.isInteger(n) ? `${n}` : n >= 0.001 ? n.toPrecision(3) : n.toExponential(1));
  const percent = (n) => (n === 0 ? "0 %" : n * 100 >= 0.001 ? `${Number((n * 100).toPrecision(3))} %` : "< 0.001 %");
  const total = (shot) => shot.load_secs + shot.draw_secs + shot.compare_secs;
  // The most important ones first.
  const KINDS = ["error", "changed", "gone", "new", "expected", "skipped", "passed"];
  const count = (kind) => shots.filter((shot) => shot.status === kind).length;
  const hasFailed = (shot) => ["error", "changed", "gone", "new"].includes(shot.status);
  const failed = shots.filter(hasFailed).length;

  const view = { status: "all", text: "", order: "status", shot: null, mode: "slider", zoom: "fit", split: 0.5, center: [0.5, 0.5] };
  let blinking = 0;
  let updateSlider = () => {};

  const part = run.shard ? `, part ${run.shard}` : "";
  document.title = `${failed ? `${failed} not passed` : "all passed"} - ${run.suite}`;
  $("title").textContent = `${run.suite}${part}`;
  $("facts").textContent =
    `${shots.length} of ${run.shots_in_suite} shots in ${secs(run.wall_secs)} · rigview ${run.rigview}${run.renderer && ` · ${run.renderer}, ${run.driver}`}`;
  const notes = [];
  if (run.updating) notes.push("This run wrote goldens: review them before you commit.");
  if (run.uncovered.length) notes.push(`Models and clips without a shot: ${run.uncovered.join(", ")}.`);
  if (shots.length < run.shots_chosen) notes.push(`Stopped early: ${run.shots_chosen - shots.length} shots were not rendered.`);
  $("notes").textContent = notes.join(" ");
  const obsolete = run.obsolete_goldens;
  if (obsolete.length) {
    $("notes").append(el("details", {},
      el("summary", { textContent: `${obsolete.length} ${obsolete.length === 1 ? "golden belongs" : "goldens belong"} to no shot` }),
      obsolete.join(", ")));
  }

  const statusButtons = [["all", `all ${shots.length}`], ...(failed ? [["failed", `not passed ${failed}`]] : []), ...KINDS.filter(count).map((kind) => [kind, `${kind} ${count(kind)}`])];
  for (const [kind, text] of statusButtons) {
    $("statuses").append(
      el("button", { type: "button", className: kind, onclick: () => ((view.status = kind), list()), textContent: text,
        value: kind }));
  }

  // The address of an image: in this page, or in the folder of the report.
  const sourceOf = (shot, kind) =>
    shot.images[kind] ?? (shot.files.includes(kind) ? `images/${encodeURIComponent(shot.name)}-${kind}.png` : undefined);
  // Shots that the user selects, to accept their images as goldens.
  const selected = new Set();
  const isAcceptable = (shot) => ["changed", "new"].includes(shot.status) && !shot.updated && Boolean(sourceOf(shot, "actual"));
  const acceptable = shots.filter(isAcceptable);
  const quoted = (word) => (/^[\w@%+=:,.\/-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
  const acceptCommand = () => {
    const folder = location.protocol === "file:" ? decodeURIComponent(location.pathname).replace(/\/[^/]*$/, "") : "REPORT";
    const names = selected.size < acceptable.length ? [...selected].map((shot) => `--filter=${shot.name}`) : [];
    return ["rigview", "test", ...run.suite.split(", "), "--accept", folder, ...names].map(quoted).join(" ");
  };
  const copy = (text, button, done) => navigator.clipboard?.writeText(text).then(() => (button.textContent = done), () => {});
  const selection = () => {
    const toggleAll = () => {
      const listed = visible().filter(isAcceptable);
      const all = listed.every((shot) => selected.has(shot));
      listed.forEach((shot) => (all ? selected.delete(shot) : selected.add(shot)));
      selection();
      list();
    };
    $("selection").replaceChildren(
      el("button", { type: "button", textContent: "Select listed", title: "Select the listed shots that are changed or new", onclick: toggleAll }),
      el("button", { type: "button", disabled: !selected.size, textContent: `Copy the command that accepts ${selected.size}`,
        onclick: (event) => copy(acceptCommand(), event.target, "Copied") }));
    $("selection").hidden = !acceptable.length;
  };
  const toggle = (shot) => {
    if (!isAcceptable(shot)) return;
    if (!selected.delete(shot)) selected.add(shot);
    selection();
    list();
    if (view.shot === shot) detail();
  };

  const rank = (shot) => (shot.status === "error" ? 3 : ["new", "gone"].includes(shot.status) ? 2 : shot.measures ? shot.measures.flip_p99 : shot.status === "changed" ? 2 : 0);
  const visible = () => {
    const text = view.text.toLowerCase();
    const found = shots.filter(
      (shot) => (view.status === "all" || shot.status === view.status || (view.status === "failed" && hasFailed(shot))) && shot.name.toLowerCase().includes(text));
    if (view.order === "status") found.sort((a, b) => KINDS.indexOf(a.status) - KINDS.indexOf(b.status));
    if (view.order === "flip") found.sort((a, b) => rank(b) - rank(a));
    if (view.order === "time") found.sort((a, b) => total(b) - total(a));
    return found;
  };

  // Created once each, since thousands of cards take a second.
  const cards = new Map();
  const cardOf = (shot) => {
    const image = sourceOf(shot, "thumbnail")
      ? el("img", { src: sourceOf(shot, "thumbnail"), alt: "", loading: "lazy" })
      : el("span", { className: "soft", textContent: "no image" });
    const value = shot.measures && shot.measures.max_channel_diff > 0 ? `FLIP ${num(shot.measures.flip_mean)}` : secs(total(shot));
    return el(
      "button",
      { type: "button", className: `card ${shot.status}`, title: shot.message,
        onclick: (event) => (event.ctrlKey || event.metaKey ? toggle(shot) : open(shot)) },
      el("span", { className: "shot" }, image),
      el("span", { className: "words" },
        el("span", { className: "name", textContent: shot.name }),
        el("span", { className: "row" },
          el("span", { className: "status", textContent: shot.status + (shot.updated ? `, golden written (${shot.updated})` : "") }),
          el("span", { textContent: value }))));
  };
  let listed = [];
  const list = () => {
    for (const button of $("statuses").children) button.setAttribute("aria-pressed", button.value === view.status);
    const found = visible();
    for (const shot of found) {
      if (!cards.has(shot)) cards.set(shot, cardOf(shot));
      cards.get(shot).classList.toggle("selected", selected.has(shot));
      cards.get(shot).setAttribute("aria-current", shot === view.shot);
    }
    if (found.length && found.length === listed.length && found.every((shot, i) => shot === listed[i])) return;
    listed = found;
    $("list").replaceChildren(...(found.length ? found.map((shot) => cards.get(shot)) : [el("p", { className: "empty", textContent: "No matches." })]));
  };

  const close = () => {
    stop();
    view.shot = null;
    $("detail").hidden = true;
    document.querySelector("main").classList.remove("split");
    history.replaceState(null, "", "#");
    list();
  };

  const open = (shot) => {
    view.shot = shot;
    $("detail").hidden = false;
    document.querySelector("main").classList.add("split");
    history.replaceState(null, "", `#${encodeURIComponent(shot.name)}`);
    list();
    detail();
    cards.get(shot)?.scrollIntoView({ block: "nearest" });
    scrollTo(0, 0);
  };

  const step = (by) => {
    const found = visible();
    const at = found.indexOf(view.shot);
    const next = found[at < 0 ? 0 : Math.min(Math.max(at + by, 0), found.length - 1)];
    if (next) open(next);
  };

  const stop = () => { clearInterval(blinking); blinking = 0; updateSlider = () => {}; };

  const MODES = { slider: "Slider", blink: "Blink", difference: "Difference", changes: "Changed pixels", beside: "Side by side", golden: "Golden", actual: "Actual" };
  const modesOf = (shot) => {
    const [golden, actual, difference] = ["golden", "actual", "difference"].map((kind) => sourceOf(shot, kind));
    const both = golden && actual;
    return Object.keys(MODES).filter((mode) => ({
      slider: both && sameSize(shot), blink: both, difference, changes: shot.images.difference, beside: both, golden, actual,
    })[mode]);
  };
  const sameSize = (shot) => shot.measures !== null;

  const buttons = (names, now, set) =>
    el("span", { className: "modes" }, ...names.map(([key, text]) =>
      el("button", { type: "button", textContent: text, "aria-pressed": key === now, onclick: () => set(key) })));

  const detail = () => {
    stop();
    const shot = view.shot;
    const modes = modesOf(shot);
    const mode = modes.includes(view.mode) ? view.mode : modes[0];
    const names = modes.map((key) => [key, MODES[key]]);
    const zooms = [["fit", "Fit"], ...(shot.measures?.changed_rect ? [["box", "Change"]] : []), ["1", "1:1"], ["2", "2x"], ["4", "4x"], ["8", "8x"]];
    const head = el("div", { className: `head ${shot.status}` },
      el("h2", {}, shot.name, " ", el("span", { className: "status", textContent: shot.status })),
      isAcceptable(shot)
        ? el("button", { type: "button", textContent: selected.has(shot) ? "Selected  ( x )" : "Select  ( x )",
            "aria-pressed": selected.has(shot), onclick: () => toggle(shot) })
        : null,
      el("button", { type: "button", textContent: "Close", onclick: close }));
    const small = sourceOf(shot, "thumbnail");
    $("detail").replaceChildren(
      head,
      el("p", { className: "message", textContent: shot.message || "The image matches its golden." }),
      modes.length
        ? el("div", { className: "bar" },
            buttons(names, mode, (key) => ((view.mode = key), detail())),
            buttons(zooms, String(view.zoom), (key) => ((view.zoom = key), detail())),
            el("span", { className: "soft" }, "keys: ",
              ...(modes.length > 1 ? [el("kbd", { textContent: "1" }), "-", el("kbd", { textContent: String(modes.length) }), " view, "] : []),
              el("kbd", { textContent: "j" }), " ", el("kbd", { textContent: "k" }), " next, previous, ",
              el("kbd", { textContent: "+" }), " ", el("kbd", { textContent: "-" }), " zoom, ", el("kbd", { textContent: "Esc" }), " close"))
        : "",
      modes.length ? imageView(shot, mode) : small ? el("img", { src: small, alt: "thumbnail of the image" }) : "",
      links(shot),
      numbers(shot),
      el("div", { className: "command" },
        el("code", { textContent: shot.command }),
        el("button", { type: "button", textContent: "Copy", onclick: (event) => copy(shot.command, event.target, "Copied") })));
    fit();
  };

  // Links to images that are not in this page: goldens of passed shots, and images beyond the size limit.
  const links = (shot) =>
    shot.files.length
      ? el("p", { className: "soft" }, "In full size, from the report's folder: ",
          ...shot.files.flatMap((kind, i) => [i ? ", " : "",
            el("a", { href: sourceOf(shot, kind), target: "_blank", rel: "noopener", textContent: kind })]))
      : "";

  // The changed pixels in full red. In the difference image, equal pixels are dark gray and masked ones are striped.
  const changes = (source) => {
    const canvas = el("canvas");
    const image = new Image();
    image.onload = () => {
      [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
      const context = canvas.getContext("2d");
      context.drawImage(image, 0, 0);
      const pixels = context.getImageData(0, 0, canvas.width, canvas.height);
      const { data } = pixels;
      for (let i = 0; i < data.length; i += 4) {
        const [r, g, b] = [data[i], data[i + 1], data[i + 2]];
        const same = (r === g && g === b && r <= 58) || (r === 40 && g === 110 && b === 110);
        if (!same) data.set([255, 0, 0], i);
      }
      context.putImageData(pixels, 0, 0);
      fit();
    };
    image.src = source;
    return canvas;
  };

  // Images, scaled by the zoom factor.
  const imageView = (shot, mode) => {
    const image = (kind) => el("img", { src: sourceOf(shot, kind), alt: kind, onload: fit, draggable: false });
    const frame = el("div", { className: "images" });
    const box = el("div", { className: "image-view" }, frame);
    // The tags are beside the scrolled part, so that they stay in view.
    const outer = el("div", { className: "outer" }, box);
    box.onscroll = () => {
      view.center = [(box.scrollLeft + box.clientWidth / 2) / box.scrollWidth, (box.scrollTop + box.clientHeight / 2) / box.scrollHeight];
      updateSlider();
    };
    if (mode === "beside") {
      const kinds = ["golden", "difference", "actual"].filter((kind) => sourceOf(shot, kind));
      frame.append(...kinds.map((kind) => el("figure", {}, el("figcaption", { textContent: kind }), image(kind))));
    } else if (mode === "slider") {
      const over = el("div", { className: "over" }, image("actual"));
      const handle = el("div", { className: "handle" });
      // The handle stays in the visible part of a zoomed image.
      updateSlider = () => {
        const width = frame.clientWidth || 1;
        const [first, last] = [box.scrollLeft + 8, box.scrollLeft + box.clientWidth - 8].map((x) => x / width);
        const split = Math.min(Math.max(view.split, first, 0), Math.max(Math.min(last, 1), 0));
        over.style.clipPath = `inset(0 0 0 ${split * 100}%)`;
        handle.style.left = `${split * 100}%`;
      };
      const move = (event) => {
        const { left, width } = frame.getBoundingClientRect();
        view.split = Math.min(Math.max((event.clientX - left) / width, 0), 1);
        updateSlider();
      };
      frame.append(image("golden"), over, handle);
      outer.append(
        el("span", { className: "tag", style: "left:6px", textContent: "golden" }),
        el("span", { className: "tag", style: "right:22px", textContent: "actual" }));
      box.onpointerdown = (event) => { box.setPointerCapture(event.pointerId); move(event); };
      box.onpointermove = (event) => { if (event.buttons || event.pointerType === "mouse") move(event); };
      box.style.cursor = "ew-resize";
      updateSlider();
    } else if (mode === "blink") {
      const over = el("div", { className: "over" }, image("actual"));
      const tag = el("span", { className: "tag", style: "left:6px", textContent: "golden" });
      over.style.visibility = "hidden";
      frame.append(image("golden"), over);
      outer.append(tag);
      blinking = setInterval(() => {
        const hidden = over.style.visibility === "hidden";
        over.style.visibility = hidden ? "visible" : "hidden";
        tag.textContent = hidden ? "actual" : "golden";
      }, 500);
    } else if (mode === "changes") {
      frame.append(changes(shot.images.difference));
    } else {
      frame.append(image(mode));
    }
    return outer;
  };

  const fit = () => {
    const box = document.querySelector(".image-view");
    if (!box || !view.shot) return;
    const widthOf = (image) => image.naturalWidth ?? image.width;
    const heightOf = (image) => image.naturalHeight ?? image.height;
    const images = [...box.querySelectorAll("img, canvas")].filter(widthOf);
    const columns = box.querySelectorAll("figure").length || 1;
    const naturalWidth = Math.max(1, ...images.map(widthOf));
    const naturalHeight = Math.max(1, ...images.map(heightOf));
    const columnWidth = (box.clientWidth - 4 * (columns - 1)) / columns;
    // Scaling scrolls.
    const [x, y] = view.center;
    const rect = view.zoom === "box" && view.shot.measures?.changed_rect;
    const zoom = rect ? boxZoom(rect, columnWidth) : isNaN(view.zoom) ? Math.max(0.05, Math.min(columnWidth / naturalWidth, (innerHeight * 0.68 - 22) / naturalHeight)) : Number(view.zoom);
    const scale = zoom >= 2 ? Math.floor(zoom) : zoom;
    box.classList.toggle("near", scale >= 2);
    for (const image of images) {
      image.style.width = `${widthOf(image) * scale}px`;
      image.style.height = `${heightOf(image) * scale}px`;
    }
    if (rect) {
      const [left, top, width, height] = rect;
      box.scrollLeft = (left + width / 2) * scale - columnWidth / 2;
      box.scrollTop = (top + height / 2) * scale - box.clientHeight / 2;
    } else {
      box.scrollLeft = x * box.scrollWidth - box.clientWidth / 2;
      box.scrollTop = y * box.scrollHeight - box.clientHeight / 2;
    }
    updateSlider();
  };

  // The zoom factor that shows the changed pixels with a margin.
  const boxZoom = ([, , width, height], columnWidth) =>
    Math.min(Math.max(Math.min(columnWidth / (width + 16), (innerHeight * 0.68 - 22) / (height + 16)), 1), 32);

  const METRICS = [
    ["max_channel_diff", "maximum channel difference, of 255", num, "max-channel-diff"],
    ["changed_pixels", "pixels that differ", percent, "changed-pixels"],
    ["changed_count", "number of pixels that differ", num, "pixels"],
    ["mean_channel_diff", "mean channel difference, of 255", num, null],
    ["flip_mean", "FLIP, mean", num, "flip-mean"],
    ["flip_p99", "FLIP, 99th percentile", num, "flip-p99"],
    ["different_pixels", "pixels of a different color", percent, "different-pixels"],
    ["different_count", "number of pixels of a different color", num, "pixels"],
    ["edge_pixels", "... explained by anti-aliasing", percent, null],
    ["alpha_mean", "mean difference of opacity", num, "alpha-mean"],
    ["alpha_pixels", "pixels of a different opacity", percent, "alpha-pixels"],
  ];

  // The limits that apply to a shot, by measure.
  const limitsOf = ({ limits, same_driver }) => {
    const count = limits.pixels;
    const { max_channel_diff, changed_pixels, flip_mean, flip_p99, different_pixels, alpha_mean, alpha_pixels } = limits;
    if (same_driver !== false) return count === null ? { max_channel_diff, changed_pixels } : { changed_count: count };
    const pixels = count === null ? { different_pixels } : { different_count: count };
    return { flip_mean, flip_p99, alpha_mean, alpha_pixels, ...pixels };
  };

  const changedPixels = (measures) => {
    if (!measures?.changed_rect) return "";
    const [left, top, width, height] = measures.changed_rect;
    return `${measures.changed_count}, within ${width} x ${height} pixels at (${left}, ${top})`;
  };

  const numbers = (shot) => {
    const limits = limitsOf(shot);
    const rows = shot.measures
      ? METRICS.map(([key, text, show, name]) => {
          const beyond = key in limits && shot.exceeded.some((excess) => excess.name === name);
          const allowed = key in limits ? `≤ ${show(limits[key])}` : "";
          return el("tr", { className: beyond ? "beyond" : "" }, el("td", { textContent: text }),
            el("td", { className: "n", textContent: show(shot.measures[key]) }), el("td", { className: "n", textContent: allowed }));
        })
      : [];
    const fact = (name, text) => (text ? el("tr", {}, el("th", { textContent: name }), el("td", { textContent: text })) : null);
    const driver = { true: "same as now", false: "different from now: the tolerances for other drivers apply" }[shot.same_driver];
    return el("div", { className: "numbers" },
      rows.length ? el("table", {}, el("tr", {}, el("th", { textContent: "measure" }), el("th", { className: "n", textContent: "found" }),
        el("th", { className: "n", textContent: "limit" })), ...rows) : null,
      el("table", {},
        fact("size", shot.size[0] ? `${shot.size[0]} x ${shot.size[1]}` : ""),
        fact("changed pixels", changedPixels(shot.measures)),
        fact("masked pixels", shot.masked_pixels ? `${shot.masked_pixels} (${percent(shot.masked_pixels / (shot.size[0] * shot.size[1]))}), hatched in the difference` : ""),
        fact("golden rendered by", shot.golden_renderer ? `${shot.golden_renderer} (${driver})` : shot.measures ? "unknown (no driver metadata)" : ""),
        fact("since the golden", shot.golden_differences.join(", ")),
        fact("reason for limits", shot.reason),
        fact("line in the suite", `${shot.suite}, line ${shot.line}`),
        fact("times", `load and pose ${secs(shot.load_secs)}, render ${secs(shot.draw_secs)}, compare ${secs(shot.compare_secs)}`),
        ...shot.notices.map((notice) => fact("notice", notice))));
  };

  const ZOOMS = ["fit", "box", "1", "2", "4", "8"];
  $("search").oninput = (event) => ((view.text = event.target.value), list());
  $("order").onchange = (event) => ((view.order = event.target.value), list());
  addEventListener("resize", fit);
  // The list is below the header, which has several rows in a narrow window.
  const header = document.querySelector("header");
  new ResizeObserver(() => document.body.style.setProperty("--header", `${header.offsetHeight}px`)).observe(header);
  addEventListener("keydown", (event) => {
    if (event.target.matches("input, select")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const modes = view.shot ? modesOf(view.shot) : [];
    if (event.key === "/") { event.preventDefault(); $("search").focus(); }
    else if (event.key === "Escape" && view.shot) close();
    else if (event.key === "j") step(1);
    else if (event.key === "k") step(-1);
    else if (event.key === "x" && view.shot) toggle(view.shot);
    else if (view.shot && "+-".includes(event.key)) {
      const at = ZOOMS.indexOf(String(view.zoom)) + (event.key === "+" ? 1 : -1);
      view.zoom = ZOOMS[Math.min(Math.max(at, 0), ZOOMS.length - 1)];
      detail();
    } else if (modes[Number(event.key) - 1]) { view.mode = modes[Number(event.key) - 1]; detail(); }
  });
  selection();
  if (failed) view.status = "failed";
  list();
  const requested = decodeURIComponent(location.hash.slice(1));
  const first = shots.find((shot) => shot.name === requested);
  if (first) {
    if (!visible().includes(first)) view.status = "all";
    open(first);
  }
})();

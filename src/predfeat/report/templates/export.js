// Saves a figure as a file: an SVG of plain shapes and text, as displayed, or a bitmap of it.
(function () {
  "use strict";
  const language = "http://www.w3.org/2000/svg";
  const painted = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-linejoin", "stroke-linecap",
    "paint-order", "opacity", "font-family", "font-size", "font-weight", "text-anchor", "vector-effect"];

  function make(name, attributes) {
    const element = document.createElementNS(language, name);
    Object.keys(attributes).forEach(function (key) { element.setAttribute(key, attributes[key]); });
    return element;
  }
  function isShown(element) {
    const box = element.getBoundingClientRect();
    return box.width > 0 && box.height > 0 && !element.closest(".save, .tools, figcaption, [hidden]");
  }
  // Classes have no meaning outside the page: their styles are written into each shape.
  function copied(svg, origin) {
    const box = svg.getBoundingClientRect(), copy = svg.cloneNode(true);
    const theirs = svg.querySelectorAll("*"), ours = copy.querySelectorAll("*");
    theirs.forEach(function (element, i) {
      const style = getComputedStyle(element);
      painted.forEach(function (key) {
        const value = style.getPropertyValue(key);
        if (value) ours[i].setAttribute(key, value);
      });
      ours[i].removeAttribute("class");
    });
    Array.from(copy.attributes).forEach(function (attribute) {
      if (attribute.name !== "viewBox" && attribute.name !== "preserveAspectRatio") copy.removeAttribute(attribute.name);
    });
    copy.setAttribute("x", box.left - origin.left);
    copy.setAttribute("y", box.top - origin.top);
    copy.setAttribute("width", box.width);
    copy.setAttribute("height", box.height);
    copy.setAttribute("overflow", getComputedStyle(svg).overflow);
    return copy;
  }
  // Words on one line become one text element.
  function lines(node) {
    const range = document.createRange(), found = [], words = /\S+/g;
    let word;
    while ((word = words.exec(node.data))) {
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const box = range.getBoundingClientRect(), last = found[found.length - 1];
      if (last && Math.abs(last.box.top - box.top) < 2) last.text += " " + word[0];
      else found.push({ text: word[0], box: box });
    }
    return found;
  }
  function drawing(figure) {
    let parts = Array.from(figure.children);
    const tools = figure.querySelector(".tools");
    if (tools) parts = Array.from(tools.parentElement.children); // the elements next to the buttons
    parts = parts.filter(function (e) { return e.tagName !== "FIGCAPTION" && !e.matches(".save, .tools"); });
    const boxes = parts.map(function (e) { return e.getBoundingClientRect(); }), pad = 12;
    const left = Math.min.apply(null, boxes.map(function (b) { return b.left; })) - pad;
    const top = Math.min.apply(null, boxes.map(function (b) { return b.top; })) - pad;
    const width = Math.ceil(Math.max.apply(null, boxes.map(function (b) { return b.right; })) + pad - left);
    const height = Math.ceil(Math.max.apply(null, boxes.map(function (b) { return b.bottom; })) + pad - top);
    const origin = { left: left, top: top };
    const whole = make("svg", { xmlns: language, width: width, height: height, viewBox: "0 0 " + width + " " + height });
    whole.appendChild(make("rect", { width: "100%", height: "100%", fill: getComputedStyle(document.body).backgroundColor }));
    const title = make("title", {});
    title.textContent = nameOf(figure);
    whole.insertBefore(title, whole.firstChild);
    figure.querySelectorAll("svg, img").forEach(function (element) {
      if (!isShown(element) || element.parentElement.closest("svg")) return;
      if (element.tagName === "IMG") {
        const box = element.getBoundingClientRect();
        whole.appendChild(make("image", { href: element.src, x: box.left - left, y: box.top - top, width: box.width, height: box.height,
          preserveAspectRatio: "none", "image-rendering": "pixelated" }));
      } else {
        whole.appendChild(copied(element, origin));
      }
    });
    const walker = document.createTreeWalker(figure, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const parent = walker.currentNode.parentElement;
      if (!walker.currentNode.data.trim() || parent.closest("svg") || !isShown(parent)) continue;
      const style = getComputedStyle(parent), size = parseFloat(style.fontSize);
      lines(walker.currentNode).forEach(function (line) {
        const text = make("text", { x: line.box.left - left, y: line.box.top - top + line.box.height / 2 + 0.35 * size,
          fill: style.color, "font-size": style.fontSize, "font-weight": style.fontWeight, "font-family": style.fontFamily });
        text.textContent = line.text;
        whole.appendChild(text);
      });
    }
    return { text: new XMLSerializer().serializeToString(whole), width: width, height: height };
  }

  function nameOf(figure) {
    const section = figure.closest("section");
    const rank = Array.from(section.querySelectorAll("figure")).indexOf(figure);
    return section.id + (rank ? "-" + (rank + 1) : "");
  }
  function save(blob, name) {
    const link = document.createElement("a"), address = URL.createObjectURL(blob);
    link.href = address;
    link.download = name;
    link.click();
    setTimeout(function () { URL.revokeObjectURL(address); }, 10000);
  }
  function saveSvg(figure) {
    save(new Blob([drawing(figure).text], { type: "image/svg+xml" }), nameOf(figure) + ".svg");
  }
  function savePng(figure) {
    const drawn = drawing(figure), picture = new Image();
    // Twice the resolution of the screen, up to the limit of a canvas.
    const scale = Math.min(2, 8000 / Math.max(drawn.width, drawn.height));
    picture.onload = function () {
      const canvas = document.createElement("canvas");
      canvas.width = Math.round(scale * drawn.width);
      canvas.height = Math.round(scale * drawn.height);
      canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
      canvas.toBlob(function (blob) { save(blob, nameOf(figure) + ".png"); }, "image/png");
    };
    picture.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(drawn.text);
  }
  document.querySelectorAll("section figure").forEach(function (figure) {
    const bar = document.createElement("div");
    bar.className = "save";
    bar.append("Save this figure ");
    [["SVG", saveSvg], ["PNG", savePng]].forEach(function (kind) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = kind[0];
      button.setAttribute("aria-label", "Save the figure " + nameOf(figure) + " as " + kind[0]);
      button.setAttribute("data-save", kind[0].toLowerCase());
      button.addEventListener("click", function () { kind[1](figure); });
      bar.append(button);
    });
    figure.append(bar);
  });
})();

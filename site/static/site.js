// A table wider than its page is moved sideways: with the arrow keys too, so it can be reached by keyboard.
function stops() {
  for (const table of document.querySelectorAll(".bd-article table")) {
    if (table.scrollWidth > table.clientWidth) table.tabIndex = 0;
    else table.removeAttribute("tabindex");
  }
}
addEventListener("load", stops);
addEventListener("resize", stops);
// So is a formula inside a sentence, once MathJax has drawn it.
function wide() {
  for (const formula of document.querySelectorAll(".bd-article mjx-container:not([display])")) {
    formula.classList.remove("wide");
    const end = formula.closest("p, li, td")?.getBoundingClientRect().right;
    if (formula.getBoundingClientRect().right > end + 1) formula.classList.add("wide");
  }
}
addEventListener("load", () => window.MathJax?.startup?.promise?.then(wide));
addEventListener("resize", wide);
// From the file system the search may not read pages: their words are in a script.
if (location.protocol === "file:" && location.pathname.endsWith("/search.html")) {
  const texts = new Promise((done) => {
    const script = document.createElement("script");
    script.src = "_static/texts.js";
    script.onload = () => done(TEXTS);
    document.head.append(script);
  });
  window.fetch = async (page) => {
    const name = page.replace(/^(\.\/)+/, "").replace(/\.html$/, "");
    return new Response(`<div role="main">${(await texts)[name] ?? ""}</div>`);
  };
}

// A table wider than its page is moved sideways: with the arrow keys too, so it can be reached by keyboard.
function stops() {
  for (const table of document.querySelectorAll(".bd-article table")) {
    if (table.scrollWidth > table.clientWidth) table.tabIndex = 0;
    else table.removeAttribute("tabindex");
  }
}
addEventListener("load", stops);
addEventListener("resize", stops);
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

// A table wider than its page is moved sideways: with the arrow keys too, so it can be reached by keyboard.
function stops() {
  for (const table of document.querySelectorAll(".bd-article table")) {
    if (table.scrollWidth > table.clientWidth) table.tabIndex = 0;
    else table.removeAttribute("tabindex");
  }
}
addEventListener("load", stops);
addEventListener("resize", stops);

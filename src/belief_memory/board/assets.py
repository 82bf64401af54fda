"""The page's own style and script, inline: the page asks nothing of any network."""

from __future__ import annotations

import base64
import hashlib

STYLE = """
:root { color-scheme: light dark; --ink: #1c1f23; --soft: #565d66; --line: #d5d9de;
  --paper: #ffffff; --band: #f4f5f7; --link: #0b57a4; --true: #2f7d4f; --known: #8a5a00; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e8ea; --soft: #a3abb5; --line: #3a4048; --paper: #15181c;
    --band: #1f2329; --link: #8ab8f0; --true: #6fc390; --known: #e0b057; } }
body { margin: 0 auto; padding: 1rem 1.5rem 4rem; max-width: 80rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.3rem; margin-top: 2.5rem; }
h3 { font-size: 1.05rem; } h4 { font-size: 1rem; color: var(--soft); margin-bottom: .2rem; }
a { color: var(--link); }
nav ul, .counts { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; padding: 0; margin: .5rem 0;
  list-style: none; }
.counts div { display: flex; gap: .4rem; } .counts dt { white-space: nowrap; }
.counts dd { margin: 0; font-weight: 600; }
.filter { position: sticky; top: 0; background: var(--paper); padding: .6rem 0;
  border-bottom: 1px solid var(--line); display: flex; gap: .6rem; align-items: baseline;
  flex-wrap: wrap; }
.filter input { font: inherit; padding: .2rem .5rem; min-width: 16rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin: .3rem 0 1rem; }
caption { text-align: start; color: var(--soft); font-size: .9rem; }
th, td { text-align: start; vertical-align: top; padding: .35rem .6rem; overflow-wrap: anywhere;
  border-bottom: 1px solid var(--line); }
thead th { background: var(--band); font-size: .9rem; }
tbody th { font-weight: 600; min-width: 8rem; } td { min-width: 6rem; }
.said { white-space: pre-wrap; min-width: 14rem; }
.soft { color: var(--soft); font-size: .9rem; } .gone { color: var(--soft); }
.mark { border: 1px solid var(--line); border-radius: .3rem; padding: 0 .3rem; font-size: .8rem; }
details { border-bottom: 1px solid var(--line); padding: .3rem 0; }
summary { cursor: pointer; }
svg { display: block; } .axis { stroke: var(--line); }
.true { fill: var(--true); } .known { fill: var(--known); }
.heard { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
  white-space: nowrap; }
"""

SCRIPT = """
(function () {
  var box = document.getElementById("filter");
  var said = document.getElementById("found");
  var rows = Array.prototype.slice.call(document.querySelectorAll("tbody tr"));
  var holders = Array.prototype.slice.call(document.querySelectorAll("[data-group]")).reverse();
  function fold(text) { return text.normalize("NFKC").toLocaleLowerCase(); }
  var texts = rows.map(function (row) { return fold(row.textContent); });
  var slots = rows.map(function (row) {
    var story = row.closest("details");
    return story ? fold(story.querySelector("summary").textContent) : "";
  });
  function filter() {
    var wanted = fold(box.value.trim());
    var shown = 0;
    rows.forEach(function (row, at) {
      row.hidden = texts[at].indexOf(wanted) < 0 && slots[at].indexOf(wanted) < 0;
      shown += row.hidden ? 0 : 1;
    });
    holders.forEach(function (holder) {
      holder.hidden = !holder.querySelector("tbody tr:not([hidden])");
    });
    said.textContent = wanted ? shown + " of " + rows.length + " rows" : "";
  }
  function reveal() {
    var story = document.getElementById(location.hash.slice(1));
    if (story && story.tagName === "DETAILS") { story.open = true; }
  }
  box.disabled = false;
  box.addEventListener("input", filter);
  addEventListener("hashchange", reveal);
  filter();
  reveal();
})();
"""


def _digest(asset: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(asset.encode()).digest()).decode() + "'"


POLICY = (
    f"default-src 'none'; style-src {_digest(STYLE)}; script-src {_digest(SCRIPT)}; "
    "base-uri 'none'; form-action 'none'"
)
"""Should anything of a belief ever pass for markup, it could still run and load nothing."""

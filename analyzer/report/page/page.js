// Tables sort by the column whose head is clicked; without this script they stay as they are.
function value(cell) {
  const text = cell.textContent.trim();
  if (text === "-") return null;
  if (text.startsWith("no finite limit")) return Infinity;
  const digits = text.replaceAll(",", "").match(/-?\d+(\.\d+)?/);
  return cell.classList.contains("label") && !/^\d/.test(text) || !digits ? text : Number(digits[0]);
}

function compare(one, other) {
  if (typeof one === typeof other) return one < other ? -1 : Number(one > other);
  return typeof one === "number" ? -1 : 1;
}

for (const head of document.querySelectorAll("thead th")) {
  const button = document.createElement("button");
  button.append(...head.childNodes);
  button.title = "sort by this column";
  head.append(button);
  button.addEventListener("click", () => {
    const up = head.getAttribute("aria-sort") !== "ascending";
    for (const other of head.parentNode.children) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const body = head.closest("table").tBodies[0];
    const keyed = [...body.rows].map((row) => [value(row.cells[head.cellIndex]), row]);
    const known = keyed.filter(([key]) => key !== null);
    known.sort(([one], [other]) => (up ? 1 : -1) * compare(one, other));
    body.append(...known.map(([, row]) => row));
    body.append(...keyed.filter(([key]) => key === null).map(([, row]) => row));
  });
}

// A table that was pasted: rows of numbers, or a sentence about the first cell that is none.

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const SEPARATORS = ["\t", ";", ","];

class Unreadable extends Error {}

const refuseTable = (sentence) => { throw new Unreadable(sentence); };

// Where commas do not separate cells, they may be decimal commas.
function numberIn(cell, separator) {
  const written = separator === "\t" || separator === ";" ? cell.replace(/^([+-]?\d*),(\d+)$/, "$1.$2") : cell;
  return NUMBER.test(written) ? Number(written) : NaN;
}

const shortCell = (cell) => (cell.length > 30 ? `${cell.slice(0, 29)}…` : cell);

// { rows, names } of a text; throws an Error that says what is wrong.
export function tableOf(text, limits) {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  if (lines.length === 0) refuseTable("There is nothing to read: paste rows of numbers.");
  const separator = SEPARATORS.find((one) => lines[0].includes(one)) ?? /\s+/;
  const cellsOf = (line) => (separator === "\t" ? line : line.trim()).split(separator)
    .map((cell) => cell.trim().replace(/^"(.*)"$/, "$1"));
  const first = cellsOf(lines[0]);
  const headed = first.every((cell) => Number.isNaN(numberIn(cell, separator)));
  const names = headed ? first : first.map((_, d) => `column ${d + 1}`);
  const body = headed ? lines.slice(1) : lines;
  if (body.length === 0) refuseTable("There is one row, and it holds words: paste rows of numbers below it.");
  if (body.length > limits.points) {
    refuseTable(`These are ${body.length.toLocaleString("en")} rows, and this page takes ${limits.points.toLocaleString("en")}: `
      + "paste a part of them, or use dpviz itself.");
  }
  if (names.length < 2) refuseTable("There is one column, and a picture needs two or more.");
  if (names.length > limits.columns) refuseTable(`There are ${names.length} columns, and this page takes ${limits.columns}.`);
  const rows = body.map((line, i) => {
    const cells = cellsOf(line);
    if (cells.length !== names.length) refuseTable(`Row ${i + 1} has ${cells.length} cells, and the first line has ${names.length}.`);
    return cells.map((cell, d) => {
      const value = numberIn(cell, separator);
      if (cell === "") refuseTable(`Row ${i + 1}, ${names[d]}: the cell is empty. Leave out rows with gaps.`);
      if (!Number.isFinite(value)) refuseTable(`Row ${i + 1}, ${names[d]}: “${shortCell(cell)}” is no number. Leave out columns of words.`);
      return value;
    });
  });
  return { rows, names };
}

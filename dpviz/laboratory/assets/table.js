// A table that was pasted: rows of numbers and how they were read, or a sentence about what cannot be read.

import { formatFixed } from "../../player/assets/format.js";
import { NumberRules, readingInWords, refuseTable, shortCell } from "./numbers.js";
import { say, sayCount } from "../../words/say.js";

const ALWAYS_BETWEEN = ["\t", ";", "|"]; // never inside numbers
const MAY_BE_INSIDE = { ",": "lab.perhaps_commas", " ": "lab.perhaps_spaces" };
const YEAR = /^(1[5-9]|20)\d\d$/;

// Cells of a line; null if marks of quotation do not stand around whole cells, or are not doubled inside them.
function cellsOf(line, separator) {
  const written = separator === "\t" ? line : line.trim();
  const tidy = (cell) => cell.trim().replace(/^[\u2212\u2013]/, "-");
  if (!line.includes('"')) return written.split(separator === " " ? / +/ : separator).map(tidy);
  const end = separator === "|" ? "\\|" : separator;
  const pattern = new RegExp(` *(?:"((?:[^"]|"")*)" *|([^"${end}]*))(${end}|$)`, "y");
  const cells = [];
  for (let more = true; more;) {
    const found = pattern.exec(written);
    if (!found) return null;
    cells.push(tidy(found[1]?.replaceAll('""', '"') ?? found[2]));
    more = found[3] !== "";
  }
  return cells;
}

// Rows of numbers of one decimal mark, all as long as the first, which may be names.
function givesNumbers(rows, rules) {
  const below = rows.slice(1);
  const even = rows[0]?.length > 1 && rows.every((row) => row?.length === rows[0].length);
  return even && [".", ","].some((mark) => below.every((row) => row.every((cell) => rules.isNumber(cell, mark))));
}

function separatorOf(lines, rules) {
  const certain = ALWAYS_BETWEEN.find((one) => lines[0].includes(one));
  if (certain) return certain;
  const sample = lines.slice(0, rules.sample);
  const possible = Object.keys(MAY_BE_INSIDE).filter((one) => givesNumbers(sample.map((line) => cellsOf(line, one)), rules));
  if (possible.length > 1) {
    refuseTable(say("lab.two_separators", { line: shortCell(lines[0]) }));
  }
  return possible[0] ?? (lines[0].includes(",") ? "," : " ");
}

// Whether the first row names the columns, by votes of the columns, as in files; a year above no years has no vote.
function isNamed(rows, rules, { absent, censored }) {
  const limit = new RegExp(`^(?:${censored})$`);
  const isAbsent = (cell) => absent.includes(cell) || absent.includes(cell.toLowerCase());
  const below = rows.slice(1, rules.sample);
  const names = rows[0].filter((cell) => !isAbsent(cell));
  const texts = names.filter((cell) => !rules.isAny(cell));
  const voteOf = (cell, d) => {
    if (isAbsent(cell)) return 0;
    if (limit.test(cell)) return -1;
    if (!rules.isAny(cell)) return 2;
    return YEAR.test(cell) && !below.some((row) => YEAR.test(row[d])) ? 0 : -1;
  };
  const votes = rows[0].reduce((sum, cell, d) => sum + voteOf(cell, d), 0);
  const repeated = texts.length - new Set(texts).size;
  return texts.length > 0 && (votes > repeated || votes === 2 * names.length);
}

function checkSize(nRows, nColumns, limits) {
  if (nRows > limits.points) {
    refuseTable(sayCount("lab.too_many_rows", nRows, { most: formatFixed(limits.points, 0) }));
  }
  if (nColumns < 2) refuseTable(say("lab.one_column"));
  if (nColumns > limits.columns) refuseTable(sayCount("lab.too_many_columns", nColumns, { most: limits.columns }));
}

// Neighbours in every row that could be one number: then nothing but the user knows that they are two.
function joinedInWords(rows, separator, rules) {
  if (!(separator in MAY_BE_INSIDE)) return [];
  const pairsOf = (row) => row.slice(1).map((cell, d) => `${row[d]}${separator}${cell}`).filter((pair) => rules.isAny(pair));
  const pairs = rows.map(pairsOf);
  if (pairs.some((found) => found.length === 0)) return [];
  return [say(MAY_BE_INSIDE[separator], { pair: shortCell(pairs[0][0]) })];
}

function refuseOneColumn(lines, rules) {
  if (!lines.every((line) => rules.isAny(line.trim())) || !lines.some((line) => /[\u00a0\u2007\u2009\u202f'’]/.test(line))) return;
  refuseTable(say("lab.single_numbers", { cell: shortCell(lines[0].trim()) }));
}

// { rows, names, said } of a text; throws an Error that says what is wrong.
export function tableOf(text, { limits, reading }) {
  const lines = text.replace(/^\ufeff/, "").split(/\r\n|\n|\r/).filter((line) => line.trim() !== "");
  if (lines.length === 0) refuseTable(say("lab.nothing_to_read"));
  if (lines.length > limits.points + 1) checkSize(lines.length, 2, limits);
  const rules = new NumberRules(reading, limits);
  const separator = separatorOf(lines, rules);
  const all = lines.map((line) => cellsOf(line, separator)
    ?? refuseTable(say("lab.quotation_mark", { line: shortCell(line.trim()) })));
  const named = isNamed(all, rules, reading);
  const body = named ? all.slice(1) : all;
  const names = all[0].map((cell, d) => (named && cell !== "" ? cell : say("lab.column", { column: d + 1 })));
  if (body.length === 0) refuseTable(say("lab.one_row_of_words"));
  checkSize(body.length, names.length, limits);
  body.forEach((row, i) => {
    if (row.length !== names.length) refuseTable(sayCount("lab.unequal_rows", row.length, { row: i + 1, first: names.length }));
  });
  if (!named) refuseOneColumn(lines, rules);
  if (!named && body.length === 1) refuseTable(say("lab.one_row"));
  const decimal = rules.decimalOf(all.slice(0, rules.sample).flat(), separator);
  const columns = names.map((name, d) => rules.columnOf(body.map((row) => row[d]), name, decimal));
  checkSpread(columns, names, limits);
  const kind = named ? "named" : all[0].every((cell) => YEAR.test(cell)) ? "years" : "unnamed";
  const count = sayCount(`lab.read_${kind}`, body.length, { columns: names.length, first: all[0].slice(0, 3).join(", ") });
  return {
    names, rows: body.map((_, i) => columns.map(({ values }) => values[i])),
    said: [count, ...readingInWords(columns, names),
      ...(named ? [] : joinedInWords(body, separator, rules))].join(" "),
  };
}

// What the engine refuses is refused here, while the table before is still there.
function checkSpread(columns, names, { spread }) {
  columns.forEach(({ values }, d) => {
    const least = values.reduce((least, value) => Math.min(least, value), Infinity);
    const range = values.reduce((most, value) => Math.max(most, value), -Infinity) - least;
    if (range > 0 && range < spread) refuseTable(say("lab.too_close", { name: names[d], range }));
  });
}

// Cells as numbers, by the rules of dpviz's reader of files, whose patterns are among the facts of the page.

import { say } from "../../words/say.js";

const OTHER = { ".": ",", ",": "." };
const PADDED = /^[+-]?0[0-9x]/i;
const DIGITS = /^[+-]?\d+$/;

class Unreadable extends Error {}

export const refuseTable = (sentence) => { throw new Unreadable(sentence); };

export const shortCell = (cell) => (cell.length > 30 ? `${cell.slice(0, 29)}…` : cell);

export class NumberRules {
  constructor({ plain, grouped, gaps, longest, sample }, { shown }) {
    const matched = (marks, patterns) => Object.fromEntries(marks.map((mark) => [mark, new RegExp(patterns[mark])]));
    Object.assign(this, { longest, shown, sample, plain: matched([".", ","], plain), grouped: matched([".", ","], grouped) });
    this.gap = new RegExp(`[${gaps}]`, "g");
  }

  isNumber(cell, mark) {
    return cell.length <= this.longest && (this.plain[mark].test(cell) || this.grouped[mark].test(cell));
  }

  isAny(cell) { return this.isNumber(cell, ".") || this.isNumber(cell, ","); }

  shows(cell, mark) { return this.isNumber(cell, mark) && !this.isNumber(cell, OTHER[mark]); }

  // The mark that most of some cells show. “1,234” shows none, and counts as a decimal one between semicolons only.
  decimalOf(cells, separator) {
    const [points, commas] = [".", ","].map((mark) => cells.filter((cell) => this.shows(cell, mark)).length);
    if (points === 0 && commas === 0 && separator === ";") {
      return cells.some((cell) => cell.includes(",") && this.isNumber(cell, ",")) ? "," : ".";
    }
    return commas > points ? "," : ".";
  }

  // The mark of a column: the given one, unless more of its cells are numbers with the other.
  markOf(cells, decimal) {
    const fits = (mark) => cells.filter((cell) => this.isNumber(cell, mark)).length;
    return fits(decimal) < cells.length && fits(OTHER[decimal]) > fits(decimal) ? OTHER[decimal] : decimal;
  }

  // A column as numbers, and cells that show how it was read: { values, examples }.
  columnOf(cells, name, decimal) {
    const mark = this.markOf(cells, decimal);
    const examples = {};
    const values = cells.map((cell, i) => {
      const value = this.valueOf(cell, mark, say("lab.row_and_column", { row: i + 1, name }));
      const grouped = !this.plain[mark].test(cell);
      if (grouped) examples.grouped ??= [cell, value];
      else if (cell.includes(mark)) examples[mark] ??= [cell, value];
      return value;
    });
    examples.isSure = cells.some((cell) => this.shows(cell, mark));
    return { values, examples };
  }

  // One cell as a number; `where` begins the sentence about one that is none.
  valueOf(cell, mark, where) {
    const refuse = (sentence) => refuseTable(`${where}: ${sentence}`);
    if (cell === "") refuse(say("lab.cell_empty"));
    if (!this.isNumber(cell, mark)) refuse(say("lab.cell_no_number", { cell: shortCell(cell) }));
    if (PADDED.test(cell)) refuse(say("lab.cell_padded", { cell: shortCell(cell) }));
    let digits = cell;
    if (!this.plain[mark].test(cell)) digits = digits.replace(this.gap, "").replaceAll(OTHER[mark], "");
    digits = digits.replace(",", ".");
    const value = Number(digits);
    if (!(Math.abs(value) <= this.shown)) refuse(say("lab.cell_beyond", { cell: shortCell(cell), most: this.shown }));
    if (DIGITS.test(digits) && !Number.isSafeInteger(value) && BigInt(digits.replace("+", "")) !== BigInt(value)) {
      refuse(say("lab.cell_too_long", { cell: shortCell(cell) }));
    }
    return value;
  }
}

// How columns were read that could be read in another way: sentences with an example each.
export function readingInWords(columns, names) {
  const said = (kind, key, isSure) => {
    const such = names.flatMap((name, d) => {
      const { examples } = columns[d];
      return examples[kind] && (isSure === null || examples.isSure === isSure) ? [{ name, example: examples[kind] }] : [];
    });
    if (such.length === 0) return [];
    const [cell, value] = such[0].example;
    const listed = such.map(({ name }) => say("lab.quoted", { text: shortCell(name) })).join(", ");
    return [say(key, { columns: listed, cell: shortCell(cell), value })];
  };
  return [
    ...said("grouped", "lab.read_thousands", null),
    ...said(",", "lab.read_commas", true),
    ...said(",", "lab.read_commas_perhaps", false),
    ...said(".", "lab.read_points_perhaps", false),
  ];
}

// Cells as numbers, by the rules of dpviz's reader of files, whose patterns are among the facts of the page.

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
      const value = this.valueOf(cell, mark, `Row ${i + 1}, ${name}`);
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
    if (cell === "") refuse("the cell is empty. Leave out rows with gaps.");
    if (!this.isNumber(cell, mark)) refuse(`“${shortCell(cell)}” is no number. Leave out columns of words.`);
    if (PADDED.test(cell)) refuse(`“${shortCell(cell)}” begins with a zero, as codes do. Leave out columns of codes.`);
    let digits = cell;
    if (!this.plain[mark].test(cell)) digits = digits.replace(this.gap, "").replaceAll(OTHER[mark], "");
    digits = digits.replace(",", ".");
    const value = Number(digits);
    if (!(Math.abs(value) <= this.shown)) refuse(`“${shortCell(cell)}” is beyond ±${this.shown}. Rescale the column.`);
    if (DIGITS.test(digits) && !Number.isSafeInteger(value) && BigInt(digits.replace("+", "")) !== BigInt(value)) {
      refuse(`“${shortCell(cell)}” is too long to be exact. Leave out columns of codes.`);
    }
    return value;
  }
}

// How columns were read that could be read in another way: sentences with an example each.
export function readingInWords(columns, names) {
  const said = (kind, begin, isSure, end = "") => {
    const such = names.flatMap((name, d) => {
      const { examples } = columns[d];
      return examples[kind] && (isSure === null || examples.isSure === isSure) ? [{ name, example: examples[kind] }] : [];
    });
    if (such.length === 0) return [];
    const [cell, value] = such[0].example;
    return [`${begin} in ${such.map(({ name }) => `“${shortCell(name)}”`).join(", ")}: “${shortCell(cell)}” is ${value}${end}.`];
  };
  const or = "; if they separate thousands, remove them and paste again";
  return [
    ...said("grouped", "Thousands separators were removed", null),
    ...said(",", "Commas were read as decimal marks", true),
    ...said(",", "Commas were read as decimal marks", false, or),
    ...said(".", "Points were read as decimal marks", false, or),
  ];
}

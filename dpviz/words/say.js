// Texts of the page by their keys. Before the bundle, `with_words` puts `dpvizWords` and `formOf`: the texts that it
// says, and the rule of forms by number.

const fill = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
const thousands = new Intl.NumberFormat("en"); // made once: numbers are said while knobs move
const fillForm = (forms, n, values = {}) => fill(forms[formOf(n)], { n: thousands.format(n), ...values });

export function say(key, values) {
  return values ? fill(dpvizWords[key], values) : dpvizWords[key];
}

// The form for n things, with {n} and other placeholders filled in.
export function sayCount(key, n, values) {
  return fillForm(dpvizWords[key], n, values);
}

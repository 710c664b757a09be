import escapeHtml from 'escape-html';

/** Markup, as opposed to text that must be escaped. */
export class Html {
  constructor(readonly markup: string) {}
}

/** Markup from a template; interpolated strings are escaped, `Html` is not. */
export function html(parts: TemplateStringsArray, ...values: readonly (Html | string)[]): Html {
  const filled = values.map((value, index) => markupOf(value) + (parts[index + 1] ?? ''));
  return new Html((parts[0] ?? '') + filled.join(''));
}

export const NOTHING = new Html('');

function markupOf(value: Html | string): string {
  return value instanceof Html ? value.markup : escapeHtml(value);
}

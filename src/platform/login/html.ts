import escapeHtml from 'escape-html';

/** Text that is markup, as opposed to text that merely goes into it. */
export class Html {
  constructor(readonly markup: string) {}
}

/** Markup from a template; whatever is put into it is escaped, unless it is markup itself. */
export function html(parts: TemplateStringsArray, ...values: readonly (Html | string)[]): Html {
  const filled = values.map((value, index) => markupOf(value) + (parts[index + 1] ?? ''));
  return new Html((parts[0] ?? '') + filled.join(''));
}

export const NOTHING = new Html('');

function markupOf(value: Html | string): string {
  return value instanceof Html ? value.markup : escapeHtml(value);
}

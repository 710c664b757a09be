import escapeHtml from 'escape-html';

const ADDRESS = /^https?:\/\/[!-~]+$/;

/** The same text as a document: its paragraphs, with links for lines that are addresses. */
export function mailHtml(text: string): string {
  const paragraphs = text.trim().split(/\n{2,}/);
  const body = paragraphs.map(
    (lines) => `<p dir="auto">${lines.split('\n').map(toHtml).join('<br>')}</p>`,
  );
  return `<!doctype html><html><body>${body.join('\n')}</body></html>`;
}

function toHtml(line: string): string {
  const escaped = escapeHtml(line);
  return ADDRESS.test(line) ? `<a href="${escaped}">${escaped}</a>` : escaped;
}

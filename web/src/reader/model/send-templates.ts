import type { SendTemplate } from './notices-api.js';

/** The service has the same rule (`src/common/config/send-template.ts`). */
const SAFE =
  /^(?:https?:\/\/[^\s/?#{}]+[/?#]|(?:mailto|sms|xmpp|obsidian|logseq|joplin|bear|things|tg|whatsapp):)\S*\{(?:url|title|text)\}\S*$/i;

export const MOST_TEMPLATES = 10;

/** Whether a link by which articles are sent on runs nothing, and leads where its author says. */
export const isSafeTemplate = (address: string): boolean =>
  address.length <= 1000 && SAFE.test(address);

/** Programs cut or refuse longer addresses. */
const LONGEST_TEXT = 1500;

/** @returns null for an address that is not safe */
export function filledTemplate(
  { address }: SendTemplate,
  values: Readonly<Record<'url' | 'title' | 'text', string>>,
): string | null {
  return isSafeTemplate(address)
    ? address.replace(/\{(url|title|text)\}/g, (_, name: keyof typeof values) =>
        encodeURIComponent(values[name].slice(0, LONGEST_TEXT).toWellFormed()),
      )
    : null;
}

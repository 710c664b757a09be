import { z } from 'zod';

/** The schemes are of programs that take an address or a text; none runs code in the page. */
const SAFE =
  /^(?:https?:\/\/[^\s/?#{}]+[/?#]|(?:mailto|sms|xmpp|obsidian|logseq|joplin|bear|things|tg|whatsapp):)\S*\{(?:url|title|text)\}\S*$/i;

/** A link by which an article is sent on: gaps of its address are filled percent-encoded. */
export const SendTemplate = z.object({
  name: z.string().trim().min(1).max(60),
  address: z.string().max(1000).regex(SAFE, {
    error:
      'must be an address of http, https, mailto, obsidian or the like with {url}, {title} or {text}, and none of them in its host',
  }),
});

export const SendTemplates = z.array(SendTemplate).max(10, { error: 'has at most 10 entries' });

/** @throws Error with the rule that the text breaks */
export function readSendTemplates(text: string): z.output<typeof SendTemplates> {
  try {
    return SendTemplates.parse(JSON.parse(text));
  } catch (error) {
    const said = error instanceof z.ZodError ? error.issues[0]?.message : 'no JSON';
    throw new Error(
      `must be a JSON list of at most 10 {"name": "…", "address": "https://…{url}"} (${said})`,
      { cause: error },
    );
  }
}

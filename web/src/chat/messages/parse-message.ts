import type { PlainMessage, RichObject } from '../chat-api.js';

/** An inline part of a message. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'bold'; readonly parts: readonly Part[] }
  | { readonly kind: 'link'; readonly text: string; readonly href: string }
  | { readonly kind: 'object'; readonly object: RichObject };

/** A block of a message: a line of text, or code. */
export type Block =
  | { readonly kind: 'lines'; readonly parts: readonly Part[] }
  | { readonly kind: 'code'; readonly text: string };

type Objects = Readonly<Record<string, RichObject>>;

/** Groups: text and address of a named link, bare address, code, bold, placeholder. */
const MARKS =
  /\[([^[\]\n]+)\]\((https?:\/\/[^\s()]+)\)|(https?:\/\/[^\s<>"]+)|`([^`\n]+)`|\*\*([^*\n]+)\*\*|\{([\w-]+)\}/g;

/** Punctuation that belongs to the sentence rather than to the preceding address. */
const AFTER_ADDRESS = /[.,;:!?'")\]}*_]+$/;

/**
 * Parses the Markdown common in chats: links, code and bold. Messages are rendered from these parts,
 * never as HTML.
 */
export function blocksOf({ message, messageParameters }: PlainMessage): Block[] {
  const objects = objectsOf(messageParameters);
  const blocks: Block[] = [];
  let lines: string[] = [];
  let isCode = false;
  const endBlock = () => {
    const text = lines.join('\n');
    if (isCode) {
      blocks.push({ kind: 'code', text });
    } else if (text.trim() !== '') {
      blocks.push({ kind: 'lines', parts: partsOf(text, objects) });
    }
    lines = [];
  };
  for (const line of message.split('\n')) {
    // An unclosed fence lasts to the end.
    if (isCode ? /^```\s*$/.test(line) : /^```[^`]*$/.test(line)) {
      endBlock();
      isCode = !isCode;
    } else {
      lines.push(line);
    }
  }
  if (lines.length > 0) {
    endBlock();
  }
  return blocks;
}

/** Parses without Markdown, for system messages. */
export function plainPartsOf(text: string, objects: Objects): Part[] {
  return text
    .split(/\{([\w-]+)\}/)
    .map((piece, index): Part => {
      const object = index % 2 === 1 ? objects[piece] : undefined;
      return object === undefined
        ? { kind: 'text', text: index % 2 === 1 ? `{${piece}}` : piece }
        : { kind: 'object', object };
    })
    .filter((part) => part.kind !== 'text' || part.text !== '');
}

/** A message in one line, for lists and quotes. */
export function plainTextOf(said: PlainMessage): string {
  const isSystem = said.messageType === 'system';
  const textOf = (part: Part): string => {
    if (part.kind === 'object') {
      return isSystem ? part.object.name : nameOf(part.object);
    }
    return part.kind === 'bold' ? part.parts.map(textOf).join('') : part.text;
  };
  const texts = isSystem
    ? plainPartsOf(said.message, objectsOf(said.messageParameters)).map(textOf)
    : blocksOf(said).map((block) =>
        block.kind === 'code' ? block.text : block.parts.map(textOf).join(''),
      );
  return texts.join(isSystem ? '' : ' ').replace(/\s+/g, ' ');
}

/** The source text of a message, for editing. */
export function sourceOf({ message, messageParameters }: PlainMessage): string {
  const objects = objectsOf(messageParameters);
  return message.replace(/\{([\w-]+)\}/g, (whole, name: string) => {
    const object = objects[name];
    if (object === undefined) {
      return whole;
    }
    return object.type === 'call' ? '@all' : mentionOf(object.id);
  });
}

/** @returns `@ada`, or `@"ada lovelace"` if the name would be ambiguous */
export function mentionOf(userId: string): string {
  return /^[\p{L}\p{N}_-]+$/u.test(userId) ? `@${userId}` : `@"${userId}"`;
}

export function nameOf({ type, name }: RichObject): string {
  return type === 'user' || type === 'call' ? `@${name}` : name;
}

export function objectsOf(parameters: PlainMessage['messageParameters']): Objects {
  // Without inherited properties: people may write `{constructor}`.
  return Object.assign(Object.create(null), Array.isArray(parameters) ? {} : parameters) as Objects;
}

function partsOf(text: string, objects: Objects): Part[] {
  const parts: Part[] = [];
  let end = 0;
  const addText = (piece: string) => {
    if (piece !== '') {
      parts.push({ kind: 'text', text: piece });
    }
  };
  for (const match of text.matchAll(MARKS)) {
    const part = partOf(match, objects);
    if (part !== null) {
      addText(text.slice(end, match.index));
      parts.push(part);
      end = match.index + lengthOf(part, match);
    }
  }
  addText(text.slice(end));
  return parts;
}

function partOf(match: RegExpExecArray, objects: Objects): Part | null {
  const [, linkText, linkAddress, address, code, bold, placeholder] = match;
  if (linkText !== undefined && linkAddress !== undefined) {
    return { kind: 'link', text: linkText, href: linkAddress };
  }
  if (address !== undefined) {
    const href = address.replace(AFTER_ADDRESS, '');
    return { kind: 'link', text: href, href };
  }
  if (code !== undefined) {
    return { kind: 'code', text: code };
  }
  if (bold !== undefined) {
    return { kind: 'bold', parts: partsOf(bold, objects) };
  }
  const object = objects[placeholder ?? ''];
  return object === undefined ? null : { kind: 'object', object };
}

/** Splits trailing punctuation off a bare address. */
function lengthOf(part: Part, [whole, , , address]: RegExpExecArray): number {
  return address !== undefined && part.kind === 'link' ? part.href.length : whole.length;
}

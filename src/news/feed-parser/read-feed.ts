import type { FeedDocument, ParsedFeed } from './parsed-feed.js';
import { decodeDocument } from './charset/decode-document.js';
import { readJsonFeed } from './json/json-feed.js';
import { mapFeed } from './xml/map-feed.js';
import { prepareXml } from './xml/prepare-xml.js';
import { UnreadableDocument } from './unreadable-document.js';
import { readNodes } from './xml/xml-nodes.js';

/**
 * Reads a feed in any of its formats: bytes → text → small strict XML → nodes → what is stored,
 * safe to show. Depends on nothing but the document: neither the clock nor the zone of the server.
 *
 * A damaged document gives what could be read of it, and a `warning`.
 *
 * @throws UnreadableDocument when it is no feed, or nothing of it could be read
 */
export async function readFeed(document: FeedDocument): Promise<ParsedFeed> {
  const text = decodeDocument(document).trimStart();
  if (text.startsWith('{')) {
    return readJsonFeed(text, document);
  }

  // XML knows one kind of line end, whatever the publisher's system writes.
  const prepared = prepareXml(text.replace(/\r\n?/g, '\n'), document.url);
  const nodes = await readNodes(prepared);
  const feed = mapFeed(nodes, prepared.shape, document);
  const warning = prepared.damage ?? nodes.errors[0] ?? null;
  if (warning !== null && feed.items.length === 0) {
    throw new UnreadableDocument(`The document is damaged and no item could be read. ${warning}`);
  }
  return { ...feed, warning, cut: prepared.isCut };
}

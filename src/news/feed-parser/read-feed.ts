import { decodeDocument } from './charset/decode-document.js';
import { readJsonFeed } from './json/json-feed.js';
import { type FeedDocument, type ParsedFeed, UnreadableDocument } from './parsed-feed.js';
import { mapFeed } from './xml/map-feed.js';
import { repairXml } from './xml/repair-xml.js';
import { readWellFormed } from './xml/well-formed.js';
import { readNodes } from './xml/xml-nodes.js';

/**
 * Reads a feed in any of its formats: bytes → text → small strict XML → nodes → sanitised items. Depends on
 * the document alone: not on the server's clock or time zone.
 *
 * A damaged document yields its readable part, and a `warning`.
 *
 * @throws UnreadableDocument when it is no feed, or nothing of it could be read
 */
export async function readFeed(document: FeedDocument): Promise<ParsedFeed> {
  const text = decodeDocument(document).trimStart();
  if (text.startsWith('{')) {
    return readJsonFeed(text, document);
  }

  // XML knows one kind of line end; systems of publishers write others.
  const xml = text.replace(/\r\n?/g, '\n');
  const wellFormed = readWellFormed(xml);
  if (wellFormed !== null) {
    return mapFeed(await readNodes(wellFormed), wellFormed.shape, document);
  }
  const repaired = repairXml(xml, document.url);
  const nodes = await readNodes({ ...repaired, texts: [] });
  const feed = mapFeed(nodes, repaired.shape, document);
  const warning = repaired.damage ?? nodes.errors[0] ?? null;
  if (warning !== null && feed.items.length === 0) {
    throw new UnreadableDocument(`The document is damaged and no item could be read. ${warning}`);
  }
  return { ...feed, warning, cut: repaired.isCut };
}

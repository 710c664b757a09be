import { EVIDENCE_DIGITS, NO_EVIDENCE } from '../../feed-parser/items/item-identity.js';

const hashed = (text: string) =>
  `coalesce(left(md5(${text}), ${EVIDENCE_DIGITS}), '${NO_EVIDENCE}')`;

/** The title part of the evidence of an article, as hex digits. */
export const TITLE = hashed('article.title');

/** The date of an article without one is the time of its first fetch, which is no evidence. */
const DATE = hashed(`(nullif(article.pub_date_seconds,
                             extract(epoch from article.fetched_at)::bigint))::text`);

/** The date part of the evidence of an article, as hex digits. */
export const DATE_EVIDENCE = `coalesce(
  substr(encode(article.evidence, 'hex'), ${EVIDENCE_DIGITS + 1}, ${EVIDENCE_DIGITS}), ${DATE})`;

/**
 * The evidence of an article, as bytes: the stored one, else the same as `evidenceOf` computes from
 * the columns. For queries that join `article_body`.
 */
export const EVIDENCE = `coalesce(article.evidence, decode(
  ${TITLE} ||
  ${DATE} ||
  ${hashed("nullif(article_body.html, '')")} ||
  ${hashed('article.url')}, 'hex'))`;

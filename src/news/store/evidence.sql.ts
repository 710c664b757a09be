import { EVIDENCE_DIGITS, NO_EVIDENCE } from '../fetch/read/item-identity.js';

const hashed = (text: string) =>
  `coalesce(left(md5(${text}), ${EVIDENCE_DIGITS}), '${NO_EVIDENCE}')`;

/**
 * The evidence of an article, as bytes: what was noted, or else what `evidenceOf` makes of the
 * stored columns. An article that the publisher did not date has the time of its first fetch.
 *
 * For queries that join `article_body`.
 */
export const EVIDENCE = `coalesce(article.evidence, decode(
  ${hashed('article.title')} ||
  ${hashed(`(nullif(article.pub_date_seconds,
                    extract(epoch from article.fetched_at)::bigint))::text`)} ||
  ${hashed("nullif(article_body.html, '')")} ||
  ${hashed('article.url')}, 'hex'))`;

import type { SqlRunner } from '../../../database/database.js';
import { ITEM_RULES, type ItemRule } from '../../feed-parser/items/lookup-key.js';

/** What a rule would have made of the stored articles of a source. */
export interface RulePreview {
  readonly rule: ItemRule;
  /** Articles that were compared: the newest. */
  readonly stored: number;
  /** How many items they would have been. */
  readonly items: number;
  /** The largest groups that would have been one item. */
  readonly joined: readonly { readonly title: string | null; readonly count: number }[];
}

const MOST_COMPARED = 2_000;
const MOST_JOINED = 3;

/** Reads the texts of the newest articles. */
export async function previewRules(runner: SqlRunner, sourceId: number): Promise<RulePreview[]> {
  return runner.query(
    `with stored as (
       select article.id, title, coalesce(key_hash, guid_hash) as guid,
              sha256(convert_to(url, 'UTF8')) as link, sha256(convert_to(title, 'UTF8')) as heading,
              sha256(convert_to(nullif(html, ''), 'UTF8')) as text
         from article left join article_body body on body.source_id = article.source_id
                                                 and body.article_id = article.id
        where article.source_id = $1 order by article.id desc limit ${MOST_COMPARED}
     ), grouped as (
       select rule, min(place) as place, min(title) as title, count(*)::int as count
         from stored cross join unnest($2::text[]) with ordinality as rules (rule, place)
        group by rule, case rule when 'automatic' then int8send(id) when 'link' then coalesce(link, guid)
                                 when 'title' then coalesce(heading, guid)
                                 when 'text' then coalesce(text, guid) else guid end
     )
     select rule, sum(count)::int as stored, count(*)::int as items,
            coalesce((array_agg(json_build_object('title', title, 'count', count)
                                order by count desc, title) filter (where count > 1))[1:${MOST_JOINED}],
                     '{}') as joined
       from grouped group by rule order by min(place)`,
    [sourceId, ITEM_RULES],
  );
}

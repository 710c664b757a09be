/*
 * Results of automatic tasks for items, for the pages. The reader is `$1`. For readers without automatic
 * tasks it costs one check per statement.
 */

const IS_ON = `(select exists (select 1 from automatic_reader where reader_id = $1 and is_on))`;

/** SQL of the effective choice of an item's feed, null without automatic tasks. */
export const choiceOf = (column: 'titles_to' | 'summarise', item: string) => `
  case when ${IS_ON} then (select coalesce(own.${column}, of_folder.${column})
     from subscription s
     left join automatic_choice own on own.reader_id = $1 and own.subscription_id = s.id
     left join automatic_choice of_folder on of_folder.reader_id = $1
                                          and of_folder.folder_id = s.folder_id
    where s.reader_id = $1 and s.id = ${item}.subscription_id) end`;

/**
 * SQL of the translated title of an item, if its title is still the one that was translated, and says
 * something else.
 *
 * @param item alias with `article_id` and `titles_to`, of `choiceOf`
 * @param title SQL of its present title
 */
export function translatedTitle(item: string, title: string): string {
  return `case when ${item}.titles_to <> '' then (
    select request.result->>'title' from article_assistance request
     where request.article_id = ${item}.article_id and request.kind = 'title'
       and request.languages = '>' || ${item}.titles_to
       and request.state = 'done'
       and request.result->>'of' = ${title}
       and lower(request.result->>'title') <> lower(${title})) end`;
}

/**
 * SQL of the summary of an item, in feeds whose items are summarised.
 *
 * @param item alias with `article_id` and `summarise`, of `choiceOf`
 */
export function summary(item: string): string {
  return `case when ${item}.summarise then (
    select request.result->>'text' from article_assistance request
     where request.article_id = ${item}.article_id and request.kind = 'summary'
       and request.languages = '' and request.state = 'done'
     order by request.finished_at desc limit 1) end`;
}

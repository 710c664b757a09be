/**
 * SQL of the names of an item's labels as JSON; the reader is `$1`. Null for readers without labels,
 * of whom it asks once in a statement.
 *
 * @param itemId SQL of its id
 */
export function labelNames(itemId: string): string {
  return `case when (select exists (select 1 from label where label.reader_id = $1)) then (
            select coalesce(json_agg(label.name order by lower(label.name), label.id), '[]')
              from item_label join label on label.reader_id = $1 and label.id = item_label.label_id
             where item_label.reader_id = $1 and item_label.item_id = ${itemId}) end`;
}

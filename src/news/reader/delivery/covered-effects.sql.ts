/**
 * A CTE that notes, of read items, that their user has marked a list read that has them: what rules marked read
 * is then read for the user as well, and stays so when they are undone. Costs one look-up for readers without
 * rules.
 *
 * @param conditions on `item`; the reader is `$1`
 */
export const coverEffects = (conditions: string) => `covered as (
      update rule_effect set covered = true
        from item
       where rule_effect.reader_id = $1 and rule_effect.effect in ('read', 'hide')
         and not rule_effect.covered
         and item.reader_id = $1 and item.id = rule_effect.item_id and not item.unread
         and ${conditions}
    )`;

/**
 * A CTE that notes, of items that their user marked as they are already, that this is the user's wish: a client may
 * not know yet what a rule did to them, and its undoing leaves them alone. Costs a look-up for each of these items.
 *
 * @param unchanged SQL of their ids; the reader is `$1`
 */
export const keepEffects = (unchanged: string) => `kept as (
      update rule_effect set stamp_micros = 0, covered = true
        from (${unchanged}) same (item_id)
       where rule_effect.reader_id = $1 and rule_effect.item_id = same.item_id
    )`;

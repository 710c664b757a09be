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

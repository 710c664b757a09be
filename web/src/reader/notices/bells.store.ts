import { defineStore } from 'pinia';
import { shallowRef } from 'vue';
import { belledIds, type BellPlace } from '../model/belled-place.js';
import { addRule, changeRule, listRules, removeRule, type Rule } from '../model/rules-api.js';
import { bellRule, placesWithBell, ruleOf, type Bell } from './bell-rules.js';

/** The bells of feeds and folders, which are rules. */
export const useBells = defineStore('bells', () => {
  const rules = shallowRef<readonly Rule[]>([]);

  async function load(): Promise<void> {
    rules.value = await listRules();
    belledIds.value = {
      feed: placesWithBell(rules.value, 'feed'),
      folder: placesWithBell(rules.value, 'folder'),
    };
  }

  /** @param name of the rule, if it is a new one */
  async function set(place: BellPlace, name: string, bell: Bell): Promise<void> {
    const present = bellRule(rules.value, place);
    if (!bell.isOn) {
      await (present && removeRule(present.id));
    } else if (present === undefined) {
      await addRule(ruleOf(place, name, bell));
    } else {
      await changeRule(present.id, ruleOf(place, present.name, bell));
    }
    await load();
  }

  return { rules, load, set };
});

import { defineStore } from 'pinia';
import { shallowRef } from 'vue';
import { belledIds, type BellPlace } from '../model/belled-place.js';
import { addRule, changeRule, listRules, removeRule, type Rule } from '../model/rules-api.js';
import { bellRule, newBell, placesWithBell } from './bell-rules.js';

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
  async function turn(place: BellPlace, isOn: boolean, name: string): Promise<void> {
    const { id } = bellRule(rules.value, place) ?? {};
    if (id === undefined) {
      await (isOn && addRule(newBell(place, name)));
    } else {
      await (isOn ? changeRule(id, { enabled: true }) : removeRule(id));
    }
    await load();
  }

  return { rules, load, turn };
});

import { defineStore } from 'pinia';
import { shallowRef } from 'vue';
import {
  addRule,
  changeRule,
  listRules,
  orderRules,
  removeRule,
  type Rule,
  type RuleDraft,
} from '../model/rules-api.js';

/** The rules in their order. */
export const useRules = defineStore('reader-rules', () => {
  const rules = shallowRef<readonly Rule[]>([]);

  async function load(): Promise<void> {
    rules.value = await listRules();
  }

  /** Puts a rule in place of the one with its id, or at the end. */
  function put(rule: Rule): Rule {
    const at = rules.value.findIndex(({ id }) => id === rule.id);
    rules.value = at < 0 ? [...rules.value, rule] : rules.value.with(at, rule);
    return rule;
  }

  return {
    rules,
    load,
    find: (id: number) => rules.value.find((rule) => rule.id === id),
    save: async (id: number | null, draft: RuleDraft) =>
      put(await (id === null ? addRule(draft) : changeRule(id, draft))),
    switchOn: async ({ id }: Rule, enabled: boolean) => put(await changeRule(id, { enabled })),
    async remove({ id }: Rule) {
      await removeRule(id);
      rules.value = rules.value.filter((rule) => rule.id !== id);
    },
    /** Shown at once. */
    async arrange(ids: readonly number[]) {
      const before = rules.value;
      rules.value = ids.flatMap((id) => before.find((rule) => rule.id === id) ?? []);
      try {
        await orderRules(ids);
      } catch (failure) {
        rules.value = before;
        throw failure;
      }
    },
  };
});

import { defineStore } from 'pinia';
import { computed, ref } from 'vue';
import { requestOcs } from '../../host/http.js';
import { makePasskey } from '../../parts/passkey.js';
import type { Proof } from '../../parts/proof.js';

export interface Passkey {
  readonly id: number;
  readonly name: string;
  /** Host name of the installation when it was added. */
  readonly host: string;
  /** False after the host name was changed. */
  readonly works: boolean;
  /** Unix seconds. */
  readonly created: number;
  /** Unix seconds; null before the first use. */
  readonly lastUsed: number | null;
}

const PATH = '/core/passkeys';

/** The user's passkeys. */
export const usePasskeys = defineStore('passkeys', () => {
  /** Oldest first; null before they are loaded. */
  const passkeys = ref<readonly Passkey[] | null>(null);
  const hasUsable = computed(() => passkeys.value?.some(({ works }) => works) ?? false);

  async function load(): Promise<void> {
    passkeys.value = await requestOcs<Passkey[]>(PATH);
  }

  /** @returns recovery codes, none if the user has some; null when the user cancels */
  async function add(name: string): Promise<readonly string[] | null> {
    const credential = await makePasskey(
      await requestOcs<PublicKeyCredentialCreationOptionsJSON>(`${PATH}/options`, {
        method: 'POST',
      }),
    );
    if (credential === null) {
      return null;
    }
    const { recoveryCodes } = await requestOcs<{ recoveryCodes: string[] }>(PATH, {
      method: 'POST',
      json: { name, credential },
    });
    await load();
    return recoveryCodes;
  }

  async function rename(id: number, name: string): Promise<void> {
    await requestOcs(`${PATH}/${id}`, { method: 'PUT', json: { name } });
    await load();
  }

  async function remove(id: number, proof: Proof): Promise<void> {
    await requestOcs(`${PATH}/${id}`, { method: 'DELETE', json: proof });
    await load();
  }

  return { passkeys, hasUsable, load, add, rename, remove };
});

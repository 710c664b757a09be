import { defineStore } from 'pinia';
import { ref } from 'vue';
import { requestOcs } from '../../host/http.js';
import type { Proof } from '../../parts/proof.js';

interface SecondFactors {
  /** The authenticator app; null without one. */
  readonly totp: {
    /** Unix seconds. */
    readonly since: number;
  } | null;
  readonly recoveryCodesLeft: number;
}

/** The secret for an authenticator app. */
export interface TotpEnrolment {
  readonly secret: string;
  /** `otpauth:` address. */
  readonly address: string;
}

interface RecoveryCodes {
  /** Not shown again. */
  readonly recoveryCodes: readonly string[];
}

const PATH = '/core/secondfactors';

/** The user's second factors. */
export const useSecondFactors = defineStore('second-factors', () => {
  const factors = ref<SecondFactors | null>(null);

  async function load(): Promise<void> {
    factors.value = await requestOcs<SecondFactors>(PATH);
  }

  async function beginTotp(): Promise<TotpEnrolment> {
    return requestOcs<TotpEnrolment>(`${PATH}/totp`, { method: 'POST' });
  }

  /** @returns recovery codes; none if the user has some */
  async function confirmTotp(code: string): Promise<readonly string[]> {
    const json = { code };
    const confirmed = await requestOcs<RecoveryCodes>(`${PATH}/totp/confirm`, {
      method: 'POST',
      json,
    });
    await load();
    return confirmed.recoveryCodes;
  }

  async function removeTotp(proof: Proof): Promise<void> {
    await requestOcs(`${PATH}/totp`, { method: 'DELETE', json: proof });
    await load();
  }

  async function renewRecoveryCodes(proof: Proof): Promise<readonly string[]> {
    const path = `${PATH}/recoverycodes`;
    const renewed = await requestOcs<RecoveryCodes>(path, { method: 'POST', json: proof });
    await load();
    return renewed.recoveryCodes;
  }

  return { factors, load, beginTotp, confirmTotp, removeTotp, renewRecoveryCodes };
});
